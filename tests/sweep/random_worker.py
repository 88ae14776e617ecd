"""A process that runs random programs, so that what kills it is seen by its parent.

In: lines on standard input, JSON: {"source": text, "keep": ..., "seed": number}.
Out: on file descriptor 1, lines: "@ TEXT" before each run, then JSON: the list of verdicts.
Always true: what programs print does not get into the answers: standard output is moved away first.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import sys
import threading
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    """Answer requests until the input ends."""
    from sweep.random_check import check
    from sweep.verdicts import Verdict

    warnings.simplefilter("ignore")
    logging.disable()
    sys.unraisablehook = lambda _: None
    threading.excepthook = lambda _: None
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            verdicts = check(
                request["source"],
                request["keep"],
                request["seed"],
                lambda text: print("@", text.replace("\n", " "), file=answers),
                request["ends"],
            )
        except Exception:
            text = traceback.format_exc()[-1500:]
            verdicts = [Verdict("random", request["keep"], "-", "", "internal", text)]
        print(json.dumps([dataclasses.asdict(verdict) for verdict in verdicts]), file=answers)


if __name__ == "__main__":
    main()
