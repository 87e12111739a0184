"""A small game in which men and oxen fight each other, with the rules that a test adds to it."""

from __future__ import annotations

from pathlib import Path

_MANIFEST = """\
id: brawl
title: Brawl
edition: "1"
length_unit: cm
odds:
  fight:
    title: A fight
    sets_up: {sets_up}
    round: {round}
    over: one_is_down
    outcome: how_it_ended
    losses: {losses}
    worth_lost: wounds
"""
_RULES = """\
turn
    phase fight: wait

words ending: attacker_wins, defender_wins, both_hold

profile of unit
    toughness: number

state of unit
    wounds: number = 0
    sore: yes_no = no

number wounds(unit) = unit.wounds
flag one_is_down(attacker: unit, defender: unit) = attacker.wounds >= attacker.toughness
        or defender.wounds >= defender.toughness
value how_it_ended(attacker: unit, defender: unit): ending = both_hold
    set to attacker_wins when defender.wounds >= defender.toughness
    set to defender_wins when attacker.wounds >= attacker.toughness

procedure wait()
    stop

procedure stand_ready(attacker: unit, defender: unit)
    stop

"""
_PROFILES = "profiles:\n  man: {name: Man, toughness: 3}\n  ox: {name: Ox, toughness: 9}\n"


def write_brawl(
    folder: Path, rules: str, round: str, *, losses: str = "wounds", sets_up: str = "stand_ready", manifest: str = ""
) -> Path:
    """A ruleset with the question `fight` between men (3 wounds) and oxen (9), in a folder of its own.

    rules: what it has besides. round, losses, sets_up: the names in the question. manifest: further lines of it.
    """
    where = folder / "brawl"
    (where / "data").mkdir(parents=True, exist_ok=True)
    (where / "ruleset.yaml").write_text(_MANIFEST.format(round=round, losses=losses, sets_up=sets_up) + manifest)
    (where / "brawl.rules").write_text(_RULES + rules)
    (where / "data" / "profiles.yaml").write_text(_PROFILES)
    return where
