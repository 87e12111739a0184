"""Tables of the data that have nothing for some word, or a text among numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from warhost.lang import ir
from warhost.lang.symbols import Symbols
from warhost.lang.types import Type


def look(tables: Mapping[str, Any], symbols: Symbols) -> None:
    """Report what is odd about tables. tables: as the data give them, by name."""
    for name, table in tables.items():
        _one_sort(name, table, symbols)
        _no_holes(name, table, symbols.data_tables[name].params, symbols)


def _no_holes(name: str, raw: Any, params: Sequence[ir.Param], symbols: Symbols) -> None:
    """Every word of the enumerations that a table goes by has its row, and every row its cells.

    What a table has nothing for on purpose is several words, or the word with which fields begin (`no_weapon`).
    """
    if raw.has_otherwise or not all(p.type.kind == "word" and p.name == p.type.name for p in params):
        return
    before: set[tuple[Any, ...]] = {()}
    for i, p in enumerate(params):
        words = symbols.words[p.type.name]
        there = {keys[: i + 1] for keys in raw.cells}
        for above in sorted(before, key=str):
            missing = [w for w in words if (*above, w) not in there and w not in _first_words(p.type, symbols)]
            if any(keys[i] not in words for keys in raw.cells if keys[:i] == above):
                continue  # it is told as misspelt
            if len(missing) == 1:
                row = f"the row {above[-1]} of " if above else ""
                pos = raw.key_pos_of(above) if above else raw.pos
                hint = f"add {', '.join(missing)}, or `otherwise: ..` to the table"
                symbols.report(pos, "no-case", f'{row}table {name} has nothing for "{missing[0]}"', hint)
        before = {keys for keys in there if all(k in symbols.words[q.type.name] for k, q in zip(keys, params))}  # noqa: B905


def _first_words(type_: Type, symbols: Symbols) -> set[Any]:
    """The words with which fields of an enumeration begin."""
    starts = (f.default.value for noun in symbols.nouns.values() for f in noun.fields.values()
              if f.type.certain == type_ and f.default is not None)  # fmt: skip
    return {e.value for e in starts if isinstance(e, ir.Const)}


def _one_sort(name: str, raw: Any, symbols: Symbols) -> None:
    """A text among numbers is a word of the rules, or misspelt."""
    odd = [keys for keys, value in raw.cells.items() if isinstance(value, str)]
    if not odd or len(odd) * 2 > len(raw.cells):
        return
    for keys in odd:
        if raw.cells[keys] not in symbols.word_owners:
            symbols.report(
                raw.pos_of(keys), "wrong-type", f'table {name} gives numbers, and here "{raw.cells[keys]}"',
                "write a number, or a word of an enumeration",
            )  # fmt: skip
