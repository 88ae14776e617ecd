"""From a handler's first instruction along every path to where the exception ends: a graph of decisions.

What we want: would this handler swallow that exception, for any exception, without running anything.
What does not work: reading the source (there may be none) or matching the shapes that compilers emit (they
differ from Python to Python). What we do: run the handler's instructions on symbols, following a raise to the
next handler of the same code object; a decision that depends on the exception becomes a node, any other
decision of the program a fork.

In: a Reader and an exception-table row (or the start of a function). Out: the graph's first Node.
Always true: calls are taken to succeed; what they return is unknown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from daifu_bc.crash.handlers_branches import BRANCHES
from daifu_bc.crash.handlers_nodes import Fork, Leave, Node, Return, Swallow, straighten
from daifu_bc.crash.handlers_reading import Reader
from daifu_bc.crash.handlers_state import Handling, Names, State, first
from daifu_bc.crash.handlers_steps import STEPS, plain
from daifu_bc.crash.handlers_symbols import INCOMING, Argument, Name, Symbol
from daifu_bc.interpreter.tables import Row

_UNBINDS_THE_NAME: Final = frozenset({
    "LOAD_CONST", "LOAD_COMMON_CONSTANT", "STORE_FAST", "STORE_DEREF", "STORE_NAME", "STORE_GLOBAL", "DELETE_FAST",
    "DELETE_DEREF", "DELETE_NAME", "DELETE_GLOBAL",
})  # fmt: skip
Key = tuple[int, tuple[Symbol | None, ...], tuple[Handling, ...]]
_MOST_STATES: Final = 2000  # beyond that nothing is foreseen: in doubt the exception is handled


class Paths:
    """Follows the paths of one handler, or of one function from its start."""

    def __init__(self, reader: Reader, in_function: bool) -> None:
        self.reader = reader
        self.in_function = in_function
        self.raising: set[int] = set()
        self._forks: dict[Key, Fork] = {}
        self._names: dict[Key, Names] = {}
        self._waiting: list[Key] = []

    def run(self, start: State) -> Node:
        """The graph from `start` on."""
        root = self.later(start)
        while self._waiting:
            key = self._waiting.pop()
            self._forks[key].ways[:] = [self._follow(State(*key, self._names[key]))]
        return straighten(root)

    def later(self, state: State) -> Node:
        """The node that stands for all that follows `state`. Where paths meet, names are joined."""
        key = (state.offset, state.stack, state.handling)
        known = self._forks.get(key)
        if known is None:
            if len(self._forks) >= _MOST_STATES:
                return Swallow("too long a handler", None, state.offset)
            known = self._forks[key] = Fork()
            joined = state.names
        else:
            joined = _joined(self._names[key], state.names)
            if joined == self._names[key]:
                return known
        self._names[key] = joined
        self._waiting.append(key)
        return known

    def raised(self, state: State, exception: Symbol | None) -> Node:
        """`exception` is raised at the instruction that `state` is at."""
        self.raising.add(state.offset)
        row = self.reader.row_at(state.offset)
        return Leave(exception) if row is None else self.later(_entered(self.reader, state, row, exception))

    def returned(self, state: State, value: Symbol | None) -> Node:
        """The code object returns `value`; where an exception was on its way, it ends here."""
        return Return(value) if self.in_function else Swallow("finally", None, state.offset)

    def _follow(self, state: State) -> Node:
        while True:
            step = self.reader.at(state.offset)
            branch = BRANCHES.get(step.name)
            if branch is None:
                state = STEPS.get(step.name, plain)(self.reader, state, step)
                continue
            after = branch(self, state, step)
            if not isinstance(after, State):
                return after
            state = after


def _joined(one: Names, other: Names) -> Names:
    """Names after two paths met: what differs is unknown."""
    if one == other:
        return one
    mine, theirs = dict(one), dict(other)
    missing = Name("", "")  # not stored on this path
    same = {
        name: value if mine.get(name, missing) == theirs.get(name, missing) else None
        for name, value in (mine | theirs).items()
    }
    return tuple(sorted(same.items(), key=first))


def _entered(reader: Reader, state: State, row: Row, exception: Symbol | None) -> State:
    """The state at the start of the handler that `row` leads to."""
    _start, _end, target, depth, lasti = row
    if not state.handling and _goes_on_to_clauses(reader, 2 * target):
        state = replace(state, handling=(Handling(None, "except*", None, 2 * target),))
    missing: tuple[None, ...] = (None,) * (depth - len(state.stack))
    pushed: tuple[None, ...] = (None,) if lasti else ()
    return state.to(2 * target, (*state.stack[:depth], *missing, *pushed, exception))


def _goes_on_to_clauses(reader: Reader, offset: int) -> bool:
    """Does the handler of an `except*` clause begin here? It notes the exception and goes on to the clauses behind.

    That is within the handler of the group, which was entered before the exception came up: what those clauses raise
    and handle themselves is not the end of it.
    """
    step = reader.at(offset)
    while step.name in _UNBINDS_THE_NAME:
        step = reader.at(step.end)
    return step.name == "LIST_APPEND"


def handler_graph(reader: Reader, row: Row) -> tuple[Node, frozenset[int]]:
    """What becomes of an exception under `row`; the offsets at which its handlers raise."""
    paths = Paths(reader, in_function=False)
    return paths.run(_entered(reader, State(0, ()), row, INCOMING)), frozenset(paths.raising)


def function_graph(reader: Reader, is_exit: bool) -> Node:
    """What a function returns. `is_exit`: arguments 1 to 3 are an exception's type, value and traceback."""
    code = reader.code
    count = min(code.co_argcount, 4) if is_exit else 0
    names = tuple(sorted((code.co_varnames[index], Argument(index)) for index in range(count)))
    return Paths(reader, in_function=True).run(State(0, (), (), names))
