"""The odds of Armies of Arcana computed from the book's figures and dice, without a line of the ruleset.

Troops on base 1 only, one line of blows each. A block's front rank meets the enemy's; a crowd of five or fewer closes
in with everybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from math import ceil, prod
from typing import Any

from odds.chains import MOST_ROUNDS, Chances, faces, followed, mixed, pool


@dataclass(frozen=True)
class Troop:
    """A row of an army list. step: 1 first strike, 2 normal, 3 last; long weapons strike in 1 when the melee is fresh.

    guard: armour that strength does not lower. shield: what armour has more against missiles.
    """

    points: int
    armour: int
    morale: int
    skill: int = 2
    strength: int = 0
    attacks: int = 1
    wounds: int = 1
    step: int = 2
    long: bool = False
    magical: bool = False
    guard: int = 0
    shield: int = 0
    resistance: int = 1
    berserk: bool = False


@dataclass(frozen=True)
class Unit:
    """A unit at one moment. files and size as it was drawn up."""

    of: Troop
    size: int
    files: int
    models: int
    hurt: int = 0
    broken: bool = False
    loose: bool = False

    @property
    def lives(self) -> int:
        return self.models * self.of.wounds - self.hurt

    @property
    def deep(self) -> int:
        return ceil(self.models / self.files)

    @property
    def ranks(self) -> bool:
        """Whether it stands in rank and file: six models or more, not deeper than wide unless five wide."""
        if self.loose or self.of.berserk or self.models < 6 or self.size == 1:
            return False
        return self.files >= 5 or self.files >= self.deep

    @property
    def numbers(self) -> int:
        return self.models // (6 if self.ranks else 12)

    @property
    def out(self) -> bool:
        return self.models == 0 or self.broken

    def after(self, wounds: int) -> Unit:
        fallen = min((self.hurt + wounds) // self.of.wounds, self.models)
        left = self.models - fallen
        return replace(self, models=left, hurt=self.hurt + wounds - fallen * self.of.wounds if left else 0)


def drawn_up(of: Troop, size: int, wide: int = 0, hurt: int = 0) -> Unit:
    """A unit of base 1, as wide as usual: five from 6 models on, then six from 12, seven from 20, eight from 28."""
    usual = next((files for least, files in ((40, 10), (28, 8), (20, 7), (12, 6), (6, 5)) if size >= least), size)
    return Unit(of, size, min(wide, size) if wide else usual, size, hurt)


# -- dice ----------------------------------------------------------------------------------------------


def hit(need: int) -> tuple[int, int]:
    """Faces of a D6 that hit, of 36: with a need of 0 or less a 1, confirmed by 3, 2 or 1 and less."""
    if need >= 1:
        return min(need, 6) * 6, 36
    return (max(3 + need, 0), 36)


def saved(of: Troop, strength: int, magical: bool, missile: bool) -> int:
    """Faces of a D6 that save."""
    save = of.armour + (of.shield if missile else 0) - strength
    if of.guard and not magical:
        save = max(save, of.guard)
    return max(0, min(save, 6))


def wounds_of(dice: int, need: int, save: int) -> Chances[int]:
    good, of = hit(need)
    return pool(dice, (good * (6 - save), of * 6))


TWO_DICE: dict[int, float] = mixed(*((p, {a + b: q for b, q in faces(6).items()}) for a, p in faces(6).items()))


def d3s(count: int) -> Chances[int]:
    found: Chances[int] = {0: 1.0}
    for _ in range(count):
        found = mixed(*((p, {a + b: q for b, q in faces(3).items()}) for a, p in found.items()))
    return found


# -- morale --------------------------------------------------------------------------------------------


def superior(foe: Unit, unit: Unit, foe_faces: bool, unit_faces: bool) -> bool:
    """Three times the wounds; or a block with its front at a crowd, a flank or a rear, of at least equal wounds."""
    if foe.models == 0:
        return False
    if foe.lives >= 3 * unit.lives:
        return True
    return foe.ranks and foe_faces and foe.lives >= unit.lives and (not unit.ranks or not unit_faces)


def has_to_test(before: Unit, unit: Unit, foe: Unit | None, unit_faces: bool, foe_faces: bool) -> bool:
    """A quarter fell, half is left (hurt this turn or fighting), or somebody superior is at them."""
    fallen, lost = before.models - unit.models, before.lives - unit.lives
    fighting = foe is not None and foe.models > 0
    if unit.models == 0 or (unit.of.berserk and not fighting):
        return False
    half = unit.lives * 2 <= unit.size * unit.of.wounds and (lost >= 1 or fighting)
    outmatched = foe is not None and superior(foe, unit, foe_faces, unit_faces)
    return (fallen >= 1 and fallen * 4 >= unit.size) or half or outmatched


@cache
def after_test(
    before: Unit, unit: Unit, foe: Unit | None, foe_now: Unit | None, unit_faces: bool = True, foe_faces: bool = True
) -> Chances[Unit]:
    """A unit after its test, if it must take one.

    before: at the start of the turn; foe: who touches it, if anybody; foe_now: the same after his own test.
    """
    if not has_to_test(before, unit, foe, unit_faces, foe_faces):
        return {unit: 1.0}
    fallen = before.models - unit.models
    need = unit.of.morale + unit.numbers - max(ceil(fallen * unit.of.wounds / 2), ceil(unit.hurt / 2))
    if foe_now is not None:
        need -= int(superior(foe_now, unit, foe_faces, unit_faces))
    if foe is not None and foe_now is not None and foe_now.models > 0 and foe_faces:
        need -= foe_now.numbers
    found: Chances[Unit] = {}
    for thrown, p in TWO_DICE.items():
        stands = thrown == 2 or (thrown <= need and thrown <= 11)
        after = unit if stands else replace(unit, broken=True)
        if not stands and unit.of.berserk:
            after = unit.after(max(thrown - need, 1) * ceil(unit.lives / 15))
        found[after] = found.get(after, 0.0) + p
    return found


# -- melee ---------------------------------------------------------------------------------------------


def abreast(mine: int, theirs: int) -> int:
    """How many of a row of so many stand against another, middle to middle; a corner is enough."""
    places = [(2 * i - mine, 2 * i + 2 - mine) for i in range(mine)]
    return sum(1 for low, high in places if low <= theirs and high >= -theirs)


def in_contact(unit: Unit, foe: Unit, mine: int, theirs: int) -> int:
    """mine and theirs: how long the edges are that meet, in models."""
    if unit.ranks and foe.ranks:
        count = abreast(mine, theirs)
    elif unit.ranks:
        room = foe.models
        count = min(unit.files, room + 2) + max(room - unit.files - 2, 0)
        count = min(count, max(2 * (unit.files + unit.deep) - 4, unit.files))
    elif foe.ranks:
        count = 2 * (foe.files + foe.deep) + 4
    else:
        count = 2 * foe.models
    return min(count, unit.models)


def behind(unit: Unit) -> int:
    """Those of a block who stand behind its first rank: they step up, and reach over it with long weapons."""
    return max(unit.models - unit.files, 0)


def with_second_rank(unit: Unit, met: int) -> int:
    """Those who strike with long weapons where so many are in contact."""
    return min(unit.models, 2 * met, met + behind(unit) if unit.ranks else unit.models)


@dataclass(frozen=True)
class Melee:
    """side: the defender's that the attacker's front meets. met: how many of both strike, where room is short."""

    one: Unit
    other: Unit
    side: str = "front"
    charging: bool = True
    met: tuple[int, int] | None = None

    def step(self, state: tuple[Unit, Unit], n: int) -> Chances[tuple[Unit, Unit]]:
        return _fought(self.side, *state, self.charging and n == 0, self.met)


@cache
def _fought(side: str, a: Unit, b: Unit, fresh: bool, met: tuple[int, int] | None) -> Chances[tuple[Unit, Unit]]:
    """A round; the attacker's front is at that side of the defender."""
    faces_foe = side == "front" or not b.ranks
    row_a, row_b = min(a.files, a.models), min(b.files, b.models)
    edge_b = b.deep if side == "flank" else row_b
    met_a, met_b = in_contact(a, b, row_a, edge_b), in_contact(b, a, edge_b, row_a)
    if met is not None:
        met_a, met_b = met
    if a.of.long:
        met_a = with_second_rank(a, met_a)
    if b.of.long and faces_foe:
        met_b = with_second_rank(b, met_b)
    now: Chances[tuple[Unit, Unit]] = {(a, b): 1.0}
    for step in (1, 2, 3):
        strikes_a, strikes_b = _step_of(a.of, fresh) == step, _step_of(b.of, fresh) == step
        parts = []
        for (x, y), p in now.items():
            # Whoever fell in an earlier step without having struck is replaced, if there is anybody behind.
            hurt_b = _blows(a, x, met_a, y) if strikes_a else {0: 1.0}
            hurt_a = _blows(b, y, met_b, x) if strikes_b else {0: 1.0}
            parts.append((p, _both(x, y, hurt_a, hurt_b)))
        now = mixed(*parts)
    done = []
    for (x, y), p in now.items():
        tests_a = after_test(a, x, y, y, True, faces_foe)
        tests_b = {test: after_test(b, y, x, test, faces_foe, True) for test in tests_a}
        done.append((p, {(s, t): q * r for s, q in tests_a.items() for t, r in tests_b[s].items()}))
    return mixed(*done)


def _step_of(of: Troop, fresh: bool) -> int:
    return 1 if of.long and fresh else of.step


@cache
def _blows(began: Unit, now: Unit, met: int, foe: Unit) -> Chances[int]:
    """Wounds by a unit in its step; met: how many could strike when the melee began."""
    fallen = min(began.models - now.models, met)
    steady = min(met - fallen, now.models)
    stepping = min(fallen, now.models - steady) if began.ranks or began.of.long else 0
    if began.ranks:
        stepping = min(stepping, behind(began))
    of = began.of
    save = saved(foe.of, of.strength, of.magical, False)
    first = wounds_of(steady * of.attacks, of.skill, save)
    second = wounds_of(stepping * of.attacks, of.skill - 1, save)
    return mixed(*((p, {m + n: q for n, q in second.items()}) for m, p in first.items()))


def _both(a: Unit, b: Unit, hurt_a: Mapping[int, float], hurt_b: Mapping[int, float]) -> Chances[tuple[Unit, Unit]]:
    after_a = mixed(*((p, {a.after(n): 1.0}) for n, p in hurt_a.items()))
    after_b = mixed(*((p, {b.after(n): 1.0}) for n, p in hurt_b.items()))
    return {(x, y): p * q for x, p in after_a.items() for y, q in after_b.items()}


# -- from afar -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shots:
    """One line of missiles. need: the skill with all that changes it. every: 2 for who must reload."""

    one: Unit
    other: Unit
    need: int
    strength: int
    every: int = 1

    def step(self, state: tuple[Unit, Unit], n: int) -> Chances[tuple[Unit, Unit]]:
        a, b = state
        if n % self.every:
            return mixed(*((1.0, {(a, t): p}) for t, p in after_test(b, b, None, None).items()))
        dice = min(a.models, 2 * a.files) if a.ranks else a.models
        hurt = wounds_of(dice, self.need, saved(b.of, self.strength, False, True))
        return _shot(a, b, hurt)


@dataclass(frozen=True)
class Spell:
    """Hits that only armour stops. resisted: the faces of a D6 on which nothing happens. scatters: ranks break up."""

    one: Unit
    other: Unit
    hits: Mapping[int, float]
    strength: int
    missile: bool
    magical: bool
    resisted: int = 0
    scatters: bool = False

    def step(self, state: tuple[Unit, Unit], n: int) -> Chances[tuple[Unit, Unit]]:
        a, b = state
        save = saved(b.of, self.strength, self.magical, self.missile)
        hurt = mixed(*((p, pool(hits, (6 - save, 6))) for hits, p in self.hits.items()))
        works = 1.0 - self.resisted / 6
        struck = _shot(a, b, hurt, self.scatters)
        return mixed((works, struck), (1.0 - works, {(a, b): 1.0}))


@dataclass(frozen=True)
class Bombard:
    """Machines that throw at an area. need: what aims on a D6; one more is near, and half of the hits (rounded up).
    Skirmishers take half of them as well.

    dice: D3 of hits of each machine; deep: D3 of wounds of each hit, which stay on one model.
    """

    one: Unit
    other: Unit
    need: int
    dice: int
    strength: int
    deep: int = 0
    machines: int = 1

    def step(self, state: tuple[Unit, Unit], n: int) -> Chances[tuple[Unit, Unit]]:
        a, b = state
        save = saved(b.of, self.strength, False, True)
        through = mixed(*((p, pool(hits, (6 - save, 6))) for hits, p in self.caught(b.ranks).items()))
        parts = []
        for hits, p in through.items():
            for after, q in self.hurt(b, hits).items():
                parts.append((p * q, {(a, t): r for t, r in after_test(b, after, None, None).items()}))
        return mixed(*parts)

    def caught(self, ranks: bool) -> Chances[int]:
        whole = d3s(self.dice) if ranks else halved(d3s(self.dice))
        half = halved(whole)
        wide = 6 - self.need - 1
        single = mixed((self.need / 6, whole), (1 / 6, half), (wide / 6, {0: 1.0}))
        found: Chances[int] = {0: 1.0}
        for _ in range(self.machines):
            found = mixed(*((p, {a + b: q for b, q in single.items()}) for a, p in found.items()))
        return found

    def hurt(self, unit: Unit, hits: int) -> Chances[Unit]:
        """The unit after so many hits that no armour has stopped."""
        if unit.of.wounds == 1 or not self.deep:
            return {unit.after(hits): 1.0}
        found: Chances[Unit] = {}
        for packets in product(d3s(self.deep).items(), repeat=hits):
            after = packed(unit, [wounds for wounds, _ in packets])
            found[after] = found.get(after, 0.0) + prod(p for _, p in packets)
        return found


def halved(hits: Chances[int]) -> Chances[int]:
    return mixed(*((p, {ceil(n / 2): 1.0}) for n, p in hits.items()))


def packed(unit: Unit, packets: list[int]) -> Unit:
    """The wounds of each hit on one model, put together to the best effect: what kills it with the least to spare."""
    rest = sorted(packets, reverse=True)
    while unit.models and rest:
        need = unit.of.wounds - unit.hurt
        together = [c for n in range(1, len(rest) + 1) for c in combinations(rest, n) if sum(c) >= need]
        least = min((sum(c) for c in together), default=0)
        best = max((max(c) for c in together if sum(c) == least), default=rest[0])
        rest.remove(best)
        unit = unit.after(min(best, need))
    return unit


def _shot(a: Unit, b: Unit, hurt: Mapping[int, float], scatters: bool = False) -> Chances[tuple[Unit, Unit]]:
    parts = []
    for wounds, p in hurt.items():
        after = replace(b.after(wounds), loose=scatters)
        parts.append((p, {(a, t): q for t, q in after_test(b, after, None, None).items()}))
    return mixed(*parts)


# -- the situations ------------------------------------------------------------------------------------

AXES = Troop(20, 4, 9, shield=1, resistance=4)
DOUBLE_AXES = Troop(19, 3, 9, attacks=2, resistance=4)
PIKES = Troop(26, 4, 9, strength=1, long=True, shield=1)
HALBERDS = Troop(24, 3, 9, strength=2, long=True)
MITHRIL = Troop(29, 4, 9, skill=3, strength=1, magical=True, guard=4, shield=1)
HEAVY = Troop(18, 3, 9, strength=1)
CROSSBOWS = Troop(33, 3, 9)
HANDGUNS = Troop(37, 3, 9)
DWARF_WIZARD, SHAMAN = Troop(318, 3, 10, wounds=3), Troop(314, 2, 8, wounds=4)
ORCS = Troop(12, 2, 7, strength=1, shield=1)
SCIMITARS = Troop(12, 2, 7, strength=2)
TWO_HANDED = Troop(9, 1, 7, strength=3, step=3)
BOWS = Troop(32, 1, 7, strength=1)
GREATER = Troop(24, 3, 8, skill=3, strength=2, wounds=2, shield=1, resistance=2)
BERSERK = Troop(19, 0, 8, skill=3, strength=2, attacks=2, berserk=True)

MACHINE = Troop(0, 3, 8, wounds=4)

FIGHTS: dict[str, Melee | Shots | Spell | Bombard] = {
    "axes against orcs": Melee(drawn_up(AXES, 20), drawn_up(ORCS, 20)),
    "axes against orcs, to the end": Melee(drawn_up(AXES, 12), drawn_up(ORCS, 12)),
    "pikes strike first": Melee(drawn_up(PIKES, 21), drawn_up(ORCS, 21)),
    "pikes in the second turn": Melee(drawn_up(PIKES, 18), drawn_up(ORCS, 20), charging=False),
    "into the flank": Melee(drawn_up(DOUBLE_AXES, 21), drawn_up(ORCS, 21), "flank"),
    "into the rear": Melee(drawn_up(SCIMITARS, 21), drawn_up(AXES, 12), "rear"),
    "heavy blades strike last": Melee(drawn_up(TWO_HANDED, 20), drawn_up(AXES, 20)),
    "two wounds each": Melee(drawn_up(GREATER, 12, hurt=1), drawn_up(AXES, 18)),
    "halberds and greater orcs, to the end": Melee(drawn_up(HALBERDS, 8), drawn_up(GREATER, 6)),
    "ten abreast": Melee(drawn_up(AXES, 30, 10), drawn_up(ORCS, 36, 10)),
    # Five berserkers stand before seven dwarves; within three inches two of those behind reach the free places beside.
    "berserkers stand and die": Melee(drawn_up(AXES, 20), drawn_up(BERSERK, 10), met=(7, 7)),
    "a handful against a block": Melee(drawn_up(BERSERK, 5), drawn_up(HEAVY, 12)),
    "bolts at short range": Shots(drawn_up(CROSSBOWS, 10), drawn_up(ORCS, 20), 2 + 1, 2),
    "bolts": Shots(drawn_up(CROSSBOWS, 16), drawn_up(ORCS, 20), 2, 2),
    "bolts at long range, to the end": Shots(drawn_up(CROSSBOWS, 9), drawn_up(SCIMITARS, 10), 2 - 1, 2),
    "arrows into a large block": Shots(drawn_up(BOWS, 14), drawn_up(MITHRIL, 32), 2 + 1, 2),
    "handguns reload, to the end": Shots(drawn_up(HANDGUNS, 6), drawn_up(GREATER, 5), 3, 3, every=2),
    "a spray of fire": Spell(drawn_up(SHAMAN, 1), drawn_up(AXES, 12), faces(6), 0, True, True),
    "a flamestrike": Spell(drawn_up(SHAMAN, 1), drawn_up(DOUBLE_AXES, 15), d3s(6), 1, True, True),
    "a geyser": Spell(
        drawn_up(DWARF_WIZARD, 1), drawn_up(GREATER, 9), d3s(3), 0, False, False, GREATER.resistance, scatters=True
    ),
    "a ballista": Bombard(drawn_up(MACHINE, 1), drawn_up(AXES, 20), 3, 1, 3, 1),
    "a ballista, to the end": Bombard(drawn_up(MACHINE, 1), drawn_up(AXES, 10), 3, 1, 3, 1),
    "a ballista at large orcs": Bombard(drawn_up(MACHINE, 1), drawn_up(GREATER, 6), 3, 1, 3, 1),
    "a ballista at large orcs, one of them hurt": Bombard(
        drawn_up(MACHINE, 1), drawn_up(GREATER, 6, hurt=1), 3, 1, 3, 1
    ),
    "a ballista at large orcs, to the end": Bombard(drawn_up(MACHINE, 1), drawn_up(GREATER, 6), 3, 1, 3, 1),
    "a ballista at short range": Bombard(drawn_up(MACHINE, 1), drawn_up(GREATER, 6), 4, 1, 3, 1),
    "a ballista at long range": Bombard(drawn_up(MACHINE, 1), drawn_up(GREATER, 6), 2, 1, 3, 1),
    "two ballistas": Bombard(drawn_up(MACHINE, 2), drawn_up(ORCS, 20), 3, 1, 3, 1, machines=2),
    "a catapult": Bombard(drawn_up(MACHINE, 1), drawn_up(AXES, 20), 3, 2, 3, 1),
    "a catapult at large orcs": Bombard(drawn_up(MACHINE, 1), drawn_up(GREATER, 6), 3, 2, 3, 1),
    "a light catapult at long range": Bombard(drawn_up(MACHINE, 1), drawn_up(AXES, 20), 2, 3, 1),
    "a light cannon": Bombard(drawn_up(MACHINE, 1), drawn_up(AXES, 12), 3, 2, 4, 1),
    "a cannon": Bombard(drawn_up(MACHINE, 1), drawn_up(GREATER, 9), 3, 2, 4, 2),
    "pikes against large orcs": Melee(drawn_up(PIKES, 18), drawn_up(GREATER, 10)),
    "large orcs against pikes": Melee(drawn_up(GREATER, 10), drawn_up(PIKES, 15)),
    "halberds against heavy blades, to the end": Melee(drawn_up(HALBERDS, 8), drawn_up(TWO_HANDED, 8)),
    "heavy blades against halberds": Melee(drawn_up(TWO_HANDED, 15), drawn_up(HALBERDS, 12)),
    "two wounds on either side": Melee(drawn_up(GREATER, 8), drawn_up(GREATER, 8)),
    "double axes against large orcs, to the end": Melee(drawn_up(DOUBLE_AXES, 7), drawn_up(GREATER, 6)),
}  # fmt: skip


def tally(one: Unit, other: Unit) -> tuple[Any, ...]:
    words = {(False, False): "both_hold", (False, True): "attacker_wins", (True, False): "defender_wins"}
    lost = [u.size - u.models for u in (one, other)]
    worth = [n * u.of.points for n, u in zip(lost, (one, other), strict=True)]
    return (words.get((one.out, other.out), "both_lose"), *lost, *worth)


def expected(name: str, until: str) -> dict[tuple[Any, ...], float]:
    """The joint chances of a situation: (outcome, losses of both, points lost by both)."""
    fight = FIGHTS[name]
    rounds = 1 if until == "round" else MOST_ROUNDS
    end = followed((fight.one, fight.other), fight.step, lambda s: s[0].out or s[1].out, rounds)
    found: dict[tuple[Any, ...], float] = {}
    for (one, other), p in end.items():
        key = tally(one, other)
        found[key] = found.get(key, 0.0) + p
    return found
