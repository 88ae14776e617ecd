"""Facts of the interpreter that are seen in what its compiler makes and in what running it shows."""

from __future__ import annotations

import dis
import sys
import types

import pytest

from daifu_bc.interpreter import behavior, opcodes, tables


def instructions(function):
    return list(dis.get_instructions(function))


def test_iteration_over_lists_is_virtual_where_the_fact_says_so():
    """Then GET_ITER leaves two slots, and the frame's iterator of a list is no object that anybody could hold."""

    def program(items):
        for item in items:
            pass

    get_iter = opcodes.OPMAP["GET_ITER"]
    arg = 0 if get_iter >= dis.HAVE_ARGUMENT or get_iter in getattr(dis, "hasarg", ()) else None
    assert (dis.stack_effect(get_iter, arg) == 1) is behavior.iteration_is_virtual
    assert (opcodes.ITER_SLOTS == 2) is behavior.iteration_is_virtual
    assert opcodes.GET_ITER in [one.opcode for one in instructions(program)]


def test_imports_name_their_module_where_the_fact_says_so():
    def program():
        import a
        import b

        return a, b

    (first, second) = [one for one in instructions(program) if one.opname == "IMPORT_NAME"]
    indices = [program.__code__.co_names.index(name) for name in "ab"]
    shifted = [one.arg >> 2 for one in (first, second)] == indices and second.arg != indices[1]
    assert shifted is behavior.imports_may_be_lazy


def test_loads_borrow_where_the_fact_says_so():
    def program(x):
        return x.y

    borrows = any("BORROW" in one.opname for one in instructions(program))
    assert borrows is behavior.loads_may_borrow


def test_conditional_jumps_test_truth_where_the_fact_says_so():
    def program(x):
        if x:
            return 1

    tests = any(one.opname == "TO_BOOL" for one in instructions(program))
    assert tests is not behavior.jumps_test_truth


def test_hidden_names_are_dropped_from_a_namespace_where_the_fact_says_so():
    """A local put into module code: where the fact says so, reading the namespace drops a name that equals it."""
    module = compile("name = 'kept'\nseen = 'name' in look().f_locals", "<text>", "exec")
    hidden = module.replace(co_varnames=(*module.co_varnames, "name"), co_nlocals=module.co_nlocals + 1)
    for code, dropped in ((module, False), (hidden, behavior.f_locals_drops_hidden_names)):
        namespace = {"look": lambda: sys._getframe(1)}
        exec(code, namespace)
        assert namespace["seen"] is not dropped
        assert ("name" in namespace) is not dropped


def test_jumps_are_relative():
    """A prologue in front of untouched code leaves its jumps valid."""

    def program(n):
        total = 0
        for i in range(n):
            if i % 2:
                continue
            total += i
        return total

    code = program.__code__
    prologue = bytes((opcodes.NOP, 0)) * 7
    rows = tables.shift_exception_table(tables.parse_exception_table(code.co_exceptiontable), 7)
    moved = code.replace(
        co_code=prologue + code.co_code,
        co_exceptiontable=tables.build_exception_table(rows),
        co_linetable=tables.no_location_entries(7) + code.co_linetable,
    )
    assert types.FunctionType(moved, globals())(6) == program(6)
    assert list(moved.co_positions())[7:] == list(code.co_positions())
    assert list(moved.co_positions())[:7] == [(None, None, None, None)] * 7


def test_two_compilations_of_the_same_text_are_equal_code():
    """So nothing may be looked up by a code object's value, only by its identity."""
    first, second = (compile("x = 1", "<text>", "exec") for _ in range(2))
    assert first == second and first is not second


def test_a_class_body_returns_its_classcell():
    cells = []

    class Meta(type):
        def __new__(meta, name, bases, namespace):
            cells.append(namespace.get("__classcell__"))
            return super().__new__(meta, name, bases, namespace)

    class Made(metaclass=Meta):
        def method(self):
            return __class__

    assert type(cells[0]) is types.CellType and cells[0].cell_contents is Made


def test_super_without_arguments_looks_at_the_first_argument_of_the_frame():
    alias = super

    class Base:
        def greet(self):
            return "base"

    class Derived(Base):
        def greet(self):
            return __class__ and alias().greet()

    assert Derived().greet() == "base"
    without = Derived.greet.__code__.replace(co_argcount=0)
    function = types.FunctionType(without, globals(), closure=Derived.greet.__closure__)
    with pytest.raises(RuntimeError, match="super"):
        function()


def test_generators_wrap_their_body_in_a_handler_for_stop_iteration():
    def generator():
        yield 1

    rows = tables.parse_exception_table(generator.__code__.co_exceptiontable)
    names = {one.offset // 2: one.opname for one in instructions(generator)}
    assert [names[row[2]] for row in rows][-1] == "CALL_INTRINSIC_1"


def test_resume_is_in_no_range_of_the_compiler():
    def program():
        try:
            print()
        finally:
            print()

    resume = next(one.offset // 2 for one in instructions(program) if one.opname == "RESUME")
    rows = tables.parse_exception_table(program.__code__.co_exceptiontable)
    assert all(not row[0] <= resume < row[1] for row in rows)


@pytest.mark.parametrize("name", sorted(opcodes.OPMAP))
def test_every_instruction_is_of_one_class(name):
    kinds = (opcodes.BARE, opcodes.NAME, opcodes.OPERATOR, opcodes.EFFECT, opcodes.FLOW)
    assert opcodes.KIND[opcodes.OPMAP[name]] in kinds


def test_sets_of_opcodes_hold_what_dis_says_of_jumps():
    jumps = {op for op in dis.hasjrel if op < 256 and not opcodes.OPNAME[op].startswith(("INSTRUMENTED", "<"))}
    jumps &= set(opcodes.OPMAP.values())
    assert jumps - opcodes.REFERS_BACK == set(opcodes.JUMPS)
    assert not dis.hasjabs
