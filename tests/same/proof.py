"""Record what the bundled rulesets do, change the code, and compare.

    python -m tests.same record before.json
    python -m tests.same compare before.json

Sixty battles (scenarios, ready armies, players, house rules and tracing drawn by `random.Random(13)`) with the hash of
the state after each phase and a digest of the log; sixty questions about odds with every figure of the answer; every
example, whether it passes. `compare` plays what was recorded once more, prints what differs and ends with 1 if anything
does.

All of it takes some twenty minutes of a processor. `record --minutes 30` takes the tasks in an order drawn by chance,
and what it has got through by then is the record.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import warhost
from warhost.engine.setup import sides_of
from warhost_battles.players import known_players, player
from warhost_proof.examples import run_examples

RULESETS = ("small_fantasy", "legiones", "arcana")
BATTLES, QUESTIONS = 20, 20  # of each ruleset
Task = tuple[str, str, Any]
KINDS = ("battle", "odds", "examples")


def tasks() -> Iterator[Task]:
    """What is recorded: (kind, ruleset, what)."""
    for name in RULESETS:
        rules, draw = warhost.load(name), Random(13)
        armies, scenarios, house = list(rules.armies), list(rules.scenarios), sorted(rules.house_rules)
        players = sorted(known_players(rules))
        for n in range(BATTLES):
            scenario = draw.choice(scenarios)
            sides = sides_of(rules, scenario)
            yield "battle", name, {
                "scenario": scenario, "armies": [draw.choice(armies) for _ in range(sides)],
                "players": [draw.choice(players) for _ in range(sides)], "seed": draw.randrange(10**6),
                "house": [draw.choice(house)] if n % 3 == 0 else [], "trace": n % 4 == 0,
            }  # fmt: skip
        profiles = sorted({row["profile"] for e in rules.lists.values() for row in e.data.get("units", ())})
        for n in range(QUESTIONS):
            yield "odds", name, {
                "attacker": f"{draw.choice(profiles)}:{draw.randrange(1, 13)}",
                "defender": f"{draw.choice(profiles)}:{draw.randrange(1, 13)}",
                "what": draw.choice(list(rules.section("odds"))),
                "method": ("simulation", "auto")[n % 4 == 0], "trials": 200, "seed": n, "until": "round",
            }  # fmt: skip
        for file in sorted({e.pos.file.rsplit("/", 1)[-1] for e in rules.examples}):
            yield "examples", name, file


def key_of(task: Task) -> str:
    """The task as a text."""
    kind, name, what = task
    return f"{kind} {name} {json.dumps(what)}"


def outcome(task: Task) -> tuple[str, Any]:
    """The task as a text, and what came of it, as plain data."""
    kind, name, what = task
    key = key_of(task)
    try:
        return key, {"battle": _battle, "odds": _odds, "examples": _examples}[kind](name, what)
    except warhost.WarhostError as error:
        return key, {"refused": str(error)}


def _battle(name: str, what: dict[str, Any]) -> Any:
    rules = warhost.load(name, house=what["house"])
    known = known_players(rules)
    battle = warhost.Battle(
        rules, [warhost.Army.ready(a, rules) for a in what["armies"]], what["seed"], scenario=what["scenario"],
        players=[player(p, what["seed"] + i, known) for i, p in enumerate(what["players"])], trace=what["trace"],
    )  # fmt: skip
    hashes: list[str] = []
    battle.on_phase = lambda b: hashes.append(b.state_hash())
    result = battle.run()
    log = hashlib.sha256(json.dumps(battle.log, sort_keys=True, default=str).encode()).hexdigest()
    return {"phases": _digest(hashes), "log": log, "end": result.state_hash, "turns": result.turns}


def _odds(name: str, what: dict[str, Any]) -> Any:
    given = {k: v for k, v in what.items() if k not in ("attacker", "defender")}
    answer = warhost.odds(name, what["attacker"], what["defender"], **given)
    return {"method": answer.method, "rows": _digest([f"{sorted(row.items())}" for row in answer.rows()])}


def _examples(name: str, file: str) -> Any:
    return [r.title for r in run_examples(warhost.load(name), file) if r.passed]


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def record(listed: Sequence[Task], workers: int, minutes: float | None = None) -> dict[str, Any]:
    """What comes of each task, by its text; of so many as are done after some minutes on the clock."""
    found: dict[str, Any] = {}
    end = time.monotonic() + minutes * 60 if minutes is not None else None
    with get_context("spawn").Pool(workers, maxtasksperchild=40) as pool:
        for n, (key, value) in enumerate(pool.imap_unordered(outcome, listed), 1):
            found[key] = value
            print(f"\r{n} of {len(listed)}", end="", file=sys.stderr)
            if end is not None and time.monotonic() > end:
                break
    print(file=sys.stderr)
    return dict(sorted(found.items()))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("do", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS, help="only these (all)")
    parser.add_argument("--minutes", type=float, help="record what can be done in these, in a mixed order (all)")
    given = parser.parse_args(arguments)
    listed = [task for task in tasks() if task[0] in given.only]
    if given.do == "record":
        if given.minutes is not None:
            Random(30).shuffle(listed)
        found = record(listed, given.workers, given.minutes)
        given.file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    before = json.loads(given.file.read_text(encoding="utf-8"))
    before = {key: value for key, value in before.items() if key.split()[0] in given.only}
    now = record([task for task in listed if key_of(task) in before], given.workers)
    different = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    for key in different:
        print(f"DIFFERENT {key}\n  before: {str(before.get(key))[:300]}\n  now: {str(now.get(key))[:300]}")
    kinds = {kind: sum(key.startswith(kind) for key in now) for kind in KINDS}
    counted = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    print(f"{len(different)} differences in {len(now)} ({counted})")
    return 1 if different else 0

