"""The living stack at a crash: which frames are protected, where each stands, where the root is.

In: an exception and the frame whose barrier got it. Out: `Stack`, or None where no entry is below.
Always true: levels come innermost first; frames that only wait for their own unfinished procedure, and our own
frames, are no levels.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from inspect import CO_OPTIMIZED
from types import FrameType

from daifu_bc.analysis.contexts import EXIT, EXIT_SELF, SHOWN
from daifu_bc.crash.below import entry_carried_by, entry_of_task
from daifu_bc.crash.entries import Entry, entry_of, is_below_main, process_entry
from daifu_bc.crash.search import Level, failing_point, is_always
from daifu_bc.crash.state import FrameState
from daifu_bc.transform.registry import Protection, protection_of


@dataclass(slots=True, eq=False)
class Stack:
    """The frames of a thread at a crash."""

    levels: list[Level]
    protections: list[Protection | None]
    indices: list[int]  # instruction of the original, for protected levels
    entries: list[Entry | None]
    root: int  # level of the root
    context: int  # of the innermost level

    @property
    def raised_again(self) -> bool:
        """Is the innermost frame at a bare `raise`?"""
        protection = self.protections[0]
        return protection is not None and protection.contexts.table[self.context].at >= 0

    def is_always(self, exception: BaseException) -> bool:
        """Is it a crash even where the program handles it?"""
        return any(entry is not None and entry.always and is_always(exception, entry.always) for entry in self.entries)

    def protected_levels(self) -> list[int]:
        """Levels that can be presented: protected, inside the root."""
        return [number for number in range(self.root + 1) if self.protections[number] is not None]

    def number_of(self, level: int) -> int:
        """Position of a level among the protected ones."""
        return self.protected_levels().index(level)

    def states(self, exception: BaseException, shown: tuple[object, ...]) -> list[FrameState]:
        """Frame states of the protected levels."""
        found = []
        for number in self.protected_levels():
            protection = self.protections[number]
            assert protection is not None
            index = self.indices[number]
            context = self.context if number == 0 else protection.contexts.of[index]
            if number == 0:
                index = self._failing_index(exception)
            found.append(
                FrameState(
                    level=self.levels[number],
                    protection=protection,
                    index=index,
                    context=context,
                    entry=self.entries[number],
                    exception=exception,
                    shown=shown if number == 0 else None,
                )
            )
        return found

    def _failing_index(self, exception: BaseException) -> int:
        """Where the innermost frame failed: behind a raise in a handler, what the handler was entered for."""
        point = failing_point(exception, self.levels[0])
        protection = self.protections[0]
        if point is None or protection is None or point[1] == self.levels[0].offset:
            return self.indices[0]
        return protection.flow.instructions.index_at(point[1])


def is_called_by(caller: FrameType, frame: FrameType) -> bool:
    """Does `frame` run in a call, at any depth, that `caller` is waiting for?"""
    outer = frame.f_back
    while outer is not None and outer is not caller:
        outer = outer.f_back
    return outer is not None


def living_stack(
    exception: BaseException, frame: FrameType, context: int, shown: tuple[object, ...]
) -> Stack | None:
    """The stack below (and including) `frame`, which is at barrier context `context`; None if no entry is on it."""
    frames: list[tuple[FrameType, Protection | None, int, Entry | None]] = []
    root = -1
    current: FrameType | None = frame
    offset = failing_offset(exception, frame)
    while current is not None:
        code = current.f_code
        protection = protection_of(code)
        if protection is None:
            carried = entry_carried_by(current)
            if carried is not None:  # work that was started below an entry: its outermost protected frame is the root
                root = _make_root(frames, carried)
                break
            if not current.f_globals.get("__name__", "").startswith("daifu_bc."):
                frames.append((current, None, current.f_lasti, None))
        else:
            index = protection.index_at(offset)
            if not frames:
                at = protection.contexts.table[context].at
                index = at if at >= 0 else index
            entry = entry_of(code)
            if index >= 0 or not frames:
                frames.append((current, protection, index, entry))
            elif entry is not None:  # it waits for its unfinished procedure, which stands for it
                inner = frames[-1]
                frames[-1] = (inner[0], inner[1], inner[2], entry)
            if entry is not None:
                root = len(frames) - 1
        current = current.f_back
        offset = current.f_lasti if current is not None else -1
    if root < 0 or all(entry is None or entry.on_crash is None for *_, entry in frames):
        made_under = entry_of_task()
        if made_under is not None:
            root = max(root, _make_root(frames, made_under))
    process = process_entry()
    if process is not None:
        root = max(root, _root_in_main(frames, process))
    if root < 0:
        return None
    return _stack(frames, root, context, shown)


def failing_offset(exception: BaseException, frame: FrameType) -> int:
    """Byte offset, in the code that runs, of what failed in `frame`."""
    entry = exception.__traceback__
    return entry.tb_lasti if entry is not None and entry.tb_frame is frame else frame.f_lasti


def _stack(
    frames: list[tuple[FrameType, Protection | None, int, Entry | None]],
    root: int,
    context: int,
    shown: tuple[object, ...],
) -> Stack:
    levels = []
    for number, (frame, protection, index, _entry) in enumerate(frames):
        if protection is None:
            levels.append(Level(frame, frame.f_code, index, False, number <= root))
        else:
            at = protection.flow.instructions.offset_of(index) if index >= 0 else 0
            managers = managers_in(protection, index, context, shown) if number == 0 and shown else {}
            namespace = shown[-1] if number == 0 and not protection.original.co_flags & CO_OPTIMIZED else None
            levels.append(Level(frame, protection.original, at, True, number <= root, managers, namespace))
    return Stack(
        levels,
        [protection for _, protection, _, _ in frames],
        [index for _, _, index, _ in frames],
        [entry for _, _, _, entry in frames],
        root,
        context,
    )


def _make_root(frames: list[tuple[FrameType, Protection | None, int, Entry | None]], entry: Entry) -> int:
    """The outermost protected frame stands for `entry`; -1 if none is protected."""
    root = max((number for number, frame in enumerate(frames) if frame[1] is not None), default=-1)
    if root >= 0:
        own = frames[root][3]
        frames[root] = (*frames[root][:3], own if own is not None and own.on_crash is not None else entry)
    return root


def _root_in_main(
    frames: list[tuple[FrameType, Protection | None, int, Entry | None]], entry: Entry
) -> int:
    """The main module's frame, protected or not (that of a test runner is not); in other threads the outermost

    protected frame. -1: nothing on this stack is protected.
    """
    root = max((number for number, frame in enumerate(frames) if frame[1] is not None), default=-1)
    if root < 0:
        return -1
    frame, protection, index, own = frames[root]
    if own is None or own.on_crash is None:
        frames[root] = (frame, protection, index, entry if own is None else replace(own, on_crash=entry.on_crash))
    if not is_below_main():
        return root
    main = getattr(sys.modules.get("__main__"), "__dict__", None)
    in_main = [at for at, (frame, *_) in enumerate(frames) if frame.f_globals is main and _is_module(frame)]
    return max([root, *in_main[-1:]])


def _is_module(frame: FrameType) -> bool:
    return frame.f_code.co_name == "<module>"


def managers_in(protection: Protection, index: int, context: int, shown: tuple[object, ...]) -> dict[int, object]:
    """Context managers of the `with` blocks around instruction `index`: byte offset of the handler -> manager."""
    flow = protection.flow
    kinds = protection.contexts.table[context].kinds
    held = dict(zip([slot for slot, kind in enumerate(kinds) if kind in SHOWN], shown, strict=False))
    found: dict[int, object] = {}
    row, seen = flow.cover[index], set[int]()
    while row >= 0 and row not in seen:
        seen.add(row)
        _start, _end, target, depth, _lasti = flow.instructions.rows[row]
        slot = depth - 1
        if kinds[slot : slot + 1] == EXIT_SELF:
            manager, slot = held[slot], slot - 1
            if isinstance(manager, UnboundLocalError):
                manager = getattr(held[slot], "__self__", None)
        elif kinds[slot : slot + 1] == EXIT:
            manager = getattr(held[slot], "__self__", None)
        else:
            manager = None
        if manager is not None:
            found[flow.instructions.offset_of(target)] = manager
        row = flow.cover[target]
    return found
