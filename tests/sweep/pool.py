"""Programs of the corpus, swept by a worker (worker.py).

In: program names. Out: verdicts; a worker that dies or hangs gives one of status "killed" or "stuck", with
the run that it was at. Always true: `close` ends the worker that is alive.
"""

from __future__ import annotations

from collections.abc import Sequence

from sweep.asking import Asking, Lost
from sweep.checks import KEEPS, MODES
from sweep.verdicts import Verdict

PATIENCE = 60.0


class Pool:
    """One worker at a time. `isolate`: a new one for each program."""

    def __init__(self, isolate: bool = False, patience: float = PATIENCE) -> None:
        self.isolate = isolate
        self._worker = Asking("worker.py", patience)
        self.close = self._worker.close

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def sweep(
        self, program: str, keeps: Sequence[str] = KEEPS, modes: Sequence[str] = MODES
    ) -> list[Verdict]:
        """All verdicts on one program, by (keep, mode) so that a death costs no more than one of these."""
        verdicts = self._ask(program, keeps, modes)
        if verdicts and verdicts[-1].status in ("killed", "stuck") and (len(keeps) > 1 or len(modes) > 1):
            verdicts = [
                verdict for keep in keeps for mode in modes for verdict in self._ask(program, [keep], [mode])
            ]
        if self.isolate:
            self.close()
        return verdicts

    def _ask(self, program: str, keeps: Sequence[str], modes: Sequence[str]) -> list[Verdict]:
        answer = self._worker.ask({"program": program, "keeps": keeps, "modes": modes})
        if isinstance(answer, Lost):
            one = len(keeps) == len(modes) == 1
            keep, mode = (keeps[0], modes[0]) if one else ("-", "-")
            return [Verdict(program, keep, mode, answer.last, answer.status, answer.detail)]
        return answer
