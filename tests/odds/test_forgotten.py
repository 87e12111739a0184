"""What a round forgets and a later one reads; dice thrown before the fight; what a set-up may not be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.odds.brawl import write_brawl
from warhost import Answer, RulesInvalid, odds
from warhost.errors import UsageError
from warhost.packs import load
from warhost_odds.asking import ask

#: What the question says besides.
MORE = """\
    settings: {settings}
    shows: [wounds, sore]
    observe: {{scars: scar, hurt: sore, early: first_blow}}
"""
RULES = """\
state of unit
    scar: number = 0
    first_blow: number = 0

state of battle
    rounds: number = 0

number scars(unit) = 10 * unit.first_blow + unit.wounds
number late_scars(unit) = unit.wounds
    set to unit.first_blow when unit.wounds >= unit.toughness

# Some come with scratches from the march.
procedure stand_scratched(attacker: unit, defender: unit)
    defender.wounds = defender rolls d3
    defender.sore = (defender.wounds >= 3)

procedure stand_hurt(attacker: unit, defender: unit, hurt, wanted: number)
    if wanted + hurt >= defender.toughness
        refuse "{defender.name} cannot be hurt so badly: {wanted} and {hurt}"
    defender.wounds = hurt

# The first blow is noted, and every round costs one.
procedure remembered(attacker: unit, defender: unit)
    battle.rounds += 1
    if battle.rounds == 1
        defender.first_blow = defender rolls d2
    defender.wounds += 1

# The third round reads what the first has written.
procedure read_late(attacker: unit, defender: unit)
    battle.rounds += 1
    if battle.rounds == 1
        defender.first_blow = defender rolls d2
    if battle.rounds == 3
        defender.wounds += defender.first_blow
    if battle.rounds >= 3
        defender.wounds += 1

# A fight that goes on and on, with a mark from its first round.
procedure stare(attacker: unit, defender: unit)
    if battle.rounds == 0
        defender.first_blow = defender rolls d2
    battle.rounds = 1
"""


def place(
    folder: Path, round_: str = "remembered", losses: str = "scars", sets_up: str = "stand_ready", settings: str = "{}"
) -> Path:
    more = MORE.format(settings=settings)
    return write_brawl(folder, RULES, round_, losses=losses, sets_up=sets_up, manifest=more)


def asked(where: Path, **how: Any) -> Answer:
    return odds(where, "man:1", "man:1", **{"trials": 4_000, "until": "end", **how})


@pytest.mark.parametrize("method", ["exact", "simulation"])
@pytest.mark.parametrize(
    ("round_", "losses", "lost"),
    [
        ("remembered", "scars", {13: 0.5, 23: 0.5}),
        ("remembered", "late_scars", {1: 0.5, 2: 0.5}),
        ("read_late", "wounds", {3: 1.0}),
        ("read_late", "scars", {13: 0.5, 23: 0.5}),
        ("stare", "scars", {10: 0.5, 20: 0.5}),
    ],
)
def test_what_only_the_first_round_writes_is_there_at_the_end(
    tmp_path: Path, method: str, round_: str, losses: str, lost: dict[int, float]
) -> None:
    answer = asked(place(tmp_path, round_, losses), method=method)
    assert answer.method == ("exact" if method == "exact" else "columns")
    assert set(answer.losses["defender"]) == set(lost)
    for value, chance in lost.items():
        assert answer.losses["defender"][value] == pytest.approx(chance, abs=1e-12 if method == "exact" else 0.04)


@pytest.mark.parametrize("method", ["exact", "simulation"])
def test_several_things_are_seen_of_one_weighing(tmp_path: Path, method: str) -> None:
    answer = asked(place(tmp_path), method=method)
    near = {"abs": 1e-12 if method == "exact" else 0.04}
    assert answer.observed["early"]["defender"] == pytest.approx({1: 0.5, 2: 0.5}, **near)
    assert answer.observed["early"]["attacker"] == pytest.approx({0: 1.0})
    assert answer.as_dict()["observed"]["hurt"]["defender"] == {"no": pytest.approx(1.0)}


@pytest.mark.parametrize("method", ["exact", "simulation"])
def test_dice_may_decide_how_they_stand(tmp_path: Path, method: str) -> None:
    answer = asked(place(tmp_path, "remembered", "wounds", sets_up="stand_scratched"), method=method)
    expected = {2: 1 / 3, 1: 1 / 3}  # from one scratch two rounds, from two one; three are down after one more
    for lost, chance in expected.items():
        assert answer.losses["defender"].get(lost, 0) >= chance - (1e-12 if method == "exact" else 0.04)
    assert sum(answer.losses["defender"].values()) == pytest.approx(1.0)
    assert answer.setup["defender"] == {"wounds": "1 to 3", "sore": "no or yes"}


def test_given_dice_fall_in_every_way(tmp_path: Path) -> None:
    answer = asked(place(tmp_path, losses="wounds"), method="exact", given=["defender.wounds = defender rolls d2"])
    assert answer.losses["defender"] == pytest.approx({1: 0.5, 2: 0.5})


def test_dice_without_number_are_refused(tmp_path: Path) -> None:
    where = place(tmp_path, losses="wounds")
    with pytest.raises(UsageError, match="dice thrown to set them up"):
        asked(where, given=["repeat 10 times: defender.wounds = defender.wounds * 6 + (defender rolls d6)"])


# -- what may not be --------------------------------------------------------------------------------------


def test_rules_may_refuse_how_two_units_are_set_up(tmp_path: Path) -> None:
    where = place(tmp_path, sets_up="stand_hurt", settings="{hurt: 0, wanted: 1}")
    assert asked(where, settings={"hurt": 1}, method="exact").means["defender"] > 0
    with pytest.raises(UsageError, match="Man 2 cannot be hurt so badly: 1 and 2"):
        asked(where, settings={"hurt": 2})


def test_settings_have_limits(tmp_path: Path) -> None:
    limits = "{hurt: {default: 0, at_least: 0, at_most: 2}, wanted: {at_least: -1}}"
    where = place(tmp_path, sets_up="stand_hurt", settings=limits)
    assert asked(where, settings={"hurt": "1", "wanted": -1}).outcome
    for settings, message in (
        ({"hurt": 3, "wanted": 0}, "3 is more than 2"), ({"hurt": "-1", "wanted": 0}, "-1 is less than 0"),
        ({"wanted": -2}, "-2 is less than -1"), ({}, "needs to know the wanted: --set wanted=NUMBER"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            asked(where, settings=settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("{hurt: {default: 3, at_most: 2}, wanted: 1}", "3 is more than 2"),
        ("{hurt: {default: 0, at_leest: 2}, wanted: 1}", "at_leest"),
        ("{hurt: {default: 0, at_least: few}, wanted: 1}", '"few" is no number'),
    ],
)
def test_limits_are_checked_when_rules_are_loaded(tmp_path: Path, settings: str, message: str) -> None:
    with pytest.raises(RulesInvalid, match=message):
        asked(place(tmp_path, sets_up="stand_hurt", settings=settings), settings={"wanted": 1})


@pytest.mark.parametrize("observe", ["scarr", "one_is_down", "name_of_nobody"])
def test_what_is_shown_and_observed_must_be_there(tmp_path: Path, observe: str) -> None:
    where = place(tmp_path)
    text = (where / "ruleset.yaml").read_text()
    (where / "ruleset.yaml").write_text(text.replace("scars: scar,", f"scars: {observe},"))
    with pytest.raises(RulesInvalid, match=observe):
        asked(where)


def test_a_unit_larger_than_its_list_allows_is_refused() -> None:
    rules = load("small_fantasy")
    with pytest.raises(UsageError, match=r"Ogre: the army list allows .* at most, not 900"):
        ask(rules, "ogre:900", "orc_mob:10")


def test_what_is_for_others_cannot_be_given() -> None:
    with pytest.raises(RulesInvalid, match='terrain "wood" is for terrain, not for unit'):
        odds("small_fantasy", "orc_mob:10", "elf_spears:10", given=["give wood to attacker"])
