"""A fault of ours once a frame has handed itself over: the program goes on as the one that nobody protected."""

from __future__ import annotations

import asyncio
import sys
import traceback

import pytest

import daifu_bc
from daifu_bc import NextIteration, Retry, Return, Skip, decide, recovery
from daifu_bc.restarts import log
from daifu_bc.resume import check
from whole.crash_at import Boom, Manager, Out, drive, notes_of

STAGES = [
    (recovery, "take_snapshot"),
    (recovery, "held_by"),
    (recovery, "build_procedure"),
    (recovery, "clear"),
    (decide, "count_on"),
    (check, "apply_edits"),
    (check, "code_to_enter"),
    (log, "record"),
]


def broken(*_args, **_settings):
    raise LookupError("a fault of ours")


def blocks(out):
    for item in (1, 2):
        with Manager(out, f"m{item}"):
            try:
                out([out("x"), item])
            finally:
                out(("finally", item, type(sys.exception()).__name__))


def handler(out):
    kept = [1]
    try:
        {}["missing"]
    except KeyError as error:
        try:
            return [kept, out("x")]
        finally:
            out((kept, repr(error), type(sys.exception().__context__).__name__))


def clause_that_raises_again(out):
    try:
        for item in [1, 2]:
            out((item, out("x")))
    except Boom:
        out("seen")
        raise


def clause_that_raises_another(out):
    try:
        return [out("x") for _ in range(2)]
    except Boom as error:
        raise ValueError("another") from error


def comprehension(out):
    item = "outer"
    try:
        return [[out((item, inner)) for inner in (1, out("x"))] for item in (1, 2)], item
    finally:
        out(("finally", item))


def cells(out):
    captured = 1

    def inner():
        nonlocal captured
        captured += 1
        try:
            return out("x")
        finally:
            out(captured)

    try:
        inner()
    finally:
        out(("finally", captured))


def class_body(out):
    captured = "captured"

    class Made:
        a = out("a")
        try:
            b = out("x")
        finally:
            out((a, captured))

        def method(self):
            return __class__

    return Made


def generator(out):
    try:
        for item in (1, 2):
            yield out(item)
            with Manager(out):
                yield out("x")
    finally:
        out("finally")


def generator_that_stops(out):
    def items():
        try:
            yield next(iter([]))
        finally:
            out("finally")

    return list(items())


async def coroutine(out):
    async def inner():
        async with Manager(out, "inner"):
            await asyncio.sleep(0)
            return out("x")

    try:
        return await inner()
    finally:
        out("finally")


async def async_generator(out):
    async def items():
        try:
            yield out("a")
            yield out("x")
        finally:
            out("finally")

    async for item in items():
        out(item)


PROGRAMS = [
    blocks, handler, clause_that_raises_again, clause_that_raises_another, comprehension, cells, class_body, generator,
    generator_that_stops, coroutine, async_generator,
]  # fmt: skip


def outcome(program, out):
    """Type, place and causes of what comes out of `program`."""
    try:
        drive(program, out)
    except Exception as error:
        names = [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__)]
        below = names[[name for name, _ in names].index(program.__name__) :]
        return error, (type(error), below, type(error.__context__), type(error.__cause__))
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize(("room", "stage"), STAGES, ids=lambda value: getattr(value, "__name__", value))
def test_handlers_finally_and_exits_run_as_in_the_unprotected_program(program, room, stage, monkeypatch):
    plain, out, asked = Out("x"), Out("x"), []
    expected = outcome(program, plain)[1]

    def policy(crash):
        asked.append(crash.function)
        return Retry() if len(asked) == 1 else None

    daifu_bc.protect(program, on_crash=policy, scope="nested", always=(Boom,))
    monkeypatch.setattr(room, stage, broken)
    try:
        error, found = outcome(program, out)
    finally:
        monkeypatch.undo()
        daifu_bc.unprotect(program)
    assert asked
    assert found == expected
    assert out.log == plain.log
    first = error
    while first.__context__ is not None and not notes_of(first):
        first = first.__context__
    assert "a fault of ours" in notes_of(first)
    assert sys.exception() is None


@pytest.mark.parametrize("restart", [Skip(), NextIteration(), Return(5)], ids=str)
def test_whatever_was_decided(restart, monkeypatch):
    plain, out = Out("x"), Out("x")
    expected = outcome(blocks, plain)[1]
    daifu_bc.protect(blocks, on_crash=lambda crash: restart, scope="nested")
    monkeypatch.setattr(recovery, "take_snapshot", broken)
    _error, found = outcome(blocks, out)
    monkeypatch.undo()
    daifu_bc.unprotect(blocks)
    # A restart that begins outside of the blocks has left them before the fault.
    assert found[0] is expected[0]
    assert out.log == plain.log


@pytest.mark.parametrize("program", [blocks, generator, class_body, coroutine], ids=lambda one: one.__name__)
@pytest.mark.parametrize("stage", ["take_snapshot", "build_procedure"])
def test_in_an_unfinished_procedure_too(program, stage, monkeypatch):
    """The first crash is recovered, the second one, of the same statement, meets the fault."""

    class Twice(Out):
        def __call__(self, value):
            if value == "x" and not failed:
                failed.append(value)
                raise Boom(value)
            return super().__call__(value)

    failed = ["x"]
    plain = Twice("x")
    expected = outcome(program, plain)[1]
    failed.clear()
    out, asked = Twice("x"), []

    def policy(crash):
        asked.append(crash)
        if len(asked) == 2:
            monkeypatch.setattr(recovery, stage, broken)
        return Retry() if len(asked) < 3 else None

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    _error, found = outcome(program, out)
    monkeypatch.undo()
    daifu_bc.unprotect(program)
    assert len(asked) >= 2
    asked.clear()
    assert found == expected
    assert out.log == plain.log
