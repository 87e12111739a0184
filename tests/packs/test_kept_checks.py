"""What a check finds that begins from what an earlier one has kept is what a fresh one finds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warhost.errors import Problem, mistakes
from warhost.packs import cache
from warhost.packs.readings import Readings

from .conftest import HILL, Writer

RULES, DATA, EXAMPLES = "rules/units.rules", "data/units.yaml", "examples/marching.yaml"

#: What is changed in which file, and which of the house rules are then in order without another look.
CHANGES = {
    "an example": (EXAMPLES, "Marching tires", "Marching tires them", {"rain", "giants"}),
    "a block that nobody names": (RULES, "procedure count_up()", "flag lame(unit) = no\n\nprocedure count_up()", {
        "rain", "giants"
    }),
    "all lines moved": (RULES, "profile of unit", "# a line more\nprofile of unit", {"rain", "giants"}),
    "a number that rain amends": (RULES, "= unit.skill ", "= unit.skill + 1 ", set()),  # of skill giants speak, too
    "what marching calls, which rain replaces": (RULES, "emit hurt(unit)", "go(unit)\n\nprocedure go(unit)", {
        "giants"
    }),
    "a field with another type": (RULES, "lost: number = 0", "lost: distance = 0", set()),
    "a profile": (DATA, "skill: 4", "skill: 5", set()),
    "a table": (DATA, "2: 1}, wet", "2: 2}, wet", {"rain"}),
    "the book": ("rulebook.yaml", "title: Rain", "title: Much rain", set()),
    "a house rule": ("house/rain.rules", "+= 2", "+= 3", set()),
    "a name that rain amends": (RULES, "number strength(unit)", "number force(unit)", set()),
    "a layer that rain takes a line from": (RULES, 'called "tired"', 'called "weary"', set()),
}  # fmt: skip


def told(readings: Readings) -> dict[str, list[Problem]]:
    """What is wrong with the hill, and with each of its house rules over it."""
    return {name: readings.read([name] if name else [])[1] for name in ("", "rain", "giants")}


@pytest.fixture
def kept(hill: Path) -> Path:
    """The hill, looked at and kept."""
    readings = Readings(hill)
    assert told(readings) == {"": [], "rain": [], "giants": []}
    readings.armies_are_in_order()
    readings.keep()
    return hill


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_told_as_by_a_fresh_check(kept: Path, what: str) -> None:
    name, old, new, untouched = CHANGES[what]
    assert HILL[name].count(old) == 1
    (kept / name).write_text(HILL[name].replace(old, new), encoding="utf-8")
    readings = Readings(kept)
    broken = mistakes(readings.read()[1])
    spared = {one for one in ("rain", "giants") if not broken and readings.in_order_above(one)}
    found = told(readings)
    folder = cache.folder()
    assert folder is not None
    shutil.rmtree(folder)
    assert found == told(Readings(kept))
    assert spared == (set() if broken else untouched)
    assert all(found[one] == found[""] for one in spared)


@pytest.mark.parametrize(("what", "spared"), [
    ("an example", True), ("a block that nobody names", True), ("all lines moved", True), ("a profile", False),
    ("a field with another type", False),
])  # fmt: skip
def test_armies_are_held_against_what_concerns_them(kept: Path, what: str, spared: bool) -> None:
    name, old, new, _ = CHANGES[what]
    (kept / name).write_text(HILL[name].replace(old, new), encoding="utf-8")
    readings = Readings(kept)
    readings.read()
    assert readings.armies_in_order is spared


def test_a_number_that_a_constraint_asks_concerns_the_armies(write: Writer) -> None:
    constraint = 'constraint weak(army)\n    require worth(army) > 0\n    otherwise "Too weak."\n\n'
    worth = "number worth(army) = doubled(army)\n\nnumber doubled(army) = 2\n\nnumber alone() = 1\n"
    worth += '\nafter hurt(unit)\n    say "{alone()}"\n'
    rules = f"{HILL[RULES]}\n{constraint}{worth}"
    hill = write("hill", {**HILL, RULES: rules})
    readings = Readings(hill)
    assert told(readings)[""] == []
    readings.armies_are_in_order()
    readings.keep()
    for old, spared in (("alone() = 1", True), ("doubled(army) = 2", False)):
        (hill / RULES).write_text(rules.replace(old, f"{old} + 1"), encoding="utf-8")
        again = Readings(hill)
        assert again.read()[1] == []
        assert again.armies_in_order is spared


def test_two_changes_in_a_row_are_both_held_against_what_was_kept(kept: Path) -> None:
    for name, old, new in ((RULES, "lost += 1", "lost += 2"), (EXAMPLES, "tires", "tires them")):
        (kept / name).write_text(HILL[name].replace(old, new), encoding="utf-8")
        readings = Readings(kept)
        assert readings.read()[1] == []
        readings.keep()  # too little has been looked at to keep it anew
        assert not readings.in_order_above("rain")
        assert readings.in_order_above("giants")


def test_what_was_kept_of_another_folder_is_nothing_to_this_one(kept: Path) -> None:
    other = kept.with_name("dale")
    shutil.copytree(kept, other)
    readings = Readings(other)
    assert told(readings) == {"": [], "rain": [], "giants": []}
    assert not Readings(other).in_order_above("rain")


def test_examples_of_a_file_that_is_gone_are_there_no_more(kept: Path) -> None:
    (kept / "examples/marching.yaml").unlink()
    rules, problems = Readings(kept).read()
    assert (rules is not None and list(rules.examples), problems) == ([], [])


#: House rules of a player's own over the hill, and what is told of them.
OWN = {
    "in order": ("    amend number strength\n        +1 when unit.lost > 5  called \"angry\"\n", 0),
    "something to warn of": ("    number alone() = 1\n", 1),
    "a mistake": ("    amend number strenth\n        +1\n", 1),
    "what others use is removed": ("    remove procedure march\n", 1),
}  # fmt: skip


@pytest.mark.parametrize("what", OWN)
def test_a_house_rule_of_ones_own_begins_from_what_was_kept_below(kept: Path, tmp_path: Path, what: str) -> None:
    lines, count = OWN[what]
    rule = tmp_path / "own.rules"
    rule.write_text(f'house rule "Own" for hill_fight\n{lines}', encoding="utf-8")
    readings = Readings(kept, [rule])
    found = readings.read()[1]
    assert len(found) == count
    if not mistakes(found):
        assert readings.blocks_anew < 4
    folder = cache.folder()
    assert folder is not None
    shutil.rmtree(folder)
    fresh = Readings(kept, [rule])
    assert fresh.read()[1] == found
    assert fresh.blocks_anew > 4 or mistakes(found)
