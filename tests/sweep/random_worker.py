"""A process that runs random programs.

In: requests {"source": text, "keep": ..., "seed": number, "ends": ...}. Out: verdicts, as answering.py writes them.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sweep.answering import answer_all  # noqa: E402  (the path comes first: this file is a script)
from sweep.random_check import check  # noqa: E402
from sweep.verdicts import Verdict  # noqa: E402


def answer(request, tell):
    """The verdicts on one program; a fault of the check itself is one."""
    try:
        return check(request["source"], request["keep"], request["seed"], tell, request["ends"])
    except Exception:
        return [Verdict("random", request["keep"], "-", "", "internal", traceback.format_exc()[-1500:])]


if __name__ == "__main__":
    answer_all(answer)
