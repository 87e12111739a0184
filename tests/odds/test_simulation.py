"""The compiled rules, played again and again, against what was computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from odds.agreement import disagreements
from odds.by_hand import expected_joint
from odds.chains import pool
from odds.rulebooks import put, rules_of
from odds.situations import ARCANA, SITUATIONS, SMALL_FANTASY, Situation, one_by_one
from warhost.errors import UsageError
from warhost_odds.scalar import simulate


def test_there_are_enough_situations() -> None:
    assert min(len(SMALL_FANTASY), len(ARCANA)) >= 15
    assert len({(s.ruleset, s.name) for s in SITUATIONS}) == len(SITUATIONS)


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_simulation_agrees_with_what_was_computed_by_hand(situation: Situation) -> None:
    expected = expected_joint(situation)
    assert abs(sum(expected.values()) - 1.0) < 1e-12
    assert disagreements(one_by_one(situation), expected) == []


def test_the_same_seed_gives_the_same_counts_and_leaves_the_battle_as_it_was() -> None:
    prepared = SMALL_FANTASY[3].put()
    before = prepared.battle.state_hash()
    seen: list[int] = []
    one = simulate(prepared, "end", 20, 7, seen.append)
    assert seen == list(range(1, 21))
    assert prepared.battle.state_hash() == before
    assert list(simulate(prepared, "end", 20, 7).items()) == list(one.items())
    assert simulate(prepared, "end", 20, 8) != one


def test_a_house_rule_changes_the_odds(tmp_path: Path) -> None:
    house = tmp_path / "thick_hides.rules"
    house.write_text(
        'house rule "Saves on a D8" for small_fantasy\n'
        "    replace roll saves_from_blow(target) by target: d8 <= blow_armour(target)\n"
        "        natural 1 succeeds\n"
    )
    arguments = ("melee", "elf_warriors:4", "orc_mob:20")
    given = ("defender.disorder = 1",)  # nobody strikes back, nobody tests
    rules = rules_of("small_fantasy", str(house))
    counts = simulate(put(rules, *arguments, given=given), "round", 1500, 3)
    wounds = pool(4, (4 * 5, 6 * 8))  # they hit on 4; five faces of the D8 save nothing
    expected = {("both_hold", 0, n, 0, 8 * n): p for n, p in wounds.items()}
    assert disagreements(counts, expected) == []
    plain = simulate(put(rules_of("small_fantasy"), *arguments, given=given), "round", 1500, 3)
    assert disagreements(plain, expected) != []


def test_what_cannot_be_simulated_is_refused() -> None:
    prepared = SMALL_FANTASY[0].put()
    with pytest.raises(UsageError, match="until"):
        simulate(prepared, "dawn", 1, 1)
    with pytest.raises(UsageError, match="trial"):
        simulate(prepared, "round", 0, 1)
