"""Probabilities as examples of a ruleset: right ones pass, wrong ones are told with what came instead."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run

EXAMPLE = """\
- title: Louts against smiths
  odds: {{attacker: "lout:1", defender: "smith:1"{asked}}}
  then: {{{then}}}
"""


@pytest.fixture
def tavern(place: Path, games: Path) -> Path:
    """A copy of the game whose examples may be wrong."""
    shutil.copytree(games / "tavern", place / "mine")
    (place / "mine" / "examples").mkdir(exist_ok=True)
    return place / "mine"


def outcome(run: Run, tavern: Path, then: str, asked: str = "", code: int = 0) -> str:
    (tavern / "examples" / "odds.yaml").write_text(EXAMPLE.format(then=then, asked=asked))
    return run("test", str(tavern), "-k", "odds.yaml", code=code).output


def test_right_and_wrong_probabilities(run: Run, tavern: Path) -> None:
    shown = outcome(run, tavern, "outcome: {attacker_wins: 1}, attacker loses: {0: 1/7}", code=1)
    assert "outcome, attacker_wins: expected 1, got 0." in shown
    assert "attacker loses, 0: expected 1/7, got " in shown
    got = float(shown.partition("expected 1, got ")[2].split()[0])
    assert "passed" in outcome(run, tavern, f"outcome: {{attacker_wins: {got}}}")
    assert "expected" in outcome(run, tavern, f"outcome: {{attacker_wins: {got + 0.002}}}", code=1)
    assert "passed" in outcome(run, tavern, f"outcome: {{attacker_wins: {got + 0.002}}}, within: 0.01")


@pytest.mark.parametrize(
    ("then", "asked", "message"),
    [
        ("outcme: {attacker_wins: 1}", "", 'an answer has no "outcme"'),
        ("outcome: {attacker_wins: often}", "", '"often" is no probability'),
        ("outcome: 1", "", '"outcome" wants values with their probabilities'),
        ("outcome: {attacker_wins: 1}", ", settings: {moood: merry}", 'no setting "moood"'),
    ],
)
def test_what_is_no_probability_fails(
    run: Run, tavern: Path, then: str, asked: str, message: str
) -> None:
    assert message in outcome(run, tavern, then, asked, code=1)


def test_what_must_be_refused(run: Run, tavern: Path) -> None:
    asked = ", settings: {moood: merry}"
    assert "passed" in outcome(run, tavern, 'fails: has no setting "moood"', asked)
    assert "it should have been refused" in outcome(run, tavern, "fails: nothing", code=1)


def test_an_example_is_one_or_the_other(run: Run, tavern: Path) -> None:
    text = EXAMPLE.format(then="outcome: {attacker_wins: 1}", asked="") + "  when: 3 + 4\n"
    (tavern / "examples" / "odds.yaml").write_text(text)
    assert run("check", str(tavern), code=1).output
