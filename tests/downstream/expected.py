"""Tests that must differ when code is protected, and why. Short, and every line says its reason.

In: a difference. Out: the reason, None if it is a fault. Always true: a line names the tests, and what they say when
they differ for this reason; whatever else they say is a fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from downstream.outcomes import Difference


@dataclass(frozen=True, slots=True)
class Expected:
    """Tests (a regular expression for ids), what they say (one for details), and why it must be so."""

    tests: str
    says: str
    why: str

    def __contains__(self, one: Difference) -> bool:
        return bool(re.match(self.tests, f"{one.suite}: {one.test}") and re.search(self.says, one.detail, re.DOTALL))


EXPECTED = (
    Expected(
        "test_frame: ",
        r"\.kept\d|\[<frame at|^AssertionError: (False is not true|1 != 0|\"{'self': .*Diff is)|concatenate str|^$",
        "lists every local of a protected frame: the hidden ones, which keep finished results, are locals",
    ),
    Expected(
        "test_sys_settrace: .*JumpTestCase",
        "RuntimeWarning: assigning None to",
        "a jump by f_lineno binds all unbound locals to None and warns of it; hidden locals are unbound",
    ),
    Expected(
        "test_sys_set.*(test_no_line_event_after_creating_generator|test_reentrancy|test_method_with_c_function)",
        "Lists differ|<function",
        "sees that sys.settrace and sys.setprofile are replaced here, so that events inside barriers are left out",
    ),
    Expected(
        "test_monitoring: ",
        "'daifu_bc' is not None",
        "asserts that no tool id of sys.monitoring is in use; an entry with a scope watches imports with one",
    ),
    Expected(
        "test_monitoring: ",
        r"'(barrier|has_entries)'|^AssertionError: \d+ != \d+",
        "counts the events of all code: a barrier is a call, and is seen by sys.monitoring",
    ),
    Expected(
        r"test_code: .*test_(co_branches|local_kinds|var_counts|returns_only_none)|test_peepholer: |test_dis: |"
        r"test_patma: .*test_jump_threading|test_opcache: .*test_send_yield_from|"
        r"test_builtin: .*test_all_any_tuple_optimization|test_compile: .*(test_return_in_with_positions|"
        r"test_weird_attribute_position_regressions|test_32_63_bit_values|test_line_number_\w+|test_lineno_attribute|"
        r"test_merge_code_attrs|test_merge_constants)",
        "",
        "compares bytecode, constants or line tables: behind protected code stand barriers, on no line",
    ),
)


def why_expected(difference: Difference) -> str | None:
    """The reason why this test must differ."""
    for one in EXPECTED:
        if difference in one:
            return one.why
    return None
