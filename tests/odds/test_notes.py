"""What is said in plain words of answers whose figures say nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from odds.brawl import write_brawl
from odds.rulebooks import rules_of
from tests.cli.conftest import Run, data
from warhost.packs import load
from warhost_odds.answer import Answer
from warhost_odds.asking import ask

SHAMAN, AXEMEN = "orcs_orc_shaman:1", "dwarves_axemen:10"


def asked(**more: Any) -> Answer:
    return ask(rules_of("arcana"), SHAMAN, AXEMEN, **more)


def test_a_spell_that_cannot_be_aimed_at_anybody_does_nothing() -> None:
    far = asked(what="spell:Petrify")
    (note,) = far.notes
    assert note.startswith("Petrify does nothing here: no dice are thrown")
    assert asked(what="spell:Fire Spray", settings={"distance": 5}).notes == ()


def test_a_spell_that_harms_nobody_is_told_from_one_that_is_not_cast() -> None:
    """They shake it off, or not: dice are thrown for it, and nobody is hurt."""
    curse: dict[str, Any] = {"what": "spell:Curse", "settings": {"distance": 5}}
    assert asked(**curse).notes == ("Curse harms nobody by itself, whatever the dice show.",)
    drawn = asked(**curse, method="simulation", trials=50)
    assert drawn.notes == ("Nobody lost anything in any of 50 trials.",)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("give Petrify to attacker", True),  # nobody casts anything in a melee
        ("melee_skill(attacker: attacker) +1", False),
    ],
)
def test_what_is_given_and_changes_nothing_is_told(given: str, said: bool) -> None:
    told = f'"{given}" changes nothing: the answer is the same without it.'
    assert asked(given=[given], workings=True).notes == ((told,) if said else ())


def test_of_several_things_each_is_looked_at_by_itself() -> None:
    both = asked(given=["melee_skill(attacker: attacker) +1", "give Petrify to attacker"], workings=True)
    assert [note.partition(" changes")[0] for note in both.notes] == ['"give Petrify to attacker"']


def test_losses_that_count_what_is_left_are_told(tmp_path: Path) -> None:
    rules = "number left(unit) = unit.toughness - unit.wounds\n\nroll hits(attacker: unit) by attacker: d6 >= 4\n\n"
    rules += "procedure a_blow(attacker: unit, defender: unit)\n    if roll hits(attacker)\n"
    rules += "        defender.wounds += 1\n"
    told = "Ox only gains here. If nobody can, `left` counts what is left and not what is lost."
    for losses, notes in (("left", (told,)), ("wounds", ())):
        ruleset = load(write_brawl(tmp_path / losses, rules, "a_blow", losses=losses))
        assert ask(ruleset, "man:1", "ox:1").notes == notes


def test_no_histograms_of_nothing(run: Run) -> None:
    pair = ("odds", "arcana", "--attacker", SHAMAN, "--defender", AXEMEN)
    text = run(*pair, "--what", "spell:Petrify").stdout
    assert "\n\nPetrify does nothing here: " in text
    assert "Losses of Orc Shaman: none\n\nLosses of Axemen: none\n" in text
    assert "so many or more" not in text
    assert "can expect to lose" not in text
    assert data(run(*pair, "--what", "spell:Petrify", "--json"))["notes"][0].startswith("Petrify does nothing here")
    hit = run(*pair, "--set", "strikers=only_attacker").stdout
    assert "Losses of Orc Shaman: none\n" in hit
    assert "Axemen can expect to lose" in hit


def test_limits_that_do_not_bind_are_no_working(run: Run) -> None:
    text = run("odds", "arcana", "--attacker", SHAMAN, "--defender", AXEMEN, "--why").stdout
    assert "armour save of Axemen, Orc Shaman, attack 1 = 2\n" in text
    assert "at least 0" not in text
