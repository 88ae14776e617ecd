"""A result that Use supplied stays for the rest of its statement, also where the statement fails again."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import Use
from whole.crash_at import Boom, Out
from whole.fails import Fails, used


@pytest.mark.parametrize("program", [lambda x: [x + 1, x * 2], lambda x: [x.module, x.name], lambda x: [x + 1, -x]])
def test_a_supplied_value_stays_when_the_statement_fails_again(program):
    assert used(program, 1, 2) == [1, 2]


@pytest.mark.parametrize("keep", ["calls", "all"])
def test_a_supplied_method_or_global_stays_too(keep):
    def method(x):
        return x.method(x * 2, x - 1)

    def global_function(x):
        return missing_function(x * 2, 1)  # noqa: F821

    def global_value(x):
        return [missing_value, x * 2]  # noqa: F821

    for program, supplied in ((method, max), (global_function, max), (global_value, 5)):
        supply = iter([supplied, 7, 3])
        daifu_bc.protect(program, on_crash=lambda crash, supply=supply: Use(next(supply)), scope="nested", keep=keep)
        assert program(Fails()) == ([5, 7] if supplied == 5 else 7)


def test_a_supplied_value_is_among_what_is_finished_and_can_be_changed():
    seen = []

    def policy(crash):
        seen.append([(entry.source, entry.result) for entry in crash.finished])
        if len(seen) == 2:
            crash.finished[-1].result = 10
        return Use(len(seen))

    def program(x, out):
        return [out("a"), x + 1, x * 2]

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program(Fails(), Out()) == ["a", 10, 2]
    assert seen == [[('out("a")', "a")], [('out("a")', "a"), ("x + 1", 1)]]


def test_a_supplied_value_stays_for_its_statement_only():
    """The next iteration computes it anew; results of calls, cells and the iterators around are where they were."""

    class Once:
        def __init__(self, out, number):
            self.out, self.number = out, number

        def __add__(self, other):
            return self.out(("add", self.number, other))

        def __mul__(self, other):
            return self.out(("mul", self.number, other))

    class Script(Out):
        def __call__(self, value):
            if value in self.where:
                self.where.remove(value)
                raise Boom(value)
            self.log.append(value)
            return value

    def items(out):
        shared = []
        for number in range(3):
            x = Once(out, number)
            yield [out(number), x + 1, (lambda: shared)(), x * 2, x * 3]
            shared.append(number)

    out = Script([("add", 1, 1), ("mul", 1, 2), ("mul", 1, 3), ("mul", 2, 2)])
    daifu_bc.protect(items, on_crash=lambda crash: Use(crash.expression), scope="nested")
    found = [[*item[:2], *item[3:]] for item in items(out)]
    assert found == [
        [0, ("add", 0, 1), ("mul", 0, 2), ("mul", 0, 3)],
        [1, "x + 1", "x * 2", "x * 3"],
        [2, ("add", 2, 1), "x * 2", ("mul", 2, 3)],
    ]
    assert out.log.count(("add", 2, 1)) == 1  # a call follows: what it gave is kept


def test_a_supplied_value_stays_in_a_class_body_and_in_module_code():
    def program(x):
        class Made:
            both = [x + 1, x * 2]

        return Made.both

    assert used(program, 1, 2) == [1, 2]
