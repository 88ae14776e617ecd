"""A process that sweeps programs of the corpus.

In: requests {"program": name, "keeps": [...], "modes": [...]}. Out: verdicts, as answering.py writes them.
"""

from __future__ import annotations

import faulthandler
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sweep.answering import answer_all  # noqa: E402  (the path comes first: this file is a script)
from sweep.checks import check  # noqa: E402
from sweep.collect import programs  # noqa: E402


def answer(request, tell):
    """The verdicts on one program."""
    return check(programs()[request["program"]], tell, request["keeps"], request["modes"])


if __name__ == "__main__":
    faulthandler.enable()
    answer_all(answer)
