"""A round of odds is the turn of the battle: played as a battle, with everything in it, it comes to the same.

With house rules, too: phases drawn at random that a house rule adds are in both.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import NamedTuple

import pytest

from odds.at_random import _against
from odds.rulebooks import put, rules_of
from odds.whole import TURNS, turns_played
from warhost_odds.evaluate import evaluate
from warhost_odds.questions import Prepared

#: So unlikely a difference is none of chance.
LEAST = 1e-5
TRIALS = 150
FIRST = random.SystemRandom().randrange(10**9) if os.environ.get("WARHOST_FRESH") else 21


class Pair(NamedTuple):
    """Whom a question is put to."""

    attacker: str
    defender: str
    settings: dict[str, str]


PAIRS = {
    ("arcana", "melee"): Pair("dwarves_axemen:20", "orcs_orc_warrior:20", {"facing": "flank"}),
    ("arcana", "shooting"): Pair("dwarves_crossbowmen:10", "orcs_orc_with_bow:14", {"cover": "in_cover"}),
    ("arcana", "spell"): Pair("orcs_orc_shaman:1", "dwarves_axemen:12", {"spell": "Fire Spray", "distance": "5"}),
    ("small_fantasy", "melee"): Pair("elf_warriors:12", "orc_mob:15", {"charging": "no"}),
    ("small_fantasy", "shooting"): Pair("elf_archers:12", "orc_archers:15", {"cover": "yes"}),
    ("three_plains", "melee"): Pair("kingdom_spears:12", "kingdom_halberds:10", {"facing": "rear"}),
    ("three_plains", "shooting"): Pair("kingdom_bows:14", "kingdom_halberds:10", {}),
    ("legiones", "melee"): Pair("samurai:1", "sample_troll:1", {}),
    ("legiones", "shooting"): Pair("goblins_spider_riders:1", "roman_vicarius:1", {"distance": "2"}),
    ("destiny", "duel"): Pair("sergeant:1", "sorcerer:1", {}),
    ("destiny", "blow"): Pair("sergeant:1", "bruiser:1", {}),
    ("destiny", "shot"): Pair("bandit:1", "knight:1", {}),
}

#: What a house rule takes from every unit, with a die of so many sides; and the phases after which it may come.
HARM = {
    "arcana": ("unit.models -= lower_of(unit rolls d{sides}, unit.models)", ("power", "missile")),
    "small_fantasy": ("unit.wounds_noted += unit rolls d{sides}", ("shooting", "combat")),
    "three_plains": ("unit.models -= lower_of(unit rolls d{sides}, unit.models)", ("shooting", "combat")),
    "legiones": ("unit.damage += unit rolls d{sides}", ("orders",)),
    "destiny": ("unit.down = unit rolls d{sides} == 1", ("fighting",)),
}


def test_every_question_that_is_played_in_a_turn_is_tried() -> None:
    assert PAIRS.keys() == TURNS.keys()


def prepared(key: tuple[str, str], *house: str) -> Prepared:
    turn, pair = TURNS[key], PAIRS[key]
    return put(
        rules_of(key[0], *house), key[1], pair.attacker, pair.defender, {**pair.settings, **turn.settings}, turn.given
    )


def likeness(key: tuple[str, str], seed: int, *house: str, told: tuple[str, ...] = ()) -> float:
    """How likely so large a difference is, between turns with some house rules and odds with others (told)."""
    played = turns_played(prepared(key, *house), TURNS[key], TRIALS, seed)
    exact = evaluate(prepared(key, *(told or house)), "round", "exact").joint
    assert played.keys() <= exact.keys() or told
    return _against(played, exact)


@pytest.mark.parametrize("key", TURNS, ids=": ".join)
def test_a_turn_comes_to_what_odds_say(key: tuple[str, str]) -> None:
    assert likeness(key, 5) > LEAST


def bleeding(folder: Path, book: str, seed: int) -> Path:
    """A house rule drawn at random: a phase in which every unit is harmed."""
    dice = random.Random(f"{book} {seed}")
    harm, places = HARM[book]
    file = folder / "bleeding.rules"
    file.write_text(
        f'house rule "Bleeding" for {book}\n'
        f"    phase bleeding after {dice.choice(places)}: bleed\n"
        "    procedure bleed()\n"
        "        for each unit\n"
        f"            {harm.format(sides=dice.randint(2, 4))}\n"
    )
    return file


@pytest.mark.parametrize("book", HARM)
def test_a_house_rule_of_chance_is_in_the_odds_as_in_the_battle(book: str, tmp_path: Path) -> None:
    key = (book, "duel" if book == "destiny" else "melee")
    house = str(bleeding(tmp_path, book, FIRST))
    assert likeness(key, FIRST, house) > LEAST
    with_it, without = (evaluate(prepared(key, *rules), "round", "exact").joint for rules in ((house,), ()))
    assert with_it != without


def test_a_house_rule_that_only_the_battle_knows_would_be_seen(tmp_path: Path) -> None:
    house = bleeding(tmp_path, "small_fantasy", 1)
    assert likeness(("small_fantasy", "melee"), 3, str(house), told=("soft_woods",)) < LEAST
