"""Checkpoints: whatever happens to a battle, it can stand again as it stood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warhost
from odds.rulebooks import put, rules_of
from warhost.engine.checkpoint import Checkpoint
from warhost.engine.dice import SeededDice
from warhost_battles.players import UsualPlayer
from warhost_odds.questions import Prepared

FIGHTS: list[tuple[str, str, str, str]] = [
    ("small_fantasy", "melee", "elf_riders:6,spears", "orc_mob:12"),
    ("small_fantasy", "shooting", "dragon:1", "goblin_mob:9"),
    ("arcana", "melee", "dwarves_pikemen:12", "orcs_orc_warrior:14"),
    ("arcana", "shooting", "dwarves_crossbowmen:8", "orcs_orc_warrior:10"),
    ("arcana", "spell:Fire Wall", "dwarves_dwarf_wizard:1", "orcs_orc_warrior:10"),
]


def fight(prepared: Prepared, seed: int, rounds: int) -> tuple[Any, ...]:
    """What comes of so many rounds with these dice: the tally and the digest of the state."""
    prepared.battle.dice = SeededDice(seed)
    for _ in range(rounds):
        if not prepared.is_over():
            prepared.play_round()
    return (*prepared.tally(), prepared.battle.state_hash())


def unruly(prepared: Prepared, seed: int) -> None:
    """Everything that can be done to a battle besides fighting."""
    battle, one, other = prepared.battle, prepared.attacker, prepared.defender
    fresh = battle.reinforcements.muster_unit(other.profile, one.side, 3 + seed % 5)
    battle.code.program.natives["place_at"].call(battle, fresh, 10, 10, 0)
    deeds: list[Callable[[], Any]] = [
        lambda: battle.reinforcements.go_over(fresh, other.side),
        lambda: battle.remove(other),
        lambda: battle.put(one, "x", one.x + 1),
        lambda: [battle.end_effect(e) for e in list(one._borne)],
        lambda: battle.reinforcements.muster_unit(one.profile, other.side, 2),
        lambda: battle.end(one.side, "enough"),
        lambda: battle.later(("end", "turn", None, False), lambda: None),
    ]
    for i, deed in enumerate(deeds):
        if seed >> i & 1:
            deed()
    battle.in_force.moment("end", "turn")


@pytest.mark.parametrize(("ruleset", "what", "attacker", "defender"), FIGHTS)
def test_a_fight_after_a_restore_is_the_fight_of_a_fresh_battle(
    ruleset: str, what: str, attacker: str, defender: str
) -> None:
    rules = rules_of(ruleset)
    worn = put(rules, what, attacker, defender)
    before, digest = Checkpoint(worn.battle), worn.battle.state_hash()

    @settings(max_examples=8, deadline=None, derandomize=True)
    @given(st.integers(0, 127), st.integers(0, 3), st.integers(0, 2**32))
    def check(deeds: int, rounds: int, seed: int) -> None:
        fight(worn, seed, rounds)
        unruly(worn, deeds)
        before.restore()
        assert worn.battle.state_hash() == digest
        assert worn.battle.broken_laws() == []
        fresh = put(rules, what, attacker, defender)
        assert fight(worn, seed + 1, 4) == fight(fresh, seed + 1, 4)
        before.restore()
        assert Checkpoint(worn.battle).key() == before.key()

    check()


@pytest.mark.parametrize(
    ("ruleset", "one", "other"), [("small_fantasy", "elves", "orcs"), ("arcana", "dwarves_500", "hogmen_500")]
)
def test_a_whole_battle_comes_back(ruleset: str, one: str, other: str) -> None:
    rules = rules_of(ruleset)
    armies = [warhost.Army.ready(name, rules) for name in (one, other)]

    def begun() -> warhost.Battle:
        battle = warhost.Battle(rules, armies, 5, players=[UsualPlayer(), UsualPlayer()], log=False)
        battle.turns.set_up()
        battle.turns.play_turn()
        battle.dice = SeededDice(1)
        battle.turns.play_turn()
        return battle

    def go_on(battle: warhost.Battle) -> str:
        battle.dice = SeededDice(6)
        battle.turns.play_turn()
        return battle.state_hash()

    worn, fresh = begun(), begun()
    before, digest = Checkpoint(worn), worn.state_hash()
    worn.turns.play_turn()
    worn.turns.play_turn()
    middle = Checkpoint(worn)
    before.restore()
    assert worn.state_hash() == digest
    assert go_on(worn) == go_on(fresh)
    middle.restore()
    assert worn.state_hash() != digest
    before.restore()
    assert worn.state_hash() == digest


def test_the_key_forgets_how_it_came_about_and_nothing_else() -> None:
    rules = rules_of("small_fantasy")
    prepared = put(rules, "melee", "elf_warriors:10", "orc_mob:10")
    battle, unit = prepared.battle, prepared.defender
    before = Checkpoint(battle)
    battle.put(unit, "figures", 9)
    assert Checkpoint(battle).key() != before.key()
    battle.put(unit, "figures", 10)
    battle.dice.pool(3, 6)
    assert Checkpoint(battle).key() == before.key()
    battle.give("trait", "Unshaken", (), unit)
    with_trait = Checkpoint(battle).key()
    assert with_trait != before.key()
    battle.take("Unshaken", unit)
    assert Checkpoint(battle).key() == before.key()
    battle.give("trait", "Unshaken", (), unit)  # another instance of the same
    assert Checkpoint(battle).key() == with_trait
