"""Figures and words that are not what `profile of` allows: `armour: number at most 6`, or `profile of spell`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from warhost.errors import did_you_mean
from warhost.lang import tree as t
from warhost.lang.checker import Checker
from warhost.lang.program import FieldInfo, RuleData
from warhost.lang.symbols import Symbols
from warhost.packs.yaml_source import Map, maps
from warhost.vocabulary import Kind
from warhost_sense.blocks import IntRange, Number, constant


def look(checker: Checker, data: RuleData) -> set[tuple[str, str]]:
    """Report what lies outside the limits: in profiles, army lists and scenarios, and in definitions of a kind.

    The fields of kinds that have their own words, by kind and name.
    """
    symbols = checker.symbols
    told: set[tuple[str, int, int]] = set()
    held: set[tuple[str, str]] = set()
    for noun, fields, what in () if checker.data_in_order else _records(data, symbols):
        known = symbols.fields_of(noun)
        for name, value in fields.items():
            info = known.get(name)
            if info is None or isinstance(value, bool) or not isinstance(value, Number):
                continue
            span, pos = _span(info), fields.pos(name)
            place = (pos.file, pos.line, pos.column)
            if not IntRange(value, value).within(span) and place not in told:
                told.add(place)  # what heirs take over is told once, where it stands
                message = f'"{name}" of {what} is {value}, and may only be {span}'
                symbols.report(pos, "out-of-range", message, _limit_at(info))
    _starts(checker.blocks_of(t.StateBlock), data, symbols)  # which new state may cross, whatever was in order
    for block in checker.blocks_of(t.ProfileBlock):
        kind = symbols.kinds.get(block.noun) if block.noun not in symbols.nouns else None
        if kind is not None:
            _of_kind(block, kind, checker.blocks_of(t.KindBlock), symbols)
            held |= {(kind.name, f.name) for f in block.fields if f.type.name in symbols.words}
    return held


def _starts(blocks: Iterable[t.StateBlock], data: RuleData, symbols: Symbols) -> None:
    """State that begins with a figure of the profile (`= it.wind at most 2`) which no profile has within its limits."""
    for f in (f for block in blocks if block.noun == "unit" for f in block.fields):
        start, span = f.default, IntRange(constant(f.at_least), constant(f.at_most))
        if not (isinstance(start, t.Attribute) and isinstance(start.of, t.Name) and start.of.name == "it"):
            continue
        figures = [profile.fields.get(start.name) for profile in data.profiles.values()]
        beyond = [n for n in figures if isinstance(n, Number) and not IntRange(n, n).within(span)]
        if figures and len(beyond) == len(figures):
            low, high = min(beyond), max(beyond)
            message = f'"{f.name}" begins with {start.name}, which is {IntRange(low, high)}, and may only be {span}'
            symbols.report(f.pos, "limits-cross", message, "every unit would begin with the limit: change one of them")


def _span(info: FieldInfo) -> IntRange:
    return IntRange(info.at_least, info.at_most)


def _limit_at(info: FieldInfo) -> str:
    return f"its limits stand in {info.pos.file}:{info.pos.line}; a house rule may say others: amend profile of .."


def _records(data: RuleData, symbols: Symbols) -> Iterator[tuple[str, Map, str]]:
    """Whatever sets figures, with the noun that has them and what to call it."""
    for profile in data.profiles.values():
        yield from _with_parts("unit", profile.fields, f'profile "{profile.id}"', symbols)
    for element in (*data.lists.values(), *data.abstract_lists.values()):
        what = f'army list "{element.id}"'
        yield from _if_any("side", element.data.get("side"), what)
        for key in ("units", "changes"):
            for row in maps(element.data.get(key)):
                yield from _if_any("unit", row.get("fields"), f"a row of {what}")
                for option in maps(row.get("options")):
                    yield from _if_any("unit", option.get("fields"), f"an option of {what}")
    for element in data.scenarios.values():
        yield from _if_any("scenario", element.data.get("settings"), f'scenario "{element.id}"')


def _if_any(noun: str, fields: Any, what: str) -> Iterator[tuple[str, Map, str]]:
    if isinstance(fields, Map):
        yield noun, fields, what


def _with_parts(noun: str, fields: Map, what: str, symbols: Symbols) -> Iterator[tuple[str, Map, str]]:
    yield noun, fields, what
    for name, value in fields.items():
        info = symbols.fields_of(noun).get(name)
        item = info.type.item if info is not None else None
        if item is not None and item.kind == "noun":
            for record in maps(value):
                yield item.name, record, f"{name} of {what}"


# -- what the fields of a kind may be ----------------------------------------------------------------


def _of_kind(block: t.ProfileBlock, kind: Kind, definitions: Iterable[t.KindBlock], symbols: Symbols) -> None:
    """`profile of spell`: limits and words for fields that a plugin declares; each definition is held against them."""
    declared = {f.name: f for f in kind.fields}
    narrowed: dict[str, t.FieldDecl] = {}
    for f in block.fields:
        field = declared.get(f.name)
        type_ = symbols.resolve_type(f.type)
        if field is None:
            hint = did_you_mean(f.name, declared) or f"its fields are: {', '.join(declared)}"
            symbols.report(f.pos, "unknown-field", f'a {kind.name} has no field "{f.name}"', hint)
        elif f.default is not None:
            hint = "say only what it may be: at least, at most, or the words"
            symbols.report(f.default.pos, "wrong-default", f'with what "{f.name}" begins is said by the plugin', hint)
        elif type_.kind not in _fitting(field.type, kind):
            message = f'"{f.name}" of a {kind.name} is of type {field.type}, and so no {type_}'
            symbols.report(f.pos, "wrong-type", message, f"write {f.name}: {field.type}, or words for a text")
        else:
            narrowed[f.name] = f
    for definition in definitions if narrowed else ():
        if definition.kind == kind.name:
            for item in definition.items:
                if isinstance(item, t.KindField) and item.name in narrowed:
                    # of another field it has been told: the plugin says that it is a number
                    no_number = (t.Name, t.Text) if declared[item.name].type == "any" else ()
                    what = f'{kind.name} "{definition.title.text}"'
                    _value(item, narrowed[item.name], what, symbols, no_number)


def _fitting(type_: str, kind: Kind) -> Sequence[str]:
    return {"text": ("text", "word"), "any": ("number", "distance", "fraction", "text", "word")}.get(type_, (type_,))


def _value(item: t.KindField, may: t.FieldDecl, what: str, symbols: Symbols, of_no_number: Any) -> None:
    words, value = symbols.words.get(may.type.name), item.value
    span = IntRange(constant(may.at_least), constant(may.at_most))
    figure = constant(value)
    said = _text(value)
    if words is not None and said not in words:
        hint = did_you_mean(said, words) or f"the words of {may.type.name} are: {', '.join(words)}"
        symbols.report(value.pos, "wrong-type", f'"{item.name}" of {what} cannot be "{said}"', hint)
    elif words is None and may.type.name in ("number", "fraction", "distance") and isinstance(value, of_no_number):
        hint = f"write a number, such as {item.name}: 3"
        symbols.report(value.pos, "wrong-type", f'"{item.name}" of {what} is a number, not "{said}"', hint)
    elif words is None and figure is not None and not IntRange(figure, figure).within(span):
        message = f'"{item.name}" of {what} is {figure}, and may only be {span}'
        symbols.report(value.pos, "out-of-range", message, f"its limits stand in {may.pos.file}:{may.pos.line}")


def _text(value: t.Expr) -> str:
    """What stands in the field of a definition, as a text."""
    if isinstance(value, t.Name):
        return value.name
    if isinstance(value, t.Text):
        return value.plain or ""
    return str(constant(value) or "")
