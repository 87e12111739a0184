"""The record of what was played: which lines of rules, profiles, lists and tables came into play in recorded battles.

It is kept beside the ruleset as `played.json`, with the digest of the rules that it was made with. What it says about a
file of rules counts as long as that file is unchanged.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.armies.legality import check
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.code import Code, code_made_by
from warhost.engine.entities import DefinitionValue
from warhost.engine.setup import sides_of
from warhost.errors import UsageError, WarhostError
from warhost.lang.python_backend import PythonBackend
from warhost.output_safety import write_whole
from warhost.packs.find import read_bytes
from warhost.things import titles_of
from warhost_battles.players import known_players, player
from warhost_battles.story import picture_of
from warhost_proof.reached import Line, Reached

if TYPE_CHECKING:
    from warhost.packs import Ruleset

#: The file of a ruleset that holds its record.
FILE = "played.json"

#: Pairs of computer players for recorded battles, used in turn: one plays well, the other tries everything.
PLAYERS = (("tactician", "tactician"), ("tactician", "random"), ("random", "random"))


@dataclass(frozen=True, slots=True)
class Fixture:
    """One battle of a record. players are tried in the order of the sides."""

    scenario: str
    armies: tuple[str, ...]
    players: tuple[str, ...]
    seed: int

    def command(self, ruleset: str) -> str:
        """The command that plays it again."""
        words = ["warhost battle", ruleset, *(f"--army {army}" for army in self.armies), f"--scenario {self.scenario}"]
        words += [f"--player {i}={name}" for i, name in enumerate(self.players, start=1)]
        return " ".join([*words, f"--seed {self.seed}"])


@dataclass(slots=True)
class PlayRecord:
    """What came into play in some battles. lines: by file (below the ruleset's folder). stamps: the hash of each file's
    text at that time.

    proved: for each rule of the book an example that names it and fails without it. failed: battles that went wrong.
    folder: beside which it was read.
    """

    ruleset: str = ""
    edition: str = ""
    digest: str = ""
    battles: int = 0
    lines: dict[str, set[int]] = field(default_factory=dict)
    stamps: dict[str, str] = field(default_factory=dict)
    profiles: set[str] = field(default_factory=set)
    titles: set[str] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)
    armies: set[str] = field(default_factory=set)
    scenarios: set[str] = field(default_factory=set)
    constraints: set[str] = field(default_factory=set)
    proved: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    folder: Path | None = None

    def add(self, other: PlayRecord) -> None:
        """Take in what another record says of the same ruleset."""
        self.battles += other.battles
        for file, lines in other.lines.items():
            self.lines.setdefault(file, set()).update(lines)
        for name in ("profiles", "titles", "tables", "lists", "armies", "scenarios"):
            getattr(self, name).update(getattr(other, name))
        self.failed += other.failed

    def to_json(self) -> dict[str, Any]:
        """Plain data, in a fixed order."""
        return {
            "ruleset": self.ruleset, "edition": self.edition, "digest": self.digest, "battles": self.battles,
            "files": {
                file: {"stamp": self.stamps.get(file, ""), "lines": _spans(lines)}
                for file, lines in sorted(self.lines.items())
            },
            **{
                name: sorted(getattr(self, name))
                for name in ("profiles", "titles", "tables", "lists", "armies", "scenarios")
            },
            "proved": dict(sorted(self.proved.items())),
        }  # fmt: skip


# -- reading and writing -------------------------------------------------------------------------------


def read_record(rules: Ruleset) -> PlayRecord | None:
    """The record beside a ruleset, else beside the next one below that it extends; None when there is none. Raises
    UsageError when it cannot be read.
    """
    homes = [one.folder for one in reversed(rules.layers) if one.kind == "ruleset" and not one.adopted]
    path = next((path for home in homes if (path := home / FILE).is_file()), None)
    if path is None:
        return None
    try:
        data = json.loads(read_bytes(path))
        found = PlayRecord(str(data["ruleset"]), str(data["edition"]), str(data["digest"]), int(data["battles"]))
        found.folder = path.parent
        for file, about in data["files"].items():
            found.lines[str(file)] = {n for first, last in about["lines"] for n in range(int(first), int(last) + 1)}
            found.stamps[str(file)] = str(about["stamp"])
        for name in ("profiles", "titles", "tables", "lists", "armies", "scenarios"):
            setattr(found, name, {str(one) for one in data[name]})
        found.proved = {str(k): str(v) for k, v in data["proved"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        again = f"`warhost coverage {rules.called} --record` makes a new one"
        raise UsageError(f"{path} is no record of battles ({error}); {again}") from None
    return found


def write_record(record: PlayRecord, path: Path) -> None:
    """Write a record, whole or not at all."""
    text = json.dumps(record.to_json(), indent=1, ensure_ascii=False)
    write_whole(path, text + "\n", "the record")


def _spans(lines: Iterable[int]) -> list[list[int]]:
    """Line numbers as [first, last] ranges of consecutive ones."""
    spans: list[list[int]] = []
    for n in sorted(lines):
        if spans and spans[-1][1] == n - 1:
            spans[-1][1] = n
        else:
            spans.append([n, n])
    return spans


# -- playing ---------------------------------------------------------------------------------------------


def fixtures(rules: Ruleset, battles: int, seed: int = 0) -> list[Fixture]:
    """The battles to record: every scenario and every ready army in turn, each time with other opponents and players.

    battles: how many. seed: of the first; the following ones count up. Raises UsageError for a ruleset without ready
    armies or scenarios.
    """
    armies, scenarios = list(rules.armies), list(rules.scenarios)
    if not armies or not scenarios:
        raise UsageError(f"{rules.id} has no {'ready armies' if not armies else 'scenarios'} to record battles with")
    found = []
    stride = 7 if len(armies) % 7 else 8  # a multiple of the number of armies would bring the same opponents again
    for i in range(battles):
        scenario = scenarios[i % len(scenarios)]
        sides = sides_of(rules, scenario)
        step = 1 + (i // len(armies)) * stride  # others meet in each round through the armies
        chosen = tuple(armies[(i + k * step) % len(armies)] for k in range(sides))
        players = PLAYERS[(i // len(scenarios)) % len(PLAYERS)]
        found.append(Fixture(scenario, chosen, tuple(players[k % 2] for k in range(sides)), seed + i))
    return found


def record_of(
    rules: Ruleset, wanted: Sequence[Fixture], workers: int = 1, told: Callable[[str, int, int], None] | None = None
) -> PlayRecord:
    """Play battles and note what came into play. Ready armies are checked first, so that their constraints count, too.

    workers: processes. told: is called with ("battles", how many are done, of how many).
    """
    record = PlayRecord(rules.id, rules.edition, rules.rules_digest)
    parts = [list(wanted[i::workers]) for i in range(workers)] if workers > 1 else [list(wanted)]
    done = 0
    for one in _played(rules, parts, workers):
        record.add(one)
        done += one.battles
        if told is not None and one.battles:
            told("battles", done, len(wanted))
    for file in record.lines:
        record.stamps[file] = stamp_of(rules.folder / file)
    return record


#: What forked workers play: the ruleset and the parts. Set before the fork, so that nothing has to be pickled.
_here: tuple[Any, list[list[Fixture]]] | None = None


def _played(rules: Ruleset, parts: list[list[Fixture]], workers: int) -> Iterator[PlayRecord]:
    """The records of battles; several workers are forks of this process."""
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        for part in parts:
            yield from _Recording(rules).records(part)
        return
    global _here
    _here = (rules, parts)
    try:
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            yield from pool.imap_unordered(_play_part, range(len(parts)))
    finally:
        _here = None


def _play_part(number: int) -> PlayRecord:
    assert _here is not None
    rules, parts = _here
    whole = PlayRecord()
    for one in _Recording(rules).records(parts[number]):
        whole.add(one)
    return whole


class _Watched(Battle):
    """A battle that keeps the titles of the definitions that its events speak of, whether or not anybody bears them
    under these names.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self.spoken_of: set[str] = set()
        super().__init__(*args, **options)

    def put_together(self) -> None:
        super().put_together()
        happen = self.emit

        def emit(name: str, args: list[Any], outcome: Callable[..., Any] | None = None) -> None:
            self.spoken_of.update(arg.name for arg in args if isinstance(arg, DefinitionValue))
            happen(name, args, outcome)

        self.emit = emit


class _Recording:
    """Plays battles on code that marks what it comes to."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.reached = Reached(rules.program)
        self.code = Code(rules.program, backend=PythonBackend(rules.program, reached=self.reached))
        self.players = known_players(rules)
        self.labels = {label: _relative(label, rules.folder) for label in rules.files}

    def records(self, wanted: Iterable[Fixture]) -> Iterator[PlayRecord]:
        """A record of each battle, and at last one of all the lines."""
        with code_made_by(lambda _: self.code):
            for name in self.rules.armies:
                check(Army.ready(name, self.rules), self.rules)
            for fixture in wanted:
                yield self._battle(fixture)
        yield self._lines()

    def _battle(self, fixture: Fixture) -> PlayRecord:
        record = PlayRecord(battles=1)
        armies = [Army.ready(name, self.rules) for name in fixture.armies]
        makers = [name if name in self.players else "usual" for name in fixture.players]
        players = [player(name, fixture.seed + i, self.players) for i, name in enumerate(makers)]
        battle = _Watched(self.rules, armies, fixture.seed, scenario=fixture.scenario, players=players)
        again = replace(fixture, players=tuple(makers)).command(self.rules.id)
        battle.on_phase = lambda b: _look_on(b, record, again)
        try:
            battle.run()
        except WarhostError as error:
            record.failed.append(f"{error} ({again})")
        _note_things(battle, record)
        record.titles |= battle.spoken_of
        record.scenarios.add(fixture.scenario)
        for army in armies:
            record.armies.add(army.id)
            record.lists.add(army.list)
        return record

    def _lines(self) -> PlayRecord:
        record = PlayRecord()
        record.tables |= self.reached.tables
        for file, line in self.reached.lines:
            place = self.labels.get(file)
            if place is not None:
                record.lines.setdefault(place, set()).add(line)
        return record


def _look_on(battle: Battle, record: PlayRecord, again: str) -> None:
    """After a phase: note what is on the table, draw it as reports do, and check the board's invariants. again: the
    command that plays the battle.

    Some rules serve only pictures or invariants: without this they would never come into play.
    """
    _note_things(battle, record)
    picture_of(battle)
    now = f"turn {battle.battle.turn}, {battle.battle.phase}"
    record.failed += [f"{now}: {law} ({again})" for law in battle.broken_laws()]


def _note_things(battle: Battle, record: PlayRecord) -> None:
    """The profiles on the table and what is borne there."""
    for things in battle.everyone.values():
        for thing in things:
            profile = getattr(thing, "profile", None)
            if isinstance(profile, str):
                record.profiles.add(profile)
            record.titles.update(titles_of(thing))


def _relative(label: str, folder: Path) -> str | None:
    """A file's path below the ruleset's folder; None for one that lies elsewhere."""
    try:
        return Path(label).resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return None


def recorded_files(rules: Ruleset) -> set[str]:
    """The labels of the files whose lines are recorded: those below the folder of the ruleset, or of one that it
    extends.
    """
    folders = [one.folder for one in rules.layers if one.kind == "ruleset"]
    return {label for label in rules.files if any(_relative(label, folder) is not None for folder in folders)}


def stamp_of(path: Path) -> str:
    """The hash of a file's text, whatever its line ends."""
    try:
        raw = read_bytes(path)
    except OSError:
        return ""
    return hashlib.sha256(raw.replace(b"\r\n", b"\n").rstrip()).hexdigest()[:16]


def lines_that_count(record: PlayRecord, rules: Ruleset) -> set[Line]:
    """The recorded lines of files that are as they were, by the labels that the rules know the files by."""
    found: set[Line] = set()
    folder = record.folder or rules.folder
    for label in rules.files:
        place = _relative(label, folder)
        if place in record.lines and stamp_of(folder / place) == record.stamps.get(place):
            found |= {(label, n) for n in record.lines[place]}
    return found
