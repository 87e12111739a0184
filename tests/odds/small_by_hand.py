"""The odds of small_fantasy computed from the book's figures and dice, without a line of the ruleset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from odds.chains import MOST_ROUNDS, Chances, faces, followed, mixed, pool

#: (figures, wounds on the foremost, running)
Body = tuple[int, int, bool]
State = tuple[Body, Body]


@dataclass(frozen=True)
class Troop:
    """A row of the book's table, with what an attack adds to the skill in its first round, and the points of one."""

    armour: int
    skill: int
    points: Fraction
    attacks: int = 1
    wounds: int = 1
    rush: int = 1
    tests: bool = True


def troop(armour: int, skill: int, points: float, **more: Any) -> Troop:
    return Troop(armour, skill, Fraction(points), **more)


ELF, DWARF, ORC, MAN, GOBLIN = troop(3, 3, 7), troop(4, 3, 8), troop(3, 4, 8), troop(3, 3, 7), troop(2, 2, 5)
DWARF_SPEARS = troop(4, 3, 9)
MAN_SPEARS = troop(3, 3, 8)
ELF_SPEARS = troop(3, 3, 8)


def die(need: int) -> int:
    """Faces of a D6 that pass: a 1 always, a 6 never."""
    return max(1, min(need, 5))


def struck(body: Body, size: int, of: Troop, wounds: int) -> Chances[Body]:
    """A body after so many wounds: figures fall, and with half of them gone a loss brings a test."""
    figures, taken, _ = body
    dead = min((taken + wounds) // of.wounds, figures)
    left = figures - dead
    hurt = taken + wounds - dead * of.wounds if left else 0
    if left == 0 or dead == 0 or not of.tests or (size - left) * 2 < size:
        return {(left, hurt, False): 1.0}
    stands = (left - 1) / size
    return {(left, hurt, False): stands, (left, hurt, True): 1.0 - stands}


def wounds_of(blows: int, need: int, armour: int, most: int) -> Chances[int]:
    """Wounds of so many blows: they must hit, and not be saved; nobody bears more than he has."""
    found: Chances[int] = {}
    for count, p in pool(blows, (die(need) * (6 - die(armour)), 36)).items():
        found[min(count, most)] = found.get(min(count, most), 0.0) + p
    return found


def lives(body: Body, of: Troop) -> int:
    return body[0] * of.wounds - body[1]


@dataclass(frozen=True)
class Melee:
    """Two troops hand to hand. share: of the defender's figures that strike in the first round; column: both in column.

    plus: what each skill has in every round.
    """

    one: Troop
    other: Troop
    sizes: tuple[int, int]
    rush: bool = True
    share: Fraction = Fraction(1)
    column: bool = False
    plus: tuple[int, int] = (0, 0)
    idle: bool = False

    def blows(self, figures: int, of: Troop, share: Fraction) -> int:
        standing = min(figures, 4) if self.column else figures
        return int(standing * share) * of.attacks

    def step(self, state: State, n: int) -> Chances[State]:
        a, b = state
        rush = self.one.rush if self.rush and n == 0 else 0
        share = Fraction(0) if self.idle else self.share if n == 0 else Fraction(1)
        hurt_b = wounds_of(
            self.blows(a[0], self.one, Fraction(1)), self.one.skill + rush + self.plus[0], self.other.armour,
            lives(b, self.other),
        )  # fmt: skip
        hurt_a = wounds_of(
            self.blows(b[0], self.other, share), self.other.skill + self.plus[1], self.one.armour, lives(a, self.one)
        )
        after_a = mixed(*((p, struck(a, self.sizes[0], self.one, w)) for w, p in hurt_a.items()))
        after_b = mixed(*((p, struck(b, self.sizes[1], self.other, w)) for w, p in hurt_b.items()))
        return {(x, y): p * q for x, p in after_a.items() for y, q in after_b.items()}


@dataclass(frozen=True)
class Shooting:
    """Shots at somebody who does not answer. volley: the wounds of one round."""

    one: Troop
    other: Troop
    sizes: tuple[int, int]
    volley: Mapping[int, float]

    def step(self, state: State, n: int) -> Chances[State]:
        a, b = state
        after = mixed(*((p, struck(b, self.sizes[1], self.other, w)) for w, p in self.volley.items()))
        return {(a, y): p for y, p in after.items()}


def out(body: Body) -> bool:
    return body[0] == 0 or body[2]


def tally(fight: Melee | Shooting, state: State) -> tuple[Any, ...]:
    a, b = state
    words = {(False, False): "both_hold", (False, True): "attacker_wins", (True, False): "defender_wins"}
    lost = [size - body[0] for size, body in zip(fight.sizes, state, strict=True)]
    worth = [n * of.points for n, of in zip(lost, (fight.one, fight.other), strict=True)]
    return (words.get((out(a), out(b)), "both_lose"), *lost, *worth)


def gun() -> Chances[int]:
    """3 or less hits; then a die of figures, each saving on 2 (orcs, armour 3 less 1)."""
    struck_down = mixed(*((p, pool(n, (6 - 2, 6))) for n, p in faces(6).items()))
    return mixed((0.5, {0: 1.0}), (0.5, struck_down))


MOUNTED_ELF = troop(3, 3, 12, rush=2)
ORC_RIDER = troop(3, 4, 12, rush=2)
OGRE = troop(4, 5, 39, attacks=4, wounds=3, rush=2, tests=False)
GIANT = troop(4, 5, 56, attacks=5, wounds=4, rush=2, tests=False)
ELF_HERO = troop(3, 4, 27, attacks=2, wounds=3, rush=2, tests=False)
ORC_HERO = troop(3, 5, 30, attacks=2, wounds=3, rush=2, tests=False)
CHARIOT = troop(3, 3, 36, attacks=2, wounds=3, rush=2)
DRAGON = troop(5, 5, 125, attacks=5, wounds=5, tests=False)

HALF, NONE = Fraction(1, 2), Fraction(0)

#: By the names of the situations; a second entry says how the two begin when they are not whole.
FIGHTS: dict[str, Melee | Shooting] = {
    "a charge in front": Melee(ELF, ORC, (20, 20)),
    "a charge in front, to the end": Melee(ELF, ORC, (10, 10)),
    "standing face to face": Melee(ELF, ORC, (12, 15), rush=False),
    "riders with spears against riders": Melee(MOUNTED_ELF, ORC_RIDER, (12, 10), plus=(1, 0)),
    "into the flank": Melee(DWARF, ORC, (20, 21), share=HALF),
    "into the back of archers": Melee(ORC, troop(3, 2, 10), (16, 12), share=NONE),
    "into the flank, to the end": Melee(ORC_RIDER, DWARF_SPEARS, (8, 12), share=HALF, plus=(0, 1)),
    "column against column": Melee(DWARF, GOBLIN, (18, 20), column=True),
    "an ogre among goblins, to the end": Melee(OGRE, GOBLIN, (1, 14)),
    "hero against hero, to the end": Melee(ELF_HERO, ORC_HERO, (1, 1)),
    "chariots against spears": Melee(CHARIOT, MAN_SPEARS, (3, 15), plus=(0, 1)),
    "a hurt giant against spears": Melee(GIANT, DWARF_SPEARS, (1, 10)),
    "two fifths gone already": Melee(GOBLIN, MAN, (12, 20)),
    "in disorder nobody strikes": Melee(ORC, ELF_SPEARS, (10, 10), idle=True),
    "arrows": Shooting(ELF, ORC, (12, 20), wounds_of(12, 3, 3, 12)),
    "bolts until they run": Shooting(DWARF, GOBLIN, (9, 10), wounds_of(9, 2, 2, 9)),
    "out of range": Shooting(ORC, DWARF, (10, 10), {0: 1.0}),
    "a gun": Shooting(DWARF, ORC, (3, 8), gun()),
    "dragon fire": Shooting(DRAGON, DWARF, (1, 6), wounds_of(5, 5, 4, 6)),
}

#: How the two stand at the start when they are not whole and unhurt.
BEGIN: dict[str, State] = {
    "a hurt giant against spears": ((1, 2, False), (10, 0, False)),
    "two fifths gone already": ((12, 0, False), (12, 0, False)),
}


def expected(name: str, until: str) -> dict[tuple[Any, ...], float]:
    """The joint chances of a situation: (outcome, losses of both, points lost by both)."""
    fight = FIGHTS[name]
    start = BEGIN.get(name, ((fight.sizes[0], 0, False), (fight.sizes[1], 0, False)))
    end = followed(start, fight.step, lambda s: out(s[0]) or out(s[1]), 1 if until == "round" else MOST_ROUNDS)
    found: dict[tuple[Any, ...], float] = {}
    for state, p in end.items():
        key = tally(fight, state)
        found[key] = found.get(key, 0.0) + p
    return found
