"""The worker's side: answers requests in a process of its own, so that what kills it is seen by its parent.

In: lines on standard input, JSON. Out: on file descriptor 1, lines: "@ TEXT" before each run, then JSON: the list of
verdicts. Always true: what programs print does not get into the answers: standard output is moved away first.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

from sweep.verdicts import Verdict

Tell = Callable[[str], None]


def answer_all(answer: Callable[[dict[str, Any], Tell], list[Verdict]]) -> None:
    """Answer requests until the input ends. `answer(request, tell)` says by `tell` which run comes next."""
    warnings.simplefilter("ignore")
    logging.disable()
    sys.unraisablehook = lambda _: None
    threading.excepthook = lambda _: None
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def tell(text: str) -> None:
        print("@", text.replace("\n", " "), file=answers)

    for line in sys.stdin:
        verdicts = answer(json.loads(line), tell)
        print(json.dumps([dataclasses.asdict(verdict) for verdict in verdicts]), file=answers)
