"""A surgery at a crash: the plan for the crashed frame, and the entrance into the new code.

In: `FrameState` and `Surgery`; later the snapshot. Out: `Plan`; later the unfinished procedure in the new code.
Always true: planning changes nothing; the functions that are alive are brought up to date when the surgery has been
decided on, while the crash is still there to decide on should that fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import CellType, CodeType, FrameType
from typing import Any

from daifu_bc.analysis import contexts, values
from daifu_bc.analysis.keeps import own_depth
from daifu_bc.analysis.recipes import Resources, recipe_for
from daifu_bc.crash.state import FrameState
from daifu_bc.crash.variables import Variables
from daifu_bc.errors import CannotResume, Paused
from daifu_bc.interpreter import behavior, opcodes
from daifu_bc.restarts.restarts import Restart, Surgery
from daifu_bc.resume import check
from daifu_bc.resume import plan as plans
from daifu_bc.resume.places import NEXT_VALUE, PUSH_NULL, Plan
from daifu_bc.resume.procedure import Entrance, build_procedure
from daifu_bc.resume.refusals import retry_refusal
from daifu_bc.resume.snapshot import EMPTY, Snapshot
from daifu_bc.surgery import diff
from daifu_bc.surgery.diff import Preview
from daifu_bc.surgery.prepare import Prepared, prepare
from daifu_bc.surgery.texts import read_edit
from daifu_bc.transform.protect import checking_twin
from daifu_bc.transform.registry import Protection, original_of, protection_of

Updater = Callable[[Prepared, dict[str, Any]], object]
Foresight = Callable[[Prepared, dict[str, Any]], list[str]]
_update: Updater | None = None  # handed in from above
_foresee: Foresight | None = None


def set_updater(updater: Updater | None, foresight: Foresight | None = None) -> None:
    """Call `updater` with a surgery that was decided on and the module's namespace: it brings everything else that the
    edit changes into the program, all of it or nothing (CannotResume: then there is no surgery either).

    `foresight` says what of it would not be applied, and changes nothing.
    """
    global _update, _foresee
    _update, _foresee = updater, foresight


def plan(state: FrameState, restart: Restart) -> Plan:
    """Where `restart` leads in this frame. Raises CannotResume."""
    return _plan_surgery(state, restart) if isinstance(restart, Surgery) else plans.plan(state, restart)


def diff_of(chosen: Plan) -> str | None:
    """What a surgery changed, as a unified diff; None for other restarts."""
    return diff.unified(chosen.new_code) if isinstance(chosen.new_code, Prepared) else None


def preview(state: FrameState, restart: Surgery) -> Preview:
    """What this surgery would do. Raises CannotResume."""
    _plan_surgery(state, restart)
    prepared = prepared_for(state, restart)
    found = diff.preview(prepared, state.lineno)
    notes = _foresee(prepared, state.frame.f_globals) if _foresee is not None else []
    return replace(found, notes=(*found.notes, *notes))


def bring_along(state: FrameState, restart: Surgery) -> None:
    """What comes with a surgery besides the crashed frame. Raises CannotResume: then the crash is as it was."""
    if _update is not None:
        _update(prepared_for(state, restart), state.frame.f_globals)


def _plan_surgery(state: FrameState, restart: Surgery) -> Plan:
    """Where the crashed frame is left for the new code. Raises CannotResume."""
    prepared = prepared_for(state, restart)
    flow = state.protection.flow
    if prepared.exactly:
        reason = retry_refusal(state)
        if reason is not None:
            raise CannotResume(f"surgery: the failing statement is as it was: {reason}; or choose a line with at=LINE")
    _outer_cells(state, prepared, state.variables)
    rows = frozenset(state.points.chain(state.index)) if state.moved else None
    return Plan(state.index, state.index, "here", own_depth(flow, state.index), [], [], rows, new_code=prepared)


def prepared_for(state: FrameState, restart: Surgery) -> Prepared:
    """The surgery worked out for this frame. Raises CannotResume."""
    paused = isinstance(state.exception, Paused)
    return prepared_at(state.frame, state.protection, state.index, restart, starts_over=paused)


def prepared_at(
    frame: FrameType, protection: Protection, index: int, restart: Surgery, *, starts_over: bool
) -> Prepared:
    """The surgery worked out for a frame that is at instruction `index`. Raises CannotResume."""
    known = {name for variables in _enclosing(frame, protection.original) for name in variables.names()}
    edit = read_edit(protection.original, restart.source, restart.path, known)
    key = (id(protection), index, id(edit), restart.at, starts_over)
    found = _prepared.get(key)
    if found is None or found[1].edit is not edit:
        made = prepare(protection, index, edit, restart.at, starts_over=starts_over)
        found = _prepared[key] = (protection, made)
        while len(_prepared) > _MOST:
            del _prepared[next(iter(_prepared))]
    return found[1]


_MOST = 4
_prepared: dict[tuple[object, ...], tuple[Protection, Prepared]] = {}


def _enclosing(frame: FrameType, own: CodeType) -> Iterator[Variables]:
    """Variables of the living frames of the functions that the one with `own` code is defined in, innermost first."""
    around: FrameType | None = frame.f_back
    while around is not None:
        code = original_of(around.f_code)
        is_around = own.co_qualname.startswith(code.co_qualname + ".<locals>.")
        if is_around and code.co_filename == own.co_filename:
            yield Variables(around, code)
        around = around.f_back


def _outer_cells(state: FrameState, prepared: Prepared, own: Mapping[str, object]) -> dict[str, CellType]:
    """Cells of free variables that the old code does not have. Raises CannotResume for one that is out of reach.

    `own`: the frame's variables.
    """
    found: dict[str, CellType] = {}
    for name in prepared.protection.original.co_freevars:
        if name in _slot_names(state.protection.original):
            continue
        for variables in _enclosing(state.frame, state.protection.original):
            cells = variables.cells_of([name])
            if name in cells or name in variables:
                found[name] = cells[name] if name in cells else CellType(variables[name])
                break
        else:
            owner = _class_around(state, own) if name == "__class__" else None
            if owner is not None:
                found[name] = CellType(owner)
                continue
            raise CannotResume(
                f"surgery: the new text uses {name}, a variable of the function around that no living frame or closure "
                "has; pass it in another way (a global, an argument's default)"
            )
    return found


def _class_around(state: FrameState, own: Mapping[str, object]) -> type | None:
    """The class that a method's text stands in, found among those of its first argument."""
    code = state.protection.original
    names = code.co_varnames[:1] if code.co_argcount else ()
    if not names or names[0] not in own:
        return None
    first: Any = own[names[0]]
    bases: tuple[type, ...] = first.__mro__ if issubclass(type(first), type) else type(first).__mro__
    where = code.co_qualname.rpartition(".")[0], state.frame.f_globals.get("__name__")
    return next((one for one in bases if (one.__qualname__, one.__module__) == where), None)


# Entering the new code.


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """Numbers of a protected code's local slots."""

    names: list[str]
    protection: Protection

    def slot(self, number: int) -> int:
        """Local slot in the original -> in the protected code."""
        original = self.protection.original
        return number if number < original.co_nlocals else number + self.protection.hidden_slots

    def numbers(self) -> dict[str, int]:
        return {name: self.slot(number) for number, name in enumerate(self.names)}


def enter(state: FrameState, chosen: Plan, snapshot: Snapshot, frame_globals: dict[str, Any]) -> Callable[[], Any]:
    """The unfinished procedure in the new code. `snapshot`: of the old frame, with the developer's changes."""
    prepared = chosen.new_code
    assert isinstance(prepared, Prepared)
    converted = _converted(state, prepared, snapshot)
    code, protection = _code_to_enter(prepared, converted)
    entrance = _entrance(prepared, protection, snapshot, converted)
    return build_procedure(code, protection, converted, entrance, frame_globals)


def _converted(state: FrameState, prepared: Prepared, snapshot: Snapshot) -> Snapshot:
    """The snapshot as one of the new code."""
    old, new = state.protection, prepared.protection
    before, after = _Shape(_slot_names(old.original), old), _Shape(_slot_names(new.original), new)
    plain, cells = _by_name(before, snapshot)
    contents = {name: cell.cell_contents for name, cell in cells.items() if _is_bound(cell)}
    outer = _outer_cells(state, prepared, plain | contents)
    variables: dict[int, object] = {}
    cell_slots = dict.fromkeys(new.cell_numbers)
    new_cells: dict[int, object] = {}
    for name, number in after.numbers().items():
        if number in cell_slots:
            new_cells[number] = cells.get(name) or outer.get(name) or _new_cell(plain, name)
        elif name in plain:
            variables[number] = plain[name]
        elif name in cells:
            content = getattr(cells[name], "cell_contents", EMPTY) if _is_bound(cells[name]) else EMPTY
            if content is not EMPTY:
                variables[number] = content
    first_old, first_new = old.original.co_nlocals, new.original.co_nlocals
    for one, other in prepared.carried.kept.items():
        if prepared.exactly and first_old + one in snapshot.variables:
            variables[first_new + other] = snapshot.variables[first_old + one]
    stack = new.flow.before[prepared.index]
    kinds = contexts.kinds_of(values.cut(stack, len(prepared.carried.slots)))  # type: ignore[arg-type]
    slots = [snapshot.slots[slot] if slot >= 0 else EMPTY for slot in prepared.carried.slots]
    return Snapshot(kinds, slots, variables, [new_cells[number] for number in new.cell_numbers], snapshot.namespace)


def _slot_names(code: CodeType) -> list[str]:
    """Names of the local slots: variables, cells that are no arguments, free variables."""
    own = [name for name in code.co_cellvars if name not in code.co_varnames]
    return [*code.co_varnames, *own, *code.co_freevars]


def _by_name(shape: _Shape, snapshot: Snapshot) -> tuple[dict[str, object], dict[str, CellType]]:
    plain: dict[str, object] = {}
    cells: dict[str, CellType] = {}
    in_cells = dict(zip(shape.protection.cell_numbers, snapshot.cells, strict=True))
    for name, number in shape.numbers().items():
        cell = in_cells.get(number)
        if isinstance(cell, CellType):
            cells[name] = cell
        elif number in snapshot.variables:
            plain[name] = snapshot.variables[number]
    return plain, cells


def _is_bound(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _new_cell(plain: dict[str, object], name: str) -> CellType:
    return CellType(plain[name]) if name in plain else CellType()


def _code_to_enter(prepared: Prepared, converted: Snapshot) -> tuple[CodeType, Protection]:
    """The new code, with checking loads of the names that the old frame had not bound."""
    empty = frozenset(check.unchecked_loads(prepared.protection) - converted.variables.keys())
    if not empty:
        return prepared.code, prepared.protection
    twin = checking_twin(prepared.code, prepared.protection, empty)
    found = protection_of(twin)
    assert found is not None
    return twin, found


def _entrance(prepared: Prepared, protection: Protection, snapshot: Snapshot, converted: Snapshot) -> Entrance:
    recipe: list[tuple[int, int]] = []
    given: list[object] = []
    for exit_slots in prepared.carried.left:
        recipe += _CALL_IT
        leave, *own = (snapshot.slots[slot] for slot in exit_slots)
        assert callable(leave)
        given.append(partial(leave, *[item for item in own if item is not EMPTY], None, None, None))
    if prepared.exactly:
        recipe += recipe_for(_resources(protection, converted), prepared.index)
    where = protection.positions_of if prepared.exactly else protection.labels_of
    return Entrance(
        index=prepared.index,
        position=where[prepared.index],
        depth=len(converted.slots),
        recipe=recipe,
        values=given,
    )


def _resources(protection: Protection, converted: Snapshot) -> Resources:
    original = protection.original
    hidden = {number - original.co_nlocals for number in converted.variables if number >= original.co_nlocals}
    shape = _Shape([], protection)
    return Resources(protection.flow, protection.keeps, dropped=(), bound_hidden=hidden, slot=shape.slot)


_CALL_IT = [
    *([] if behavior.null_follows_callable else [PUSH_NULL]),
    NEXT_VALUE,
    *([PUSH_NULL] if behavior.null_follows_callable else []),
    (opcodes.CALL, 0),
    (opcodes.POP_TOP, 0),
]


__all__ = ["bring_along", "diff_of", "enter", "plan", "prepared_for", "preview", "set_updater"]
