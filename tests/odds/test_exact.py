"""The exact answers against what was reckoned by hand, and the vectorised trials against both."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from odds.agreement import disagreements
from odds.by_hand import expected_joint
from odds.rulebooks import put, rules_of
from odds.situations import SITUATIONS, SMALL_FANTASY, Situation
from warhost.odds.chance import OutOfReach, binomial
from warhost.odds.evaluate import evaluate
from warhost.odds.scalar import simulate

#: More trials than the scalar way could play in a test: the vectorised one plays them all at once.
TRIALS = 20_000


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_the_exact_answer_is_the_one_reckoned_by_hand(situation: Situation) -> None:
    found = evaluate(situation.put(), situation.until, "exact")
    expected = expected_joint(situation)
    assert found.method == "exact"
    assert math.isclose(math.fsum(found.joint.values()), 1.0, rel_tol=0, abs_tol=1e-12)
    for tally in found.joint.keys() | expected.keys():
        assert abs(found.joint.get(tally, 0.0) - expected.get(tally, 0.0)) < 1e-9, tally


@pytest.mark.parametrize("situation", SITUATIONS, ids=str)
def test_vectorised_trials_come_from_the_same_chances(situation: Situation) -> None:
    found = evaluate(situation.put(), situation.until, "simulation", TRIALS, seed=5)
    assert sum(found.joint.values()) == found.trials == TRIALS
    assert disagreements(found.joint, expected_joint(situation)) == []  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_counts_and_the_battle_stands_as_before() -> None:
    prepared = SMALL_FANTASY[3].put()
    before = prepared.battle.state_hash()
    one = evaluate(prepared, "end", "simulation", 500, seed=7)
    exact = evaluate(prepared, "end", "exact")
    assert prepared.battle.state_hash() == before
    assert list(evaluate(prepared, "end", "simulation", 500, seed=7).joint.items()) == list(one.joint.items())
    assert evaluate(prepared, "end", "simulation", 500, seed=8).joint != one.joint
    assert list(evaluate(prepared, "end", "exact").joint.items()) == list(exact.joint.items())
    assert disagreements(simulate(prepared, "end", 300, 3), exact.joint) == []  # type: ignore[arg-type]


def test_a_house_rule_changes_the_exact_answer(tmp_path: Path) -> None:
    house = tmp_path / "thick_hides.rules"
    house.write_text(
        'house rule "Saves on a D8" for small_fantasy\n'
        "    replace roll saves_from_blow(target) by target: d8 <= blow_armour(target)\n"
        "        natural 1 succeeds\n"
    )
    given = ("defender.disorder = 1",)  # nobody strikes back, nobody tests
    rules = rules_of("small_fantasy", str(house))
    found = evaluate(put(rules, "melee", "elf_warriors:4", "orc_mob:20", given=given), "round", "exact").joint
    wounded = 4 * 5 / (6 * 8)  # they hit on 4; five faces of the D8 save nothing
    expected = binomial(4, wounded)
    assert len(found) == 5
    for (outcome, _, lost, _, _), p in found.items():
        assert outcome == "both_hold"
        assert abs(p - expected[lost]) < 1e-12


def test_dice_of_ten_thousand_ways_are_out_of_reach_and_drawn_instead() -> None:
    rules = rules_of("small_fantasy")
    prepared = put(rules, "melee", "elf_warriors:20", "orc_mob:20")
    found = evaluate(prepared, "end", "auto", 100)
    assert found.method in ("exact", "simulation")
    with pytest.raises(OutOfReach):
        from warhost.odds.chance import explore

        explore(lambda dice: dice.pool(6, 6))
