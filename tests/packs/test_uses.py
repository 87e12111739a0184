"""State and events that are of use, though no rule of the ruleset's own says so: of these nothing is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from warhost.packs import read

from .conftest import HILL, Writer

STATE = "state of unit\n    tired: number = 0\n"
SET = "after hurt(unit)\n    unit.tired += 1\n"
ASKED = "flag weary(unit) = unit.tired >= 3\n"


def unused(folder: Path) -> list[str]:
    """What is told of state and events, of which everything is of no use."""
    problems = read(folder)[1]
    assert {p.code for p in problems} <= {"unused", "unasked"}, [p.render() for p in problems]
    return [p.message for p in problems if p.code == "unused"]


@pytest.mark.parametrize(
    "rules", [STATE, STATE + SET, STATE + ASKED, STATE + SET.replace("+= 1", "= unit.tired + 1")]
)
def test_state_is_told_that_nobody_sets_or_nobody_asks_for(write: Writer, rules: str) -> None:
    (message,) = unused(write("hill", {**HILL, "tired.rules": rules}))
    assert "tired" in message


@pytest.mark.parametrize(
    "rules",
    [
        STATE + SET + 'after hurt(unit)\n    say "{unit} is tired: {unit.tired}."\n',
        STATE + SET + "number weariness(side) = total tired of side.units\n",
        STATE.replace("= 0", "= it.skill") + ASKED,
        "state of side\n    victory_points: number = 0\nafter battle_ends()\n    side_a.victory_points = 3\n",
        "state of scenario\n    dusk: yes_no = no\nflag dim() = scenario.dusk\n",
        "event fumbled(unit)\nroll luck(unit) by unit: d6 >= 3\n    natural 1 fails, emits fumbled(unit)\n"
        "after hurt(unit)\n    if roll luck(unit)\n        say \"lucky\"\n",
    ],
    ids=["in a sentence", "of each", "as it begins", "by the engine", "settings", "by dice"],
)  # fmt: skip
def test_what_rules_do_with_it_in_any_way_is_a_use(write: Writer, rules: str) -> None:
    assert unused(write("hill", {**HILL, "tired.rules": rules})) == []


@pytest.mark.parametrize(
    "files",
    [
        {"house/rain.rules": HILL["house/rain.rules"] + "    after hurt(unit)\n        unit.tired += 1\n"},
        {"armies/red_list.yaml": HILL["armies/red_list.yaml"] + "side: {fervour: 2}\n"},
        {"examples/marching.yaml": HILL["examples/marching.yaml"] + "- title: Tired\n  ref: R-2\n"
         "  given: {sides: [{name: Red, units: [{id: p, profile: pike, state: {tired: 4}}]}]}\n"
         "  when: march(p)\n  then: {p: {lost: 1}}\n"},
        {"examples/more.rules": "procedure tire(unit)\n    unit.tired += 1\n"},
    ],
    ids=["a house rule on offer", "an army list", "an example", "rules for examples"],
)  # fmt: skip
def test_what_others_do_with_it_is_a_use(write: Writer, files: Mapping[str, str]) -> None:
    fervour = "state of side\n    fervour: number = 0\nflag keen(side) = side.fervour >= 2\n"
    folder = write("hill", {**HILL, "tired.rules": fervour if "fervour" in str(files) else STATE + ASKED})
    assert len(unused(folder)) == 1
    write("hill", files)
    assert unused(folder) == []


CALLED = 'after hurt(unit)\n    if weary(unit)\n        rest(unit)\n'
REST = 'procedure rest(unit)\n    say "{unit} rests."\n'


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (STATE + SET + ASKED, ["weary"]),
        (STATE + SET + ASKED + REST, ["weary", "rest"]),
        (STATE + SET + ASKED + "rule more\n    allow weary when unit.skill > 3\n", ["weary"]),
        (STATE + SET + ASKED + REST + CALLED, []),
        (STATE + SET + ASKED + 'after hurt(unit)\n    say "{unit} {weary(unit)}"\n', []),
        (STATE + SET + ASKED + "# weary(unit)\n", ["weary"]),
    ],
    ids=["a flag", "a procedure", "only changed", "asked for", "in a sentence", "in a comment"],
)
def test_what_nothing_asks_for_is_told(write: Writer, rules: str, told: list[str]) -> None:
    folder = write("hill", {**HILL, "tired.rules": rules})
    assert [p.message.split()[3].rstrip(":") for p in read(folder)[1]] == told
    bare = {name: text for name, text in HILL.items() if not name.startswith("armies/re") and "blues" not in name}
    bare["ruleset.yaml"] = bare["ruleset.yaml"].partition("demo:")[0]
    del bare["house/giants.yaml"]
    bare["ruleset.yaml"] = bare["ruleset.yaml"].replace(
        "  giants: {title: Giants, file: house/giants.yaml, reads: Big men.}\n", ""
    )
    begun = write("begun", {**bare, "tired.rules": rules})  # without an army it is only begun
    assert read(begun)[1] == []


def test_what_a_house_rule_takes_out_leaves_nothing_to_tell(write: Writer) -> None:
    folder = write("hill", {**HILL, "tired.rules": STATE + SET + ASKED})
    write("", {"rested.rules": 'house rule "Rested" for hill_fight\n    remove flag weary\n'})
    assert read(folder, ["rested.rules"])[1] == []


def test_nothing_of_no_use_is_told_beside_a_mistake(write: Writer) -> None:
    army = HILL["armies/reds.yaml"].replace("profile: pike", "profile: pkie")
    folder = write("hill", {**HILL, "tired.rules": STATE, "armies/reds.yaml": army})
    assert {p.code for p in read(folder)[1]} == {"unknown-profile"}
