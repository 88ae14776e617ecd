"""A patched function's text written back into a file.

In: the function's code, a file. Out: the file with the function's new text in place of the old; which lines it is on.
Always true: the rest of the file stays byte for byte (encoding, line ends, decorators that the new text does not
have); the new text takes the indentation of the place, lines inside of strings stay as they are; the file is replaced
in one step, and only if the result is Python with the function in its place.
"""

from __future__ import annotations

import ast
import os
import tempfile
import tokenize
from pathlib import Path
from types import CodeType

from daifu_bc.analysis.source_codes import origin_of, scope_in
from daifu_bc.analysis.source_index import Definition, SourceIndex
from daifu_bc.errors import CannotResume
from daifu_bc.surgery.texts import codes_in, compile_module, parse_module


def write_back(code: CodeType, path: str) -> tuple[int, int]:
    """Put the text of `code` (as the compiler made it) into the file. Out: first and last line. Raises CannotResume."""
    origin = origin_of(code)
    if origin is None or not isinstance(origin.scope, Definition):
        raise CannotResume(f"keep: the text of {code.co_qualname} is not known")
    raw, encoding = _read(path)
    rows = raw.splitlines(keepends=True)
    first, last = _place_in(rows, code, path, with_decorators=bool(origin.scope.decorator_list))
    margin = rows[first - 1][: len(rows[first - 1]) - len(rows[first - 1].lstrip())]
    text = _indented(origin.index.text.lines, origin.scope, margin)
    end = "\r\n" if rows[first - 1].endswith("\r\n") else "\n"
    new = [row.rstrip("\r\n") + end for row in text]
    result = "".join([*rows[: first - 1], *new, *rows[last:]])
    _place_in(result.splitlines(keepends=True), code, path, with_decorators=False)
    _replace(path, result.encode(encoding))
    return first, first + len(new) - 1


def _read(path: str) -> tuple[str, str]:
    try:
        with open(path, "rb") as file:
            encoding, _ = tokenize.detect_encoding(file.readline)
            file.seek(0)
            return file.read().decode(encoding), encoding
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise CannotResume(f"keep: {path} cannot be read: {error}") from error


def _place_in(rows: list[str], code: CodeType, path: str, *, with_decorators: bool) -> tuple[int, int]:
    """First and last line of the function in a file's text."""
    lines = [row.rstrip("\r\n") + "\n" for row in rows]
    module = compile_module(parse_module("".join(lines), path), path, code)
    found = [one for one in codes_in(module) if one.co_qualname == code.co_qualname]
    scope = scope_in(found[0], SourceIndex(lines)) if len(found) == 1 else None
    if not isinstance(scope, Definition):
        raise CannotResume(f"keep: {path} has {len(found)} times {code.co_qualname}; nothing was written")
    first = scope.decorator_list[0].lineno if with_decorators and scope.decorator_list else scope.lineno
    return first, scope.end_lineno or first


def _indented(lines: list[str], scope: Definition, margin: str) -> list[str]:
    first = scope.decorator_list[0].lineno if scope.decorator_list else scope.lineno
    own = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    inside = _inside_strings(scope)
    result = []
    for number in range(first, (scope.end_lineno or first) + 1):
        row = lines[number - 1]
        is_code = number not in inside and row.strip()
        result.append(margin + row[:own].lstrip() + row[own:] if is_code else row)
    return result


def _inside_strings(scope: ast.AST) -> set[int]:
    found = (node for node in ast.walk(scope) if isinstance(node, ast.Constant | ast.JoinedStr))
    return {line for node in found for line in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)}


def _replace(path: str, content: bytes) -> None:
    real = Path(path).resolve()
    try:
        handle, temporary = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, real.stat().st_mode & 0o7777)
        os.replace(temporary, real)
    except OSError as error:
        raise CannotResume(f"keep: {path} cannot be written: {error}") from error


__all__ = ["write_back"]
