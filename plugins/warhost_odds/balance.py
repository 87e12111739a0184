"""Everybody against everybody at equal points: win rates, what units are worth, and what they ought to cost.

    table = warhost.balance("my_game", ["red_guards", "blue_rabble+banner", "all-of green_list"], trials=10_000)
    table.matrix(), table.standings, pandas.DataFrame(table.rows())

Units are as large as the points allow and fight duels, half of them with one attacking and half with the other; armies
fight whole battles with computer players and change sides. Seed, rules and units determine the table: who plays it and
in what order does not matter, and what was kept from an interrupted run is as good as what is played anew.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.errors import UsageError, did_you_mean
from warhost.packs.user_paths import at_home
from warhost_odds.answer import LEVEL, Span, wilson
from warhost_odds.pairings import PairingResult, Task, code_of
from warhost_odds.plan import BalancePlan, PartPlayed, expected, part_of, time_tried
from warhost_odds.results_file import ResultsFile, usual_file
from warhost_odds.workers import Workers, workers

if TYPE_CHECKING:
    from warhost.armies.roster import Army
    from warhost.packs import Ruleset
    from warhost_odds.sizes import Sized

DUELS = 10_000
BATTLES = 20
"""Trials of a pairing of units, and of armies, when nobody says."""

LARGEST = 8
"""A fair price is looked for down to so small a part of the price that is asked."""

AT_LEAST = 60
"""And among sizes up to so many models at least."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is. stage: `pairings`, `prices` or `tried`; kept: how many of those done came from an earlier run."""

    stage: str
    done: int
    total: int
    kept: int
    last: PairingResult | None


Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Fair:
    """The price of one model at which a unit would win half of its pairings. None where no size does.

    models: how many models that makes, not whole; says: in words, when there is no such price.
    """

    price: float | None
    span: tuple[float | None, float | None]
    models: float | None
    says: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {"price": self.price, "interval": list(self.span), "models": self.models, "says": self.says}


@dataclass(frozen=True, slots=True)
class Standing:
    """How one did against all others together.

    id: as pairings name it. price: of one model, worth: of all; for armies price is None. win_rate: what nobody won
    counts half. efficiency: points that the others lost against it for each point that it lost, None when it never
    lost one.
    """

    id: str
    name: str
    count: int | None
    price: float | None
    worth: float
    win_rate: float
    interval: Span
    efficiency: float | None
    fair: Fair | None
    note: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id, "name": self.name, "count": self.count, "price": self.price, "points": self.worth,
            "win_rate": self.win_rate, "interval": list(self.interval), "efficiency": self.efficiency,
            "fair_price": self.fair.as_dict() if self.fair else None, "note": self.note,
        }  # fmt: skip


@dataclass(frozen=True)
class Balance:
    """A whole table. kind: units or armies; points: what every unit may cost; standings in the order of the call.

    ordered: the rates are those of the row attacking the column, not of both ways together. alone: each against itself,
    if that was asked for. one_each: one against one, whatever they cost; free: who costs nothing and was left out.
    """

    ruleset: Mapping[str, Any]
    kind: str
    what: str
    points: float | None
    trials: int
    seed: int
    standings: tuple[Standing, ...]
    pairings: tuple[PairingResult, ...]
    ordered: bool = False
    alone: tuple[PairingResult, ...] = ()
    one_each: bool = False
    free: tuple[str, ...] = ()

    @cached_property
    def _of_pair(self) -> dict[frozenset[str], PairingResult]:
        return {frozenset((p.one, p.two)): p for p in self.pairings}

    def pairing(self, one: str, two: str) -> PairingResult | None:
        """What came of two, in either order; None for one against itself."""
        return self._of_pair.get(frozenset((one, two))) if one != two else None

    def rate(self, one: str, two: str) -> float | None:
        """How often the first beats the second, or one that attacks itself; what nobody wins counts half."""
        if one == two:
            return next((p.one_attacking for p in self.alone if p.one == one), None)
        found = self.pairing(one, two)
        if found is None:
            return None
        if not self.ordered or found.one_attacking is None or found.one_defending is None:
            return found.rate(one)
        return found.one_attacking if found.one == one else 1.0 - found.one_defending

    def trials_of(self, one: str, two: str) -> int:
        """How many trials a rate comes from: 0 where it is exact, or there is none."""
        found = next((p for p in self.alone if p.one == one), None) if one == two else self.pairing(one, two)
        if found is None:
            return 0
        return found.trials // 2 if self.ordered and one != two else found.trials

    def interval(self, one: str, two: str) -> Span | None:
        """Between which the rate lies with 95 in 100; a point when it is exact."""
        rate = self.rate(one, two)
        return None if rate is None else _interval(rate, self.trials_of(one, two))

    def matrix(self) -> list[list[float | None]]:
        """The rates of each row against each column, in the order of the standings."""
        ids = [s.id for s in self.standings]
        return [[self.rate(one, two) for two in ids] for one in ids]

    def cells(self) -> list[dict[str, Any]]:
        """One row for each cell of the matrix: what `--csv` writes, and `warhost compare` reads."""
        ids = [s.id for s in self.standings]
        found = []
        for one, two in ((one, two) for one in ids for two in ids):
            rate, between = self.rate(one, two), self.interval(one, two)
            if rate is not None and between is not None:
                row = {"one": one, "two": two, "rate": rate, "rate_low": between[0], "rate_high": between[1]}
                found.append({**row, "trials": self.trials_of(one, two)})
        return found

    def rows(self) -> list[dict[str, Any]]:
        """One row for each pairing: a table for pandas."""
        return [_row(p) for p in self.pairings]

    def as_dict(self) -> dict[str, Any]:
        """The object that `warhost balance --json` prints."""
        return {
            "ruleset": dict(self.ruleset), "kind": self.kind, "what": self.what, "points": self.points,
            "trials": self.trials, "seed": self.seed, "standings": [s.as_dict() for s in self.standings],
            "ordered": self.ordered, "matrix": self.matrix(), "pairings": self.rows(),
            "alone": [_row(p) for p in self.alone], "one_each": self.one_each, "left_out": list(self.free),
        }  # fmt: skip


def _interval(rate: float, trials: int) -> Span:
    return wilson(rate, trials) if trials else (rate, rate)


def _row(p: PairingResult) -> dict[str, Any]:
    low, high = _interval(p.rate(p.one), p.trials)
    return {**p.as_dict(), "rate": p.rate(p.one), "rate_low": low, "rate_high": high}


# -- the call -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskedTable:
    """What a table is asked to be of; the words are those of `balance`. trials None: as many as is usual."""

    ruleset: str | Path
    units: tuple[str, ...] = ()
    armies: tuple[str, ...] = ()
    house: tuple[str | Path, ...] = ()
    points: float | None = None
    trials: int | None = None
    seed: int = 0
    what: str | None = None
    until: str = "end"
    settings: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    method: str = "simulation"
    where: Mapping[str, str] = field(default_factory=dict)
    scenario: str | None = None
    player: str | None = None
    diagonal: bool = False

    @property
    def number(self) -> int:
        """Trials of a pairing, half of them in either role."""
        return _even(self.trials if self.trials is not None else BATTLES if self.armies else DUELS)


ONLY_UNITS = "only units have a table that tells who attacks"


def balance(
    ruleset: str | Path, units: Sequence[str] = (), *, armies: Sequence[str] = (), house: Sequence[str | Path] = (),
    points: float | None = None, trials: int | None = None, seed: int = 0, what: str | None = None,
    until: str = "end", settings: Mapping[str, Any] | None = None, given: Sequence[str] = (),
    method: str = "simulation", where: Mapping[str, str] | None = None, prices: bool = True,
    scenario: str | None = None, player: str | None = None, workers: int | None = 1, cluster: str | None = None,
    out: str | Path | None = None, watch: Watch | None = None, ordered: bool = False, diagonal: bool = False,
) -> Balance:  # fmt: skip
    """Every pairing of units (`NAME[+option..]`, `all-of LIST`) at equal points, or of armies (ids or files).

    points: what each unit may cost; where: only units whose profile says so. trials: clashes of a pairing, rounded up
    to an even number. what, until, settings and given: as for `odds`; so is method, but pairings are simulated unless
    `exact` or `auto` is asked for, because an exact answer for each of many is dear. prices: look for fair prices, too.
    scenario and player: of the battles of armies. workers: processes (None: one for each processor); cluster: the
    address of a Dask scheduler. out: the file of results, which an interrupted call goes on from; without it one in
    the user's cache. watch is told how far it is. ordered: rates of units are those of the row attacking the column;
    diagonal: each against itself, too (the one that attacks wins). Raises RulesInvalid, UsageError, RuleFault.

    With several workers a script needs `if __name__ == "__main__":`, as always with multiprocessing.

    >>> import warhost
    >>> table = warhost.balance("small_fantasy", ["Orc warriors", "Elf spearmen"], points=100, trials=20, prices=False)
    >>> [(standing.name, standing.count) for standing in table.standings]
    [('Orc warriors', 12), ('Elf spearmen', 12)]
    >>> 0 <= table.rate(table.standings[0].id, table.standings[1].id) <= 1      # how often the first beats the second
    True
    """
    asked = AskedTable(
        ruleset, tuple(units), tuple(armies), tuple(house), points, trials, seed, what, until, dict(settings or {}),
        tuple(given), method, dict(where or {}), scenario, player, diagonal,
    )  # fmt: skip
    return made(asked, prices, workers, cluster, out, watch, ordered)


def made(
    asked: AskedTable, prices: bool = True, workers: int | None = 1, cluster: str | None = None,
    out: str | Path | None = None, watch: Watch | None = None, ordered: bool = False,
) -> Balance:  # fmt: skip
    """The table that is asked for. Raises what `balance` raises."""
    if asked.armies and ordered:
        raise UsageError(ONLY_UNITS)
    with _opened(asked, out, workers, cluster, watch) as making:
        if asked.armies:
            return making.of_armies()
        table = making.of_units(prices)
        alone = making.of_each_alone() if asked.diagonal else ()
        return replace(table, ordered=ordered, alone=alone)


def plan(asked: AskedTable, out: str | Path | None = None, watch: Watch | None = None) -> BalancePlan:
    """What the pairings of a table would take, by a few of them, which are kept. Raises what `balance` raises."""
    with _opened(asked, out, 1, None, watch) as making:
        return making.planned()


def play_part(
    asked: AskedTable, part: int, of: int, out: str | Path | None = None, workers: int | None = 1,
    cluster: str | None = None, watch: Watch | None = None,
) -> PartPlayed:  # fmt: skip
    """Play one of so many parts of a table (the first is 1) and keep it. Raises what `balance` raises."""
    with _opened(asked, out, workers, cluster, watch) as making:
        return making.part(part, of)


def take_in(out: str | Path | None, files: Sequence[str | Path]) -> int:
    """Copy what is kept in files of parts into the file of a table: how many pairings. Raises UsageError."""
    with ResultsFile(Path(out) if out is not None else usual_file()) as kept:
        return sum(kept.take_in(Path(file)) for file in files)


@contextmanager
def _opened(
    asked: AskedTable, out: str | Path | None, workers: int | None, cluster: str | None, watch: Watch | None
) -> Iterator[_Making]:
    """The makings of a table: its rules, the file of its results, and those who play."""
    from warhost.packs import load

    ruleset = asked.ruleset
    if not isinstance(ruleset, str | Path):
        raise UsageError("name the ruleset, or give its path: whoever plays loads it anew")
    if bool(asked.units) == bool(asked.armies):
        raise UsageError("a table is of units or of armies: name the one or the other")
    if asked.armies and asked.diagonal:
        raise UsageError(ONLY_UNITS)
    rules = load(ruleset, list(asked.house))
    known = at_home(ruleset)
    place = str(known.resolve()) if (known / "ruleset.yaml").is_file() else str(ruleset)
    names = tuple(str(Path(h).resolve()) if Path(h).exists() else str(h) for h in asked.house)
    crew = _crew(workers, cluster)
    with ResultsFile(Path(out) if out is not None else usual_file()) as kept, crew:
        yield _Making(asked, rules, code_of(rules), place, names, watch or (lambda _: None), kept, crew)


def _crew(number: int | None, cluster: str | None) -> Workers:
    if number is not None and number < 1:
        raise UsageError("there must be at least one worker")
    return workers(number, cluster)


def _duel(rules: Ruleset, asked: AskedTable) -> dict[str, Any]:
    """What every duel has in common, as a task says it. Raises UsageError before anything is played."""
    from warhost_odds.answer import check_asked
    from warhost_odds.questions import asked as asked_question
    from warhost_odds.questions import questions, settings_of

    check_asked(asked.until, asked.method, trials=1)
    known = questions(rules)
    won = [one.id for one in known.values() if one.wins]
    question, found = asked_question(asked.what or next(iter(won or known)), rules)
    if not question.wins:
        hint = f"ask for {' or '.join(won)}" if won else "its ruleset.yaml can say whose win a word is: `wins`"
        raise UsageError(f'nobody can win "{question.id}": it ends as {", ".join(question.outcomes)}; {hint}')
    chosen = settings_of(question, {**found, **asked.settings}, rules)
    return {
        "what": question.id, "until": asked.until, "method": asked.method, "given": asked.given,
        "settings": tuple((name, _plain(value)) for name, value in chosen.items()),
    }  # fmt: skip


def _plain(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class _Duels:
    """The duels of a table of units. allowed: the points that each may cost, None where one fights one whatever they
    cost; all: what every duel has in common; free: the names of those that cost nothing and were left out.
    """

    sizes: Sequence[Sized]
    allowed: float | None
    all: Mapping[str, Any]
    one_each: bool = False
    free: tuple[str, ...] = ()


@dataclass(slots=True)
class _Making:
    """Makes one table. place and house: where the rules are found by whoever plays; code: of the program that plays."""

    asked: AskedTable
    rules: Ruleset
    code: str
    place: str
    house: tuple[str, ...]
    watch: Watch
    kept: ResultsFile
    crew: Workers
    _duels: _Duels | None = None

    # -- units -----------------------------------------------------------------------------------

    def duels(self) -> _Duels:
        """The units, so large as the points allow. One duel is set up, so that what is wrong with the question is said
        before anything is played.
        """
        from warhost_odds.questions import set_up
        from warhost_odds.sizes import named, one_of, sized, usual_points, without_price

        if self._duels is None:
            all_ = _duel(self.rules, self.asked)
            specs = named(self.asked.units, self.rules, self.asked.where)
            question = self.rules.section("odds")[all_["what"]]
            free = [] if question.one_each else without_price(specs, self.asked.units, self.rules)
            specs = [spec for spec in specs if spec not in free]
            if len(specs) < 2:
                raise UsageError(f"a table needs two units or more; {len(specs)} named and fitting")
            allowed = self.asked.points
            if question.one_each:
                sizes = [one_of(spec, allowed, self.rules) for spec in specs]
            else:
                allowed = usual_points(specs, self.rules) if allowed is None else allowed
                sizes = [sized(spec, allowed, self.rules) for spec in specs]
            set_up(self.rules, question, sizes[0].spec, sizes[1].spec, dict(all_["settings"]), all_["given"])
            self._duels = _Duels(sizes, allowed, all_, question.one_each, tuple(spec.name for spec in free))
        return self._duels

    def duel(self, one: Sized, count: int, two: Sized) -> Task:
        """So many of one unit against another."""
        pair = sorted((str(one.spec.with_count(count)), str(two.spec)))
        return self._task("units", pair[0], pair[1], **self.duels().all)

    def pairs_of_units(self) -> dict[tuple[int, int], Task]:
        """Each against each other, by their numbers."""
        sizes = self.duels().sizes
        return {(a, b): self.duel(sizes[a], sizes[a].count, sizes[b]) for a, b in combinations(range(len(sizes)), 2)}

    def each_alone(self) -> list[Task]:
        """Each against itself."""
        duels = self.duels()
        return [self._task("units", str(s.spec), str(s.spec), **duels.all) for s in duels.sizes]

    def of_units(self, prices: bool) -> Balance:
        sizes, pairs = self.duels().sizes, self.pairs_of_units()
        played = self._play(list(pairs.values()), "pairings")
        fair = self._fair(sizes, played) if prices and not self.duels().one_each else {}
        results = [played[t] for t in pairs.values()]
        of_each: list[list[PairingResult]] = [[] for _ in sizes]
        for (a, b), p in zip(pairs, results, strict=True):
            of_each[a].append(p)
            of_each[b].append(p)
        standings = [
            _standing(str(s.spec), s.name, s.count, s.price, s.worth, own, fair.get(i), s.note)
            for i, (s, own) in enumerate(zip(sizes, of_each, strict=True))
        ]
        return self._table("units", _distinct(standings), results)

    def of_each_alone(self) -> tuple[PairingResult, ...]:
        tasks = self.each_alone()
        played = self._play(tasks, "pairings")
        return tuple(_alone(played[task]) for task in tasks)

    def _fair(self, sizes: Sequence[Sized], played: dict[Task, PairingResult]) -> dict[int, Fair]:
        """The fair price of each: the searches go side by side, a size of every unit at a time."""
        from warhost_odds.questions import MOST_MODELS

        def rate(i: int, count: int) -> float:
            """How often unit i, so large, beats the others."""
            spec = str(sizes[i].spec.with_count(count))
            others = [s for j, s in enumerate(sizes) if j != i]
            return math.fsum(played[self.duel(sizes[i], count, s)].rate(spec) for s in others) / len(others)

        searches = {i: search(s.count, min(max(LARGEST * s.count, AT_LEAST), MOST_MODELS)) for i, s in enumerate(sizes)}
        wanted = {i: next(one) for i, one in searches.items()}
        fair: dict[int, Fair] = {}
        while wanted:
            tasks = [
                self.duel(sizes[i], n, other) for i, n in wanted.items() for j, other in enumerate(sizes) if j != i
            ]
            new = [t for t in dict.fromkeys(tasks) if t not in played]
            played.update(self._play(new, "prices"))
            for i, n in list(wanted.items()):
                try:
                    wanted[i] = searches[i].send(rate(i, n))
                except StopIteration as stop:
                    del wanted[i]
                    exact = all(played[t].method == "exact" for t in tasks)
                    trials = 0 if exact else self.asked.number * (len(sizes) - 1)
                    fair[i] = _fair_price(sizes[i], stop.value, trials)
        return fair

    # -- armies ----------------------------------------------------------------------------------

    def armies(self) -> dict[str, Army]:
        """The armies by what they are called."""
        from warhost_odds.sizes import army_of

        taking: dict[str, Army] = {}
        for name in dict.fromkeys(self.asked.armies):
            army = army_of(name, self.rules)
            taking[str(Path(army.file).resolve()) if name not in self.rules.armies else name] = army
        if len(taking) < 2:
            raise UsageError("a table needs two armies or more")
        return taking

    def leader(self) -> str:
        """Who plays for the armies."""
        from warhost_battles.players import default_player, known_players, player

        known = known_players(self.rules)
        named = self.asked.player or default_player(known)
        player(named, 0, known)
        return named

    def pairs_of_armies(self, taking: Mapping[str, Army]) -> dict[tuple[str, str], Task]:
        named, scenario = self.leader(), self.asked.scenario
        if scenario is not None and scenario not in self.rules.scenarios:
            hint = did_you_mean(scenario, self.rules.scenarios) or f"there is {', '.join(self.rules.scenarios)}"
            raise UsageError(f'{self.rules.id} has no scenario "{scenario}"; {hint}')
        tasks = {}
        for one, two in combinations(taking, 2):
            first, second = sorted((one, two))
            content = json.dumps([taking[first].data, taking[second].data], sort_keys=True, default=str)
            tasks[one, two] = self._task(
                "armies", first, second, method="simulation", scenario=scenario or "", players=named,
                content=hashlib.sha256(content.encode()).hexdigest(),
            )  # fmt: skip
        return tasks

    def of_armies(self) -> Balance:
        taking = self.armies()
        tasks = self.pairs_of_armies(taking)
        played = self._play(list(tasks.values()), "pairings")
        results = [played[t] for t in tasks.values()]
        standings = []
        for id_, army in taking.items():
            own = [p for p in results if id_ in (p.one, p.two)]
            worth = own[0].one_worth if own[0].one == id_ else own[0].two_worth
            standings.append(_standing(id_, army.name, None, None, worth, own, None, ""))
        return self._table("armies", _distinct(standings), results)

    # -- both ------------------------------------------------------------------------------------

    def tasks(self) -> list[Task]:
        """Every pairing of the table."""
        if self.asked.armies:
            return list(self.pairs_of_armies(self.armies()).values())
        return [*self.pairs_of_units().values(), *(self.each_alone() if self.asked.diagonal else ())]

    def planned(self) -> BalancePlan:
        """What the pairings would take. A few are played and kept."""
        tasks = self.tasks()
        missing = [one for one in tasks if self.kept.get(one) is None]

        def told(done: int, total: int, last: PairingResult | None) -> None:
            self.watch(Progress("tried", done, total, 0, last))

        times = time_tried(missing, self.asked.seed, self.kept, told)
        left = len(missing) - min(len(missing), len(times) + 1)
        each, seconds, between = expected(times, left)
        players = len(self.asked.armies) or len(self.duels().sizes)
        return BalancePlan(
            self._about(), self._what(), self._points(), self.asked.number, self.asked.seed, players, len(tasks),
            len(tasks) - left, len(times), each, seconds, between, *self._sizes(),
        )  # fmt: skip

    def part(self, part: int, of: int) -> PartPlayed:
        """Play one part of the pairings."""
        tasks = part_of(self.tasks(), part, of)
        before = sum(self.kept.get(one) is not None for one in tasks)
        self._play(tasks, "pairings")
        return PartPlayed(self._about(), part, of, len(tasks), before)

    def _task(self, kind: str, one: str, two: str, **more: Any) -> Task:
        return Task(
            kind, self.place, self.house, self.rules.digest, one, two, self.asked.number, self.asked.seed,
            code=self.code, **more,
        )  # fmt: skip

    def _play(self, tasks: Sequence[Task], stage: str) -> dict[Task, PairingResult]:
        """What came of the tasks: what is kept as it is, the rest played and kept one by one."""
        found: dict[Task, PairingResult] = {}
        for one in tasks:
            known = self.kept.get(one)
            if known is not None:
                found[one] = known
        before = len(found)
        self.watch(Progress(stage, before, len(tasks), before, None))
        missing = [one for one in tasks if one not in found]
        for one, played in self.crew.play(missing) if missing else ():
            self.kept.put(one, played)
            found[one] = played
            self.watch(Progress(stage, len(found), len(tasks), before, played))
        return {one: found[one] for one in tasks}

    def _about(self) -> dict[str, Any]:
        rules = self.rules
        return {"id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house)}

    def _what(self) -> str:
        if self.asked.armies:
            return f"battles of the player {self.leader()}"
        return str(self.rules.section("odds")[self.duels().all["what"]].title)

    def _points(self) -> float | None:
        return None if self.asked.armies else self.duels().allowed

    def _sizes(self) -> tuple[bool, tuple[str, ...]]:
        """Whether one fights one, and who was left out."""
        return (False, ()) if self.asked.armies else (self.duels().one_each, self.duels().free)

    def _table(self, kind: str, standings: Iterable[Standing], results: Sequence[PairingResult]) -> Balance:
        return Balance(
            self._about(), kind, self._what(), self._points(), self.asked.number, self.asked.seed, tuple(standings),
            tuple(results), False, (), *self._sizes(),
        )  # fmt: skip


def _alone(p: PairingResult) -> PairingResult:
    """One against itself: there is no other who could defend, so both halves say how often who attacks wins."""
    assert p.one_attacking is not None
    assert p.one_defending is not None
    attacking = (p.one_attacking + 1.0 - p.one_defending) / 2
    return replace(p, one_attacking=attacking, one_defending=1.0 - attacking)


def _even(trials: int) -> int:
    """Half of the trials belong to either role."""
    if trials < 1:
        raise UsageError("a pairing needs at least one trial")
    return trials + trials % 2


def _standing(
    id_: str, name: str, count: int | None, price: float | None, worth: float, own: Sequence[PairingResult],
    fair: Fair | None, note: str,
) -> Standing:  # fmt: skip
    """One against all others: the mean of its pairings, each of which counts the same."""
    rate = math.fsum(p.rate(id_) for p in own) / len(own)
    lost = math.fsum(p.one_lost if p.one == id_ else p.two_lost for p in own)
    took = math.fsum(p.two_lost if p.one == id_ else p.one_lost for p in own)
    between = _interval(rate, sum(p.trials for p in own))
    return Standing(id_, name, count, price, worth, rate, between, took / lost if lost else None, fair, note)


def _distinct(standings: Sequence[Standing]) -> list[Standing]:
    """With the id beside every name that several have."""
    names = [s.name for s in standings]
    return [replace(s, name=f"{s.name} ({s.id})") if names.count(s.name) > 1 else s for s in standings]


# -- fair prices --------------------------------------------------------------------------------------

Found = tuple[float | None, float, str]


def search(size: int, most: int) -> Generator[int, float, Found]:
    """Looks for the size at which a unit wins half of the time: gives sizes to be tried, is sent their win rates.

    Returns the size, not whole, by how much the win rate rises with a model more there, and a sentence when there is
    no such size. It takes for granted that more models win more often, as far as the few sizes that it tries show.
    """
    rates = {size: (yield size)}
    low = high = size
    while rates[low] > 0.5:
        if low == 1:
            return None, 0.0, "a single one wins more than half"
        high, low = low, low // 2
        rates[low] = yield low
    while rates[high] <= 0.5:
        if rates[high] == 0.5:
            return float(high), 0.0, ""
        if high >= most:
            return None, 0.0, f"{high} of them win less than half"
        low, high = high, min(2 * high, most)
        rates[high] = yield high
    while high - low > 1:
        middle = (low + high) // 2
        rates[middle] = yield middle
        low, high = (low, middle) if rates[middle] > 0.5 else (middle, high)
    slope = rates[high] - rates[low]
    return low + (0.5 - rates[low]) / slope, slope, ""


def _fair_price(unit: Sized, found: Found, trials: int) -> Fair:
    """The price that makes the size found cost what the unit costs now. trials: 0 when the rates are exact."""
    models, slope, says = found
    if models is None:
        return Fair(None, (None, None), None, says)
    price = unit.worth / models
    if not trials:
        return Fair(price, (price, price), models)
    low, high = wilson(0.5, trials, LEVEL)
    if not slope:
        return Fair(price, (None, None), models)
    more, less = models + (high - 0.5) / slope, models - (0.5 - low) / slope
    return Fair(price, (unit.worth / more, unit.worth / less if less > 0 else None), models)
