"""Programs that crash, for the console's tests. `crashed` is called where a barrier would be."""

from __future__ import annotations


def unwound(rows, index):
    return rows[index]


def train(crashed, rows=(1, 2, 3)):
    total = 0
    for index in range(5):
        try:
            total += unwound(rows, index)
        except IndexError as error:
            decision = crashed(error)
            return decision, total
    return None, total


def library(function, *arguments):
    return function(*arguments)


def outer(crashed):
    name = "outer"
    return name, library(inner, crashed)


def inner(crashed):
    name = "inner"
    scale = None
    try:
        return 1 / 0 + scale
    except ZeroDivisionError as error:
        decision = crashed(error)
        return decision, name, scale
