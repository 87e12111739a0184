"""Many battles of random players: nothing may go wrong in any of them.

    python benchmarks/soak.py --battles 1000 [--cuts 10] [--units 3]

Every scenario and every pair of ready armies of a ruleset in turn, with a seed for each battle. After each phase the
laws of the plugins are asked for (`Battle.broken_laws`) and every declared state must lie within its limits. With
`--cuts` the journal of each battle is cut at random bytes, and each piece carried on to the same end. With `--units`
so many units of each army fight, drawn by the seed: short battles of odd company. Prints each fault
with the command that plays the battle again, then one line of summary; ends with 1 if there was any fault.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from battles import Match, cut, in_processes, must_be_known, players_of, ruleset, watched

from warhost.engine.setup import sides_of
from warhost.errors import WarhostError


def matches(name: str, players: tuple[str, str], first_seed: int = 0, units: int = 0) -> Iterator[Match]:
    """Battles without end: each seed has its scenario and its ordered pair of armies, one after the other."""
    rules = ruleset(name)
    pairs = [(a, b) for a in rules.armies for b in rules.armies]
    scenarios = list(rules.scenarios)
    for seed in count(first_seed):
        turn, i = divmod(seed, len(pairs))
        scenario = scenarios[(i + turn) % len(scenarios)]
        sides = sides_of(rules, scenario)
        armies = tuple(pairs[i][k] if k < 2 else list(rules.armies)[(i + k) % len(rules.armies)] for k in range(sides))
        yield Match(name, scenario, armies, tuple(players[k % 2] for k in range(sides)), seed, units)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--battles", type=int, default=100)
    parser.add_argument("--ruleset", default="small_fantasy")
    parser.add_argument("--players", nargs=2, default=("random", "random"), metavar=("ONE", "TWO"))
    parser.add_argument("--seed", type=int, default=0, help="of the first battle; each next one has the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--cuts", type=int, default=0, help="cut each journal at so many bytes and carry it on (0)")
    parser.add_argument("--units", type=int, default=0, help="of each army so many, drawn by the seed (all)")
    parser.add_argument("--quiet", action="store_true", help="only the summary")
    given = parser.parse_args(arguments)
    try:
        must_be_known(given.players, players_of(ruleset(given.ruleset)), "player")
    except WarhostError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2
    wanted = islice(matches(given.ruleset, tuple(given.players), given.seed, given.units), given.battles)
    began, kinds, bad, battles, turns, decisions = time.perf_counter(), Counter[str](), 0, 0, 0, 0
    for played in in_processes(partial(cut, cuts=given.cuts) if given.cuts else watched, wanted, given.processes):
        battles, turns, decisions = battles + 1, turns + played.turns, decisions + played.decisions
        bad += bool(played.faults)
        for fault in played.faults:
            kinds[fault.partition(": ")[2][:60]] += 1
            if not given.quiet:
                print(f"FAULT {fault}\n  {played.match.command()}", flush=True)
    spent = time.perf_counter() - began
    print(
        f"{battles} battles, {turns} turns, {decisions} decisions in {spent:.1f} s "
        f"({spent / max(battles, 1):.2f} s each on {given.processes} processes): "
        f"{bad} battles with faults" + (f" ({len(kinds)} different)" if kinds else "")
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
