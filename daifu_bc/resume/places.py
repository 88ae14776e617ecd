"""Plans: where a frame goes on, and how the value stack is rebuilt there.

In: `FrameState`, an instruction, a recipe. Out: `Plan`.
Always true: a plan only says where to go on; nothing is changed by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from daifu_bc.analysis.keeps import own_depth
from daifu_bc.analysis.recipes import Resources
from daifu_bc.crash.state import FrameState
from daifu_bc.interpreter import opcodes
from daifu_bc.resume.held import hidden_values
from daifu_bc.transform.registry import Protection

NEXT_VALUE = (-1, 0)  # in a recipe: the next of the plan's values
PUSH_NULL = (opcodes.PUSH_NULL, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Where a frame goes on."""

    index: int = -1  # instruction of the original that the recipe is for
    target: int = -1  # instruction of the original to go on at
    side: str = "here"  # "here": at it, "label": where jumps to it arrive, "after": behind it
    depth: int = 0  # slots of the value stack that are kept
    recipe: list[tuple[int, int]] = field(default_factory=list)  # (opcode, argument): rebuilds what is above those
    values: list[object] = field(default_factory=list)  # for each NEXT_VALUE of the recipe
    rows: frozenset[int] | None = None  # handlers' rows at which it can begin; None: right here only
    returns: bool = False  # leave the frame with values[0]
    new_code: object = None  # of a surgery: what takes the place of the frame's code (surgery.Prepared)


def at(
    state: FrameState,
    index: int,
    recipe: list[tuple[int, int]],
    given: list[object],
    target: int = -1,
    side: str = "here",
) -> Plan:
    """Rebuild the value stack with `recipe` and go on at `target` (without one: at `index`).

    From right here only; where a handler has raised the exception again, the way back leads out of the handler.
    """
    depth = own_depth(state.protection.flow, index)
    rows = frozenset(state.points.chain(state.index)) if state.moved else None
    return Plan(index, target if target >= 0 else index, side, depth, recipe, given, rows)


def resources(state: FrameState) -> Resources:
    """What recipes may use in this frame."""
    return resources_of(state, state.protection)


def resources_of(state: FrameState, protection: Protection) -> Resources:
    """The same, if the frame ran the code of `protection`."""
    original = protection.original
    shift = protection.hidden_slots
    return Resources(
        flow=protection.flow,
        keeps=protection.keeps,
        dropped=state.dropped,
        bound_hidden=hidden_values(state).keys() | state.assigned.keys(),
        slot=lambda number: number if number < original.co_nlocals else number + shift,
    )
