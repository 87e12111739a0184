"""Columns against the compiled rules one by one: chi-square tests of two samples, over many situations.

Both samples have fixed seeds, so a test that passes once passes always.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from odds.agreement import chi_square, tail
from odds.situations import MORE, SITUATIONS, Situation, at_once, one_by_one
from warhost_odds.evaluate import drawn

#: Spells are drawn one by one in any case: there is nothing to compare.
COMPARED = tuple(s for s in (*SITUATIONS, *MORE) if not s.what.startswith("spell"))

#: Of so many true comparisons one is as far off; seventy are made.
LEAST = 1e-3

BOOKS = ("small_fantasy", "arcana", "legiones")


def of(ruleset: str) -> list[Situation]:
    return [s for s in COMPARED if s.ruleset == ruleset]


def test_twenty_situations_of_each_ruleset_are_compared() -> None:
    assert len(set(COMPARED)) == len(COMPARED)
    assert all(len(of(book)) >= 20 for book in BOOKS)


@pytest.mark.parametrize("situation", COMPARED, ids=str)
def test_columns_are_statistically_identical_to_one_by_one(situation: Situation) -> None:
    assert tail(*chi_square(at_once(situation), one_by_one(situation))) > LEAST


@pytest.mark.parametrize("book", BOOKS)
def test_all_situations_of_a_ruleset_together(book: str) -> None:
    """Small deviations that no single test would see add up."""
    found = [chi_square(at_once(s), one_by_one(s)) for s in of(book)]
    statistic, freedom = math.fsum(x for x, _ in found), sum(f for _, f in found)
    assert freedom > 100
    assert 1e-2 < tail(statistic, freedom) < 0.999


@pytest.mark.parametrize("at", [0, 3])
def test_another_rule_would_be_seen(at: int, tmp_path: Path) -> None:
    """The same comparison tells dice apart that differ a little: a roll that fails on one face more."""
    house = tmp_path / "blunt.rules"
    house.write_text(
        'house rule "Blunt" for small_fantasy\n'
        "    replace roll saves_from_blow(target) by target: d6 <= blow_armour(target) + 1\n"
        "        natural 1 succeeds\n"
        "        natural 6 fails\n"
    )
    situation = SITUATIONS[at]
    other = drawn(situation.put(str(house)), situation.until, 20_000, seed=5)
    assert tail(*chi_square(other, one_by_one(situation))) < LEAST


def test_the_tail_is_that_of_the_tables() -> None:
    for statistic, freedom, chance in ((3.841, 1, 0.05), (5.991, 2, 0.05), (18.307, 10, 0.05), (63.691, 40, 0.01)):
        assert abs(tail(statistic, freedom) - chance) < 2e-5
    assert tail(0.0, 3) == 1.0
