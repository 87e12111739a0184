"""Computer players against each other: every ready army mirrored against itself, every scenario, sides swapped.

    python benchmarks/tournament.py --battles 200 [--ruleset small_fantasy] [--players tactician random] [--points 1000]

Battle n is played twice with the same seed, the players changing sides. Everything is fixed by --seed, so two runs
over the same rules print the same table (but for the times). A draw is not a win.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from battles import ROOT, Match, Played, in_processes, must_be_known, play, players_of, ready_armies, ruleset, two_sided

from warhost.errors import WarhostError


@dataclass(frozen=True, slots=True)
class Game:
    """One battle of the tournament and its outcome. swapped: the second player has the first side."""

    swapped: bool
    played: Played

    @property
    def won(self) -> int | None:
        """0: the first player, 1: the second, None: neither."""
        seat = self.played.winner
        return None if seat is None else (1 - seat if self.swapped else seat)

    @property
    def army(self) -> str:
        return self.played.match.armies[0]

    @property
    def scenario(self) -> str:
        return self.played.match.scenario

    def thinking(self, player: int) -> float:
        return self.played.thinking[1 - player if self.swapped else player]


def schedule(
    ruleset_name: str,
    players: Sequence[str],
    battles: int,
    scenarios: Sequence[str],
    armies: Sequence[str],
    seed: int,
) -> list[Match]:
    """The battles in order: pairs with the sides swapped, going round all scenarios and armies."""
    pairings = [(s, a) for a in armies for s in scenarios]
    one, two = players
    found = []
    for n in range(battles):
        scenario, army = pairings[(n // 2) % len(pairings)]
        seats = (two, one) if n % 2 else (one, two)
        found.append(Match(ruleset_name, scenario, (army, army), seats, seed + n // 2))
    return found


def interval(wins: int, battles: int) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share."""
    if battles == 0:
        return 0.0, 1.0
    z, share = 1.96, wins / battles
    middle = (share + z * z / (2 * battles)) / (1 + z * z / battles)
    half = z * math.sqrt(share * (1 - share) / battles + z * z / (4 * battles * battles)) / (1 + z * z / battles)
    return max(0.0, middle - half), min(1.0, middle + half)


def row(title: str, games: Iterable[Game]) -> str:
    """One line of the table."""
    rows = list(games)
    faults = sum(1 for g in rows if g.played.faults)
    wins, losses = (sum(1 for g in rows if g.won == n and not g.played.faults) for n in (0, 1))
    draws = len(rows) - wins - losses - faults
    low, high = interval(wins, len(rows))
    share = wins / len(rows) if rows else 0.0
    text = f"{title:<40} {len(rows):>5} {wins:>5} {draws:>5} {losses:>5}   {share:>6.1%}  {low:>4.0%} to {high:.0%}"
    return text + (f"   {faults} broken" if faults else "")


def table(games: Sequence[Game], names: Sequence[str]) -> str:
    """The result as text: by scenario, by army, by seat, and altogether."""
    head = f"{'':<40} {'all':>5} {'won':>5} {'drawn':>5} {'lost':>5}   {'won':>6}  95 % interval"
    lines = [f"{names[0]} against {names[1]}", head]
    for scenario in dict.fromkeys(g.scenario for g in games):
        lines.append(row(f"scenario {scenario}", (g for g in games if g.scenario == scenario)))
    for army in dict.fromkeys(g.army for g in games):
        lines.append(row(f"army {army}", (g for g in games if g.army == army)))
    for swapped in (False, True):
        seat = "second" if swapped else "first"
        lines.append(row(f"with the {seat} side", (g for g in games if g.swapped == swapped)))
    for scenario, army in dict.fromkeys((g.scenario, g.army) for g in games):
        here = (g for g in games if (g.scenario, g.army) == (scenario, army))
        lines.append(row(f"  {scenario}, {army}", here))
    lines.append(row("altogether", games))
    seconds = sum(g.played.seconds for g in games)
    for i, name in enumerate(names):
        share = sum(g.thinking(i) for g in games) / seconds if seconds else 0.0
        lines.append(f"{name} (player {i + 1}) thought for {share:.1%} of the time, ratings of the rules included")
    count = max(len(games), 1)
    lines.append(f"{seconds / count:.2f} s and {sum(g.played.turns for g in games) / count:.1f} turns for each battle")
    lines += [f"FAULT {fault}\n  {g.played.match.command()}" for g in games for fault in g.played.faults]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Computer players against each other.")
    parser.add_argument("--battles", type=int, default=24, help="how many (even numbers are fair)")
    parser.add_argument("--ruleset", default=str(ROOT / "rulesets" / "small_fantasy"), help="id or path")
    parser.add_argument("--players", nargs=2, default=["tactician", "random"], metavar=("ONE", "TWO"))
    parser.add_argument("--scenarios", nargs="*", help="only these")
    parser.add_argument("--armies", nargs="*", help="only these")
    parser.add_argument("--points", type=int, help="only ready armies of this limit")
    parser.add_argument("--seed", type=int, default=1000, help="of the first pair of battles")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--lost", action="store_true", help="print the command of every battle that player ONE lost")
    parser.add_argument("--json", type=Path, help="write every outcome there, one line of JSON each")
    given = parser.parse_args(argv)
    try:
        games = tournament(given)
    except WarhostError as error:
        print(f"tournament: {error}", file=sys.stderr)
        return 2
    print(table(games, given.players))
    if given.lost:
        for game in games:
            if game.won == 1:
                print(f"lost in turn {game.played.turns}: {game.played.match.command()}")
    return 1 if any(g.played.faults for g in games) else 0


def tournament(given: argparse.Namespace) -> list[Game]:
    """Play it all; the outcomes in the order of the schedule."""
    rules = ruleset(given.ruleset)
    must_be_known(given.players, players_of(rules), "player")
    must_be_known(given.scenarios or (), rules.scenarios, "scenario")
    must_be_known(given.armies or (), rules.armies, "army")
    armies = given.armies or ready_armies(given.ruleset, given.points)
    wanted = schedule(
        given.ruleset, given.players, given.battles, given.scenarios or two_sided(rules), armies, given.seed
    )
    games: list[Game] = []
    for played in in_processes(play, wanted, given.processes):
        games.append(Game(len(games) % 2 == 1, played))
        if given.json:
            with given.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(played)) + "\n")
    return games


if __name__ == "__main__":
    sys.exit(main())
