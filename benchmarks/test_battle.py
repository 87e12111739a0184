"""A whole battle between two ready armies, told in the log: compiled and traced."""

from __future__ import annotations

import time
from typing import Any

import pytest

import warhost


class BestRated:
    """Takes what the ruleset's own numbers prefer."""

    def decide(self, decision: warhost.Decision, battle: warhost.Battle) -> int:
        ratings = decision.ratings() or [0]
        return ratings.index(max(ratings))


@pytest.mark.parametrize("way", ["untraced", "traced"])
@pytest.mark.benchmark(group="battle", timer=time.process_time)
def test_battle(benchmark: Any, way: str) -> None:
    rules = warhost.load("small_fantasy")
    armies = [warhost.Army.ready(name, rules) for name in ("elves", "orcs")]

    def play() -> warhost.Result:
        players = [BestRated(), BestRated()]
        return warhost.Battle(rules, armies, 7, players=players, trace=way == "traced").run()

    benchmark.extra_info["is"] = way
    result = benchmark.pedantic(play, rounds=3 if way == "untraced" else 1)
    benchmark.extra_info |= {"turns": result.turns, "decisions": result.decisions, "dice": result.rolls}
