"""An iterator and a function that fail once, in a module that no test protects."""

from __future__ import annotations


class FailsOnce:
    """A function that gives back what it is given, but for the first time that this is 2."""

    def __init__(self) -> None:
        self.armed = True

    def __call__(self, value: int) -> int:
        if value == 2 and self.armed:
            self.armed = False
            raise OSError("once")
        return value


class Numbers:
    """0, 1, 2, 3; one that failed at an item gives it the next time."""

    def __init__(self, check: FailsOnce) -> None:
        self.following, self.check = 0, check

    def __iter__(self) -> Numbers:
        return self

    def __next__(self) -> int:
        if self.following > 3:
            raise StopIteration
        value = self.check(self.following)
        self.following += 1
        return value
