"""The default arguments leave nothing to draw from; met in a function that `map` calls for the library's loop."""

FIX = [("least=10, most=10", "least=3, most=10")]
