"""Chances of Three Plains worked out from the book, without the engine, for `test_three_plains`.

Chances are exact fractions, but for duels. A fighter is what the book's arithmetic needs of a stat line and no more;
pieces stand front to front on open ground, with no general near.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Fighter:
    """Attacks and rating of a model, the most that a hit takes, its save (toughness, agility), life, soldiering."""

    attacks: int
    rating: int
    limit: int
    toughness: int
    agility: int
    life: int
    soldiering: int
    cuts: int = 0


def binomial(n: int, p: Fraction) -> dict[int, Fraction]:
    """The chance of each number of successes in n throws."""
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def holds(soldiers: int, stress: int) -> Fraction:
    """The chance that a pool of soldiering dice has at least as many successes (4 or more) as one of stress."""
    if stress <= 0:
        return Fraction(1)
    own, other = binomial(soldiers, HALF), binomial(stress, HALF)
    return sum((p * q for a, p in own.items() for b, q in other.items() if a >= b), Fraction(0))


def needed(own: int, other: int) -> int:
    """The score to hit in close combat."""
    if own >= 2 * other:
        return 2
    if own > other:
        return 3
    return 6 if other - own >= 6 else 5 if other - own >= 3 else 4


def one_die(save: int, top: int, limit: int) -> dict[int, Fraction]:
    """Life points that one damage die takes."""
    found: dict[int, Fraction] = {}
    for face in range(1, 7):
        lost = min(face - save, limit) if save < face <= top else 0
        found[lost] = found.get(lost, Fraction(0)) + Fraction(1, 6)
    return found


def both(one: dict[int, Fraction], two: dict[int, Fraction]) -> dict[int, Fraction]:
    """The chances of the sum of two."""
    found: dict[int, Fraction] = {}
    for a, p in one.items():
        for b, q in two.items():
            found[a + b] = found.get(a + b, Fraction(0)) + p * q
    return found


def horde(hits: int, save: int) -> dict[int, Fraction]:
    """Life points that a pool takes when no die could by itself: 6, one more for each further 6, less the save."""
    found: dict[int, Fraction] = {}
    for sixes, chance in binomial(hits, Fraction(1, 6)).items():
        lost = max(0, 5 + sixes - save) if sixes else 0
        found[lost] = found.get(lost, Fraction(0)) + chance
    return found


def taken(one: Fighter, two: Fighter, life: int) -> dict[int, Fraction]:
    """Life points that one model takes from another, who has so many left, in a round: its chances."""
    save, top = max(0, two.toughness - one.cuts), 6 - two.agility
    found: dict[int, Fraction] = {}
    for count, chance in binomial(one.attacks, Fraction(7 - needed(one.rating, two.rating), 6)).items():
        lost = {0: Fraction(1)} if save < top else horde(count, save)
        for _ in range(count if save < top else 0):
            lost = both(lost, one_die(save, top, one.limit))
        for points, share in lost.items():
            found[min(points, life)] = found.get(min(points, life), Fraction(0)) + chance * share
    return found


def breaks(one: int, two: int, first: Fighter, second: Fighter) -> tuple[float, float]:
    """The chances that either of two breaks under so many dice of stress: the higher sum has lost, and checks."""
    if one > two:
        return float(1 - holds(first.soldiering, one)), 0.0
    return 0.0, float(1 - holds(second.soldiering, two)) if two > one else 0.0


@cache
def a_round(one: Fighter, two: Fighter, a: int, b: int) -> dict[tuple[int, int], float]:
    """What both lose in a round who have so many life points left."""
    by_one, by_two = taken(one, two, b), taken(two, one, a)
    return {(la, lb): float(p * q) for lb, p in by_one.items() for la, q in by_two.items()}


def word(first_out: bool, second_out: bool) -> str:
    """What the odds call it when one side is out, or both are."""
    return "both_lose" if first_out and second_out else "defender_wins" if first_out else "attacker_wins"


def duel(one: Fighter, two: Fighter, rounds: int) -> dict[str, float]:
    """How a duel of two single models stands after so many rounds: who is out (dead or fled)."""
    states = {(one.life, two.life): 1.0}
    out = dict.fromkeys(("attacker_wins", "defender_wins", "both_lose"), 0.0)
    for _ in range(rounds):
        after: dict[tuple[int, int], float] = {}
        for (a, b), chance in states.items():
            for (lost_a, lost_b), share in a_round(one, two, a, b).items():
                if lost_a == a or lost_b == b:
                    out[word(lost_a == a, lost_b == b)] += chance * share
                    continue
                first, second = breaks(lost_a // 2, lost_b // 2, one, two)
                out["defender_wins"] += chance * share * first
                out["attacker_wins"] += chance * share * second
                left = (a - lost_a, b - lost_b)
                after[left] = after.get(left, 0.0) + chance * share * (1 - first - second)
        states = after
    return out


def volley(shots: int, need: int, kills: Fraction, soldiering: int) -> tuple[dict[int, Fraction], Fraction]:
    """Models of one life point that fall to a volley, and the chance that the rest break."""
    lost = binomial(shots, Fraction(7 - need, 6) * kills)
    return lost, sum((p * (1 - holds(soldiering, n // 2)) for n, p in lost.items()), Fraction(0))


def ring(strikers: int, need: int, kills: Fraction, life: int, soldiering: int, stress: int) -> Fraction:
    """The chance that whoever is closed in is lost in that round: he fails his check, or is slain."""
    stands = holds(soldiering, stress)
    wounds = binomial(strikers, Fraction(7 - need, 6) * kills)
    return 1 - stands + stands * sum((p for n, p in wounds.items() if n >= life), Fraction(0))


def blocks(strikers: int, size: int, one: Fraction, two: Fraction, soldiering: int) -> dict[str, Fraction]:
    """The chances that either of two units breaks after a round: so many abreast, two ranks, one life point each.

    `one` and `two` are the chances that a blow kills. A unit with less than half of its second rank buckles under one
    that has more: five dice.
    """

    def limp(left: int) -> bool:
        return 2 * (left - strikers) < strikers

    out = {"attacker": Fraction(0), "defender": Fraction(0)}
    for fell_b, p in binomial(strikers, one).items():
        for fell_a, q in binomial(strikers, two).items():
            a, b = limp(size - fell_a), limp(size - fell_b)
            stress_a = fell_a // 2 + (5 if a and not b else 0)
            stress_b = fell_b // 2 + (5 if b and not a else 0)
            if stress_a > stress_b:
                out["attacker"] += p * q * (1 - holds(soldiering, stress_a))
            elif stress_b > stress_a:
                out["defender"] += p * q * (1 - holds(soldiering, stress_b))
    return out


def a_point_against_a_line(size: int, line: int) -> dict[str, Fraction]:
    """The chances that either breaks after a round: a wedge of one point against a line ten wide, two deep.

    The outermost two models of each of the four rows of the point strike (1, 2, 2, 2), on 3 or more against a lower
    rating; the line strikes with the four before the body and the two at its corners, on 4 or more. A hit kills on 3
    or more. The point costs the line one die, and it buckles (five dice) once its second rank is less than half: the
    wedge has more than two ranks behind its first three rows. The line reaches three models past each flank of the
    body, and so past its middle (two dice each) when the wedge is less than six rows deep, an incomplete one counted.
    """
    out = {"attacker": Fraction(0), "defender": Fraction(0)}
    for fell, p in binomial(7, Fraction(4, 6) * Fraction(4, 6)).items():
        for lost, q in binomial(6, Fraction(3, 6) * Fraction(4, 6)).items():
            rows = 4 + -(-(size - lost - 10) // 4)
            own = lost // 2 + (4 if rows < 6 else 0)
            other = fell // 2 + 1 + (5 if 2 * (line - fell - 10) < 10 else 0)
            if own > other:
                out["attacker"] += p * q * (1 - holds(4, own))
            elif other > own:
                out["defender"] += p * q * (1 - holds(3, other))
    return out
