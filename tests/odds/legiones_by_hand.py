"""The odds of legiones computed from the book's figures and icepool's dice, without a line of the ruleset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import icepool

from odds.chains import MOST_ROUNDS, Chances, followed, mixed, pool

#: Damage of the attacker and the defender, and rounds so far (what is on fire goes out).
State = tuple[int, int, int]


@dataclass(frozen=True)
class Side:
    """A unit. need, ward: on what it hits and wards. again: its attack dice up to this face are thrown once more when
    they fail, and warded: its defence dice. fives: a 5 of its attack counts twice, too.
    """

    dice: int
    defence: int
    hp: int
    points: int
    need: int = 4
    ward: int = 4
    again: int = 0
    warded: int = 0
    fives: bool = False
    will: int = 3


@cache
def throw(count: int, need: int, again: int, double: int) -> dict[int, float]:
    """Successes of so many dice: need or more, faces from `double` on twice; failures up to `again` are thrown anew."""

    def worth(face: int) -> int:
        return 0 if face < need else (2 if face >= double else 1)

    fresh = icepool.d6.map(worth)
    die = icepool.d6.map(lambda face: fresh if face < need and face <= again else worth(face))
    dice = count @ die
    return {int(k): float(dice.probability(k)) for k in dice.outcomes()}


def blow(attacker: Side, defender: Side) -> Chances[int]:
    """Damage of one attack: hits less blocks."""
    hits = throw(attacker.dice, attacker.need, attacker.again, 5 if attacker.fives else 6)
    blocks = throw(defender.defence, defender.ward, defender.warded, 99)
    found: Chances[int] = {}
    for h, p in hits.items():
        for b, q in blocks.items():
            found[max(h - b, 0)] = found.get(max(h - b, 0), 0.0) + p * q
    return found


@dataclass(frozen=True)
class Fight:
    """either: the second strikes back. first: dice more in the very first attack. fire: rounds that the defender burns.

    terror: the defender frightens the attacker, who needs a pass before each blow, given or taken. harder: what the
    attacker needs more in the very first attack. mends: damage that the defender loses before it strikes.
    """

    one: Side
    other: Side
    either: bool = True
    first: int = 0
    fire: int = 0
    terror: bool = False
    harder: int = 0
    mends: int = 0

    def nerves(self) -> float:
        """The chance that the attacker passes; one success of his willpower is enough."""
        return 1.0 - pool(self.one.will, (1, 2))[0] if self.terror else 1.0

    def step(self, state: State, n: int) -> Chances[State]:
        a, b, turn = state
        bold = self.nerves()
        eager = self.one
        if n == 0:
            eager = replace(eager, dice=eager.dice + self.first, need=eager.need + self.harder)
        struck = mixed((bold, blow(eager, self.other)), (1.0 - bold, blow(replace(eager, need=5), self.other)))
        found: Chances[State] = {}
        for harm, p in struck.items():
            after = b + harm
            if after < self.other.hp:
                after = max(after - self.mends, 0)
            back: Mapping[int, float] = {0: 1.0}
            if self.either and after < self.other.hp:
                afraid = replace(self.one, ward=5)
                back = mixed((bold, blow(self.other, self.one)), (1.0 - bold, blow(self.other, afraid)))
            for returned, q in back.items():
                burnt = 1 if turn < self.fire and after < self.other.hp else 0
                key = (min(a + returned, self.one.hp), min(after + burnt, self.other.hp), turn + 1 if self.fire else 0)
                found[key] = found.get(key, 0.0) + p * q
        return found

    def over(self, state: State) -> bool:
        return state[0] >= self.one.hp or state[1] >= self.other.hp


@dataclass(frozen=True)
class Jamming:
    """Shots of an unreliable piece: two ones and it misses its next turn, three and it never shoots again."""

    one: Side
    other: Side

    def step(self, state: State, _n: int) -> Chances[State]:
        """The third figure: 0 may shoot, 1 is jammed, 2 is broken."""
        a, b, piece = state
        if piece:
            return {(a, b, 0 if piece == 1 else 2): 1.0}
        blocks = throw(self.other.defence, self.other.ward, 0, 99)
        found: Chances[State] = {}
        for (ones, hits), p in _ones_and_hits(self.one.dice).items():
            for n, q in blocks.items():
                key = (a, min(b + max(hits - n, 0), self.other.hp), max(ones - 1, 0))
                found[key] = found.get(key, 0.0) + p * q
        return found

    def over(self, state: State) -> bool:
        return state[1] >= self.other.hp


def _ones_and_hits(dice: int) -> dict[tuple[int, int], float]:
    """How many dice show a 1, and what they hit: 4 and more once, a 6 twice."""
    both = dice @ icepool.d6.map(lambda face: 100 * int(face == 1) + (0 if face < 4 else 2 if face == 6 else 1))
    return {divmod(int(told), 100): float(both.probability(told)) for told in both.outcomes()}


FOOT = Side(3, 2, 4, 3)
ARCHERS = Side(3, 2, 4, 3)
TROLL = Side(6, 4, 8, 7)
SAMURAI = Side(4, 3, 4, 5, again=1)
MONKS = Side(2, 2, 3, 3, will=5)
GENERAL = Side(5, 3, 10, 12, again=2, warded=2)
SHIKOME = Side(3, 3, 4, 4)
DULL = {"need": 5, "ward": 5}

#: By the names of the situations.
FIGHTS: dict[str, Fight | Jamming] = {
    "foot against foot": Fight(FOOT, FOOT),
    "foot against foot, to the end": Fight(FOOT, FOOT),
    "samurai against foot": Fight(SAMURAI, replace(FOOT, ward=5)),
    "samurai against foot, to the end": Fight(SAMURAI, replace(FOOT, ward=5)),
    "a general against a troll, to the end": Fight(GENERAL, replace(TROLL, ward=5)),
    "winged women against foot, to the end": Fight(SHIKOME, FOOT),
    "blinded": Fight(replace(FOOT, **DULL), FOOT),
    "blinded and terrorised, to the end": Fight(replace(FOOT, **DULL), FOOT, harder=1),
    "three causes are as bad as two": Fight(replace(FOOT, need=6, ward=6), TROLL),
    "confused": Fight(FOOT, replace(TROLL, dice=4, defence=2)),
    "a wounded unit": Fight(FOOT, FOOT),
    "fives against troops, to the end": Fight(replace(FOOT, fives=True), FOOT),
    "a charge": Fight(FOOT, FOOT, first=1),
    "standing still is no charge": Fight(FOOT, FOOT),
    "on fire, to the end": Fight(FOOT, TROLL, fire=2),
    "terror": Fight(FOOT, TROLL, terror=True),
    "arrows": Fight(ARCHERS, FOOT, either=False),
    "arrows, to the end": Fight(replace(ARCHERS, dice=4), FOOT, either=False),
    "arrows after a move": Fight(replace(ARCHERS, need=5), FOOT, either=False),
    "an unreliable piece, to the end": Jamming(replace(ARCHERS, dice=3), replace(FOOT, defence=0)),
    "who is whole again before it strikes, to the end": Fight(FOOT, FOOT, mends=2),
    "out of range": Fight(replace(ARCHERS, dice=0), FOOT, either=False),
}

BEGIN: dict[str, State] = {"a wounded unit": (1, 2, 0)}

WORDS = {
    (False, True): "attacker_wins", (True, False): "defender_wins", (False, False): "both_hold",
    (True, True): "both_lose",
}  # fmt: skip


def expected(name: str, until: str) -> dict[tuple[Any, ...], float]:
    """The joint chances of a situation: (outcome, losses of both, points lost by both)."""
    fight = FIGHTS[name]
    rounds = 1 if until == "round" else MOST_ROUNDS
    found: dict[tuple[Any, ...], float] = {}
    for (a, b, _), p in followed(BEGIN.get(name, (0, 0, 0)), fight.step, fight.over, rounds).items():
        dead = (a >= fight.one.hp, b >= fight.other.hp)
        key = (
            WORDS[dead], min(a, fight.one.hp), min(b, fight.other.hp),
            fight.one.points if dead[0] else 0, fight.other.points if dead[1] else 0,
        )  # fmt: skip
        found[key] = found.get(key, 0.0) + p
    return found
