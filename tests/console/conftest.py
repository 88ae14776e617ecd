"""Fixtures of the console's tests."""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from daifu_bc.console.local import ask

HERE = Path(__file__).parent


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"console_{name}", HERE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def fake() -> ModuleType:
    """The module fake_crash."""
    return _load("fake_crash")


@pytest.fixture(scope="session")
def programs() -> ModuleType:
    """Programs that crash."""
    return _load("programs")


@pytest.fixture(scope="session")
def on_terminal() -> ModuleType:
    """Programs on a pseudo-terminal."""
    return _load("on_terminal")


class Session:
    """One prompt: what was printed, the decision, the crash."""

    def __init__(self) -> None:
        self.text = ""
        self.decision: Any = None
        self.crash: Any = None
        self.result: Any = None


@pytest.fixture
def talk(fake: ModuleType, programs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Session]:
    """Run a program, type lines at its crash; `prepare` may change the crash before."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(
        *lines: str, program: str = "train", prepare: Any = None, protected: Any = None, **options: Any
    ) -> Session:
        session = Session()

        def decide(crash: Any) -> Any:
            session.crash = crash
            if prepare is not None:
                prepare(crash)
            stdout = io.StringIO()
            try:
                session.decision = ask(
                    crash, stdin=io.StringIO("".join(f"{line}\n" for line in lines)), stdout=stdout, **options
                )
            finally:
                session.text = stdout.getvalue()
            return session.decision

        session.result = getattr(programs, program)(fake.crashing(decide, protected))
        return session

    return run
