"""The small game of cards, and battles of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.decisions import Answer, Decision, Policy, RandomPlayer
from warhost.packs import Ruleset, load

PARLEY = Path(__file__).parent / "parley"


@cache
def parley() -> Ruleset:
    return load(PARLEY)


def game(
    seed: int, players: Sequence[Policy] | None = None, made: type[Battle] = Battle, **more: Any
) -> Battle:  # fmt: skip
    """A battle of the small game, with players who do anything."""
    rules = parley()
    armies = [Army.from_data(rules.armies[name].data, rules) for name in ("reds", "blacks")]
    return made(rules, armies, seed, players=players or [RandomPlayer(seed + 1), RandomPlayer(seed + 2)], **more)


class Noting:
    """Plays as another does, and remembers the answers."""

    def __init__(self, player: Policy, answers: list[Answer]) -> None:
        self._player, self._answers = player, answers

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        self._answers.append(self._player.decide(decision, battle))
        return self._answers[-1]


class Again:
    """Gives the answers of an earlier battle, one after the other, whatever the options are called."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = iter(answers)

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        return next(self._answers)
