"""Computer players against each other: every ready army mirrored against itself, every scenario, sides swapped.

    python benchmarks/tournament.py --battles 200 [--ruleset small_fantasy] [--players tactician random]

Battle n is played twice with the same seed, the players changing sides. Everything is fixed by --seed, so two runs
over the same rules print the same table (but for the times). A draw is not a win.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
for part in ("core", "plugins"):
    if str(ROOT / part) not in sys.path:
        sys.path.insert(0, str(ROOT / part))

from warhost.armies.roster import Army  # noqa: E402
from warhost.engine.battle import Battle  # noqa: E402
from warhost.engine.decisions import PLAIN_POLICIES, Answer, Decision, Policy  # noqa: E402
from warhost.errors import UsageError, WarhostError, did_you_mean  # noqa: E402
from warhost.packs import Ruleset, load  # noqa: E402
from warhost.plugins import activate  # noqa: E402

#: Computer players are looked for in this plugin, besides those of the ruleset's own plugins.
PLAYERS_PLUGIN = "warhost_tactics"


@dataclass(frozen=True, slots=True)
class Game:
    """One battle to play. swapped: the second player has the first side."""

    number: int
    scenario: str
    army: str
    seed: int
    swapped: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a battle ended. won: 0 the first player, 1 the second, None neither. Times are those of the processor."""

    game: Game
    won: int | None
    reason: str
    turns: int
    seconds: float
    thinking: tuple[float, float]
    state_hash: str
    fault: str = ""


class Timed:
    """A player with a stop-watch."""

    def __init__(self, player: Policy) -> None:
        self.player = player
        self.seconds = 0.0

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        start = time.process_time()
        try:
            return self.player.decide(decision, battle)
        finally:
            self.seconds += time.process_time() - start


def players_of(rules: Ruleset) -> dict[str, Callable[[int], Policy]]:
    """Every computer player that can take part, by name."""
    extra, errors = activate([PLAYERS_PLUGIN])
    if errors:
        raise errors[0]
    return {**PLAIN_POLICIES, **extra.policies(), **rules.plugins.policies()}


def schedule(battles: int, scenarios: Sequence[str], armies: Sequence[str], seed: int) -> list[Game]:
    """The battles in order: pairs with the sides swapped, going round all scenarios and armies."""
    pairings = [(s, a) for a in armies for s in scenarios]
    games = []
    for n in range(battles):
        scenario, army = pairings[(n // 2) % len(pairings)]
        games.append(Game(n, scenario, army, seed + n // 2, n % 2 == 1))
    return games


_RULES: dict[str, Ruleset] = {}


def play(job: tuple[str, tuple[str, str], Game]) -> Outcome:
    """Play one battle (in a process of the pool)."""
    ruleset, names, game = job
    if ruleset not in _RULES:
        _RULES[ruleset] = load(ruleset)
    rules = _RULES[ruleset]
    makers = players_of(rules)
    players = [Timed(makers[name](game.seed * 2 + i)) for i, name in enumerate(names)]
    seats = players[::-1] if game.swapped else players
    army = Army.ready(game.army, rules)
    start = time.process_time()
    fault, battle = "", None
    try:
        battle = Battle(rules, [army, army], game.seed, scenario=game.scenario, players=seats, log=False)
        battle.run()
    except WarhostError as error:
        fault = f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    thinking = (players[0].seconds, players[1].seconds)
    if battle is None or fault:
        return Outcome(game, None, "", 0, seconds, thinking, "", fault)
    seat = None if battle.winner is None else battle.sides.index(battle.winner)
    won = None if seat is None else (1 - seat if game.swapped else seat)
    return Outcome(game, won, battle.reason, battle.battle.turn, seconds, thinking, battle.state_hash())


def interval(wins: int, battles: int) -> tuple[float, float]:
    """Wilson's interval of 95 % for a share."""
    if battles == 0:
        return 0.0, 1.0
    z, share = 1.96, wins / battles
    middle = (share + z * z / (2 * battles)) / (1 + z * z / battles)
    half = z * math.sqrt(share * (1 - share) / battles + z * z / (4 * battles * battles)) / (1 + z * z / battles)
    return max(0.0, middle - half), min(1.0, middle + half)


def row(title: str, outcomes: Iterable[Outcome]) -> str:
    """One line of the table."""
    rows = list(outcomes)
    faults = sum(1 for o in rows if o.fault)
    wins, losses = (sum(1 for o in rows if o.won == n and not o.fault) for n in (0, 1))
    draws = len(rows) - wins - losses - faults
    low, high = interval(wins, len(rows))
    share = wins / len(rows) if rows else 0.0
    text = f"{title:<40} {len(rows):>5} {wins:>5} {draws:>5} {losses:>5}   {share:>6.1%}  {low:>4.0%} to {high:.0%}"
    return text + (f"   {faults} broken" if faults else "")


def table(outcomes: Sequence[Outcome], names: Sequence[str]) -> str:
    """The result as text: by scenario, by army, by seat, and altogether."""
    head = f"{'':<40} {'all':>5} {'won':>5} {'drawn':>5} {'lost':>5}   {'won':>6}  95 % interval"
    lines = [f"{names[0]} against {names[1]}", head]
    for scenario in dict.fromkeys(o.game.scenario for o in outcomes):
        lines.append(row(f"scenario {scenario}", (o for o in outcomes if o.game.scenario == scenario)))
    for army in dict.fromkeys(o.game.army for o in outcomes):
        lines.append(row(f"army {army}", (o for o in outcomes if o.game.army == army)))
    for swapped in (False, True):
        seat = "second" if swapped else "first"
        lines.append(row(f"with the {seat} side", (o for o in outcomes if o.game.swapped == swapped)))
    for scenario, army in dict.fromkeys((o.game.scenario, o.game.army) for o in outcomes):
        here = (o for o in outcomes if (o.game.scenario, o.game.army) == (scenario, army))
        lines.append(row(f"  {scenario}, {army}", here))
    lines.append(row("altogether", outcomes))
    seconds = sum(o.seconds for o in outcomes)
    for i, name in enumerate(names):
        share = sum(o.thinking[i] for o in outcomes) / seconds if seconds else 0.0
        lines.append(f"{name} (player {i + 1}) thought for {share:.1%} of the time, ratings of the rules included")
    count = max(len(outcomes), 1)
    lines.append(f"{seconds / count:.2f} s and {sum(o.turns for o in outcomes) / count:.1f} turns for each battle")
    lines += [f"battle {o.game.number} ({o.game.scenario}, {o.game.army}): {o.fault}" for o in outcomes if o.fault]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Computer players against each other.")
    parser.add_argument("--battles", type=int, default=24, help="how many (even numbers are fair)")
    parser.add_argument("--ruleset", default=str(ROOT / "rulesets" / "small_fantasy"), help="id or path")
    parser.add_argument("--players", nargs=2, default=["tactician", "random"], metavar=("ONE", "TWO"))
    parser.add_argument("--scenarios", nargs="*", help="only these")
    parser.add_argument("--armies", nargs="*", help="only these")
    parser.add_argument("--seed", type=int, default=1000, help="of the first pair of battles")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write every outcome there, one line of JSON each")
    given = parser.parse_args(argv)
    try:
        outcomes = tournament(given)
    except WarhostError as error:
        print(f"tournament: {error}", file=sys.stderr)
        return 2
    print(table(outcomes, given.players))
    return 1 if any(o.fault for o in outcomes) else 0


def tournament(given: argparse.Namespace) -> list[Outcome]:
    """Play it all; the outcomes in the order of the schedule."""
    inside = ROOT / "rulesets" / given.ruleset
    ruleset = str(inside) if (inside / "ruleset.yaml").is_file() else given.ruleset
    rules = load(ruleset)
    known = players_of(rules)
    for name in given.players:
        if name not in known:
            raise UsageError(f'there is no player "{name}"; {did_you_mean(name, known) or ", ".join(known)}')
    scenarios, armies = given.scenarios or list(rules.scenarios), given.armies or list(rules.armies)
    jobs: list[Any] = [
        (ruleset, tuple(given.players), game) for game in schedule(given.battles, scenarios, armies, given.seed)
    ]
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        for outcome in pool.map(play, jobs):
            outcomes.append(outcome)
            if given.json:
                with given.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(outcome)) + "\n")
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
