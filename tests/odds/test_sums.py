"""Dice that are only added up are weighed by their totals: fewer ways, the same chances."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.packs import load
from warhost_odds.chance import PathDice, explore
from warhost_odds.evaluate import evaluate
from warhost_odds.questions import UnitSpec, asked, set_up

FIGHT = Path(__file__).resolve().parents[2] / "benchmarks/border_fight"

OF_2D6 = {total: (6 - abs(total - 7)) / 36 for total in range(2, 13)}

LOOKS = """house rule "Boxcars" for border_fight
    state of battle
        boxcars: number = 0

    after rolled(throw) when throw.name == "keeps_nerve"
        if throw.total == 12: battle.boxcars += 1
"""


def ways(house: list[Path], need: int) -> tuple[int, float]:
    """In how many ways a test of 2d6 falls, and the chance to pass it."""
    rules = load(FIGHT, house)
    question, settings = asked("clash", rules)
    prepared = set_up(rules, question, UnitSpec.parse("hillmen:6", rules), UnitSpec.parse("bowmen:5", rules), settings)
    battle = prepared.battle
    roll = rules.program.rolls["keeps_nerve"]
    prepared.attacker.shaken = need == 7

    def once(dice: PathDice) -> bool:
        battle.dice = dice
        return bool(battle.throws.make_roll(roll, (prepared.attacker,)))

    found = explore(once)
    return len(found), sum(chance for chance, passed in found if passed)


@pytest.mark.parametrize("need", [7, 8])
def test_eleven_totals_are_followed_instead_of_36_pairs(need: int) -> None:
    number, chance = ways([], need)
    assert number == 11
    assert chance == pytest.approx(sum(p for total, p in OF_2D6.items() if total <= need))


def test_dice_that_somebody_looks_at_fall_one_by_one(tmp_path: Path) -> None:
    house = tmp_path / "boxcars.rules"
    house.write_text(LOOKS)
    number, chance = ways([house], 8)
    assert number == 36
    assert chance == pytest.approx(26 / 36)


def test_the_border_fight_in_columns_agrees_with_the_exact_answer() -> None:
    """The game of the benchmark: some 11 player turns and 42 dice."""
    rules = load(FIGHT)
    question, settings = asked("clash", rules)
    prepared = set_up(rules, question, UnitSpec.parse("hillmen:3", rules), UnitSpec.parse("bowmen:3", rules), settings)
    exact = evaluate(prepared, "end", "exact").joint
    drawn = evaluate(prepared, "end", "simulation", 100_000, 4).joint
    assert drawn.keys() <= exact.keys()
    statistic = sum((drawn.get(k, 0) - 1e5 * p) ** 2 / (1e5 * p) for k, p in exact.items() if p > 1e-4)
    cells = sum(p > 1e-4 for p in exact.values())
    assert statistic < cells + 6 * (2 * cells) ** 0.5
