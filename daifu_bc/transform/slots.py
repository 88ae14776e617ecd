"""The local slots and constants of a protected code object: the original's, and what is added to them.

In: the original, how many hidden locals it needs. Out: `Slots`.
Always true: the original's locals keep their numbers; hidden locals come next, those of kept results first; cells
and free variables come last, as the interpreter wants them, and move up.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Final

# Constants behind those of the original: 0, None, then the numbers of contexts 0, 1, 2... and what registry.py says.
ZERO: Final = 0
NONE: Final = 1
NUMBERS: Final = 2
# Names behind those of the original's and of the runtime's: what makes iterators.
BUILTINS: Final = 4
ITER: Final = 5


@dataclass(frozen=True, slots=True)
class Slots:
    """Numbers of local slots in the new code."""

    code: CodeType  # the original
    kept: int  # how many hidden locals for kept results
    staged: bool  # one more, where barriers put slots of the value stack that may be NULL

    @property
    def hidden(self) -> int:
        """How many slots were put in."""
        return self.kept + self.staged

    def new(self, number: int) -> int:
        """Slot number in the original -> in the new code."""
        return number if number < self.code.co_nlocals else number + self.hidden

    def of_kept(self, number: int) -> int:
        """The slot of a hidden local for kept results."""
        return self.code.co_nlocals + number

    @property
    def all_kept(self) -> list[int]:
        """The slots of all hidden locals for kept results."""
        return [self.of_kept(number) for number in range(self.kept)]

    @property
    def staging(self) -> int:
        """The slot where barriers put what may be NULL, or -1."""
        return self.of_kept(self.kept) if self.staged else -1

    @property
    def by_value(self) -> list[int]:
        """Slots that hold plain values: locals that are no cells, and kept results."""
        code = self.code
        return [n for n, name in enumerate(code.co_varnames) if name not in code.co_cellvars] + self.all_kept

    @property
    def cells(self) -> list[int]:
        """Slots that hold cells: cell variables (those that have a local's slot first), then free variables."""
        code = self.code
        in_locals = [n for n, name in enumerate(code.co_varnames) if name in code.co_cellvars]
        others = sum(name not in code.co_varnames for name in code.co_cellvars) + len(code.co_freevars)
        first = code.co_nlocals + self.hidden
        return [*in_locals, *range(first, first + others)]

    def constant(self, which: int) -> int:
        """Index of an added constant."""
        return len(self.code.co_consts) + which

    def name(self, which: int) -> int:
        """Index of an added name."""
        return len(self.code.co_names) + which
