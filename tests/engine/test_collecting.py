"""Python's garbage collector while a battle goes on, and after it."""

from __future__ import annotations

import gc

import pytest

from engine.skirmishes import skirmish
from warhost.engine.battle import Battle
from warhost.engine.collecting import without_collecting
from warhost.engine.decisions import Answer, Decision
from warhost.packs import Ruleset
from warhost_battles.players import UsualPlayer


class Looking(UsualPlayer):
    """Notes how often things are collected; and refuses to go on after a while."""

    def __init__(self, decisions: int) -> None:
        super().__init__()
        self.left, self.seen = decisions, set[tuple[int, int, int]]()

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        self.seen.add(gc.get_threshold())
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().decide(decision, battle)


@pytest.mark.parametrize("decisions", [10_000, 3])
def test_collections_come_less_often_and_only_while_it_goes_on(rules: Ruleset, decisions: int) -> None:
    before = gc.get_threshold()
    players = [Looking(decisions), Looking(decisions)]
    battle = skirmish(rules, 1, players=players)
    try:
        battle.run()
        assert decisions > 3
    except KeyboardInterrupt:
        assert decisions == 3
    [seen] = players[0].seen | players[1].seen
    assert seen[0] > before[0]
    assert seen[2] > before[2]
    assert gc.get_threshold() == before


def test_nothing_is_collected_until_the_outermost_is_over() -> None:
    def interrupted() -> None:
        with without_collecting():
            with without_collecting():
                assert not gc.isenabled()
            assert not gc.isenabled()
            raise KeyboardInterrupt

    assert gc.isenabled()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert gc.isenabled()
