"""A code object -> the protected one: the same instructions, kept results, barrier blocks, a new exception table.

In: a code object as the compiler made it. Out: one that behaves the same until something raises.
Always true: what was not verified is not returned; nested code objects are protected with it, and one that
cannot be is left as it is, with the reason on record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import CodeType

from daifu_bc.analysis.contexts import contexts_of
from daifu_bc.analysis.dispatch import dispatches_of
from daifu_bc.analysis.flow import flow_of
from daifu_bc.analysis.instructions import decode
from daifu_bc.analysis.keeps import keeps_of
from daifu_bc.errors import CannotProtect
from daifu_bc.interpreter import opcodes
from daifu_bc.transform import registry
from daifu_bc.transform.registry import Protection, Settings
from daifu_bc.transform.writer import Writer

Leave = Callable[[CodeType], bool]


def protect_code(code: CodeType, settings: Settings, leave: Leave | None = None) -> CodeType:
    """The protected twin of `code`; nested code that `leave` names is left as it is. Raises CannotProtect."""
    known = registry.carried(code)
    if known is not None:
        original, before = known
        if before == settings and registry.is_protected_code(code):
            return code
        code = original
    return _writer(code, settings).write(protect_nested(code.co_consts, settings, leave))


def _writer(code: CodeType, settings: Settings) -> Writer:
    keep_all = settings.keep == "all"
    flow = flow_of(decode(code, plain_methods=keep_all))
    dispatches = {} if settings.always else dispatches_of(flow)
    tests = frozenset(index for one in dispatches.values() for index in one.indices)
    return Writer(flow, keeps_of(flow, keep_all, tests), contexts_of(flow, dispatches), settings)


def _rebuild(code: CodeType, original: CodeType, settings: Settings) -> Protection | None:
    """The record of `code`, which carries `original`; None if it is not what is made of that."""
    return _writer(original, settings).describe(code)


registry.set_rebuild(_rebuild)


def checking_twin(code: CodeType, protection: Protection, unbound: frozenset[int]) -> CodeType:
    """The same protected code, with loads of these local slots that ask whether they are bound."""
    known = protection.checked.get(unbound)
    if known is None:
        writer = Writer(protection.flow, protection.keeps, protection.contexts, protection.settings, unbound)
        known = writer.write(code.co_consts[: len(protection.original.co_consts)])
        protection.checked[unbound] = known
    return known


def keeping_twin(code: CodeType, protection: Protection, also: frozenset[int]) -> CodeType:
    """The same protected code, in which the results of these instructions are kept too. Raises CannotProtect."""
    known = protection.keeping.get(also)
    if known is None:
        settings = protection.settings
        keep_all = settings.keep == "all"
        plain = keep_all or any(protection.flow.instructions.ops[index] in opcodes.METHOD_LOADS for index in also)
        flow = flow_of(decode(protection.original, plain_methods=plain))
        dispatches = {} if settings.always else dispatches_of(flow)
        tests = frozenset(index for one in dispatches.values() for index in one.indices)
        writer = Writer(flow, keeps_of(flow, keep_all, tests, also), contexts_of(flow, dispatches), settings)
        known = writer.write(code.co_consts[: len(protection.original.co_consts)])
        record = registry.protection_of(known)
        assert record is not None
        registry.register(known, replace(record, also=also))
        protection.keeping[also] = known
    return known


def protect_nested(
    consts: tuple[object, ...], settings: Settings, leave: Leave | None = None
) -> tuple[object, ...]:
    """The constants, with code objects among them protected."""
    return tuple(
        protect_or_leave(const, settings, leave) if isinstance(const, CodeType) else const for const in consts
    )


def protect_or_leave(code: CodeType, settings: Settings, leave: Leave | None = None) -> CodeType:
    """The protected twin of `code`; what cannot be protected is left as it is, with the reason on record."""
    left = leave is not None and leave(code)
    try:
        if not left:
            return protect_code(code, settings, leave)
    except CannotProtect as reason:
        registry.record_skipped(code, str(reason))
    except Exception as error:  # the barrier against our own faults: the user's code runs as it is
        registry.record_skipped(code, f"internal error: {type(error).__name__}: {error}")
    return code.replace(co_consts=protect_nested(code.co_consts, settings, leave))
