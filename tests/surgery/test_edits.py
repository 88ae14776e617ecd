"""Every row of the table of edits, in every place: the run goes on as if the new text had been put in by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from daifu_bc import Retry, Surgery
from surgery.harness import Surgeon, error_of, expected, line_of, run_edited, text_in
from surgery.pairs import OLD, PAIRS, REFUSED, UNCHANGED
from surgery.places import PLACES

BY_TEXT = ("a_loop", "a_method", "a_closure")
WAYS = [(place, True) for place in PLACES] + [(place, False) for place in PLACES if place.name in BY_TEXT]


@pytest.mark.parametrize(("place", "by_file"), WAYS, ids=lambda part: getattr(part, "name", "file" if part else "text"))
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_run_goes_on_in_the_new_text(pair, place, by_file, tmp_path):
    surgeon = Surgeon(place, pair.new, pair.at, tmp_path, by_file)
    if pair.refused:
        error = error_of(place, pair.old, pair.new, surgeon, tmp_path)
        assert pair.refused in (surgeon.refusal or "")
        assert any(pair.refused in note for note in error.__notes__)
        return
    effects = run_edited(place, pair.old, pair.new, surgeon, tmp_path)
    assert surgeon.refusal is None
    assert surgeon.asked == 1
    assert effects.events == expected(place, pair)


THREE = ("a_function", "two_loops", "a_coroutine")


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("place", [place for place in PLACES if place.name in THREE], ids=lambda place: place.name)
def test_an_edit_that_cannot_be_changes_nothing(name, place, tmp_path):
    new, words = REFUSED[name]
    refusals = []

    def policy(crash):
        text = text_in(place, new)
        refusals.append(crash.can(Surgery(source=text, at=LINES.get(name, lambda _: None)(text))))
        return Retry()

    effects = run_edited(place, OLD, new, policy, tmp_path)
    assert [words in (refusal or "") for refusal in refusals] == [True]
    assert effects.events == expected(place, UNCHANGED)


LINES = {
    "into_a_loop_by_line": lambda text: line_of(text, 'say("q"'),
    "at_no_line": lambda text: 999,
}


def test_the_name_must_stay(tmp_path):
    place = PLACES[0]
    refusals = []

    def policy(crash):
        refusals.append(crash.can(Surgery(source="def g(i):\n    pass\n")))
        Path(crash.filename).write_text("def g(i):\n    pass\n")
        refusals.append(crash.can(Surgery()))
        Path(crash.filename).unlink()
        refusals.append(crash.can(Surgery()))
        return Retry()

    effects = run_edited(place, OLD, OLD, policy, tmp_path)
    assert "no function f" in refusals[0]
    assert "has no f;" in refusals[1]
    assert "cannot be read" in refusals[2]
    assert effects.events == expected(place, UNCHANGED)


def test_a_text_that_runs_already_is_refused(tmp_path):
    refusals = []

    def policy(crash):
        refusals.append(crash.can(Surgery()))
        return Retry()

    run_edited(PLACES[0], OLD, OLD, policy, tmp_path)
    assert "is what runs already" in refusals[0]
