"""Where the decision is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from crash.search_harness import levels_of
from daifu_bc.crash.search import failing_point, presented
from daifu_bc.errors import InternalError


def _ask(source: str, unprotected: tuple[str, ...] = (), last_in: str = "") -> str:
    """The function in which the crash of `f()` is presented, asked where it is raised (last in `last_in`)."""
    found: list[tuple[str, str]] = []
    namespace: dict[str, Any] = {}
    exec(compile(source, "train.py", "exec"), namespace)
    root = namespace["f"].__code__

    def protected(frame: Any) -> bool:
        return frame.f_code.co_filename == "train.py" and frame.f_code.co_name not in unprotected

    def trace(frame: Any, event: str, argument: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != "train.py":
            return None
        if event == "exception" and protected(frame):
            error = argument[1]
            levels = levels_of(frame, root, protected)
            entry = error.__traceback__
            if entry is not None and entry.tb_frame is frame:
                levels[0] = type(levels[0])(frame, frame.f_code, entry.tb_lasti, True, True)
            found.append((frame.f_code.co_name, levels[presented(error, levels)].code.co_name))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        namespace["f"]()
    except Exception:
        pass
    finally:
        sys.settrace(before)
    return [where for name, where in found if name == last_in][-1] if last_in else found[0][1]


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("def g(): len(3)\ndef f(): g()", "g"),
        ("def g(): raise KeyError\ndef f(): g()", "f"),
        ("def g(): raise KeyError('k')\ndef h(): g()\ndef f(): h()", "h"),
        ("def g(): raise KeyError('k')\ndef h():\n raise ValueError(g())\ndef f(): h()", "h"),
        ("def g(): raise KeyError from None\ndef f(): g()", "f"),
        ("def g():\n x = KeyError()\n raise x\ndef f(): g()", "f"),
        ("def g(n): assert n > 3\ndef f(): g(1)", "g"),
        ("def g(n): assert n > 3, f'{n} is small'\ndef f(): g(1)", "g"),
        ("def g(n): raise AssertionError('no')\ndef f(): g(1)", "f"),
        ("def f(): raise KeyError", "f"),
        ("def g():\n raise KeyError\n yield\ndef f():\n for x in g(): pass", "g"),
        ("def h(): raise KeyError\ndef g():\n yield h()\ndef f():\n for x in g(): pass", "g"),
        ("def h(): raise KeyError\ndef f(): return list(h() for x in [1])", "<genexpr>"),
        ("def h(): raise KeyError\ndef f(): return [h() for x in [1]]", "f"),
        ("async def g(): raise KeyError\nasync def m(): await g()\ndef f(): m().send(None)", "g"),
        ("def g(): raise KeyError\nclass A:\n def m(self): g()\ndef f(): A().m()", "m"),
    ],
)
def test_an_explicit_raise_is_presented_at_the_call_that_led_to_it(source: str, where: str) -> None:
    assert _ask(source) == where


def test_frames_that_are_not_protected_are_not_presented() -> None:
    source = "def g(): raise KeyError\ndef h(): g()\ndef f(): h()"
    assert _ask(source, unprotected=("h",)) == "f"


def test_a_generator_that_is_not_protected_is_not_passed_over() -> None:
    source = "def g(): raise KeyError\ndef h():\n yield g()\ndef f():\n for x in h(): pass"
    assert _ask(source, unprotected=("h",)) == "g"


@pytest.mark.parametrize(
    "handler",
    ["raise", "raise e", "raise ValueError('v') from e", "raise ValueError", "raise ValueError from None"],
)
def test_behind_a_raise_in_a_handler_is_what_the_handler_was_entered_for(handler: str) -> None:
    source = f"def g():\n try: len(3)\n except TypeError as e:\n  {handler}\ndef f(): g()"
    assert _ask(source, last_in="g") == "g"


def test_a_raise_in_a_handler_of_an_explicit_raise_is_an_explicit_raise() -> None:
    source = "def g():\n try: raise KeyError\n except KeyError as e:\n  raise ValueError from e\ndef f(): g()"
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    error, levels = _caught(namespace, "g")
    assert failing_point(error, levels[0]) is None


def test_what_was_caught_in_a_loop_that_is_over_is_no_failing_point() -> None:
    source = """
def g():
    for attempt in range(2):
        try: len(3)
        except TypeError as e: last = e
    raise ValueError("gave up") from last
def f(): g()
"""
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    error, levels = _caught(namespace, "g")
    assert failing_point(error, levels[0]) is None


def test_the_failing_point_is_where_the_first_exception_was_raised() -> None:
    source = "def g():\n try: len(3)\n except TypeError as e:\n  raise ValueError('v') from e\ndef f(): g()"
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    error, levels = _caught(namespace, "g")
    point = failing_point(error, levels[0])
    assert point is not None and point[0] is error.__cause__ and point[1] < levels[0].offset


def _caught(namespace: dict[str, Any], name: str) -> tuple[BaseException, list[Any]]:
    from daifu_bc.crash.search import Level

    try:
        namespace["f"]()
    except Exception as error:
        entry = error.__traceback__
        while entry is not None and entry.tb_frame.f_code.co_name != name:
            entry = entry.tb_next
        assert entry is not None
        return error, [Level(entry.tb_frame, entry.tb_frame.f_code, entry.tb_lasti, True, True)]
    raise AssertionError("nothing was raised")


def test_without_a_protected_frame_there_is_no_answer() -> None:
    with pytest.raises(InternalError):
        presented(KeyError(), [])
