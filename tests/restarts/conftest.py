"""A crash as policies see it, without an engine behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from daifu_bc.restarts.restarts import Restart


@dataclass
class FakeFrame:
    loops: Sequence[object] = ()


@dataclass
class FakeCrash:
    """A crash whose every field can be chosen; `refuses` says why a restart cannot be."""

    Frame: ClassVar[type[FakeFrame]] = FakeFrame
    exception: BaseException = field(default_factory=lambda: OSError("disk"))
    attempt: int = 1
    function: str = "train"
    filename: str = "train.py"
    lineno: int = 12
    offset: int = 40
    frames: Sequence[FakeFrame] = (FakeFrame(loops=["for x in xs"]),)
    frame: int = 0
    refuses: Callable[[Restart], str | None] = lambda restart: None
    asked: list[Restart] = field(default_factory=list)

    def can(self, restart: Restart, /) -> str | None:
        self.asked.append(restart)
        return self.refuses(restart)


@pytest.fixture
def crash_of() -> type[FakeCrash]:
    """`crash_of(exception, attempt=...)`; a fixture, since test folders are no packages to import from."""
    return FakeCrash


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits that policies asked for; nobody really sleeps."""
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    return waits
