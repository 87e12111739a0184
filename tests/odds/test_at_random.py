"""The law of odds: whatever is asked, the exact answer, trials in columns and fights one by one agree.

The same questions are asked in every run, others with WARHOST_FRESH=1 in the environment (as the last step of CI has
it); a failure tells the seed that asks it again: `Random(ruleset, seed)`.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from odds import at_random
from odds.at_random import BOOKS, Random, differences
from odds.rulebooks import put, rules_of
from warhost_odds.evaluate import drawn, evaluate

FIRST = random.SystemRandom().randrange(10**9) if os.environ.get("WARHOST_FRESH") else 11


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("n", range(2))
def test_all_ways_of_answering_agree(book: str, n: int) -> None:
    assert list(differences(Random(book, FIRST + n), one_by_one=40, turns=60, seconds=1.0)) == []


def test_a_seed_gives_the_same_question() -> None:
    assert Random("small_fantasy", 5).asked().said == Random("small_fantasy", 5).asked().said
    assert len({Random("small_fantasy", seed).asked().said for seed in range(5)}) == 5


def test_another_rule_would_be_seen(tmp_path: Path) -> None:
    house = tmp_path / "blunt.rules"
    house.write_text(
        'house rule "Blunt" for small_fantasy\n'
        "    replace roll saves_from_blow(target) by target: d6 <= blow_armour(target) + 1\n"
    )
    pair = ("melee", "elf_warriors:12", "orc_mob:15")
    counts = drawn(put(rules_of("small_fantasy", str(house)), *pair), "round", 20_000, 3)
    plain = put(rules_of("small_fantasy"), *pair)
    exact = evaluate(plain, "round", "exact").joint
    assert at_random._against(counts, exact) < at_random.LEAST
    assert at_random._against(drawn(plain, "round", 20_000, 3), exact) > 1e-3
