"""Habits: how options are judged that the rules neither rate nor call usual.

Each habit gives one number for every option, higher is better, or None when the options are not of its kind. Numbers
of one habit compare with each other only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from warhost_tactics.memory import ACTIVATION, Memory
from warhost_tactics.things import (
    Stand,
    enemies_of,
    is_spot,
    is_way,
    nearest,
    side_of,
    stand_of,
    units_with_place,
    worth_of,
)

if TYPE_CHECKING:
    from warhost import Battle, Decision

#: How the engine calls the order in which several things are done, and the offer of a reaction.
ORDER, REACTION = "order of ", "reaction to "

#: What a way gains or loses, in lengths of the longest way on offer.
FACES_ENEMY = 0.3
SHOWS_A_SIDE = 0.25
THROUGH_FRIENDS = 0.2
LEAVES_FRIENDS = 0.15
STRIKES = 1.0
#: Who has so much of the enemy's worth around a place is strong enough to go there.
STRONG_ENOUGH = 0.8
#: How many moves of an ordinary unit the neighbourhood reaches.
NEIGHBOURHOOD = 3.0
#: Degrees to each side that still count as the front.
FRONT = 60.0

Scores = list[float]
Placed = Sequence[tuple[Any, Stand]]
Habit = Callable[["Decision", "Battle", Memory], Scores | None]


def _values(decision: Decision) -> list[Any]:
    return [o.value for o in decision.options if o.value is not None]


def reactions(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Reactions are there to help: take one, but the same one only once in a phase, so that it ends."""
    if not decision.name.startswith(REACTION):
        return None
    return [0.0 if o.value is None else 0.5 - memory.times(decision.name, o.label) for o in decision.options]


def order_of_acting(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Who is nearest to an enemy acts first and clears the way; before there are places, who is worth most."""
    if not decision.name.startswith((ACTIVATION, ORDER)):
        return None
    foes = enemies_of(decision.side, units_with_place(battle))
    stands = [stand_of(o.value) if o.value is not None else None for o in decision.options]
    if foes and any(stands):
        found = [min(s.distance(f) for _, f in foes) if s is not None else None for s in stands]
        last = max(f for f in found if f is not None) + 1.0
        far = [last if f is None else f for f in found]
        return [-f if o.value is not None else -last - 1.0 for o, f in zip(decision.options, far, strict=True)]
    return [worth_of(battle, o.value) if o.value is not None else -1.0 for o in decision.options]


def courses(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Named courses: what is not always open is an opportunity; what led to further choices lets one do something."""
    values = _values(decision)
    if not values or not all(isinstance(v, str) for v in values):
        return None
    known = [(memory.seldom(decision.name, o.label), memory.leads_on(decision.name, o.label)) for o in decision.options]
    return [seldom + led for seldom, led in known]


def truth(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Asked whether something should be done: it should."""
    values = _values(decision)
    if not values or not all(isinstance(v, bool) for v in values):
        return None
    return [1.0 if o.value else 0.0 for o in decision.options]


def numbers(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Of numbers the middle one: neither nothing nor all that one has."""
    values = _values(decision)
    if not values or any(isinstance(v, bool) or not isinstance(v, int | float) for v in values):
        return None
    middle = sorted(values)[len(values) // 2]
    worst = max(abs(v - middle) for v in values) + 1
    return [-float(worst if o.value is None else abs(o.value - middle)) for o in decision.options]


def ways(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Ways to go: towards the nearest enemy where one's own side is strong enough, else away; look at the enemy, show
    nobody an open side, stay with friends, do not push through them, never leave the table."""
    values = _values(decision)
    if not values or not all(is_way(v) for v in values):
        return None
    unit = values[0].unit
    here = stand_of(unit)
    if here is None:
        return None
    units = [(u, s) for u, s in units_with_place(battle) if u is not unit]
    foes = enemies_of(decision.side, units)
    friends = [(u, s) for u, s in units if u.side is decision.side]
    step = longest(here, [s for v in values if (s := stand_of(v)) is not None])
    goal = nearest(here, foes)
    bold = 0.0
    if goal is not None:
        odds = match(battle, unit, here, goal[1], units, NEIGHBOURHOOD * memory.pace(unit, step))
        bold = 1.0 if odds >= STRONG_ENOUGH else -0.5
    found = []
    for option in decision.options:
        way = option.value
        end = stand_of(way) if way is not None else here
        assert end is not None
        score = place_worth(here, end, foes, friends, step, bold)
        if way is not None:
            score -= THROUGH_FRIENDS * len(getattr(way, "passed", ()))
            score -= 1000.0 if getattr(way, "leaves_table", False) else 0.0
            reached = getattr(way, "reaches", None)
            score += STRIKES * bold if reached is not None and side_of(reached) is not decision.side else 0.0
        found.append(score)
    return found


def match(battle: Battle, unit: Any, here: Stand, goal: Stand, units: Placed, reach: float) -> float:
    """The worth of a unit and its friends near by, as a share of that of the enemies around the nearest one."""
    ours, theirs = worth_of(battle, unit), 0.0
    for other, stand in units:
        if other.side is not unit.side:
            theirs += worth_of(battle, other) if stand.distance(goal) <= reach else 0.0
        elif min(stand.distance(goal), stand.distance(here)) <= reach:
            ours += worth_of(battle, other)
    return ours / theirs if theirs > 0 else 1.0


def rashness(battle: Battle, unit: Any, here: Stand, ends: Sequence[Stand], memory: Memory) -> Scores:
    """How far ways lead to the nearest enemy, in lengths of the longest way, times how much stronger that is."""
    units = [(u, s) for u, s in units_with_place(battle) if u is not unit]
    goal = nearest(here, enemies_of(unit.side, units))
    step = longest(here, ends)
    if goal is None:
        return [0.0] * len(ends)
    odds = match(battle, unit, here, goal[1], units, NEIGHBOURHOOD * memory.pace(unit, step))
    weakness = max(0.0, 1.0 - odds / STRONG_ENOUGH)
    far = here.distance(goal[1])
    return [weakness * max(0.0, far - e.distance(goal[1])) / step for e in ends]


def longest(here: Stand, ends: Sequence[Stand]) -> float:
    """The length of the longest way, never 0."""
    return max([here.distance(e) for e in ends] + [1e-6])


def place_worth(here: Stand, end: Stand, foes: Placed, friends: Placed, step: float, bold: float) -> float:
    """What it is worth to stand at the end of a way, in lengths of the longest way."""
    score = 0.0
    goal = nearest(here, foes)
    if goal is not None:
        score += bold * (here.distance(goal[1]) - end.distance(goal[1])) / step
        score += FACES_ENEMY if end.turned_from(goal[1]) <= FRONT else 0.0
    score -= SHOWS_A_SIDE * min(open_sides(end, foes, NEIGHBOURHOOD * step), 3)
    comrade = nearest(here, friends)
    if comrade is not None:
        score -= LEAVES_FRIENDS * max(0.0, end.distance(comrade[1]) - here.distance(comrade[1])) / step
    return score


def open_sides(end: Stand, foes: Placed, reach: float) -> int:
    """Enemies near by that would not come from the front."""
    return sum(1 for _, s in foes if end.distance(s) <= reach and end.turned_from(s) > FRONT)


def places(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Places to stand that belong to nobody: near the middle of one's own units, else of all places on offer."""
    values = _values(decision)
    stands = [stand_of(v) for v in values]
    if not values or not all(is_spot(v) for v in values):
        return None
    mine = [s for u, s in units_with_place(battle) if u.side is decision.side] or [s for s in stands if s is not None]
    middle = Stand(sum(s.x for s in mine) / len(mine), sum(s.y for s in mine) / len(mine), 0.0)
    far = [s.distance(middle) if (s := stand_of(o.value)) is not None else None for o in decision.options]
    last = max(f for f in far if f is not None) + 1.0
    return [-(last if f is None else f) for f in far]


def things(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Of enemies who can be finished off or is worth most for what is left of it; of friends who is worth most."""
    values = _values(decision)
    if not values or any(side_of(v) is None for v in values):
        return None
    worths = [worth_of(battle, v) for v in values]
    top = max([*worths, 1e-9])
    found, at = [], iter(worths)
    for option in decision.options:
        if option.value is None:
            found.append(-1.0)
            continue
        share = next(at) / top
        hurt = damage(battle, option.value) if side_of(option.value) is not decision.side else 0.0
        found.append(share + 2.0 * hurt)
    return found


def damage(battle: Battle, thing: Any) -> float:
    """The share of its worth that a thing has lost, where the rules tell it; else 0."""
    cost = getattr(thing, "cost", 0)
    return max(0.0, 1.0 - worth_of(battle, thing) / float(cost)) if cost else 0.0


def dearest(decision: Decision, battle: Battle, memory: Memory) -> Scores | None:
    """Of what has a price and no side (gear, gifts): the dearest."""
    values = _values(decision)
    if not values or any(not hasattr(v, "cost") for v in values) or len({v.cost for v in values}) == 1:
        return None
    return [float(o.value.cost) if o.value is not None else -1.0 for o in decision.options]


#: In this order: the first that has something to say judges.
HABITS: tuple[Habit, ...] = (reactions, order_of_acting, courses, truth, numbers, ways, places, things, dearest)
