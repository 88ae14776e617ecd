"""The rooms of the package are in order: a module imports only from its own room and from those below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "daifu_bc"

# From the bottom to the top. Rooms of one line do not know each other.
ROOMS = [
    {"errors"},
    {"interpreter"},
    {"analysis"},
    {"transform"},
    {"crash"},
    {"restarts"},
    {"surgery", "resume"},
    {"recovery"},
    {"instrument"},
    {"pause"},
    {"console", "autoinstrument", "integrations"},
    {"remote"},
    {"cli"},
    {"__init__", "__main__"},
]
# A room without a folder has its further files at the top.
SAME_ROOM = {
    "decide": "recovery",
    "decided": "recovery",
    "departures": "recovery",
    "operation": "recovery",
    "patching": "pause",
    "aftermath": "recovery",
    "reserve": "recovery",
    "along": "instrument",
    "import_ends": "instrument",
    "scope": "instrument",
    "swaps": "instrument",
    "targets": "instrument",
    "updates": "instrument",
}
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}


def imported(tree: ast.AST) -> Iterator[str]:
    """Names of the package's own modules that a file imports, at its top or anywhere else."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str | None:
    """The room of `daifu_bc.a.b`, "__init__" for the package itself, None for the modules of others."""
    parts = module.split(".")
    if parts[0] != "daifu_bc":
        return None
    room = parts[1] if len(parts) > 1 else "__init__"
    return SAME_ROOM.get(room, room)


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_imports_point_downwards(path: Path) -> None:
    own = path.relative_to(PACKAGE).with_suffix("").parts[0]
    own = SAME_ROOM.get(own, own)
    assert own in LEVEL, f"{own} has no place in the order of rooms"
    for module in imported(ast.parse(path.read_text())):
        room = room_of(module)
        # `from daifu_bc import errors` names the package too: what counts is the room that comes of it.
        if room is None or room in (own, "__init__"):
            continue
        assert room in LEVEL or LEVEL[own] == max(LEVEL.values()), f"{module} is of no room"
        assert LEVEL.get(room, 0) < LEVEL[own], f"imports {module}, which is not below {own}"
