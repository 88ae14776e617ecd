"""The rest of a file comes along: imports, constants, helpers, classes and their members; all of it, or nothing."""

from __future__ import annotations

import sys

import pytest

import daifu_bc
from daifu_bc import CannotResume, Return
from daifu_bc.updates import undo

TEXT = """
import math

LR = 0.1
MODEL = dict(size=1)
ran = []

def note(word):
    ran.append(word)

note("start")

def run(x):
    return x
"""


def notes_with(applied, *words):
    return [note for note in applied.notes if all(word in note for word in words)]


NEW_PART = """SCALE = 2
DOUBLE = SCALE * 2

def helper(x):
    return json.dumps(x * DOUBLE)

class Box:
    pass

note('new')

@(lambda f: f)
def decorated():
    return 1

def run(x):
    return helper(x), Box, decorated()"""


def test_new_statements_run_in_order_and_what_has_run_does_not(program):
    one = program(TEXT)
    run = one.protect()
    model = one.module.MODEL
    applied = one.edit(
        ("import math", "import math\nimport json"),
        ("def run(x):\n    return x", NEW_PART),
    )
    assert run(3) == ("12", one.module.Box, 1)
    assert one.module.ran == ["start", "new"] and one.module.MODEL is model
    assert applied.notes == []


def test_changed_constants_and_imports_run_and_changed_calls_do_not(program):
    one = program(TEXT)
    one.protect()
    one.module.math = "the program's own"
    applied = one.edit(
        ("LR = 0.1", "LR = 0.2"),
        ("size=1", "size=2"),
        ('note("start")', 'note("begin")'),
        ("import math", "import math, json"),
    )
    assert one.module.LR == 0.2 and one.module.MODEL == {"size": 1} and one.module.ran == ["start"]
    assert one.module.json and one.module.math == "the program's own"
    assert notes_with(applied, "MODEL", "changed", "not run again") and notes_with(
        applied, "begin", "not run again"
    )


def test_another_name_is_a_new_constant_and_a_removed_one_stays(program):
    one = program("ran = []\na = ran.append(1)\n\ndef gone():\n    pass\n\ndef run():\n    return a\n")
    one.protect()
    applied = one.edit(
        ("a = ran.append(1)", "b = ran.append(2)"),
        ("def gone():\n    pass\n\n", ""),
        ("return a", "return b"),
    )
    assert one.module.ran == [1, 2] and one.module.a is None and one.module.gone() is None
    assert notes_with(applied, "a", "removed") and notes_with(applied, "gone", "removed")


def test_the_program_itself_is_never_run(program):
    one = program("def run():\n    return 1\n")
    one.protect()
    applied = one.edit(
        ("return 1\n", "return 2\n\nif __name__.startswith('edited'):\n    raise SystemExit\n")
    )
    assert one.module.run() == 2 and notes_with(applied, "SystemExit", "not run")


def test_definitions_in_blocks_that_have_run(program):
    one = program(
        """
        try:
            import missing_module_of_nobody
        except ImportError:
            class Fallback:
                def name(self):
                    return "old"

        if True:
            def helper():
                return 1

        def run():
            return Fallback().name(), helper()
        """
    )
    run = one.protect()
    applied = one.edit(
        ('return "old"', 'return self.other()\n\n        def other(self):\n            return "new"'),
        ("return 1\n", "return 2\n\n    def late():\n        pass\n"),
    )
    assert run() == ("new", 2) and notes_with(applied, "late", "not run")


def test_a_module_that_imported_a_constant_by_name_is_named(program):
    one = program("LR = 0.1\n\ndef run():\n    return LR\n", "settings_of_test")
    other = program("from settings_of_test import LR\n")
    one.protect()
    applied = one.edit(("LR = 0.1", "LR = 0.2"))
    assert one.module.run() == 0.2 and other.module.LR == 0.1
    assert notes_with(applied, other.module.__name__, "LR")


# Classes.

CLASS = """
class Base:
    def name(self):
        return "base"

class Model(Base):
    rate = 1
    table = list(range(3))

    def __init__(self):
        self.steps = 7

    @property
    def size(self):
        return 1

    class Inner:
        def deep(self):
            return 1

def run(model):
    return model.name()
"""


def test_new_methods_and_attributes_are_put_on_the_living_class(program):
    one = program(CLASS)
    one.protect()
    model, inner = one.module.Model(), one.module.Model.Inner()
    one.edit(
        ("    rate = 1\n", "    rate = 2\n    twice = rate * 2\n"),
        (
            "    @property\n    def size",
            """    def name(self):
        return "model+" + super().name() + __class__.__name__

    def __secret(self):
        return "secret"

    def tell(self):
        return self.__secret()

    @staticmethod
    def plain(x):
        return x

    @classmethod
    def make(cls):
        return cls()

    @property
    def area(self):
        return self.size * 10

    alias = tell

    @property
    def size""",
        ),
        (
            "return 1\n\ndef run",
            "return 1\n\n        def deeper(self):\n            return __class__\n\ndef run",
        ),
    )
    Model = one.module.Model
    assert one.module.run(model) == "model+baseModel"
    assert model.tell() == model.alias() == "secret" and "_Model__secret" in vars(Model)
    assert (model.plain(1), type(model.make()), model.area) == (1, Model, 10)
    assert (Model.rate, Model.twice, model.steps) == (2, 4, 7)
    assert inner.deeper() is Model.Inner
    assert Model.tell.__qualname__ == "Model.tell" and Model.Inner.deeper.__qualname__ == "Model.Inner.deeper"
    assert Model.tell.__module__ == one.module.__name__


def test_a_method_that_uses_super_now(program):
    one = program(CLASS)
    one.protect()
    model = one.module.Model()
    one.edit(("        self.steps = 7", "        super().__init__()\n        self.steps = 8"))
    assert one.module.Model().steps == 8 and model.steps == 7


def test_a_method_made_anew_for_super_keeps_what_it_was(program):
    one = program(
        """
        class Base:
            def name(self, *rest):
                return "base", *rest

        class Model(Base):
            def name(self, seen=[]):
                return 1 / self.zero

            @classmethod
            def make(cls, x=1):
                return x

            def __hidden(self):
                return 1

            def run(self):
                return self.__hidden()

        def run():
            pass
        """
    )
    asked = []

    def policy(crash):
        asked.append(crash.function)
        return Return("mended")

    Model = one.module.Model
    daifu_bc.protect(Model.name, on_crash=policy)
    one.protect()
    old, model = Model.name, Model()
    old.mark = seen = old.__defaults__[0]
    one.edit(
        ("return 1 / self.zero", "return super().name(seen, self.zero)"),
        ("return x", "return __class__, x"),
        ("return 1\n", "return __class__\n"),
    )
    assert model.name() == "mended" and asked == ["Model.name"], "it is an entry still"
    model.zero = 0
    assert model.name() == ("base", seen, 0) and model.name()[1] is seen and Model.name.mark is seen
    assert Model.make() == (Model, 1) and model.run() is Model
    undo.revert()
    assert Model.name is old and Model.make() == 1 and model.run() == 1


def test_a_setter_for_a_property_that_is_there(program):
    one = program(CLASS)
    one.protect()
    model = one.module.Model()
    setter = "    @size.setter\n    def size(self, value):\n        self.steps = value\n"
    one.edit(
        ("        return 1\n\n    class Inner", f"        return self.steps\n\n{setter}\n    class Inner")
    )
    model.size = 5
    assert model.size == 5


def test_new_members_are_told_their_names(program):
    one = program("import functools\n\nclass Data:\n    pass\n\ndef run():\n    pass\n")
    one.protect()
    data = one.module.Data()
    one.edit(
        ("    pass\n\ndef", "    @functools.cached_property\n    def size(self):\n        return 3\n\ndef")
    )
    assert data.size == 3 and vars(data) == {"size": 3}


def test_what_is_laid_out_already_is_named(program):
    one = program(
        """
        import enum
        from dataclasses import dataclass

        @dataclass
        class Config:
            rate: float = 0.1

        class Colour(enum.Enum):
            RED = 1

        class Slots:
            __slots__ = ("a",)

        class Model(dict):
            table = list(range(3))

        def run():
            return Config()
        """
    )
    run = one.protect()
    before = run()
    applied = one.edit(
        ("rate: float = 0.1", "rate: float = 0.2\n    size: int = 3"),
        ("RED = 1", "RED = 1\n    BLUE = 2"),
        ('("a",)', '("a", "b")'),
        ("Model(dict)", "Model(list)"),
        ("range(3)", "range(4)"),
    )
    assert run().rate == 0.1 and run() == before and len(one.module.Colour) == 1
    assert issubclass(one.module.Model, dict) and len(one.module.Model.table) == 3
    for words in (
        ("rate", "dataclass"),
        ("size", "dataclass"),
        ("BLUE", "enum"),
        ("__slots__",),
        ("Model", "bases"),
        ("table",),
    ):
        assert notes_with(applied, *words), words


def test_changed_decorators_are_named(program):
    one = program("class C:\n    def m(self):\n        return 1\n\ndef run():\n    return 1\n")
    one.protect()
    applied = one.edit(
        ("    def m(self)", "    @staticmethod\n    def m(self)"), ("def run", "@(lambda f: f)\ndef run")
    )
    assert notes_with(applied, "decorators", "C.m") and notes_with(applied, "decorators", "run")


# All or nothing.


@pytest.mark.parametrize(
    "broken",
    [
        "import module_of_nobody",
        "NEW = 1 / 0",
        "(lambda: 1 / 0)()",
        "class New:\n    x = missing",
        "@missing\ndef helper():\n    pass",
    ],
)
def test_new_code_that_raises_changes_nothing(program, broken):
    one = program(CLASS)
    run = one.protect()
    names, code = dict(vars(one.module)), run.__code__
    members = dict(vars(one.module.Model))
    with pytest.raises(CannotResume, match="nothing was changed"):
        one.edit(
            ("def run(model):", f"FIRST = 1\n{broken}\n\ndef run(model, other=FIRST):"),
            ("    rate = 1", "    rate = 2\n    def more(self):\n        pass"),
            ('"base"', '"other"'),
        )
    assert dict(vars(one.module)) == names and run.__code__ is code
    assert dict(vars(one.module.Model)) == members and run(one.module.Model()) == "base"
    assert undo.applied_edits() == ()
    one.edit((broken, "SECOND = 2"))
    assert one.module.FIRST == 1 and one.module.SECOND == 2 and run(one.module.Model()) == "other"


@pytest.mark.parametrize(
    "pair",
    [("rate = 1", "rate = 1\n    worse = 1 / 0"), ("def run(model)", "def run(model, x=missing)")],
)
def test_members_and_defaults_that_raise_change_nothing(program, pair):
    one = program(CLASS)
    run = one.protect()
    with pytest.raises(CannotResume, match="nothing was changed"):
        one.edit(("class Base", "NEW = 1\n\nclass Base"), pair, ('"base"', '"other"'))
    assert not hasattr(one.module, "NEW") and run(one.module.Model()) == "base" and run.__defaults__ is None


def test_text_that_is_no_python_changes_nothing(program):
    one = program(CLASS)
    run = one.protect()
    with pytest.raises(CannotResume, match="no Python"):
        one.edit(("def run(model):", "def run(model:"))
    assert run(one.module.Model()) == "base"


# Taking back.


def test_revert_gives_functions_names_and_members_back(program):
    one = program(CLASS)
    run = one.protect()
    model = one.module.Model()
    one.edit(
        ('"base"', '"first"'), ("class Base", "NEW = 1\n\nclass Base"), ("rate = 1", "rate = 2\n    more = 1")
    )
    one.edit(('"first"', '"second"'), ("def run(model)", "def run(model, x=1)"))
    assert run(model) == "second" and run.__defaults__ == (1,)
    undo.revert()
    assert run(model) == "first" and run.__defaults__ is None and one.module.NEW == 1
    undo.revert()
    assert run(model) == "base" and not hasattr(one.module, "NEW")
    assert one.module.Model.rate == 1 and not hasattr(one.module.Model, "more")
    assert undo.revert() is None
    one.edit(('"second"', '"third"'))
    assert run(model) == "third" and one.module.NEW == 1, "after that, edits are compared with what runs"


def test_what_the_program_has_set_since_stays_when_an_edit_is_taken_back(program):
    one = program("LR = 1\n\ndef run():\n    return LR\n")
    run = one.protect()
    one.edit(("LR = 1", "LR = 2"))
    one.module.LR = 3
    undo.revert()
    assert run() == 3


def test_a_module_run_under_two_names_is_updated_in_both(program, monkeypatch):
    import importlib.util

    one = program("LR = 1\n\ndef run():\n    return LR\n")
    spec = importlib.util.spec_from_file_location("second_name_of_it", one.path)
    second = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "second_name_of_it", second)
    spec.loader.exec_module(second)
    one.protect()
    one.edit(("LR = 1", "LR = 2\nNEW = 5"), ("return LR", "return LR, NEW"))
    assert one.module.run() == second.run() == (2, 5)
