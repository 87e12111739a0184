"""The record of what was played: the same battles with it as without it, and honest about what it is of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.code import code_made_by
from warhost.errors import UsageError
from warhost.packs import Ruleset, load
from warhost_battles.players import known_players, player
from warhost_proof.grades import coverage
from warhost_proof.lines import executable_lines
from warhost_proof.record import (
    FILE,
    Fixture,
    _Recording,
    fixtures,
    lines_that_count,
    read_record,
    record_of,
    write_record,
)

ROOT = Path(__file__).resolve().parents[2] / "rulesets"


def played(rules: Ruleset, seed: int) -> Battle:
    known = known_players(rules)
    armies = [Army.ready(name, rules) for name in list(rules.armies)[:2]]
    battle = Battle(rules, armies, seed, players=[player("usual", seed, known), player("random", seed, known)])
    battle.run()
    return battle


@pytest.mark.parametrize("name", ["small_fantasy", "legiones"])
def test_recording_changes_no_battle(name: str) -> None:
    rules = load(name)
    recording = _Recording(rules)
    plain = played(rules, 5)
    with code_made_by(lambda _: recording.code):
        watched = played(rules, 5)
    assert watched.state_hash() == plain.state_hash()
    assert watched.log == plain.log
    assert recording.reached.lines <= executable_lines(rules.program)
    assert len(recording.reached.lines) > 100


def test_a_spell_that_is_cast_counts_though_nobody_bears_it_by_its_own_name() -> None:
    rules = load("legiones")
    armies = ("goblin_deeps_100", "horse_lords_eastern_khanate_100")  # its dragons have "Innate Fireball" only
    record = record_of(rules, [Fixture("by_the_book", armies, ("tactician", "tactician"), 1)])
    assert "Fireball" in record.titles


def test_a_record_holds_for_the_files_that_stay_as_they_were(tmp_path: Path) -> None:
    folder = tmp_path / "small_fantasy"
    shutil.copytree(ROOT / "small_fantasy", folder)
    rules = load(folder)
    record = record_of(rules, fixtures(rules, 2))
    write_record(record, folder / FILE)
    kept = read_record(rules)
    assert kept is not None
    assert kept.to_json() == record.to_json()
    assert coverage(rules, kept).current
    before = lines_that_count(kept, rules)
    changed = folder / "rules/07_close_combat.rules"
    changed.write_text("# a remark\n" + changed.read_text())
    again = load(folder)
    assert not coverage(again, kept).current
    assert lines_that_count(kept, again) == {line for line in before if not line[0].endswith("07_close_combat.rules")}


def test_a_damaged_record_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "small_fantasy"
    shutil.copytree(ROOT / "small_fantasy", folder)
    rules = load(folder)
    unfit = '{"ruleset": "x", "edition": "1", "digest": "", "battles": "many"}'
    for text in ("", "[]", '{"ruleset": 1}', unfit, "\udcff"):
        (folder / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(UsageError, match="no record of battles"):
            read_record(rules)


def test_every_army_and_scenario_has_its_turn() -> None:
    rules = load("legiones")
    wanted = fixtures(rules, max(len(rules.armies), 2 * len(rules.scenarios)))
    assert {f.scenario for f in wanted} == set(rules.scenarios)
    assert {a for f in wanted for a in f.armies} == set(rules.armies)
    assert len({f.players for f in wanted}) > 1


def test_a_trait_that_only_allows_is_played_by_whoever_bears_it() -> None:
    rules = load("small_fantasy")
    record = record_of(rules, fixtures(rules, 1))
    missed = {carrier.name for carrier in coverage(rules, record).rules["SFB-UNIT-005"].missed}
    assert not missed & {"Hero", "General"}


def test_what_only_a_picture_or_a_law_asks_is_played() -> None:
    rules = load("arcana")
    record = record_of(rules, fixtures(rules, 1))
    assert not record.failed
    graded = coverage(rules, record).rules
    for id_, rule in (("AOA-MOV-020", "Closing in"), ("AOA-MEL-005", "Who meets whom")):
        assert rule not in {carrier.name for carrier in graded[id_].missed}


def test_every_round_through_the_armies_brings_other_opponents() -> None:
    rules = load("small_fantasy")
    wanted = fixtures(rules, 3 * len(rules.armies))
    assert len({frozenset(f.armies) for f in wanted}) == len(wanted)


def test_a_battle_that_goes_wrong_is_named_by_the_command_that_plays_it(tmp_path: Path) -> None:
    house = tmp_path / "crash.rules"
    crash = "    on phase_begins(phase)\n        stuck = 1 / (battle.turn - 1)\n"
    house.write_text(f'house rule "Crash" for small_fantasy\n{crash}')
    rules = load("small_fantasy", house=[house])
    (one,) = fixtures(rules, 1, seed=5)
    (told,) = record_of(rules, [one]).failed
    assert f"(warhost battle small_fantasy --army {one.armies[0]} --army {one.armies[1]} " in told
    assert told.endswith(f"--scenario {one.scenario} --player 1={one.players[0]} --player 2={one.players[1]} --seed 5)")
