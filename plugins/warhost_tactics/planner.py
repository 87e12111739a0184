"""The player that looks ahead: before it attacks, it plays the best options out a few times and compares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from random import Random
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any

from warhost.errors import RuleFault
from warhost_tactics.tactician import Tactician
from warhost_tactics.things import side_of, worth_of

if TYPE_CHECKING:
    from warhost import Battle, Decision, Policy

#: How many options are compared, and how many rollouts each gets in the first round and, the better half of them, in
#: the second.
MOST_OPTIONS, ROUNDS = 3, (3, 3)
#: How many player turns a rollout covers: the rest of this one, and the next.
HORIZON = 2
#: How many decisions of a player turn are compared by rollouts.
MOST_SEARCHES = 12
#: Options whose ratings are all less than this share of the cost of the dearest enemy among them are not compared.
LEAST_RATING = 0.1
#: By how many standard errors another option must be better than the tactician's choice.
STANDARD_ERRORS = 0.5


class Planner:
    """A `Tactician` that compares its best attacks by rollouts. Its answers depend only on its seed and the battle.

    seed: of its own chances. foe: makes the player of every other side in a rollout, from a seed.
    """

    looks_ahead = True

    def __init__(self, seed: int = 0, foe: Callable[[int], Policy] = Tactician) -> None:
        self._inner, self._seed, self._foe = Tactician(seed), seed, foe
        self._now: tuple[int, Any] = (0, None)
        self._searches = 0

    def decide(self, decision: Decision, battle: Battle) -> int:
        """The number of an option."""
        options = self._options(decision, battle)
        choice = options[0] if len(options) == 1 else self._best_of(decision, battle, options)
        self._inner.keep(decision, choice)
        return choice

    def follow(self, decision: Decision, battle: Battle, answer: int | Mapping[str, Any]) -> None:
        """Remember an answer that is repeated, without rollouts."""
        self._options(decision, battle)
        if isinstance(answer, int):
            self._inner.keep(decision, answer)

    def _options(self, decision: Decision, battle: Battle) -> list[int]:
        """The options to compare, the tactician's choice first; that alone if nothing is to be compared."""
        now = (battle.battle.turn, battle.battle.active_side)
        if now != self._now:
            self._now, self._searches = now, 0
        scores = self._inner.weigh(decision, battle)
        choice = self._inner.best(decision, scores)
        found = close_attacks(decision, battle, scores, choice)
        if len(found) < 2 or self._searches >= MOST_SEARCHES or decision.secret or knows_too_little(battle, decision):
            return [choice]
        self._searches += 1
        return found

    def _best_of(self, decision: Decision, battle: Battle, options: Sequence[int]) -> int:
        """The option with the best rollouts; the first one, unless another is better by more than chance."""
        values: dict[int, list[float]] = {i: [] for i in options}
        left = list(options)
        for times in ROUNDS:
            for n in range(len(values[left[0]]), len(values[left[0]]) + times):
                for i in left:
                    values[i].append(self._rollout(decision, battle, i, n))
            left.sort(key=lambda i: -fmean(values[i]))
            left = left[: max(2, (len(left) + 1) // 2)]
        first, best = options[0], left[0]
        return best if best != first and is_better(values[best], values[first]) else first

    def _rollout(self, decision: Decision, battle: Battle, choice: int, n: int) -> float:
        """The lead of the side that decides at the end of the nth rollout of an option."""
        side, seed = decision.side, Random(f"{self._seed} {decision.number} {n}").getrandbits(32)
        twin = self._inner.twin(seed)
        twin.keep(decision, choice)
        players = [twin if s is side else self._foe(seed + i) for i, s in enumerate(battle.sides)]
        try:
            found = battle.look_ahead(choice, players, seed, Horizon(battle, side))
        except RuleFault:
            return 0.0  # a rule that fails in a rollout is told when it fails on the table
        return found if found is not None else 0.0


def close_attacks(decision: Decision, battle: Battle, scores: Sequence[float], choice: int) -> list[int]:
    """The options to compare where a decision is about enemies and the rules rate its options; the choice first.

    Left out are options whose rating is lower by more than the dearest enemy on offer costs, in points.
    """
    foes = [o.value for o in decision.options if side_of(o.value) not in (None, decision.side)]
    if not foes or len(scores) < 2 or decision.ratings() is None:
        return []
    cost = max(worth_of(battle, foe) for foe in foes)
    order = sorted((i for i in range(len(scores)) if i != choice), key=lambda i: -scores[i])
    found = [choice, *(i for i in order if scores[choice] - scores[i] <= cost)][:MOST_OPTIONS]
    return found if max(abs(scores[i]) for i in found) >= LEAST_RATING * cost else []


def knows_too_little(battle: Battle, decision: Decision) -> bool:
    """Whether something is hidden from the side that decides: a rollout would show it."""
    return not all(battle.knows(decision.side, thing) for thing in battle.by_id.values())


def is_better(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether one option has better values than another by more than chance, both with the same dice in order."""
    gains = [a - b for a, b in zip(one, other, strict=False)]
    error = sqrt(variance(gains) / len(gains)) if len(gains) > 1 else 0.0
    return fmean(gains) > STANDARD_ERRORS * error


class Horizon:
    """Ends a rollout after so many player turns (`HORIZON`), or with the battle, and gives the side's lead there."""

    def __init__(self, battle: Battle, side: Any) -> None:
        self.side = side
        self.at = (battle.battle.turn, battle.battle.active_side)
        self.turns = 0

    def __call__(self, battle: Battle) -> float | None:
        """The lead of the side at the horizon; None before."""
        now = (battle.battle.turn, battle.battle.active_side)
        if now != self.at:
            self.at, self.turns = now, self.turns + 1
        return lead_of(battle, self.side) if battle.battle.over or self.turns >= HORIZON else None


def lead_of(battle: Battle, side: Any) -> float:
    """By how many points a side is ahead of the others: victory points if the rules have a number for them, else points
    lost and victory points scored. The winner gets what it began with on top.
    """
    place = battle.sides.index(side)
    has_number = "victory_points" in battle.program.numbers
    total = 0.0
    for i, row in enumerate(battle.scores()):
        points = row.victory_points if has_number else row.victory_points - row.points_lost
        points += row.points if battle.battle.winner is battle.sides[i] else 0
        total += points if i == place else -points
    return total
