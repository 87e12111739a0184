"""The player who thinks ahead: where an enemy is to be gone for, it plays on in thought before it decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from random import Random
from statistics import fmean, variance
from typing import TYPE_CHECKING

from warhost.engine.history import Recollection
from warhost.errors import RuleFault
from warhost_tactics.tactician import Tactician
from warhost_tactics.things import side_of, worth_of

if TYPE_CHECKING:
    from warhost import Battle, Decision, Policy
    from warhost.engine.decisions import Answer
    from warhost.engine.entities import Side

#: How many of the best options are thought through, and how often each in the first round and in the second, to
#: which the better half comes.
MOST_OPTIONS, ROUNDS = 3, (4, 8)
#: How many player turns a thought goes on for: the rest of this one, and the answer to it.
TURNS = 2
#: How many decisions of a player turn are thought over.
MOST_THOUGHTS = 12
#: Where the ratings say that less than this share of what is at stake may be won or lost, nobody thinks for long.
WORTH_IT = 0.1
#: What the tactician likes best is given up for what is better by so many standard errors.
SURE = 0.5


class Planner:
    """A `Tactician` that plays on in thought. Its answers depend on nothing but its seed and the battle."""

    looks_ahead = True

    def __init__(self, seed: int = 0, foe: Callable[[int], Policy] = Tactician) -> None:
        self._inner, self._seed, self._foe = Tactician(seed), seed, foe
        self._now: tuple[int, Side | None] = (0, None)
        self._thoughts = 0

    def decide(self, decision: Decision, battle: Battle) -> int:
        """The number of an option."""
        contested = self._contested(decision, battle)
        choice = contested[0] if len(contested) == 1 else self._thought_over(decision, battle, contested)
        self._inner.keep(decision, choice)
        return choice

    def follow(self, decision: Decision, battle: Battle, answer: Answer) -> None:
        """Remember an answer that is given once more, without thinking about it again."""
        self._contested(decision, battle)
        if isinstance(answer, int):
            self._inner.keep(decision, answer)

    def _contested(self, decision: Decision, battle: Battle) -> list[int]:
        """The options to be thought through, what the tactician would take first; that alone if nothing is."""
        now = (battle.battle.turn, battle.battle.active_side)
        if now != self._now:
            self._now, self._thoughts = now, 0
        scores = self._inner.weigh(decision, battle)
        choice = self._inner.best(decision, scores)
        if self._thoughts >= MOST_THOUGHTS or decision.secret or in_the_dark(battle, decision.side):
            return [choice]
        found = contested_of(decision, battle, scores, choice)
        if len(found) < 2:
            return [choice]
        self._thoughts += 1
        return found

    def _thought_over(self, decision: Decision, battle: Battle, options: Sequence[int]) -> int:
        """The one of some options, the likeliest first, after which things stand best."""
        seen: dict[int, list[float]] = {i: [] for i in options}
        left = list(options)
        for times in ROUNDS:
            for n in range(len(seen[left[0]]), len(seen[left[0]]) + times):
                for i in left:
                    seen[i].append(self._after(decision, battle, i, n))
            left.sort(key=lambda i: -fmean(seen[i]))
            left = left[: max(2, (len(left) + 1) // 2)]
        first, best = options[0], left[0]
        if best != first and not surely_better(seen[best], seen[first]):
            return first
        return best

    def _after(self, decision: Decision, battle: Battle, choice: int, n: int) -> float:
        """How the side stands after an option, in the nth thought."""
        side, seed = decision.side, Random(f"{self._seed} {decision.number} {n}").getrandbits(32)
        players = [self._inner if s is side else self._foe(seed + i) for i, s in enumerate(battle.sides)]
        known = Recollection([self._inner])
        try:
            self._inner.keep(decision, choice)
            self._inner.take_chances(seed)
            found = battle.foresee(choice, players, seed, Watch(battle, side))
            return found if found is not None else 0.0
        except RuleFault:
            return 0.0  # what goes wrong in thought goes wrong on the table, if it comes to that, and is told there
        finally:
            known.restore()


def contested_of(decision: Decision, battle: Battle, scores: Sequence[float], choice: int) -> list[int]:
    """The options that are worth a thought, the chosen one first: where an enemy is gone for, those that are not behind
    by more than what is at stake there costs. Only the rules' own ratings say it.
    """
    foes = [o.value for o in decision.options if side_of(o.value) not in (None, decision.side)]
    if not foes or len(scores) < 2 or decision.ratings() is None:
        return []
    stake = max(worth_of(battle, foe) for foe in foes)
    order = sorted((i for i in range(len(scores)) if i != choice), key=lambda i: -scores[i])
    found = [choice, *(i for i in order if scores[choice] - scores[i] <= stake)][:MOST_OPTIONS]
    return found if max(abs(scores[i]) for i in found) >= WORTH_IT * stake else []


def in_the_dark(battle: Battle, side: Side) -> bool:
    """Whether something is hidden from a side, which it would come to see in thought."""
    return any(side not in knowing for knowing in battle.hidden.values())


def surely_better(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether one is better than what the same dice did for the other by more than chance makes."""
    gains = [a - b for a, b in zip(one, other, strict=False)]
    spread = sqrt(variance(gains) / len(gains)) if len(gains) > 1 else 0.0
    return fmean(gains) > SURE * spread


class Watch:
    """Looks on while a thought goes on, and says how a side stands at its end."""

    def __init__(self, battle: Battle, side: Side) -> None:
        self.side = side
        self.at = (battle.battle.turn, battle.battle.active_side)
        self.turns = 0

    def __call__(self, battle: Battle) -> float | None:
        """How the side stands once the thought has gone on for long enough, else None."""
        now = (battle.battle.turn, battle.battle.active_side)
        if now != self.at:
            self.at, self.turns = now, self.turns + 1
        return standing(battle, self.side) if battle.over or self.turns >= TURNS else None


def standing(battle: Battle, side: Side) -> float:
    """How much better a side stands than the others, in points: victory points where the rules reckon them, else what
    each has lost and scored; whoever has won has all that he began with besides.
    """
    place = battle.sides.index(side)
    reckoned = "victory_points" in battle.program.numbers
    total = 0.0
    for i, row in enumerate(battle.scores()):
        worth = row.victory_points if reckoned else row.victory_points - row.points_lost
        worth += row.points if battle.winner is battle.sides[i] else 0
        total += worth if i == place else -worth
    return total
