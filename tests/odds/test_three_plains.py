"""Odds of Three Plains against sums of our own (`three_plains_by_hand`)."""

from fractions import Fraction

import pytest

import warhost
from tests.odds.three_plains_by_hand import Fighter, a_point_against_a_line, binomial, blocks, duel, holds, ring, volley
from warhost.errors import UsageError

PIECES = {
    "man": Fighter(1, 4, 1, 3, 0, 6, 3),
    "orc": Fighter(1, 4, 3, 2, 0, 6, 3),
    "dwarf": Fighter(1, 4, 1, 7, 0, 3, 4),
    "ungor": Fighter(7, 2, 4, 5, 0, 15, 3, cuts=4),
    "squob": Fighter(1, 3, 1, 1, 1, 1, 2),
    "troll": Fighter(5, 5, 3, 4, 0, 6, 3),
}


@pytest.mark.parametrize(
    ("who", "soldiers", "stress"),
    [("kingdom_spears:12", 3, 5), ("man:1", 3, 1), ("kingdom_knights:6", 5, 5), ("squob:1", 2, 9), ("ungor:1", 3, 14)],
)
def test_a_check(who: str, soldiers: int, stress: int) -> None:
    answer = warhost.odds("three_plains", who, "man:1", what="check", settings={"stress": stress}, any_size=True)
    assert answer.method == "exact"
    fails = float(1 - holds(soldiers, stress))
    assert answer.observed["broken"]["attacker"].get(True, 0) == pytest.approx(fails, abs=1e-9, rel=0)


@pytest.mark.parametrize(("distance", "need"), [(12, 5), (8, 4), (18, 5)])
def test_a_volley(distance: int, need: int) -> None:
    """Five archers abreast against toughness 2."""
    answer = warhost.odds(
        "three_plains", "kingdom_bows:10", "kingdom_spears:12", what="shooting", settings={"distance": distance}
    )
    lost, broken = volley(5, need, Fraction(4, 6), 3)
    assert answer.method == "exact"
    for fallen, chance in lost.items():
        assert answer.losses["defender"].get(fallen, 0) == pytest.approx(float(chance), abs=1e-9, rel=0)
    assert answer.observed["broken"]["defender"].get(True, 0) == pytest.approx(float(broken), abs=1e-9, rel=0)


@pytest.mark.parametrize(("until", "rounds"), [("round", 1), ("end", 200)])
@pytest.mark.parametrize(("one", "two"), [("man", "orc"), ("squob", "ungor"), ("orc", "dwarf"), ("troll", "orc")])
def test_a_duel(one: str, two: str, until: str, rounds: int) -> None:
    answer = warhost.odds("three_plains", f"{one}:1", f"{two}:1", what="melee", until=until, any_size=True)
    assert answer.method == "exact"
    for name, chance in duel(PIECES[one], PIECES[two], rounds).items():
        assert answer.outcome.get(name, 0) == pytest.approx(chance, abs=1e-9, rel=0)


@pytest.mark.parametrize(
    ("attacker", "kills"), [("kingdom_spears", Fraction(1, 3)), ("kingdom_halberds", Fraction(5, 12))]
)
def test_a_round_of_two_units(attacker: str, kills: Fraction) -> None:
    """Four abreast, two deep: 4 hits, and 3 or more kills, 2 or more by a halberd."""
    answer = warhost.odds("three_plains", f"{attacker}:8", "kingdom_spears:8", what="melee", until="round")
    assert answer.method == "exact"
    for side, chance in blocks(4, 8, kills, Fraction(1, 3), 3).items():
        assert answer.observed["broken"][side].get(True, 0) == pytest.approx(float(chance), abs=1e-9, rel=0)


@pytest.mark.parametrize(
    ("mob", "foe", "dice", "kills", "life", "soldiers", "stress"),
    [
        ("goblins:16", "troll:1", 12, Fraction(1, 3), 6, 3, 6),
        ("goblins:24", "troll:1", 12, Fraction(1, 3), 6, 3, 6),
        ("elves:16", "troll:1", 12, Fraction(1, 3), 6, 3, 6),
        ("goblins:16", "hero_on_foot:1", 8, Fraction(1, 2), 2, 5, 11),
    ],
)
def test_a_ring_that_closes(
    mob: str, foe: str, dice: int, kills: Fraction, life: int, soldiers: int, stress: int
) -> None:
    """After a round all stand round him: overlap on three sides, six dice, and he is hit on 3 or more.

    A man by himself is flimsy, and buckles under a unit in ranks: five dice more. A champion is brave by one die.
    """
    answer = warhost.odds(
        "three_plains", mob, foe, what="melee", until="round", settings={"charging": "no", "strikers": "only_attacker"},
        given=["attacker.rounds = 1", "defender.rounds = 1"], any_size=True,
    )  # fmt: skip
    lost = float(ring(dice, 3, kills, life, soldiers, stress))
    assert answer.method == "exact"
    assert answer.losses["defender"][1] == pytest.approx(lost, abs=1e-9, rel=0)
    assert answer.observed["fate"]["defender"]["wiped_out"] == pytest.approx(lost, abs=1e-9, rel=0)


@pytest.mark.parametrize("size", [20, 24])
def test_a_wedge_against_a_line(size: int) -> None:
    """Seven of the point strike, six of the line; the point costs one die, and the line's overhang four."""
    answer = warhost.odds(
        "three_plains", f"company_swords:{size}", "kingdom_spears:20", what="melee", any_size=True,
        settings={"formation": "wedge", "charging": "no", "frontage": 4, "frontage_against": 10},
    )  # fmt: skip
    assert answer.method == "exact"
    assert answer.setup["attacker"] == {"models": size, "formation_of": "wedge", "files": 4}
    for side, chance in a_point_against_a_line(size, 20).items():
        assert answer.observed["broken"][side].get(True, 0) == pytest.approx(float(chance), abs=1e-9, rel=0)
    for fallen, chance in binomial(7, Fraction(4, 9)).items():
        assert answer.losses["defender"].get(fallen, 0) == pytest.approx(float(chance), abs=1e-9, rel=0)


def test_a_formation_of_its_nature_changes_nothing() -> None:
    pairs = {"ranked": "kingdom_spears:12", "skirmish": "elf_rangers:10", "loose": "loose_riders:6"}
    for formation, who in pairs.items():
        plain, said = (
            warhost.odds("three_plains", who, "kingdom_halberds:12", settings=settings, any_size=True)
            for settings in ({}, {"formation": formation})
        )
        assert said.setup["attacker"]["formation_of"] == formation
        assert (said.outcome, said.losses) == (plain.outcome, plain.losses)


@pytest.mark.parametrize(
    ("who", "formation", "reason"),
    [
        ("kingdom_spears:20", "wedge", "Kingdom men-at-arms has not learnt to form a wedge"),
        ("company_swords:9", "wedge", "Company of swords has too few models for a wedge"),
        ("company_lances:2", "wedge", "Company of lances has too few models for a wedge"),
        ("company_swords:20", "loose", "Company of swords is no loose group"),
        ("elf_rangers:10", "loose", "Elven rangers is no loose group"),
        ("kingdom_spears:12", "skirmish", "Kingdom men-at-arms does not skirmish"),
        ("loose_riders:6", "skirmish", "Rovers does not skirmish"),
        ("elf_rangers:10", "ranked", "Elven rangers does not form ranks"),
        ("troll:1", "ranked", "does not form ranks"),
    ],
)
@pytest.mark.parametrize("what", ["melee", "shooting"])
def test_a_formation_that_a_piece_cannot_take_is_refused(who: str, formation: str, reason: str, what: str) -> None:
    pairs = ((who, "kingdom_bows:10", "formation"), ("kingdom_bows:10", who, "formation_against"))
    for one, other, setting in pairs:
        with pytest.raises(UsageError, match=reason):
            warhost.odds("three_plains", one, other, what=what, settings={setting: formation}, any_size=True)
