"""`daifu-bc doctor`: what is found here, what would be protected, and what would not and why.

In: files and folders, by default the project that the current folder belongs to. Out: a report, as text or JSON.
Always true: nothing of the project is imported or run; its files are read and their code is protected on trial.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib import metadata
from types import CodeType
from typing import Any, Final

from daifu_bc.autoinstrument import options
from daifu_bc.autoinstrument.program import find_root
from daifu_bc.autoinstrument.selection import Selection
from daifu_bc.interpreter import tool_ids
from daifu_bc.transform import Settings, protection_of, skipped
from daifu_bc.transform.protect import protect_or_leave

_NEIGHBOURS: Final = (
    "torch",
    "numpy",
    "tqdm",
    "accelerate",
    "datasets",
    "transformers",
    "lightning",
    "ipykernel",
)
_NO_SOURCES: Final = frozenset(
    {"__pycache__", "node_modules", "site-packages", ".git", ".tox", ".venv", "venv"}
)
Report = dict[str, Any]


def main(paths: Sequence[str], as_json: bool) -> int:
    """Print the report. Out: the exit status, 1 if something cannot work."""
    found = report(paths)
    print(json.dumps(found, indent=2) if as_json else _text(found))
    return 1 if found["problems"] else 0


def report(paths: Sequence[str]) -> Report:
    """The report as a dictionary that JSON can hold."""
    root = find_root(paths[0] if paths and os.path.isdir(paths[0]) else os.getcwd())
    chosen = options.read_options(root, os.environ)
    found: Report = {
        "python": _python(),
        "tool_ids": _tools(),
        "start_up": _start_up(),
        "packages": {name: version for name in _NEIGHBOURS if (version := _version(name))},
        "root": root,
        "options": {name: getattr(chosen, name) for name in options.ENVIRONMENT},
        "environment": {
            name: value for name, value in sorted(os.environ.items()) if name.startswith("DAIFU_BC")
        },
        **_trial(Selection(chosen, root), paths or [root]),
    }
    found["problems"] = [*chosen.faults, *_problems(found)]
    return found


def _python() -> Report:
    return {
        "version": sys.version.partition(" ")[0],
        "implementation": sys.implementation.name,
        "executable": sys.executable,
        "cache_tag": sys.implementation.cache_tag,
        "global_interpreter_lock": bool(getattr(sys, "_is_gil_enabled", lambda: True)()),
    }


def _tools() -> Report:
    """sys.monitoring: who holds which id, and which one we could have."""
    ours = next((number for number in tool_ids.CANDIDATES if sys.monitoring.get_tool(number) is None), None)
    held = {str(number): name for number in range(6) if (name := sys.monitoring.get_tool(number)) is not None}
    return {"free_for_us": ours, "held": held}


def _start_up() -> Report:
    """The files that Python reads when it starts."""
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    names = ("daifu_bc.pth", "daifu_bc.start", "_daifu_bc_startup.py")
    there = [
        path
        for folder in sorted(folders)
        for name in names
        if os.path.exists(path := os.path.join(folder, name))
    ]
    return {"installed": len(there) >= len(names), "files": there}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _trial(selection: Selection, paths: Sequence[str]) -> Report:
    """Protect the files' code without running it."""
    functions, unreadable, files = 0, [], 0
    for path in _sources(paths):
        try:
            with open(path, "rb") as file:
                code = compile(file.read(), path, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError) as error:
            unreadable.append({"file": path, "reason": f"{type(error).__name__}: {error}"})
            continue
        if selection.wants("", path):
            files += 1
            functions += sum(
                protection_of(inner) is not None for inner in _all(protect_or_leave(code, Settings()))
            )
    left = [
        {"function": one.qualname, "file": one.filename, "line": one.lineno, "reason": one.reason}
        for one in skipped()
    ]
    return {"files": files, "protected": functions, "skipped": left, "unreadable": unreadable}


def _sources(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isfile(path):
            yield os.path.realpath(path)
        for folder, inner, names in os.walk(os.path.realpath(path)):
            inner[:] = sorted(name for name in inner if name not in _NO_SOURCES)
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))


def _all(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _all(const)


def _problems(found: Report) -> Iterator[str]:
    if found["python"]["implementation"] != "cpython":
        yield "this Python is no CPython: nothing can be protected"
    if not found["python"]["global_interpreter_lock"]:
        yield "this Python runs without a global interpreter lock: daifu_bc is not made for that"
    if found["tool_ids"]["free_for_us"] is None:
        yield "sys.monitoring tool ids 4 and 3 are taken: what is imported after a start is not protected along"
    if not found["start_up"]["installed"]:
        yield (
            "the start-up files are not in site-packages: DAIFU_BC_AUTOINSTRUMENT has no effect here, and processes "
            "that `daifu-bc run` starts are not protected; install daifu_bc with pip"
        )


def _text(found: Report) -> str:
    python, tools = found["python"], found["tool_ids"]
    lines = [
        f"Python      {python['version']} ({python['implementation']}), {python['executable']}",
        f"tool id     {tools['free_for_us']} of sys.monitoring; held by others: {_pairs(tools['held'])}",
        f"start-up    {'installed' if found['start_up']['installed'] else 'not installed'}",
        f"packages    {_pairs(found['packages'])}",
        f"project     {found['root']}",
        f"options     {_pairs({name: value for name, value in found['options'].items() if value})}",
        f"environment {_pairs(found['environment'])}",
        f"protected   {found['protected']} code objects in {found['files']} files",
    ]
    lines += [
        f"skipped     {one['file']}:{one['line']} {one['function']}: {one['reason']}"
        for one in found["skipped"]
    ]
    lines += [f"unreadable  {one['file']}: {one['reason']}" for one in found["unreadable"]]
    lines += [f"problem     {text}" for text in found["problems"]]
    return "\n".join(lines)


def _pairs(table: dict[str, Any]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in table.items()) or "none"


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
