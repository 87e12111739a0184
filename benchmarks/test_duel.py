"""Two units fight until one is gone or runs: the ruleset's rules, compiled, against the same rules by hand.

Both throw the same dice in the same order (see duel.rules and handwritten.py). Untraced, without a log.
Time of the processor, so that what else runs on the machine matters less.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import handwritten
import pytest

import warhost
from warhost.engine.dice import SeededDice

HERE = Path(__file__).parent
SEEDS = range(50)

Outcome = tuple[int, int, int, bool, bool]


def army(rules: warhost.Ruleset, id: str, profile: str, facing: int) -> warhost.Army:
    unit = {"id": id, "profile": profile, "size": 20, "at": [60, 40], "facing": facing}
    return warhost.Army.from_data({"kind": "army", "id": id, "name": id, "list": "", "units": [unit]}, rules)


@pytest.fixture(scope="module")
def compiled() -> Callable[[int], Outcome]:
    rules = warhost.load(HERE.parent / "rulesets/small_fantasy", house=[HERE / "duel.rules"])
    armies = [army(rules, "spears", "elf_spears", 0), army(rules, "riders", "orc_riders", 180)]
    bare = {"id": "bare", "name": "bare", "board": {"table": {"width": 120, "depth": 90}, "terrain": []}}
    battle = warhost.Battle(rules, armies, 1, scenario=bare, log=False)
    spears, riders = battle.by_id["spears"], battle.by_id["riders"]
    duel = battle.code.procedure("duel")

    def fight(seed: int) -> Outcome:
        for unit in (spears, riders):
            unit.figures = unit.bases = unit.size
            unit.wounds_taken = unit.wounds_noted = unit.lost_this_turn = unit.rounds_fought = 0
            unit.charged, unit.routing = unit is riders, False
        battle.version += 1
        battle.steps = 1_000_000
        battle.dice = SeededDice(seed)
        return duel(battle, spears, riders), spears.figures, riders.figures, spears.routing, riders.routing

    return fight


@pytest.fixture(scope="module")
def by_hand() -> Callable[[int], Outcome]:
    spears = handwritten.Unit(20, attacks=1, armour=3, close_combat=3, spears=True)
    riders = handwritten.Unit(20, attacks=1, armour=3, close_combat=4, mounted=True, on_foot=False)

    def fight(seed: int) -> Outcome:
        spears.stand_up(charged=False)
        riders.stand_up(charged=True)
        rounds = handwritten.duel(SeededDice(seed), spears, riders)
        return rounds, spears.figures, riders.figures, spears.routing, riders.routing

    return fight


@pytest.mark.parametrize("way", ["by hand", "compiled"])
@pytest.mark.benchmark(group="duel", timer=time.process_time)
def test_duel(benchmark: Any, way: str, compiled: Callable[[int], Outcome], by_hand: Callable[[int], Outcome]) -> None:
    for seed in range(300):
        assert compiled(seed) == by_hand(seed)
    fight = compiled if way == "compiled" else by_hand
    benchmark.extra_info["is"] = way
    benchmark.pedantic(lambda: [fight(seed) for seed in SEEDS], rounds=60, warmup_rounds=3)
