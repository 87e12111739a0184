"""What the programs here that play many battles share: a battle to play, how it went, and playing it.

Everything is fixed by a `Match`; its command plays the same battle again.
"""

from __future__ import annotations

import gc
import resource
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
for part in ("core", "plugins"):
    if str(ROOT / part) not in sys.path:
        sys.path.insert(0, str(ROOT / part))

from warhost.armies.roster import Army  # noqa: E402
from warhost.engine.battle import Battle  # noqa: E402
from warhost.engine.decisions import Answer, Decision, Policy, looks_ahead  # noqa: E402
from warhost.engine.setup import sides_of  # noqa: E402
from warhost.errors import UsageError, did_you_mean  # noqa: E402
from warhost.lang.python_backend import attribute  # noqa: E402
from warhost.packs import Ruleset, load  # noqa: E402
from warhost.plugins import activate  # noqa: E402
from warhost.things import noun_of  # noqa: E402
from warhost_battles.journal import Recorder, resume  # noqa: E402
from warhost_battles.players import PLAIN_POLICIES  # noqa: E402

#: Computer players are looked for in this plugin, besides those of the ruleset's own plugins.
PLAYERS_PLUGIN = "warhost_tactics"

Watch = Callable[[Battle], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Match:
    """What it takes to play a battle again: armies by id and players by name in the order of the sides.

    units: of each army so many, drawn by the seed, with those that they are linked to; 0 for the whole army.
    """

    ruleset: str
    scenario: str
    armies: tuple[str, ...]
    players: tuple[str, ...]
    seed: int
    units: int = 0

    def __str__(self) -> str:
        return f"{self.scenario}: {' against '.join(self.armies)}, players {'/'.join(self.players)}, seed {self.seed}"

    def command(self) -> str:
        """The command that plays and tells it; of a part of the armies, what the seed makes of them."""
        if self.units:
            soak = ["python", "benchmarks/soak.py", "--ruleset", self.ruleset, "--players", *self.players[:2]]
            return shlex.join([*soak, "--units", str(self.units), "--battles", "1", "--seed", str(self.seed)])
        inside = path_of(self.ruleset)
        words = ["warhost", "battle", Path(inside).name if Path(inside).parent == ROOT / "rulesets" else inside]
        for army in self.armies:
            words += ["--army", army]
        words += ["--scenario", self.scenario, "--seed", str(self.seed)]
        for i, name in enumerate(self.players, 1):
            words += ["--player", f"{i}={name}"]
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class Played:
    """How a battle went.

    winner: the number of the side, from 0; None if nobody won. reason: of the end, as the rules tell it. seconds: of
    the processor, without loading; thinking: those of each side's player, ratings of the rules included. megabytes:
    the most memory that the process had while it played, the ruleset included. faults: sentences, none if all is well.
    """

    match: Match
    winner: int | None
    reason: str
    turns: int
    decisions: int
    seconds: float
    thinking: tuple[float, ...]
    megabytes: float
    state_hash: str
    faults: tuple[str, ...]


class Timed:
    """A player with a stop-watch."""

    def __init__(self, player: Policy) -> None:
        self.player = player
        self.looks_ahead = looks_ahead([player])
        self.seconds = 0.0

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        start = time.process_time()
        try:
            return self.player.decide(decision, battle)
        finally:
            self.seconds += time.process_time() - start


def path_of(name: str) -> str:
    """A ruleset of this repository as its folder; others as they are named."""
    inside = ROOT / "rulesets" / name
    return str(inside) if (inside / "ruleset.yaml").is_file() else name


@cache
def ruleset(name: str) -> Ruleset:
    """A ruleset by id or path, loaded once in a process."""
    return load(path_of(name))


def players_of(rules: Ruleset) -> dict[str, Callable[[int], Policy]]:
    """Every computer player that can take part, by name."""
    extra, errors = activate([PLAYERS_PLUGIN])
    if errors:
        raise errors[0]
    return {**PLAIN_POLICIES, **extra.policies(), **rules.plugins.policies()}


def two_sided(rules: Ruleset) -> list[str]:
    """The scenarios of a ruleset that are for two sides."""
    return [s for s in rules.scenarios if sides_of(rules, s) == 2]


def ready_armies(name: str, points: int | None = None) -> list[str]:
    """The ready armies of a ruleset by id, those of a limit of points if one is given; raises UsageError if none."""
    rules = ruleset(name)
    found = [a for a in rules.armies if points is None or Army.ready(a, rules).limit == points]
    if not found:
        raise UsageError(f"{rules.id} has no ready army of {points} points")
    return found


def must_be_known(names: Iterable[str], known: Iterable[str], what: str) -> None:
    """Raises UsageError with the nearest name for the first that is not known."""
    among = list(known)
    for name in names:
        if name not in among:
            raise UsageError(f'there is no {what} "{name}"; {did_you_mean(name, among) or ", ".join(among)}')


def players(match: Match) -> list[Policy | None]:
    """The players of a battle; they have the seeds that the command gives them."""
    makers = players_of(ruleset(match.ruleset))
    return [makers[name](match.seed + i) for i, name in enumerate(match.players)]


def part_of(army: Army, match: Match, place: int, rules: Ruleset) -> Army:
    """The units of an army that take part, in their order; they need not be a legal army."""
    raw = list(army.data.get("units", ()))
    if not match.units or match.units >= len(raw):
        return army
    kept = set(Random(f"{match.seed} {place}").sample(range(len(raw)), match.units))
    numbers = {unit["id"]: i for i, unit in enumerate(raw) if "id" in unit}
    reached = list(kept)
    while reached:
        for target in raw[reached.pop()].get("links", {}).values():
            if (i := numbers.get(target)) is not None and i not in kept:
                kept.add(i)
                reached.append(i)
    return Army.from_data({**army.data, "units": [unit for i, unit in enumerate(raw) if i in kept]}, rules, army.file)


def set_up(match: Match) -> Battle:
    """A battle, ready to run."""
    rules = ruleset(match.ruleset)
    armies = [part_of(Army.ready(a, rules), match, i, rules) for i, a in enumerate(match.armies)]
    return Battle(rules, armies, match.seed, scenario=match.scenario, players=players(match), log=False)


def tidy_up() -> None:
    """What earlier battles have left behind is no part of the next one: neither its memory nor the time to find it."""
    gc.collect()
    forget_peak()


def play(
    match: Match, watch: Watch | None = None, journal: Path | None = None, timed: bool = True, tidy: bool = True
) -> Played:
    """One battle from beginning to end. watch: asked after every phase what is wrong; each fault counts once.

    journal: where the battle's journal is written. timed: whether the players are, which costs a few hundredths.
    tidy: `tidy_up` before it; otherwise the caller has done it.
    """
    ruleset(match.ruleset)
    if tidy:
        tidy_up()
    faults: dict[str, None] = {}
    told: set[str] = set()
    battle: Battle | None = None

    def look(now: Any) -> None:
        assert watch is not None
        for fault in watch(now):
            if fault not in told:
                told.add(fault)
                faults[f"turn {now.battle.turn}, {now.battle.phase}: {fault}"] = None

    start = time.process_time()
    try:
        battle = set_up(match)
        if timed:
            battle.players = [Timed(p) if p is not None else None for p in battle.players]
        battle.on_phase = look if watch is not None else None
        with Recorder(battle, journal, match.players) if journal is not None else nullcontext():
            battle.run()
        if not battle.over:
            faults["the battle did not end"] = None
    except Exception as error:  # whatever it is, it is a fault to be reported
        where = f"turn {battle.battle.turn}, {battle.battle.phase}: " if battle is not None else ""
        faults[f"{where}{type(error).__name__}: {error}"] = None
    seconds = time.process_time() - start
    if battle is None:
        return Played(match, None, "", 0, 0, seconds, tuple(0.0 for _ in match.armies), peak(), "", tuple(faults))
    winner = None if battle.winner is None else battle.sides.index(battle.winner)
    thinking = tuple(p.seconds if isinstance(p, Timed) else 0.0 for p in battle.players)
    return Played(
        match, winner, battle.reason, battle.battle.turn, battle.decisions_made, seconds, thinking, peak(),
        battle.state_hash(), tuple(faults),
    )  # fmt: skip


def cut(match: Match, cuts: int) -> Played:
    """A battle, the laws asked for after each phase; then its journal is cut at so many random bytes, and each piece
    carried on to the end, which must be that of the whole: the same journal, byte for byte.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder) / "battle.jsonl"
        played = play(match, faults_now, path, timed=False)
        if played.faults:
            return played
        whole = path.read_bytes()
        chance = Random(match.seed)
        first = whole.index(b"\n") + 1
        faults = []
        for _ in range(cuts):
            at = chance.randint(first, len(whole))
            path.write_bytes(whole[:at])
            if wrong := _carried_on(match, path, whole):
                faults.append(f"journal cut at byte {at}: {wrong}")
    return replace(played, faults=tuple(faults))


def _carried_on(match: Match, path: Path, whole: bytes) -> str:
    """What is wrong when a battle is carried on from a piece of its journal; "" if nothing."""
    try:
        battle, recorder, _ = resume(path, ruleset(match.ruleset), players(match))
        with recorder:
            battle.run()
    except Exception as error:  # whatever it is, it is a fault to be reported
        return f"{type(error).__name__}: {error}"
    return "" if path.read_bytes() == whole else "the battle ends otherwise"


def watched(match: Match) -> Played:
    """One battle, the laws asked for after each phase."""
    return play(match, faults_now, timed=False)


def faults_now(battle: Battle) -> list[str]:
    """What is wrong with the state of a battle at this moment: laws of the plugins, limits of declared states."""
    found = list(battle.broken_laws())
    for thing in battle.by_id.values():
        noun = battle.program.nouns.get(noun_of(thing))
        for info in noun.fields.values() if noun is not None else ():
            value = getattr(thing, attribute(info.name), None)
            if value is None:
                continue
            if info.at_least is not None and value < info.at_least:
                found.append(f"{info.name} of {thing.id} is {value}")
            if info.at_most is not None and value > info.at_most:
                found.append(f"{info.name} of {thing.id} is {value}")
    return found


def in_processes(job: Callable[[Match], Played], matches: Iterable[Match], processes: int) -> Iterator[Played]:
    """Play battles, several at a time; they come in their order."""
    if processes <= 1:
        yield from map(job, matches)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(job, matches)


# -- memory -------------------------------------------------------------------------------------------

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Begin to measure the most memory anew, where the system can."""
    try:
        CLEAR.write_text("5")
    except OSError:
        return


def peak() -> float:
    """The most megabytes that this process had since `forget_peak`, else since it began."""
    try:
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)
