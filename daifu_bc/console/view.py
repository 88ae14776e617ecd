"""What the console reads of a crash: its public fields, and nothing else.

Always true: everything here is structural; any object with these fields can be asked about.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from types import FrameType
from typing import Protocol

from daifu_bc.restarts.restarts import Restart


class FinishedLike(Protocol):
    """A finished call whose result retry keeps."""

    result: object

    @property
    def source(self) -> str: ...


class FinishedListLike(Protocol):
    """The finished calls of a statement, in the order in which they finished."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> FinishedLike: ...
    def __delitem__(self, index: int, /) -> None: ...


class LoopLike(Protocol):
    """A loop around the crash."""

    @property
    def lineno(self) -> int | None: ...
    @property
    def source(self) -> str: ...
    @property
    def iterator(self) -> object: ...
    @property
    def state(self) -> str: ...


class FrameLike(Protocol):
    """A living protected frame."""

    @property
    def function(self) -> str: ...
    @property
    def filename(self) -> str: ...
    @property
    def lineno(self) -> int | None: ...
    @property
    def statement(self) -> str: ...
    @property
    def expression(self) -> str: ...
    @property
    def locals(self) -> MutableMapping[str, object]: ...
    @property
    def globals(self) -> MutableMapping[str, object]: ...
    @property
    def finished(self) -> FinishedListLike: ...
    @property
    def loops(self) -> Sequence[LoopLike]: ...
    @property
    def python_frame(self) -> FrameType: ...
    def run(self, code: str, /) -> object: ...


class CrashLike(Protocol):
    """A crash: `frames` are innermost first, `frame` is the index of the one presented."""

    @property
    def exception(self) -> BaseException | None: ...
    @property
    def frames(self) -> Sequence[FrameLike]: ...
    @property
    def frame(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    def can(self, restart: Restart, /) -> str | None: ...
