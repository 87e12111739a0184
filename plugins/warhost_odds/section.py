"""The questions about chances that a manifest asks (`odds:`), checked against the program that must answer them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from warhost.errors import Problem, UsageError, did_you_mean
from warhost.lang import ir
from warhost.lang.place import NOWHERE, Pos
from warhost.lang.program import FieldInfo, Program
from warhost.lang.types import Type, noun_type
from warhost.packs.yaml_source import Map, Seq, problem_at
from warhost_odds.rounds import BEGINNING, round_of

#: What the first two parameters of everything but `losses` and `worth_lost` are: things of this noun.
THING = "unit"

#: Types that a setting may have.
_SETTINGS = frozenset({"word", "number", "fraction", "distance", "text", "yes_no", "kind"})

_FIGURES = frozenset({"number", "fraction", "distance"})

#: Types of what can be seen of a unit.
_SEEN = frozenset({"word", "number", "fraction", "distance", "text", "yes_no"})

#: Types of state that can be given.
_NOW = _SEEN - {"text"}

#: The sides of a question.
SIDES = ("attacker", "defender")

#: What each key names: (sort, how many units it takes, what it gives).
_NEEDED: dict[str, tuple[str, int, str]] = {
    "sets_up": ("procedure", 2, ""),
    "round": ("procedure", 2, ""),
    "over": ("flag", 2, "yes_no"),
    "outcome": ("value", 2, "word"),
    "losses": ("number", 1, "number"),
    "worth_lost": ("number", 1, "number"),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A further parameter of `sets_up`. default is None when the one who asks must say.

    untold: nothing is said of it while it is as it is by default. low and high: the least and the most that it may be.
    choices: what it may be, where that is one of a few words.
    """

    name: str
    type: Type
    default: Any = None
    untold: bool = False
    low: int | Fraction | None = None
    high: int | Fraction | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: Any) -> None:
        """Raises ValueError for a figure beyond the limits."""
        if self.low is not None and value < self.low:
            raise ValueError(f"{value} is less than {self.low}, the least that it may be")
        if self.high is not None and value > self.high:
            raise ValueError(f"{value} is more than {self.high}, the most that it may be")

    def as_dict(self) -> dict[str, Any]:
        """What `--settings --json` says of it."""
        return {
            "name": self.name, "type": str(self.type), "default": _plain(self.default), "at_least": _plain(self.low),
            "at_most": _plain(self.high), "choices": list(self.choices),
        }  # fmt: skip


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Fraction) else value


@dataclass(frozen=True, slots=True)
class Sight:
    """Something that is to be seen of a unit: a field of it, or a number, flag or value of the rules that takes it.

    of: an expression of the local `unit`; function: the same as a function of it.
    """

    name: str
    of: ir.Expr
    function: ir.Routine


def _lasts(info: FieldInfo) -> bool:
    """Whether a field is a figure that lasts, and not how many of a unit are left."""
    begins = info.default.value if info.default is not None else None
    is_size = begins is not None and any(isinstance(n, ir.GetField) and n.field == "size" for n in ir.walk(begins))
    lasts = info.writable and not (is_size or info.resets or info.secret)
    return lasts and info.type.kind in _FIGURES and not info.type.optional


def _is_thing(program: Program, of: Type) -> bool:
    at: str | None = of.name if of.kind == "noun" else None
    while at is not None and at in program.nouns:
        if at == THING:
            return True
        at = program.nouns[at].is_a
    return False


class NotSeenError(Exception):
    """What is named cannot be seen of a unit: why, and what might have been meant."""

    def __init__(self, message: str, hint: str | None = None, code: str = "wrong-question") -> None:
        super().__init__(message)
        self.message, self.hint, self.code = message, hint, code


def sight(program: Program, name: str, of: str, pos: Pos = NOWHERE) -> Sight:
    """A field of units, or a number, flag or value of (unit), by a name of one's own. Raises NotSeenError."""
    unit = noun_type(THING)
    number, fields = program.numbers.get(of), program.nouns[THING].fields
    if number is not None:
        if len(number.params) != 1 or not _is_thing(program, number.params[0].type):
            raise NotSeenError(f'"{of}" does not take (unit)', "it is asked of each of the two units")
        seen: ir.Expr = ir.Evaluate(of, [ir.Local("unit", type=unit)], type=number.type)
    elif of in fields:
        seen = ir.GetField(ir.Local("unit", type=unit), of, type=fields[of].type)
    else:
        takes_one = [n.name for n in program.numbers.values() if len(n.params) == 1]
        hint = did_you_mean(of, [*fields, *takes_one])
        raise NotSeenError(f'no unit has a field "{of}", and there is no such number', hint, "unknown-name")
    if seen.type.kind not in _SEEN:
        raise NotSeenError(f'"{of}" is {seen.type}: only figures, words and texts can be shown')
    title = f"{name} of a unit"
    return Sight(name, seen, ir.Routine(title, title, [ir.Param("unit", unit)], value=seen, pos=pos))


@dataclass(frozen=True, slots=True)
class Question:
    """What can be asked of two units: the names of the rules that set them up and say how it came out.

    round is a procedure of both units: of the ruleset, or made of its turn (rounds.py); between two rounds comes the
    procedure next_turn, if there is one.
    settings are the parameters of `sets_up` behind the two units, in their order. outcomes are the words of `outcome`.
    shows: what is told of both units before the fight; observe: what is seen of both after it. wins: whose win an
    outcome is; the others are nobody's. now: state that counts, besides how many there are, when it is asked of units
    on the table. one_each: either side is one model. declines: a procedure of a unit that
    refuses what no unit can be, "" without one.
    """

    id: str
    title: str
    sets_up: str
    round: ir.Routine
    over: str
    outcome: str
    losses: str
    worth_lost: str
    settings: tuple[Setting, ...] = ()
    outcomes: tuple[str, ...] = ()
    next_turn: ir.Routine | None = None
    shows: tuple[Sight, ...] = ()
    observe: tuple[Sight, ...] = ()
    wins: Mapping[str, str] = field(default_factory=dict)
    one_each: bool = False
    declines: str = ""
    now: tuple[str, ...] = ()

    @property
    def subject(self) -> Setting | None:
        """The first setting that must be given: what is written behind the colon of `ID:VALUE`."""
        return next((s for s in self.settings if s.default is None), None)

    def as_dict(self) -> dict[str, Any]:
        """What `--settings --json` says of it."""
        return {
            "id": self.id, "title": self.title, "outcomes": list(self.outcomes),
            "settings": [one.as_dict() for one in self.settings], "shows": [s.name for s in self.shows],
            "observe": [s.name for s in self.observe], "wins": dict(self.wins), "one_each": self.one_each,
        }  # fmt: skip

    def setting(self, name: str) -> Setting:
        """A setting by its name; raises UsageError with the nearest one."""
        for one in self.settings:
            if one.name == name:
                return one
        names = [s.name for s in self.settings]
        hint = did_you_mean(name, names) or (f"there is {', '.join(names)}" if names else "it has none")
        raise UsageError(f'the question "{self.id}" has no setting "{name}"; {hint}')


def read_section(manifests: Sequence[Map], program: Program | None) -> tuple[dict[str, Question], list[Problem]]:
    """The questions of a chain of manifests, the lowest first, and what is wrong with them.

    A higher manifest takes the place of a question of the same id. Without a program there are none.
    """
    rows: dict[str, Map] = {}
    for manifest in manifests:
        asked = manifest.get("odds")
        if isinstance(asked, Map):
            rows.update({str(id_): one for id_, one in asked.items() if isinstance(one, Map)})
    found: dict[str, Question] = {}
    problems: list[Problem] = []
    if program is None:
        return found, problems
    for id_, row in rows.items():
        reading = _QuestionReader(id_, row, program)
        question = reading.question()
        problems.extend(reading.problems)
        if question is not None:
            found[id_] = question
    return found, problems


def value_of(text: Any, wanted: Type, program: Program) -> Any:
    """A value of a setting as the rules have it, from text or plain data; a kind's definition stays its title.

    Raises ValueError in plain words when it does not fit.
    """
    if wanted.kind == "yes_no":
        return _yes_or_no(text)
    if wanted.kind in ("number", "fraction", "distance"):
        return _figure(text, wanted)
    word = str(text).strip()
    if wanted.kind == "word":
        return _one_of(word, {w: w for w in program.words[wanted.name]}, wanted.name.replace("_", " "))
    if wanted.kind == "kind":
        titles = [title for kind, title in program.definitions if kind == wanted.name]
        return _one_of(word, {title.lower(): title for title in titles}, wanted.name)
    return word


def _yes_or_no(text: Any) -> bool:
    if isinstance(text, bool):
        return text
    if str(text).strip().lower() in ("yes", "no"):
        return str(text).strip().lower() == "yes"
    raise ValueError(f'"{text}" is neither yes nor no')


def _figure(text: Any, wanted: Type) -> int | Fraction:
    try:
        value = Fraction(str(text).strip())
    except (ValueError, ZeroDivisionError):
        raise ValueError(f'"{text}" is no number') from None
    if value.denominator == 1:
        return int(value)
    if wanted.kind == "number":
        raise ValueError(f"{text} is no whole number")
    return value


def _one_of(word: str, known: Mapping[str, str], what: str) -> str:
    """known: what may be written, in small letters, and what it means."""
    found = known.get(word.lower()) or known.get(word.lower().replace(" ", "_"))
    if found is None:
        few = list(known.values()) if len(known) <= 12 else []
        hint = did_you_mean(word, known.values()) or (f"there is {', '.join(few)}" if few else "")
        raise ValueError(f'there is no {what} "{word}"{"; " if hint else ""}{hint}')
    return found


class _QuestionReader:
    """One question, with every name looked up and the types of all parameters compared."""

    def __init__(self, id_: str, row: Map, program: Program) -> None:
        self.id, self.row, self.program = id_, row, program
        self.problems: list[Problem] = []

    def question(self) -> Question | None:
        names: dict[str, str] = {}
        rules: dict[str, ir.Routine | ir.Number] = {}
        of_turn = self.row.get("round")
        if isinstance(of_turn, Map):
            names["round"] = ""
            made = self._round_of_turn(of_turn)
            if made is not None:
                rules["round"] = made
        for key, (sort, units, gives) in _NEEDED.items():
            name = self.row.get(key)
            if not isinstance(name, str):  # the schema has said so
                continue
            names[key] = name
            rule = self._named(key, name, sort)
            if rule is None:
                continue
            rules[key] = rule
            self._takes(key, sort, rule.params, units)
            if isinstance(rule, ir.Number) and not _gives(rule.type, gives):
                self._wrong(key, f"{sort} {name} gives {rule.type}, not a {gives}")
        if len(names) < len(_NEEDED):
            return None
        set_up = rules.get("sets_up")
        settings = self._settings(set_up.params[2:]) if set_up is not None else ()
        shows, observe = self._sights("shows"), self._sights("observe")
        declines = self._declines()
        now = self._now([rules[key] for key in ("losses", "worth_lost") if key in rules])
        outcome = rules.get("outcome")
        words: Sequence[str] = ()
        if isinstance(outcome, ir.Number) and outcome.type.kind == "word":
            words = self.program.words[outcome.type.name]
        wins = self._wins(words)
        if self.problems:
            return None
        one_round = rules["round"]
        assert isinstance(one_round, ir.Routine)
        del names["round"]
        title = str(self.row.get("title") or self.id)
        next_turn = BEGINNING if isinstance(of_turn, Map) else None
        return Question(
            self.id, title, round=one_round, settings=settings, outcomes=tuple(words), next_turn=next_turn,
            shows=shows, observe=observe, wins=wins, one_each=bool(self.row.get("one_each", False)), declines=declines,
            now=now, **names,
        )  # fmt: skip

    def _wins(self, words: Sequence[str]) -> dict[str, str]:
        """Whose win each word is: as the manifest says, else `attacker_wins` and `defender_wins`."""
        given = self.row.get("wins")
        if not isinstance(given, Map):
            return {f"{side}_wins": side for side in SIDES if f"{side}_wins" in words}
        found: dict[str, str] = {}
        for side in (str(one) for one in given):
            won = given[side]
            for i, word in enumerate(map(str, won)):
                if words and word not in words:
                    hint = did_you_mean(word, words) or f"there is {', '.join(words)}"
                    self._wrong_at(won.pos(i), f'"{word}" is no outcome', hint, "unknown-word")
                elif word in found:
                    self._wrong_at(won.pos(i), f'"{word}" is won by both', "name it once")
                found[word] = side
        return found

    def _now(self, losses: Sequence[ir.Routine | ir.Number]) -> tuple[str, ...]:
        """The state that counts of units on the table: as the manifest says, else the figures that last of those from
        which their losses are reckoned. losses: the numbers of these.
        """
        fields, given = self.program.nouns[THING].fields, self.row.get("now")
        if not isinstance(given, Seq):
            looked_at = (node for one in losses for node in ir.walk(one))
            names = dict.fromkeys(node.field for node in looked_at if isinstance(node, ir.GetField))
            return tuple(name for name in names if name in fields and _lasts(fields[name]))
        for i, name in enumerate(map(str, given)):
            field = fields.get(name)
            state = [one.name for one in fields.values() if one.writable and one.type.kind in _NOW]
            if field is None or not field.writable:
                self._wrong_at(given.pos(i), f'units have no state "{name}"', did_you_mean(name, state), "unknown-name")
            elif field.type.kind not in _NOW or field.type.optional:
                message = f'"{name}" is {field.type}: only figures, words and yes or no can be given'
                self._wrong_at(given.pos(i), message)
        return tuple(map(str, given))

    def _declines(self) -> str:
        """The procedure that refuses what no unit can be."""
        name = self.row.get("declines")
        if not isinstance(name, str):
            return ""
        rule = self._named("declines", name, "procedure")
        if rule is not None and (len(rule.params) != 1 or not self._is_thing(rule.params[0].type)):
            has = ", ".join(f"{p.name}: {p.type}" for p in rule.params)
            self._wrong("declines", f"the procedure must take (unit); it takes ({has})")
        return name

    def _round_of_turn(self, given: Map) -> ir.Routine | None:
        """A round made of the turn, when every phase and procedure named is there."""
        known = [phase.name for phase in self.program.turn]
        left_out, in_place = given.get("without") or Seq(), given.get("instead") or Map()
        before = len(self.problems)
        places = [(str(name), left_out.pos(i)) for i, name in enumerate(left_out)]
        for name, pos in [*places, *((str(name), in_place.key_pos(name)) for name in in_place)]:
            if name not in known and name not in self.program.phases_gone:
                hint = did_you_mean(name, known) or f"there is {', '.join(known)}"
                self._wrong_at(pos, f'the turn has no phase "{name}"', hint, "unknown-phase")
        for name in in_place:
            if name in left_out:
                message = f'the phase "{name}" is left out and has something in its place'
                self._wrong_at(in_place.key_pos(name), message, "say one of the two")
            self._stands_in(str(in_place[name]), in_place.pos(name))
        if len(self.problems) > before:
            return None
        without, instead = frozenset(map(str, left_out)), {str(k): str(v) for k, v in in_place.items()}
        return round_of(self.program, self.id, without, instead, self.row.pos("round"))

    def _stands_in(self, name: str, pos: Pos) -> None:
        """What is done in the place of a phase must be something that two units can do."""
        procedure = self.program.procedures.get(name)
        if procedure is None:
            hint = did_you_mean(name, self.program.procedures)
            self._wrong_at(pos, f'there is no procedure "{name}"', hint, "unknown-procedure")
        elif len(procedure.params) > 2 or not all(self._is_thing(p.type) for p in procedure.params):
            has = ", ".join(f"{p.name}: {p.type}" for p in procedure.params)
            message = f"in the place of a phase stands what takes (attacker: unit, defender: unit) or less, not ({has})"
            self._wrong_at(pos, message)

    def _wrong(self, key: str, message: str, hint: str | None = None, code: str = "wrong-question") -> None:
        self._wrong_at(self.row.pos(key), message, hint, code)

    def _wrong_at(self, pos: Pos, message: str, hint: str | None = None, code: str = "wrong-question") -> None:
        self.problems.append(problem_at(pos, code, f'odds "{self.id}": {message}', hint))

    def _named(self, key: str, name: str, sort: str) -> ir.Routine | ir.Number | None:
        if sort == "procedure":
            procedure = self.program.procedures.get(name)
            if procedure is None:
                hint = did_you_mean(name, self.program.procedures)
                self._wrong(key, f'there is no procedure "{name}"', hint, "unknown-procedure")
            return procedure
        number = self.program.numbers.get(name)
        if number is None or number.sort != sort:
            fitting = [n.name for n in self.program.numbers.values() if n.sort == sort]
            hint = f"{name} is a {number.sort}" if number is not None else did_you_mean(name, fitting)
            self._wrong(key, f'there is no {sort} "{name}"', hint, f"unknown-{sort}")
            return None
        return number

    def _sights(self, key: str) -> tuple[Sight, ...]:
        """What is to be seen of a unit: a list of names, or names of ours to names of the ruleset."""
        given = self.row.get(key)
        if isinstance(given, Map):
            rows = [(str(name), str(given[name]), given.pos(name)) for name in given]
        elif isinstance(given, Seq):
            rows = [(str(name), str(name), given.pos(i)) for i, name in enumerate(given)]
        else:
            rows = []
        found = [self._sight(name, of, pos) for name, of, pos in rows]
        return tuple(one for one in found if one is not None)

    def _sight(self, name: str, of: str, pos: Pos) -> Sight | None:
        try:
            return sight(self.program, name, of, pos)
        except NotSeenError as error:
            self._wrong_at(pos, error.message, error.hint, error.code)
            return None

    def _takes(self, key: str, sort: str, params: Sequence[ir.Param], units: int) -> None:
        """Whether the parameters are so many units, and behind those of `sets_up` what can be a setting."""
        enough = len(params) >= units if key == "sets_up" else len(params) == units
        if not enough or not all(self._is_thing(p.type) for p in params[:units]):
            wanted = "(attacker: unit, defender: unit)" if units == 2 else "(unit)"
            has = ", ".join(f"{p.name}: {p.type}" for p in params)
            hint = f"its first parameters must be {wanted}; settings stand behind"
            self._wrong(key, f"the {sort} must take {wanted}; it takes ({has})", hint)

    def _is_thing(self, of: Type) -> bool:
        return _is_thing(self.program, of)

    def _settings(self, params: Sequence[ir.Param]) -> tuple[Setting, ...]:
        given = self.row.get("settings")
        defaults = given if isinstance(given, Map) else Map()
        for name in defaults:
            if name not in [p.name for p in params]:
                hint = did_you_mean(str(name), [p.name for p in params]) or "add it to the parameters of the procedure"
                message = f'odds "{self.id}": the procedure that sets up has no parameter "{name}"'
                self.problems.append(problem_at(defaults.key_pos(name), "unknown-setting", message, hint))
        untold = self.row.get("untold") or []
        for name in untold:
            if name not in defaults:
                near = did_you_mean(str(name), defaults)
                self._wrong("untold", f'"{name}" has no default in `settings`', near, "unknown-setting")
        return tuple(self._each_setting(params, defaults, frozenset(map(str, untold))))

    def _each_setting(
        self, params: Sequence[ir.Param], defaults: Map, untold: frozenset[str]
    ) -> Iterator[Setting]:
        for p in params:
            if p.type.kind not in _SETTINGS or p.type.optional:
                self._wrong(
                    "sets_up", f"{p.name}: {p.type} cannot be a setting", "a word, number, text, yes_no or kind can"
                )
                continue
            given = defaults[p.name] if p.name in defaults else Map()
            row: Mapping[str, Any] = given if isinstance(given, Map) else {"default": given}
            values: dict[str, Any] = {}
            try:
                values = {key: value_of(row[key], p.type, self.program) for key in row}
                if p.type.kind not in _FIGURES and len(values.keys() - {"default"}):
                    raise ValueError(f"{p.type} has no limits")
                made = Setting(
                    p.name, p.type, values.get("default"), p.name in untold, values.get("at_least"),
                    values.get("at_most"), self._choices(p.type),
                )  # fmt: skip
                if made.default is not None:
                    made.check(made.default)
                yield made
            except ValueError as error:
                place = defaults.pos(p.name)
                self.problems.append(problem_at(place, "wrong-setting", f'odds "{self.id}": {p.name}: {error}'))

    def _choices(self, of: Type) -> tuple[str, ...]:
        if of.kind == "yes_no":
            return ("yes", "no")
        if of.kind == "kind":
            return tuple(title for kind, title in self.program.definitions if kind == of.name)
        return tuple(self.program.words[of.name]) if of.kind == "word" else ()


def _gives(has: Type, wanted: str) -> bool:
    if wanted == "number":
        return has.kind in ("number", "fraction", "distance") and not has.optional
    return has.kind == wanted and not has.optional
