"""What a barrier calls: is this a crash, what is decided, how does the run go on. Reads as a table of contents.

In: an exception at the barrier of a protected frame. Out: None (it goes on to the program's own handlers), or the
list that the frame fills with what it is made of; then the unfinished procedure.
Always true: whatever goes wrong in here, the user's own exception goes out, with ours as a note.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from daifu_bc import decide, departures, operation
from daifu_bc.aftermath import add_note, clear, strip
from daifu_bc.analysis.contexts import PASSING, UNMATCHED
from daifu_bc.crash import ways
from daifu_bc.crash.entries import has_entries
from daifu_bc.crash.levels import Stack, failing_offset, living_stack
from daifu_bc.crash.search import handled_by, left_alone, presented, unheard
from daifu_bc.crash.switches import note_differences
from daifu_bc.decided import Decided, underway
from daifu_bc.errors import CannotResume, Paused
from daifu_bc.operation import plan
from daifu_bc.restarts import attempts, log
from daifu_bc.restarts.restarts import Abort, At, Retry, Stop
from daifu_bc.resume import check
from daifu_bc.resume.plan import Plan
from daifu_bc.resume.procedure import Entrance, build_procedure, build_return, watch_on
from daifu_bc.resume.rescue import build_raise
from daifu_bc.resume.snapshot import held_by, take_snapshot
from daifu_bc.transform.registry import Protection, protection_of


@dataclass(slots=True, eq=False)
class Handover:
    """First element of the list that a crashed frame fills: what `_resume` needs besides."""

    decided: Decided
    plan: Plan
    frame: FrameType
    number: int  # of the context of the barrier that stopped it
    handled: BaseException | None


class HandBack(BaseException):
    """An unfinished procedure has crashed: its snapshot goes back to the frame that called it, which calls the next."""

    def __init__(self, procedure: Callable[[], Any]) -> None:
        self.procedure: Callable[[], Any] | None = procedure


recoveries = log.recoveries  # what the console shows


class _Thread(threading.local):
    busy: bool = False


_thread = _Thread()


def is_busy() -> bool:
    """Does this thread work at a crash, or is a decision on its way?"""
    return _thread.busy or bool(underway.decided)


def barrier(exception: BaseException, context: int, *shown: object) -> list[object] | None:
    """Called by barrier blocks, with the number of their context. None: not ours. A list: hand yourself over."""
    frame = sys._getframe(1)
    if _thread.busy or not (underway.decided or has_entries()):
        return None  # an exception in a policy, an action, the console or what we ask is never intercepted
    _thread.busy = True
    try:
        return _barrier(exception, frame, context, shown)
    except BaseException as error:  # the barrier against our own faults: the user's exception goes out
        underway.decided.clear()
        add_note(exception, error)
        return None
    finally:
        _thread.busy = False


def _barrier(
    exception: BaseException, frame: FrameType, context: int, shown: tuple[object, ...]
) -> list[object] | None:
    if underway.decided:
        decided = underway.expected(exception, frame)
        if decided is not None and decided.still_comes_to(frame):
            return _on_its_way(decided, frame, context, shown)
        if decided is not None and decided.has_moved_to(frame):
            return _here_instead(decided, exception, frame, context, shown)
        if decided is not None and decided.waits_for_call_of(frame):
            return None  # an `__exit__` on its way is told of it, and throws it into a generator
        if decided is not None:  # it was swallowed on its way, and raised anew
            underway.decided.remove(decided)
    if ways.is_on_known_way(exception, frame):
        return None
    protection = protection_of(frame.f_code)
    if protection is None or not _is_new(exception, frame, context, protection):
        return None
    stack = living_stack(exception, frame, context, shown)
    if stack is None:
        return None
    if isinstance(exception, Paused):
        return _paused(exception, stack, frame, shown)
    if departures.has_left(exception, stack) or not _is_crash(exception, stack):
        return None
    return _decide(exception, stack, frame, shown)


def _here_instead(
    decided: Decided, exception: BaseException, frame: FrameType, context: int, shown: tuple[object, ...]
) -> list[object] | None:
    """The frame that the decision was for has handed itself over meanwhile: what fails in a `finally` was mended too.

    From the end of that `finally`, where `frame` is, it leaves the same blocks. If it cannot, somebody is asked again.
    """
    underway.decided.remove(decided)
    stack = living_stack(exception, frame, context, shown)
    if stack is None:
        return None
    states = stack.states(exception, shown)
    try:
        plan(states[0], decided.restart)
    except CannotResume:
        return _decide(exception, stack, frame, shown)
    moved = replace(decided, frame=frame, state=states[0], outer=states[1:], way=[frame])
    underway.add(moved)
    return _on_its_way(moved, frame, context, shown)


def _paused(
    exception: Paused, stack: Stack, frame: FrameType, shown: tuple[object, ...]
) -> list[object] | None:
    """A healthy run must go on whatever goes wrong: what cannot be done is left out."""
    try:
        return _decide(exception, stack, frame, shown)
    except Exception:  # a restart that cannot be, a fault of ours: it goes on where it was paused
        underway.forget(exception)
        exception.restart = Retry()
        return _decide(exception, stack, frame, shown)


def _is_new(exception: BaseException, frame: FrameType, context: int, protection: Protection) -> bool:
    """Is this the first barrier of the frame that the exception comes to?"""
    at = protection.contexts.table[context].at
    if at != UNMATCHED:
        return at != PASSING
    return protection.index_at(failing_offset(exception, frame)) in protection.contexts.handled_first


def _is_crash(exception: BaseException, stack: Stack) -> bool:
    """Design section 6."""
    if stack.is_always(exception):
        return True
    if left_alone(exception, stack.levels) is not None:
        return False
    handled = handled_by(exception, stack.levels)
    if handled is not None:
        if handled.straight:
            ways.remember(exception, stack.levels, handled.level_index)
        return False
    return unheard(exception, stack.levels) is None  # asked last: costs nothing where a handler takes it


def _decide(
    exception: BaseException, stack: Stack, frame: FrameType, shown: tuple[object, ...]
) -> list[object] | None:
    began = time.perf_counter()
    paused = isinstance(exception, Paused)
    number = stack.number_of(0 if paused else presented(exception, stack.levels))
    states = stack.states(exception, shown)
    if departures.is_let_go(exception, states[number].frame):
        return None
    crash, restart = decide.decide(states, number, departures.is_let_go(exception))
    if paused and (restart is None or isinstance(restart, Abort)):
        restart = Retry()  # nothing is wrong: it simply goes on
    if restart is None or isinstance(restart, Abort):
        if restart is None and number + 1 < len(states):
            attempts.let_go(states[number + 1 :])
        else:
            attempts.forget_attempts()
        departures.let_go(exception, stack, None if restart is not None else states[number].frame)
        note_differences(exception, next((s.entry for s in reversed(states) if s.entry is not None), None))
        return None
    if isinstance(restart, Stop):
        number = 0  # it leaves all blocks around the crash
        departures.let_go_everywhere(restart.error)
    while isinstance(restart, At):
        number, restart = decide.number_of(restart.frame), restart.restart
    state = states[number]
    now = time.perf_counter()
    way = [other.frame for other in states[: number + 1]]
    decided = Decided(exception, state.frame, restart, state, states[number + 1 :], crash, now, now - began, way)
    underway.add(decided)
    return _on_its_way(decided, frame, stack.context, shown)


def _on_its_way(
    decided: Decided, frame: FrameType, context: int, shown: tuple[object, ...]
) -> list[object] | None:
    """Has the exception come to where the decided restart can begin?"""
    if frame is not decided.frame:
        return None
    state = decided.state
    if state.shown is None:  # a frame that was in a call: the exception has come to it now
        state.context, state.shown = context, shown
    here = state.protection.contexts.table[context]
    chosen = plan(state, decided.restart)
    if not check.can_begin(chosen, here, state):
        return None
    underway.decided.remove(decided)
    return [Handover(decided, chosen, frame, context, sys.exception())]


def resume(handed_over: list[Any]) -> Callable[[], Any]:
    """Called by a barrier's tail: the unfinished procedure to call. Raises HandBack inside one."""
    handover: Handover = handed_over[0]
    decided, frame = handover.decided, handover.frame
    spare = handed_over.copy()
    try:
        procedure = _build(handover, handed_over)
        if not isinstance(decided.restart, Stop):
            log.record(
                decided.crash,
                decided.restart,
                seconds_waiting=decided.waited,
                seconds_restoring=time.perf_counter() - decided.at,
                diff=operation.diff_of(handover.plan),
            )
            clear(decided.exception, frame)
    except BaseException as error:  # the barrier against our own faults
        add_note(decided.exception, error)
        procedure = _let_out(handover, spare)
    spare.clear()
    watch_on(procedure, frame)
    inside = decided.state.protection.shift > 0
    del handover, decided, frame
    if inside:
        raise HandBack(procedure)
    return procedure


def _let_out(handover: Handover, spare: list[Any]) -> Callable[[], Any]:
    """The frame has handed itself over and cannot go on: the exception leaves it as it would have without us."""
    exception = handover.decided.exception
    try:
        state = handover.decided.state
        return build_raise(exception, state, spare, handover.number, handover.handled, handover.frame)
    except BaseException as error:  # the last barrier against our own faults: it leaves the frame at once
        add_note(exception, error)
        raise exception from exception.__cause__


def _build(handover: Handover, handed_over: list[Any]) -> Callable[[], Any]:
    decided, chosen, frame = handover.decided, handover.plan, handover.frame
    state = decided.state
    protection = state.protection
    kinds = protection.contexts.table[handover.number].kinds
    snapshot = take_snapshot(handed_over, protection, kinds, handover.handled)
    if chosen.returns:
        decide.count_on(state, decided.outer, decided.restart, chosen, held_by(snapshot, protection))
        return build_return(protection, chosen.values[0])
    check.apply_edits(state, snapshot, chosen)
    if chosen.new_code is not None:
        return operation.enter(state, chosen, snapshot, frame.f_globals)
    held = held_by(snapshot, protection)
    protected, protection, recipe = check.code_to_enter(frame.f_code, state, snapshot, chosen)
    once = decide.count_on(state, decided.outer, decided.restart, chosen, held)
    entrance = Entrance(
        index=chosen.index,
        position=check.position_in(protection, chosen) if once is None else protection.after_of[chosen.index],
        depth=chosen.depth,
        recipe=recipe,
        values=chosen.values,
        once=once,
    )
    return build_procedure(protected, protection, snapshot, entrance, frame.f_globals)


def after(exception: BaseException) -> Callable[[], Any] | None:
    """Called when an unfinished procedure raised: the next one, or None (the exception leaves the function)."""
    if type(exception) is HandBack:
        procedure, exception.procedure = exception.procedure, None
        exception.__traceback__ = None
        if procedure is not None:
            watch_on(procedure, sys._getframe(1))
        return procedure
    strip(exception, sys._getframe(1))
    return None
