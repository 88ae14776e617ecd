"""An exception in a clause of `except*`: it goes out naked or in a group, which cannot always be told beforehand."""

from __future__ import annotations

import itertools

import pytest

from crash.search_harness import Problem, Seen, run

RAISED = [
    "ValueError(1)",
    "ExceptionGroup('g', [ValueError(1)])",
    "ExceptionGroup('g', [ValueError(1), OSError(2)])",
    "ExceptionGroup('g', [ValueError(1), ExceptionGroup('h', [OSError(2), KeyError(3)])])",
]
CLAUSES = [
    "except* ValueError: boom()",
    "except* OSError: raise LookupError\nexcept* ValueError: boom()",
    "except* OSError: raise\nexcept* ValueError: boom()",
    "except* ValueError: boom()\nexcept* OSError: pass",
    "except* ValueError: boom()\nexcept* OSError: raise RuntimeError",
    "except* ValueError:\n  try: boom()\n  except KeyError: pass",
    "except* ValueError:\n  try: boom()\n  finally: len([])",
]
OUTER = [
    "Problem", "ExceptionGroup", "OSError", "Exception", "KeyError", "(OSError, Problem)",
    "*Problem", "*(Problem, OSError)",
]  # fmt: skip


def _seen(raised: str, clauses: str, outer: str) -> Seen:
    inner = "\n".join("        " + line for line in f"try: raise {raised}\n{clauses}".splitlines())
    star = "*" if outer.startswith("*") else ""
    return run(f"def f():\n    try:\n{inner}\n    except{star} {outer.lstrip('*')}: pass", Problem())


def _went_out(seen: Seen) -> bool:
    """Did what the clause raised come out, naked or in a group?"""
    waiting = [seen.escaped]
    for one in waiting:
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
    return any(isinstance(one, Problem) for one in waiting)


@pytest.mark.parametrize(("clauses", "outer"), [*itertools.product(CLAUSES, OUTER)])
def test_what_an_outer_clause_catches_is_no_crash(clauses: str, outer: str) -> None:
    all_seen = [_seen(raised, clauses, outer) for raised in RAISED]
    caught = [not _went_out(seen) for seen in all_seen]
    assert all(seen.handled is not None for seen, is_caught in zip(all_seen, caught, strict=True) if is_caught)


@pytest.mark.parametrize("clauses", CLAUSES)
def test_what_no_outer_clause_can_catch_is_a_crash(clauses: str) -> None:
    seen = _seen(RAISED[2], clauses, "ZeroDivisionError")
    assert seen.handled is None and _went_out(seen)


def test_without_anything_outside_it_is_a_crash() -> None:
    for raised, clauses in itertools.product(RAISED, CLAUSES):
        lines = "\n".join("    " + line for line in f"try: raise {raised}\n{clauses}".splitlines())
        assert run("def f():\n" + lines, Problem()).handled is None


def test_a_clause_whose_class_cannot_be_read_may_leave_a_part() -> None:
    source = """
def f():
    try:
        try: boom()
        except* tuple([ValueError]): raise Problem
    except ExceptionGroup: pass
"""
    seen = run(source, ExceptionGroup("g", [ValueError(), KeyError()]))
    assert seen.handled is not None and seen.escaped is None


def test_many_clauses_that_cannot_be_read_are_foreseen_as_handled_at_once() -> None:
    clauses = "\n".join(f"    except* tuple([ValueError, {number}]): raise Problem" for number in range(20))
    source = f"def f():\n  try:\n    try: boom()\n{clauses}\n  except OSError: pass"
    assert run(source, ExceptionGroup("g", [ValueError(), KeyError()])).handled is not None
