"""Programs: except*, exception groups, split and raised again."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

from sweep.declare import either



def try_star_without_an_exception(p):
    try:
        x = p.call("body")
    except* ValueError:
        x = p.call("never")
    else:
        p.call("else")
    finally:
        p.call("finally")
    return p.call("after", x)


def try_star_that_handles(p):
    seen = []
    try:
        p.call("before")
        raise ExceptionGroup("g", [ValueError(1), TypeError(2), ValueError(p.call("three"))])
    except* ValueError as group:
        seen.append(p.call("values", len(group.exceptions)))
    except* TypeError as group:
        seen.append(p.call("types", len(group.exceptions)))
    return p.call("after", seen)


@either("handled")
def try_star_that_splits(p):
    try:
        try:
            raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
        except* ValueError:
            p.call("handled")
    except ExceptionGroup as rest:
        return p.call("rest", rest.exceptions[0].args)


@either("one", "message", "two")
def try_star_that_raises(p):
    try:
        try:
            raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
        except* ValueError:
            p.call("one")
            raise TypeError(p.call("message", "new"))
        except* KeyError:
            p.call("two")
            raise
    except ExceptionGroup as group:
        return p.call("end", [type(one).__name__ for one in group.exceptions])


def try_star_handles_injected(p):
    try:
        x = p.call("risky")
        y = p.call("second", x)
    except* p.Injected as group:
        y = len(group.exceptions)
    return p.call("after", y)


def try_star_that_does_not_match(p):
    try:
        x = p.call("risky")
    except* KeyError:
        x = "never"
    return p.call("after", x)


def try_star_in_a_loop(p):
    seen = []
    for x in p.iter(2):
        try:
            if x:
                raise ValueError(p.call("make", x))
            p.call("body", x)
        except* ValueError as group:
            for error in group.exceptions:
                seen.append(p.call("handled", error.args[0]))
    return seen


def try_star_nested_with_finally(p):
    try:
        try:
            raise ValueError("naked")
        except* TypeError:
            p.call("never")
        finally:
            p.call("finally")
    except ValueError as error:
        return p.call("naked", str(error))
    except ExceptionGroup as group:
        return p.call("group", str(group))


def try_star_whose_handler_fails_for_an_outer_handler(p):
    for error in (ValueError(1), ExceptionGroup("g", [ValueError(1)])):
        try:
            try:
                raise error
            except* ValueError as group:
                p.call("handler", len(group.exceptions))
        except RuntimeError:
            p.call("outer")
    return p.call("end")


def a_clause_behind_the_one_that_fails_raises_and_handles(p):
    try:
        raise ExceptionGroup("g", [ValueError("v"), KeyError("k")])
    except* LookupError:
        p.call("first")
    except* ValueError:
        try:
            raise
        except* ValueError:
            p.call("second")
    return p.call("end")


def three_tries_around_a_clause_that_fails(p):
    try:
        try:
            try:
                raise ValueError
            except* ValueError as error:
                p.call("inner", type(error).__name__)
            except* LookupError:
                p.call("other")
        except* LookupError as error:
            p.call("middle", type(error).__name__)
    except* ValueError:
        p.call("outer")
    except* TypeError:
        p.call("outermost")
    return p.call("end")


def a_clause_that_names_no_class(p):
    try:
        try:
            raise ValueError
        except* ValueError:
            p.call("inner")
    except* 1:
        p.call("never")
    return p.call("end")
