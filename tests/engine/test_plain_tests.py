"""The short way through a throw (no object for every die) is the long way: same dice, same log, same end."""

from __future__ import annotations

import pytest

import warhost
from warhost.engine.throws import Throws
from warhost_battles.players import UsualPlayer


def played() -> warhost.Battle:
    rules = warhost.load("small_fantasy")
    armies = [warhost.Army.ready(name, rules) for name in ("elves", "orcs")]
    battle = warhost.Battle(rules, armies, 11, players=[UsualPlayer(), UsualPlayer()])
    battle.run()
    return battle


def test_the_short_way_is_the_long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    short = played()
    assert any(test is not None for test in short.code.plain_tests.values())
    monkeypatch.setattr(Throws, "_plain_test", lambda self, roll: None)
    long = played()
    assert short.log == long.log
    assert short.state_hash() == long.state_hash()
