"""New code for living functions: an entry stays an entry, protected code stays protected.

In: a function, new original code. Out: the same function object, running it from its next call on.
Always true: what may fail (making protected code) is done by `ready`, before anything is changed; entry, policy, scope,
keep and always stay; `unprotect` gives the new original; frames that run the old code stay below their entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FunctionType

from daifu_bc import along, instrument, swaps
from daifu_bc.errors import CannotProtect, DaifuError
from daifu_bc.swaps import Version
from daifu_bc.transform import Settings, protect_code
from daifu_bc.transform.registry import protection_of


@dataclass(slots=True, eq=False)
class Renewal:
    """Protected twins that one edit has made, for functions of the same code to share."""

    twins: dict[tuple[int, Settings], CodeType] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def ready(self, function: FunctionType, original: CodeType, like: FunctionType) -> Callable[[], None]:
        """Make the code, protected as that of `like` is. Out: what installs it, and fails only where a function takes
        no other code.
        """
        version = swaps.version_of(like)
        if version is not None:
            try:
                renewed = self._version(version, original)
            except CannotProtect as reason:
                self.notes.append(f"{original.co_qualname} runs unprotected from now on: {reason}")
                return lambda: _install_plain(function, original)
            return lambda: _install(function, version, renewed)
        protection = protection_of(like.__code__)
        code = original if protection is None else self.twin(original, protection.settings)
        return lambda: setattr(function, "__code__", code)

    def twin(self, original: CodeType, settings: Settings) -> CodeType:
        """Protected code without an entry; the original where that cannot be."""
        known = self.twins.get((id(original), settings))
        if known is None:
            try:
                known = protect_code(original, settings)
            except DaifuError:
                known = original
            self.twins[id(original), settings] = known
        return known

    def _version(self, version: Version, original: CodeType) -> Version:
        if version.entry is not None:
            # For its own use: an entry's code is nobody else's.
            return instrument.entry_renewed(
                version, original, self.twins.pop((id(original), version.settings), None)
            )
        return along.version_renewed(version, original)


def _install(function: FunctionType, old: Version, new: Version) -> None:
    swaps.install(function, new)
    if old is not new:
        old.heirs.add(function)  # frames of it may still run the old code: an entry stays one for them


def _install_plain(function: FunctionType, original: CodeType) -> None:
    swaps.forget(function)
    function.__code__ = original


__all__ = ["Renewal"]
