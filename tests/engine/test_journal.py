"""The journal: cut at any byte it resumes to the last whole decision; damaged or foreign ones are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.skirmishes import recorded, skirmish, summed
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.setup import sides_of
from warhost.errors import JournalError
from warhost.packs import Ruleset, installed, load
from warhost_battles.journal import Recorder, read_journal, rebuild, replay, resume
from warhost_battles.players import RandomPlayer


@pytest.fixture(scope="module")
def played(rules: Ruleset, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Battle, dict[int, str]]:
    """The bytes of a journal, its battle, and the state hash before each decision."""
    path = tmp_path_factory.mktemp("journal") / "battle.jsonl"
    return recorded(skirmish(rules, 5), ["random", "random"], path)


def test_a_whole_journal_replays_to_the_same_log_and_state(
    played: tuple[bytes, Battle, dict[int, str]], rules: Ruleset, tmp_path: Path
) -> None:
    raw, battle, _ = played
    path = tmp_path / "j.jsonl"
    path.write_bytes(raw)
    again = rebuild(read_journal(path), rules)
    told = list(replay(read_journal(path), again))
    assert told == battle.log
    assert again.state_hash() == battle.state_hash()


@settings(max_examples=25)
@given(share=st.floats(0, 1))
def test_a_journal_cut_at_any_byte_resumes_at_the_last_whole_decision(
    played: tuple[bytes, Battle, dict[int, str]], rules: Ruleset, tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    raw, _, hashes = played
    header = raw.index(b"\n") + 1
    cut = header + int((len(raw) - header) * share)
    path = tmp_path_factory.mktemp("cut") / "cut.jsonl"
    path.write_bytes(raw[:cut])
    journal = read_journal(path)
    whole = [line for line in raw[:cut].split(b"\n")[:-1] if b'"d":' in line]
    assert len(journal.decisions) == len(whole)
    battle = rebuild(journal, rules)
    list(replay(journal, battle))
    waiting = len(whole) + 1
    assert battle.state_hash() == hashes[waiting]


def test_a_cut_line_is_dropped_with_a_warning(played: tuple[bytes, Battle, dict[int, str]], tmp_path: Path) -> None:
    raw = played[0]
    path = tmp_path / "cut.jsonl"
    path.write_bytes(raw[: raw.index(b"\n") + 20])
    assert any("cut off" in w for w in read_journal(path).warnings)


def test_a_changed_answer_is_noticed(
    played: tuple[bytes, Battle, dict[int, str]], rules: Ruleset, tmp_path: Path
) -> None:
    lines = played[0].decode().splitlines()
    row = next(i for i, line in enumerate(lines) if '"d":' in line)
    value = json.loads(lines[row])
    value["answer"] += 1
    lines[row] = json.dumps(value)
    path = tmp_path / "changed.jsonl"
    path.write_text(summed(lines))
    journal = read_journal(path)
    with pytest.raises(JournalError):
        list(replay(journal, rebuild(journal, rules)))


def test_a_changed_hash_is_noticed(
    played: tuple[bytes, Battle, dict[int, str]], rules: Ruleset, tmp_path: Path
) -> None:
    text = played[0].decode()
    journal_path = tmp_path / "hash.jsonl"
    first = read_first_turn(text)
    journal_path.write_text(summed(text.replace(first, "0" * 64).splitlines()))
    journal = read_journal(journal_path)
    with pytest.raises(JournalError, match="state after turn 1"):
        list(replay(journal, rebuild(journal, rules)))


def read_first_turn(text: str) -> str:
    return next(str(json.loads(line)["hash"]) for line in text.splitlines() if line.startswith('{"turn"'))


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\n", b"not json\n", b"[]\n", b"{}\n", b'{"journal": 99}\n', b'{"journal": 1}\n', b"\xff\xfe\n",
        b'{"journal": 1, "ruleset": {}, "armies": [], "seed": 1, "names": []}\n{"d": 1}\n',
        b'{"journal": 1, "ruleset": {}, "armies": [], "seed": 1, "names": []}\nxx\n{"end": true}\n',
        b"[" * 100_000 + b"\n",
    ],
)  # fmt: skip
def test_what_is_no_journal_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalError):
        read_journal(path)


def test_a_journal_of_other_rules_is_refused(
    played: tuple[bytes, Battle, dict[int, str]], rules: Ruleset, tmp_path: Path
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(summed(played[0].decode().replace(rules.digest, "0" * len(rules.digest)).splitlines()))
    with pytest.raises(JournalError, match="changed"):
        rebuild(read_journal(path), rules)


@settings(max_examples=6)
@given(share=st.floats(0, 1))
def test_a_resumed_battle_goes_on_and_its_journal_becomes_the_whole_one(
    played: tuple[bytes, Battle, dict[int, str]], rules: Ruleset, tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    raw, whole, _ = played
    header = raw.index(b"\n") + 1
    path = tmp_path_factory.mktemp("resume") / "j.jsonl"
    path.write_bytes(raw[: header + int((len(raw) - header) * share)])
    battle, recorder, _ = resume(path, rules, [RandomPlayer(6), RandomPlayer(7)])
    with recorder:
        battle.run()
    assert battle.state_hash() == whole.state_hash()
    assert path.read_bytes() == raw


@settings(max_examples=40)
@given(data=st.data())
def test_a_line_changed_after_it_was_written_is_named_and_what_stands_before_it_is_kept(
    played: tuple[bytes, Battle, dict[int, str]],
    rules: Ruleset,
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
) -> None:
    lines = played[0].decode().splitlines()
    row = data.draw(st.integers(1, len(lines) - 1))
    value = json.loads(lines[row])
    key = data.draw(st.sampled_from(sorted(value)))
    value[key] = data.draw(st.one_of(st.integers(0, 9), st.text(max_size=3)).filter(lambda new: new != value[key]))
    path = tmp_path_factory.mktemp("forged") / "j.jsonl"
    path.write_text("\n".join([*lines[:row], json.dumps(value), *lines[row + 1 :]]) + "\n")
    with pytest.raises(JournalError, match=f":{row + 1}: this line is not as it was written"):
        read_journal(path)
    with pytest.raises(JournalError, match="what is right is in"):
        resume(path, rules, [RandomPlayer(6), RandomPlayer(7)])
    assert path.with_name("j.good.jsonl").read_text() == "\n".join(lines[:row]) + "\n"


@pytest.mark.parametrize("which", ['{"turn":1,', '{"turn":2,', '{"end":'])
def test_a_resumed_battle_that_comes_out_otherwise_is_refused_and_its_good_part_is_kept(
    played: tuple[bytes, Battle, dict[int, str]], rules: Ruleset, tmp_path: Path, which: str
) -> None:
    lines = played[0].decode().splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith(which))
    lines[row] = json.dumps({**json.loads(lines[row]), "hash": "0" * 64})
    path = tmp_path / "j.jsonl"
    path.write_text(summed(lines))
    battle, recorder, _ = resume(path, rules, [RandomPlayer(6), RandomPlayer(7)])
    turn_ends = [i for i, line in enumerate(lines) if '"turn"' in line and i < row]
    good = turn_ends[-1] + 1 if turn_ends else 1
    before = sum('"d":' in line for line in lines[:good])
    with pytest.raises(JournalError, match=f"between decision {before + 1} and decision"), recorder:
        battle.run()
    kept = path.with_name("j.good.jsonl")
    assert kept.read_text().splitlines() == summed(lines).splitlines()[:good]
    battle, recorder, _ = resume(kept, rules, [RandomPlayer(6), RandomPlayer(7)])
    with recorder:
        battle.run()
    assert kept.read_bytes() == played[0]


@pytest.mark.parametrize("name", [one.id for one in installed()])
def test_a_journal_of_any_shipped_scenario_brings_back_the_same_battle(name: str, tmp_path: Path) -> None:
    shipped = load(name)
    armies = [Army.from_data(element.data, shipped) for element in shipped.armies.values()]
    for scenario in shipped.scenarios:
        sides = sides_of(shipped, scenario)
        players = [RandomPlayer(n) for n in range(sides)]
        battle = Battle(shipped, armies[:sides], 1, scenario=scenario, players=players)
        path = tmp_path / f"{scenario}.jsonl"
        Recorder(battle, path, ["random"] * sides).close()
        again = rebuild(read_journal(path), shipped)
        assert again.scenario_data == battle.scenario_data
        assert again.state_hash() == battle.state_hash()
