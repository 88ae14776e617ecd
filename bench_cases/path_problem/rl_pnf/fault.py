"""The folder is not there; met in an endless loop, before its `break`."""

FIX = [('"checkpoint/policy.pt"', '"policy.pt"')]
