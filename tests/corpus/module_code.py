"""Programs: code made by exec, compile and eval; module bodies."""

from sweep.declare import refuses


# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def _run(p, source, name):
    namespace = {"p": p, "__name__": name}
    exec(compile(source, f"<corpus {name}>", "exec"), namespace)
    return namespace


SIMPLE = """
a = p.call("a")
for x in p.iter(2):
    b = p.call("b", x)
def f(y=p.call("default")):
    return p.call("f", y)
c = f() + f(p.call("y"))
del x
"""


def exec_of_a_module(p):
    namespace = {"p": p}
    exec(SIMPLE, namespace)
    return namespace["a"], namespace["b"], namespace["c"], "x" in namespace


def exec_with_locals(p):
    outer, inner = {"p": p}, {}
    exec("x = p.call('x')\ny = [p.call('c', x) for z in p.iter(2)]", outer, inner)
    return inner["x"], inner["y"], "x" in outer


def eval_of_expressions(p):
    x = p.call("x")
    return eval("p.call('f', x, p.call('y'))"), eval("[p.call('c', i) for i in p.iter(2)]", {"p": p})


def functions_made_by_exec(p):
    namespace = _run(p, "def f(x):\n    with p.manager('m'):\n        return p.call('f', x)\n", "made")
    return namespace["f"](p.call("x"))


# Statements that call exec keep nothing (it would be seen).
@refuses("shown")
def compile_single_prints(p):
    exec(compile("p.call('shown')\n", "<corpus single>", "single"), {"p": p})
    print("after", p.call("x"))
    return None


def exec_in_a_class_body(p):
    class C:
        effects = p
        exec("a = effects.call('a')\nb = effects.call('b', a)")
        c = p.call("c")

    return C.a, C.b, C.c


def exec_defines_a_class_and_a_generator(p):
    source = "class C:\n    x = p.call('x')\n    def g(self):\n        yield p.call('one')\n        yield p.call('two')\nout = list(C().g())\n"
    return _run(p, source, "gen")["out"]
