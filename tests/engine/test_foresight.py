"""Thinking ahead: whatever is played on in thought, the battle goes on as if nobody had thought."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warhost
from warhost.engine.battle import Battle
from warhost.engine.decisions import Decision, Policy
from warhost.errors import WarhostError
from warhost_battles.players import RandomPlayer

RULESETS = ("small_fantasy", "three_plains", "destiny", "legiones", "arcana")


class Dreamer:
    """Answers by chance, and before some answers plays on in thought for a while, which changes nothing of them."""

    looks_ahead = True

    def __init__(self, seed: int, every: int, phases: int) -> None:
        self.chance, self.every, self.phases = random.Random(seed), every, phases
        self.seen: list[Any] = []

    def decide(self, decision: Decision, battle: Battle) -> int:
        answer = self.chance.randrange(len(decision.options))
        if self.every and decision.number % self.every == 0:
            self.seen.append(dream(battle, answer, decision.number, self.phases))
        return answer


def dream(battle: Battle, answer: int, seed: int, phases: int) -> Any:
    """What stands after so many phases, and how the dice fell until then."""
    past = 0

    def look(then: Battle) -> Any:
        nonlocal past
        past += 1
        return (then.state_hash(), then.dice.thrown) if past > phases else None

    return battle.foresee(answer, [RandomPlayer(seed + i) for i in range(len(battle.sides))], seed, look)


def battle_of(ruleset: str, seed: int, players: Sequence[Policy | None], dice: int | None = None) -> Battle:
    rules = warhost.load(ruleset)
    names = list(rules.armies)
    draw = random.Random(seed)
    armies = [warhost.Army.ready(draw.choice(names), rules) for _ in range(2)]
    return Battle(rules, armies, seed if dice is None else dice, players=players)


@pytest.mark.parametrize("ruleset", RULESETS)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 50), every=st.integers(5, 40), phases=st.integers(0, 12))
def test_a_battle_goes_on_as_if_nobody_had_thought(ruleset: str, seed: int, every: int, phases: int) -> None:
    plain = battle_of(ruleset, seed, [Dreamer(seed, 0, 0), Dreamer(seed + 1, 0, 0)])
    dreamers = [Dreamer(seed, every, phases), Dreamer(seed + 1, every, phases)]
    dreamt = battle_of(ruleset, seed, dreamers)
    assert dreamt.run() == plain.run()
    assert dreamt.log == plain.log
    assert any(d.seen for d in dreamers) == (plain.decisions_made >= every)


@settings(max_examples=5, deadline=None)
@given(dice=st.integers(0, 1000), other=st.integers(1001, 2000))
def test_what_is_seen_in_thought_hangs_on_the_dice_of_the_thought_alone(dice: int, other: int) -> None:
    def first_thoughts(of_battle: int, of_thought: int) -> Any:
        class Once(Dreamer):
            def decide(self, decision: Decision, battle: Battle) -> int:
                if not self.seen:
                    self.seen.append(dream(battle, 0, of_thought, 10))
                return 0

        player = Once(1, 0, 0)
        battle = battle_of("small_fantasy", 3, [player, player], of_battle)
        battle.run()
        return player.seen

    assert first_thoughts(dice, 5) == first_thoughts(other, 5)
    assert first_thoughts(dice, 5) != first_thoughts(dice, 6)


def test_what_goes_wrong_in_thought_is_told_and_leaves_the_battle_as_it_was() -> None:
    class Stumbling:
        def decide(self, decision: Decision, battle: Battle) -> int:
            return 99

    class Careless(Dreamer):
        def decide(self, decision: Decision, battle: Battle) -> int:
            if decision.number == 4:
                before = battle.state_hash()
                with pytest.raises(WarhostError, match="options, not 99"):
                    battle.foresee(0, [Stumbling()] * 2, 1, lambda then: None)
                assert battle.state_hash() == before
                self.seen.append("told")
            return super().decide(decision, battle)

    careless = Careless(1, 0, 0)
    told = battle_of("small_fantasy", 3, [careless, careless]).run()
    plain = Dreamer(1, 0, 0)
    assert careless.seen == ["told"]
    assert told == battle_of("small_fantasy", 3, [plain, plain]).run()


def test_nobody_looks_ahead_who_is_not_asked_or_has_not_said_it() -> None:
    class Sudden:
        def decide(self, decision: Decision, battle: Battle) -> int:
            battle.foresee(0, [self, self], 1, lambda then: None)
            return 0

    battle = battle_of("small_fantasy", 3, [Sudden(), Sudden()])
    with pytest.raises(WarhostError, match="looks_ahead"):
        battle.run()
    outside = battle_of("small_fantasy", 3, [None, Dreamer(1, 0, 0)])
    outside.decide()
    with pytest.raises(WarhostError, match="being asked"):
        outside.foresee(0, [RandomPlayer(1)] * 2, 1, lambda then: None)
