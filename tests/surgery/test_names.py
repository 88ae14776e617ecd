"""Surgery and names: locals, cells and free variables of the old text and of the new one."""

# ruff: noqa: E501  (texts are tested as they stand, one on a line)

from __future__ import annotations

import textwrap

import pytest

import daifu_bc
from daifu_bc import At, Retry, Surgery


class Once:
    """Fails at its first call, or at call number `at`."""

    def __init__(self, at: int = 0) -> None:
        self.calls, self.at = 0, at

    def __call__(self, value=None):
        self.calls += 1
        if self.calls == self.at + 1:
            raise RuntimeError("once")
        return value


def make(text: str, tmp_path, **names):
    """A module made of `text`, in a file."""
    path = tmp_path / "made.py"
    path.write_text(textwrap.dedent(text))
    namespace = {"__name__": "made", "Once": Once, **names}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace


def edited(function, new: str, *arguments, frame: int | None = None, at: int | None = None):
    """Call `function`; at its crash it goes on in `new`. Out: what it returns, and what was refused."""
    refusals = []

    def policy(crash):
        if crash.attempt > 1 or refusals:
            return None
        restart = Surgery(source=textwrap.dedent(new), at=at)
        restart = restart if frame is None else At(frame, restart)
        refusals.append(crash.can(restart))
        return restart if refusals[-1] is None else Retry()

    daifu_bc.protect(function, on_crash=policy, scope="module")
    return function(*arguments), refusals


def test_a_local_that_was_captured_stays_captured(tmp_path):
    made = make(
        """
        def f():
            total = 1
            def add(): nonlocal total; total += 10; return total
            step()
            add()
            return total, add
        """,
        tmp_path,
        step=Once(),
    )
    new = "def f():\n    total = 1\n    add = None\n    step()\n    keep[0]()\n    total += 100\n    return total, keep[0]()\n"
    keep = []
    made["keep"] = keep

    def policy(crash):
        keep.append(crash.locals["add"])
        crash.locals["total"] = 5
        return Surgery(source=new)

    daifu_bc.protect(made["f"], on_crash=policy)
    assert made["f"]() == (115, 125)


def test_a_new_closure_captures_a_local_of_the_running_frame(tmp_path):
    made = make("def f(x):\n    y = x + 1\n    step()\n    return y\n", tmp_path, step=Once())
    new = "def f(x):\n    y = x + 1\n    get = lambda: (x, y)\n    step()\n    y += 1\n    return get()\n"
    assert edited(made["f"], new, 1) == ((1, 3), [None])


def test_a_free_variable_of_a_living_frame_is_shared(tmp_path):
    made = make(
        """
        def outer():
            count = 0
            def count_up(): nonlocal count; count += 1
            def inner():
                step()
                return 0
            got = inner()
            count_up()
            return got, count
        """,
        tmp_path,
        step=Once(),
    )
    new = "def inner():\n    nonlocal count\n    step()\n    count += 10\n    return count\n"
    assert edited(made["outer"], new) == ((10, 11), [None])


def test_a_variable_of_a_living_frame_that_nobody_captured_comes_as_it_is(tmp_path):
    made = make(
        "def outer():\n    plain = 7\n    def inner():\n        step()\n        return 0\n    return inner()\n",
        tmp_path,
        step=Once(),
    )
    assert edited(made["outer"], "def inner():\n    step()\n    return plain\n") == (7, [None])


def test_a_free_variable_out_of_reach_is_refused_with_its_name(tmp_path):
    made = make(
        """
        def outer():
            gone = 1
            used = 2
            def inner():
                step()
                return used
            return inner
        inner = outer()
        """,
        tmp_path,
        step=Once(),
    )
    new = (
        "def outer():\n    gone = 1\n    used = 2\n    def inner():\n        step()\n        return used, gone\n    return inner\n"
        "inner = outer()\n"
    )
    refusals = []

    def policy(crash):
        (tmp_path / "made.py").write_text(new)
        refusals.append(crash.can(Surgery()))
        return Retry()

    daifu_bc.protect(made["inner"], on_crash=policy)
    assert made["inner"]() == 2
    assert "uses gone, a variable of the function around" in refusals[0]


def test_a_name_becomes_global(tmp_path):
    made = make("def f():\n    rate = 1\n    step()\n    return rate\n", tmp_path, step=Once(), rate=50)
    assert edited(made["f"], "def f():\n    step()\n    return rate\n") == (50, [None])


def test_a_name_that_nobody_has_bound_is_a_clear_error(tmp_path):
    made = make("def f():\n    a = 1\n    step()\n    return 1\n", tmp_path, step=Once())
    with pytest.raises(UnboundLocalError, match="late"):
        edited(made["f"], "def f():\n    late = 3\n    a = 1\n    step()\n    return late + late\n")


def test_an_argument_is_added(tmp_path):
    made = make("def f(x):\n    step()\n    return x\n", tmp_path, step=Once())
    with pytest.raises(UnboundLocalError, match="scale"):
        edited(made["f"], "def f(x, scale=2):\n    step()\n    return x * scale\n", 4)


def test_in_a_comprehension_that_is_not_changed_it_goes_on_in_the_middle(tmp_path):
    made = make("def f():\n    got = [step(x) for x in items]\n    return got\n", tmp_path, step=Once(2), items=iter(range(5)))
    new = "def f():\n    got = [step(x) for x in items]\n    got.append('new')\n    return got\n"
    assert edited(made["f"], new) == ([0, 1, 2, 3, 4, "new"], [None])


def test_a_changed_comprehension_starts_again(tmp_path):
    made = make("def f():\n    return [step(x) for x in items]\n", tmp_path, step=Once(2), items=iter(range(5)))
    assert edited(made["f"], "def f():\n    return [step(x) + 1 for x in items]\n") == ([4, 5], [None])


def edited_file(made, tmp_path, text: str):
    """Call `f`; at its crash its file gets `text`."""
    refusals = []

    def policy(crash):
        if refusals:
            return Retry()
        (tmp_path / "made.py").write_text(text)
        refusals.append(crash.can(Surgery()))
        return Surgery() if refusals[0] is None else Retry()

    daifu_bc.protect(made["f"], on_crash=policy)
    return made["f"](), refusals


def test_a_lambda_is_edited_in_its_file(tmp_path):
    text = "def f():\n    g = lambda: step(3) + 1\n    return g()\n"
    made = make(text, tmp_path, step=Once())
    assert edited_file(made, tmp_path, text.replace("+ 1", "+ 2")) == (5, [None])


def test_a_generator_expression_goes_on_where_it_is_unchanged(tmp_path):
    text = "def f():\n    x = 0\n    return x, list(step(x) for x in items)\n"
    made = make(text, tmp_path, step=Once(2), items=iter(range(4)))
    assert edited_file(made, tmp_path, text.replace("x = 0", "x = 7")) == ((0, [0, 1, 2, 3]), [None])


def test_a_changed_generator_expression_is_refused(tmp_path):
    text = "def f():\n    return list(step(x) for x in items)\n"
    made = make(text, tmp_path, step=Once(2), items=iter(range(4)))
    result, refusals = edited_file(made, tmp_path, text.replace("step(x)", "step(x) + 1"))
    assert result == [0, 1, 2, 3]
    assert "generator expression" in refusals[0]


def test_an_outer_frame_goes_on_in_new_code(tmp_path):
    made = make(
        "def inner():\n    step()\n    return 1\ndef f():\n    x = 10\n    y = inner()\n    return x + y\n", tmp_path, step=Once()
    )
    new = "def f():\n    x = 10\n    y = 5\n    return x + y\n"
    daifu_bc.protect(made["inner"])
    assert edited(made["f"], new, frame=1) == (15, [None])


def test_a_class_body_goes_on_in_new_text(tmp_path):
    made = make(
        "def f():\n    class C:\n        a = 1\n        b = step(2)\n        c = a + b\n    return C\n", tmp_path, step=Once()
    )
    new = "def f():\n    class C:\n        a = 1\n        b = step(2)\n        c = (a, b)\n        d = 4\n    return C\n"
    refusals = []

    def policy(crash):
        (tmp_path / "made.py").write_text(new)
        refusals.append(crash.can(Surgery()))
        return Surgery()

    daifu_bc.protect(made["f"], on_crash=policy)
    made_class = made["f"]()
    assert (refusals, made_class.c, made_class.d) == ([None], (1, 2), 4)


def test_many_edits_of_one_run(tmp_path):
    made = make("def f():\n    out = []\n    for i in range(14):\n        out.append(bad0(i))\n    return out\n", tmp_path)
    text = ["def f():\n    out = []\n    for i in range(14):\n        out.append(bad0(i))\n    return out\n"]

    def policy(crash):
        number = int(crash.exception.name[3:])
        made[f"good{number}"] = lambda i: (number, i)
        text[0] = text[0].replace(f"bad{number}(i)", f"good{number}(i) if i < {number + 1} else bad{number + 1}(i)")
        return Surgery(source=text[0])

    daifu_bc.protect(made["f"], on_crash=policy)
    assert made["f"]() == [(i, i) for i in range(14)]
