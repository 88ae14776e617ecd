"""Programs: displays of lists, tuples, sets, dicts and slices."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


def list_display(p):
    return [p.call("a"), p.call("b"), [p.call("c"), p.call("d")], p.call("e")]


def tuple_display(p):
    return p.call("a"), (p.call("b"), p.call("c")), (p.call("d"),)


def set_display(p):
    return {p.call("a"), p.call("b"), p.call("c")}


def dict_display(p):
    return {p.call("k1"): p.call("v1"), "k2": p.call("v2"), p.call("k3"): {p.call("k4"): p.call("v4")}}


def list_display_with_stars(p):
    return [p.call("a"), *p.iterable(2), p.call("b"), *[p.call("c")]]


def tuple_and_set_display_with_stars(p):
    return (p.call("a"), *p.iterable(2)), {*p.iterable(2), p.call("b")}


def dict_display_with_stars(p):
    return {"a": p.call("a"), **p.mapping(b=1, c=2), "d": p.call("d"), **{"e": p.call("e")}}


def long_list_display(p):
    return [
        p.call("a"), p.call("b"), 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
        21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, p.call("y"), p.call("z"),
    ]


def long_dict_display(p):
    return {
        "a": p.call("a"), "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10,
        "k": 11, "l": 12, "m": 13, "n": 14, "o": 15, "q": 17, "r": p.call("r"), "s": p.call("s"), "t": 20,
    }


def constant_displays(p):
    return [1, 2, 3], {1, 2, 3}, (1, 2, 3), p.call("x") in {1, 2}, p.call("y") in [1, 2]


def display_as_an_argument(p):
    return p.call("f", [p.call("a"), p.call("b")], {p.call("c"): p.call("d")}, (p.call("e"),))


def slices(p):
    items = list(range(10))
    return items[p.call("a") : p.call("b") + 4], items[p.call("c") :: p.call("d")], slice(p.call("e"), None)


def display_of_values_and_calls(p):
    v = p.value([1, 2])
    return [v[0], p.call("a"), v[1], v[0] + p.call("b")]


def nested_containers_are_changed(p):
    table = {"a": [1]}
    table["a"].append(p.call("x"))
    table.setdefault("b", []).append(p.call("y"))
    table["c"] = table.pop("a") + [p.call("z")]
    return table
