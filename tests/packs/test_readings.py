"""What is wrong with house rules over a ruleset that was read before is what a fresh reading finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.packs import load, loading, parsed, read
from warhost.packs.readings import Readings

from .conftest import Writer

#: House rules for the hill with a mistake each: at their own line, in what they leave behind, in data.
WRONG = {
    "misspelt.rules": 'house rule "A" for hill\n    number odd(unit) = strenth(unit)\n',
    "gone.rules": 'house rule "B" for hill\n    remove number strength\n',
    "data.yaml": "for: hill\nprofiles:\n  ogre: {name: Ogre, skill: high}\n",
    "renamed.rules": 'house rule "C" for hill\n    rename trait Brave to Bold\n    flag odd(unit) = unit has Brave\n',
}


@pytest.mark.parametrize("first_from_the_cache", [False, True])
def test_house_rules_are_told_as_by_a_fresh_reading(
    hill: Path, write: Writer, first_from_the_cache: bool
) -> None:
    house = write("laid", WRONG)
    if first_from_the_cache:
        load(hill)
    readings = Readings(hill)
    assert readings.read()[1] == read(hill)[1] == []
    for name in (*WRONG, *reversed(WRONG)):
        told = readings.read([house / name])[1]
        assert told
        assert told == read(hill, [house / name])[1]
    assert readings.read()[1] == []


@pytest.mark.parametrize("ruleset", ["destiny", "small_fantasy"])
def test_the_house_rules_on_offer_are_told_as_by_a_fresh_reading(ruleset: str) -> None:
    rules = load(ruleset)
    readings = Readings(ruleset)
    for one in (*rules.house_rules, *map(str, rules.example_rules)):
        laid, told = readings.read([one])
        fresh, problems = read(ruleset, [one])
        assert told == problems
        assert laid is not None
        assert fresh is not None
        assert laid.digest == fresh.digest
        assert list(laid.placed) == list(fresh.placed)
        assert list(laid.removed) == list(fresh.removed)


def test_what_a_house_rule_leaves_as_it_is_is_not_read_again(hill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = Readings(hill)
    readings.read()
    readings.read(["giants"])  # now the hill has been looked at, even if it was known to be in order
    monkeypatch.setattr(parsed, "parse_data", lambda *_: pytest.fail("read again"))
    monkeypatch.setattr(parsed, "parse_rules", lambda *_: pytest.fail("read again"))
    monkeypatch.setattr(loading.cache, "put", lambda *_: pytest.fail("kept, with a house rule over it"))
    assert readings.read(["giants"])[1] == []


def test_a_ruleset_that_was_read_first_is_kept_to_be_played() -> None:
    Readings("small_fantasy").read()
    kept = load("small_fantasy").program
    fresh, _ = loading.read_from(parsed.Library(keeps=False, trusting=False), "small_fantasy")
    assert fresh is not None
    assert fresh.program.costs
    assert kept.costs == fresh.program.costs
    assert kept.procedures == fresh.program.procedures
