"""From merged blocks and data to a checked program: the prelude below, the data's figures beside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypeAlias

from warhost.errors import Problem, did_you_mean, is_a_slip, mistakes
from warhost.lang import ir, tree
from warhost.lang.checker import Checker
from warhost.lang.costs import find_costs
from warhost.lang.effects import find_uses
from warhost.lang.notes import Notes
from warhost.lang.program import PRELUDE, FieldInfo, Program, RuleData, Table
from warhost.lang.symbols import PlacedBlock, Symbols
from warhost.lang.types import ANY, NUMBER, TEXT, YES_NO, Type
from warhost.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class _Prelude:
    block: tree.AnyBlock
    order: int


@cache
def prelude() -> tuple[tree.AnyBlock, ...]:
    """The blocks that every ruleset has."""
    from warhost.lang.parser import parse

    module, problems = parse(PRELUDE.read_text(encoding="utf-8"), PRELUDE.name)
    assert not problems, problems
    return module.blocks


#: Somebody who looks at rules that have been checked and tells what makes no sense: in some blocks, each alone (to
#: `checker.notes_of(block)`), and in all of them together (`checker.symbols.report`).
Look: TypeAlias = Callable[[Checker, RuleData, Sequence[tree.AnyBlock]], None]


def checked(
    placed: Sequence[PlacedBlock], vocabulary: Vocabulary, data: RuleData, looks: Sequence[Look] = ()
) -> tuple[Program, Checker]:
    """Check and lower, whatever is wrong; the problems are the checker's. looks: who else looks for mistakes."""
    checker = Checker(vocabulary)
    program = checker.check(on_the_prelude(placed), lambda symbols: data_tables(data.tables, symbols))
    looked_at(checker, data, [p.block for p in checker.placed], looks)
    program.checker = checker
    return program, checker


def some_checked(
    placed: Sequence[PlacedBlock], vocabulary: Vocabulary, data: RuleData, some: Sequence[tree.AnyBlock],
    types: Mapping[str, Type], noted: Mapping[int, Notes],
) -> tuple[Checker, Program]:  # fmt: skip
    """Check some of the blocks, without a look at what others find: the checker, and the program of these alone.

    types: those of numbers and procedures of the other blocks; noted: what was noted of these.
    """
    checker = Checker(vocabulary)
    checker.noted.update(noted)
    checker.check_some(on_the_prelude(placed), lambda symbols: data_tables(data.tables, symbols), some, types)
    return checker, checker.program()


def looked_at(
    checker: Checker, data: RuleData, some: Sequence[tree.AnyBlock], looks: Sequence[Look], data_in_order: bool = False
) -> None:
    """Hold the data against what is declared, unless they are known to be in order, and let others look."""
    checker.data_in_order = data_in_order
    if not data_in_order:
        _check_data(data, checker.symbols)
    for look in looks:
        look(checker, data, some)


def on_the_prelude(placed: Sequence[PlacedBlock]) -> list[PlacedBlock]:
    """The blocks with those below them that every ruleset has."""
    own = {getattr(p.block, "name", None) for p in placed if isinstance(p.block, tree.EventBlock)}
    return [*(_Prelude(b, -1) for b in prelude() if getattr(b, "name", None) not in own), *placed]


def _check_data(data: RuleData, symbols: Symbols) -> None:
    check_profiles(data.profiles, symbols)
    check_lists([*data.lists.values(), *data.abstract_lists.values()], symbols)
    check_scenarios(data.scenarios.values(), symbols)


def build(
    placed: Sequence[PlacedBlock], vocabulary: Vocabulary, data: RuleData, to_play: bool = True,
    looks: Sequence[Look] = (),
) -> tuple[Program | None, list[Problem]]:
    """Check the merged blocks and lower them; every problem is found in one go. The program is None if there is a
    mistake among them.

    to_play: whether the program is to run; one that is only looked at is spared what only running needs. looks: who
    tells what can be played and makes no sense (a line that is never reached).
    """
    program, checker = checked(placed, vocabulary, data, looks)
    problems = checker.problems()
    if mistakes(problems):
        return None, problems
    if to_play:
        made_playable(program)
    return program, problems


def made_playable(program: Program) -> None:
    """Find out what only running asks for: what calls cost, and what is used."""
    find_costs(program)
    find_uses(program)


def checker_of(program: Program, placed: Sequence[PlacedBlock], vocabulary: Vocabulary, data: RuleData) -> Checker:
    """A checker for a program that was kept: it checks the same blocks once more."""
    checker = checked(placed, vocabulary, data)[1]
    checker.out.templates = program.templates  # lines that it adds later (a situation's steps) are the program's
    return checker


# -- tables ------------------------------------------------------------------------------------


def data_tables(tables: Mapping[str, Any], symbols: Symbols) -> dict[str, Table]:
    """The data's tables as the checker knows them: keys and values typed by what stands in them."""
    return {name: _table(name, t, symbols) for name, t in tables.items()}


def _table(name: str, raw: Any, symbols: Symbols) -> Table:
    params = []
    for i, by in enumerate(raw.by):
        keys = {k[i] for k in raw.cells}
        type_ = _type_of_values(keys, symbols, by)
        owner = _meant_words(keys, by, symbols) if type_ == TEXT else None
        if owner is not None:
            _unknown_rows(name, raw, i, symbols.words[owner], symbols)
            type_ = Type("word", owner)
        elif type_.kind == "word" and by not in symbols.words:
            near = next((words for words in symbols.words if is_a_slip(by, words)), None)
            if near is not None:
                message = f'table {name} goes by "{by}", which nothing is called'
                symbols.report(raw.by_pos, "unknown-name", message, f'did you mean "{near}"?')
        params.append(ir.Param(by, type_))
    values = [*raw.cells.values(), *([raw.otherwise] if raw.has_otherwise else [])]
    return Table(
        name, params, _type_of_values(values, symbols), rows=dict(raw.cells), otherwise=raw.otherwise,
        has_otherwise=raw.has_otherwise, ref=tuple(raw.ref),
    )  # fmt: skip


def _type_of_values(values: Iterable[Any], symbols: Symbols, hint: str = "") -> Type:
    """number, yes_no, an enumeration that has all the words, text, or anything."""
    found = list(values)
    optional = any(v is None for v in found)
    some = [v for v in found if v is not None]
    if some and all(isinstance(v, bool) for v in some):
        base = YES_NO
    elif some and all(isinstance(v, int | Fraction) and not isinstance(v, bool) for v in some):
        base = NUMBER
    elif some and all(isinstance(v, str) for v in some):
        base = _words(some, symbols, hint)
    else:
        return ANY
    return base.or_none if optional else base


def _meant_words(keys: Collection[Any], by: str, symbols: Symbols) -> str | None:
    """The enumeration that the keys of a table are of, though one or two of them are not its words."""
    if by in symbols.words:
        return by
    for name, words in symbols.words.items():
        if len(set(keys) & set(words)) > len(keys) / 2:
            return name
    return None


def _unknown_rows(name: str, raw: Any, at: int, words: Sequence[str], symbols: Symbols) -> None:
    """Keys of a table that are no words of its enumeration."""
    told: set[Any] = set()
    for keys in raw.cells:
        if keys[at] not in words and keys[at] not in told:
            told.add(keys[at])
            hint = did_you_mean(str(keys[at]), words) or f"there are: {', '.join(words)}"
            pos = raw.key_pos_of(keys[: at + 1])
            symbols.report(pos, "unknown-name", f'table {name} has a row for "{keys[at]}", which is no word', hint)


def _words(values: list[str], symbols: Symbols, hint: str) -> Type:
    if hint in symbols.words and set(values) <= set(symbols.words[hint]):
        return Type("word", hint)
    for name, words in symbols.words.items():
        if set(values) <= set(words):
            return Type("word", name)
    return TEXT


# -- profiles ----------------------------------------------------------------------------------


def check_profiles(profiles: Mapping[str, Any], symbols: Symbols) -> None:
    """Every figure of every profile against what `profile of` declares."""
    told: set[tuple[str, int, int, str]] = set()
    for profile in profiles.values():
        before = len(symbols.problems)
        _check_record(profile.fields, "unit", f'profile "{profile.id}"', profile.pos, symbols)
        for p in symbols.problems[before:]:  # what heirs take over is told once, where it stands
            if (key := (p.file, p.line, p.column, p.code)) in told:
                symbols.problems.remove(p)
            told.add(key)


def check_lists(lists: Iterable[Any], symbols: Symbols) -> None:
    """The fields that army lists set: of the side, of the units of a row, of those that take an option."""
    seen: set[int] = set()
    for element in lists:
        _check_set(element.data.get("side"), "side", f'army list "{element.id}"', symbols, seen)
        for key in ("units", "changes"):
            for row in _mappings(element.data.get(key)):
                what = f'a row of army list "{element.id}"'
                _check_set(row.get("fields"), "unit", what, symbols, seen)
                for option in _mappings(row.get("options")):
                    _check_set(option.get("fields"), "unit", f"an option in {what}", symbols, seen)


def _mappings(rows: Any) -> list[Mapping[str, Any]]:
    """Those of some rows that can be read; of the others the schema has told."""
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _check_set(values: Any, noun: str, what: str, symbols: Symbols, seen: set[int]) -> None:
    """Fields that take the place of others; what a list takes over is checked once."""
    readable = isinstance(values, Mapping)
    if not readable or id(values) in seen:
        return
    seen.add(id(values))
    known = symbols.fields_of(noun)
    fields = {n: f for n, f in known.items() if f.profile or (noun != "unit" and f.writable)}
    for name, value in values.items():
        here = values.pos(name)
        if name in fields:
            _check_value(value, fields[name], what, here, symbols)
        else:
            where = f"profile of {noun}" if noun == "unit" else f"state of {noun}"
            message = f'{what} sets a field "{name}" that no `{where}` declares'
            symbols.report(here, "unknown-field", message, did_you_mean(name, fields))


def check_scenarios(scenarios: Iterable[Any], symbols: Symbols) -> None:
    """The settings of scenarios: fields that `profile of scenario` declares, each of its type."""
    fields = symbols.fields_of("scenario")
    for element in scenarios:
        settings = element.data.get("settings")
        for name, value in settings.items() if isinstance(settings, Mapping) else ():
            what = f'scenario "{element.id}"'
            if name in fields:
                _check_value(value, fields[name], what, settings.pos(name), symbols)
            else:
                message = f'{what} sets a field "{name}" that no `profile of scenario` declares'
                place = settings.key_pos(name)
                symbols.report(place, "unknown-field", message, did_you_mean(name, fields))


def _check_record(values: Any, noun: str, what: str, pos: tree.Pos, symbols: Symbols) -> None:
    """One record of the data: known fields only, each of its type, none missing."""
    fields = {n: f for n, f in symbols.fields_of(noun).items() if f.profile}
    for name, value in values.items():
        info = fields.get(name)
        here = values.pos(name)
        if info is not None:
            _check_value(value, info, what, here, symbols)
        elif noun != "unit" and (name == "name" or name in symbols.kind_plurals):
            _check_borne(value, name, here, symbols)
        else:
            symbols.report(
                here, "unknown-field", f'{what} has a field "{name}" that no `profile of {noun}` declares',
                did_you_mean(name, [*fields, *symbols.kind_plurals]) or _fields_named(fields),
            )  # fmt: skip
    for name, info in fields.items():
        if info.required and name not in values:
            hint = f"add `{name}: ..`, here or in a profile that it extends"
            symbols.report(pos, "missing-field", f'{what} has no "{name}" ({info.type})', hint)


def _fields_named(fields: Iterable[str]) -> str | None:
    named = list(fields)
    return f"there are: {', '.join(named[:8])}{', ..' if named[8:] else ''}" if named else None


def _check_borne(value: Any, plural: str, pos: tree.Pos, symbols: Symbols) -> None:
    """What a part bears: the same lists as a profile has for its unit."""
    if plural == "name":
        return
    kind = symbols.kind_plurals[plural]
    if not isinstance(value, list):
        symbols.report(pos, "wrong-type", f'"{plural}" must be a list', f"write {plural}: [{value or ''}]")
        return
    for item in value:
        title = str(item.get("name") if isinstance(item, Mapping) else item).split("(")[0].strip()
        if kind not in symbols.definitions_named(title):
            symbols.unknown(pos, kind, title, (t for t, kinds in symbols.titles.items() if kind in kinds))


def _check_value(value: Any, info: FieldInfo, what: str, pos: tree.Pos, symbols: Symbols) -> None:
    item = info.type.item
    if item is not None and item.kind == "noun" and item.name in symbols.parts:
        _check_parts(value, info, item.name, what, pos, symbols)
        return
    if fits(value, info.type, symbols.words):
        return
    symbols.report(
        pos, "wrong-type", f'"{info.name}" of {what} is {_shown(value)}, but it must be a {info.type}',
        _what_fits(value, info.type, symbols),
    )  # fmt: skip


def _shown(value: Any) -> str:
    return str(float(value)) if isinstance(value, Fraction) else repr(value)


def _what_fits(value: Any, wanted: Type, symbols: Symbols) -> str | None:
    """What could stand where a value of the data does not fit."""
    item = wanted.item
    if item is not None and isinstance(value, list):
        return next((_what_fits(one, item, symbols) for one in value if not fits(one, item, symbols.words)), None)
    if wanted.kind == "word":
        words = symbols.words[wanted.name]
        near = did_you_mean(value, words) if isinstance(value, str) else None
        return near or f"the words of {wanted.name} are: {', '.join(words)}"
    if wanted.kind == "number" and isinstance(value, Fraction):
        return "write a whole number; a field that may have others is a fraction or a distance where it is declared"
    plain = {"number": "a number, without quotes", "yes_no": "yes or no", "text": "a text, in quotes"}
    kind = {"fraction": "number", "distance": "number"}.get(wanted.kind, wanted.kind)
    return f"write {plain[kind]}" if kind in plain else None


def _check_parts(value: Any, info: FieldInfo, noun: str, what: str, pos: tree.Pos, symbols: Symbols) -> None:
    """A list of records, each of which becomes a part of the unit."""
    if not isinstance(value, list) or not all(isinstance(v, Mapping) for v in value):
        hint = f"write {info.name}: [{{..}}, {{..}}]"
        symbols.report(pos, "wrong-type", f'"{info.name}" of {what} must be a list of records of {noun}', hint)
        return
    for i, record in enumerate(value):
        _check_record(record, noun, f"{noun} {i + 1} of {what}", value.pos(i), symbols)  # type: ignore[attr-defined]


def fits(value: Any, wanted: Type, words: Mapping[str, Sequence[str]]) -> bool:
    """Whether a value of the data is of a type. words: those of each enumeration, by its name."""
    if value is None:
        return wanted.optional
    kind = wanted.kind
    if kind == "number" and isinstance(value, Fraction):
        return value.denominator == 1
    if kind in ("number", "fraction", "distance"):
        return isinstance(value, int | Fraction) and not isinstance(value, bool)
    if kind == "yes_no":
        return isinstance(value, bool) or value in ("yes", "no")
    if kind == "word":
        return value in words[wanted.name]
    if kind == "list":
        return isinstance(value, list) and all(fits(v, wanted.item or ANY, words) for v in value)
    if kind in ("text", "kind"):
        return isinstance(value, str)
    return kind == "any"
