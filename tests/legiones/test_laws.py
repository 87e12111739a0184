"""The laws of every battle on hexes and with hands: same inputs, same battle, and a journal tells it all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.skirmishes import recorded as record
from legiones.test_missions import legiones
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost_battles.journal import read_journal, rebuild, replay
from warhost_battles.players import known_players, player

PLAYERS = ("usual", "random")


def put(seed: int, log: bool = True) -> Battle:
    """A battle by the book, with everything that is drawn and hidden in it."""
    rules = legiones()
    armies = [Army.ready(name, rules) for name in ("araby_100", "vampire_lord_100")]
    known = known_players(rules)
    minds = [player(policy, seed + i, known) for i, policy in enumerate(PLAYERS)]
    return Battle(rules, armies, seed, scenario="by_the_book", players=minds, log=log)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Battle, dict[int, str]]:
    """The bytes of a journal, its battle, and the state hash before each decision."""
    return record(put(5), PLAYERS, tmp_path_factory.mktemp("journal") / "battle.jsonl")


def test_the_same_seed_gives_the_same_battle_told_or_not(recorded: tuple[bytes, Battle, dict[int, str]]) -> None:
    _, battle, _ = recorded
    again, untold = put(5), put(5, log=False)
    assert again.run() == battle.result()
    assert again.log == battle.log
    assert untold.run() == battle.result()
    assert put(6, log=False).run() != battle.result()


def test_a_journal_replays_to_the_same_log_and_state(
    recorded: tuple[bytes, Battle, dict[int, str]], tmp_path: Path
) -> None:
    raw, battle, _ = recorded
    path = tmp_path / "j.jsonl"
    path.write_bytes(raw)
    again = rebuild(read_journal(path), legiones())
    assert list(replay(read_journal(path), again)) == battle.log
    assert again.state_hash() == battle.state_hash()


@settings(max_examples=8)
@given(share=st.floats(0, 1))
def test_a_journal_cut_at_any_byte_resumes_at_the_last_whole_decision(
    recorded: tuple[bytes, Battle, dict[int, str]], tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    raw, _, hashes = recorded
    header = raw.index(b"\n") + 1
    cut = header + int((len(raw) - header) * share)
    path = tmp_path_factory.mktemp("cut") / "cut.jsonl"
    path.write_bytes(raw[:cut])
    journal = read_journal(path)
    battle = rebuild(journal, legiones())
    list(replay(journal, battle))
    assert battle.state_hash() == hashes[len(journal.decisions) + 1]
