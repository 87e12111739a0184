"""Every ready army against every other: who wins, what a battle costs, and whether anything goes wrong.

    python benchmarks/round_robin.py --ruleset arcana --points 2000 --scenario attrition

Each pairing is played once in a round, with a seed of its own, all by one computer player; who has the first side goes
by the seed, and the next round swaps it. Prints a ranking, a table of who beat whom, how the battles ended, what they
cost, and each fault with the command that plays its battle again. Ends with 1 if there was any fault.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

from battles import (
    Match,
    Played,
    in_processes,
    must_be_known,
    play,
    players_of,
    ready_armies,
    ruleset,
    watched,
)  # fmt: skip

from warhost.armies.roster import Army
from warhost.errors import UsageError, WarhostError


def schedule(
    name: str, scenario: str, armies: Sequence[str], player: str, rounds: int, seed: int
) -> list[Match]:  # fmt: skip
    """Every pairing, round for round; the seed counts on."""
    found: list[Match] = []
    for turn in range(rounds):
        for n, (a, b) in enumerate(combinations(armies, 2)):
            pair = (a, b) if (n + turn) % 2 == 0 else (b, a)
            found.append(Match(name, scenario, pair, (player, player), seed + len(found)))
    return found


def score(army: str, played: Sequence[Played]) -> tuple[int, int, int]:
    """Battles won, drawn and lost by an army."""
    won = drawn = lost = 0
    for one in played:
        if army not in one.match.armies or one.faults:
            continue
        if one.winner is None:
            drawn += 1
        elif one.match.armies[one.winner] == army:
            won += 1
        else:
            lost += 1
    return won, drawn, lost


def ranking(armies: Sequence[str], played: Sequence[Played]) -> list[str]:
    """The armies by battles won (a draw is half of one), as lines; equals in alphabetical order."""
    scores = {a: score(a, played) for a in armies}
    best = sorted(armies, key=lambda a: (-2 * scores[a][0] - scores[a][1], a))
    lines = [f"{'':>3} {'army':<26} {'won':>5} {'drawn':>5} {'lost':>5}"]
    for place, army in enumerate(best, 1):
        won, drawn, lost = scores[army]
        lines.append(f"{place:>3} {army:<26} {won:>5} {drawn:>5} {lost:>5}")
    return lines


def matrix(armies: Sequence[str], played: Sequence[Played]) -> list[str]:
    """Who beat whom: a row's army won (+), drew (=) or lost (-) against that of the column; ! for a fault."""
    marks: dict[tuple[str, str], str] = {}
    for one in played:
        for seat, (mine, other) in enumerate((one.match.armies, one.match.armies[::-1])):
            mark = "!" if one.faults else "=" if one.winner is None else "+" if one.winner == seat else "-"
            marks[mine, other] = marks.get((mine, other), "") + mark
    wide = max([3, *(len(m) + 1 for m in marks.values())])
    lines = [" " * 30 + "".join(f"{n:>{wide}}" for n in range(1, len(armies) + 1))]
    for n, army in enumerate(armies, 1):
        cells = "".join(f"{marks.get((army, other), '.'):>{wide}}" for other in armies)
        lines.append(f"{n:>3} {army:<26}{cells}")
    return lines


def endings(played: Sequence[Played], names: dict[str, str]) -> list[str]:
    """How often battles ended in which way: the reasons without the names of the sides."""
    found: Counter[str] = Counter()
    for one in played:
        reason = one.reason
        for army in one.match.armies:
            reason = reason.replace(names[army], "..")
        found[reason or "no end"] += 1
    return [f"{count:>5}  {reason}" for reason, count in found.most_common()]


def report(armies: Sequence[str], played: Sequence[Played], names: dict[str, str]) -> str:
    """All of it as text."""
    seconds = [p.seconds for p in played]
    memory = [p.megabytes for p in played]
    turns = [p.turns for p in played]
    bad = [p for p in played if p.faults]
    ended = sum(1 for p in played if p.reason and not p.faults)
    first = sum(1 for p in played if p.winner == 0)
    second = sum(1 for p in played if p.winner == 1)
    lines = [*ranking(armies, played), "", *matrix(armies, played), "", *endings(played, names), ""]
    lines += [
        f"{len(played)} battles, {ended} ended by the rules; the first side won {first}, the second {second}",
        f"processor time of a battle: {median(seconds):.2f} s in the middle, {sum(seconds) / len(seconds):.2f} s on "
        f"average, {min(seconds):.2f} to {max(seconds):.2f} s",
        f"of which the players thought, the rules' ratings included: "
        f"{sum(sum(p.thinking) for p in played) / max(sum(seconds), 1e-9):.0%}",
        f"most memory while playing a battle: {max(memory):.0f} MB (in the middle {median(memory):.0f} MB)",
        f"turns: {sum(turns) / len(turns):.1f} on average, at most {max(turns)}",
    ]
    for one in bad:
        lines += [*(f"FAULT {fault}" for fault in one.faults), f"  {one.match.command()}"]
    return "\n".join([*lines, f"{len(bad)} battles with faults"])


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Every ready army against every other.")
    parser.add_argument("--ruleset", default="arcana", help="id or path")
    parser.add_argument("--points", type=int, help="only ready armies of this limit")
    parser.add_argument("--armies", nargs="*", help="only these")
    parser.add_argument("--scenario", help="else the ruleset's first")
    parser.add_argument("--player", default="tactician", help="who plays both sides")
    parser.add_argument("--rounds", type=int, default=1, help="how often each pairing is played")
    parser.add_argument("--seed", type=int, default=1, help="of the first battle; each next one has the next")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--laws", action="store_true", help="ask for the laws of the table after every phase (slower)")
    parser.add_argument("--json", type=Path, help="write every outcome there, one line of JSON each")
    given = parser.parse_args(argv)
    try:
        rules = ruleset(given.ruleset)
        must_be_known([given.player], players_of(rules), "player")
        must_be_known(given.armies or (), rules.armies, "army")
        must_be_known([given.scenario] if given.scenario else (), rules.scenarios, "scenario")
        armies = given.armies or ready_armies(given.ruleset, given.points)
        if len(armies) < 2:
            raise UsageError("it takes two ready armies at least")
    except WarhostError as error:
        print(f"round_robin: {error}", file=sys.stderr)
        return 2
    scenario = given.scenario or next(iter(rules.scenarios))
    wanted = schedule(given.ruleset, scenario, armies, given.player, given.rounds, given.seed)
    played: list[Played] = []
    for one in in_processes(watched if given.laws else play, wanted, given.processes):
        played.append(one)
        if sys.stderr.isatty():
            print(f"\r{len(played)} of {len(wanted)}", end="", file=sys.stderr, flush=True)
        if given.json:
            with given.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(one)) + "\n")
    print(report(armies, played, {a: Army.ready(a, rules).name for a in armies}))
    return 1 if any(p.faults for p in played) else 0


if __name__ == "__main__":
    sys.exit(main())
