"""Is an exception a crash? The search before unwinding: who would swallow it, where is it presented.

In: the exception and the living stack, innermost frame first; every frame from the raise outwards is alive.
Out: `handled_by` (None: nobody swallows it), `left_alone` (None: no message but a failure), `unheard` (None: the
program hears of it), `presented`.
Always true: nothing of the program runs; in doubt the exception is handled, and the next protected frame
outwards gets its chance when it comes by.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from daifu_bc.crash.entries import Always
from daifu_bc.crash.handlers import table_of
from daifu_bc.crash.handlers_nodes import Swallow
from daifu_bc.crash.search_alone import left_alone
from daifu_bc.crash.search_carriers import carries
from daifu_bc.crash.search_flights import Flight, flight_of
from daifu_bc.crash.search_levels import Level, is_always
from daifu_bc.crash.search_managers import JUDGE, Judge
from daifu_bc.crash.search_names import space_of_frame
from daifu_bc.crash.search_presented import failing_point, presented
from daifu_bc.crash.search_unheard import unheard
from daifu_bc.crash.search_walk import Caught, follow


@dataclass(frozen=True, slots=True)
class Handled:
    """Who swallows the exception; `what` in words: "except KeyError at train.py:12"."""

    level_index: int
    lineno: int
    what: str
    straight: bool  # without a doubt about what becomes of it on its way there


def handled_by(exception: BaseException, levels: Sequence[Level], always: Always = ()) -> Handled | None:
    """Who would swallow `exception`, None if nobody does."""
    if is_always(exception, always):
        return None
    flights = [flight_of(exception)]
    key, straight = flights[0].key, True
    for index, level in enumerate(levels):
        chain = table_of(level.code).chain(level.offset)
        if chain is None or carries(level.code, level.frame, exception):
            continue
        space = space_of_frame(level.frame, level.namespace)
        judge = Judge(known=level.managers) if level.managers else JUDGE
        left: dict[tuple[int, ...], Flight] = {}
        for flight in flights:
            outcome = follow(chain, flight, space, judge, only_narrow=not level.inside)
            if outcome.caught is not None:
                return _handled(index, level, outcome.caught, straight)
            left.update((one.key, one) for one in outcome.leaves)
        flights = list(left.values())
        straight = straight and list(left) == [key]
        if not flights and level.inside:
            never_ends = Swallow("a handler that never ends", None, level.offset)
            return _handled(index, level, Caught(never_ends, narrow=False), straight)
        if not flights:
            return None  # a caller that catches everything: nobody behind it will see the exception
    return None


def _handled(index: int, level: Level, caught: Caught, straight: bool) -> Handled:
    lineno = table_of(level.code).reader.line_at(caught.by.offset)
    return Handled(index, lineno, f"{caught.what} at {os.path.basename(level.code.co_filename)}:{lineno}", straight)


__all__ = ["Handled", "Level", "failing_point", "handled_by", "is_always", "left_alone", "presented", "unheard"]
