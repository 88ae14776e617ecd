"""Handlers further out: inner and outer protected frames, callers of the root, carriers, `always`."""

from __future__ import annotations

import asyncio
import concurrent.futures
import sys
import threading
from typing import Any

import pytest

from crash.search_harness import Problem, levels_of, run
from daifu_bc.crash.search import handled_by, left_alone

INNER = "def g():\n    boom()\n"


def test_a_handler_in_an_outer_frame_counts() -> None:
    seen = run(INNER + "def f():\n    try: g()\n    except KeyError: pass", KeyError())
    assert seen.handled is not None and seen.escaped is None
    assert (seen.handled.level_index, seen.handled.what) == (1, "except KeyError at train.py:5")


def test_frames_that_are_not_protected_lie_between() -> None:
    source = INNER + "def h():\n    try: g()\n    except OSError: pass\ndef f():\n    h()"
    assert run(source, KeyError(), unprotected=("h",)).handled is None
    assert run(source, OSError(), unprotected=("h",)).handled is not None


def test_what_an_inner_frame_translates_is_looked_for_outside() -> None:
    source = INNER + """
def h():
    try: g()
    except KeyError as e: raise Problem("p") from e
def f():
    try: h()
    except {}: pass
"""
    assert run(source.format("Problem"), KeyError()).handled is not None
    assert run(source.format("KeyError"), KeyError()).handled is None


OUTSIDE = [
    ("a class that matches", "except KeyError: pass", True),
    ("a base class below Exception", "except LookupError: pass", True),
    ("another class", "except OSError: pass", False),
    ("Exception", "except Exception: pass", False),
    ("BaseException", "except BaseException: pass", False),
    ("bare", "except: pass", False),
    ("Exception in a tuple", "except (KeyError, Exception): pass", False),
    ("a tuple of classes", "except (KeyError, OSError): pass", True),
    ("a class that raises again", "except KeyError: raise", False),
    ("Exception before the class", "except Exception: pass\nexcept KeyError: pass", False),
    ("finally with return", "finally: return 1", False),
]


def _named(cases: list[tuple[Any, ...]]) -> list[Any]:
    return [pytest.param(*case[1:], id=case[0]) for case in cases]


@pytest.mark.parametrize(("clauses", "handled"), _named(OUTSIDE))
def test_outside_the_root_only_named_classes_count(clauses: str, handled: bool) -> None:
    caller = "def outside():\n    try: f()\n" + "\n".join("    " + line for line in clauses.splitlines())
    seen = run("def f():\n    boom()\n" + caller, KeyError(), call="outside")
    assert (seen.handled is not None) == handled


def test_behind_a_caller_that_catches_everything_nobody_counts() -> None:
    source = """
def f(): boom()
def launcher():
    try: f()
    except Exception: pass
def outside():
    try: launcher()
    except KeyError: pass
"""
    assert run(source, KeyError(), call="outside").handled is None


OUTSIDE_MANAGERS = [
    ("suppress of the class", "contextlib.suppress(KeyError)", True),
    ("suppress of everything", "contextlib.suppress(Exception)", False),
    ("suppress of another class", "contextlib.suppress(OSError)", False),
    ("a manager that swallows everything", "Quiet()", False),
    ("pytest.raises of the class", "pytest.raises(KeyError)", True),
    ("assertRaises of the class", "case.assertRaises(KeyError)", True),
]


@pytest.mark.parametrize(("manager", "handled"), _named(OUTSIDE_MANAGERS))
def test_outside_the_root_managers_count_that_name_the_class(manager: str, handled: bool) -> None:
    source = f"""
import contextlib, unittest, pytest
case = unittest.TestCase()
class Quiet:
    def __enter__(self): return self
    def __exit__(self, *exc): return True
def f(): boom()
def outside():
    with {manager}: f()
"""
    assert (run(source, KeyError(), call="outside").handled is not None) == handled


def _asked_in(start: Any, root: Any, exception: BaseException) -> list[bool]:
    """Is `exception` handled, asked inside `root()`, which `start` runs."""
    asked: list[bool] = []

    def work() -> None:
        frame: Any = sys._getframe()
        levels = levels_of(frame, root.__code__ if root is not None else work.__code__, lambda frame: True)
        asked.append(handled_by(exception, levels) is not None)

    start(work)
    return asked


def test_executors_threads_and_pools_are_no_handlers() -> None:
    def executor(work: Any) -> None:
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(work).result()

    def thread(work: Any) -> None:
        one = threading.Thread(target=work, daemon=True)
        one.start()
        one.join()

    for start in (executor, thread):
        assert _asked_in(start, None, KeyError()) == [False]


def test_asyncio_s_loop_is_no_handler_even_inside_the_root() -> None:
    asked = []

    async def main(work: Any) -> None:
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        loop.call_soon(lambda: (work(), done.set_result(None)))
        await done

    def root(work: Any) -> None:
        asyncio.run(main(work))

    asked += _asked_in(root, root, KeyError())
    assert asked == [False]


def test_a_handler_around_the_loop_counts() -> None:
    source = """
import asyncio
async def main(): boom()
def f():
    try: asyncio.run(main())
    except KeyError: pass
"""
    seen = run(source, KeyError())
    assert seen.handled is not None and seen.escaped is None


def test_what_is_always_a_crash_is_never_handled() -> None:
    source = "def f():\n    try: boom()\n    except KeyError: pass"
    assert run(source, KeyError(), always=(OSError, KeyError)).handled is None
    assert run(source, KeyError(), always=lambda error: isinstance(error, KeyError)).handled is None
    assert run(source, KeyError(), always=(OSError,)).handled is not None
    assert left_alone(KeyboardInterrupt(), [], (KeyboardInterrupt,)) is None


def test_a_table_is_made_once_and_asked_quickly() -> None:
    from daifu_bc.crash.handlers import table_of

    seen = run("def f():\n    try: boom()\n    except KeyError: pass", Problem())
    level = seen.levels[0]
    assert table_of(level.code) is table_of(level.code)
    assert table_of(level.code).chain(level.offset) is table_of(level.code).chain(level.offset)
