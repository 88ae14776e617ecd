"""Programs: class bodies, methods, super, metaclasses, descriptors, operators of user classes."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

from sweep.declare import repeats



def class_body_with_effects(p):
    class C:
        a = p.call("a")
        b = p.call("b", a)
        for i in p.iter(2):
            c = p.call("c", i)
        d = [p.call("d", x) for x in p.iter(2)]

        def f(self):
            return p.call("f", self.a)

    return C.a, C.b, C.c, C.d, C().f()


def class_body_with_control_flow(p):
    class C:
        if p.call("test", True):
            x = p.call("then")
        else:
            x = p.call("else")
        try:
            y = p.call("try")
        except ValueError:
            y = p.call("never")
        with p.manager("m"):
            z = p.call("with")
        while p.call("loop", z < 0):
            pass

    return C.x, C.y, C.z


@repeats("subclass", "bases")
def class_with_bases_and_keywords(p):
    base = p.base()

    class A(base, option=p.call("option")):
        x = p.call("x")

    class B(*p.call("bases", [A])):
        y = p.call("y")

    return B.x, B.y, B.__mro__[1] is A


@repeats("make C", "prepare C")
def class_with_a_metaclass(p):
    class C(metaclass=p.metaclass(), option=p.call("option")):
        a = p.call("a")
        b = p.call("b", a)
        del a

        def f(self):
            return p.call("f")

    return C.b, C().f()


def metaclass_of_the_program(p):
    class Meta(type):
        def __new__(mcs, name, bases, namespace, **options):
            p.call("new", name, sorted(options))
            return super().__new__(mcs, name, bases, namespace)

        def __init__(cls, name, bases, namespace, **options):
            p.call("init", name)
            super().__init__(name, bases, namespace)

        def __call__(cls, *args):
            p.call("call", cls.__name__)
            return super().__call__(*args)

    class C(metaclass=Meta, flag=p.call("flag")):
        def __init__(self, x):
            self.x = p.call("x", x)

    return C(p.call("arg")).x


def methods_and_super(p):
    class A:
        def __init__(self, x):
            self.x = p.call("A", x)

        def f(self, y):
            return p.call("A.f", self.x, y)

    class B(A):
        def __init__(self, x, y):
            super().__init__(p.call("to A", x))
            self.y = p.call("B", y)

        def f(self, y):
            return p.call("B.f", super().f(p.call("y", y)), self.y)

    return B(1, p.call("two")).f(3)


def super_in_nested_functions(p):
    class A:
        def f(self):
            return p.call("A.f")

        @classmethod
        def g(cls):
            return p.call("A.g", cls.__name__)

    class B(A):
        def f(self):
            inner = lambda: super(B, self).f()
            return p.call("B.f", inner(), [super(B, self).f() for _ in p.iter(1)])

        @classmethod
        def g(cls):
            return p.call("B.g", super().g())

    return B().f(), B.g()


def super_methods_that_crash_in_a_loop(p):
    class A:
        def step(self, x):
            return p.call("A.step", x)

    class B(A):
        def step(self, x):
            out = []
            for y in p.iter(2):
                out.append(super().step(x + y))
            return out, __class__.__name__

    return B().step(p.call("x"))


def static_class_and_property(p):
    class C:
        @staticmethod
        def s(x):
            return p.call("s", x)

        @classmethod
        def c(cls, x):
            return p.call("c", cls.__name__, x)

        @property
        def q(self):
            return p.call("get q")

        @q.setter
        def q(self, value):
            p.call("set q", value)

        @q.deleter
        def q(self):
            p.call("del q")

    c = C()
    c.q = p.call("value")
    out = [C.s(p.call("x")), c.c(1)]
    out.append(c.q)
    c.q += 1
    del c.q
    return out


@repeats("set_name")
def descriptors(p):
    class C:
        d = p.descriptor("d", 5)
        e = p.descriptor("e")

    c = C()
    c.e = p.call("x")
    c.d += p.call("y")
    del c.e
    return c.d, c.e, C.d


def operators_of_the_program(p):
    class V:
        def __init__(self, x):
            self.x = p.call("init", x)

        def __add__(self, other):
            return V(p.call("add", self.x + other.x))

        def __iadd__(self, other):
            self.x += p.call("iadd", other)
            return self

        def __getitem__(self, at):
            return p.call("item", self.x, at)

        def __setitem__(self, at, value):
            self.x = p.call("store", value)

        def __lt__(self, other):
            return p.call("lt", self.x < other.x)

        def __bool__(self):
            return p.call("bool", self.x > 2)

        def __len__(self):
            return p.call("len", 3)

        def __contains__(self, item):
            return p.call("contains", item == self.x)

        def __call__(self, y):
            return p.call("call", self.x, y)

        def __format__(self, spec):
            return f"{p.call('format', self.x)}{spec}"

    a, b = V(1), V(p.call("two"))
    c = a + b
    c += p.call("three")
    c[p.call("at")] = c[0][1] + 1
    return c.x, a < b, bool(c), len(c), 4 in c, c(p.call("arg")), f"{c:x}", "yes" if a else "no"


def iteration_of_the_program(p):
    class It:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            p.call("iter")
            return self

        def __next__(self):
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            return p.call("next", self.n)

    class Old:
        def __getitem__(self, at):
            if at > 1:
                raise IndexError(at)
            return p.call("old", at)

    seen = []
    for x in It(2):
        seen.append(p.call("body", x))
    a, b = It(2)
    return seen, a, b, list(Old()), [p.call("c", x) for x in It(1)]


def getattr_and_setattr_of_the_program(p):
    class C:
        def __getattr__(self, name):
            if name == "missing":
                raise AttributeError(p.call("missing", name))
            return p.call("get", name)

        def __setattr__(self, name, value):
            p.call("set", name, value)
            super().__setattr__(name, value)

        def __delattr__(self, name):
            p.call("delete", name)
            super().__delattr__(name)

    c = C()
    b = c.b
    c.a = b + p.call("x", "y")
    out = [c.a, getattr(c, "missing", "default"), hasattr(c, "missing")]
    del c.a
    return out


def dataclasses_and_enums(p):
    import dataclasses
    import enum

    @dataclasses.dataclass
    class D:
        a: int
        b: list = dataclasses.field(default_factory=lambda: [p.call("factory")])

        def __post_init__(self):
            self.a += p.call("post")

    class E(enum.Enum):
        ONE = p.call("one")
        TWO = p.call("two")

        def f(self):
            return p.call("f", self.name)

    return D(p.call("a")).a, D(1).b, [e.f() for e in E]


def class_in_a_class_in_a_function(p):
    def make(n):
        class Outer:
            x = p.call("outer", n)

            class Inner:
                y = p.call("inner")

                def f(self):
                    return p.call("f", n, self.y)

            z = p.call("after", Inner.y)

        return Outer

    made = make(p.call("n"))
    return made.x, made.Inner().f(), made.z


def class_decorated(p):
    @p.decorator("outer")
    @p.decorator("inner")
    class C:
        @p.decorator("method")
        def f(self, x=p.call("default")):
            return p.call("f", x)

        x = p.call("x")

    return C().f(), C.x


def generic_class(p):
    class Box[T]:
        item: T

        def __init__(self, item: T) -> None:
            self.item = p.call("init", item)

        def map[U](self, f) -> "Box[U]":
            return Box(f(self.item))

    return Box[int](p.call("x")).map(lambda x: p.call("f", x)).item


def class_body_reads_globals_and_cells(p):
    x = p.call("x")

    def f():
        class C:
            y = x
            x2 = p.call("C", y)
            locals()["z"] = p.call("z")

        return C.y, C.x2, C.z

    return f()


def slots_and_new(p):
    class C:
        __slots__ = ("a",)

        def __new__(cls, *args):
            p.call("new", args)
            return super().__new__(cls)

        def __init__(self, a):
            self.a = p.call("init", a)

    c = C(p.call("x"))
    c.a = p.call("f", c.a, c.a)
    return c.a


def class_instance_as_context_and_iterator(p):
    class Pool:
        def __enter__(self):
            self.items = [p.call("fill"), p.call("fill")]
            return iter(self)

        def __exit__(self, *_):
            self.items = p.call("empty", None)

        def __iter__(self):
            while self.items:
                yield p.call("take", self.items.pop(0))

    with Pool() as it:
        out = [p.call("use", x) for x in it]
    return out


def annotated_class_body(p):
    class C:
        a: int = p.call("a")
        b: p.call("annotation", str) = p.call("b")
        c: float

    return C.a, C.b, sorted(C.__annotations__)


def class_body_in_a_with_of_a_free_variable(p):
    class C:
        with p.manager("m"):
            a = (lambda x: {p.call("key"): p.call("value", x)})(p.call("argument"))

        class D:
            with p.manager("n"):
                b = p.call("b", [p.call("item", y) for y in p.iter(2)])

    return C.a, C.D.b
