"""Small real battles, to play or only to look at."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.decisions import Decision, Policy, make_options
from warhost.packs import Ruleset

ROOT = Path(__file__).resolve().parents[2]

MEADOW: dict[str, Any] = {
    "id": "meadow",
    "name": "A meadow",
    "settings": {"turns": 8},
    "board": {
        "table": {"width": 60, "depth": 50},
        "zones": {
            "first": {"x": 0, "y": 0, "width": 60, "depth": 16},
            "second": {"x": 0, "y": 34, "width": 60, "depth": 16},
        },
        "terrain": [{"id": "copse", "type": "wood", "shape": {"ellipse": {"x": 30, "y": 25, "width": 10, "depth": 6}}}],
    },
}

#: A meadow with a wide and deep wood in the middle.
FOREST: dict[str, Any] = {
    **MEADOW,
    "board": {
        **MEADOW["board"],
        "terrain": [
            {
                "id": "forest",
                "type": "wood",
                "height": 1,
                "shape": {"rectangle": {"x": 30, "y": 29, "width": 24, "depth": 14}},
            }
        ],
    },
}

BAND: list[dict[str, Any]] = [
    {"id": "foot", "name": "Foot", "profile": "orc_mob", "size": 12},
    {"id": "bows", "name": "Bows", "profile": "orc_archers", "size": 8},
    {"id": "riders", "name": "Riders", "profile": "orc_riders", "size": 6},
]


def army(rules: Ruleset, name: str, units: Sequence[Mapping[str, Any]]) -> Army:
    return Army.from_data({"id": name.lower(), "name": name, "limit": 0, "units": [dict(u) for u in units]}, rules)


def fight(rules: Ruleset, seed: int, players: Sequence[Policy | None], **options: Any) -> Battle:
    """The same three units on both sides of a small table, for eight turns."""
    armies = [army(rules, "Reds", BAND), army(rules, "Blues", BAND)]
    return Battle(rules, armies, seed, scenario=MEADOW, players=players, **options)


def fought_elsewhere(player: str, hashes: str) -> tuple[int, str]:
    """How the battle with seed 7 between two players of a class (`module:Class`, with the seeds 1 and 2) comes out in a
    process of its own: its decisions and its state hash. hashes: PYTHONHASHSEED there.
    """
    module, name = player.split(":")
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT / p) for p in ('core', 'plugins', 'tests')]!r}\n"
        "from tactics.fights import fight\n"
        "from warhost.packs import load\n"
        f"from {module} import {name} as Player\n"
        f"result = fight(load({str(ROOT / 'rulesets' / 'small_fantasy')!r}), 7, [Player(1), Player(2)]).run()\n"
        "print(result.decisions, result.state_hash)\n"
    )
    env = {**os.environ, "PYTHONHASHSEED": hashes}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    decisions, state_hash = done.stdout.split()
    return int(decisions), state_hash


def standing(
    rules: Ruleset,
    reds: Sequence[Mapping[str, Any]],
    blues: Sequence[Mapping[str, Any]],
    scenario: Mapping[str, Any] = MEADOW,
) -> Battle:
    """A battle in which everybody stands where they are said to stand; nothing has happened yet."""
    return Battle(rules, [army(rules, "Reds", reds), army(rules, "Blues", blues)], 1, scenario=scenario)


def unit(
    id: str, at: tuple[float, float], facing: float = 0, profile: str = "orc_mob", size: int = 10
) -> dict[str, Any]:
    return {"id": id, "name": id.title(), "profile": profile, "size": size, "at": list(at), "facing": facing}


def ask(battle: Battle, name: str, side: int, values: Sequence[Any], or_none: bool = False, **more: Any) -> Decision:
    """A decision as the engine makes it."""
    return Decision(name, battle.sides[side], make_options(values, or_none), **more)
