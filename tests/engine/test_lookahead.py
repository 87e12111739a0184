"""Rollouts: whatever is played on from a decision, the battle continues as if nobody had looked ahead."""

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
    """Answers by chance, and runs a rollout before some of its answers, which must not change them."""

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
    """The state after so many phases, and how many dice were thrown until then."""
    past = 0

    def until(then: Battle) -> Any:
        nonlocal past
        past += 1
        return (then.state_hash(), then.dice.thrown) if past > phases else None

    return battle.look_ahead(answer, [RandomPlayer(seed + i) for i in range(len(battle.sides))], seed, until)


def battle_of(ruleset: str, seed: int, players: Sequence[Policy | None], dice: int | None = None) -> Battle:
    rules = warhost.load(ruleset)
    names = list(rules.armies)
    draw = random.Random(seed)
    armies = [warhost.Army.ready(draw.choice(names), rules) for _ in range(2)]
    return Battle(rules, armies, seed if dice is None else dice, players=players)


@pytest.mark.parametrize("ruleset", RULESETS)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 50), every=st.integers(5, 40), phases=st.integers(0, 12))
def test_a_battle_continues_as_if_nobody_had_looked_ahead(ruleset: str, seed: int, every: int, phases: int) -> None:
    plain = battle_of(ruleset, seed, [Dreamer(seed, 0, 0), Dreamer(seed + 1, 0, 0)])
    dreamers = [Dreamer(seed, every, phases), Dreamer(seed + 1, every, phases)]
    dreamt = battle_of(ruleset, seed, dreamers)
    assert dreamt.run() == plain.run()
    assert dreamt.log == plain.log
    assert any(d.seen for d in dreamers) == (plain.decisions_made >= every)


@settings(max_examples=5, deadline=None)
@given(dice=st.integers(0, 1000), other=st.integers(1001, 2000))
def test_a_rollout_depends_on_its_own_dice_alone(dice: int, other: int) -> None:
    def first_rollout(of_battle: int, of_rollout: int) -> Any:
        class Once(Dreamer):
            def decide(self, decision: Decision, battle: Battle) -> int:
                if not self.seen:
                    self.seen.append(dream(battle, 0, of_rollout, 10))
                return 0

        player = Once(1, 0, 0)
        battle = battle_of("small_fantasy", 3, [player, player], of_battle)
        battle.run()
        return player.seen

    assert first_rollout(dice, 5) == first_rollout(other, 5)
    assert first_rollout(dice, 5) != first_rollout(dice, 6)


def test_a_fault_in_a_rollout_is_raised_and_leaves_the_battle_as_it_was() -> None:
    class Stumbling:
        def decide(self, decision: Decision, battle: Battle) -> int:
            return 99

    class Careless(Dreamer):
        def decide(self, decision: Decision, battle: Battle) -> int:
            if decision.number == 4:
                before = battle.state_hash()
                with pytest.raises(WarhostError, match="options, not 99"):
                    battle.look_ahead(0, [Stumbling()] * 2, 1, lambda then: None)
                assert battle.state_hash() == before
                self.seen.append("told")
            return super().decide(decision, battle)

    careless = Careless(1, 0, 0)
    told = battle_of("small_fantasy", 3, [careless, careless]).run()
    plain = Dreamer(1, 0, 0)
    assert careless.seen == ["told"]
    assert told == battle_of("small_fantasy", 3, [plain, plain]).run()


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 50), number=st.integers(2, 60))
def test_a_rollout_ends_after_its_answer_and_never_before(seed: int, number: int) -> None:
    """The phases that lead back to the decision are repeated, and nobody is asked whether the rollout ends there."""

    class Onlooker(Dreamer):
        def decide(self, decision: Decision, battle: Battle) -> int:
            if decision.number == number:
                at, players = (battle.battle.turn, battle.battle.phase), [RandomPlayer(1), RandomPlayer(2)]
                made = battle.decisions_made
                self.seen.append((at, made, battle.look_ahead(0, players, 1, when)))
            return super().decide(decision, battle)

    def when(then: Battle) -> Any:
        return (then.battle.turn, then.battle.phase), then.decisions_made

    players = [Onlooker(seed, 0, 0), Onlooker(seed + 1, 0, 0)]
    battle_of("small_fantasy", seed, players).run()
    for at, made, (after, made_then) in (row for player in players for row in player.seen):
        assert after == at
        assert made_then >= made


def test_the_end_of_the_battle_ends_a_rollout() -> None:
    class Patient(Dreamer):
        def decide(self, decision: Decision, battle: Battle) -> int:
            if not self.seen:
                players = [RandomPlayer(1), RandomPlayer(2)]
                self.seen.append(battle.look_ahead(0, players, 1, lambda then: then.reason if then.over else None))
            return 0

    player = Patient(1, 0, 0)
    battle_of("small_fantasy", 3, [player, player]).run()
    assert player.seen[0]


def test_nobody_looks_ahead_who_is_not_asked_or_has_not_said_it() -> None:
    class Sudden:
        def decide(self, decision: Decision, battle: Battle) -> int:
            battle.look_ahead(0, [self, self], 1, lambda then: None)
            return 0

    battle = battle_of("small_fantasy", 3, [Sudden(), Sudden()])
    with pytest.raises(WarhostError, match="looks_ahead"):
        battle.run()
    outside = battle_of("small_fantasy", 3, [None, Dreamer(1, 0, 0)])
    outside.decide()
    with pytest.raises(WarhostError, match="being asked"):
        outside.look_ahead(0, [RandomPlayer(1)] * 2, 1, lambda then: None)
