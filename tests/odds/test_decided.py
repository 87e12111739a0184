"""Fights that are not decided are told, what is given is so, and only what a fight costs counts as its cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.odds.brawl import write_brawl
from warhost import Answer, RulesInvalid, odds

RULES = """\
state of unit
    far: number = 0

# Half of the time the defender loses one.
procedure nick(attacker: unit, defender: unit)
    if (attacker rolls d2) == 1
        defender.wounds += 1

# They march for twenty rounds before anybody strikes.
procedure march(attacker: unit, defender: unit)
    if attacker.far < 20
        attacker.far += 1
    else
        nick(attacker, defender)

# Nothing ever comes of it.
procedure stare(attacker: unit, defender: unit)
    attacker.sore = not attacker.sore

# Who is struck may be healed instead.
procedure drain(attacker: unit, defender: unit)
    if (attacker rolls d2) == 1
        attacker.wounds -= 2
        defender.wounds += 1
"""


def asked(folder: Path, round_: str, **how: Any) -> Answer:
    game = write_brawl(folder, RULES, round_)
    return odds(game, "man:1", how.pop("defender", "man:1"), **{"trials": 2_000, "until": "end", **how})


@pytest.mark.parametrize("method", ["exact", "simulation"])
def test_a_fight_goes_on_however_long_nobody_is_hurt(tmp_path: Path, method: str) -> None:
    answer = asked(tmp_path, "march", method=method)
    assert answer.outcome["attacker_wins"] == pytest.approx(1.0)
    assert "end" not in answer.why


def test_thirty_rounds_of_losses_are_weighed_whole(tmp_path: Path) -> None:
    answer = asked(tmp_path, "nick", method="exact", defender="ox:1")
    assert answer.means["defender"] == pytest.approx(9.0)


@pytest.mark.parametrize("method", ["exact", "simulation"])
def test_a_fight_without_end_is_told(tmp_path: Path, method: str) -> None:
    answer = asked(tmp_path, "stare", method=method)
    assert answer.outcome == {"both_hold": 1.0}
    assert "100.0 % never come to an end: after 3 rounds nothing changes any more." in answer.why
    (note,) = answer.notes
    assert note.startswith("Nothing happens here: no dice are thrown, and nobody loses anything")


@pytest.mark.parametrize("method", ["exact", "simulation"])
def test_losses_from_before_the_fight_are_not_its_own(tmp_path: Path, method: str) -> None:
    answer = asked(tmp_path, "nick", method=method, given=["defender.wounds = 2"])
    assert answer.losses["defender"][1] == pytest.approx(1.0)
    assert answer.points_lost["defender"] == pytest.approx(1.0)


def test_losses_below_nothing_stand_in_the_table(tmp_path: Path) -> None:
    answer = asked(tmp_path, "drain", method="exact", until="round")
    assert answer.losses["attacker"] == {-2: 0.5, 0: 0.5}
    rows = [row for row in answer.rows() if row["side"] == "attacker"]
    assert [(row["losses"], row["probability"], row["at_least"]) for row in rows] == [(-2, 0.5, 1.0), (0, 0.5, 0.5)]
    from warhost_odds.telling import binned

    for most in (1, 2, 3, 10):
        bins = binned(answer.losses["attacker"], most)
        assert sum(b.share for b in bins) == pytest.approx(1.0)
        assert (bins[0].first, len(bins) <= most) == (-2, True)


# -- what is given ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["3 + 4", "attacker.charged == yes", "lost(defender)", "attacker.charged"])
def test_what_only_asks_is_refused(text: str) -> None:
    with pytest.raises(RulesInvalid):
        odds("small_fantasy", "orc_mob:10", "elf_warriors:10", given=[text])


@pytest.mark.parametrize("again", [1, 2])  # the second time from the cache
@pytest.mark.parametrize(
    ("text", "less"),
    [
        ("close_combat_skill(attacker: attacker) -2", True),
        ('close_combat_skill(attacker: attacker, target: defender) -2 because "mud"', True),
        ("close_combat_skill(attacker: defender) -2", False),
    ],
)
def test_a_modifier_that_is_given_counts(text: str, less: bool, again: int) -> None:
    plain = odds("small_fantasy", "orc_mob:10", "elf_warriors:10", method="exact")
    exact = odds("small_fantasy", "orc_mob:10", "elf_warriors:10", method="exact", given=[text])
    assert (exact.means["defender"] < plain.means["defender"]) is less
    drawn = odds("small_fantasy", "orc_mob:10", "elf_warriors:10", method="simulation", given=[text], trials=4_000)
    assert drawn.means["defender"] == pytest.approx(exact.means["defender"], abs=0.15)


def test_a_flag_that_is_given_counts() -> None:
    def hold(*given: str) -> float:
        return odds("small_fantasy", "orc_mob:10", "elf_warriors:10", method="exact", given=given).outcome["both_hold"]

    assert hold("allow must_test(unit: defender)") < hold() < hold("forbid must_test(unit: defender)")
