"""Many battles of random players: nothing may go wrong in any of them.

    python benchmarks/soak.py --battles 1000

Every scenario and every pair of ready armies of a ruleset in turn, with a seed for each battle. After each phase the
laws of the plugins are asked for (`Battle.broken_laws`) and every declared state must lie within its limits. Prints
each fault with what it takes to see it again, then one line of summary; ends with 1 if there was any fault.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "plugins")]

from warhost.armies.roster import Army  # noqa: E402
from warhost.engine.battle import Battle  # noqa: E402
from warhost.engine.decisions import PLAIN_POLICIES  # noqa: E402
from warhost.lang.python_backend import attribute  # noqa: E402
from warhost.packs import Ruleset, load  # noqa: E402


@dataclass(frozen=True)
class Match:
    """What it takes to play a battle again."""

    ruleset: str
    scenario: str
    armies: tuple[str, str]
    players: tuple[str, str]
    seed: int

    def __str__(self) -> str:
        return f"{self.scenario}: {' against '.join(self.armies)}, players {'/'.join(self.players)}, seed {self.seed}"


@dataclass(frozen=True)
class Outcome:
    """How a battle went: faults are sentences, none if all was well."""

    match: Match
    faults: tuple[str, ...]
    turns: int
    decisions: int
    state_hash: str


@cache
def ruleset(name: str) -> Ruleset:
    path = ROOT / "rulesets" / name
    return load(path if path.is_dir() else name)


def matches(name: str, players: tuple[str, str], first_seed: int = 0) -> Iterator[Match]:
    """Battles without end: scenarios and ordered pairs of armies in turn, the seed counts on."""
    rules = ruleset(name)
    pairs = [(a, b) for a in rules.armies for b in rules.armies]
    seed = first_seed
    while True:
        for i, pair in enumerate(pairs):
            scenario = list(rules.scenarios)[(seed + i // len(rules.scenarios)) % len(rules.scenarios)]
            yield Match(name, scenario, pair, players, seed)
            seed += 1


def set_up(match: Match) -> Battle:
    """A battle, ready to run."""
    rules = ruleset(match.ruleset)
    armies = [Army.ready(a, rules) for a in match.armies]
    players = [PLAIN_POLICIES[p](2 * match.seed + i) for i, p in enumerate(match.players)]
    return Battle(rules, armies, match.seed, scenario=match.scenario, players=players, log=False)


def faults_now(battle: Battle) -> list[str]:
    """What is wrong with the state of a battle at this moment."""
    found = list(battle.broken_laws())
    for thing in battle.by_id.values():
        noun = battle.program.nouns.get(thing._noun)
        for info in noun.fields.values() if noun is not None else ():
            value = getattr(thing, attribute(info.name), None)
            if value is None:
                continue
            if info.at_least is not None and value < info.at_least:
                found.append(f"{info.name} of {thing.id} is {value}")
            if info.at_most is not None and value > info.at_most:
                found.append(f"{info.name} of {thing.id} is {value}")
    return found


def play(match: Match) -> Outcome:
    """One battle from beginning to end."""
    faults: dict[str, None] = {}
    told: set[str] = set()
    battle: Battle | None = None

    def look(now: Any) -> None:
        for fault in faults_now(now):
            if fault not in told:
                told.add(fault)
                faults[f"turn {now.battle.turn}, {now.battle.phase}: {fault}"] = None

    try:
        battle = set_up(match)
        battle.on_phase = look
        battle.run()
        if not battle.over:
            faults["the battle did not end"] = None
    except Exception as error:  # whatever it is, it is a fault to be reported
        where = f"turn {battle.battle.turn}, {battle.battle.phase}: " if battle is not None else ""
        faults[f"{where}{type(error).__name__}: {error}"] = None
    if battle is None:
        return Outcome(match, tuple(faults), 0, 0, "")
    return Outcome(match, tuple(faults), battle.battle.turn, battle.decisions_made, battle.state_hash())


def soak(wanted: Iterable[Match], processes: int) -> Iterator[Outcome]:
    """Play battles; the outcomes come as they are done."""
    if processes <= 1:
        yield from map(play, wanted)
        return
    with Pool(processes) as pool:
        yield from pool.imap_unordered(play, wanted, chunksize=2)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--battles", type=int, default=100)
    parser.add_argument("--ruleset", default="small_fantasy")
    parser.add_argument("--players", nargs=2, default=("random", "random"), choices=sorted(PLAIN_POLICIES))
    parser.add_argument("--seed", type=int, default=0, help="of the first battle; each next one has the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--quiet", action="store_true", help="only the summary")
    given = parser.parse_args(arguments)
    wanted = islice(matches(given.ruleset, tuple(given.players), given.seed), given.battles)
    began, kinds, bad, count, turns, decisions = time.perf_counter(), Counter[str](), 0, 0, 0, 0
    for outcome in soak(wanted, given.processes):
        count, turns, decisions = count + 1, turns + outcome.turns, decisions + outcome.decisions
        bad += bool(outcome.faults)
        for fault in outcome.faults:
            kinds[fault.partition(": ")[2][:60]] += 1
            if not given.quiet:
                print(f"FAULT {outcome.match}: {fault}", flush=True)
    spent = time.perf_counter() - began
    print(
        f"{count} battles, {turns} turns, {decisions} decisions in {spent:.1f} s "
        f"({spent / max(count, 1):.2f} s each on {given.processes} processes): "
        f"{bad} battles with faults" + (f" ({len(kinds)} different)" if kinds else "")
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
