"""A question plays the turn itself: what house rules do to the turn, they do to the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from odds.agreement import disagreements
from warhost import Answer, load, odds
from warhost_odds.evaluate import drawn, evaluate
from warhost_odds.questions import UnitSpec, set_up
from warhost_odds.questions import asked as asked_for
from warhost_odds.scalar import simulate

PHASES = {
    "one": "phase bleeding after combat: bleed",
    "each": "phase bleeding after combat, each unit: bleed_one",
    "each side": "phase bleeding after combat, each side: bleed_side",
    "by turns": "phase bleeding after combat, alternating units: bleed_one",
    "body": "phase bleeding after combat\n        bleed()",
    "in a case": "phase bleeding after combat when battle.turn >= 1: bleed",
}

BLEEDING = """
    procedure bleed()
        for each unit
            bleed_one(unit)
    procedure bleed_one(unit)
        unit.wounds_noted += 3
    procedure bleed_side(side)
        for each unit where it.side is side
            bleed_one(unit)
"""


def asked(tmp_path: Path, rules: str, question: str = "melee", method: str = "exact", until: str = "round") -> Answer:
    file = tmp_path / "house.rules"
    file.write_text(f'house rule "A house" for small_fantasy\n    {rules.strip()}\n')
    return odds(
        "small_fantasy", "orc_archers:10", "elf_archers:10", what=question, house=[file], method=method, until=until,
        trials=4_000,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["exact", "simulation"])
@pytest.mark.parametrize("order", sorted(PHASES))
def test_a_phase_that_a_house_rule_adds_is_played(tmp_path: Path, order: str, method: str) -> None:
    plain = odds("small_fantasy", "orc_archers:10", "elf_archers:10", what="shooting", method="exact", until="round")
    answer = asked(tmp_path, PHASES[order] + BLEEDING, "shooting", method)
    assert answer.is_exact is (method == "exact")
    assert set(plain.losses["attacker"]) == {0}  # nobody shoots back
    assert set(answer.losses["attacker"]) == {3}
    assert min(answer.losses["defender"]) == 3


def test_a_phase_before_another_comes_before_it(tmp_path: Path) -> None:
    early = asked(tmp_path, "phase bleeding before removal: bleed" + BLEEDING)
    late = asked(tmp_path, "phase bleeding after removal: bleed" + BLEEDING)
    assert min(early.losses["attacker"]) == 3
    assert min(late.losses["attacker"]) == 0  # noted, but not yet removed


def test_a_phase_that_a_house_rule_removes_is_not_played(tmp_path: Path) -> None:
    answer = asked(tmp_path, "remove phase removal")
    assert set(answer.losses["defender"]) == {0}


def test_a_phase_that_the_question_leaves_out_may_be_removed(tmp_path: Path) -> None:
    answer = asked(tmp_path, "remove phase charges")
    assert max(answer.losses["defender"]) > 0


def test_what_lasts_until_a_phase_ends_is_over_then(tmp_path: Path) -> None:
    shaken = """
    on phase_begins(phase) when phase == "combat"
        close_combat_skill() -2 until end of combat
    """
    forever = shaken.replace("until end of combat", "")
    plain = odds("small_fantasy", "orc_archers:10", "elf_archers:10", what="melee", method="exact", until="round")
    weaker, as_weak = asked(tmp_path, shaken), asked(tmp_path, forever)
    assert weaker.means["defender"] == pytest.approx(as_weak.means["defender"])
    assert weaker.means["defender"] < plain.means["defender"]


def test_a_turn_that_begins_is_told_from_the_second_round_on(tmp_path: Path) -> None:
    waning = """
    on turn_begins
        for each unit
            unit.wounds_noted += 1
    """
    answer = asked(tmp_path, waning, "shooting")
    plain = odds("small_fantasy", "orc_archers:10", "elf_archers:10", what="shooting", method="exact", until="round")
    assert answer.losses == plain.losses
    to_the_end = asked(tmp_path, waning, "shooting", "simulation", "end")
    assert to_the_end.means["attacker"] > 0


def test_what_happens_from_some_turn_on_counts_from_that_turn_on(tmp_path: Path) -> None:
    """Exactly, in columns and one by one: the battle's turns go on from round to round."""
    late = "phase bleeding after combat when battle.turn >= 3: bleed" + BLEEDING
    file = tmp_path / "house.rules"
    file.write_text(f'house rule "A house" for small_fantasy\n    {late}\n')
    rules = load("small_fantasy", house=[file])
    question, settings = asked_for("melee", rules)
    sides = [UnitSpec.parse(name, rules) for name in ("orc_archers:10", "elf_archers:10")]
    exact = evaluate(set_up(rules, question, *sides, settings), "end", "exact").joint
    prepared = set_up(rules, question, *sides, settings)
    assert not disagreements(drawn(prepared, "end", 20_000, seed=1), exact)
    assert not disagreements(simulate(prepared, "end", 2_000, seed=2), exact)
