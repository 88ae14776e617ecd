"""Signal handlers that are written in Python, recognised by their code.

Always true: only the table of handlers is looked at.
"""

from __future__ import annotations

# `signal.getsignal` and `signal.valid_signals` make an enum member of every number: fifty times the price.
import _signal  # type: ignore[import-not-found]  # it has no stubs
from types import CodeType, FunctionType, MethodType


def codes_of_handlers() -> set[CodeType]:
    """The code, as it runs, of the handlers that are installed."""
    codes = set()
    for number in range(1, _signal.NSIG):
        handler = _signal.getsignal(number)
        if isinstance(handler, MethodType):
            handler = handler.__func__
        if isinstance(handler, FunctionType):
            codes.add(handler.__code__)
    return codes
