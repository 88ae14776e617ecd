"""Statements, expressions and loops of code objects, in the words of their files."""

from __future__ import annotations

import dis
import linecache
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from daifu_bc.analysis import source, source_codes
from daifu_bc.analysis.source import (
    Statement,
    expression_text,
    find_loops,
    line_text,
    next_statement,
    statement_at,
)

Compile = Callable[[str], CodeType]


@pytest.fixture
def make(tmp_path: Path) -> Compile:
    """Writes a text to a new file and compiles it; the code object of the file."""
    made = iter(range(1000))

    def write(text: str) -> CodeType:
        path = tmp_path / f"text{next(made)}.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)

    return write


def inner(code: CodeType, *names: str) -> CodeType:
    """The code object nested in `code` under these names."""
    for name in names:
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
    return code


def on_line(code: CodeType, lineno: int) -> Statement:
    found = statement_at(code, (lineno, None, None, None))
    assert found is not None
    return found


def statement_of(code: CodeType, text: str) -> Statement:
    """The statement that holds the instruction whose source is `text`."""
    positions = [p for p in code.co_positions() if expression_text(code, p) == text]
    assert positions, f"no instruction is {text!r}"
    found = statement_at(code, positions[0])
    assert found is not None
    return found


BODY = '''
def f(xs, path):
    total = 0
    for x in xs:  # a comment: with a colon
        if x > 1 and (
            x < 5
        ):
            total += g(x,
                       x)
        elif x == 7: total = 7; total += h(x)
        else:
            total -= 1
    else:
        total *= 2
    with open(path) as a, (
        open(path)
    ) as b:
        total += len(a.read())
    try:
        total += q()
    except (ValueError, KeyError) as e:
        total = r(e)
    except TypeError:
        total = t()
    else:
        total += 10
    finally:
        total += 100
    while total > w(0):
        total -= v()
    match total:
        case [1, y] if y > z():
            total = y
        case _:
            total = m()
    return total
'''


@pytest.fixture
def f(make: Compile) -> CodeType:
    return inner(make(BODY), "f")


@pytest.mark.parametrize(
    ("expression", "text", "kind", "header"),
    [
        ("xs", "for x in xs:", "For", True),
        ("x > 1", "if x > 1 and (\n    x < 5\n):", "If", True),
        ("x < 5", "if x > 1 and (\n    x < 5\n):", "If", True),
        ("g(x,\n                       x)", "total += g(x,\n           x)", "AugAssign", False),
        ("x == 7", "elif x == 7:", "If", True),
        ("h(x)", "total += h(x)", "AugAssign", False),
        ("total -= 1", "total -= 1", "AugAssign", False),
        ("total *= 2", "total *= 2", "AugAssign", False),
        ("open(path)", "with open(path) as a, (\n    open(path)\n) as b:", "With", True),
        ("len(a.read())", "total += len(a.read())", "AugAssign", False),
        ("q()", "total += q()", "AugAssign", False),
        ("ValueError", "except (ValueError, KeyError) as e:", "ExceptHandler", True),
        ("r(e)", "total = r(e)", "Assign", False),
        ("TypeError", "except TypeError:", "ExceptHandler", True),
        ("w(0)", "while total > w(0):", "While", True),
        ("z()", "case [1, y] if y > z():", "match_case", True),
        ("m()", "total = m()", "Assign", False),
    ],
)
def test_the_innermost_statement(f: CodeType, expression: str, text: str, kind: str, header: bool) -> None:
    found = statement_of(f, expression)
    assert (found.text, found.kind, found.header) == (text, kind, header)


def test_lines_and_columns_of_a_statement(f: CodeType) -> None:
    found = statement_of(f, "x > 1")
    assert (found.lineno, found.end_lineno, found.col, found.end_col) == (5, 7, 8, 10)


@pytest.mark.parametrize(
    ("lineno", "after"),
    [
        (3, 4),  # the next in the block
        (4, 15),  # a loop as a whole: past its else
        (5, 4),  # an if as a whole, the last in a loop's body
        (8, 4),  # the last of an if in a loop
        (12, 4),  # the last of an else in a loop
        (14, 15),  # a loop's else goes on behind it
        (15, 19),
        (18, 19),  # out of a with
        (19, 29),  # a try as a whole
        (20, 26),  # a try's body: its else
        (21, 28),  # an except clause: finally
        (22, 28),
        (26, 28),
        (28, 29),
        (29, 31),
        (30, 29),  # the last in a while: its header
        (31, 36),
        (32, 36),
        (33, 36),
        (35, 36),
        (36, None),
    ],
)
def test_the_statement_after(f: CodeType, lineno: int, after: int | None) -> None:
    found = next_statement(f, on_line(f, lineno))
    assert (found.lineno if found is not None else None) == after


def test_statements_on_one_line(make: Compile) -> None:
    code = inner(make("def f(x):\n    if x: a(); b()\n    c(); d()\n"), "f")
    a = statement_of(code, "a()")
    b = next_statement(code, a)
    assert b is not None
    assert (a.text, b.text) == ("a()", "b()")
    c = next_statement(code, b)
    assert c is not None
    d = next_statement(code, c)
    assert d is not None
    assert (c.text, d.text, next_statement(code, d)) == ("c()", "d()", None)
    assert statement_of(code, "x").text == "if x:"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("try:\n  a()\nfinally:\n  b()\n", {"a()": "b()", "b()": None}),
        ("try:\n  a()\nexcept E:\n  b()\nc()\n", {"a()": "c()", "b()": "c()", "E": "c()"}),
        ("try:\n  a()\nexcept* E as e:\n  b()\nelse:\n  d()\nc()\n", {"a()": "d()", "b()": "c()", "d()": "c()"}),
        ("for i in j:\n  try:\n    a()\n  finally:\n    b()\n", {"a()": "b()", "b()": "for i in j:", "j": None}),
        ("while x:\n  with y:\n    if z:\n      a()\n", {"a()": "while x:", "x": None}),
        ("class C:\n  a()\nb()\n", {"b()": None}),
    ],
)
def test_the_statement_after_in_nested_blocks(make: Compile, text: str, after: dict[str, str | None]) -> None:
    code = inner(make("def f():\n" + textwrap.indent(text, "  ")), "f")
    for expression, expected in after.items():
        found = next_statement(code, statement_of(code, expression))
        assert (found.text if found is not None else None) == expected, expression


def test_async_statements(make: Compile) -> None:
    code = inner(
        make(
            """
            async def f(xs):
                async for x in xs():
                    async with x() as y:
                        await y
                return [z async for z in xs()]
            """
        ),
        "f",
    )
    assert statement_of(code, "xs()").kind == "AsyncFor"
    assert statement_of(code, "x()").text == "async with x() as y:"
    after = next_statement(code, statement_of(code, "await y"))
    assert after is not None
    assert after.text == "async for x in xs():"
    assert [loop.source for loop in find_loops(code)] == ["async for x in xs():", "async for z in xs()"]


def test_columns_are_bytes(make: Compile) -> None:
    code = inner(make("def f(größe):\n    ä = 'ö🙂'; b = größe['é'] + ä; c = 1\n    return b\n"), "f")
    texts = {expression_text(code, p) for p in code.co_positions()}
    assert {"größe['é']", "größe['é'] + ä", "'ö🙂'"} & texts >= {"größe['é']", "größe['é'] + ä"}
    found = statement_of(code, "größe['é']")
    assert found.text == "b = größe['é'] + ä"
    assert found.col == len("    ä = 'ö🙂'; ".encode())


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes("# coding: latin-1\ndef f():\n    ä = é('ö')\n".encode("latin-1"))
    code = inner(compile(path.read_bytes(), str(path), "exec"), "f")
    assert statement_of(code, "é('ö')").text == "ä = é('ö')"


def test_decorated_definitions(make: Compile) -> None:
    code = make(
        """
        @first
        @second(1)
        def f(a, *, b=len("x")) -> int:
            return g(a)

        @third
        class C(Base, metaclass=Meta):
            x = h()
        """
    )
    header = statement_of(code, "second(1)")
    assert header.text == '@first\n@second(1)\ndef f(a, *, b=len("x")) -> int:'
    assert (header.lineno, header.kind, header.header) == (2, "FunctionDef", True)
    assert statement_of(code, 'len("x")') == header
    assert statement_of(inner(code, "f"), "g(a)").text == "return g(a)"
    assert statement_of(code, "Base").text == "@third\nclass C(Base, metaclass=Meta):"
    after = next_statement(code, header)
    assert after is not None
    assert after.kind == "ClassDef"
    assert statement_of(inner(code, "C"), "h()").text == "x = h()"


def test_a_function_does_not_contain_its_own_header(make: Compile) -> None:
    code = make("@d\ndef f(a):\n    @e\n    def g(): return h()\n    return g\n")
    assert statement_at(inner(code, "f"), (2, 2, 0, 3)) is None
    assert statement_at(inner(code, "f"), (1, 1, 0, 0)) is None
    assert on_line(inner(code, "f"), 3).text == "@e\ndef g():"
    assert statement_of(inner(code, "f", "g"), "h()").text == "return h()"


def test_strings_over_several_lines_are_left_as_they_are(make: Compile) -> None:
    code = inner(make('def f():\n    x = g("""a\n    b\n  c""",\n          1)\n'), "f")
    assert on_line(code, 2).text == 'x = g("""a\n    b\n  c""",\n      1)'


def test_lambdas_and_generator_expressions_on_one_line(make: Compile) -> None:
    code = make("fs = [lambda x: a(x), lambda x: b(x), lambda x: lambda y: c(y)]; g = (i for i in (j for j in k))\n")
    lambdas = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == "<lambda>"]
    assert [source_of(c) for c in lambdas] == ["a(x)", "b(x)", "lambda y: c(y)"]
    assert source_of(inner(lambdas[2], "<lambda>")) == "c(y)"
    found = statement_of(lambdas[0], "a(x)")
    assert found.text.startswith("fs = [lambda x")
    assert next_statement(lambdas[0], found) is None
    loops = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == "<genexpr>"]
    assert sorted(find_loops(c)[0].source for c in loops) == ["for i in (j for j in k)", "for j in k"]


def source_of(code: CodeType) -> str:
    origin = source_codes.origin_of(code)
    assert origin is not None
    body: Any = origin.scope
    return origin.index.text.slice((body.body.lineno, body.body.col_offset), (body.end_lineno, body.end_col_offset))


LOOPS = """
def f(xs):
    for a in xs:
        while a > (
            1
        ):
            a -= sum(i * j for i in xs for j in i)
    for b, c in zip(
        xs, xs
    ): pass
    d = {k: [v for v in w if v] for k, w in xs}
    def g(y=[z for z in xs]):
        for never in y: pass
    class C(*[q for q in xs]):
        for never in xs: pass
    return (lambda: [never for never in xs])
"""


def test_loops_of_a_function(make: Compile) -> None:
    code = inner(make(LOOPS), "f")
    loops = find_loops(code)
    assert [loop.source for loop in loops] == [
        "for a in xs:",
        "while a > ( 1 ):",
        "for b, c in zip( xs, xs ):",
        "for v in w if v",
        "for k, w in xs",
        "for z in xs",
        "for q in xs",
    ]
    assert [loop.kind for loop in loops] == ["For", "While", "For", *["comprehension"] * 4]
    first, second = loops[:2]
    assert (first.lineno, first.col, first.end_lineno, first.end_col) == (3, 4, 3, 16)
    assert first.subject == (3, 3, 13, 15)
    assert first.whole == (3, 7, 4, 50)
    position = (7, 7, 12, 13)
    assert first.holds(position)
    assert second.holds(position)
    assert second.holds((7, None, None, None))
    assert not loops[2].holds(position)
    assert not first.holds((None, None, None, None))


def test_loops_of_generator_expressions(make: Compile) -> None:
    code = inner(make(LOOPS), "f", "<genexpr>")
    assert [loop.source for loop in find_loops(code)] == ["for i in xs", "for j in i"]


def test_the_instructions_of_a_loops_header_are_where_it_says(make: Compile) -> None:
    code = inner(make(LOOPS), "f")
    loops = find_loops(code)
    instructions = list(dis.get_instructions(code))
    asks = [i for i, instruction in enumerate(instructions) if instruction.opname == "FOR_ITER"]
    assert len(asks) == len([loop for loop in loops if loop.target is not None])
    for i in asks:
        ask, store = (tuple(instructions[j].positions or ()) for j in (i, i + 1))
        found = [loop for loop in loops if loop.target == (store[0], store[1], store[2], store[3])]
        assert len(found) == 1
        assert ask in (found[0].subject, found[0].whole)


def test_module_code(make: Compile) -> None:
    code = make("import os\nx = 1\nfor i in range(3):\n    y = x\n")
    assert statement_of(code, "range(3)").text == "for i in range(3):"
    after = next_statement(code, on_line(code, 2))
    assert after is not None
    assert after.kind == "For"
    assert line_text(code, 4) == "y = x"
    assert [loop.source for loop in find_loops(code)] == ["for i in range(3):"]


def test_private_argument_names(make: Compile) -> None:
    code = inner(make("class C:\n    def m(self, __x, *a, k=1, **kw):\n        return g(__x)\n"), "C", "m")
    assert statement_of(code, "return g(__x)").text == "return g(__x)"


def test_positions_that_are_not_known(f: CodeType) -> None:
    assert statement_at(f, (None, None, None, None)) is None
    assert statement_at(f, (999, 999, 0, 1)) is None
    assert expression_text(f, (3, 3, None, None)) == ""
    assert expression_text(f, (None, None, None, None)) == ""
    assert expression_text(f, (999, 1000, 0, 5)) == ""
    assert line_text(f, 999) == line_text(f, 0) == ""
    assert on_line(f, 9).text == "total += g(x,\n           x)"


def nothing_is_known(code: CodeType) -> bool:
    position = next(p for p in code.co_positions() if p[0] and p[3])
    return (
        statement_at(code, position) is None
        and expression_text(code, position) == ""
        and line_text(code, position[0] or 0) == ""
        and find_loops(code) == ()
    )


def test_a_text_that_is_missing() -> None:
    for name in ("<string>", "/nowhere/at/all.py", "", "nul\0.py"):
        if "\0" not in name:
            assert nothing_is_known(compile("x = f(1)", name, "exec"))
    assert nothing_is_known(compile("x = f(1)", "<x>", "exec").replace(co_filename="nul\0.py"))


def rewrite(code: CodeType, text: str) -> None:
    path = Path(code.co_filename)
    path.write_text(text)
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 10**9))


def test_a_text_that_changed_before_it_was_seen(make: Compile) -> None:
    text = "def f(x):\n    a = g(x)\n    b = h(x, a)\n    return a + b\n"
    for changed in (
        "\n" + text,
        text.replace("def f", "def e"),
        text.replace("f(x)", "f(y)"),
        "def f(x):\n    if x:\n        a = g(x)\n        b = h(x, a)\n    return 1\n",
        "def f(x:\n",
        "",
        "x = '\0'",
    ):
        code = inner(make(text), "f")
        rewrite(code, changed)
        assert nothing_is_known(code), changed


def test_code_that_was_looked_at_keeps_its_text(make: Compile) -> None:
    code = inner(make("def f(x):\n    return g(x / 2)\n"), "f")
    assert statement_of(code, "x / 2").text == "return g(x / 2)"
    rewrite(code, "def f(x):\n    return g(x // 2)\n")
    assert statement_of(code, "x / 2").text == "return g(x / 2)"


def test_code_of_a_text_that_was_remembered_and_of_its_edited_text(make: Compile) -> None:
    lines = "".join(f"    a{i} = g(x, {i})\n" for i in range(100))
    old = make(f"def f(x):\n{lines}    return g(x / 2)\n")
    source.remember_file(old.co_filename)
    text = f"def f(x):\n{lines}    return g(1 + x // 2)\n"
    rewrite(old, text)
    new = compile(text, old.co_filename, "exec")
    linecache.checkcache()
    assert statement_of(inner(new, "f"), "x // 2").text == "return g(1 + x // 2)"
    assert statement_of(inner(old, "f"), "x / 2").text == "return g(x / 2)"


def test_a_file_that_is_gone_but_was_remembered(make: Compile) -> None:
    code = inner(make("def f(x):\n    return g(x)\n"), "f")
    source.remember_file(code.co_filename)
    os.remove(code.co_filename)
    assert statement_of(code, "g(x)").text == "return g(x)"


def test_a_notebooks_cell() -> None:
    text = "def f(x):\n    return g(x)\n"
    linecache.cache["<ipython-input-1>"] = (len(text), None, text.splitlines(keepends=True), "<ipython-input-1>")
    code = inner(compile(text, "<ipython-input-1>", "exec"), "f")
    assert statement_of(code, "g(x)").text == "return g(x)"
    del linecache.cache["<ipython-input-1>"]


def test_a_file_is_parsed_once(make: Compile) -> None:
    code = make("def f(x):\n    return g(x)\ndef h(x):\n    return g(x)\n")
    first, second = (source_codes.origin_of(inner(code, name)) for name in "fh")
    assert first is not None
    assert second is not None
    assert first.index is second.index


def test_what_is_remembered_is_bounded(make: Compile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_codes, "_codes", {})
    monkeypatch.setattr(source_codes, "_files", {})
    monkeypatch.setattr(source_codes, "_MOST_CODES", 3)
    monkeypatch.setattr(source_codes, "_MOST_FILES", 2)
    codes = [make("x = 1\n") for _ in range(5)]
    assert all(on_line(code, 1).text == "x = 1" for code in codes)
    assert (len(source_codes._codes), len(source_codes._files)) == (3, 2)


def test_chains_deeper_than_calls_may_be(make: Compile) -> None:
    arms = "".join(f"    elif x == {i}:\n        y = g({i})\n" for i in range(700))
    code = inner(make(f"def f(x):\n    if x < 0:\n        y = 0\n{arms}    return y\n"), "f")
    found = next_statement(code, statement_of(code, "g(699)"))
    assert found is not None
    assert found.text == "return y"


def test_every_instruction_of_the_standard_library_has_its_statement() -> None:
    import argparse
    import textwrap as wrapping

    for module in (argparse, wrapping):
        filename = module.__file__
        assert filename is not None
        with open(filename, encoding="utf-8") as file:
            stack = [compile(file.read(), filename, "exec", dont_inherit=True)]
        while stack:
            code = stack.pop()
            stack += [c for c in code.co_consts if isinstance(c, CodeType)]
            if code.co_name == "__annotate__":
                continue
            for position in code.co_positions():
                if position[0] and position[2] is not None and (position[2], position[3]) != (0, 0):
                    found = statement_at(code, position)
                    assert found is not None, (code, position)
                    assert (found.lineno, found.col) <= (position[0], position[2]) < (found.end_lineno, found.end_col)


def test_the_version_of_this_python_is_no_matter() -> None:
    code = sys._getframe().f_code
    assert line_text(code, code.co_firstlineno + 1) == "code = sys._getframe().f_code"
