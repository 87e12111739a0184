"""Simulation with the compiled rules themselves: one battle, played from the same moment again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warhost.engine.checkpoint import Checkpoint
from warhost.engine.dice import SeededDice
from warhost_odds.answer import check_asked
from warhost_odds.questions import MOST_ROUNDS, Prepared, Tally

#: Trials that together may take as many steps as one battle.
TRIALS = 10_000


def simulate(
    prepared: Prepared, until: str, trials: int, seed: int, watch: Callable[[int], None] | None = None,
    undecided: list[int] | None = None, observed: dict[tuple[str, str], dict[Any, Any]] | None = None,
) -> dict[Tally, int]:  # fmt: skip
    """How often each tally came of so many trials, all from one stream of dice.

    until: `round` for one round, `end` until the rules say that it is over (200 rounds at most). watch is told the
    number of trials done after each of them; undecided gets those that the rounds did not bring to an end, observed
    what the question observes of either side. Afterwards the battle stands as before. Keys in the order of meeting;
    the same seed gives the same counts.
    """
    check_asked(until, "simulation", trials)
    rounds = 1 if until == "round" else MOST_ROUNDS
    dice = SeededDice(seed)
    prepared.battle.budget.reset(1 + trials // TRIALS)
    counts: dict[Tally, int] = {}
    trial = 0
    for number in prepared.shared_out(trials, np.random.Generator(np.random.PCG64(seed))):
        before = Checkpoint(prepared.battle)
        for _ in range(number):
            prepared.battle.dice = dice
            for n in range(rounds):
                prepared.play_round(first=n == 0)
                if prepared.is_over():
                    break
            else:
                if undecided is not None and until == "end":
                    undecided.append(trial)
            tally = prepared.tally()
            counts[tally] = counts.get(tally, 0) + 1
            if observed is not None:
                _observe(prepared, observed)
            before.restore()
            trial += 1
            if watch is not None:
                watch(trial)
    return counts


def _observe(prepared: Prepared, observed: dict[tuple[str, str], dict[Any, Any]]) -> None:
    for key, value in prepared.observations(prepared.question.observe).items():
        seen = observed.setdefault(key, {})
        seen[value] = seen.get(value, 0) + 1
