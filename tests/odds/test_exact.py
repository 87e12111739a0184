"""The exact answers against what was computed by hand, and the vectorised trials against both."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest

from odds.agreement import disagreements
from odds.by_hand import expected_joint
from odds.rulebooks import put, rules_of
from odds.situations import AT_ONCE, SITUATIONS, SMALL_FANTASY, Situation, at_once
from warhost.lang import ir
from warhost.lang.place import Pos
from warhost_odds.chance import OutOfReachError, binomial, explore
from warhost_odds.columns import Columns
from warhost_odds.evaluate import MOST_WORK, _followed, evaluate
from warhost_odds.scalar import simulate

#: A spell works through an effect of its own, which throws all its dice in one step: six D3 and saves are too many.
TOO_MANY = ("a flamestrike",)
WEIGHED = tuple(s for s in SITUATIONS if s.name not in TOO_MANY)


def test_enough_situations_are_weighed() -> None:
    assert all(sum(1 for s in WEIGHED if s.ruleset == book) >= 15 for book in ("small_fantasy", "arcana", "legiones"))
    assert sum(1 for s in WEIGHED if s.what.startswith("spell")) >= 2


@pytest.mark.parametrize("name", ["arcana", "legiones", "small", "three_plains"])
def test_what_is_computed_by_hand_shares_no_code_with_warhost(name: str) -> None:
    for file in (f"{name}_by_hand.py", "chains.py"):
        tree = ast.parse((Path(__file__).parent / file).read_text())
        froms = {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        names = {one.name for n in ast.walk(tree) if isinstance(n, ast.Import) for one in n.names}
        read = (froms | names) - {"odds.chains"}
        assert not [one for one in read if one.startswith(("warhost", "odds", "tests"))]


@pytest.mark.parametrize("situation", [s for s in SITUATIONS if s not in WEIGHED], ids=str)
def test_what_is_out_of_reach_is_drawn_instead_and_said_so(situation: Situation) -> None:
    found = evaluate(situation.put(), situation.until, "auto", 1_000)
    assert (found.method, found.trials) == ("one_by_one", 1_000)
    assert "out of reach" in found.why


def test_an_exact_answer_that_cannot_be_had_is_refused() -> None:
    spell = next(s for s in SITUATIONS if s not in WEIGHED)
    with pytest.raises(OutOfReachError, match="ways"):
        evaluate(spell.put(), spell.until, "exact")


def test_work_is_counted_and_given_up_at_the_same_point() -> None:
    """What `auto` does depends on what is asked, not on how fast the machine is."""
    prepared = SMALL_FANTASY[0].put()
    needed = Columns(prepared.battle, work=1e9)
    _followed(prepared, "round", needed, 1.0)
    spent = 1e9 - needed.work.left
    assert 1_000 < spent < MOST_WORK
    _followed(prepared, "round", Columns(prepared.battle, work=spent), 1.0)
    with pytest.raises(OutOfReachError, match="too many ways"):
        _followed(prepared, "round", Columns(prepared.battle, work=spent - 1), 1.0)


@pytest.mark.parametrize("situation", WEIGHED, ids=str)
def test_the_exact_answer_is_the_one_computed_by_hand(situation: Situation) -> None:
    found = evaluate(situation.put(), situation.until, "exact")
    expected = expected_joint(situation)
    assert found.method == "exact"
    assert math.isclose(math.fsum(found.joint.values()), 1.0, rel_tol=0, abs_tol=1e-12)
    for tally in found.joint.keys() | expected.keys():
        assert abs(found.joint.get(tally, 0.0) - expected.get(tally, 0.0)) < 1e-9, tally


@pytest.mark.parametrize("situation", WEIGHED, ids=str)
def test_vectorised_trials_come_from_the_same_chances(situation: Situation) -> None:
    assert sum(at_once(situation).values()) == AT_ONCE
    assert disagreements(at_once(situation), expected_joint(situation)) == []


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


def test_a_step_of_too_many_ways_is_refused() -> None:
    with pytest.raises(OutOfReachError):
        explore(lambda dice: dice.pool(6, 6))


UNLIKELY = """
house rule "Unlikely" for small_fantasy
    roll luck(unit) by unit: d6 >= 6
    phase tempting after combat, each unit: tempt
    procedure tempt(unit)
        first = how many of 25 pass luck(unit)
        if first >= 23
            second = how many of 600 pass luck(unit)
            third = how many of second pass luck(unit)
            unit.wounds_noted += third
"""


def test_what_is_too_unlikely_is_left_out_whole(tmp_path: Path) -> None:
    """All courses that one throw leads to are left out, and another throw comes after it."""
    house = tmp_path / "unlikely.rules"
    house.write_text(UNLIKELY)
    plain, unlikely = (evaluate(SMALL_FANTASY[0].put(*rules), "round", "exact").joint for rules in ((), (str(house),)))
    assert math.isclose(math.fsum(unlikely.values()), 1.0, abs_tol=1e-12)
    assert all(math.isclose(chance, plain[tally], abs_tol=1e-12) for tally, chance in unlikely.items())


def test_what_is_asked_at_two_places_is_worked_out_once() -> None:
    prepared = SMALL_FANTASY[0].put()
    figures = ir.GetField(ir.Local("unit"), "figures")
    places = [
        ir.CallFunction("list of", [figures, figures], pos=Pos("a file", line, 1, line, 9)) for line in (1, 2)
    ]
    columns = Columns(prepared.battle, work=1e9)
    costs, found = [], []
    with columns.steps.at_work():
        for place in (*places, ir.CallFunction("list of", [figures])):
            before = columns.work.left
            found.append(columns.look(place, prepared.attacker, columns.start(1.0)))
            costs.append(before - columns.work.left)
    assert costs == [costs[0], 0, costs[0]] != [0, 0, 0]
    assert found[0] == found[1] == 2 * found[2]
