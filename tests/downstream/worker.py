"""A process that runs suites of somebody else's tests, plain or protected, each in a fork of its own.

In: the command line: the mode, where to import from; then requests, a line of JSON each (outcomes.Server). Out: for
each the exit status of the fork (None: it was ended since its time was over); the outcomes are in the file that the
request names, as lines of JSON (recorders.py), the last of them ["done"].
Always true: the forks begin with what is common imported and, where that is asked for, protected; plain and protected
ones differ in nothing else: same folder, same path, same hash seed. What a test leaves running is ended with its fork.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TESTS = str(Path(__file__).resolve().parent.parent)
sys.path[:1] = [TESTS]  # in place of this script's folder
COMMON = (
    *("unittest", "unittest.mock", "asyncio", "doctest", "inspect", "pdb", "logging", "typing", "dataclasses"),
    *("pickle", "multiprocessing", "concurrent.futures", "subprocess", "tempfile", "shutil", "json", "email"),
    *("test.support.import_helper", "test.support.os_helper", "test.support.script_helper"),
    *("test.support.threading_helper", "test.support.warnings_helper", "test.support.hashlib_helper"),
    "pytest",
)


def main() -> None:
    """Serve until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", action="append", default=[], help="where to import from, besides")
    parser.add_argument("mode")
    options = parser.parse_args()
    sys.path[1:1] = options.path
    sys.argv[1:] = []
    faulthandler.enable()
    _prepare(options.mode)
    _freeze()
    for line in sys.stdin:
        request = json.loads(line)
        began = time.monotonic()
        child = os.fork()
        if not child:
            _serve(options.mode, request)
        status = _wait(child, request["patience"])
        print(json.dumps({"status": status, "seconds": time.monotonic() - began}), flush=True)


def _freeze() -> None:
    """Tests that collect by hand, thousands of times, shall not go through the records of all code."""
    gc.collect()
    gc.freeze()


def _prepare(mode: str) -> None:
    from downstream import protecting

    if mode != "plain":
        import daifu_bc  # noqa: F401  (before everything is protected)

        protecting.protect_everything()
    for name in COMMON:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # not in this Python


def _wait(child: int, patience: float) -> int | None:
    """The exit status of the child, None if it was ended. Its session is ended in any case."""
    ends = os.pidfd_open(child)
    try:
        in_time = bool(select.select([ends], [], [], patience)[0])
    finally:
        os.close(ends)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:  # the child had no time to begin its session, or all are gone
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if in_time else None


def _serve(mode: str, request: dict[str, Any]) -> None:
    """In the fork: run what is asked for and exit, without what would come at the interpreter's end."""
    from downstream.recorders import Stream

    ours = sys.modules.get("daifu_bc")  # now: tests put other modules in the place of all that is imported
    os.setsid()
    os.chdir(request["folder"])
    _redirect(request["output"])
    with open(request["outcomes"], "w", encoding="utf-8", errors="surrogatepass") as out:
        stream = Stream(out)
        runners = {"unittest": run_unittest, "pytest": run_pytest}
        runners[request["runner"]](stream, mode, request["arguments"])
        if ours is not None:
            _tell_skipped(stream, ours.skipped)
        out.write(json.dumps(["done"]) + "\n")
        out.flush()
        os._exit(0)


def _redirect(output: str) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    written = os.open(output, os.O_WRONLY | os.O_CREAT)
    for number, to in ((0, nothing), (1, written), (2, written)):
        os.dup2(to, number)
    sys.stdin = open(0, closefd=False)
    sys.stdout = open(1, "w", closefd=False, errors="backslashreplace")


def run_unittest(stream: Any, mode: str, arguments: list[str]) -> None:
    """Modules by name, without what needs a network, a screen or a long time."""
    import unittest

    from test import support

    from downstream.recorders import UnittestRecorder

    support.use_resources = {}  # type: ignore[attr-defined]
    support.verbose = 0

    def run(name: str) -> None:
        __import__(name)  # unittest would make a test of what this raises
        suite = unittest.defaultTestLoader.loadTestsFromName(name)
        _freeze()
        suite(UnittestRecorder(stream))

    _enter(mode, run, unittest.TestCase._callTestMethod)  # type: ignore[attr-defined]
    for name in arguments:
        _guarded(stream, run, name)


def run_pytest(stream: Any, mode: str, arguments: list[str]) -> None:
    """As `pytest ARGUMENTS`. Assertions are left as written, so that the import hook sees the tests."""
    import pytest
    from _pytest.python import pytest_pyfunc_call

    from downstream.recorders import PytestRecorder

    def run(_: object) -> None:
        fixed = ["--assert=plain", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
        pytest.main([*fixed, *arguments], plugins=[PytestRecorder(stream)])

    _enter(mode, run, pytest_pyfunc_call)
    _guarded(stream, run, arguments)


def _enter(mode: str, run: Callable[..., object], test: Callable[..., object]) -> None:
    from downstream import protecting

    if mode == "below":
        protecting.enter(run, "all")
    elif mode == "asked":
        protecting.enter(test, "nested", protecting.look)


def _guarded(stream: Any, run: Callable[..., object], argument: object) -> None:
    import unittest

    from downstream.recorders import in_words

    try:
        run(argument)
    except unittest.SkipTest as reason:
        stream.whole("skipped", str(reason))
    except BaseException as error:  # whatever a suite does to us is what became of it
        stream.whole("error", in_words(error))


def _tell_skipped(stream: Any, skipped: Callable[[], list[Any]]) -> None:
    stream.left_alone(f"{one.qualname} {one.filename}:{one.lineno}: {one.reason}" for one in skipped())


if __name__ == "__main__":
    main()
