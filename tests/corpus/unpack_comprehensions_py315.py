"""Programs: unpacking in comprehensions (Python 3.15)."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def list_comprehension_unpacks(p):
    return [*p.iterable(x + 1, f"it{x}") for x in p.iter(2)]


def dict_comprehension_unpacks(p):
    return {**p.mapping(**{f"k{x}": p.call("v")}) for x in p.iter(2)}


def set_comprehension_unpacks(p):
    return {*p.call("body", [x, x + 1]) for x in p.iter(2) if p.call("test", True)}


def generator_expression_unpacks(p):
    return list(*p.call("make", [(p.call("a", x) for x in p.iter(2))])), list((*p.iter(2, "inner") for x in p.iter(2)))
