"""Whether a case went as its case.toml says.

In: a case. Out: a `Verdict` of its three runs. Always true: `wrong` is empty exactly when all is as stated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import zip_longest

from case import Case
from running import Ran, run

ALWAYS = {"files", "random"}  # compared in every case


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one case."""

    case: Case
    plain: Ran
    clean: Ran
    mended: Ran | None  # None: it waits for something
    wrong: list[str] = field(default_factory=list)

    @property
    def recovered(self) -> bool:
        return self.mended is not None and not self.mended.exception

    @property
    def different(self) -> list[str]:
        """Parts of the mended run that are not the clean run's, to the last bit."""
        return differences(self.mended, self.clean) if self.mended else []


    @property
    def largest_difference(self) -> float:
        """Of two numbers that are not the same in both runs, relative to the larger of them."""
        assert self.mended is not None
        both = [(self.mended.numbers.get(name, []), self.clean.numbers.get(name, [])) for name in self.different]
        pairs = [pair for one, other in both for pair in zip_longest(one, other, fillvalue=math.inf)]
        return max((_relative(one, other) for one, other in pairs), default=0.0)


def _relative(one: float, other: float) -> float:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    larger = max(abs(one), abs(other))
    return abs(one - other) / larger if math.isfinite(one) and math.isfinite(other) else math.inf


def differences(one: Ran, other: Ran) -> list[str]:
    """The parts that differ, or that only one of the runs has."""
    names = {**one.digests, **other.digests}
    return [name for name in names if one.digests.get(name) != other.digests.get(name)]


def judge(case: Case) -> Verdict:
    """Run it three times: plain, clean, mended."""
    plain, clean = run(case, "plain"), run(case, "clean")
    mended = None if case.waits_for else run(case, "protected")
    verdict = Verdict(case, plain, clean, mended)
    verdict.wrong.extend(_wrong(verdict))
    return verdict


def _wrong(verdict: Verdict) -> list[str]:
    case, plain, mended = verdict.case, verdict.plain, verdict.mended
    wrong = []
    if (plain.exception, plain.place) != (case.exception, case.place):
        wrong.append(f"plain: {plain.exception or 'no exception'} at {plain.place}\n{plain.trace}")
    if verdict.clean.exception:
        wrong.append(f"clean: {verdict.clean.exception} at {verdict.clean.place}\n{verdict.clean.trace}")
    elif set(verdict.clean.digests) != {*case.compared, *ALWAYS}:
        wrong.append(f"compared is {', '.join(verdict.clean.digests)}")
    if mended is not None:
        wrong += _wrong_in_mended(verdict, mended)
    return wrong


def _wrong_in_mended(verdict: Verdict, mended: Ran) -> list[str]:
    if mended.exception:
        return [f"mended: {mended.exception} at {mended.place} after {mended.restarts}\n{mended.trace}"]
    wrong = []
    if tuple(mended.restarts) != verdict.case.restarts:
        wrong.append(f"mended by {mended.restarts}")
    if set(verdict.different) != set(verdict.case.differs):
        wrong.append(f"differs in {', '.join(verdict.different) or 'nothing'}")
    elif not verdict.largest_difference <= verdict.case.at_most:
        wrong.append(f"differs by {verdict.largest_difference:.2g}")
    return wrong
