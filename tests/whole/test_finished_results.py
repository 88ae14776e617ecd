"""`crash.finished`: what a retry keeps, to be read, changed, and dropped."""

from __future__ import annotations

import pytest

import daifu_bc
from daifu_bc import Redo, Retry
from whole.crash_at import Boom, Items, Manager, Out, drive


def finished(program, *args, change=lambda entries: None, keep="calls"):
    """(source, result) of what is finished at the first crash, and what the run gives after `change` and Retry."""
    seen = []

    def policy(crash):
        if seen:
            return None
        seen.append([(entry.source, entry.result) for entry in crash.finished])
        change(crash.finished)
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested", keep=keep)
    result = drive(program, *args)
    return seen[0], result


def test_nothing_is_finished_at_the_first_call_of_a_statement():
    def program(out):
        out(1)
        return out(2) + out(3)

    assert finished(program, Out(2)) == ([], 5)


def test_calls_of_the_statement_that_are_still_needed_are_finished():
    def program(out):
        return out(out(1) + 1) * out(10) + out(3)

    entries, result = finished(program, Out(3))
    assert [value for _, value in entries] == [20]
    assert result == 23


def test_entries_come_in_the_order_in_which_they_were_made():
    def program(out):
        return [out("a"), {out("b"): out("c")}, (out("d"), out("e"))]

    entries, result = finished(program, Out("e"))
    assert [value for _, value in entries][0] == "a"
    assert result == ["a", {"b": "c"}, ("d", "e")]


def test_a_result_can_be_changed():
    def program(out):
        return [out(1), out(2), out(3)]

    def change(entries):
        entries[1].result = "changed"

    assert finished(program, Out(3), change=change) == ([("out(1)", 1), ("out(2)", 2)], [1, "changed", 3])


def test_a_changed_result_can_be_read():
    def program(out):
        return [out(1), out(2)]

    def change(entries):
        entries[0].result = "changed"
        assert entries[0].result == "changed"

    finished(program, Out(2), change=change)


def test_an_entry_that_is_deleted_is_evaluated_again():
    out = Out(3)

    def program(out):
        return [out(1), out(2), out(3)]

    def change(entries):
        del entries[0]
        assert [entry.source for entry in entries] == ["out(2)"]

    _, result = finished(program, out, change=change)
    assert result == [1, 2, 3]
    assert out.log == [1, 2, 1, 3]


def test_all_entries_can_be_deleted():
    out = Out(3)

    def program(out):
        return [out(1), out(2), out(3)]

    finished(program, out, change=lambda entries: entries.clear())
    assert out.log == [1, 2, 1, 2, 3]


def test_nothing_can_be_added():
    def program(out):
        return [out(1), out(2)]

    def change(entries):
        with pytest.raises(TypeError):
            entries.append(1)
        with pytest.raises(TypeError):
            entries[0] = 5

    finished(program, Out(2), change=change)


def test_operators_that_feed_a_call_are_finished():
    class Noisy:
        def __init__(self, out):
            self.out = out

        def __add__(self, other):
            return self.out(("add", other))

    out = Out("value")

    def program(out, noisy):
        return out(noisy + 1), out(noisy + out("value"))

    assert finished(program, out, Noisy(out))[1] == (("add", 1), ("add", "value"))
    assert out.log.count(("add", 1)) == 2  # the operator's own entry and the call that it feeds


def test_with_keep_all_operators_are_finished():
    out = Out("value")

    class Noisy:
        def __getitem__(self, key):
            return out(("get", key))

    def program(out, noisy):
        return [noisy[1], out("value")]

    entries, result = finished(program, out, Noisy(), keep="all")
    assert [source for source, _ in entries] == ["noisy[1]"]
    assert result == [("get", 1), "value"]
    assert out.log == [("get", 1), "value"]


def test_in_a_loop_only_this_statement_of_this_iteration_counts():
    def program(out):
        seen = []
        for i in range(3):
            seen.append(out((i, "a")) + out((i, "b")))
        return seen

    entries, _ = finished(program, Out((1, "b")))
    assert [entry[1] for entry in entries if entry[0].startswith("out")] == [(1, "a")]


def test_in_a_with_header_the_manager_is_finished():
    out = Out("enter m")

    def program(out):
        with Manager(out) as m:
            return m

    entries, result = finished(program, out)
    assert result == "enter m"
    assert all(isinstance(value, Manager) for _, value in entries)


def test_in_other_frames_too():
    out = Out("inner")

    def program(out):
        def inner():
            return out("before") + out("inner")

        return out("first") + inner()

    seen = []

    def policy(crash):
        seen.extend([[entry.result for entry in frame.finished] for frame in crash.frames])
        crash.frames[0].finished[0].result = "changed "
        return Retry()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program(out) == "firstchanged inner"
    assert seen == [["before"], ["first"]]


def test_in_a_coroutine_awaited_results_are_finished():
    async def call(value):
        return value

    async def program(out):
        return [await call("a"), out("b")]

    entries, result = finished(program, Out("b"))
    assert [value for _, value in entries] == ["a"]
    assert result == ["a", "b"]


def test_the_half_built_list_of_a_comprehension_is_not_lost():
    def program(out):
        return [out("x"), [out(i) for i in Items(out, 1, 2)], out("y")]

    _, result = finished(program, Out("y"))
    assert result == ["x", [1, 2], "y"]


def test_after_a_retry_nothing_of_it_is_left_for_the_next_crash():
    failing = {2, 5}

    def call(value):
        if value in failing:
            failing.remove(value)
            raise Boom
        return value

    def program():
        first = [call(1), call(2)]
        second = [call(3), call(4), call(5)]
        return first, second

    seen = []

    def policy(crash):
        seen.append([entry.result for entry in crash.finished])
        return Retry()

    daifu_bc.protect(program, on_crash=policy)
    assert program() == ([1, 2], [3, 4, 5])
    assert [entries[-1:] for entries in seen] == [[1], [4]]


def test_an_entry_that_cannot_be_evaluated_again_is_refused_in_words():
    out, reasons = Out("x"), []

    def program():
        return (out(1), out(2) + out(3), out("x"), out(4))

    def policy(crash):
        names = [entry.source for entry in crash.finished]
        del crash.finished[names.index("out(2) + out(3)")]
        reasons.append(crash.can(Retry()))
        return Redo()

    daifu_bc.protect(program, on_crash=policy, scope="nested")
    assert program() == (1, 5, "x", 4)
    assert reasons[0].startswith("retry: ") and "crash.finished" in reasons[0] and ".result" in reasons[0]
