"""The player: the rules' ratings with some foresight, then the usual answer, then habits; chance among equals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from warhost_tactics.habits import HABITS, rashness
from warhost_tactics.memory import Memory
from warhost_tactics.things import (
    Stand,
    enemies_of,
    is_spot,
    is_way,
    pace_kept,
    side_of,
    stand_of,
    units_with_place,
    view_from,
    worth_of,
)

if TYPE_CHECKING:
    from warhost import Battle, Decision

#: What a rating gains when others already go for the same enemy, and what is left of it when they are enough.
FOCUS, ENOUGH = 1.15, 0.5
#: The share of the span of all ratings within which a course is held to, and what going back where one came from costs.
STEADY, BACK_AND_FORTH = 0.02, 0.1
#: Ends of ways are the same place when they are nearer than this share of the way.
SAME_PLACE = 0.25
#: The share of the span of all ratings that the longest way towards a far stronger enemy loses.
CAUTION = 0.15
#: The share of that span that free ground is worth where a way ends, over ground that is as good as impassable.
FREE_GROUND = 0.25
#: The share of the span of all ratings that a place is worth from which all enemies are seen.
OPEN_VIEW = 0.3


class Tactician:
    """Plays any ruleset. Its answers depend on nothing but its seed and the decisions that it has seen."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = random.Random(seed)
        self._memory = Memory()

    def decide(self, decision: Decision, battle: Battle) -> int:
        """The number of an option."""
        choice = self.best(decision, self.weigh(decision, battle))
        self.keep(decision, choice)
        return choice

    def weigh(self, decision: Decision, battle: Battle) -> list[float]:
        """What each option is worth: in the rules' own unit where they rate them, else in one of the habits."""
        self._memory.look(decision, battle)
        rated = decision.ratings()
        if rated is not None:
            return self._foresight(decision, battle, [float(r) for r in rated])
        usual = decision.usual_index()
        if usual is not None:
            return [float(i == usual) for i in range(len(decision.options))]
        for habit in HABITS:
            scores = habit(decision, battle, self._memory)
            if scores is not None:
                return list(scores)
        return [0.0] * len(decision.options)

    def take_chances(self, seed: int) -> None:
        """Be led among equals by other dice from now on."""
        self._chance.seed(seed)

    def keep(self, decision: Decision, choice: int) -> None:
        """Remember an answer."""
        rated = decision.ratings()
        self._memory.keep(decision, choice, float(rated[choice]) if rated is not None else None)

    def best(self, decision: Decision, scores: Sequence[float]) -> int:
        """The best of all; among equals doing something before doing nothing, and then chance."""
        top = round(max(scores), 9)
        best = [i for i, s in enumerate(scores) if round(s, 9) == top]
        doing = [i for i in best if decision.options[i].value is not None]
        best = doing or best
        return best[0] if len(best) == 1 else best[self._chance.getrandbits(30) % len(best)]

    # -- what the rules' numbers cannot know -------------------------------------------------------

    def _foresight(self, decision: Decision, battle: Battle, ratings: Sequence[float]) -> list[float]:
        """Ratings in the light of what was decided before."""
        values = [o.value for o in decision.options]
        if any(is_way(v) for v in values):
            return self._ways(battle, values, ratings)
        if all(is_spot(v) for v in values):
            return self._open_view(decision, battle, ratings)
        if any(side_of(v) not in (None, decision.side) for v in values):
            return self._shared_targets(decision, battle, ratings)
        if all(isinstance(v, str) for v in values):
            return self._steady(decision, ratings)
        return list(ratings)

    def _open_view(self, decision: Decision, battle: Battle, ratings: Sequence[float]) -> list[float]:
        """A place from which enemies are seen has a free way to them, for whatever goes or flies there."""
        foes = enemies_of(decision.side, units_with_place(battle))
        weight = OPEN_VIEW * (max(ratings) - min(ratings))
        found, best = list(ratings), -inf
        for i in sorted(range(len(found)), key=lambda i: -ratings[i]):
            if ratings[i] + weight < best - 1e-6:  # nobody looks round where the best view would not be enough
                break
            found[i] += weight * view_from(battle, decision.options[i].value, foes)
            best = max(best, found[i])
        return found

    def _shared_targets(self, decision: Decision, battle: Battle, ratings: Sequence[float]) -> list[float]:
        """Go for the enemy for whom others go in this phase, until what they expect is all that it is worth."""
        found = []
        for option, rating in zip(decision.options, ratings, strict=True):
            before = self._memory.aimed(decision.name, option.value)
            if before is not None and rating > 0 and side_of(option.value) is not decision.side:
                worth = worth_of(battle, option.value)
                rating *= ENOUGH if 0 < worth <= before else FOCUS
            found.append(rating)
        return found

    def _steady(self, decision: Decision, ratings: Sequence[float]) -> list[float]:
        """Of courses that are as good as equal, the one that was taken the last time."""
        said = self._memory.last_word(decision.name)
        bonus = STEADY * (max(ratings) - min(ratings)) + 1e-6
        return [r + bonus if o.label == said else r for o, r in zip(decision.options, ratings, strict=True)]

    # -- ways -------------------------------------------------------------------------------------

    def _ways(self, battle: Battle, values: Sequence[Any], ratings: Sequence[float]) -> list[float]:
        """Ways in the light of the next ones. Corrections are shares of the span of the ratings on the table."""
        unit = next(v.unit for v in values if v is not None)
        here = stand_of(unit)
        staying = [r for v, r in zip(values, ratings, strict=True) if not getattr(v, "leaves_table", False)]
        span = max(staying, default=0.0) - min(staying, default=0.0)
        if here is None or span <= 0:
            return list(ratings)
        ends = [here if v is None else stand_of(v) or here for v in values]
        left = self._memory.places_left(unit)
        rash = rashness(battle, unit, here, ends, self._memory)
        found = []
        for value, end, rating, risk in zip(values, ends, ratings, rash, strict=True):
            share = FREE_GROUND * pace_kept(battle, unit, unit if value is None else value) - CAUTION * risk
            share -= BACK_AND_FORTH if value is not None and leads_back(end, here, left) else 0.0
            found.append(rating + span * share)
        return found


def leads_back(end: Stand, here: Stand, left: Sequence[Stand]) -> bool:
    """Whether a way leads nearly to where the unit was before its last moves."""
    gone = end.distance(here)
    return gone > 0 and any(end.distance(p) <= SAME_PLACE * gone for p in left)
