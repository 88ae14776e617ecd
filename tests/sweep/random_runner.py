"""Random programs, run by a worker (random_worker.py).

In: a drawn program. Out: its verdicts; a worker that dies or hangs gives one of status "killed" or "stuck",
with the run that it was at. Always true: `close` ends the worker that is alive.
"""

from __future__ import annotations

from sweep.asking import Asking, Lost
from sweep.random_programs import Drawn
from sweep.verdicts import Verdict

PATIENCE = 30.0
ALLOWED = ("exact", "whole", "refused")


def is_fault(verdict: Verdict) -> bool:
    """Whether this verdict is one that no program may have. A refusal gives its reason and loses nothing."""
    return verdict.status not in ALLOWED


class Runner:
    """One worker at a time."""

    def __init__(self) -> None:
        self._worker = Asking("random_worker.py", PATIENCE)
        self.close = self._worker.close

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, drawn: Drawn, ends: bool = False) -> list[Verdict]:
        """All verdicts on one program. `ends`: none if its clean run fails by itself."""
        request = {"source": drawn.source, "keep": drawn.keep, "seed": drawn.seed, "ends": ends}
        answer = self._worker.ask(request)
        if isinstance(answer, Lost):
            return [Verdict("random", drawn.keep, "-", answer.last, answer.status, answer.detail)]
        return answer
