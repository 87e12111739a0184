"""Errors go whole from one process to another: a worker's mistake is told like any other. And slips of the pen."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warhost.errors import (
    ContentError,
    JournalError,
    Problem,
    RuleFault,
    RulesInvalid,
    UsageError,
    WarhostError,
    is_a_slip,
)
from warhost.plugins import PluginError
from warhost_odds.chance import OutOfReachError
from warhost_odds.workers import WorkerDied

PROBLEM = Problem("a.rules", 3, 5, "unknown-name", 'there is no "x"', 'did you mean "y"?', "    x = 1")

ERRORS = [
    ContentError([PROBLEM], "the army"),
    RulesInvalid([PROBLEM, PROBLEM], "the rules"),
    RuleFault("this goes nowhere", "Moving", "a.rules", 7),
    RuleFault("nowhere"),
    UsageError("no such thing"),
    JournalError("cut short"),
    OutOfReachError("too many dice"),
    WorkerDied("gone"),
    PluginError("warhost_x", "none such", "did you mean y?"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_errors_cross_processes(error: WarhostError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) != ""
    assert vars(copy) == vars(error)


WORDS = st.text("abcde_", min_size=4, max_size=9)


@given(WORDS, st.data())
def test_one_wrong_letter_is_a_slip_both_ways(word: str, drawing: st.DataObject) -> None:
    at = drawing.draw(st.integers(0, len(word) - 1))
    letter = drawing.draw(st.sampled_from("xyz"))
    for slipped in (word[:at] + letter + word[at + 1 :], word[:at] + letter + word[at:]):
        assert is_a_slip(slipped, word)
        assert is_a_slip(word, slipped)
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    assert is_a_slip(swapped, word) == (swapped != word)


@pytest.mark.parametrize(
    ("one", "other"),
    [("pikes", "pikes"), ("guard_1", "guard_2"), ("bob", "bop"), ("left", "right"), ("abcd", "badc")],
)
def test_these_are_no_slips(one: str, other: str) -> None:
    assert not is_a_slip(one, other)
    assert not is_a_slip(other, one)


def test_of_a_long_line_what_stands_about_the_place_is_shown() -> None:
    source = "a" * 300 + "X" + "b" * 300
    _, shown, caret = Problem("f", 1, 301, "odd", "odd", source=source).render().split("\n")
    assert len(shown) < 140
    assert shown[caret.index("^")] == "X"
    assert shown.endswith("b ..")
