"""A stand-in for daifu_bc.transform where that cannot be imported: protected code is an equal copy."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any


@dataclass(frozen=True, slots=True)
class Settings:
    keep: str = "calls"
    always: bool = False


_made: dict[int, tuple[CodeType, CodeType]] = {}


def protect_code(code: CodeType, settings: Settings) -> CodeType:
    constants: list[Any] = [
        protect_code(c, settings) if isinstance(c, CodeType) else c for c in code.co_consts
    ]
    made = code.replace(co_consts=tuple(constants))
    _made[id(made)] = (made, code)
    return made


def protection_of(code: CodeType) -> object:
    return _made.get(id(code))


def original_of(code: CodeType) -> CodeType:
    return _made[id(code)][1] if id(code) in _made else code


def use_where_missing() -> None:
    try:
        importlib.import_module("daifu_bc.transform.registry")
    except ImportError:
        transform, registry = ModuleType("daifu_bc.transform"), ModuleType("daifu_bc.transform.registry")
        vars(transform).update(Settings=Settings, protect_code=protect_code, registry=registry)
        vars(registry).update(protection_of=protection_of, original_of=original_of, skipped=list)
        sys.modules.update({transform.__name__: transform, registry.__name__: registry})
