"""Somebody has the file open in a spreadsheet."""

from failing import once


def arm(program):
    program.open = once(open, 3, PermissionError(13, "Permission denied", "results.csv"))
