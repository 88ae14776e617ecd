"""Programs: defaults of type parameters, which are read when somebody asks."""


def type_parameter_defaults(p):
    def f[T = p.call("default", int), *Ts = p.call("several", (int, str))](x: T) -> T:
        return p.call("f", x)

    class C[K = p.call("of a class", str)]:
        value = p.call("value")

    t, ts = f.__type_params__
    return f(1), t.__default__, ts.__default__, C.__type_params__[0].__default__, C.value
