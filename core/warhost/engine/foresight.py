"""Thinking ahead: what an answer may lead to, played on in thought and taken back.

A player who is being asked sits in the middle of running rules, of which nothing can make a copy. So the battle goes
back to the beginning of the phase (or of an earlier one), as `Battle.undo` does, and is told the answers since; from the
answer in question on, other players and other dice carry it on. Then everything is put back as it was, and the rules
that wait go on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from greenlet import GreenletExit, getcurrent, greenlet

from warhost.engine.checkpoint import Checkpoint
from warhost.engine.dice import RepeatableDice, SeededDice

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.decisions import Answer, Decision, Policy

Seen = TypeVar("Seen")

#: What of a battle is no state, but belongs to how it is run.
_RUN = (
    "players", "dice", "keeps_log", "trace", "on_decision", "on_turn", "on_phase", "on_undo", "records_given",
    "_history", "_runner", "_waiting", "_phase_start", "_between_phases", "_replaying", "_streaming",
)  # fmt: skip


def foreseen(
    battle: Battle, answer: Answer, players: Sequence[Policy], seed: int, look: Callable[[Battle], Seen | None]
) -> Seen | None:
    """What is seen after an answer to the decision that is being asked. See `Battle.foresee`."""
    history = battle._history
    assert history is not None
    mark = history.marks[-1]
    run = {name: getattr(battle, name) for name in _RUN}
    chance = battle.dice.state() if isinstance(battle.dice, RepeatableDice) else None
    now = Checkpoint(battle)
    here = getcurrent()

    def look_up(then: Battle) -> None:
        seen = look(then)
        if seen is not None:
            here.switch(seen)

    battle.on_decision = battle.on_undo = battle._history = battle._waiting = None
    battle.on_turn = battle.on_phase = look_up
    battle.keeps_log = battle._streaming = False
    thought = greenlet(lambda: battle._whole(mark.start))
    try:
        mark.checkpoint.restore()
        battle.dice.set_state(mark.chance)  # type: ignore[attr-defined]
        told = deque([*history.answers[mark.answers :], answer])
        battle.players = [_Telling(told, battle, players, seed)] * len(battle.sides)
        battle._phase_start, battle._between_phases, battle._replaying = mark.start, True, None
        battle._runner = thought
        seen: Seen | None = thought.switch()
        return seen
    finally:
        if not thought.dead:
            thought.throw(GreenletExit)
        now.restore()
        for name, value in run.items():
            setattr(battle, name, value)
        if chance is not None:
            battle.dice.set_state(chance)  # type: ignore[attr-defined]


class _Telling:
    """Gives the answers that were given, and the one in question; then others play on, with dice of their own."""

    def __init__(self, told: deque[Answer], battle: Battle, then: Sequence[Policy], seed: int) -> None:
        self.told, self.battle, self.then, self.seed = told, battle, then, seed

    def decide(self, decision: Decision, battle: Any) -> Answer:
        answer = self.told.popleft()
        if not self.told:
            self.battle.dice = SeededDice(self.seed)
            self.battle.players = list(self.then)
        return answer
