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
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.errors import UsageError, did_you_mean
from warhost.packs.find import at_home
from warhost_odds.answer import LEVEL, Span, wilson
from warhost_odds.pairings import WINS, PairingResult, Task, code_of
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
    """How far it is. stage: `pairings` or `prices`; kept: how many of those done came from an earlier run."""

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


@dataclass(frozen=True, slots=True)
class Balance:
    """A whole table. kind: units or armies; points: what every unit may cost; standings in the order of the call.

    ordered: the rates are those of the row attacking the column, not of both ways together. alone: each against itself,
    if that was asked for.
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

    def pairing(self, one: str, two: str) -> PairingResult | None:
        """What came of two, in either order; None for one against itself."""
        return next((p for p in self.pairings if {p.one, p.two} == {one, two} and one != two), None)

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
            "alone": [_row(p) for p in self.alone],
        }  # fmt: skip


def _interval(rate: float, trials: int) -> Span:
    return wilson(rate, trials) if trials else (rate, rate)


def _row(p: PairingResult) -> dict[str, Any]:
    low, high = _interval(p.rate(p.one), p.trials)
    return {**p.as_dict(), "rate": p.rate(p.one), "rate_low": low, "rate_high": high}


# -- the call -----------------------------------------------------------------------------------------


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
    from warhost.packs import load

    if not isinstance(ruleset, str | Path):
        raise UsageError("name the ruleset, or give its path: whoever plays loads it anew")
    if bool(units) == bool(armies):
        raise UsageError("a table is of units or of armies: name the one or the other")
    if armies and (ordered or diagonal):
        raise UsageError("only units have a table that tells who attacks")
    rules = load(ruleset, list(house))
    known = at_home(ruleset)
    place = str(known.resolve()) if (known / "ruleset.yaml").is_file() else str(ruleset)
    names = tuple(str(Path(h).resolve()) if Path(h).exists() else str(h) for h in house)
    make = _Making(rules, code_of(rules), place, names, seed, watch or (lambda _: None))
    crew = _crew(workers, cluster)
    with ResultsFile(Path(out) if out is not None else usual_file()) as kept, crew:
        if armies:
            return make.of_armies(armies, BATTLES if trials is None else trials, scenario, player, kept, crew)
        duel = _duel(rules, what, until, settings, given, method)
        found, allowed = make.sizes(units, points, where)
        make.try_out(found, duel)
        number = DUELS if trials is None else trials
        table = make.of_units(found, allowed, duel, number, prices, kept, crew)
        alone = make.of_each_alone(found, duel, number, kept, crew) if diagonal else ()
        return replace(table, ordered=ordered, alone=alone)


def _crew(number: int | None, cluster: str | None) -> Workers:
    if number is not None and number < 1:
        raise UsageError("there must be at least one worker")
    return workers(number, cluster)


def _duel(
    rules: Ruleset, what: str | None, until: str, settings: Mapping[str, Any] | None, given: Sequence[str], method: str
) -> dict[str, Any]:
    """What every duel has in common, as a task says it. Raises UsageError before anything is played."""
    from warhost_odds.answer import check_asked
    from warhost_odds.questions import asked, questions, settings_of

    check_asked(until, method, trials=1)
    question, found = asked(what or next(iter(questions(rules))), rules)
    if not set(WINS) & set(question.outcomes):
        hint = " and ".join(WINS)
        raise UsageError(f'nobody can win "{question.id}": its outcomes are {", ".join(question.outcomes)}, not {hint}')
    chosen = settings_of(question, {**found, **(settings or {})}, rules)
    return {
        "what": question.id, "until": until, "method": method, "given": tuple(given),
        "settings": tuple((name, _plain(value)) for name, value in chosen.items()),
    }  # fmt: skip


def _plain(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


@dataclass(slots=True)
class _Making:
    """Makes one table."""

    rules: Ruleset
    code: str
    place: str
    house: tuple[str, ...]
    seed: int
    watch: Watch

    # -- units -----------------------------------------------------------------------------------

    def sizes(
        self, units: Sequence[str], points: float | None, where: Mapping[str, str] | None
    ) -> tuple[list[Sized], float]:
        """The units, and the points that each may cost."""
        from warhost_odds.sizes import named, sized, usual_points

        specs = named(units, self.rules, where)
        if len(specs) < 2:
            raise UsageError(f"a table needs two units or more; {len(specs)} named and fitting")
        allowed = usual_points(specs, self.rules) if points is None else points
        return [sized(spec, allowed, self.rules) for spec in specs], allowed

    def try_out(self, sizes: Sequence[Sized], duel: Mapping[str, Any]) -> None:
        """Set up one duel, so that what is wrong with the question is said before anything is played."""
        from warhost_odds.questions import set_up

        question = self.rules.section("odds")[duel["what"]]
        set_up(self.rules, question, sizes[0].spec, sizes[1].spec, dict(duel["settings"]), duel["given"])

    def of_units(
        self, sizes: Sequence[Sized], allowed: float, duel: Mapping[str, Any], trials: int, prices: bool,
        kept: ResultsFile, crew: Workers,
    ) -> Balance:  # fmt: skip
        trials = _even(trials)

        def task(one: Sized, count: int, two: Sized) -> Task:
            pair = sorted((str(one.spec.with_count(count)), str(two.spec)))
            return self._task("units", pair[0], pair[1], trials, **duel)

        pairs = {(a, b): task(sizes[a], sizes[a].count, sizes[b]) for a, b in combinations(range(len(sizes)), 2)}
        played = self._play(list(pairs.values()), "pairings", kept, crew)

        def rate(i: int, count: int, found: Mapping[Task, PairingResult]) -> float:
            """How often unit i, so large, beats the others."""
            spec = str(sizes[i].spec.with_count(count))
            others = [s for j, s in enumerate(sizes) if j != i]
            return math.fsum(found[task(sizes[i], count, s)].rate(spec) for s in others) / len(others)

        fair: dict[int, Fair] = {}
        if prices:
            fair = self._fair(sizes, task, rate, played, trials, kept, crew)
        results = [played[t] for t in pairs.values()]
        standings = []
        for i, s in enumerate(sizes):
            own = [p for (a, b), p in zip(pairs, results, strict=True) if i in (a, b)]
            standings.append(_standing(str(s.spec), s.name, s.count, s.price, s.worth, own, fair.get(i), s.note))
        question = self.rules.section("odds")[duel["what"]]
        return self._table("units", question.title, allowed, trials, _distinct(standings), results)

    def of_each_alone(
        self, sizes: Sequence[Sized], duel: Mapping[str, Any], trials: int, kept: ResultsFile, crew: Workers
    ) -> tuple[PairingResult, ...]:
        """Each against itself."""
        specs = [str(s.spec) for s in sizes]
        tasks = [self._task("units", spec, spec, _even(trials), **duel) for spec in specs]
        played = self._play(tasks, "pairings", kept, crew)
        return tuple(_alone(played[task]) for task in tasks)

    def _fair(
        self, sizes: Sequence[Sized], task: Callable[[Sized, int, Sized], Task],
        rate: Callable[[int, int, Mapping[Task, PairingResult]], float], played: dict[Task, PairingResult],
        trials: int, kept: ResultsFile, crew: Workers,
    ) -> dict[int, Fair]:  # fmt: skip
        """The fair price of each: the searches go side by side, a size of every unit at a time."""
        searches = {i: search(s.count, max(LARGEST * s.count, AT_LEAST)) for i, s in enumerate(sizes)}
        wanted = {i: next(one) for i, one in searches.items()}
        fair: dict[int, Fair] = {}
        while wanted:
            tasks = [
                task(sizes[i], n, other) for i, n in wanted.items() for j, other in enumerate(sizes) if j != i
            ]
            new = [t for t in dict.fromkeys(tasks) if t not in played]
            played.update(self._play(new, "prices", kept, crew))
            for i, n in list(wanted.items()):
                try:
                    wanted[i] = searches[i].send(rate(i, n, played))
                except StopIteration as stop:
                    del wanted[i]
                    exact = all(played[t].method == "exact" for t in tasks)
                    fair[i] = _fair_price(sizes[i], stop.value, 0 if exact else trials * (len(sizes) - 1))
        return fair

    # -- armies ----------------------------------------------------------------------------------

    def of_armies(
        self, armies: Sequence[str], trials: int, scenario: str | None, player: str | None, kept: ResultsFile,
        crew: Workers,
    ) -> Balance:  # fmt: skip
        from warhost_battles.players import default_player, known_players
        from warhost_battles.players import player as player_named
        from warhost_odds.sizes import army_of

        trials = _even(trials)
        known = known_players(self.rules)
        named = player or default_player(known)
        player_named(named, 0, known)
        if scenario is not None and scenario not in self.rules.scenarios:
            hint = did_you_mean(scenario, self.rules.scenarios) or f"there is {', '.join(self.rules.scenarios)}"
            raise UsageError(f'{self.rules.id} has no scenario "{scenario}"; {hint}')
        taking: dict[str, Army] = {}
        for name in dict.fromkeys(armies):
            army = army_of(name, self.rules)
            taking[str(Path(army.file).resolve()) if name not in self.rules.armies else name] = army
        if len(taking) < 2:
            raise UsageError("a table needs two armies or more")
        tasks = {}
        for pair in combinations(taking, 2):
            one, two = sorted(pair)
            content = json.dumps([taking[one].data, taking[two].data], sort_keys=True, default=str)
            tasks[pair] = self._task(
                "armies", one, two, trials, method="simulation", scenario=scenario or "", players=named,
                content=hashlib.sha256(content.encode()).hexdigest(),
            )  # fmt: skip
        played = self._play(list(tasks.values()), "pairings", kept, crew)
        results = [played[t] for t in tasks.values()]
        standings = []
        for id_, army in taking.items():
            own = [p for p in results if id_ in (p.one, p.two)]
            worth = own[0].one_worth if own[0].one == id_ else own[0].two_worth
            standings.append(_standing(id_, army.name, None, None, worth, own, None, ""))
        return self._table("armies", f"battles of the player {named}", None, trials, _distinct(standings), results)

    # -- both ------------------------------------------------------------------------------------

    def _task(self, kind: str, one: str, two: str, trials: int, **more: Any) -> Task:
        return Task(
            kind, self.place, self.house, self.rules.digest, one, two, trials, self.seed, code=self.code, **more
        )

    def _play(self, tasks: Sequence[Task], stage: str, kept: ResultsFile, crew: Workers) -> dict[Task, PairingResult]:
        """What came of the tasks: what is kept as it is, the rest played and kept one by one."""
        found: dict[Task, PairingResult] = {}
        for one in tasks:
            known = kept.get(one)
            if known is not None:
                found[one] = known
        before = len(found)
        self.watch(Progress(stage, before, len(tasks), before, None))
        missing = [one for one in tasks if one not in found]
        for one, played in crew.play(missing) if missing else ():
            kept.put(one, played)
            found[one] = played
            self.watch(Progress(stage, len(found), len(tasks), before, played))
        return {one: found[one] for one in tasks}

    def _table(
        self, kind: str, what: str, points: float | None, trials: int, standings: Iterable[Standing],
        results: Sequence[PairingResult],
    ) -> Balance:  # fmt: skip
        rules = self.rules
        about = {
            "id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house),
        }  # fmt: skip
        return Balance(about, kind, what, points, trials, self.seed, tuple(standings), tuple(results))


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
