"""Small, quick battles of a real ruleset."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.decisions import Policy
from warhost.packs import Ruleset
from warhost_battles.journal import Recorder, checksum
from warhost_battles.players import RandomPlayer

FOOT = {"elf": "elf_warriors", "orc": "orc_mob"}

SCENARIO: dict[str, Any] = {
    "id": "meadow",
    "name": "A meadow",
    "settings": {"turns": 4},
    "board": {
        "table": {"width": 60, "depth": 50},
        "zones": {
            "first": {"x": 0, "y": 0, "width": 60, "depth": 15},
            "second": {"x": 0, "y": 35, "width": 60, "depth": 15},
        },
        "terrain": [
            {"id": "copse", "type": "wood", "shape": {"ellipse": {"x": 30, "y": 25, "width": 12, "depth": 8}}},
        ],
    },
}


def army(rules: Ruleset, name: str, race: str) -> Army:
    units = [
        {"id": f"{race}_foot", "name": f"{race} foot", "profile": FOOT[race], "size": 12},
        {"id": f"{race}_bows", "name": f"{race} bows", "profile": f"{race}_archers", "size": 8},
    ]
    return Army.from_data({"id": name, "name": name, "limit": 0, "units": units}, rules)


def skirmish(
    rules: Ruleset, seed: int, players: list[Policy | None] | None = None, **options: Any
) -> Battle:
    """Two units a side on a small table for four turns."""
    armies = [army(rules, "Reds", "elf"), army(rules, "Blues", "orc")]
    chosen = [RandomPlayer(seed + 1), RandomPlayer(seed + 2)] if players is None else players
    return Battle(rules, armies, seed, scenario=SCENARIO, players=chosen, **options)


def recorded(battle: Battle, players: Sequence[str], path: Path) -> tuple[bytes, Battle, dict[int, str]]:
    """Play a battle with its journal: the bytes of that, the battle, and the state hash before each decision."""
    hashes: dict[int, str] = {}
    with Recorder(battle, path, list(players)):
        written = battle.on_decision

        def note(decision: object, answer: object) -> None:
            hashes[battle.decisions_made] = battle.state_hash()
            assert written is not None
            written(decision, answer)  # type: ignore[arg-type]

        battle.on_decision = note
        battle.run()
    hashes[battle.decisions_made + 1] = battle.state_hash()
    return path.read_bytes(), battle, hashes


def summed(lines: list[str]) -> str:
    """The text of a journal of these lines, each with the check sum that it would have been written with."""
    text, known = "", ""
    for line in lines:
        value = json.loads(line)
        value.pop("sum", None)
        known = checksum(known, value)
        text += json.dumps({**value, "sum": known}, ensure_ascii=False, separators=(",", ":")) + "\n"
    return text
