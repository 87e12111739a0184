"""Running a ruleset's own examples: a situation, given dice, and what must come of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.errors import Problem, RuleFault, UsageError, WarhostError
from warhost.hookspecs import typed
from warhost.lang.python_backend import attribute
from warhost.lang.support import text
from warhost.packs.entries import UnitEntry, to_plain
from warhost.things import noun_of
from warhost.tools import ExamplePlayer, example_players, use
from warhost_battles.players import FirstOption, ScriptedPlayer
from warhost_proof.given_dice import GivenDice
from warhost_proof.situation_code import Snippet, snippet

if TYPE_CHECKING:
    from warhost.packs import Ruleset


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """How one example came out. failures are sentences: expected against got."""

    title: str
    file: str
    line: int
    ref: tuple[str, ...]
    passed: bool
    failures: tuple[str, ...]
    log: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)


def run_examples(
    rules: Ruleset, word: str | None = None, variants: dict[tuple[str, ...], Ruleset] | None = None
) -> list[ExampleResult]:
    """Run every example (whose title or refs contain the word); in the order of the files. variants: as in `under`."""
    chosen = [e for e in rules.examples if word is None or _mentions(e, word)]
    variants = dict(variants or {})
    if not rules.example_rules:
        variants.setdefault(houses_of(rules), rules)
    return [_ExampleRun(rules, e, variants).result() for e in chosen]


def run_example(
    rules: Ruleset, example: Any, variants: dict[tuple[str, ...], Ruleset], trace: bool = True
) -> tuple[ExampleResult, Battle | None]:
    """Run one example. variants: the ruleset by the house rules laid over it; what is missing is loaded and added."""
    run = _ExampleRun(rules, example, variants, trace)
    return run.result(), run.battle


def houses_of(rules: Ruleset) -> tuple[str, ...]:
    """The house rules in force as one may ask for them again: those that are not on offer by their paths."""
    found = []
    for layer in rules.layers:
        if layer.kind == "house":
            files = [file for file, of in rules.files.items() if of == layer]
            alone = len(files) == 1 and files[0] not in rules.example_files
            path = files[0] if alone else str(layer.folder)
            found.append(layer.id if layer.id in rules.house_rules else path)
    return tuple(found)


def under(rules: Ruleset, example: Any, variants: dict[tuple[str, ...], Ruleset]) -> Ruleset:
    """The ruleset with the house rules that an example is played with. variants: those that are loaded; what is missing
    is loaded and added.
    """
    given = (to_plain(example.data).get("given", {}) or {}).get("house_rules", ())
    house = (*houses_of(rules), *(str(h) for h in given), *map(str, rules.example_rules))
    if house not in variants:
        from warhost.packs import load

        variants[house] = load(rules.folder, house)
    return variants[house]


def _mentions(example: Any, word: str) -> bool:
    """Whether a title, a ref or the file's name has the word; a whole name of a file is that file alone."""
    file = example.pos.file.rsplit("/", 1)[-1]
    if word.endswith(".yaml"):
        return bool(file == word)
    places = (example.title, *example.ref, file)
    return any(word.lower() in place.lower() for place in places)


def _with_bearings(entry: UnitEntry, unit: Mapping[str, Any], rules: Ruleset) -> UnitEntry:
    """A unit with what the example makes it bear besides (`traits: [Banner]`)."""
    plurals = [kind.plural for kind in rules.vocabulary.kinds.values()]
    given = {plural: tuple(map(str, unit[plural])) for plural in plurals if plural in unit}
    bears = {plural: (*entry.bears.get(plural, ()), *titles) for plural, titles in given.items()}
    return replace(entry, bears={**entry.bears, **bears})


class _ExampleRun:
    """One example."""

    def __init__(
        self, rules: Ruleset, example: Any, variants: dict[tuple[str, ...], Ruleset], trace: bool = True
    ) -> None:
        self.rules, self.example, self.variants, self.trace = rules, example, variants, trace
        self.data: dict[str, Any] = to_plain(example.data)
        self.failures: list[str] = []
        self.dice = GivenDice([int(d) for d in self.data.get("dice", [])])
        self.battle: Battle | None = None
        self.armies: list[Army] = []
        self.value: Any = None

    def result(self) -> ExampleResult:
        then = self.data.get("then", {}) or {}
        refused = then.get("fails")
        try:
            self._play()
        except (WarhostError, ArithmeticError) as error:
            message = _words(error)
            if refused is None:
                self.failures.append(message)
            elif str(refused).lower() not in message.lower():
                self.failures.append(f'it was refused, but with "{message}" instead of "{refused}"')
        else:
            if refused is not None:
                self.failures.append(f'it should have been refused ("{refused}"), but it was not')
            if self._played_by() is None:
                self._expect(then)
        log = tuple(self.battle.log) if self.battle is not None else ()
        e = self.example
        return ExampleResult(e.title, e.pos.file, e.pos.line, e.ref, not self.failures, tuple(self.failures), log)

    def _played_by(self) -> ExamplePlayer | None:
        """The tool that plays such an example, if it is of a sort of its own."""
        return next((one for key, one in example_players().items() if key in self.data), None)

    # -- the situation -----------------------------------------------------------------------------

    def _play(self) -> None:
        given = self.data.get("given", {}) or {}
        rules = under(self.rules, self.example, self.variants)
        if (other := self._played_by()) is not None:
            self.failures += use(other.at, rules, self.data)
            return
        answers = self.data.get("choices", {}) or {}
        player = ScriptedPlayer(answers, FirstOption())
        armies = [self._army(s, i, rules) for i, s in enumerate(given.get("sides", [{}, {}]))]
        self.armies = armies
        setup_dice = GivenDice([])
        self.battle = battle = Battle(
            rules, armies, 0, scenario=self._scenario(given, rules), players=[player] * max(len(armies), 1),
            dice=setup_dice, trace=self.trace, names=[a.name for a in armies],
        )  # fmt: skip
        battle.battle.turn = int(given.get("turn", 1))
        battle.battle.phase = str(given.get("phase", ""))
        self._state(battle, given)
        battle.dice = self.dice
        when = self.data.get("when")
        if when is not None:
            self.value = self._asked(str(when), battle)
        if left := self.dice.left:
            were = "was" if len(left) == 1 else "were"
            raise RuleFault(f"{len(left)} of the given dice {were} not thrown: {text(left)}")
        unused = [k for k in answers if k not in player.used]
        if unused:
            raise UsageError(f'nobody was asked for {", ".join(repr(k) for k in unused)}')
        if answers and (over := player.left):
            said = "; ".join(f"{name}: {text(list(map(text, answers)))}" for name, answers in over.items())
            raise RuleFault(f"answers in `choices` that nobody asked for are left: {said}")

    def _army(self, side: Mapping[str, Any], i: int, rules: Ruleset) -> Army:
        units = [{"id": u.get("id", f"unit_{i}_{j}"), **u} for j, u in enumerate(side.get("units", ()))]
        data = {"id": f"side_{i + 1}", "name": side.get("name", f"Side {i + 1}"), "units": []}
        for u in units:
            u.setdefault("size", 1)
            u["state"] = {}
        data["units"] = units
        data["limit"] = int(side.get("limit", 0))
        for key in ("list", "allies"):
            if key in side:
                data[key] = side[key]
        army = Army.from_data(data, rules, self.example.pos.file)
        entries = (_with_bearings(entry, unit, rules) for entry, unit in zip(army.units, units, strict=True))
        return replace(army, units=tuple(entries))

    def _scenario(self, given: Mapping[str, Any], rules: Ruleset) -> dict[str, Any]:
        """The scenario named, its board emptied of terrain unless the example lays some."""
        from warhost.engine.setup import scenario_data

        name = given.get("scenario")
        data = scenario_data(rules, str(name) if name is not None else None)
        board = dict(data.get("board", {}))
        if name is None:
            board.pop("terrain", None)
            board.pop("to_lay", None)
        board.update(given.get("board", {}) or {})
        data["board"] = board
        data["settings"] = {**data.get("settings", {}), **(given.get("settings", {}) or {})}
        return data

    def _state(self, battle: Battle, given: Mapping[str, Any]) -> None:
        for side, raw in zip(battle.sides, given.get("sides", ()), strict=False):
            self._fields(battle, side, "side", raw.get("state", {}))
            for unit in raw.get("units", ()):
                if "id" in unit:
                    self._fields(battle, battle.by_id[str(unit["id"])], "unit", unit.get("state", {}))
        for thing, fields in (given.get("state", {}) or {}).items():
            target = _thing(battle, str(thing))
            if target is None:
                raise UsageError(f'there is nothing called "{thing}" here')
            self._fields(battle, target, noun_of(target), fields)

    def _fields(self, battle: Battle, entity: Any, noun: str, fields: Mapping[str, Any]) -> None:
        declared = battle.program.nouns[noun].fields
        for name, value in (fields or {}).items():
            if name not in declared:
                raise UsageError(f'a {noun} has no state "{name}"')
            info = declared[name]
            if info.type.kind == "noun" and isinstance(value, str):
                if value not in battle.by_id:
                    raise UsageError(f'there is nothing called "{value}" here')
                value = battle.by_id[value]
            battle.put(entity, attribute(name), typed(value, info.type))

    def _compiled(self, source: str, battle: Battle) -> Snippet:
        return snippet(source, battle.program, {**battle.by_id}, f"{self.example.pos.file} ({self.example.title})")

    def _asked(self, source: str, battle: Battle) -> Any:
        """What a line of the example comes to. What goes wrong in a plugin is a fault of this example alone."""
        asked = self._compiled(source, battle)
        return battle.guarded(lambda: asked(battle))

    # -- what must come of it ----------------------------------------------------------------------

    def _expect(self, then: Mapping[str, Any]) -> None:
        assert self.battle is not None
        for key, wanted in then.items():
            if key == "result":
                self._compare("the result", self.value, wanted)
            elif key in ("log contains", "log lacks"):
                self._log(key, wanted)
            elif key == "all":
                self._conditions(wanted if isinstance(wanted, list) else [wanted])
            elif key == "illegal":
                self._legality(wanted if isinstance(wanted, list) else [wanted])
            elif key != "fails":
                self._entity(str(key), wanted)

    def _entity(self, name: str, wanted: Mapping[str, Any]) -> None:
        assert self.battle is not None
        target = _thing(self.battle, name)
        if target is None:
            self.failures.append(f'there is nothing called "{name}" here')
            return
        for field_name, value in wanted.items():
            try:
                got = self._asked(f"{name}.{field_name}", self.battle)
            except WarhostError as error:
                self.failures.append(_words(error))
                continue
            self._compare(f"{name}.{field_name}", got, value)

    def _compare(self, what: str, got: Any, wanted: Any) -> None:
        if not _equal(got, wanted):
            one, two = _shown(wanted), _shown(got)
            if one == two:  # rounded to the same words
                one, two = str(wanted), str(got)
            self.failures.append(f"{what}: expected {one}, got {two}")

    def _log(self, key: str, wanted: Any) -> None:
        assert self.battle is not None
        told = "\n".join(str(r.get("text", "")) for r in self.battle.log if r.get("text"))
        for one in wanted if isinstance(wanted, list) else [wanted]:
            if (str(one) in told) != (key == "log contains"):
                should = "have" if key == "log contains" else "not have"
                self.failures.append(f'the story should {should} "{one}"; it is:\n{told or "(nothing)"}')

    def _conditions(self, conditions: Sequence[Any]) -> None:
        assert self.battle is not None
        for one in conditions:
            try:
                if self._asked(str(one), self.battle) is not True:
                    self.failures.append(f"not true: {one}")
            except WarhostError as error:
                self.failures.append(_words(error))

    def _legality(self, wanted: Sequence[Any]) -> None:
        """What is illegal about the armies of the sides: each reason in some of its words, no other; [] for none."""
        from warhost.armies.legality import check

        assert self.battle is not None
        reasons = [
            " ".join(part for part in (v.message, v.remedy) if part)
            for army in self.armies
            for v in check(army, self.battle.rules)
        ]
        for one in wanted:
            if not any(str(one) in reason for reason in reasons):
                self.failures.append(f'no army is illegal for "{one}"; the reasons are: {text(reasons) or "(none)"}')
        for reason in reasons:
            if not any(str(one) in reason for one in wanted):
                self.failures.append(f"an army is illegal: {reason}")


def _thing(battle: Battle, name: str) -> Any:
    """What an example calls by its id, the sides also as rules do; None when there is nothing of that name."""
    own = {"battle": battle.battle, **dict(zip(("side_a", "side_b"), battle.sides, strict=False))}
    return own.get(name, battle.by_id.get(name))


def _words(error: BaseException) -> str:
    problems: list[Problem] = getattr(error, "problems", [])
    said = (f"{p.message} ({p.hint})" if p.hint else p.message for p in problems)
    return "; ".join(said) if problems else str(error)


def _equal(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool):
        if isinstance(wanted, str) and isinstance(got, bool):
            return wanted == text(got)
        return got is wanted
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(map(_equal, got, wanted))
    if isinstance(got, float) and isinstance(wanted, int | float | Fraction):
        return abs(got - float(wanted)) <= 0.001
    if isinstance(wanted, float) and isinstance(got, int | Fraction):
        return abs(float(got) - wanted) <= 1e-9
    if isinstance(wanted, int | Fraction):
        return bool(got == wanted)
    if wanted is None or wanted == "none":
        return got is None or got == "none"
    return str(wanted) in (str(got), getattr(got, "id", None))


def _shown(value: Any) -> str:
    return text(value)
