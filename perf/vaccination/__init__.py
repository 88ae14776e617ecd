"""Source-level vaccination, for comparison only: written anew from its published description (arXiv 2507.01628).

    vaccinated = vaccinate(function, on_crash)

The syntax tree of a function is decomposed into *cells*: the function's body and the body of every loop become
functions of their own, in which a loop only calls the cell of its body, behind a crash barrier. All variables live in
one context dictionary; `break`, `continue` and `return` become values that the caller of a cell interprets. At a crash
the policy may change the context or give new source; then the *unfinished procedure* of the crashed cell is
synthesized: its statements from the failing one on.

What the design cannot do, and this does not try: go on inside a statement (the failing one runs again as a whole),
resume a loop whose header raised (the loop begins anew), generators, coroutines, `nonlocal`, class bodies and `match`.
Always true: no more is done at run time than the design needs: barriers are `try` blocks without cost, names that are
not the function's own are read as ever.
"""

from perf.vaccination.cells import CannotVaccinate
from perf.vaccination.running import Crash, vaccinate

__all__ = ["CannotVaccinate", "Crash", "vaccinate"]
