"""Runs a piece of text in a place, edits it at its crash, and hands out the events."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import daifu_bc
from daifu_bc import Surgery
from daifu_bc.transform import Settings, protect_code
from surgery.pairs import CRASHED, Pair
from surgery.places import Place


class Broken(RuntimeError):
    """The crash."""


class Effects:
    """What programs call, and the events of it."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.failed = False

    def names(self) -> dict[str, object]:
        return {
            "say": lambda word, i, *_: self.events.append(f"{word}{i if isinstance(i, int) else i[0]}"),
            "one": self.logged("one"),
            "two": self.two,
            "three": self.three,
            "fail": self.fail,
            "m": self.manager,
            "items": lambda: iter(range(3)),
            "kind": lambda: type(sys.exception()).__name__,
            "drive": drive,
            "each": self.each,
            "pause": Paused,
        }

    def logged(self, word):
        def call(i):
            self.events.append(f"{word}{i}")
            return i

        return call

    def two(self, i):
        if i == CRASHED and not self.failed:
            self.failed = True
            raise Broken(f"pass {i}")
        self.events.append(f"two{i}")
        return (i,)

    def three(self, i, mark=""):
        self.events.append(f"three{mark}{i}")
        return iter(range(2))

    def fail(self, i):
        self.events.append(f"fail{i}")
        raise KeyError(i)

    def manager(self, i, mark=""):
        return Manager(self.events, f"{mark}{i}")

    async def each(self, generator):
        async for got in generator:
            self.events.append(f"got{got}")


class Manager:
    def __init__(self, events, name):
        self.events, self.name = events, name

    def __enter__(self):
        self.events.append(f"enter{self.name}")

    def __exit__(self, kind, error, traceback):
        self.events.append(f"exit{self.name}{'' if kind is None else kind.__name__}")


class Paused:
    def __await__(self):
        yield


def drive(coroutine):
    while True:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value


def text_in(place: Place, piece: str) -> str:
    lines = []
    for line in place.text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        lines.append(textwrap.indent(piece.rstrip("\n"), indent) if line.strip() == "BODY" else line)
    return "\n".join(lines) + "\n"


def line_of(text: str, start: str) -> int:
    """The first line that begins so, from 1."""
    return next(number for number, row in enumerate(text.splitlines(), 1) if row.lstrip().startswith(start))


def run_edited(place: Place, old: str, new: str, policy, folder: Path) -> Effects:
    """Run `old` in `place`; `policy` is asked at the crash."""
    effects = Effects()
    path = folder / f"program_{place.name}.py"
    path.write_text(text_in(place, old))
    if not place.target:
        _run_module_code(path, effects, policy)
        return effects
    module = _load(path, effects)
    target = module
    for name in place.target.split("."):
        target = getattr(target, name)
    daifu_bc.protect(target, on_crash=policy, scope="nested")
    exec(place.run, vars(module))
    return effects


def error_of(*wish) -> Exception:
    """The exception with which the run ends. (`pytest.raises` of a class would count as its handler.)"""
    try:
        run_edited(*wish)
    except Exception as error:
        return error
    raise AssertionError("the run ended well")


def _run_module_code(path: Path, effects: Effects, policy) -> None:
    from daifu_bc.analysis.source import remember_file

    remember_file(str(path))
    code = protect_code(compile(path.read_text(), str(path), "exec"), Settings())
    namespace = {"__name__": "program", **effects.names()}

    def entry():
        exec(code, namespace)

    daifu_bc.protect(entry, on_crash=policy, scope="nested")
    entry()


def _load(path: Path, effects: Effects) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(effects.names())
    spec.loader.exec_module(module)
    return module


class Surgeon:
    """A policy: edits at the first crash, lets later ones go."""

    def __init__(self, place: Place, new: str, at: str, folder: Path, by_file: bool) -> None:
        self.place, self.new, self.at, self.folder, self.by_file = place, new, at, folder, by_file
        self.asked = 0
        self.refusal: str | None = None
        self.events: list[str] = []

    def __call__(self, crash):
        self.asked += 1
        if self.asked > 1:
            return None
        text = text_in(self.place, self.new)
        line = line_of(text, self.at) if self.at else None
        if self.by_file:
            Path(crash.filename).write_text(text)
            restart = Surgery(at=line)
        else:
            restart = Surgery(source=text, at=line)
        self.refusal = crash.can(restart)
        return restart


def expected(place: Place, pair: Pair, *, edited: bool = True) -> list[str]:
    """The events of a run that is edited by hand at the crash."""
    events = list(place.first)
    for number, i in enumerate(place.passes):
        crashed = [*place.before, *pair.begun, *pair.rest, *place.after]
        full = [*place.before, *(pair.old_full if i < CRASHED else pair.full), *place.after]
        events += [event.format(i=i, t=11 + number) for event in (crashed if i == CRASHED else full)]
    return events + list(place.last)
