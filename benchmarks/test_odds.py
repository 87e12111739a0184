"""Many duels to the end all at once, in columns, against one after the other by hand; and exact answers.

Twenty riders charge twenty spearmen, as in test_duel.py. `duel` are rounds of duel.rules, the same steps that
handwritten.py plays; `melee` is the ruleset's own question, which forms melees, makes casualties and the like as in a
battle. Time of the processor, on one of them.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import handwritten
import pytest

import warhost
from warhost.engine.dice import SeededDice
from warhost_odds.allocator import keep_memory
from warhost_odds.evaluate import evaluate
from warhost_odds.pairings import Task, code_of, play
from warhost_odds.questions import Prepared, UnitSpec, asked, set_up
from warhost_odds.scalar import simulate

HERE = Path(__file__).parent
keep_memory()  # as the commands and their workers do

BY_HAND = 500
"""So many duels by hand are timed; the table says what 10,000 take."""

ONE_BY_ONE = 100
"""And so many one by one with the compiled rules."""

CHECKED = 4_000
"""So many are compared with the exact chances."""


Put = Callable[[str, int], Prepared]


@pytest.fixture(scope="module")
def put() -> Put:
    rules = warhost.load(HERE.parent / "rulesets/small_fantasy", house=[HERE / "duel.rules"])
    melee, settings = asked("melee", rules)
    # What the version by hand tells, too: who wins and how many each has lost.
    duel = replace(melee, round=rules.program.procedures["exchange"], observe=())
    rounds = {"melee": melee, "duel": duel}

    def put(what: str, size: int) -> Prepared:
        riders, spears = (UnitSpec.parse(f"{name}:{size}", rules) for name in ("orc_riders", "elf_spears"))
        return set_up(rules, rounds[what], riders, spears, settings)

    return put


@pytest.fixture(scope="module")
def by_hand() -> Callable[[int], tuple[str, int, int]]:
    spears = handwritten.Unit(20, attacks=1, armour=3, close_combat=3, spears=True)
    riders = handwritten.Unit(20, attacks=1, armour=3, close_combat=4, mounted=True, on_foot=False)

    def fight(seed: int) -> tuple[str, int, int]:
        """Which of them may go on, and how many each has lost."""
        spears.stand_up(charged=False)
        riders.stand_up(charged=True)
        handwritten.duel(SeededDice(seed), riders, spears)
        going = [handwritten.may_go_on(unit) for unit in (riders, spears)]
        word = {(True, False): "attacker_wins", (False, True): "defender_wins"}.get((going[0], going[1]), "both_lose")
        return word, 20 - riders.figures, 20 - spears.figures

    return fight


def test_both_are_the_same_duel(put: Put, by_hand: Callable[[int], Any]) -> None:
    """Who wins and the mean losses, within five standard deviations of the exact answer."""
    exact = evaluate(put("duel", 20), "end", "exact").joint
    found = [by_hand(seed) for seed in range(CHECKED)]
    for word, often in Counter(word for word, _, _ in found).items():
        chance = sum(p for tally, p in exact.items() if tally[0] == word)
        assert abs(often - CHECKED * chance) < 5 * math.sqrt(CHECKED * chance * (1 - chance)) + 1
    for side in (1, 2):
        mean = sum(float(p) * tally[side] for tally, p in exact.items())
        spread = math.sqrt(sum(float(p) * (tally[side] - mean) ** 2 for tally, p in exact.items()))
        assert abs(sum(row[side] for row in found) / CHECKED - mean) < 5 * spread / math.sqrt(CHECKED)


@pytest.mark.benchmark(group="odds", timer=time.process_time)
def test_duels_by_hand(benchmark: Any, by_hand: Callable[[int], Any]) -> None:
    benchmark.extra_info["is"] = "10,000 duels by hand"
    benchmark.extra_info["times"] = 10_000 // BY_HAND
    benchmark.pedantic(lambda: [by_hand(seed) for seed in range(BY_HAND)], rounds=20, warmup_rounds=2)


@pytest.mark.parametrize("what", ["duel", "melee"])
@pytest.mark.benchmark(group="odds", timer=time.process_time)
def test_duels_one_by_one(benchmark: Any, what: str, put: Put) -> None:
    """The compiled rules, one trial after another: what is done with questions that columns cannot answer."""
    prepared = put(what, 20)
    benchmark.extra_info["is"] = f"10,000 one by one, {what}"
    benchmark.extra_info["times"] = 10_000 // ONE_BY_ONE
    benchmark.pedantic(lambda: simulate(prepared, "end", ONE_BY_ONE, 0), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("trials", [10_000, 100_000])
@pytest.mark.parametrize("what", ["duel", "melee"])
@pytest.mark.benchmark(group="odds", timer=time.process_time)
def test_duels_in_columns(benchmark: Any, what: str, trials: int, put: Put) -> None:
    prepared = put(what, 20)
    found = benchmark.pedantic(lambda: evaluate(prepared, "end", "simulation", trials), rounds=5, warmup_rounds=1)
    assert sum(found.joint.values()) == trials
    benchmark.extra_info["is"] = f"{trials:,} in columns, {what}"
    benchmark.extra_info["duels"] = trials


@pytest.fixture(scope="module")
def border_fight() -> Prepared:
    """Six hillmen and five bowmen, far apart: some 11 player turns and 42 dice."""
    rules = warhost.load(HERE / "border_fight")
    question, settings = asked("clash", rules)
    return set_up(rules, question, UnitSpec.parse("hillmen:6", rules), UnitSpec.parse("bowmen:5", rules), settings)


@pytest.mark.parametrize("trials", [10_000, 100_000])
@pytest.mark.benchmark(group="whole duels", timer=time.process_time)
def test_whole_duels_in_columns(benchmark: Any, trials: int, border_fight: Prepared) -> None:
    """Marching, shooting, charging, fighting and morale, from afar to the end."""
    rounds = {"rounds": 7, "warmup_rounds": 1}
    found = benchmark.pedantic(lambda: evaluate(border_fight, "end", "simulation", trials), **rounds)
    assert sum(found.joint.values()) == trials
    benchmark.extra_info["is"] = f"{trials:,} in columns"
    benchmark.extra_info["a second"] = trials


@pytest.mark.parametrize("trials", [10_000, 100_000])
@pytest.mark.benchmark(group="whole duels", timer=time.process_time)
def test_a_pairing_of_whole_duels(benchmark: Any, trials: int) -> None:
    """As `warhost balance` plays it: half of the trials with either attacking, units set up anew each time."""
    place = str(HERE / "border_fight")
    rules = warhost.load(place)
    task = Task(
        "units", place, (), rules.digest, "bowmen:5", "hillmen:6", trials, 1, what="clash", settings=(("far", "42"),),
        code=code_of(rules),
    )  # fmt: skip
    played = benchmark.pedantic(lambda: play(task), rounds=7, warmup_rounds=1)
    assert (played.method, played.trials) == ("columns", trials)
    benchmark.extra_info["is"] = f"a pairing of {trials:,}"
    benchmark.extra_info["a second"] = trials


@pytest.mark.benchmark(group="whole duels", timer=time.process_time)
def test_whole_duels_one_by_one(benchmark: Any, border_fight: Prepared) -> None:
    benchmark.extra_info["is"] = "one by one"
    benchmark.extra_info["a second"] = ONE_BY_ONE
    benchmark.pedantic(lambda: simulate(border_fight, "end", ONE_BY_ONE, 0), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize(("size", "until", "rounds"), [(20, "round", 10), (10, "end", 3), (20, "end", 1)])
@pytest.mark.parametrize("what", ["duel", "melee"])
@pytest.mark.benchmark(group="odds exactly", timer=time.process_time)
def test_exact_answers(benchmark: Any, what: str, size: int, until: str, rounds: int, put: Put) -> None:
    prepared = put(what, size)
    found = benchmark.pedantic(lambda: evaluate(prepared, until, "exact"), rounds=rounds, warmup_rounds=rounds > 1)
    assert math.isclose(math.fsum(found.joint.values()), 1, rel_tol=0, abs_tol=1e-12)
    benchmark.extra_info["is"] = f"{what}, {size} a side, {'a round' if until == 'round' else 'to the end'}"
