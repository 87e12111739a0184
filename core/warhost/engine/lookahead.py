"""Rollouts: a battle is played on from a decision that is being asked, to see what an answer leads to, and put back.

A player who is being asked sits in the middle of running rules, and nothing can copy those. So the battle goes back to
the last mark (`engine/history.py`), as `Battle.undo` does, and repeats the answers since. After the answer in question,
other players and other dice play on. Then the battle is put back as it was, and the rules that wait continue.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from greenlet import GreenletExit, getcurrent, greenlet

from warhost.engine.dice import SeededDice
from warhost.engine.history import Mark

if TYPE_CHECKING:
    from warhost.engine.decisions import Answer, Decision, Policy

Found = TypeVar("Found")

#: How a battle is run, and by whom: what is no part of its state, so that no mark keeps it.
_RUN = (
    "players", "keeps_log", "trace", "on_decision", "on_turn", "on_phase", "on_undo", "records_given",
    "_history", "_runner", "_waiting", "_phase_start", "_between_phases", "_replaying", "_streaming",
)  # fmt: skip


def look_ahead(
    battle: Any, answer: Answer, players: Sequence[Policy], seed: int, until: Callable[[Any], Found | None]
) -> Found | None:
    """One rollout after an answer to the decision that is being asked. See `Battle.look_ahead`."""
    history = battle._history
    start = history.marks[-1]
    run = {name: getattr(battle, name) for name in _RUN}
    now = Mark(battle, [], start.start, start.answers)
    here = getcurrent()
    answers = deque([*history.answers[start.answers :], answer])

    def after_phase(then: Any) -> None:
        found = until(then) if not answers else None  # not in the phases that are only repeated
        if found is not None:
            here.switch(found)

    battle.on_decision = battle.on_turn = battle.on_undo = battle._history = battle._waiting = None
    battle.on_phase = after_phase
    battle.keeps_log = battle._streaming = False
    rollout = battle._runner = greenlet(lambda: battle._whole(start.start))
    try:
        start.put_back_battle()
        battle.players = [_Repeating(answers, players, seed)] * len(battle.sides)
        battle._phase_start, battle._between_phases, battle._replaying = start.start, True, None
        found: Found | None = rollout.switch()
        return until(battle) if rollout.dead else found
    finally:
        if not rollout.dead:
            rollout.throw(GreenletExit)
        now.put_back_battle()
        for name, value in run.items():
            setattr(battle, name, value)


class _Repeating:
    """Repeats the answers that were given, and gives the one in question; from there other players and dice go on."""

    def __init__(self, answers: deque[Answer], then: Sequence[Policy], seed: int) -> None:
        self.answers, self.then, self.seed = answers, then, seed

    def decide(self, decision: Decision, battle: Any) -> Answer:
        answer = self.answers.popleft()
        if not self.answers:
            battle.dice, battle.players = SeededDice(self.seed), list(self.then)
        return answer
