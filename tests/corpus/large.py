"""Programs: functions that are large: more than 255 locals and constants, long jumps, hundreds of statements."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

from sweep.declare import large


def _made(source):
    namespace = {"__name__": __name__}
    exec(compile(source, f"<corpus {__name__}>", "exec"), namespace)
    return namespace["program"]


_NAMES = [f"v{i}" for i in range(300)]
_LINES = "\n".join(f"    {name} = {i} + 100000" for i, name in enumerate(_NAMES))
_SUM = " + ".join(_NAMES[::7])
_FILL = "\n".join(f"        v{i} = v{i} + {i + 300}" for i in range(300))

more_than_255_locals = _made(
    f"""def program(p):
{_LINES}
    for x in p.iter(2):
        v299 += len(p.call("body", v280, v281))
        a = [p.call("c", y + v290) for y in p.iter(2, "y")]
    with p.manager("m"):
        return {_SUM} + p.call("end", v299)
"""
)

long_jumps = _made(
    f"""def program(p):
{_LINES}
    for x in p.iter(2):
        p.call("start", x)
{_FILL}
        try:
            p.call("middle", x, v3)
        finally:
            p.call("finally")
{_FILL}
        p.call("end", v5)
    return {_SUM}
"""
)

many_cells_and_arguments = _made(
    f"""def program(p):
    def f({", ".join(name + "=1" for name in _NAMES)}):
        def g():
            nonlocal v0
            v0 += p.call("g", v1 + v299)
            return {_SUM}
        for x in p.iter(2):
            v299 = g() + p.call("f", v298)
        return v299, v0
    return f(v1=p.call("x"), v298=p.call("y"))
"""
)


def _nest(depth):
    loops = "".join("    " * (at + 1) + f"for x{at} in p.iter(1, 'x{at}'):\n" for at in range(depth))
    return f"def program(p):\n{loops}{'    ' * (depth + 1)}out = p.call('body', {', '.join(f'x{at}' for at in range(depth))})\n    return out\n"


loops_twelve_deep = _made(_nest(12))


def _calls(depth):
    return "def program(p):\n    return " + "p.call('f', p.call('x'), " * depth + "p.call('bottom')" + ")" * depth + "\n"


calls_ten_deep = _made(_calls(10))

chain_of_many_operands = _made("def program(p):\n    return " + " + ".join(f"p.call('c{at}')" for at in range(25)) + "\n")


_BEFORE = "\n".join(f"    n = n + {i % 7}" for i in range(10_000))
twenty_thousand_statements = large(
    _made(
        f"""def program(p):
    n = p.call("first")
{_BEFORE}
    for x in p.iter(1):
        with p.manager("m"):
            n += p.call("middle", p.call("x", n), x)[0]
{_BEFORE}
    return p.call("last", n)
"""
    )
)
