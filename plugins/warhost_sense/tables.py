"""Tables of the data that have nothing for some key, or a text among numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from warhost.errors import did_you_mean
from warhost.lang import ir
from warhost.lang.building_program import is_a_fraction
from warhost.lang.program import RuleData
from warhost.lang.symbols import Symbols

#: So many of the keys that a table lacks are named.
NAMED = 3
#: A table with rows for so many profiles seems to be meant for all of them.
SEVERAL = 3


def look(data: RuleData, symbols: Symbols) -> None:
    """Report what is odd about the tables of the data."""
    for name, table in data.tables.items():
        _one_sort(name, table, symbols)
        params = symbols.data_tables[name].params
        sets = [_all_keys(i, param, table, data.profiles, symbols) for i, param in enumerate(params)]
        _never_asked(name, table, sets, symbols)
        if not table.has_otherwise and not _mixed(table):
            _no_holes(name, table, sets, symbols)


def _mixed(raw: Any) -> bool:
    """Whether it has numbers and words as keys of one level: that is told, and it has no other holes till then."""
    return any(len({isinstance(key, str) for key in level}) > 1 for level in zip(*raw.cells, strict=True))


def _all_keys(
    at: int, param: ir.Param, raw: Any, profiles: Collection[str], symbols: Symbols
) -> Collection[Any] | None:
    """All keys that a table can be asked for at one of its levels, if they are known: the words of an enumeration; the
    profiles, or titles of a kind, of which it has several and more than half; below the first level the numbers of
    any row.
    """
    if param.type.kind == "word":
        return symbols.words[param.type.name]
    there = dict.fromkeys(keys[at] for keys in raw.cells)
    if at and all(not isinstance(key, str) for key in there):
        return list(there)
    for known in (list(profiles), *_titles_by_kind(symbols)) if raw.cells else ():
        if len(there) >= SEVERAL and len(there) * 2 > len(known) and all(key in known for key in there):
            return known
    return None


def _titles_by_kind(symbols: Symbols) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for title, kinds in symbols.titles.items():
        for kind in kinds:
            found.setdefault(kind, []).append(title)
    return list(found.values())


def _never_asked(name: str, raw: Any, sets: Sequence[Collection[Any] | None], symbols: Symbols) -> None:
    """What a table says that it is never asked for: keys that it could have, and has no row for."""
    known = [key for keys in sets for key in keys or ()]
    there = {key for keys in raw.cells for key in keys}
    for key, pos in raw.never_asked.items():
        if raw.has_otherwise:
            message = f'table {name} has an answer for "{key}": its `otherwise`'
            symbols.report(pos, "unused", message, "take never_asked away, or otherwise")
        elif key in there:
            message = f'table {name} has a row for "{key}"'
            symbols.report(pos, "unused", message, f"take {key} out of never_asked, or the row away")
        elif known and key not in known:
            hint = did_you_mean(key, known) or f"it goes by {', '.join(map(str, known))}"
            symbols.report(pos, "unknown-name", f'table {name} is asked for no "{key}" at all', hint)


def _no_holes(name: str, raw: Any, sets: Sequence[Collection[Any] | None], symbols: Symbols) -> None:
    """Every key that a table can be asked for has its row, and every row its cells."""
    before: set[tuple[Any, ...]] = {()}
    for i, keys in enumerate(sets):
        there = {cell[: i + 1] for cell in raw.cells}
        for above in sorted(before, key=str) if keys is not None else ():
            if keys is None or any(cell[i] not in keys for cell in raw.cells if cell[:i] == above):
                continue  # it is told as misspelt
            missing = [str(key) for key in keys if (*above, key) not in there and key not in raw.never_asked]
            if missing:
                row = f"the row {above[-1]} of " if above else ""
                pos = raw.key_pos_of(above) if above else raw.pos
                only = f", or never_asked: [{', '.join(missing[:NAMED])}{', ..' if missing[NAMED:] else ''}]"
                hint = f"add {'rows' if missing[1:] else missing[0]}, or `otherwise: ..` to the table"
                hint += f"{only} if no rule asks for it" if not above else ""
                symbols.report(pos, "no-case", f"{row}table {name} has nothing for {_listed(missing)}", hint)
        before = {key for key in there if all(k in (s if s is not None else key) for k, s in zip(key, sets))}  # noqa: B905


def _listed(keys: Sequence[str]) -> str:
    """`"hedge"`, or `"hedge", "wall", "ditch" and 4 others`."""
    quoted = [f'"{key}"' for key in keys]
    if len(quoted) == 1:
        return quoted[0]
    if len(quoted) > NAMED + 1:
        return f"{', '.join(quoted[:NAMED])} and {len(quoted) - NAMED} others"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _one_sort(name: str, raw: Any, symbols: Symbols) -> None:
    """A text among numbers is a word of the rules, a fraction as YAML has none, or misspelt."""
    texts = {keys: value for keys, value in raw.cells.items() if isinstance(value, str)}
    fractions = {keys for keys, value in texts.items() if is_a_fraction(value)}
    numbers = any(isinstance(v, int | Fraction) and not isinstance(v, bool) for v in raw.cells.values())
    if not (numbers or len(fractions) == len(texts)):
        return
    odd = [keys for keys in texts if keys in fractions or texts[keys] not in symbols.word_owners]
    for keys in odd if len(odd) * 2 <= len(raw.cells) or fractions else odd[:1]:
        said = texts[keys]
        hint = "write a number, or a word of an enumeration"
        if keys in fractions:
            hint = f"write {_decimal(said)}: there are no fractions here"
        message = f'table {name} gives numbers, and here "{said}"'
        symbols.report(raw.pos_of(keys), "wrong-type", message, hint)


def _decimal(fraction: str) -> str:
    """A fraction as a decimal number: `0.8`, `0.3333`."""
    above, below = map(int, fraction.split("/"))
    return f"{above / below:.4g}" if below else "a number"
