"""What a policy is, and how policies are joined.

In: a crash. Out: a restart, or None to pass on to the next decider.
Always true: deciding is done in two steps, so that a policy that is one of several changes nothing unless it
is followed: `consider` only looks (and says which restart it would choose), `carry_out` waits, frees, counts.
Neither a policy nor a combination returns a restart that `crash.can` refuses: it passes on, and the reason is
added to the exception as a note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from daifu_bc.restarts.restarts import Abort, Restart

Decider = Callable[[Any], Restart | None]
On = type[BaseException] | tuple[type[BaseException], ...]


class FrameLike(Protocol):
    """What a policy reads of one living frame of a crash."""

    @property
    def loops(self) -> Sequence[object]: ...


class CrashLike(Protocol):
    """What a policy reads of a crash."""

    @property
    def exception(self) -> BaseException: ...
    @property
    def function(self) -> str: ...
    @property
    def filename(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    @property
    def frame(self) -> int: ...
    @property
    def frames(self) -> Sequence[FrameLike]: ...
    def can(self, restart: Any, /) -> str | None: ...


def nothing_to_do() -> bool:
    """The `carry_out` of a decision that needs no work before it."""
    return True


@dataclass(frozen=True, slots=True)
class Decision:
    """A restart that would be chosen, and what has to be done before; if that returns False, it is off."""

    restart: Restart
    carry_out: Callable[[], bool] = nothing_to_do


class Policy:
    """Decides what happens at a crash: call it with the crash, it returns a restart or None (pass on).

    `first | second`: the first that decides. `condition & choice`: all must agree that they apply; everything
    that they do (waiting, freeing memory, counting) is done, and the restart is that of the last one. Plain
    functions of a crash can stand on either side.
    """

    __slots__ = ()

    def consider(self, crash: CrashLike) -> Decision | None:
        """What this policy would do at `crash`; changes nothing. None: it does not apply."""
        raise NotImplementedError

    def decide(self, crash: CrashLike) -> Decision | None:
        """`consider`, held against what is possible at this crash."""
        decision = self.consider(crash)
        if decision is None or possible(crash, decision.restart, str(self)):
            return decision
        return None

    def __call__(self, crash: CrashLike) -> Restart | None:
        decision = self.decide(crash)
        if decision is None or not decision.carry_out():
            return None
        return decision.restart

    def __or__(self, other: Decider) -> AnyOf:
        return AnyOf((self, other))

    def __ror__(self, other: Decider) -> AnyOf:
        return AnyOf((other, self))

    def __and__(self, other: Decider) -> AllOf:
        return AllOf((self, other))

    def __rand__(self, other: Decider) -> AllOf:
        return AllOf((other, self))


def possible(crash: CrashLike, restart: Restart, decider: str) -> bool:
    """Whether `restart` is possible without a loss; if not, a note on the exception says so, once."""
    if isinstance(restart, Abort):
        return True
    reason = crash.can(restart)
    if reason is None:
        return True
    note = f"daifu_bc: {decider} passed on, {restart} is not possible here: {reason}"
    if note not in getattr(crash.exception, "__notes__", ()):
        crash.exception.add_note(note)
    return False


class Function(Policy):
    """A plain function of a crash as a part of a combination; called when it is considered."""

    __slots__ = ("function",)

    def __init__(self, function: Decider) -> None:
        self.function = function

    def consider(self, crash: CrashLike) -> Decision | None:
        restart = self.function(crash)
        if restart is None:
            return None
        if not isinstance(restart, Restart):
            raise TypeError(
                f"{self} returned {type(restart).__name__}; a policy returns a restart, or None to pass on"
            )
        return Decision(restart)

    def __repr__(self) -> str:
        return str(getattr(self.function, "__qualname__", None) or repr(self.function))


def as_policy(decider: object) -> Policy:
    """`decider` itself if it is a policy, else a policy around it."""
    if isinstance(decider, Policy):
        return decider
    if not callable(decider) or isinstance(decider, type):
        raise TypeError(f"{decider!r} cannot be joined with a policy: a function of a crash is needed")
    return Function(decider)


class Combination(Policy):
    """Several policies that decide together; those of the same kind are laid flat."""

    __slots__ = ("parts",)
    sign = ""

    def __init__(self, deciders: Sequence[Decider]) -> None:
        parts: list[Policy] = []
        for policy in map(as_policy, deciders):
            parts.extend(policy.parts if isinstance(policy, type(self)) else [policy])
        self.parts: tuple[Policy, ...] = tuple(parts)

    def __repr__(self) -> str:
        return self.sign.join(
            f"({part})" if isinstance(part, Combination) else str(part) for part in self.parts
        )


class AnyOf(Combination):
    """The first part that decides."""

    __slots__ = ()
    sign = " | "

    def consider(self, crash: CrashLike) -> Decision | None:
        for part in self.parts:
            decision = part.decide(crash)
            if decision is not None:
                return decision
        return None

    def decide(self, crash: CrashLike) -> Decision | None:
        return self.consider(crash)


class AllOf(Combination):
    """The restart of the last part, if every part applies; the first that does not apply ends the asking."""

    __slots__ = ()
    sign = " & "

    def consider(self, crash: CrashLike) -> Decision | None:
        decisions: list[Decision] = []
        for part in self.parts:
            decision = part.consider(crash)
            if decision is None:
                return None
            decisions.append(decision)
        return Decision(decisions[-1].restart, lambda: all(decision.carry_out() for decision in decisions))


def exception_classes(on: object) -> tuple[type[BaseException], ...]:
    """`on`, an exception class or a tuple of them, as a tuple."""
    return tuple(exception_class(entry) for entry in (on if isinstance(on, tuple) else (on,)))


def exception_class(entry: object) -> type[BaseException]:
    """`entry`, which must be an exception class: said when a policy is made, not at the first crash."""
    if isinstance(entry, type) and issubclass(entry, BaseException):
        return entry
    raise TypeError(f"on: exception classes are needed, not {entry!r}")


def in_words(classes: tuple[type[BaseException], ...]) -> str:
    """`OSError or KeyError`."""
    return " or ".join(cls.__name__ for cls in classes) or "nothing"


def at_least_one(name: str, number: int | None) -> int | None:
    """`number`, which must be None or at least 1."""
    if number is not None and number < 1:
        raise ValueError(f"{name}: must be at least 1, not {number}")
    return number
