"""Instructions where a path through a handler parts, ends, or enters and leaves a handler.

In: what follows the paths (`Walker`), the path's State and its instruction. Out: the next State, or a Node.
Always true: a path ends by swallowing the exception where the last handler that was entered for it is left
(POP_EXCEPT) and it is not raised again right behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from daifu_bc.crash.handlers_nodes import Empty, Fork, If, Manage, Match, Node, Quits, Swallow
from daifu_bc.crash.handlers_operands import with_of
from daifu_bc.crash.handlers_reading import Instruction, Reader
from daifu_bc.crash.handlers_state import Handling, State
from daifu_bc.crash.handlers_steps import call, called, never_none
from daifu_bc.crash.handlers_symbols import (
    EXCEPTIONS,
    NOTHING,
    Compared,
    Constant,
    Matched,
    Negated,
    Raised,
    Regrouped,
    Rest,
    Symbol,
    Test,
    TupleOf,
    WithResult,
    can_be_told,
    constant,
    last_name,
)  # fmt: skip


class Walker(Protocol):
    """What handlers_paths.Paths offers to the instructions."""

    reader: Reader
    in_function: bool

    def later(self, state: State) -> Node:
        """The node of all that follows `state`."""

    def raised(self, state: State, exception: Symbol | None) -> Node:
        """The node of `exception`, raised at the instruction that `state` is at."""

    def returned(self, state: State, value: Symbol | None) -> Node:
        """The node of a return."""


Branch = Callable[[Walker, State, Instruction], State | Node]
_QUITS: Final = frozenset({"exit", "quit", "_exit", "abort"})


def _call(walker: Walker, state: State, step: Instruction) -> State | Node:
    callee, _arguments = called(state, step)
    after = call(walker.reader, state, step)
    if callee is None or last_name(callee) not in _QUITS:
        return after
    return Quits(callee, walker.raised(state, Raised(constant(SystemExit))), walker.later(after))


def _push_exc_info(walker: Walker, state: State, step: Instruction) -> State:
    exception = state.top()
    kind = "bare" if walker.reader.at(step.end).name == "POP_TOP" else "finally"
    state = replace(state, handling=(*state.handling, Handling(exception, kind, None, step.end)))
    return state.drop(1).push(None, exception).to(step.end)


def _pop_except(walker: Walker, state: State, step: Instruction) -> State | Node:
    handled = state.handling[-1] if state.handling else None
    state = replace(state.drop(1).to(step.end), handling=state.handling[:-1])
    if walker.in_function or state.handling or walker.reader.raises_again(step):
        return state
    if handled is None:
        return Swallow("finally", None, step.offset)
    return Swallow(handled.kind, handled.types, handled.offset)


def _check_match(_walker: Walker, state: State, step: Instruction) -> State:
    return state.drop(1).push(Test(state.top(1), state.top())).to(step.end)


def _check_group(_walker: Walker, state: State, step: Instruction) -> State:
    types, exception = state.top(), state.top(1)
    if state.handling:
        last = state.handling[-1]
        known = last.types.items if isinstance(last.types, TupleOf) and last.kind == "except*" else ()
        caught = last.types if types in known else TupleOf((*known, types))
        state = replace(state, handling=(*state.handling[:-1], replace(last, kind="except*", types=caught)))
    return state.drop(2).push(Rest(exception, types), Matched(exception, types)).to(step.end)


def _jump(walker: Walker, state: State, step: Instruction) -> Node:
    return walker.later(state.to(step.target))


def _loop(walker: Walker, state: State, step: Instruction) -> Node:
    iterating = state.push(None)
    return Fork([walker.later(iterating.to(step.end)), walker.later(iterating.to(step.target))])


def _jump_on_truth(walker: Walker, state: State, step: Instruction) -> State | Node:
    tested, jumps_if = state.top(), step.name == "POP_JUMP_IF_TRUE"
    state = state.drop(1)
    while isinstance(tested, Negated):
        tested, jumps_if = tested.inner, not jumps_if
    known = _truth(tested)
    if known is not None:
        return state.to(step.target if known == jumps_if else step.end)
    on_true, on_false = (step.target, step.end) if jumps_if else (step.end, step.target)
    yes = _assuming(state, tested, True).to(on_true)
    no = _assuming(state, tested, False).to(on_false)
    if isinstance(tested, Test):
        caught = walker.later(_caught(yes, tested))
        return Match(tested.exception, tested.types, caught, walker.later(no), tested.exact)
    if isinstance(tested, WithResult):
        site = with_of(walker.reader, tested.site)
        return Manage(site, tested.exception, Swallow("with", site.expression, site.offset), walker.later(no))
    return _decide(walker, tested, walker.later(yes), walker.later(no))


def _decide(walker: Walker, condition: Symbol | None, yes: Node, no: Node) -> Node:
    told = condition is not None and can_be_told(condition, walker.reader.code)
    return If(condition, yes, no) if condition is not None and told else Fork([yes, no])


def _jump_on_none(walker: Walker, state: State, step: Instruction) -> State | Node:
    tested, jumps_if = state.top(), step.name == "POP_JUMP_IF_NONE"
    state = state.drop(1)
    if tested == NOTHING or never_none(tested):
        return state.to(step.target if (tested == NOTHING) == jumps_if else step.end)
    on_none, on_some = (step.target, step.end) if jumps_if else (step.end, step.target)
    none, some = walker.later(state.to(on_none)), walker.later(_handling(state.to(on_some), tested))
    if isinstance(tested, Matched | Rest | Regrouped):
        return Empty(tested, none, some)
    return _decide(walker, Compared("is", tested, NOTHING), none, some)


def _handling(state: State, taken: Symbol | None) -> State:
    """`state` in the `except*` clause that takes `taken`: that is what a bare `raise` there raises."""
    if not isinstance(taken, Matched) or not state.handling:
        return state
    return replace(state, handling=(*state.handling[:-1], replace(state.handling[-1], exception=taken)))


def _raise(walker: Walker, state: State, step: Instruction) -> Node:
    if step.arg == 0:
        return walker.raised(state, state.handling[-1].exception if state.handling else Raised(None))
    value = state.top(step.arg - 1)
    return walker.raised(state, value if isinstance(value, EXCEPTIONS) else Raised(value))


def _reraise(walker: Walker, state: State, _step: Instruction) -> Node:
    return walker.raised(state.drop(1), state.top())


def _over(kind: type[BaseException], what: str) -> Branch:
    """The compiler's handler of an exception that only says that something is over."""

    def branch(walker: Walker, state: State, step: Instruction) -> Node:
        exception = state.top()
        swallowed = Swallow(what, constant(kind), step.offset)
        return Match(exception, constant(kind), swallowed, walker.raised(state, exception))

    return branch


def _return(walker: Walker, state: State, step: Instruction) -> Node:
    constants = walker.reader.loaded(step)
    return walker.returned(state, constants[0] if constants else state.top())


def _truth(symbol: Symbol | None) -> bool | None:
    if isinstance(symbol, Constant):
        return bool(symbol.value)
    return True if never_none(symbol) else None


def _assuming(state: State, tested: Symbol | None, truth: bool) -> State:
    """`state` where `tested` is known to be true or false: `a and b` gives back what was tested."""
    if tested is None or tested not in state.stack:
        return state
    known = constant(truth)
    return state.to(state.offset, tuple(known if slot == tested else slot for slot in state.stack))


def _caught(state: State, test: Test) -> State:
    """`state` in the clause that `test` let the exception into."""
    if not state.handling or state.handling[-1].exception != test.exception:
        return state
    last = replace(state.handling[-1], kind="except", types=test.types)
    return replace(state, handling=(*state.handling[:-1], last))


BRANCHES: Final[dict[str, Branch]] = {
    **dict.fromkeys(("CALL", "CALL_KW", "CALL_FUNCTION_EX"), _call),
    **dict.fromkeys(("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"), _jump),
    **dict.fromkeys(("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"), _jump_on_truth),
    **dict.fromkeys(("POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"), _jump_on_none),
    **dict.fromkeys(("RETURN_VALUE", "RETURN_CONST"), _return),
    "PUSH_EXC_INFO": _push_exc_info,
    "POP_EXCEPT": _pop_except,
    "CHECK_EXC_MATCH": _check_match,
    "CHECK_EG_MATCH": _check_group,
    "FOR_ITER": _loop,
    "RAISE_VARARGS": _raise,
    "RERAISE": _reraise,
    "CLEANUP_THROW": _over(StopIteration, "await"),
    "END_ASYNC_FOR": _over(StopAsyncIteration, "async for"),
}
