"""Programs: try, except, else, finally; handlers and finally that crash; raise in all forms."""

# ruff: noqa: F841, B, E, SIM, C, PERF, PLR, UP, RUF  (programs are as odd as the bytecode that they stand for)

import sys

from sweep.declare import either, repeats


def try_without_an_exception(p):
    try:
        x = p.call("body")
    except ValueError:
        x = p.call("never")
    else:
        x = p.call("else", x)
    finally:
        p.call("finally")
    return p.call("after", x)


def try_that_handles(p):
    try:
        p.call("before")
        raise ValueError(p.call("make", "m"))
    except KeyError:
        p.call("never")
    except (TypeError, ValueError) as error:
        p.call("handled", str(error))
    finally:
        p.call("finally")
    return p.call("after", sys.exception() is None)


def try_that_handles_injected(p):
    out = []
    for x in p.iter(3):
        try:
            out.append(p.call("risky", x))
        except p.Injected:
            out.append("failed")
        else:
            p.call("else", x)
    return out


def try_with_bare_except(p):
    try:
        x = p.call("risky")
    except:
        x = "failed"
    return p.call("after", x)


def try_with_except_exception(p):
    seen = []
    while len(seen) < 3:
        try:
            seen.append(p.call("risky", len(seen)))
        except Exception as error:
            seen.append(type(error).__name__)
    return seen


def try_with_narrow_class_that_does_not_match(p):
    try:
        try:
            x = p.call("risky")
        except (KeyError, OSError):
            x = "never"
    except ZeroDivisionError:
        x = "never"
    return p.call("after", x)


def handler_that_logs_and_raises(p):
    try:
        x = p.call("risky")
        y = p.call("second", x)
    except Exception:
        p.call("logging")
        raise
    return p.call("after", y)


def handler_that_raises_another_from(p):
    try:
        x = p.call("risky")
    except RuntimeError as error:
        raise ValueError("wrapped") from error
    return p.call("after", x)


def handler_that_raises_the_same_name(p):
    try:
        x = p.call("risky")
    except Exception as error:
        p.call("logging")
        raise error
    return p.call("after", x)


@either("")
def handler_that_raises_sometimes(p):
    try:
        x = p.call("risky")
    except Exception as error:
        if "second" in str(error):
            raise
        x = "handled"
    return p.call("after", x)


def handler_with_effects(p):
    try:
        raise KeyError("k")
    except KeyError as error:
        p.call("one", error.args)
        x = p.call("two", p.call("three"))
        p.call("exception", type(sys.exception()).__name__)
    return p.call("after", sys.exception() is None, x)


def handler_in_a_loop(p):
    seen = []
    for x in p.iter(3):
        try:
            if x == 1:
                raise ValueError(x)
            p.call("body", x)
        except ValueError as error:
            seen.append(p.call("handled", error.args[0]))
            continue
        seen.append(p.call("after", x))
    return seen


def handlers_nested(p):
    try:
        try:
            raise ValueError("inner")
        except ValueError as error:
            p.call("first", str(error))
            try:
                raise KeyError("second")
            except KeyError as other:
                p.call("second", type(other.__context__).__name__)
            p.call("between", type(sys.exception()).__name__)
            raise TypeError(p.call("message", "m")) from error
    except TypeError as error:
        return p.call("third", type(error.__cause__).__name__, type(sys.exception()).__name__)


def loop_in_a_handler(p):
    seen = []
    try:
        raise ValueError
    except ValueError:
        for x in p.iter(2):
            seen.append(p.call("body", x))
        seen += [p.call("comprehension", y) for y in p.iter(2, "c")]
    return seen, sys.exception()


def except_expression_has_effects(p):
    try:
        raise ValueError
    except p.call("class", KeyError):
        p.call("never")
    except p.call("classes", (ValueError, TypeError)):
        p.call("handled")
    return p.call("after")


def finally_with_effects(p):
    try:
        x = p.call("body")
    finally:
        p.call("one")
        p.call("two", p.call("three"))
    return p.call("after", x)


def finally_while_unwinding(p):
    try:
        try:
            raise ValueError("m")
        finally:
            p.call("finally", type(sys.exception()).__name__)
            for x in p.iter(2):
                p.call("loop", x)
    except ValueError:
        return p.call("handled")


def finally_with_return_in_try(p):
    def f():
        try:
            return p.call("result")
        finally:
            p.call("finally")

    return f(), f()


def finally_with_return_in_finally(p):
    def f():
        try:
            p.call("body")
        finally:
            return p.call("result")

    return f()


def finally_with_break_and_continue(p):
    seen = []
    for x in p.iter(4):
        try:
            if x == 0:
                continue
            if x == 2:
                break
            seen.append(p.call("body", x))
        finally:
            seen.append(p.call("finally", x))
    return seen


def finally_nested(p):
    for x in p.iter(2):
        try:
            try:
                try:
                    p.call("body", x)
                finally:
                    p.call("one")
            finally:
                p.call("two")
        finally:
            p.call("three")
    return p.call("after")


def return_through_finally_and_with(p):
    def f():
        for x in p.iter(3):
            try:
                with p.manager("a"):
                    try:
                        with p.manager("b"):
                            if x == 1:
                                return p.call("result", x)
                    finally:
                        p.call("inner finally")
            finally:
                p.call("outer finally")

    return f()


def break_and_continue_through_with_and_finally(p):
    for x in p.iter(3):
        for y in p.iter(3, "y"):
            with p.manager("m"):
                try:
                    if y == 0:
                        continue
                    if x == y:
                        break
                    p.call("body", x, y)
                finally:
                    p.call("finally")
    return x, y


def try_in_a_loop_with_retries(p):
    attempts = 0
    while True:
        try:
            attempts += 1
            x = p.call("risky", attempts)
            break
        except RuntimeError:
            if attempts > 2:
                raise
    return x, attempts


def try_star_of_else_with_loop(p):
    for x in p.iter(2):
        try:
            y = p.call("body", x)
        except ValueError:
            break
        else:
            for z in p.iter(y + 1, "z"):
                p.call("else", z)
    else:
        p.call("loop else")
    return x, y


@repeats("message")
def assertion(p):
    assert p.call("true", True), p.call("never")
    v = p.value(1)
    assert v > 0, "never"
    assert v
    try:
        assert p.call("false", 0), p.call("message", "m")
    except AssertionError as error:
        return p.call("handled", str(error))


def raise_forms(p):
    seen = []
    for make in (lambda: ValueError, lambda: ValueError(p.call("arg")), lambda: p.call("class", ValueError)):
        try:
            raise make()
        except ValueError as error:
            seen.append(error.args)
    try:
        raise KeyError from p.call("cause", ValueError("c"))
    except KeyError as error:
        seen.append(type(error.__cause__).__name__)
    return seen


def bare_raise_is_caught_outside(p):
    try:
        try:
            raise ValueError("m")
        except ValueError:
            p.call("inner")
            raise
    except ValueError as error:
        return p.call("outer", str(error))


def exception_variable_is_deleted(p):
    try:
        raise ValueError("m")
    except ValueError as error:
        p.call("handled")
    try:
        error
    except NameError:
        return p.call("unbound")


def key_error_from_a_dict(p):
    table = {}
    try:
        return table[p.call("key")]
    except KeyError as error:
        table[p.call("new", error.args[0])] = p.call("value")
    return table


def attribute_error_and_getattr_default(p):
    class C:
        @property
        def broken(self):
            p.call("property")
            raise AttributeError("broken")

        def __getattr__(self, name):
            return p.call("fallback", name)

    x = C().broken
    return x, getattr(object(), "none", p.call("default")), hasattr(C(), "x")


def exception_with_notes_and_context(p):
    try:
        try:
            p.call("body")
            raise ValueError("a")
        except ValueError as error:
            error.add_note(p.call("note", "n"))
            raise KeyError("b")
    except KeyError as error:
        return p.call("end", error.__context__.__notes__)


def traceback_of_a_handled_exception(p):
    import traceback

    def f():
        p.call("f")
        raise ValueError("m")

    p.call("before")
    try:
        f()
    except ValueError as error:
        return [(entry.name, entry.lineno - traceback_of_a_handled_exception.__code__.co_firstlineno) for entry in traceback.extract_tb(error.__traceback__)]


def program_ends_in_an_exception(p):
    p.call("before")
    for x in p.iter(2):
        with p.manager("m"):
            p.call("body", x)
    raise ValueError(p.call("message"))


def early_return_from_a_handler(p):
    def f(x):
        try:
            return 1 // x
        except ZeroDivisionError:
            return p.call("handler")
        finally:
            p.call("finally")

    return f(1), f(0)
