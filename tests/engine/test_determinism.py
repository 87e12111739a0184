"""A battle is a pure function of ruleset, armies, scenario, seed and decisions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.skirmishes import skirmish
from warhost.engine.battle import Battle
from warhost.engine.decisions import Answer, Decision
from warhost.packs import Ruleset
from warhost_battles.players import RandomPlayer, UsualPlayer

HERE = Path(__file__).parent

PROGRAM = """
import hashlib, json, sys
sys.path.insert(0, {tests!r})
from engine.skirmishes import skirmish
from warhost.packs import load
battle = skirmish(load("small_fantasy"), {seed})
battle.run()
text = json.dumps(battle.log, sort_keys=True)
print(battle.state_hash(), hashlib.sha256(text.encode()).hexdigest())
"""


def in_a_process(hash_seed: str, seed: int) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    source = PROGRAM.format(tests=str(HERE.parent), seed=seed)
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_hash_seed_of_python_does_not_matter() -> None:
    assert in_a_process("1", 11) == in_a_process("2", 11)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_seed_gives_the_same_battle(rules: Ruleset, seed: int) -> None:
    first, second = skirmish(rules, seed), skirmish(rules, seed)
    assert first.run() == second.run()
    assert first.log == second.log


def test_another_seed_gives_another_battle(rules: Ruleset) -> None:
    assert skirmish(rules, 1).run().state_hash != skirmish(rules, 2).run().state_hash


def test_tracing_and_logging_change_nothing(rules: Ruleset) -> None:
    plain = skirmish(rules, 4).run()
    assert skirmish(rules, 4, log=False).run() == plain
    assert skirmish(rules, 4, trace=True).run() == plain


class Curious(UsualPlayer):
    """Plays like anybody, but asks the rules for everything that they think."""

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        decision.ratings()
        decision.usual_index()
        for unit in battle.everyone["unit"]:
            battle.ask("pace", unit)
        return super().decide(decision, battle)


def test_what_a_player_asks_leaves_no_trace(rules: Ruleset) -> None:
    plain, asked = (skirmish(rules, 4, [kind(), kind()], trace=True) for kind in (UsualPlayer, Curious))
    assert plain.run() == asked.run()
    assert plain.log == asked.log
    assert "'why': " in str(plain.log)


def test_answering_from_outside_is_the_same_battle(rules: Ruleset) -> None:
    """decide and answer, one decision at a time, against players that answer at once."""
    expected = skirmish(rules, 6).run()
    battle = skirmish(rules, 6, [None, None])
    minds = [RandomPlayer(7), RandomPlayer(8)]
    while (decision := battle.decide()) is not None:
        battle.answer(minds[battle.sides.index(decision.side)].decide(decision, battle))
    assert battle.result() == expected


def test_the_stream_of_play_is_the_log(rules: Ruleset) -> None:
    battle = skirmish(rules, 9)
    assert list(battle.play()) == battle.log
    assert battle.over
