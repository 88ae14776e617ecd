"""Programs: import statements in functions; finding, running and reading modules are points."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)



def import_a_module(p):
    with p.importing():
        import fake_a

        p.call("between")
        import fake_b as b

        return fake_a.__name__, b.__name__


def import_from(p):
    with p.importing():
        from fake_a import item_one, item_two as two

        return p.call("f", item_one, two)


def import_submodules(p):
    with p.importing():
        import fake_pkg.sub
        import fake_pkg.other as other
        from fake_pkg.deep import item_x

        return fake_pkg.sub.__name__, other.__name__, item_x


def import_in_a_loop_and_a_try(p):
    with p.importing():
        for x in p.iter(2):
            try:
                import fake_loop
            except ImportError:
                p.call("never")
            p.call("body", x, fake_loop.__name__)
    return None


def import_that_fails_is_handled(p):
    try:
        import surely_not_there
    except ImportError:
        return p.call("fallback")


def import_of_the_library(p):
    import os.path
    from collections import OrderedDict, deque as d

    return os.path.join("a", p.call("b", "c")), len(OrderedDict()), list(d([p.call("x")]))
