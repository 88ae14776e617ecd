"""Has what failed taken items from an iterator that it was given, which running it again would not see?

In: `FrameState` of a failing instruction. Out: a sentence, or None.
Always true: nothing is taken from an iterator. What is called decides: a function in C takes items in one go and
forgets them when it fails; some ask for one item (`next`) or keep what they have taken (`list.extend`).
"""

from __future__ import annotations

import functools
import gc
import inspect
import io
import itertools
import operator
from collections import deque
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Final

from daifu_bc.analysis import values
from daifu_bc.crash.search_names import UNKNOWN, in_class, is_class
from daifu_bc.crash.state import FrameState
from daifu_bc.interpreter import opcodes
from daifu_bc.resume.iterators import asking_again_loses, raised_by_itself, sources_of
from daifu_bc.resume.operands import Callee, callee_of, given_to, object_of, operands

_BUILT_IN: Final = (
    BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, MethodWrapperType, ClassMethodDescriptorType
)  # fmt: skip
_TAKES_NOTHING: Final = {
    aiter, anext, ascii, bool, callable, delattr, dir, enumerate, eval, exec, filter, format, getattr, hasattr, hash,
    id, isinstance, issubclass, iter, len, map, print, repr, reversed, setattr, str, super, type, vars, zip,
} | {
    one for name, one in vars(itertools).items()
    if callable(one) and not name.startswith(("product", "permutations", "combinations"))
}  # fmt: skip
_IDS_TAKE_NOTHING: Final = frozenset(map(id, _TAKES_NOTHING))  # a metaclass may have its own == and hash()
_METHODS_TAKE_NOTHING: Final = frozenset({
    "append", "appendleft", "add", "insert", "setdefault", "get", "pop", "remove", "discard", "count", "index", "put",
    "put_nowait", "send", "throw", "submit", "set", "set_result",
})  # fmt: skip
_KEEP_WHAT_THEY_TOOK: Final = {  # and go on behind it
    (list, "extend"), (deque, "extend"), (deque, "extendleft"), (list, "__iadd__"), (deque, "__iadd__"),
}  # fmt: skip
# These too, but for an item that they had taken when they failed.
_KEEP_ALL_BUT_ONE: Final = {(set, "update"), (set, "difference_update"), (dict, "update")}
_METHODS_KEEP_ALL_BUT_ONE: Final = frozenset({"writelines", "writerows"})
_USE: Final = "supply the result with use VALUE"


def refusal(state: FrameState) -> str | None:
    """Why what failed cannot run again: items that it took would be lost. None if nothing is lost."""
    ins = state.protection.flow.instructions
    op, arg = ins.ops[state.index], ins.args[state.index]
    taken = operands(state, opcodes.pops(op, arg))
    name = opcodes.OPNAME[op]
    if op in opcodes.CALLS:
        return _of_call(state, taken, callee_of(state, taken), spread=name == "CALL_FUNCTION_EX")
    if name == "CONTAINS_OP":
        return _lost(state, taken[-1], "part")
    if name == "STORE_SLICE" or (name == "STORE_SUBSCR" and _is_slice(state, taken[-1])):
        return _lost(state, taken[0], "all")
    if opcodes.is_in_place(op, arg):
        kind = type(object_of(state, taken[0]))
        return _lost(state, taken[1], "none") if (kind, "__iadd__") in _KEEP_WHAT_THEY_TOOK else None
    return None


def _is_slice(state: FrameState, key: values.Value) -> bool:
    ins = state.protection.flow.instructions
    name = opcodes.OPNAME[ins.ops[key.index]]
    if name == "LOAD_CONST":
        return isinstance(state.protection.original.co_consts[ins.args[key.index]], slice)
    return name == "BUILD_SLICE"


def _of_call(state: FrameState, taken: list[values.Value], callee: Callee, spread: bool) -> str | None:
    if callee.name == "__next__":
        return asking_again_loses(callee.owner, state.exception, state.frame)
    arguments = [one for one in taken if one.null != values.ALWAYS]
    if spread:
        found = next((_lost(state, one, "all") for one in taken[2:3]), None)
        if found is not None:
            return found
        arguments = [part for one in arguments for part in given_to(one)]
    loss = _loss(callee)
    for value in arguments:
        found = _lost(state, value, loss)
        if found is not None:
            return found
    return None


def _loss(callee: Callee) -> str:
    """What the callable forgets of the items that it took: "none", "part" (the last), "all", "begun" (not known)."""
    what = callee.what.func if isinstance(callee.what, functools.partial) else callee.what
    if what is next:
        return "none"
    if not _is_built_in(what):
        return "begun"
    method = getattr(what, "__name__", "")
    owner = type(callee.owner) if callee.owner is not UNKNOWN else type(getattr(what, "__self__", None))
    if (owner, method) in _KEEP_WHAT_THEY_TOOK:
        return "none"
    if (
        (owner, method) in _KEEP_ALL_BUT_ONE
        or method in _METHODS_KEEP_ALL_BUT_ONE
        or what is any
        or what is all
    ):
        return "part"
    if (
        isinstance(what, type | BuiltinFunctionType) and what in _TAKES_NOTHING
    ) or method in _METHODS_TAKE_NOTHING:
        return "nothing taken"
    return "all"


def _is_built_in(what: object) -> bool:
    """Is this written in C, a class with all that its instances are made by?"""
    if is_class(what):
        makers = (in_class(what, "__new__"), in_class(what, "__init__"), in_class(type(what), "__call__"))
        return not any(isinstance(one, FunctionType | staticmethod) for one in makers)
    return isinstance(what, _BUILT_IN)


def _lost(state: FrameState, value: values.Value, loss: str) -> str | None:
    """What would be lost of the iterator `value` by what forgets `loss`, None if nothing or if it is no iterator."""
    iterator = object_of(state, value)
    if not hasattr(type(iterator), "__next__") or loss == "nothing taken" or was_begun(iterator) is False:
        return None
    kind = type(iterator).__name__
    if loss == "none":
        return asking_again_loses(iterator, state.exception, state.frame)
    if loss == "part":
        again = asking_again_loses(iterator, state.exception, state.frame)
        if again is not None or raised_by_itself(iterator, state.exception, state.frame):
            return again
    elif loss == "begun":
        if not (value.kept and was_begun(iterator)):
            return None
    elif isinstance(iterator, io.IOBase) and not _is_read(state):
        return None
    remedy = "redo runs the statement again from its start" if _is_made_here(state, value) else _USE
    return f"items that this has already taken from the {kind} that it was given would be lost; {remedy}"


def _is_made_here(state: FrameState, value: values.Value) -> bool:
    """Would the statement make the iterator anew, and of nothing that is itself an iterator?"""
    sources = (
        [one for operand in value.operands for one in given_to(operand) if not one.kept] if value.kept else []
    )
    return value.kept and not any(hasattr(type(object_of(state, one)), "__next__") for one in sources)


def _is_read(state: FrameState) -> bool:
    """Does what failed take the lines of a file, rather than write to it or read from it as it likes?"""
    ins = state.protection.flow.instructions
    op, arg = ins.ops[state.index], ins.args[state.index]
    if op not in opcodes.CALLS:
        return True
    what = callee_of(state, operands(state, opcodes.pops(op, arg))).what
    return is_class(what) or any(what is one for one in (sum, min, max, sorted))


def was_begun(iterator: object) -> bool | None:
    """Has something been taken from this iterator? None: it cannot be told."""
    if inspect.isgenerator(iterator):
        return inspect.getgeneratorstate(iterator) != inspect.GEN_CREATED
    kind = type(iterator)
    if kind.__module__ == "builtins" and kind.__name__.endswith("iterator"):
        return _is_advanced(iterator)
    if kind in (enumerate, map, filter, zip) or kind.__module__ == "itertools":
        begun = [was_begun(source) for source in sources_of(iterator)]
        return True if True in begun else None if None in begun or not begun else False
    return None


def _is_advanced(iterator: object) -> bool | None:
    """Has a built-in iterator left the start of what it goes through?"""
    for container in gc.get_referents(iterator):
        if type(container) in (list, tuple, str, bytes, bytearray, dict, set, frozenset):
            return len(container) != operator.length_hint(iterator, -1)
    return None
