"""The public face of a crash: what a policy or the console reads, edits and asks.

In: `FrameState`s of the living protected frames, and callables for what higher rooms know. Out: `Crash`.
Always true: reading changes nothing; edits take effect when the frame goes on.
Source of the names: the interface's table of `crash.` fields.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, MutableSequence, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from daifu_bc.analysis import source
from daifu_bc.analysis.values import Value
from daifu_bc.crash.actions import run_action
from daifu_bc.crash.state import FrameState
from daifu_bc.errors import Paused


@dataclass(frozen=True, slots=True)
class Rules:
    """What the rooms above know: handed in, so that this one need not import them."""

    refusal: Callable[[int, Any], str | None]  # (frame, restart) -> why not, or None
    preview: Callable[[int, Any], Any]  # (frame, surgery) -> what it would do
    finished: Callable[[FrameState], list[Value]]
    kept: Callable[[FrameState, Value], object]
    loops: Callable[[FrameState], Sequence[tuple[int | None, int | None]]]  # (slot, header's instruction)
    loop_state: Callable[[object], str]
    protect: Callable[[CodeType], CodeType]


class Finished:
    """A finished result that retry keeps: `source`, and `result`, which can be assigned."""

    __slots__ = ("_rules", "_state", "_value", "source")

    def __init__(self, state: FrameState, value: Value, rules: Rules) -> None:
        self._state, self._value, self._rules = state, value, rules
        self.source = source.expression_text(state.protection.original, state.points.place(value.index))

    @property
    def result(self) -> object:
        return self._rules.kept(self._state, self._value)

    @result.setter
    def result(self, new: object) -> None:
        self._state.assigned[self._value.slot] = new

    def __repr__(self) -> str:
        return f"<finished {self.source or 'result'}>"


class FinishedList(MutableSequence[Finished]):
    """Finished results in the order in which they were made; deleting one has it evaluated again."""

    def __init__(self, state: FrameState, rules: Rules) -> None:
        self._state = state
        self._entries = [
            Finished(state, value, rules) for value in rules.finished(state) if value not in state.dropped
        ]

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __delitem__(self, index: Any) -> None:
        gone = self._entries[index]
        for entry in gone if isinstance(gone, list) else [gone]:
            self._state.dropped.add(entry._value)
        del self._entries[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("assign to .result of an entry, or delete the entry")

    def insert(self, index: int, value: Finished) -> None:
        raise TypeError("nothing can be added to what is finished")

    def __repr__(self) -> str:
        return repr(self._entries)


class LoopView:
    """A loop around the crash: `lineno`, `source`, `iterator` (can be assigned), `state`."""

    __slots__ = ("_rules", "_slot", "_state", "lineno", "source")

    def __init__(self, state: FrameState, slot: int | None, header: int | None, rules: Rules) -> None:
        self._state, self._slot, self._rules = state, slot, rules
        position = state.points.position(header) if header is not None else (None,) * 4
        self.lineno = position[0]
        statement = state.points.statement(header) if header is not None else None
        if statement is not None and statement.kind in ("For", "AsyncFor", "While"):
            self.source = statement.text
        else:
            self.source = source.line_text(state.protection.original, self.lineno).strip() if self.lineno else ""

    @property
    def iterator(self) -> object:
        """The loop's iterator; None for `while` loops, and for frames that are in the middle of a call."""
        if self._slot is None:
            return None
        if self._slot in self._state.new_iterators:
            return self._state.new_iterators[self._slot]
        if self._state.iterators is None:
            return None
        return self._state.iterators[self._state.iterator_slots().index(self._slot)]

    @iterator.setter
    def iterator(self, new: object) -> None:
        if self._slot is None:
            raise TypeError("a while loop has no iterator")
        self._state.new_iterators[self._slot] = iter(new)  # type: ignore[call-overload]

    @property
    def state(self) -> str:
        """ "alive", "dead" (it raised and is finished), "exhausted" or "invalid"."""
        return self._rules.loop_state(self.iterator)

    def __repr__(self) -> str:
        return f"<loop at line {self.lineno}: {self.source}>"


class CrashFrame:
    """A living protected frame of the crashed call stack."""

    def __init__(self, state: FrameState, number: int, rules: Rules) -> None:
        self._state = state
        self._number = number
        self._rules = rules
        self._finished: FinishedList | None = None

    @property
    def exception(self) -> BaseException | None:
        """What was raised; None where a healthy function was paused."""
        return None if isinstance(self._state.exception, Paused) else self._state.exception

    @property
    def python_frame(self) -> FrameType:
        return self._state.frame

    @property
    def function(self) -> str:
        return self._state.protection.original.co_qualname

    @property
    def filename(self) -> str:
        return self._state.protection.original.co_filename

    @property
    def lineno(self) -> int:
        return self._state.lineno or self._state.protection.original.co_firstlineno

    @property
    def offset(self) -> int:
        return self._state.protection.flow.instructions.offset_of(self._state.index)

    @property
    def statement(self) -> str:
        statement = self._state.points.statement()
        if statement is not None:
            return statement.text
        return source.line_text(self._state.protection.original, self.lineno).strip()

    @property
    def expression(self) -> str:
        position = self._state.points.place(self._state.index)
        return source.expression_text(self._state.protection.original, position)

    @property
    def text(self) -> str:
        """The text of the function that is running, at the left margin; "" if it is not known."""
        return source.scope_text(self._state.protection.original)

    @property
    def locals(self) -> MutableMapping[str, object]:
        return self._state.variables

    @property
    def globals(self) -> dict[str, Any]:
        return self._state.frame.f_globals

    def run(self, code: str) -> object:
        """Run `code` as if it were written at the crash; the value of a single expression."""
        return run_action(
            code,
            variables=self._state.variables,
            frame_globals=self.globals,
            code=self._state.protection.original,
            extra=self._state.extra,
            protect=self._rules.protect,
        )

    @property
    def finished(self) -> FinishedList:
        if self._finished is None:
            self._finished = FinishedList(self._state, self._rules)
        return self._finished

    @property
    def loops(self) -> list[LoopView]:
        return [LoopView(self._state, slot, header, self._rules) for slot, header in self._rules.loops(self._state)]

    def can(self, restart: Any) -> str | None:
        """None where it is possible in this frame and loses nothing.

        Else one sentence that begins with what was asked: it is refused here, what stands in the way (what it would
        lose, for one), what can be done instead.
        """
        return self._rules.refusal(self._number, restart)

    def preview(self, surgery: Any) -> Any:
        """What `surgery` would do in this frame: its diff, where the run goes on (surgery.diff.Preview).

        Raises CannotResume, with the reason, where it is refused.
        """
        return self._rules.preview(self._number, surgery)

    def __repr__(self) -> str:
        return f"<frame {self.function} at {self.filename}:{self.lineno}>"


class Crash(CrashFrame):
    """A crash, as presented at `frames[frame]`; all its fields are those of that frame."""

    def __init__(self, states: list[FrameState], presented: int, attempt: int, rules: Rules) -> None:
        super().__init__(states[presented], presented, rules)
        self.frame = presented
        self.attempt = attempt
        inner = [CrashFrame(state, number, rules) for number, state in enumerate(states[:presented])]
        outer = [CrashFrame(state, number, rules) for number, state in enumerate(states) if number > presented]
        self._inner, self._outer = inner, outer  # without itself: a cycle would keep the frames alive

    @property
    def frames(self) -> list[CrashFrame]:
        """The living protected frames, innermost first."""
        return [*self._inner, self, *self._outer]

    def __repr__(self) -> str:
        return f"<crash {type(self.exception).__name__} in {self.function} at {self.filename}:{self.lineno}>"
