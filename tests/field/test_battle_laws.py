"""Whole battles of the first ruleset: the laws of the table hold in all of them, and watching changes nothing."""

from itertools import islice
from types import ModuleType
from typing import Any

import pytest

from warhost_field.binding import OpenTable
from warhost_field.functions import FUNCTIONS

CALL = {f.name: f.call for f in FUNCTIONS}


@pytest.mark.parametrize("number", range(9))
def test_random_players_break_no_law(soak: ModuleType, number: int) -> None:
    match = next(islice(soak.matches("small_fantasy", ("random", "random"), 7), number * 2, None))
    assert soak.watched(match).faults == ()


@pytest.mark.parametrize("number", range(3))
def test_players_with_ideas_break_no_law(soak: ModuleType, number: int) -> None:
    match = next(islice(soak.matches("small_fantasy", ("usual", "usual"), 40), number * 3, None))
    outcome = soak.watched(match)
    assert outcome.faults == ()
    assert outcome.turns >= 1


def test_the_battles_of_a_soak_are_all_different_and_cover_every_scenario_and_army(soak: ModuleType) -> None:
    rules = soak.ruleset("small_fantasy")
    different = len(rules.scenarios) * len(rules.armies) ** 2
    wanted = list(islice(soak.matches("small_fantasy", ("random", "random")), different))
    assert {m.scenario for m in wanted} == set(rules.scenarios)
    assert {m.armies for m in wanted} == {(a, b) for a in rules.armies for b in rules.armies}
    assert len({(m.scenario, m.armies) for m in wanted}) == len(rules.scenarios) * len(rules.armies) ** 2


def fresh(made: OpenTable) -> OpenTable:
    """The same table without anything remembered."""
    return OpenTable(made.battle, made.width, made.depth, made.zones, made.shapes, made.placed, made.entities)


def answers(battle: Any, every: int) -> dict[tuple[str, ...], Any]:
    """What the table answers now to questions of every sort about some of the pairs of units."""
    found: dict[tuple[str, ...], Any] = {}
    units = battle.everyone["unit"]
    for unit in units:
        for name in ("contacts", "terrain_under", "terrain_touching", "level", "ranks", "nearest_enemy"):
            found[name, unit.id] = CALL[name](battle, unit)
    pairs = [(a, b) for a in units for b in units if a is not b]
    for a, b in pairs[::every]:
        for name in ("distance", "touches", "sees", "in_front", "side_attacked", "cover_between"):
            found[name, a.id, b.id] = CALL[name](battle, a, b)
        found["may_reach", a.id, b.id] = CALL["may_reach"](battle, a, b, 12)
    return found


def test_what_is_remembered_is_what_would_be_computed_again(soak: ModuleType, battles: ModuleType) -> None:
    match = next(soak.matches("small_fantasy", ("random", "random"), 3))
    battle = battles.set_up(match)
    looked = 0

    def compare(now: Any) -> None:
        nonlocal looked
        looked += 1
        if looked % 4:
            return
        remembered, made = answers(now, 7), now.field
        now.field = fresh(made)
        try:
            computed = answers(now, 7)
        finally:
            now.field = made
        assert remembered == computed

    battle.on_phase = compare
    battle.run()
    assert looked > 20


def test_a_battle_that_is_watched_ends_like_one_that_is_not(soak: ModuleType, battles: ModuleType) -> None:
    match = next(soak.matches("small_fantasy", ("random", "random"), 5))
    alone, watched = battles.set_up(match), battles.set_up(match)

    def watch(now: Any) -> None:
        answers(now, 11)
        now.rules.plugins.call("warhost_picture", battle=now)

    watched.on_phase = watch
    assert alone.run().state_hash == watched.run().state_hash
