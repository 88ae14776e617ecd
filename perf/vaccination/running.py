"""What runs a vaccinated function: its context, its cells, and what a crash leads to.

In: a function and a policy: it gets a `Crash` and returns None (the failing statement runs again), new source for the
rest of the cell, or raises to let the exception go on. Out: a function of the same signature.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from perf.vaccination.cells import (
    BIND,
    BREAK,
    CONTEXT,
    CRASHED,
    RETURN,
    CannotVaccinate,
    Cell,
    Decomposer,
    globals_of,
    names_of,
)

MOST_ATTEMPTS = 100


Context = dict[str, Any]  # the one dictionary of all variables; a class of its own would not be specialised


def bind(context: Context, name: str, value: Any) -> Any:
    """`(name := value)`."""
    context[name] = value
    return value


@dataclass
class Crash:
    """What the policy sees. `context` may be changed: that is an action."""

    exception: BaseException
    context: Context
    lineno: int


Policy = Callable[[Crash], str | None]


def vaccinate(function: Callable[..., Any], on_crash: Policy | None = None) -> Callable[..., Any]:
    """`function`, with crash barriers around its body and the bodies of its loops."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise CannotVaccinate("no plain function")
    code: CodeType = function.__code__  # type: ignore[attr-defined]
    ast.increment_lineno(tree, code.co_firstlineno - tree.lineno)
    decomposer = Decomposer(names_of(tree), globals_of(tree))
    decomposer.cell(tree.body, in_loop=False)
    patient = Patient(function, decomposer, on_crash)
    return patient.entry()


class Patient:
    """One vaccinated function."""

    def __init__(self, function: Callable[..., Any], decomposer: Decomposer, on_crash: Policy | None) -> None:
        self.function = function
        self.filename: str = function.__code__.co_filename  # type: ignore[attr-defined]
        self.cells: list[Cell] = decomposer.cells
        self.on_crash = on_crash
        self.namespace: dict[str, Any] = dict(inspect.getclosurevars(function).nonlocals)
        self.namespace |= {BREAK: object(), RETURN: object(), CRASHED: self.crashed, BIND: bind}
        self._decomposer = decomposer
        self._run([cell.function(cell.statements) for cell in self.cells])

    def _run(self, definitions: list[ast.FunctionDef]) -> None:
        """Define cells: they read the function's own module, and each other as free variables."""
        factory = ast.parse(f"def factory({', '.join(self.namespace)}):\n return locals()").body[0]
        assert isinstance(factory, ast.FunctionDef)
        factory.body[:0] = definitions
        module = ast.fix_missing_locations(ast.Module([factory], []))
        made: dict[str, Any] = {}
        exec(compile(module, self.filename, "exec"), self.function.__globals__, made)  # type: ignore[attr-defined]
        self.namespace = made["factory"](**self.namespace)

    def entry(self) -> Callable[..., Any]:
        """The function that is called: binds the arguments, runs the first cell."""
        signature = inspect.signature(self.function)
        names, cell, crashed = tuple(signature.parameters), self.namespace[self.cells[0].name], self.crashed
        plain = all(
            one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty for one in signature.parameters.values()
        )

        @functools.wraps(self.function)
        def entry(*arguments: Any, **named: Any) -> Any:
            if plain and not named and len(arguments) == len(names):
                context = Context(zip(names, arguments, strict=True))
            else:
                bound = signature.bind(*arguments, **named)
                bound.apply_defaults()
                context = Context(bound.arguments)
            try:
                result = cell(context)
            except BaseException as error:
                result = crashed(0, context, error)
            return result[1] if result is not None else None

        return entry

    def crashed(self, number: int, context: Context, error: BaseException) -> Any:
        """A cell has raised: ask, then run its unfinished procedure."""
        if self.on_crash is None or isinstance(error, GeneratorExit | KeyboardInterrupt):
            raise error
        statements = self.cells[number].statements
        for _ in range(MOST_ATTEMPTS):
            lineno = self._line(number, error)
            rest = statements[self._failing(statements, lineno) :]
            source = self.on_crash(Crash(error, context, lineno))
            if source is not None:
                rest = self._operated(source, self.cells[number])
            try:
                return self._procedure(number, rest)(context)
            except BaseException as again:
                error, statements = again, rest
        raise error

    @staticmethod
    def _line(number: int, error: BaseException) -> int:
        """Where it failed, in the frame of the cell."""
        names = (f"_vaccine_cell_{number}", f"_vaccine_cell_{number}_unfinished")
        frames = traceback.walk_tb(error.__traceback__)
        return next((line for frame, line in frames if frame.f_code.co_name in names), 0)

    @staticmethod
    def _failing(statements: list[ast.stmt], lineno: int) -> int:
        for index, statement in enumerate(statements):
            if statement.lineno <= lineno <= (statement.end_lineno or statement.lineno):
                return index
        return 0

    def _procedure(self, number: int, rest: list[ast.stmt]) -> Callable[[Context], Any]:
        name = f"_vaccine_cell_{number}_unfinished"
        self._run([self.cells[number].function(rest, name)])
        made: Callable[[Context], Any] = self.namespace[name]
        return made

    def _operated(self, source: str, cell: Cell) -> list[ast.stmt]:
        """New source for the rest of the cell, rewritten like the rest; loops in it get cells of their own."""
        first = len(self.cells)
        new = self._decomposer.cell(ast.parse(textwrap.dedent(source)).body, cell.in_loop)
        self._run([one.function(one.statements) for one in self.cells[first:]])
        return new.statements


__all__ = ["CONTEXT", "Context", "Crash", "Patient", "vaccinate"]
