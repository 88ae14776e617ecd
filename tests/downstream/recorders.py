"""Writes down what became of each test, as it happens, for unittest and for pytest.

In: a stream. Out: lines of JSON on it: ["start", id] when a test begins, ["end", id, outcome, detail] when it is over.
Always true: a test that kills the process leaves its "start" without an "end". Outcomes: passed, failed, error,
skipped, xfailed, xpassed; `detail` is the exception's type and text, or the reason of a skip.
"""

from __future__ import annotations

import json
import re
import unittest
from collections.abc import Iterable
from typing import IO, Any


class Stream:
    """The lines. Ids that come twice are numbered."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out
        self.seen: dict[str, int] = {}

    def start(self, name: str) -> None:
        self._write("start", name)

    def end(self, name: str, outcome: str, detail: str = "") -> None:
        name = re.sub("0x[0-9a-f]+", "0x...", name)  # parameters of subtests can have addresses
        count = self.seen[name] = self.seen.get(name, 0) + 1
        self._write("end", name if count == 1 else f"{name} #{count}", outcome, detail[:2000])

    def whole(self, outcome: str, detail: str) -> None:
        """What is said of all of it: skipped, or how it broke."""
        self.end("(the whole)", outcome, detail)

    def left_alone(self, reasons: Iterable[str]) -> None:
        """Code objects that were not protected."""
        self._write("left alone", *reasons)

    def _write(self, *parts: str) -> None:
        self.out.write(json.dumps(parts) + "\n")
        self.out.flush()


class UnittestRecorder(unittest.TestResult):
    """A unittest result that writes to a stream. A failed subtest is an outcome of its own."""

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self.to = stream
        self.bad: set[str] = set()

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        self.to.start(test.id())

    def addSuccess(self, test: Any) -> None:
        if test.id() not in self.bad:
            self.to.end(test.id(), "passed")

    def addFailure(self, test: Any, err: Any) -> None:
        self._bad(test, "failed", err)

    def addError(self, test: Any, err: Any) -> None:
        self._bad(test, "error", err)

    def addSkip(self, test: Any, reason: str) -> None:
        self.to.end(test.id(), "skipped", reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self.to.end(test.id(), "xfailed")

    def addUnexpectedSuccess(self, test: Any) -> None:
        self.to.end(test.id(), "xpassed")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self.bad.add(test.id())
            self._bad(subtest, "failed" if issubclass(err[0], test.failureException) else "error", err)

    def _bad(self, test: Any, outcome: str, err: Any) -> None:
        self.bad.add(test.id())
        self.to.end(test.id(), outcome, in_words(err[1]))


class PytestRecorder:
    """A pytest plugin that writes to a stream."""

    def __init__(self, stream: Stream) -> None:
        self.to = stream

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.to.start(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or not report.passed:
            self.to.end(report.nodeid, outcome_of(report), reason_of(report))

    def pytest_collectreport(self, report: Any) -> None:
        if not report.passed:
            self.to.end(report.nodeid, outcome_of(report), reason_of(report))


def outcome_of(report: Any) -> str:
    """One word for pytest's report."""
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed and getattr(report, "when", "collect") != "call":
        return "error"
    return str(report.outcome)


def reason_of(report: Any) -> str:
    """Why it failed or was skipped."""
    found = report.longrepr
    if report.skipped and isinstance(found, tuple):
        return str(found[2])
    crash = getattr(found, "reprcrash", None)
    return str(crash.message) if crash is not None else str(found or "")[-2000:]


def in_words(error: BaseException) -> str:
    """Type and text, and our notes if there are any."""
    try:
        text = str(error)
    except Exception as other:  # exceptions under test may not even have a text
        text = f"<no text: {type(other).__name__}>"
    notes = getattr(error, "__notes__", None) or ()
    return "\n".join([f"{type(error).__name__}: {text}", *map(str, notes)])
