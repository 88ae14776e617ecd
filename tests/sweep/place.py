"""Where workers find daifu_bc: the same one as their parent, or one clear error before any of them is started.

In: the parent's own import. Out: the environment of its workers.
Always true: a worker and its parent import the same daifu_bc.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

HOW = "install it there (`pip install .`), or run this from a checkout: PYTHONPATH=. python tests/sweep/report.py"


@functools.cache
def package() -> Path:
    """The folder that daifu_bc is imported from. Ends the program if it cannot be."""
    try:
        import daifu_bc
    except ImportError as error:
        sys.exit(f"daifu_bc cannot be imported by {sys.executable} ({error}): {HOW}")
    return Path(daifu_bc.__file__).resolve().parent.parent


def environment() -> dict[str, str]:
    """For processes that import what this one does."""
    paths = [str(package()), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {"DAIFU_BC_WAIT": "0", **os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
