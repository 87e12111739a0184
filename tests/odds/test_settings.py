"""Settings of the rulesets' own questions, as far as examples/odds.yaml has not worked them out."""

from __future__ import annotations

import pytest

from warhost import Answer, odds


def asked(book: str, what: str, attacker: str, defender: str, **settings: object) -> Answer:
    return odds(book, attacker, defender, what=what, settings=settings, method="exact")


@pytest.mark.parametrize(
    ("book", "attacker", "defender", "files"),
    [
        ("arcana", "dwarves_axemen:12", "orcs_orc_warrior:12", "files"),
        ("three_plains", "kingdom_spears:12", "kingdom_halberds:12", "files"),
    ],
)
def test_either_side_has_a_frontage_of_its_own(book: str, attacker: str, defender: str, files: str) -> None:
    both = asked(book, "melee", attacker, defender, frontage=4)
    own = asked(book, "melee", attacker, defender, frontage=4, frontage_against=6)
    assert [both.setup[side][files] for side in ("attacker", "defender")] == [4, 4]
    assert [own.setup[side][files] for side in ("attacker", "defender")] == [4, 6]


def test_a_column_against_a_line() -> None:
    own = asked("small_fantasy", "melee", "elf_warriors:12", "orc_mob:12", frontage=6, frontage_against=2)
    assert [own.setup[side]["in_column"] for side in ("attacker", "defender")] == [False, True]


def test_three_plains_knows_who_strikes() -> None:
    pair = "kingdom_spears:4", "kingdom_halberds:4"
    both = asked("three_plains", "melee", *pair)
    only = asked("three_plains", "melee", *pair, strikers="only_attacker")
    borne = asked("three_plains", "melee", *pair, strikers="only_defender")
    assert only.losses["defender"] == pytest.approx(both.losses["defender"])
    assert borne.losses["attacker"] == pytest.approx(both.losses["attacker"])
    assert set(only.losses["attacker"]) == set(borne.losses["defender"]) == {0}


def test_three_plains_knows_cover_and_how_far_the_shooters_have_come() -> None:
    pair = "kingdom_bows:10", "kingdom_halberds:10"
    plain = asked("three_plains", "shooting", *pair)
    cover, moved = (asked("three_plains", "shooting", *pair, **{name: value}) for name, value in
                    (("cover", "yes"), ("moved", 5)))  # fmt: skip
    assert cover.means["defender"] == pytest.approx(moved.means["defender"])  # one more either way
    assert 0 < cover.means["defender"] < plain.means["defender"]


def test_a_tower_and_a_move_lessen_shots_in_legiones() -> None:
    pair = "sample_archers:1", "sample_loose:1"
    plain, moved, tower = (
        asked("legiones", "shooting", *pair, distance=3, **more) for more in ({}, {"moved": "yes"}, {"tower": "yes"})
    )
    assert moved.means["defender"] < plain.means["defender"]
    assert tower.means["defender"] < plain.means["defender"]


def test_the_fates_of_a_unit_are_all_that_may_come_of_it() -> None:
    answer = asked("arcana", "melee", "dwarves_axemen:12", "orcs_orc_warrior:12")
    for side in ("attacker", "defender"):
        fate, test = answer.observed["fate"][side], answer.observed["morale_test"][side]
        assert sum(fate.values()) == pytest.approx(1.0)
        assert fate["tested_and_stood"] == pytest.approx(test["passed"])
        assert fate["broken"] == pytest.approx(test["failed"])
