"""Programs: augmented assignment to names, attributes, items, slices, cells and globals."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)


_counter = 0


def augmented_name(p):
    v = p.value(1)
    v += p.call("x")
    v *= 3
    v -= v + 1
    return v


def augmented_immutable_name(p):
    n = 1
    n += p.call("a")
    n *= p.call("b") + p.call("c")
    s = "x"
    s += p.call("d", "y")
    return n, s


def augmented_attribute(p):
    v = p.value(0, n=p.value(1), k=1)
    v.n += p.call("x")
    v.k += p.call("y")
    return v.n, v.k


def augmented_item(p):
    v = p.value([p.value(1), 2, 3])
    v[0] += p.call("x")
    v[p.call("i", 1)] += p.call("y")
    return v


def augmented_item_of_a_dict(p):
    table = {"a": 1}
    table["a"] += p.call("x")
    table[p.call("k", "a")] *= p.call("y")
    return table


def augmented_slice(p):
    v = p.value([1, 2, 3])
    v[0:1] += [p.call("x")]
    v[p.call("i", 1) : p.call("j", 2)] += p.call("y", [9])
    return v


def augmented_nested(p):
    v = p.value([p.value(0, n=1)])
    v[p.call("i", 0)].n += p.call("x")
    return v[0].n


def augmented_all_operators(p):
    v = p.value(12)
    v += 1
    v -= 1
    v *= 2
    v //= 3
    v **= 2
    v %= 50
    v <<= 2
    v >>= 1
    v |= 1
    v &= 29
    v ^= 3
    v /= 2
    v @= 5
    return v


def augmented_global(p):
    global _counter
    _counter = 0
    _counter += p.call("x")
    _counter += p.call("y") * 2
    return _counter


def augmented_nonlocal(p):
    total = 0

    def add(n):
        nonlocal total
        total += p.call("add", n)
        return total

    return add(1), add(p.call("x")), total


def augmented_list_in_place(p):
    items = [1]
    items += p.iter(2)
    items += [p.call("x")]
    items *= p.call("y")
    return items


def augmented_in_a_loop(p):
    total = p.value(0)
    for x in p.iter(3):
        total += p.call("g", x) + p.call("f", x)
    return total
