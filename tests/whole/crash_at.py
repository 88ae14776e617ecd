"""`@crash_at(2, Skip(), [1, 3])`: a program whose call `out(2)` fails once, the restart, and what it has put out.

In: a program, a function of `out`, which logs what it is called with and gives it back. Out: a test.
Always true: the program first runs unprotected with nothing failing; where no log is given, the recovered run must
put out and return the same. Modelled on the jump tests of CPython's test_sys_settrace.
"""

from __future__ import annotations

import asyncio
import inspect
import sys

import daifu_bc
from daifu_bc import Jump

SAME = object()  # as in the run in which nothing fails


class Boom(Exception):
    """What `out` fails with."""


class Out:
    """Logs what it is called with, and gives it back; fails the first time that it is called with `where`."""

    def __init__(self, where=SAME, error=Boom):
        self.where, self.error, self.log = where, error, []

    def __call__(self, value):
        if value == self.where:
            self.where = SAME
            raise self.error(value)
        self.log.append(value)
        return value


class Items:
    """An iterator that asks `out` for each of its items: its header can fail, and it goes on where it was."""

    def __init__(self, out, *items):
        self.out, self.items = out, list(items)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.items:
            raise StopIteration
        self.out(f"next {self.items[0]}")
        return self.items.pop(0)


class Manager:
    """A context manager, also an asynchronous one, that logs how it is left."""

    def __init__(self, out, name="m"):
        self.out, self.name = out, name

    def __enter__(self):
        return self.out(f"enter {self.name}")

    def __exit__(self, kind, error, trace):
        self.out(f"exit {self.name}" + (f" {kind.__name__}" if kind else ""))

    async def __aenter__(self):
        return self.__enter__()

    async def __aexit__(self, *error):
        self.__exit__(*error)  # its result is not returned: it cannot swallow


def drive(program, *args):
    """Run a program of any kind; the items of generators."""
    made = program(*args)
    if inspect.iscoroutine(made):
        return asyncio.run(made)
    if inspect.isgenerator(made):
        return list(made)
    if inspect.isasyncgen(made):
        return asyncio.run(collect(made))
    return made


async def collect(items):
    return [item async for item in items]


def caught_from(function, *args):
    """What comes out of `function`, caught by a caller that catches everything: one that names it would handle it."""
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def notes_of(error):
    return "\n".join(getattr(error, "__notes__", ()))


def crash_at(where, restart, expect=SAME, result=SAME, *, keep="calls", refused=None, error=Boom):
    """A test of a program that crashes at `out(where)`. `restart`: one, or a function of the crash.

    expect: what is put out; result: what is returned (not looked at where only a log is given).
    refused: part of the reason for which the restart cannot be; then the exception goes out with it as a note.
    """

    def make(program):
        def test():
            clean = Out()
            as_always = drive(program, clean)
            out, asked = Out(where, error), []

            def policy(crash):
                if asked:
                    return None
                chosen = restart(crash) if callable(restart) else restart
                asked.append((chosen, crash.can(chosen)))
                return chosen

            daifu_bc.protect(program, on_crash=policy, scope="nested", keep=keep)
            try:
                if refused is None:
                    got = drive(program, out)
                else:
                    raised = caught_from(drive, program, out)
            finally:
                daifu_bc.unprotect(program)
            assert asked, "the policy was not asked"
            if refused is None:
                assert asked[0][1] is None
                assert out.log == (clean.log if expect is SAME else expect)
                if expect is SAME or result is not SAME:
                    assert got == (as_always if result is SAME else result)
            else:
                assert type(raised) is error
                assert refused in notes_of(raised)
                assert refused in asked[0][1]
                assert expect is SAME or out.log == expect
            assert sys.exception() is None

        test.__name__ = test.__qualname__ = program.__name__
        test.__module__ = program.__module__
        return test

    return make


def jump_to(text):
    """Jump to the line of the presented function that `text` stands on (the first one that begins with it)."""

    def restart(crash):
        lines, first = inspect.getsourcelines(crash.python_frame.f_code)
        return Jump(next(first + n for n, line in enumerate(lines) if line.lstrip().startswith(text)))

    return restart
