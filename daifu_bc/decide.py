"""Who decides at a crash: policies from the presented frame outwards, the default policy, the console, else abort.

In: the living protected frames, the one that is presented. Out: the crash and a restart that is possible.
Always true: an exception in a policy, or a restart that cannot be, is added to the crash's exception as a note and
the next decider is asked; one point is tried a bounded number of times.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from inspect import CO_COROUTINE, CO_GENERATOR
from types import CodeType
from typing import Any

from daifu_bc.crash.crash import Crash, Rules
from daifu_bc.crash.state import FrameState
from daifu_bc.errors import CannotResume, Paused
from daifu_bc.interpreter.opcodes import FOR_ITER, SEND
from daifu_bc.operation import bring_along, plan, preview
from daifu_bc.restarts import attempts
from daifu_bc.restarts.attempts import count_attempt as _count_attempt
from daifu_bc.restarts.restarts import (
    Abort,
    At,
    Jump,
    NextIteration,
    Redo,
    Restart,
    Retry,
    Stop,
    Surgery,
    Use,
    word_of,
)
from daifu_bc.resume import check
from daifu_bc.resume import plan as plans
from daifu_bc.resume.iterators import loop_state
from daifu_bc.surgery.diff import Preview
from daifu_bc.transform import Settings, protect_code

Decider = Callable[..., Any]
_default: Decider | None = None
_console: Decider | None = None  # handed in from above


def set_default_policy(policy: Decider | None) -> Decider | None:
    """Ask `policy` where no protected frame has one. Returns the one before."""
    global _default
    before, _default = _default, policy
    return before


def set_console(console: Decider | None) -> None:
    """Ask `console` last: it returns None where there is no terminal."""
    global _console
    _console = console


def console() -> Decider | None:
    """Who is asked last."""
    return _console


def decide(states: list[FrameState], presented: int, asked_before: bool) -> tuple[Crash, Restart | None]:
    """The crash, and what to do; Abort if somebody says so, None if nobody decides.

    asked_before: nobody decided about this exception further in.
    """
    exception = states[presented].exception
    attempt = 1 if isinstance(exception, Paused) else _count_attempt(states, presented, asked_before)
    crash = Crash(states, presented, attempt, _rules(states))
    if isinstance(exception, Paused) and isinstance(exception.restart, Restart):
        return crash, exception.restart
    most = most_attempts()
    if attempt > most:
        _note(crash, f"gave up after {most} attempts at this point (DAIFU_BC_MAX_ATTEMPTS)")
        return crash, None
    for decider in _deciders(states[presented:]):
        restart = _ask(decider, crash, states, presented)
        if restart is not None:
            return crash, restart
    return crash, None


def most_attempts() -> int:
    """How often in a row one point may crash before the run is given up."""
    try:
        return int(os.environ.get("DAIFU_BC_MAX_ATTEMPTS", "100"))
    except ValueError:
        return 100


def count_on(
    state: FrameState, outer: list[FrameState], restart: Restart, chosen: plans.Plan, held: dict[str, object]
) -> Callable[[], None] | None:
    """Will it be another attempt if the point crashes again? Returns what to call when the instruction is done.

    held: what the frame will hold; outer: the frames around it.
    """
    back = isinstance(restart, Jump) and restart.lineno <= (state.lineno or 0)
    if not back and not isinstance(restart, (Retry, Redo)):
        attempts.go_on_behind(outer, held, chosen.returns)
        return None
    for name in state.points.stored_since(chosen.target):  # what is only made again is no progress
        held.pop(name, None)
    done = attempts.go_on(len(outer) + 1, held)
    if not check.runs_in_prologue(chosen, state.protection):
        return None
    attempts.told_when_done()
    return done


def _deciders(outwards: list[FrameState]) -> Iterator[Decider]:
    for state in outwards:
        if state.entry is not None and state.entry.on_crash is not None:
            yield state.entry.on_crash
            break
    if _default is not None:
        yield _default
    if _console is not None:
        yield _console


def _ask(decider: Decider, crash: Crash, states: list[FrameState], presented: int) -> Restart | None:
    try:
        restart = decider(crash)
        refusal = _why_not(crash, restart, states, presented)
        while refusal is not None and decider is _console:  # who sits there decides again
            restart = decider(crash, first=refusal)
            refusal = _why_not(crash, restart, states, presented)
    except (KeyboardInterrupt, SystemExit) as error:  # nobody else is asked: the run was told to stop
        return _stop(crash, error)
    except BaseException as error:  # a policy's own failure must not take the place of the user's exception
        _note(crash, f"the policy {decider!r} failed:\n{''.join(traceback.format_exception(error))}")
        return None
    if restart is None:
        return None
    if not isinstance(restart, Restart):
        _note(crash, f"the policy {decider!r} returned {restart!r}, which is no restart")
        return None
    if refusal is not None:
        _note(crash, refusal)
        return None
    return restart


def _why_not(crash: Crash, restart: object, states: list[FrameState], number: int) -> str | None:
    """Why this cannot be; None once everything that comes with it is done."""
    if not isinstance(restart, Restart) or isinstance(restart, Abort):
        return None
    refusal = crash.can(restart)
    while isinstance(restart, At):
        number, restart = number_of(restart.frame), restart.restart
    if refusal is None and isinstance(restart, Surgery):
        try:
            bring_along(states[number], restart)
        except CannotResume as reason:
            return str(reason)
    return refusal


def _stop(crash: Crash, error: BaseException) -> Stop:
    """`error` goes out in place of the crash's exception, which it came up in; we are not in its traceback."""
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next
    first, seen = error, {id(error)}
    while first.__context__ is not None and id(first.__context__) not in seen:
        first = first.__context__
        seen.add(id(first))
    if id(crash.exception) not in seen:
        first.__context__ = crash.exception
    return Stop(error)


def _note(crash: Crash, text: str) -> None:
    if crash.exception is None:
        return
    try:
        crash.exception.add_note(f"daifu_bc: {text}")
    except Exception:  # an exception class that refuses notes
        return


def _refusal(states: list[FrameState], number: int, restart: Any) -> str | None:
    """Why `restart` is not possible in frame `number`, or None."""
    while isinstance(restart, At):
        number, restart = number_of(restart.frame), restart.restart
        if not 0 <= number < len(states):
            return f"At: an index into crash.frames, from 0 to {len(states) - 1}, is wanted"
    if isinstance(restart, Abort):
        return None
    lost = _deleted_elsewhere(states, number)
    if lost is not None:
        return lost
    left = _finished_by_leaving(states, number, restart)
    if left is not None:
        return left
    try:
        plan(states[number], restart)
    except CannotResume as reason:
        return str(reason)
    return None


def _preview(states: list[FrameState], number: int, restart: Any) -> Preview:
    while isinstance(restart, At):
        number, restart = number_of(restart.frame), restart.restart
    if not isinstance(restart, Surgery):
        raise TypeError(f"a surgery can be previewed, not {restart!r}")
    return preview(states[number], restart)


def number_of(frame: object) -> int:
    """Index into `crash.frames` of what At was given: an index, or one of those frames."""
    number = getattr(frame, "_number", frame)
    return number if isinstance(number, int) else -1


def _finished_by_leaving(states: list[FrameState], number: int, restart: Restart) -> str | None:
    """What waits for a generator or coroutine that the crash is in: leaving that finishes it."""
    state = states[number]
    op = state.protection.flow.instructions.ops[state.index]
    inside = _flags_inside(states, number)
    if op == FOR_ITER and inside & CO_GENERATOR:
        again = isinstance(restart, (Use, Retry)) or restart == NextIteration()
        if again and (state.iterator_slots() or [-1])[-1] not in state.new_iterators:
            return (
                f"{word_of(restart)}: the generator that this loop asks is still running; leaving it would finish it, "
                "and the loop would end in silence: restart inside it (the innermost frame), or go on elsewhere with "
                "skip, jump or return"
            )
    if op == SEND and inside & (CO_GENERATOR | CO_COROUTINE) and isinstance(restart, Retry):
        return (
            f"{word_of(restart)}: what this waits for is still running; leaving it would finish it, and it cannot be "
            "asked again: restart inside it (the innermost frame), or supply its result with use VALUE; redo makes it "
            "anew"
        )
    return None


def _flags_inside(states: list[FrameState], number: int) -> int:
    """What kinds of frames (flags of their code) are left when the run goes on in frame `number`."""
    flags = 0
    frame = states[0].frame if number else None
    while frame is not None and frame is not states[number].frame:
        flags |= frame.f_code.co_flags
        frame = frame.f_back
    return flags


def _deleted_elsewhere(states: list[FrameState], number: int) -> str | None:
    """Names can only be unbound in a frame that is rebuilt."""
    for other, state in enumerate(states):
        names = state.variables.unbound if other != number and "variables" in vars(state) else ()
        if names:
            return (
                f"{', '.join(sorted(names))} was deleted in frame {other}, which does not go on anew here: "
                f"assign a value to it, or restart that frame (At({other}, ...))"
            )
    return None


def _loop_state(exception: BaseException, iterator: object) -> str:
    return loop_state(iterator, exception)


def _loops(state: FrameState) -> list[tuple[int | None, int | None]]:
    return list(plans.loop_headers(state))


def _protect(code: CodeType) -> CodeType:
    return protect_code(code, Settings())


def _rules(states: list[FrameState]) -> Rules:
    """What a crash asks of the rooms above it. (Partials, not closures: one that calls itself would be a cycle, and
    would keep the frames and their tensors until the next collection.)"""
    return Rules(
        refusal=partial(_refusal, states),
        preview=partial(_preview, states),
        finished=plans.finished_results,
        kept=plans.kept_value,
        loops=_loops,
        loop_state=partial(_loop_state, states[0].exception),
        protect=_protect,
    )
