"""The tables of the LALR parser: built from grammar.lark once, then kept in the user's cache folder.

Building takes over a second, reading a few hundredths of one; lark itself is imported for building only.
The kept file is plain JSON behind a checksum: a damaged or foreign one is rebuilt without a word.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from warhost.output_safety import put_whole

GRAMMAR = Path(__file__).with_name("grammar.lark")
STARTS = ("block", "expr")
_FORM = 1  # of the kept file: raise it when Tables changes


@dataclass(frozen=True, slots=True)
class Production:
    """What to do when a rule is complete.

    size symbols are taken from the stack; keep lists the places of those that matter (a place p whose
    value is a list to be spliced in is written as -1 - p); name is the form's, None for a rule that is only
    a list; alone: a single kept value stands for the whole.
    """

    head: str
    size: int
    name: str | None
    keep: tuple[int, ...]
    alone: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """states[s][terminal] is the next state (>= 0) or -1 - production; states[s][rule] is the state to go to.

    literals: each reserved word, run of words or sign -> the name of its terminal.
    """

    states: list[dict[str, int]]
    productions: list[Production]
    begin: dict[str, int]
    finish: dict[str, int]
    literals: dict[str, str]


@cache
def tables() -> Tables:
    """The tables of the grammar: from memory, from the cache folder, or built anew."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    place = _kept_at(grammar)
    kept = _read(place)
    if kept is None:
        kept = build(grammar)
        _write(place, kept)
    return _unpacked(kept)


def build(grammar: str, strict: bool = False) -> dict[str, Any]:
    """The tables as plain data. strict=True needs interegular and raises GrammarError on any conflict."""
    from lark import Lark

    lark = Lark(grammar, parser="lalr", lexer="basic", start=list(STARTS), maybe_placeholders=False, strict=strict)
    table = lark.parser.parser._parse_table
    numbers = {rule: n for n, rule in enumerate(lark.rules)}
    order = _in_order(table)
    number_of = {state: n for n, state in enumerate(order)}
    return {
        "states": [_row(table.states[state], number_of, numbers) for state in order],
        "productions": [_production(rule) for rule in lark.rules],
        "begin": {start: number_of[state] for start, state in table.start_states.items()},
        "finish": {start: number_of[state] for start, state in table.end_states.items()},
        "literals": _literals(lark.terminals),
    }


def _in_order(table: Any) -> list[Any]:
    """The states in a fixed order, breadth first from the start states, so that every build numbers them alike."""
    order = [table.start_states[start] for start in STARTS]
    seen = set(order)
    for state in order:
        row = table.states[state]
        for symbol in sorted(row, key=str):
            action, to = row[symbol]
            if action.name == "Shift" and to not in seen:
                seen.add(to)
                order.append(to)
    return order


def _row(row: Any, number_of: dict[Any, int], numbers: dict[Any, int]) -> dict[str, int]:
    steps = {str(symbol): step for symbol, step in row.items()}
    return {
        symbol: number_of[to] if action.name == "Shift" else -1 - numbers[to]
        for symbol, (action, to) in sorted(steps.items(), key=lambda item: item[0])
    }


def _production(rule: Any) -> list[Any]:
    head = str(rule.origin.name)
    listed = head.startswith("_")
    keep = [
        -1 - place if not symbol.is_term and symbol.name.startswith("_") else place
        for place, symbol in enumerate(rule.expansion)
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out)
    ]
    name = None if listed else str(rule.alias or head)
    return [head, len(rule.expansion), name, keep, bool(rule.options.expand1 and not rule.alias)]


def _literals(terminals: Any) -> dict[str, str]:
    return {t.pattern.value: str(t.name) for t in terminals if type(t.pattern).__name__ == "PatternStr"}


def _unpacked(kept: dict[str, Any]) -> Tables:
    productions = [Production(h, s, n, tuple(k), a) for h, s, n, k, a in kept["productions"]]
    return Tables(kept["states"], productions, kept["begin"], kept["finish"], kept["literals"])


def _kept_at(grammar: str) -> Path:
    from importlib.metadata import version

    import platformdirs

    key = hashlib.sha256(f"{_FORM}\n{version('lark')}\n{grammar}".encode()).hexdigest()[:24]
    return Path(platformdirs.user_cache_dir("warhost")) / f"grammar-{key}.json"


def _read(place: Path) -> dict[str, Any] | None:
    try:
        checksum, _, content = place.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if hashlib.sha256(content.encode()).hexdigest() != checksum:
        return None
    kept: dict[str, Any] = json.loads(content)
    return kept


def _write(place: Path, kept: dict[str, Any]) -> None:
    """Write the tables to the cache. If that fails, the next start builds them again."""
    content = json.dumps(kept, separators=(",", ":"), sort_keys=True)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        put_whole(place, f"{hashlib.sha256(content.encode()).hexdigest()}\n{content}".encode())
    except OSError:
        return
