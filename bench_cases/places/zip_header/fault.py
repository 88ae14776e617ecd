"""One text is no number, when its name has been taken already: with a retry each later pair would be shifted."""

FIX = [('"0,75"', '"0.75"')]
