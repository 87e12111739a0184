"""Odds of the Destiny skirmish against sums done here from the sheet's figures alone."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import pytest

import warhost

D10 = range(1, 11)


class Figure(NamedTuple):
    """What counts of a figure, written down from the sheet's tables: Destiny, FV, SV, armour with shield and Speed,
    the best weapon in the hand, the weapon from afar (bonus and Destiny modifier), and what its armour is.
    """

    destiny: int
    fv: int
    sv: int
    rating: int
    blade: tuple[int, int]
    bow: tuple[int, int] = (0, 0)
    magic_armour: int = 0
    impervious: bool = False

    def struck_at(self, modifier: int) -> int:
        """The modifier of its Destiny roll against a plain weapon."""
        return self.magic_armour + (0 if self.impervious else modifier)


FIGURES = {
    "Sergeant": Figure(6, 3, 2, 11, (3, -1)),
    "Squire": Figure(6, 2, 2, 9, (2, -2)),
    "Bandit": Figure(6, 2, 3, 8, (1, -1), (2, -1)),
    "Bruiser": Figure(5, 3, 0, 8, (3, 0)),
    "Sorcerer": Figure(4, 2, 2, 7, (3, -1)),
    "Guard in living iron": Figure(6, 3, 2, 12, (3, -2), magic_armour=1, impervious=True),
    "Halfling thief": Figure(6, 1, 3, 9, (1, -1), (2, -1)),
    "Gargoyle": Figure(5, 3, 0, 9, (2, -1)),
    "Troll": Figure(3, 5, 0, 9, (2, 0)),
}


def survival(destiny: int, modifier: int) -> Mapping[str, Fraction]:
    """Above Destiny nothing, equal down, below out; a natural 1 is out and a natural 10 nothing."""
    out = sum(1 for n in D10 if n == 1 or (n != 10 and n + modifier < destiny))
    down = sum(1 for n in D10 if n not in (1, 10) and n + modifier == destiny)
    return {
        "defender_out": Fraction(out, 10),
        "defender_down": Fraction(down, 10),
        "both_stand": Fraction(10 - out - down, 10),
    }


def attack(bonus: int, rating: int, ends: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """A throw that hits from the rating up and never on a 1, and what comes of a hit."""
    hit = Fraction(sum(1 for n in D10 if n != 1 and n + bonus >= rating), 10)
    found = {word: hit * share for word, share in ends.items()}
    found["both_stand"] += 1 - hit
    return found


def blow(a: Figure, b: Figure) -> dict[str, Fraction]:
    return attack(a.fv + a.blade[0], b.rating, survival(b.destiny, b.struck_at(a.blade[1])))


def shot(a: Figure, b: Figure) -> dict[str, Fraction]:
    return attack(a.sv + a.bow[0], b.rating, survival(b.destiny, b.struck_at(a.bow[1])))


def agree(what: str, attacker: str, defender: str, expected: Mapping[str, Fraction], **settings: int) -> None:
    answer = warhost.odds("destiny", f"{attacker}:1", f"{defender}:1", what=what, settings=settings)
    assert answer.method == "exact"
    for word, share in expected.items():
        assert answer.outcome.get(word, 0.0) == pytest.approx(float(share), abs=1e-12), word


@pytest.mark.parametrize(
    ("attacker", "defender"),
    [
        ("Sergeant", "Bruiser"),
        ("Sergeant", "Guard in living iron"),
        ("Squire", "Sergeant"),
        ("Bandit", "Guard in living iron"),
        ("Bruiser", "Sorcerer"),
        ("Troll", "Sergeant"),
        ("Gargoyle", "Squire"),
        ("Guard in living iron", "Troll"),
    ],
)
def test_a_blow(attacker: str, defender: str) -> None:
    agree("blow", attacker, defender, blow(FIGURES[attacker], FIGURES[defender]))


@pytest.mark.parametrize("attacker", ["Bandit", "Halfling thief"])
@pytest.mark.parametrize("defender", ["Sergeant", "Guard in living iron", "Troll"])
def test_a_shot(attacker: str, defender: str) -> None:
    agree("shot", attacker, defender, shot(FIGURES[attacker], FIGURES[defender]))


@pytest.mark.parametrize("defender", ["Bruiser", "Squire", "Troll", "Guard in living iron"])
def test_a_hit_by_a_long_sword(defender: str) -> None:
    figure = FIGURES[defender]
    agree("hit", "Sergeant", defender, survival(figure.destiny, figure.struck_at(-1)))


def test_destiny_5_and_a_long_sword_are_out_on_1_to_5_down_on_6_and_safe_on_7_to_10() -> None:
    half, tenth, rest = Fraction(5, 10), Fraction(1, 10), Fraction(4, 10)
    agree("hit", "Sergeant", "Bruiser", {"defender_out": half, "defender_down": tenth, "both_stand": rest})


@pytest.mark.parametrize("modifier", [-9, -2, -1, 0, 2, 9])
def test_a_destiny_roll_for_another_purpose(modifier: int) -> None:
    passed = sum(1 for n in D10 if n == 10 or (n != 1 and n + modifier >= 6))
    expected = {"both_stand": Fraction(passed, 10), "defender_down": Fraction(10 - passed, 10)}
    agree("test", "Sergeant", "Squire", expected, modifier=modifier)


@pytest.mark.parametrize("power", ["fire_bolt", "thunderbolt"])
@pytest.mark.parametrize("defender", ["Bruiser", "Squire", "Exorcist"])
def test_a_bolt_called_upon_by_a_master(power: str, defender: str) -> None:
    grade, worse = (1, 0) if power == "fire_bolt" else (2, -1)
    called = Fraction(sum(1 for n in D10 if n == 10 or (n != 1 and n - grade + 2 >= 4)), 10)
    talent = 1 if defender == "Exorcist" else 0
    fates = survival(5 if defender == "Bruiser" else 6, worse + talent)
    down, stand = fates["defender_down"], fates["both_stand"]
    if power == "thunderbolt":
        down, stand = down + stand, Fraction(0)
    agree("power", "Sorcerer", defender, {
        "defender_out": called * fates["defender_out"], "defender_down": called * down,
        "both_stand": 1 - called + called * stand,
    }, power=power)  # fmt: skip


@pytest.mark.parametrize("altitude", [1, 2])
@pytest.mark.parametrize(("defender", "destiny"), [("Harpy", 6), ("Gargoyle", 5)])
def test_a_fall(defender: str, destiny: int, altitude: int) -> None:
    out = survival(destiny, -2 * (altitude - 1))["defender_out"]
    agree("fall", "Sergeant", defender, {"defender_out": out, "defender_down": 1 - out}, altitude=altitude)
