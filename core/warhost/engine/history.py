"""Taking back: what a battle remembers of its way, for `Battle.snapshot`, `Battle.restore` and `Battle.undo`.

A moment between two answers lies in the middle of running rules, of which nothing can make a copy. So a moment is the
beginning of its phase, kept as data (`engine/checkpoint.py`), and the answers given since: put back the one, give the
others again, and the same dice fall.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warhost.engine.checkpoint import Checkpoint
from warhost.engine.dice import RepeatableDice
from warhost.engine.entities import Entity, Record
from warhost.engine.state import State
from warhost.errors import WarhostError

if TYPE_CHECKING:
    from warhost.engine.decisions import Answer
    from warhost.engine.turn import PhaseStart

#: Marks that are kept besides the first. Moments before them are reached from the first, by playing on.
MOST_MARKS = 30
#: A phase gets a mark when at least so many answers have been given since the last one: a mark costs as much as some
#: answers do, and there are rulesets with ten phases a turn in which hardly anything is asked.
MARK_EVERY = 5


class Mark:
    """A battle as it stands before a phase, with its dice and the memory of its players.

    start is the phase; None stands for a battle that has not begun, or one that is over.
    """

    def __init__(self, battle: State, players: list[Any], start: PhaseStart | None, answers: int) -> None:
        self.start, self.answers = start, answers
        self.over = battle.over
        self.checkpoint = Checkpoint(battle)
        if not isinstance(battle.dice, RepeatableDice):
            raise WarhostError("a battle with dice that cannot go back has no snapshots")
        self.dice, self.chance = battle.dice, battle.dice.state()
        self.players = _Memory(players)

    def put_back(self) -> None:
        """The battle, its dice and its players are again as they were."""
        self.put_back_battle()
        self.players.restore()

    def put_back_battle(self) -> None:
        """The battle and its dice are again as they were; players remember what they have done since."""
        self.checkpoint.restore()
        self.dice.set_state(self.chance)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A moment of one battle, to which it can return any number of times. Made by `Battle.snapshot`.

    decisions: how many decisions had been answered. waiting: whether another one was being asked for.
    """

    marks: tuple[Mark, ...]
    answers: tuple[Answer, ...]
    outside: tuple[int, ...]
    decisions: int
    waiting: bool


class History:
    """The way of a battle that is answered from outside: marks at its phases, and every answer.

    outside are the places of those answers that came from outside, in answers.
    """

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self.answers: list[Answer] = []
        self.outside: list[int] = []

    def mark(self, battle: State, players: list[Any], start: PhaseStart | None) -> None:
        """Keep the battle as it stands before a phase, unless hardly anything was answered since the last mark."""
        if self.marks and len(self.answers) - self.marks[-1].answers < MARK_EVERY:
            return
        self.marks.append(Mark(battle, players, start, len(self.answers)))
        if len(self.marks) > MOST_MARKS + 1:
            del self.marks[1]

    def waiting(self) -> Snapshot:
        """The moment, while an answer is waited for."""
        return self.before(len(self.answers))

    def before(self, place: int) -> Snapshot:
        """The moment at which the answer in some place was asked for."""
        marks = tuple(m for m in self.marks if m.answers <= place)
        outside = tuple(p for p in self.outside if p < place)
        return Snapshot(marks, tuple(self.answers[:place]), outside, place, waiting=True)

    def return_to(self, moment: Snapshot) -> list[Answer]:
        """Forget what came after a moment; the answers that lead from its last mark to it."""
        first = moment.marks[-1].answers
        self.marks, self.answers = list(moment.marks), list(moment.answers[:first])
        self.outside = [place for place in moment.outside if place < first]
        return list(moment.answers[first:])


class _Memory:
    """What the players of a battle remember, their own dice among it. Things of the battle are left as they are."""

    def __init__(self, players: list[Any]) -> None:
        self._kept: dict[int, tuple[Any, Any]] = {}
        pending: list[Any] = [p for p in players if p is not None]
        while pending:
            one = pending.pop()
            if id(one) in self._kept or isinstance(one, type | Entity | Record | State):
                continue
            if isinstance(one, random.Random):
                self._kept[id(one)] = (one, one.getstate())
            elif isinstance(one, list | set):
                self._kept[id(one)] = (one, list(one))
                pending.extend(one)
            elif isinstance(one, dict):
                self._kept[id(one)] = (one, dict(one))
                pending.extend(one.values())
            elif isinstance(one, tuple):
                pending.extend(one)
            elif hasattr(one, "__dict__") and not callable(one):
                self._kept[id(one)] = (one, dict(one.__dict__))
                pending.extend(one.__dict__.values())

    def restore(self) -> None:
        for one, was in self._kept.values():
            if isinstance(one, random.Random):
                one.setstate(was)
            elif isinstance(one, list):
                one[:] = was
            else:
                held = one if isinstance(one, dict | set) else one.__dict__
                held.clear()
                held.update(was)
