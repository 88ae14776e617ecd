"""A process that sweeps programs on request, so that what kills it is seen by its parent.

In: lines on standard input, JSON: {"program": name, "keeps": [...], "modes": [...]}.
Out: on file descriptor 1, lines: "@ TEXT" before each run, then JSON with the list of verdicts.
Always true: what programs print does not get into the answers: standard output is moved away first.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import logging
import os
import sys
import threading
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    """Answer requests until the input ends."""
    from sweep.checks import check
    from sweep.collect import programs

    faulthandler.enable()
    warnings.simplefilter("ignore")
    logging.disable()
    sys.unraisablehook = lambda _: None
    threading.excepthook = lambda _: None
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        verdicts = check(
            programs()[request["program"]],
            lambda text: print("@", text, file=answers),
            request["keeps"],
            request["modes"],
        )
        print(json.dumps([dataclasses.asdict(verdict) for verdict in verdicts]), file=answers)


if __name__ == "__main__":
    main()
