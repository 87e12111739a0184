"""Undo, snapshots and restore: whatever way a battle takes, where it stands it stands as on the straight way."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import warhost
from warhost.engine.battle import Battle
from warhost.engine.decisions import Decision
from warhost_battles.journal import Recorder
from warhost_battles.players import known_players, player

RULESETS = ("small_fantasy", "legiones", "arcana")


def battle_of(ruleset: str, seed: int, against: str | None) -> Battle:
    """Two ready armies; the first is answered from outside, the second by a player or from outside as well."""
    rules = warhost.load(ruleset)
    draw = random.Random(seed)
    armies = [warhost.Army.ready(draw.choice(list(rules.armies)), rules) for _ in range(2)]
    other = player(against, seed, known_players(rules)) if against is not None else None
    return Battle(rules, armies, seed, players=[None, other])


def ask(battle: Battle) -> Decision:
    decision = battle.decide()
    assert decision is not None
    return decision


class Straight:
    """The first decisions of a battle that nobody ever takes back: answers, and the state before each of them."""

    def __init__(self, ruleset: str, seed: int, against: str | None, most: int) -> None:
        draw = random.Random(seed)
        self.battle = battle_of(ruleset, seed, against)
        self.answers: list[int] = []
        self.hashes: list[str] = []
        while (decision := self.battle.decide()) is not None and len(self.answers) < most:
            self.hashes.append(self.battle.state_hash())
            self.answers.append(draw.randrange(len(decision.options)))
            self.battle.answer(self.answers[-1])
        self.hashes.append(self.battle.state_hash())


@pytest.mark.parametrize("ruleset", RULESETS)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 50), against=st.sampled_from([None, "random", "tactician"]), data=st.data())
def test_every_way_of_undoing_and_restoring_leads_to_the_straight_way(
    ruleset: str, seed: int, against: str | None, data: st.DataObject
) -> None:
    straight = Straight(ruleset, seed, against, 40)
    battle, at = battle_of(ruleset, seed, against), 0
    kept: list[tuple[int, warhost.Snapshot]] = []
    ways = data.draw(st.lists(st.tuples(st.sampled_from(["undo", "keep", "restore", "stray"]), st.integers(1, 8))))
    stops = sorted(data.draw(st.lists(st.integers(0, 39), min_size=len(ways), max_size=len(ways))))
    for (way, n), stop in zip(ways, stops, strict=True):
        while at < min(stop, len(straight.answers)):
            ask(battle)
            battle.answer(straight.answers[at])
            at += 1
        if battle.decide() is None:
            break
        if way == "undo" and n <= at:
            battle.undo(n)
            at -= n
        elif way == "keep":
            kept.append((at, battle.snapshot()))
        elif way == "restore" and kept:
            at, moment = kept[n % len(kept)]
            battle.restore(moment)
        elif way == "stray":
            battle.answer(n % len(ask(battle).options))
            battle.undo()
        assert battle.state_hash() == straight.hashes[at]
    while at < len(straight.answers):
        ask(battle)
        battle.answer(straight.answers[at])
        at += 1
    battle.decide()
    assert battle.state_hash() == straight.hashes[at]
    assert battle.log == straight.battle.log


def test_a_battle_that_is_over_goes_on_from_what_was_kept() -> None:
    straight = Straight("small_fantasy", 3, "random", 10**6)
    battle = straight.battle
    assert battle.over
    end, story = battle.snapshot(), list(battle.log)
    waiting = battle.undo(3)
    assert waiting.number < battle.result().decisions + 1
    assert not battle.over
    battle.restore(end)
    assert battle.decide() is None
    assert battle.log == story
    assert battle.state_hash() == straight.hashes[-1]


def test_players_alone_can_be_kept_between_phases() -> None:
    rules = warhost.load("small_fantasy")
    known = known_players(rules)

    def made() -> Battle:
        armies = [warhost.Army.ready(name, rules) for name in ("elves", "orcs")]
        return Battle(rules, armies, 9, players=[player("tactician", 1, known), player("random", 2, known)])

    straight = made()
    straight.run()
    battle = made()
    kept: list[warhost.Snapshot] = []
    battle.on_phase = lambda b: kept.append(b.snapshot())
    battle.run()
    for moment in (kept[5], kept[-2], kept[0]):
        battle.on_phase = None
        battle.restore(moment)
        assert battle.state_hash() != straight.state_hash()
        battle.run()
        assert battle.state_hash() == straight.state_hash()
        assert battle.log == straight.log


def test_the_journal_of_a_battle_with_undone_answers_is_that_of_the_straight_way(tmp_path: Path) -> None:
    def played(name: str, undoing: bool) -> bytes:
        battle, draw = battle_of("small_fantasy", 4, "random"), random.Random(1)
        with Recorder(battle, tmp_path / name, ["", "random"]):
            answers: list[int] = []
            while (decision := battle.decide()) is not None:
                answers.append(draw.randrange(len(decision.options)))
                battle.answer(answers[-1])
                if undoing and len(answers) % 9 == 8:
                    battle.undo(7)
                    for answer in answers[-7:]:
                        battle.answer(answer)
        return (tmp_path / name).read_bytes()

    assert played("crooked", undoing=True) == played("straight", undoing=False)


def test_what_cannot_be_taken_back_is_refused() -> None:
    battle, other = battle_of("small_fantasy", 1, None), battle_of("small_fantasy", 1, None)
    with pytest.raises(warhost.UsageError, match="nothing to take back"):
        battle.undo()
    ask(battle)
    with pytest.raises(warhost.UsageError, match="nothing to take back"):
        battle.undo()
    ask(other)
    with pytest.raises(warhost.WarhostError, match="another battle"):
        battle.restore(other.snapshot())


def test_nobody_takes_back_while_the_rules_run() -> None:
    rules = warhost.load("small_fantasy")
    kept: list[Any] = []

    class Meddler:
        def decide(self, decision: Decision, battle: Battle) -> int:
            with pytest.raises(warhost.WarhostError, match="between two phases"):
                battle.snapshot()
            if kept:
                with pytest.raises(warhost.WarhostError, match="restored from outside"):
                    battle.restore(kept[0])
            return 0

    armies = [warhost.Army.ready(name, rules) for name in ("elves", "orcs")]
    battle = Battle(rules, armies, 9, players=[Meddler(), Meddler()])
    kept.append(battle.snapshot())
    battle.run()
