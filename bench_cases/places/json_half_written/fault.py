"""A set has no place in JSON: half of the row is in the file."""

FIX = [('{"b", "a"}', '["a", "b"]')]
