"""The stack that pdb's commands walk: living frames from the oldest to the newest, then unwound ones.

What we want: pdb's `w u d l ll a` on a crash whose frames are alive. What does not work: giving pdb the
protected frames themselves. Their code is the protected twin (another argument count in a resumed one), their
current line is that of the barrier, and on 3.12 `f_locals` fills a dict which the frame keeps, with
everything in it. What we do: pdb gets a `FrameView` for each protected frame, with the line of the crash and
the crash's own mapping of variables.

In: a crash. Out: (frame, line) pairs as pdb wants them. Always true: frames of ours and the emptied frames
that a resumed function is called from are left out.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, nullcontext
from types import FrameType, TracebackType
from typing import Any, cast

from daifu_bc.console.view import CrashLike, FrameLike
from daifu_bc.transform.registry import original_of

Entry = tuple[FrameType, int]
PACKAGE = __name__.partition(".")[0]


class _Locals(ChainMap[str, Any]):
    """A crashed frame's variables; a name that it does not have is kept here while the prompt is open."""

    def __setitem__(self, name: str, value: object) -> None:
        try:
            self.maps[0][name] = value
        except KeyError:
            self.maps[1][name] = value

    def __ror__(self, other: Mapping[Any, Any]) -> Any:
        return {**other, **self}  # pdb completes over `f_globals | f_locals` and wants a dict


class FrameView:
    """A protected frame as pdb may see it. Stands in for a `FrameType`."""

    def __init__(self, index: int, frame: FrameLike) -> None:
        self.index = index  # in crash.frames
        self.frame = frame
        self.f_code = original_of(frame.python_frame.f_code)
        self.f_lineno = frame.lineno or frame.python_frame.f_lineno or self.f_code.co_firstlineno
        self.f_back = frame.python_frame.f_back
        self.f_globals = frame.python_frame.f_globals
        self._new_names: MutableMapping[str, Any] = {}
        self._copied: dict[str, Any] | None = None

    @property
    def f_locals(self) -> MutableMapping[str, Any]:
        """Reads and writes go to the frame."""
        return self._locals() if self._copied is None else self._copied

    def _locals(self) -> _Locals:
        return _Locals(cast(Any, self.frame.locals), self._new_names)

    @contextmanager
    def as_dict(self) -> Iterator[None]:
        """`f_locals` is a dict, whose changes go to the frame afterwards."""
        before = dict(self._locals())
        self._copied = dict(before)
        try:
            yield
        finally:
            after, self._copied = self._copied, None
            for name, value in after.items():
                if name not in before or before[name] is not value:
                    self._locals()[name] = value

    @property
    def entry(self) -> Entry:
        """As pdb keeps it."""
        return cast(FrameType, self), self.f_lineno


class Stack:
    """The stack of a crash."""

    def __init__(self, crash: CrashLike) -> None:
        self.views = [FrameView(index, frame) for index, frame in enumerate(crash.frames)]
        self._view_of = {id(view.frame.python_frame): view for view in self.views}
        self.traceback = crash.exception.__traceback__ if crash.exception is not None else None
        self.presented = cast(FrameType, self.views[crash.frame])

    @contextmanager
    def as_dict(self, frame: FrameType | None) -> Iterator[None]:
        """`frame.f_locals` is a dict: a debugger that steps does not step into the lookup of each name."""
        view = view_of(frame)
        with nullcontext() if view is None else view.as_dict():
            yield

    def entries(self) -> list[Entry]:
        """Oldest first; the frames that the exception has left already come last."""
        living = list(self._living())
        return [*reversed(living), *self.seen(unwound(self.traceback, living))]

    def seen(self, entries: list[Entry]) -> list[Entry]:
        """`entries` with views in place of protected frames."""
        return [view.entry if (view := self._view_of.get(id(entry[0]))) else entry for entry in entries]

    def _living(self) -> Iterator[Entry]:
        """Innermost first."""
        frame: FrameType | None = self.views[0].frame.python_frame
        inner: FrameType | None = None
        while frame is not None:
            view = self._view_of.get(id(frame))
            if view is not None:
                inner = frame
                yield view.entry
            elif not _is_ours(frame) and not (inner is not None and _is_shell(frame, inner)):
                inner = None
                yield frame, frame.f_lineno or frame.f_code.co_firstlineno
            frame = frame.f_back


def unwound(traceback: TracebackType | None, living: list[Entry]) -> list[Entry]:
    """The traceback's frames inside the innermost living one."""
    alive = {id(real_frame(frame)) for frame, _ in living}
    entries: list[Entry] = []
    while traceback is not None:
        frame = traceback.tb_frame
        if id(frame) in alive:
            entries.clear()
        elif not _is_ours(frame):
            entries.append((frame, traceback.tb_lineno or frame.f_code.co_firstlineno))
        traceback = traceback.tb_next
    return entries


def view_of(frame: object) -> FrameView | None:
    """What stands in for `frame` in pdb's stack, if it is a protected one."""
    return frame if isinstance(frame, FrameView) else None


def real_frame(frame: object) -> FrameType:
    """The frame itself, behind a view or not."""
    view = view_of(frame)
    return cast(FrameType, frame) if view is None else view.frame.python_frame


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    return isinstance(name, str) and (name == PACKAGE or name.startswith(PACKAGE + "."))


def _is_shell(frame: FrameType, inner: FrameType) -> bool:
    """Whether `frame` is the emptied frame of the function that goes on in `inner`, which it called.

    A recursive call looks alike, but its frame is protected itself.
    """
    one, other = frame.f_code, inner.f_code
    same_place = one.co_filename == other.co_filename and one.co_firstlineno == other.co_firstlineno
    return same_place and one.co_qualname == other.co_qualname
