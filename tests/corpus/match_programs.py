"""Programs: match: every kind of pattern, guards, captures."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def match_literals(p):
    out = []
    for x in p.iter([1, "a", None, 2.5]):
        match p.call("subject", x):
            case 1:
                out.append(p.call("one"))
            case "a" | "b":
                out.append(p.call("letter"))
            case None:
                out.append(p.call("none"))
            case _:
                out.append(p.call("other"))
    return out


def match_values(p):
    v = p.value(2)
    match v:
        case 1:
            return p.call("one")
        case 2:
            return p.call("two")


def match_sequences(p):
    out = []
    for x in p.iter([[], [1], (1, 2), [1, 2, 3, 4], "no"]):
        match x:
            case []:
                out.append(p.call("empty"))
            case [a]:
                out.append(p.call("single", a))
            case (a, b):
                out.append(p.call("pair", a, b))
            case [a, *rest, z]:
                out.append(p.call("many", a, rest, z))
            case _:
                out.append(p.call("other"))
    return out


def match_mappings(p):
    out = []
    for x in p.iter([{"k": 1}, {"k": 2, "l": 3}, {}]):
        match x:
            case {"k": 1}:
                out.append(p.call("one"))
            case {"k": value, **rest}:
                out.append(p.call("rest", value, rest))
            case {}:
                out.append(p.call("empty"))
    return out


def match_classes(p):
    out = []
    for x in p.iter([p.record(1, 2), p.record(3, p.record(4, 5)), 6]):
        match x:
            case p.Record(1, second):
                out.append(p.call("positional", second))
            case p.Record(first=a, second=p.Record(b, c)):
                out.append(p.call("nested", a, b, c))
            case int(n):
                out.append(p.call("number", n))
    return out


def match_guards(p):
    out = []
    for x in p.iter(3):
        match x:
            case n if p.call("guard", n == 1):
                out.append(p.call("guarded", n))
            case n if p.call("second", n > 1) and n:
                out.append(p.call("second", n))
            case _:
                out.append(p.call("default"))
    return out


def match_captures_and_as(p):
    match p.call("subject", [1, [2, 3]]):
        case [first, [_, last] as inner] as whole:
            return p.call("captured", first, last, inner, whole)


def match_or_patterns(p):
    out = []
    for x in p.iter([("a", 1), ("b", 2), (3, "c")]):
        match x:
            case ("a", n) | ("b", n):
                out.append(p.call("letter first", n))
            case (n, "c" as letter):
                out.append(p.call("letter last", n, letter))
    return out


def match_constants_of_a_class(p):
    class Color:
        RED = p.call("red")
        BLUE = p.call("blue")

    match p.call("subject", 2):
        case Color.RED:
            return p.call("is red")
        case Color.BLUE:
            return p.call("is blue")


def match_no_case(p):
    match p.call("subject"):
        case "nothing":
            p.call("never")
    return p.call("after")


def match_in_a_with_and_try(p):
    with p.manager("m"):
        try:
            match p.call("subject", {"kind": "error"}):
                case {"kind": "error"}:
                    raise ValueError(p.call("message"))
        except ValueError as error:
            return p.call("handled", str(error))


def match_a_user_sequence(p):
    import collections.abc

    class Seq(collections.abc.Sequence):
        def __len__(self):
            return p.call("len", 2)

        def __getitem__(self, at):
            return p.call("item", (10, 20)[at])

    match Seq():
        case [a, b]:
            return p.call("pair", a, b)
