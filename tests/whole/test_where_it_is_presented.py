"""Where a crash is presented: not at an explicit raise, never past a generator that is still needed."""

from __future__ import annotations

import daifu_bc
from daifu_bc import NextIteration, Retry, Skip
from whole.crash_at import Boom, Out, caught_from, drive, notes_of


def names(crash):
    return [frame.function.rpartition(".")[2] for frame in crash.frames]


def run(program, *args, restart):
    """What the run returns, names of the frames at the first crash, number of the presented one."""
    seen = []

    def policy(crash):
        if seen:
            return None
        seen.extend((names(crash), crash.frame))
        return restart

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    result = drive(program, *args)
    return result, *seen


def test_an_explicit_raise_in_the_root_is_presented_as_it_is():
    def program():
        for item in range(3):
            if item == 1:
                raise Boom
        return item

    reasons = []

    def policy(crash):
        reasons.append(crash.can(Retry()))
        return NextIteration()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == 2
    assert "raises on purpose" in reasons[0]


def wrapping(expression, wanted=RuntimeError):
    """A program that raises another exception from that of an expression; the policy retries what comes of it."""
    namespace = {"Boom": Boom}
    exec(
        f"def program(out):\n try:\n  return {expression}\n"
        " except Boom as error:\n  raise RuntimeError('wrapped') from error\n",
        namespace,
    )
    seen, program = [], namespace["program"]

    def policy(crash):
        seen.append((type(crash.exception), crash.lineno))
        return Retry() if type(crash.exception) is wanted else None

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    return program, seen


def test_a_raise_from_in_a_handler_is_presented_where_its_cause_was_raised():
    program, seen = wrapping("out('b')")
    assert program(Out("b")) == "b"
    assert seen == [(Boom, 3), (RuntimeError, 3)]


def test_where_a_handler_has_run_results_of_the_statement_are_gone_and_that_is_said_in_words():
    program, seen = wrapping("[out('a'), out('b')]")
    error = caught_from(program, Out("b"))
    assert seen == [(Boom, 3), (RuntimeError, 3)]
    assert "retry: " in notes_of(error) and "redo" in notes_of(error)


def test_an_assert_is_evaluated_again():
    state = {"ready": False}

    def program():
        assert state["ready"], "not ready"
        return "done"

    def policy(crash):
        state["ready"] = True
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == "done"


def test_a_generator_that_is_still_needed_is_not_passed_over():
    def program(out):
        def items():
            for item in range(3):
                if item == 1 and not out.log.count("again"):
                    out("again")
                    raise Boom
                yield item

        return list(items())

    seen = []

    def policy(crash):
        seen.append((names(crash), crash.frame))
        return Skip()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program(Out()) == [0, 1, 2]
    assert seen == [(["items", "program"], 0)]
