"""Programs: for and while loops, headers that crash, else, break, continue, nests."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


def for_over_iterator(p):
    total = 0
    for x in p.iter(3):
        total += p.call("body", x)
    return total


def for_over_iterable(p):
    seen = []
    for x in p.iterable(3):
        seen.append(p.call("body", x))
    return seen


def for_over_c_iterator(p):
    seen = []
    for x in p.citer(3):
        seen.append(p.ccall("body", x))
    return seen


def for_over_list(p):
    seen = []
    for x in [10, 20, 30]:
        seen.append(p.call("body", x))
    return seen


def for_over_tuple_and_range(p):
    seen = []
    for x in (1, 2):
        for y in range(x, x + 2):
            seen.append(p.call("body", x, y))
    return seen


def for_over_list_that_grows(p):
    queue = [3]
    seen = []
    for x in queue:
        if x:
            queue.append(p.call("push", x - 1))
        seen.append(p.call("visit", x))
    return seen, queue


def for_over_dict_views(p):
    table = {"a": 1, "b": 2}
    seen = []
    for key in table:
        seen.append(p.call("key", key))
    for key, value in table.items():
        seen.append(p.call("item", key, value))
    for value in table.values():
        seen.append(p.call("value", value))
    return seen


def for_over_string_and_bytes(p):
    return [p.call("char", x) for x in "ab"], [p.call("byte", x) for x in b"ab"]


def for_over_zip_and_enumerate(p):
    seen = []
    for at, (x, y) in enumerate(zip([1, 2], "ab")):
        seen.append(p.call("pair", at, x, y))
    return seen


def for_over_iterator_made_by_a_call(p):
    for x in p.call("make", p.iter(2)):
        for y in p.iter(p.call("inner", x + 1)):
            p.call("body", x, y)
    return x, y


def for_else(p):
    for x in p.iter(2):
        p.call("body", x)
    else:
        p.call("else")
    return x


def for_break_skips_else(p):
    for x in p.iter(5):
        if p.call("test", x == 1):
            p.call("breaking")
            break
    else:
        p.call("else")
    return x


def for_continue(p):
    seen = []
    for x in p.iter(4):
        if p.call("even", x % 2 == 0):
            continue
        seen.append(p.call("odd", x))
    return seen


def for_target_is_attribute_and_item(p):
    v = p.value([0, 0])
    for v.name in p.iter(2):
        p.call("attribute", v.name)
    for v[1] in p.iter(2):
        p.call("item", v[1])
    return v


def for_target_unpacks(p):
    seen = []
    for a, (b, *c) in p.iter([(1, (2, 3, 4)), (5, (6,))]):
        seen.append(p.call("body", a, b, c))
    return seen


def three_nested_loops(p):
    seen = []
    for x in p.iter(2, "x"):
        for y in p.iter(2, "y"):
            for z in p.iter(2, "z"):
                seen.append((x, y, p.call("body", z)))
    return seen


def nested_break_and_continue(p):
    seen = []
    for x in p.iter(3, "x"):
        for y in p.iter(3, "y"):
            if p.call("skip", y == 1):
                continue
            if p.call("stop", x == 1):
                break
            seen.append((x, y))
        else:
            p.call("inner else", x)
    return seen


def return_out_of_nested_loops(p):
    for x in p.iter(3, "x"):
        for y in p.iter(3, "y"):
            if x + y == 2:
                return p.call("result", x, y)
    return None


def while_with_call_in_test(p):
    n = 0
    while p.call("test", n < 3):
        n += p.call("step", 1)
    return n


def while_with_value_in_test(p):
    v = p.value(3)
    while v > 0:
        v -= 1
    return v


def while_true_with_break(p):
    n = 0
    while True:
        n += 1
        p.call("body", n)
        if n == 3:
            break
    return n


def while_else(p):
    n = 2
    while n:
        n -= 1
        p.call("body", n)
    else:
        p.call("else", n)
    return n


def while_with_and_or(p):
    n = 0
    while p.call("left", n < 3) and (p.call("middle", n != 1) or p.call("right", True)):
        n += 1
    return n


def while_with_walrus(p):
    seen = []
    it = p.iter(3)
    while (x := next(it, None)) is not None:
        seen.append(p.call("body", x))
    return seen


def loop_after_loop(p):
    total = 0
    for x in p.iter(2, "first"):
        total += x
    for x in p.iter(2, "second"):
        total += p.call("body", x)
    while total > 1:
        total -= p.call("down", 1)
    return total


def loop_shares_an_iterator(p):
    it = p.iter(6)
    seen = []
    for x in it:
        seen.append((x, p.call("partner", next(it))))
    return seen


def loop_deletes_its_variable(p):
    for x in p.iter(2):
        y = p.call("body", x)
        del x
    return y


def loop_variable_is_rebound(p):
    total = 0
    for x in p.iter(3):
        x = p.call("rebound", x * 2)
        total += x
    return total, x


def ten_statements_in_a_body(p):
    out = []
    for x in p.iter(2):
        a = x + 1
        b = p.call("b", a)
        c = a * b
        d = [a, b, c]
        e = p.call("e", *d)
        f = len(d)
        g = {a: b}
        h = p.call("h", f, g)
        i = d[0] + d[1]
        out.append((a, b, c, e, h, i))
    return out


def generator_expression_feeds_a_loop(p):
    seen = []
    for x in (p.call("make", y) for y in p.iter(3)):
        seen.append(p.call("use", x))
    return seen


def reversed_and_sorted_loops(p):
    seen = []
    for x in reversed([1, 2]):
        seen.append(p.call("reversed", x))
    for x in sorted([2, 1], key=lambda y: p.call("key", y)):
        seen.append(p.call("sorted", x))
    return seen
