"""Simulation trial by trial with the compiled rules: one battle is played from the same moment again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warhost.engine.checkpoint import Checkpoint
from warhost.engine.dice import SeededDice
from warhost_odds.answer import check_asked
from warhost_odds.questions import MOST_ROUNDS, Prepared, Tally

#: So many trials together may take as many steps of the rules as one battle.
TRIALS = 10_000


def simulate(
    prepared: Prepared, until: str, trials: int, seed: int, watch: Callable[[int], None] | None = None,
    undecided: list[int] | None = None, observed: dict[tuple[str, str], dict[Any, Any]] | None = None,
) -> dict[Tally, int]:  # fmt: skip
    """How often each tally came out of so many trials, in the order of first appearance.

    until: `round` plays one round, `end` plays until the rules say that it is over (200 rounds at most). seed: the same
    seed gives the same counts. watch: is called after each trial with the number of trials done. undecided: is filled
    with the numbers of the trials that 200 rounds did not decide, observed with what the question observes of either
    side. The battle is restored afterwards. Raises UsageError for unknown options, RuleFault when a rule fails.
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
