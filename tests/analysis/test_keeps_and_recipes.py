"""What is kept, and how the value stack is made again from it: names are read afresh, effects never run twice."""

from __future__ import annotations

import pytest

from daifu_bc.analysis import values
from daifu_bc.analysis.contexts import contexts_of
from daifu_bc.analysis.flow import flow_of
from daifu_bc.analysis.instructions import decode
from daifu_bc.analysis.keeps import keeps_of, own_depth
from daifu_bc.analysis.recipes import Resources, kept_for, recipe_for
from daifu_bc.errors import CannotResume
from daifu_bc.interpreter import opcodes


def analyzed(function, keep_all=False):
    flow = flow_of(decode(function.__code__, plain_methods=keep_all))
    return flow, keeps_of(flow, keep_all)


def calls(flow):
    """Indices of calls, in order."""
    return [index for index, op in enumerate(flow.instructions.ops) if op == opcodes.CALL]


def kept_names(function, which=-1, keep_all=False):
    """Opcodes of what a retry of call number `which` keeps."""
    flow, keeps = analyzed(function, keep_all)
    return [opcodes.OPNAME[flow.instructions.ops[value.index]] for value in kept_for(flow, keeps, calls(flow)[which])]


def test_nothing_is_kept_for_a_single_call():
    assert analyzed(lambda f, a: f(a.b, 1, a))[1].slots == 0


def test_arithmetic_alone_keeps_nothing():
    def program(a, b):
        total = a + b * 2 - a[0]
        while total < 10:
            total = total + 1
        return total, [total, a], {b: a}

    assert analyzed(program)[1].slots == 0


def test_the_inner_of_two_nested_calls_is_kept():
    assert kept_names(lambda f, a: f(f(a))) == ["CALL"]


def test_all_finished_calls_that_are_still_needed_are_kept():
    assert kept_names(lambda f: f(f(1), f(2), [f(3)])) == ["CALL", "CALL", "CALL"]


def test_an_operator_that_a_call_follows_is_kept():
    assert len(kept_names(lambda f, a: f(a * 2))) == 1
    assert len(kept_names(lambda f, a: f(a[0], 1))) == 1


def test_an_operator_after_the_last_call_is_not_kept():
    flow, keeps = analyzed(lambda a, b: (a * 2) + b)
    assert keeps.slots == 0


def test_with_keep_all_operators_are_kept():
    flow, keeps = analyzed(lambda a, b: (a * 2) + b, keep_all=True)
    assert keeps.slots == 1


def test_different_statements_share_hidden_locals():
    def program(f):
        f(f(1))
        f(f(2))
        f(f(3), f(4))
        f(f(5), f(6))

    assert analyzed(program)[1].slots == 2


def test_statements_that_look_at_their_locals_keep_nothing():
    def program(f):
        return f(f(1), locals())

    assert analyzed(program)[1].slots == 0


def test_a_value_of_two_paths_is_kept_where_they_join():
    def program(f, a, b):
        found = f(a if a else b, f)
        return found, a, b

    _, keeps = analyzed(program)
    assert any(value.kind == values.JOIN for value in keeps.kept)


def every_raising(flow):
    """Instructions that a barrier covers and a retry may be asked for."""
    found, ops = contexts_of(flow, {}), flow.instructions.ops
    for index, op in enumerate(ops):
        if ops[index - 1] == opcodes.CHECK_EXC_MATCH:
            continue  # the jump behind it is handed a bool
        if opcodes.RAISES[op] and found.of[index] >= 0 and op not in opcodes.RERAISES and op != opcodes.RAISE_VARARGS:
            yield index


def resources(flow, keeps, dropped=()):
    return Resources(
        flow=flow,
        keeps=keeps,
        dropped=dropped,
        bound_hidden=range(keeps.slots),
        slot=lambda number: number if number < flow.instructions.code.co_nlocals else number + keeps.slots,
    )


def programs():
    def nested(f, a, i):
        return f(f(a[i()]), key=f(2), *f(3), **f(4))

    def stores(a, b, f):
        a[f(1)] = b[f(2)].c = f(3)
        a[f(4)] += f(5)
        del a[f(6)]

    def control(f, g):
        x = f(1) and g(2) or f(3)
        return f(x) if g() else [f(4) < g(5) < f(6), f"{f(7)!r:{g(8)}}"]

    def loops(f, it):
        for a, *b in f(it()):
            with f(a) as c, f(b):
                f(c, [f(x) for x in it(a) if f(x)])
        else:
            return {f(k): f(v) for k, v in it()}

    def handlers(f):
        try:
            return f(f(1))
        except f(2) as error:
            raise f(3) from f(error)
        finally:
            f(f(4))

    def unpacking(f):
        a, *b = [*f(1), f(2), *f(3)]
        return {**f(4), "k": f(5), **f(6)}, (*a, f(7), *b)

    def generator(f):
        x = yield f((yield f(1)), f(2))
        y = yield from f(x)
        return f(y, f(3))

    async def coroutine(f):
        async with f(1) as a, f(2):
            async for b in f(a):
                await f(b, await f(3), [await f(c) async for c in f(4)])

    def classes(f):
        @f(1)
        class Made(f(2), metaclass=f(3)):
            x = f(f(4))

            def method(self, a=f(5)):
                return super().method(f(a), f(6))

        return Made

    def matches(f):
        match f(f(1)):
            case {"a": [x, *y], **z} if f(x, f(y)):
                return f(z)
            case f.Kind(a=1, b=q):
                return f(q, f(2))

    return [value for value in locals().values() if callable(value)]


@pytest.mark.parametrize("keep_all", [False, True], ids=["calls", "all"])
@pytest.mark.parametrize("program", programs(), ids=lambda program: program.__name__)
def test_recipes_run_no_effects(program, keep_all):
    """Whatever raises: what its recipe emits are names, operators and loads of what was kept."""
    flow, keeps = analyzed(program, keep_all)
    for index in every_raising(flow):
        for op, _arg in recipe_for(resources(flow, keeps), index):
            assert opcodes.KIND[op] in (opcodes.BARE, opcodes.NAME, opcodes.OPERATOR), opcodes.OPNAME[op]


@pytest.mark.parametrize("keep_all", [False, True], ids=["calls", "all"])
@pytest.mark.parametrize("program", programs(), ids=lambda program: program.__name__)
def test_recipes_make_as_many_slots_as_were_there(program, keep_all):
    flow, keeps = analyzed(program, keep_all)
    for index in every_raising(flow):
        recipe = recipe_for(resources(flow, keeps), index)
        made = sum(opcodes.pushes(op, arg) - opcodes.pops(op, arg) for op, arg in recipe)
        assert made == values.depth_of(flow.before[index]) - own_depth(flow, index)


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.__name__)
def test_with_keep_all_no_operator_runs_twice(program):
    flow, keeps = analyzed(program, keep_all=True)
    harmless = {"BUILD_TUPLE", "BUILD_STRING", "BUILD_SLICE", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "IS_OP"}
    harmless |= {"BUILD_LIST", "BUILD_MAP", "BUILD_SET", "BUILD_CONST_KEY_MAP", "MATCH_MAPPING", "MATCH_SEQUENCE"}
    for index in every_raising(flow):
        for op, _arg in recipe_for(resources(flow, keeps), index):
            assert opcodes.KIND[op] != opcodes.OPERATOR or opcodes.OPNAME[op] in harmless, opcodes.OPNAME[op]


def test_a_kept_result_that_is_not_there_is_an_error_and_not_a_jump_into_the_dark():
    flow, keeps = analyzed(lambda f: f(f(1)))
    missing = Resources(flow, keeps, (), (), lambda number: number)
    with pytest.raises(CannotResume):
        recipe_for(missing, calls(flow)[-1])


def test_a_dropped_result_is_computed_again():
    flow, keeps = analyzed(lambda f: f(f(1)))
    (kept,) = kept_for(flow, keeps, calls(flow)[-1])
    recipe = recipe_for(resources(flow, keeps, dropped={kept}), calls(flow)[-1])
    assert opcodes.CALL in [op for op, _ in recipe]


def test_operands_that_are_given_are_left_out():
    flow, keeps = analyzed(lambda f: f(f(1), 2))
    index = calls(flow)[-1]
    count = opcodes.pops(flow.instructions.ops[index], flow.instructions.args[index])
    assert recipe_for(resources(flow, keeps), index, count) == []


def test_locals_are_read_by_loads_that_check():
    flow, keeps = analyzed(lambda f, a: f(a, a))
    loads = {op for op, _ in recipe_for(resources(flow, keeps), calls(flow)[-1])}
    assert not loads & (opcodes.UNCHECKED_LOADS | opcodes.PAIR_LOADS)


def test_what_a_finished_call_was_made_from_is_not_kept_when_a_finally_stores_to_its_name():
    """The frame of a traceback would keep it alive: programs store None there to break a cycle."""

    def program(make):
        context = make()
        try:
            return context.handle("name", make)
        finally:
            context = None

    assert analyzed(program)[1].slots == 0


def test_a_name_that_waits_itself_while_it_is_stored_to_is_kept():
    def program(f, a):
        return f(a, (a := f(1)), f(2))

    flow, keeps = analyzed(program)
    assert any(opcodes.OPNAME[flow.instructions.ops[value.index]].startswith("LOAD_FAST") for value in keeps.kept)
