"""Every living function object of edited code runs the new code, wherever the program keeps it."""

from __future__ import annotations

import functools
import gc
import inspect
import traceback

import pytest

import daifu_bc
from daifu_bc import swaps
from daifu_bc.updates import apply, undo

TEXT = """
def run(items):
    return [step(item) for item in items]

def step(item):
    return item + 1
"""


def test_calls_to_come_run_the_new_code_of_every_changed_function(program):
    one = program(TEXT)
    run = one.protect()
    step = one.module.step
    applied = one.edit(("item + 1", "item + 10"))
    assert run([1, 2]) == [11, 12] and step(1) == 11 and one.module.step is step
    assert applied.functions == 1


def test_functions_that_only_moved_have_the_lines_of_the_new_text(program):
    one = program(TEXT)
    one.protect()
    one.edit(("def run", "# a comment\n\ndef run"))
    assert one.module.step.__code__.co_firstlineno == 7
    assert inspect.getsource(one.module.step) == "def step(item):\n    return item + 1\n"


def test_methods_bound_methods_partials_hooks_and_lists_of_functions(program):
    one = program(
        """
        class Model:
            def forward(self, x):
                return x + 1

            @staticmethod
            def scale(x):
                return x * 2

            @classmethod
            def make(cls):
                return "old"

            @property
            def size(self):
                return 1

        def hook(x):
            return x - 1

        def run():
            pass
        """
    )
    one.protect()
    model = one.module.Model()
    from functools import partial

    bound, part, hooks = model.forward, partial(one.module.hook, 5), {"grad": [one.module.hook]}
    one.edit(
        ("x + 1", "x + 2"),
        ("x * 2", "x * 3"),
        ('"old"', '"new"'),
        ("return 1\n", "return 9\n"),
        ("x - 1", "-x"),
    )
    assert bound(1) == 3 and part() == -5 and hooks["grad"][0](4) == -4
    assert (model.scale(2), model.make(), model.size) == (6, "new", 9)


def test_a_decorated_function_is_found_by_its_code(program):
    one = program(
        """
        import functools

        def logged(function):
            @functools.wraps(function)
            def wrapper(*args):
                return ["called", function(*args)]
            return wrapper

        @logged
        def run(x):
            return x

        def hidden(function):
            def wrapper():
                return function() + 1
            return wrapper

        @hidden
        def other():
            return 1
        """
    )
    one.protect()
    one.edit(("return x\n", "return -x\n"), ("return 1\n", "return 5\n"))
    assert one.module.run(3) == ["called", -3] and one.module.other() == 6


def test_closures_that_are_alive_and_those_made_later(program):
    one = program(
        """
        def run(scale):
            def hook(x):
                return x * scale
            return hook
        """
    )
    run = one.protect()
    first, second = run(2), run(3)
    one.edit(("x * scale", "x * scale + 1"))
    assert (first(10), second(10), run(4)(10)) == (21, 31, 41)


def test_a_closure_keeps_its_cells_where_the_new_code_does_not_use_one(program):
    one = program(
        """
        def run(scale, shift):
            def hook(x):
                return x * scale + shift
            bare = lambda x: x * scale + shift
            return hook, bare
        """
    )
    hook, bare = one.protect()(2, 1)
    one.edit(
        ("        return x * scale + shift", "        return x + shift"),
        ("x * scale + shift\n    return", "-x\n    return"),
    )
    assert hook(10) == 11 and bare(3) == -3


def test_a_closure_that_lacks_a_variable_is_left_and_named(program):
    one = program(
        """
        def run(scale, shift):
            def hook(x):
                return x * scale
            return hook, shift
        """
    )
    hook, _ = one.protect()(2, 100)
    applied = one.edit(("x * scale", "x * scale + shift"))
    assert hook(1) == 2
    assert any("shift" in note and "hook" in note for note in applied.notes)
    assert one.module.run(2, 100)[0](1) == 102


def test_a_function_given_by_its_text_alone(program):
    one = program(
        """
        def run(scale):
            def hook(x):
                return x * scale
            return hook
        """
    )
    run = one.protect()
    hook = run(2)
    edit = apply.edit_of(hook, "def hook(x):\n    return x * scale + 1\n")
    apply.apply(edit, vars(one.module))
    assert hook(10) == 21 and run(3)(10) == 31, "the function around makes the new one from now on"
    assert "scale + 1" in inspect.getsource(hook)
    again = apply.edit_of(hook, "def hook(x):\n    return x * scale + 2\n")
    apply.apply(again, vars(one.module))
    assert hook(10) == 22 and run(3)(10) == 32


def test_entries_stay_entries_with_their_policy(program):
    one = program("def run(x):\n    return 1 / x\n\ndef other():\n    pass\n")
    asked = []

    def policy(crash):
        asked.append(crash.lineno)
        return daifu_bc.Return("mended")

    run = one.protect(on_crash=policy, keep="all", always=(ValueError,))
    one.edit(("    return 1 / x", "    y = x\n    return 2 / y"))
    assert run(0) == "mended" and asked == [3]
    entry = swaps.version_of(run).entry
    assert entry.on_crash is policy and entry.keep == "all" and entry.always == (ValueError,)
    assert swaps.version_of(run).settings.keep == "all"
    assert daifu_bc.is_protected(run)
    daifu_bc.unprotect(run)
    assert not daifu_bc.is_protected(run) and run(1) == 2.0, "unprotect gives the new original"
    with pytest.raises(ZeroDivisionError):
        run(0)


def test_what_comes_along_with_an_entry_comes_along_after_an_edit_too(program):
    one = program("def run(x):\n    return inner(x)\n\ndef inner(x):\n    return 1 / x\n")
    seen = []

    def policy(crash):
        seen.append(crash.function)
        return daifu_bc.Return(0)

    run = one.protect(on_crash=policy)
    one.edit(("1 / x", "2 / x"))  # before it was ever called
    assert run(0) == 0 and seen == ["inner"]
    one.edit(("2 / x", "3 / x"))
    assert run(0) == 0 and run(1) == 3.0 and seen == ["inner", "inner"]
    daifu_bc.unprotect(run)
    assert not daifu_bc.is_protected(one.module.inner) and one.module.inner(1) == 3.0


def test_caches_of_functools_around_changed_functions_are_cleared(program):
    one = program(
        """
        import functools

        @functools.lru_cache
        def run(x):
            return x + 1

        @functools.cache
        def untouched(x):
            calls.append(x)
            return x

        calls = []

        class Data:
            @functools.cached_property
            def size(self):
                return 1

        @functools.singledispatch
        def kind(x):
            return "any"

        @kind.register
        def _(x: int):
            return "int"
        """
    )
    daifu_bc.protect(one.module.run)
    data = one.module.Data()
    before = (one.module.run(1), data.size, one.module.kind(1), one.module.untouched(1))
    assert before == (2, 1, "int", 1)
    applied = one.edit(("x + 1", "x + 5"), ("return 1\n", "return 7\n"), ('return "int"', 'return "whole"'))
    assert (one.module.run(1), data.size, one.module.kind(1)) == (6, 7, "whole")
    assert one.module.untouched(1) == 1 and one.module.calls == [1]
    assert any("run" in note for note in applied.notes) and any("size" in note for note in applied.notes)


def test_defaults_follow_and_those_that_read_the_same_keep_their_objects(program):
    one = program(
        """
        BASE = 3

        def run(a, seen=[], rate=0.1, *, log=print, size=BASE):
            seen.append(a)
            return seen, rate, size
        """
    )
    run = one.protect()
    seen = run(1)[0]
    one.edit(
        ("rate=0.1", "rate=0.5, extra=BASE * 2"),
        ("size=BASE", "size=BASE + 1"),
        ("rate, size", "rate, extra, size"),
    )
    result = run(2)
    assert result == ([1, 2], 0.5, 6, 4) and result[0] is seen
    assert run.__kwdefaults__["log"] is print


def test_a_nested_function_takes_new_literal_defaults_only(program):
    one = program(
        """
        def run(n):
            def inner(a=1, b=n):
                return a, b
            def other(c=n):
                return c
            return inner, other
        """
    )
    inner, other = one.protect()(5)
    applied = one.edit(("a=1", "a=2"), ("c=n", "c=n + 1"))
    assert inner() == (2, 5) and other() == 5
    assert any("other" in note and "n + 1" in note for note in applied.notes)
    assert one.module.run(5)[1]() == 6


def test_docstring_and_annotations_follow(program):
    one = program('def run(x: int) -> int:\n    """Old."""\n    return x\n')
    run = one.protect()
    one.edit(("Old", "New"), ("x: int", "x: str, y: float = 1.0"))
    assert run.__doc__ == "New."
    assert run.__annotations__ == {"x": str, "y": float, "return": int}
    assert str(inspect.signature(run)) == "(x: str, y: float = 1.0) -> int"


def test_an_annotation_that_cannot_be_evaluated_is_a_note(program):
    one = program("def run(x: int):\n    return x\n")
    run = one.protect()
    applied = one.edit(("x: int", "x: Missing"), ("return x", "return -x"))
    assert run(1) == -1
    if any("annotations" in note for note in applied.notes):  # until 3.13 they are evaluated at once
        assert run.__annotations__ == {"x": int}
    else:
        with pytest.raises(NameError):
            run.__annotations__  # noqa: B018


def test_tracebacks_show_the_new_text(program):
    one = program("def run(x):\n    return x\n")
    run = one.protect()
    one.edit(("    return x", "    x += 1\n    return 1 / x"))
    with pytest.raises(ZeroDivisionError) as caught:
        run(-1)
    assert "return 1 / x" in "".join(traceback.format_exception(caught.value))


def test_nothing_is_kept_alive_by_what_can_be_taken_back(program):
    import weakref

    one = program("def run(big):\n    def hook(x=1):\n        return big\n    return hook\n")

    class Big:
        pass

    one.protect()
    big = Big()
    hook = one.module.run(big)
    one.edit(("return big", "return [big]"), ("x=1", "x=2"))
    gone = weakref.ref(big)
    del big, hook
    gc.collect()
    assert gone() is None and len(undo.applied_edits()) == 1


def test_a_function_that_was_never_seen_before_takes_new_code(program):
    one = program("def run(x):\n    return x + 1\n\ndef other():\n    return 1\n")
    one.replace(("x + 1", "x + 2"), ("return 1\n", "return 2\n"))
    applied = apply.apply(apply.edit_of(one.module.run), vars(one.module))
    assert one.module.run(1) == 3 and one.module.other() == 2
    assert any("not known" in note for note in applied.notes)


def test_wrappers_partials_and_bound_methods_are_looked_through(program):
    one = program(
        """
        import functools

        class Loader:
            def collate(self, items):
                return items

        @functools.lru_cache
        def run(x):
            return x
        """
    )
    loader = one.module.Loader()
    loader.collate_fn = functools.partial(loader.collate)
    edit = apply.edit_of(loader.collate_fn, "def collate(self, items):\n    return sum(items)\n")
    apply.apply(edit, vars(one.module))
    assert loader.collate_fn([1, 2]) == 3
    edit = apply.edit_of(one.module.run, "@functools.lru_cache\ndef run(x):\n    return -x\n")
    apply.apply(edit, vars(one.module))
    assert one.module.run(1) == -1
