"""The folder is not there; met in the header of a `with` in a loop."""

FIX = [('"models/model.pt"', '"model.pt"')]
