"""What is to be protected, and who decides: from pyproject.toml, the environment, the command line.

In: the project's root, the environment. Out: `Options`. Always true: environment beats file; the command line speaks
through the environment, so that processes that this one starts are asked for the same; an entry that makes no sense is
said in one line and left out, never an error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

VARIABLE: Final = "DAIFU_BC_AUTOINSTRUMENT"
ENVIRONMENT: Final = {
    "scope": VARIABLE,
    "include": "DAIFU_BC_INCLUDE",
    "exclude": "DAIFU_BC_EXCLUDE",
    "policy": "DAIFU_BC_POLICY",
    "wait": "DAIFU_BC_WAIT",
    "attach": "DAIFU_BC_ATTACH",
    "notify": "DAIFU_BC_NOTIFY",
    "listen": "DAIFU_BC_LISTEN",
    "key": "DAIFU_BC_KEY",
    "watch": "DAIFU_BC_WATCH",
    "verbose": "DAIFU_BC_VERBOSE",
}
OFF: Final = ("", "0", "false", "no", "off")
_JUST_ON: Final = ("1", "true", "yes", "on")  # the variable's value where the scope is left to the file
_TABLE: Final = "[tool.daifu_bc"


@dataclass(frozen=True, slots=True)
class Options:
    """What autoinstrument was asked for."""

    scope: tuple[str, ...] = ("project",)  # "project", "all", or patterns
    include: tuple[str, ...] = ()  # patterns: protected besides
    exclude: tuple[str, ...] = ()  # patterns: never protected
    policy: str = ""  # "module:function"
    wait: str = ""  # seconds that a crash without a terminal waits for an attached console
    attach: bool = True  # false: such a crash is never waited for
    notify: str = ""  # a command that has the facts of such a crash on its standard input
    listen: str = ""  # host:port that such a crash listens on besides; "": not on the network
    key: str = ""  # the file of the key that is wanted there
    watch: bool = False
    verbose: bool = False
    faults: tuple[str, ...] = field(default=(), compare=False)  # what made no sense, a sentence each


def is_off(environment: Mapping[str, str]) -> bool:
    """Whether DAIFU_BC_OFF turns everything off."""
    return environment.get("DAIFU_BC_OFF", "").strip().lower() not in OFF


def read_options(root: str | None, environment: Mapping[str, str]) -> Options:
    """The options of a program whose project is at `root`."""
    options = _from_table(_read_table(root) if root is not None else {})
    given = {
        name: environment[variable] for name, variable in ENVIRONMENT.items() if environment.get(variable)
    }
    if given.get("scope", "").strip().lower() in _JUST_ON:
        del given["scope"]
    return replace(options, **{name: _READERS[name](text) for name, text in given.items()})


def _read_table(root: str) -> dict[str, Any]:
    """The table `[tool.daifu_bc]` of the project's pyproject.toml. tomllib is only imported where there is one."""
    try:
        with open(os.path.join(root, "pyproject.toml"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError):
        return {}
    if _TABLE not in text:
        return {}
    import tomllib

    try:
        table = tomllib.loads(text)["tool"]["daifu_bc"]
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        return {"": f"pyproject.toml: {error}"}
    return table if isinstance(table, dict) else {}


def _from_table(table: Mapping[str, Any]) -> Options:
    known = {f.name for f in fields(Options)} - {"faults"}
    found: dict[str, Any] = {}
    faults = []
    for name, value in table.items():
        if name not in known:
            faults.append(str(value) if not name else f"[tool.daifu_bc]: {name} is not known")
            continue
        try:
            found[name] = _READERS[name](value)
        except (TypeError, ValueError) as error:
            faults.append(f"[tool.daifu_bc]: {name}: {error}")
    return Options(**found, faults=tuple(faults))


def _patterns(value: object) -> tuple[str, ...]:
    """Names separated by commas, or a list of names."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise TypeError(f"names are wanted, not {value!r}")
    return tuple(part.strip() for part in parts if part.strip())


def _scope(value: object) -> tuple[str, ...]:
    return _patterns(value) or ("project",)


def _word(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(f"a word or a number is wanted, not {value!r}")
    return str(value).strip()


def is_policy(text: str) -> bool:
    """Is it "module:function", or nothing?"""
    return not text or text.count(":") == 1


def _policy(value: object) -> str:
    text = _word(value)
    if not is_policy(text):
        raise ValueError(f'"module:function" is wanted, not {value!r}')
    return text


def _switch(value: object) -> bool:
    return value if isinstance(value, bool) else _word(value).lower() not in OFF


_READERS: Final[dict[str, Callable[[object], Any]]] = {
    "scope": _scope,
    "include": _patterns,
    "exclude": _patterns,
    "policy": _policy,
    "wait": _word,
    "attach": _switch,
    "notify": _word,
    "listen": _word,
    "key": _word,
    "watch": _switch,
    "verbose": _switch,
}
