"""Code objects watched with sys.monitoring: local, one id, given back."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from daifu_bc.interpreter import tool_ids
from daifu_bc.interpreter.tool_ids import DISABLE, events, watch

E = sys.monitoring


@pytest.fixture
def taken() -> Iterator[list[int]]:
    """Ids that a test takes for another tool; freed afterwards."""
    ids: list[int] = []
    yield ids
    for tool in ids:
        E.free_tool_id(tool)


def called() -> int:
    return 1


def numbers() -> Iterator[int]:
    yield 1
    yield 2


def test_a_watch_is_told_and_stops() -> None:
    seen: list[str] = []
    with watch(called.__code__, events.PY_START, lambda code, offset: seen.append(code.co_name)):  # type: ignore[union-attr]
        assert tool_ids.tool_id() == 4 and E.get_tool(4) == "daifu_bc"
        called()
        called()
    called()
    assert seen == ["called", "called"]
    assert tool_ids.tool_id() is None and E.get_tool(4) is None


def test_a_watch_may_stop_itself_and_leaves_nothing() -> None:
    seen = []

    def once(code: object, offset: int) -> object:
        seen.append(offset)
        assert made is not None
        made.stop()
        return DISABLE

    made = watch(numbers.__code__, events.PY_START, once)
    assert list(numbers()) == [1, 2] and list(numbers()) == [1, 2]
    assert len(seen) == 1 and tool_ids.tool_id() is None
    made = watch(numbers.__code__, events.PY_START, once)
    assert list(numbers()) == [1, 2] and len(seen) == 2


def test_two_events_of_one_code_object_are_independent() -> None:
    seen = []
    start = watch(called.__code__, events.PY_START, lambda code, offset: seen.append("start"))
    end = watch(called.__code__, events.PY_RETURN, lambda code, offset, value: seen.append(value))
    assert start is not None and end is not None
    called()
    start.stop()
    start.stop()
    called()
    end.stop()
    called()
    assert seen == ["start", 1, 1]


def test_a_later_watch_takes_the_place_of_the_first() -> None:
    seen = []
    first = watch(called.__code__, events.PY_START, lambda code, offset: seen.append("first"))
    second = watch(called.__code__, events.PY_START, lambda code, offset: seen.append("second"))
    assert first is not None and second is not None
    first.stop()
    called()
    second.stop()
    assert seen == ["second"]


def test_what_the_callback_raises_goes_into_the_code() -> None:
    def fail(code: object, offset: int) -> object:
        raise KeyError("from the callback")

    with watch(called.__code__, events.PY_START, fail), pytest.raises(KeyError):  # type: ignore[union-attr]
        called()
    assert called() == 1


def test_id_three_is_taken_where_four_is_held(taken: list[int]) -> None:
    E.use_tool_id(4, "other")
    taken.append(4)
    with watch(called.__code__, events.PY_START, lambda code, offset: None):  # type: ignore[union-attr]
        assert tool_ids.tool_id() == 3
    assert E.get_tool(3) is None and E.get_tool(4) == "other"


def test_none_where_both_are_held(taken: list[int]) -> None:
    for tool in (4, 3):
        E.use_tool_id(tool, f"other{tool}")
        taken.append(tool)
    assert watch(called.__code__, events.PY_START, lambda code, offset: None) is None
    assert tool_ids.owners() == {4: "other4", 3: "other3"}
