"""A whole battle between two ready armies, told in the log: compiled and traced; and large ones, untold."""

from __future__ import annotations

import time
from typing import Any

import pytest
from battles import Match, play, tidy_up

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


#: Battles of 1,500 points on three sorts of ground.
LARGE = {
    "an open plain": ("open_plain", ("kingdom_1500", "orcs_1500"), 1),
    "broken ground": ("broken_ground", ("orcs_1500", "elves_1500"), 3),
    "ground by tiles": ("tiles", ("elves_1500", "kingdom_1500"), 5),
}


@pytest.mark.parametrize("ground", list(LARGE))
@pytest.mark.benchmark(group="1,500 points", timer=time.process_time)
def test_large_battle(benchmark: Any, ground: str) -> None:
    scenario, armies, seed = LARGE[ground]
    match = Match("three_plains", scenario, armies, ("tactician", "tactician"), seed)

    def ready() -> tuple[tuple[Match], dict[str, bool]]:
        tidy_up()
        return (match,), {"timed": False, "tidy": False}

    played = benchmark.pedantic(play, setup=ready, rounds=3, warmup_rounds=1)
    assert played.faults == ()
    benchmark.extra_info["is"] = ground
    benchmark.extra_info |= {"turns": played.turns, "decisions": played.decisions, "megabytes": round(played.megabytes)}
