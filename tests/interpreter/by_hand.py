"""Functions whose code is written instruction by instruction: facts of the interpreter are seen by running them.

In: (name, argument) of instructions, rows of the exception table. Out: a function. Always true: nothing is checked:
what the interpreter does with wrong code, up to dying of it, is what the tests are about.
"""

from __future__ import annotations

from daifu_bc.interpreter import opcodes, tables


def assembled(*instructions, rows=(), consts=(None,), names=(), locals_=(), stack=10):
    """A function of these (name, argument) instructions; `rows` of its exception table count instructions."""
    raw, starts = bytearray(), []
    for name, arg in instructions:
        op = opcodes.OPMAP[name]
        starts.append(len(raw) // 2)
        raw += bytes((op, arg)) + bytes(2 * opcodes.CACHES[op])
    starts.append(len(raw) // 2)

    def function():
        pass

    table = [(starts[a], starts[b], starts[to], depth, lasti) for a, b, to, depth, lasti in rows]
    function.__code__ = function.__code__.replace(
        co_code=bytes(raw),
        co_consts=consts,
        co_names=names,
        co_varnames=locals_,
        co_nlocals=len(locals_),
        co_stacksize=stack,
        co_exceptiontable=tables.build_exception_table(table),
        co_linetable=tables.no_location_entries(starts[-1]),
    )
    return function
