"""Actions: code that runs at a crash as if it were written there.

In: the action's text and the scene it plays in: the crashed frame's variables, its module's namespace, its original
code, the names that live with the crash. Out: the value of a single expression, None otherwise.

What we want: names mean what they mean in the crashed function, at every depth of functions, lambdas, generator
expressions and classes inside the action. What does not work: `exec` with the locals as its namespace, because code
nested in it looks names up as globals. What we do: the action is compiled as a function nested in a stand-in of the
crashed function, so that the compiler itself resolves every name; then only the inner code is run, with a closure that
we make: the frame's own cells where it has cells, a fresh cell for each plain local, whose changes are carried
back when the action ends, however it ends. What remains: a function that the action defines captures
a plain local at its value of that time (at the action's end), since the frame keeps it in a slot that cannot be shared.

Always true: what the action did before it raised stays; what it raises goes out as it is; a name that it only reads is
never written back.

Names that live with the crash are kept in `extra` as name -> value; their cells, which closures of several actions
share, under `EXTRA_CELLS`, a key that no name can be.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from daifu_bc.crash import scopes
from daifu_bc.crash.cells import read_cell
from daifu_bc.crash.snippet import Snippet, read_snippet
from daifu_bc.crash.variables import Variables

EXTRA_CELLS = ".cells"
_ABSENT = object()
_LOOK_AT_ALL_NAMES = frozenset({"locals", "vars", "dir", "eval", "exec"})
_OF_THE_COMPILER = frozenset(
    {"__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__classcell__", "__classdictcell__"}
)


@dataclass(frozen=True, slots=True)
class _Scene:
    """Where an action plays."""

    variables: Variables
    globals: dict[str, Any]
    code: CodeType
    extra: dict[str, Any]
    protect: Callable[[CodeType], CodeType] | None

    def ready(self, code: CodeType) -> CodeType:
        return code if self.protect is None else scopes.protect_nested(code, self.protect)

    def module_has(self, name: str) -> bool:
        return name in self.globals or scopes.is_global_in(self.code, name)


def run_action(
    source: str,
    *,
    variables: Variables,
    frame_globals: dict[str, Any],
    code: CodeType,
    extra: dict[str, Any],
    protect: Callable[[CodeType], CodeType] | None = None,
) -> object:
    """Run `source` as if it were written at the crash; the value of a single expression. Raises what it raises."""
    scene = _Scene(variables, frame_globals, code, extra, protect)
    around = variables.names() if variables.in_function else code.co_freevars
    result: object = None
    for part in read_snippet(source, code, around).parts():
        if part.star_import is not None:
            _import_star(scene, part, part.star_import)
        elif variables.in_function:
            result = _run_in_function(scene, part, _names_of_function(scene))
        else:
            result = _run_in_namespace(scene, part)
    return result


def _names_of_function(scene: _Scene) -> set[str]:
    """The names that the function knows as its own; not a global that only a comprehension in it used as its own."""
    names = scene.variables.names()
    shared = {name for name in names if name in scene.code.co_names}
    return {n for n in names if n not in shared or n in scene.variables or not scopes.is_global_in(scene.code, n)}


def _run_in_function(scene: _Scene, snippet: Snippet, names: set[str]) -> object:
    with_crash = _ExtraNames(scene)
    bound = _bound_names(scene, snippet)
    ours = bound & names
    module_names = {name for name in bound - ours if not scene.variables.in_function or scene.module_has(name)}
    new = bound - ours - module_names
    around = names | with_crash.visible(names) | new
    all_names = _LOOK_AT_ALL_NAMES & snippet.scope.mentioned
    action = scopes.compile_in_function(
        snippet,
        scene.code,
        sorted(around),
        nonlocals=around - module_names - snippet.scope.globals if all_names else ours | new,
        module_names=module_names,
    )
    cells = _FrameCells(scene, [name for name in action.co_freevars if name in names])
    closure = tuple(cells.get(name) or with_crash.cell(name) for name in action.co_freevars)
    run = FunctionType(scene.ready(action), scene.globals, scene.code.co_name, None, closure)
    first = [scene.variables.get(scene.code.co_varnames[0])] if scopes.wants_first(snippet, scene.code) else []
    try:
        return run(*first)
    finally:
        cells.carry_back()
        with_crash.carry_back()


def _bound_names(scene: _Scene, snippet: Snippet) -> set[str]:
    class_name = scopes.class_around(scene.code).rpartition(".")[2]
    return {scopes.mangle(name, class_name) for name in snippet.scope.bound - snippet.scope.globals}


def _run_in_namespace(scene: _Scene, snippet: Snippet) -> object:
    """Module code or a class body. The variables of a comprehension that is inlined into it are around the action."""
    variables = scene.variables
    inlined = {name for name in variables.names() if variables.in_slot(name)}
    if variables.namespace is scene.globals and inlined:
        return _run_in_function(scene, snippet, inlined)
    if scene.code.co_name != "<module>":
        return _run_in_class(scene, snippet, inlined)
    if snippet.expression is None:
        exec(scene.ready(snippet.compile(snippet.body)), scene.globals, variables.namespace)
        return None
    code = snippet.compile_expression(snippet.expression)
    return eval(scene.ready(code), scene.globals, variables.namespace)


def _run_in_class(scene: _Scene, snippet: Snippet, inlined: set[str]) -> object:
    around = inlined.union(scene.code.co_freevars)
    body = scopes.compile_in_class(snippet, scene.code, sorted(around))
    cells = _FrameCells(scene, list(body.co_freevars))
    namespace = _ClassNamespace(scene.variables)
    closure = tuple(cells.get(name) or CellType() for name in body.co_freevars)
    exec(scene.ready(body), scene.globals, namespace, closure=closure or None)
    return namespace.result


def _import_star(scene: _Scene, snippet: Snippet, statement: ast.ImportFrom) -> None:
    imported: dict[str, Any] = {}
    exec(snippet.compile([statement]), scene.globals, imported)
    names = _names_of_function(scene) if scene.variables.in_function else None
    for name, value in imported.items():
        if names is None or name in names:
            scene.variables[name] = value
        elif scene.module_has(name):
            scene.globals[name] = value
        else:
            scene.extra[name] = value


class _FrameCells:
    """Cells for names of the frame: its own, or stand-ins for its plain locals."""

    def __init__(self, scene: _Scene, names: list[str]) -> None:
        self._variables = scene.variables
        self._shared = scene.variables.cells_of(names)
        self._before = {n: scene.variables.get(n, _ABSENT) for n in names if n not in self._shared}
        self._stand_ins = {name: _cell(value) for name, value in self._before.items()}

    def get(self, name: str) -> CellType | None:
        return self._shared.get(name) or self._stand_ins.get(name)

    def carry_back(self) -> None:
        """Make the frame's plain locals what the action made of them."""
        for name, cell in self._stand_ins.items():
            value = read_cell(cell, _ABSENT)
            if value is self._before[name]:
                continue
            if value is not _ABSENT:
                self._variables[name] = value
            elif name in self._variables:
                del self._variables[name]


class _ExtraNames:
    """The names that live with the crash, each with one cell for all its actions."""

    def __init__(self, scene: _Scene) -> None:
        self._scene = scene
        known: dict[str, CellType] = scene.extra.get(EXTRA_CELLS, {})
        self._before = {name: value for name, value in scene.extra.items() if name != EXTRA_CELLS}
        self._cells = {name: known.get(name) or CellType() for name in self._before}
        for name, value in self._before.items():
            self._cells[name].cell_contents = value

    def visible(self, names: set[str]) -> set[str]:
        """Those that neither the function, which has `names`, nor its module has."""
        return {name for name in self._cells if name not in names and not self._scene.module_has(name)}

    def cell(self, name: str) -> CellType:
        if name == "__class__":
            return _cell(_class_of_method(self._scene))
        return self._cells.setdefault(name, CellType())

    def carry_back(self) -> None:
        """Make `extra` what the action made of its names."""
        extra = self._scene.extra
        cells: dict[str, CellType] = extra.setdefault(EXTRA_CELLS, {})
        for name, cell in self._cells.items():
            value = read_cell(cell, _ABSENT)
            if value is _ABSENT:
                extra.pop(name, None)
                cells.pop(name, None)
            else:
                cells[name] = cell
                if value is not self._before.get(name, _ABSENT):
                    extra[name] = value
        if not cells:
            del extra[EXTRA_CELLS]


class _ClassNamespace(MutableMapping[str, object]):
    """A class body's names while an action stands in for the body; what the compiler adds to every body is left out."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self.result: object = None

    def __getitem__(self, name: str) -> object:
        return self._variables[name]

    def __setitem__(self, name: str, value: object) -> None:
        if name == scopes.RESULT:
            self.result = value
        elif name not in _OF_THE_COMPILER:
            self._variables[name] = value

    def __delitem__(self, name: str) -> None:
        del self._variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)


def _cell(value: object) -> CellType:
    return CellType() if value is _ABSENT else CellType(value)


def _class_of_method(scene: _Scene) -> object:
    """The class that a method belongs to which does not mention it itself, by its first argument."""
    if not scene.code.co_argcount:
        return _ABSENT
    first = scene.variables.get(scene.code.co_varnames[0], None)
    wanted = (scene.globals.get("__name__"), scopes.class_around(scene.code))
    classes = (first if isinstance(first, type) else type(first)).__mro__
    return next((c for c in classes if (c.__module__, c.__qualname__) == wanted), _ABSENT)
