"""Lists of what a ruleset has: by a word, or by kind with what a house rule may do with such a thing."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.errors import UsageError, did_you_mean
from warhost_armies.typed_names import simplified, singular
from warhost_explain.explaining import Match, Quotes, in_a_line, index, signature_of

if TYPE_CHECKING:
    from warhost.packs import Ruleset

_AMEND = {
    "number": "A house rule changes a number by a line: `NAME +1 when ..`; `set to`, `x2`, `at most`.",
    "flag": "A house rule changes a flag by a line: `allow NAME(..) when ..`, `forbid NAME(..) when ..`.",
    "value": "A house rule changes a value by a line: `NAME set to .. when ..`.",
    "roll": "A house rule changes the number behind a roll, or takes its place: `replace roll NAME(..) ..`.",
    "event": "A house rule hears of an event: `on NAME ..`, and steps below it.",
    "phase": "A house rule adds a phase, `phase NAME \"Title\" after OTHER`, moves one, or takes it out.",
    "profile": "A house rule changes a profile in YAML: `profiles: {ID: {amend: true, FIELD: value}}`.",
    "table": "A house rule changes a table in YAML: `tables: {ID: {amend: true, rows: {..}}}`.",
    "army list": "A house rule changes an army list in YAML: `{kind: list, id: ID, amend: true, ..}`.",
    "scenario": "A house rule changes a scenario in YAML: `{id: ID, amend: true, ..}`.",
    "characteristic": "Profiles say it; no rule changes it.",
    "state": "Rules change it in a battle; a house rule may, too.",
}
#: What has a sentence for the players in the place of `reads`.
_TOLD_OTHERWISE = frozenset({"event", "constraint"})
_USUAL = "A house rule changes one by `amend {kind} NAME`, `replace {kind} NAME` and `remove {kind} NAME`."


@dataclass(frozen=True, slots=True)
class Row:
    """A thing, how it is written where it is used (`Skilled(n)`), and how many lines of the rules change it.

    part: where it is from, if not from the rules themselves.
    """

    match: Match
    signature: str
    changes: int = 0
    part: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """rows: what was found; amend: what a house rule may do with one, "" when they are of several kinds."""

    rows: list[Row]
    amend: str = ""


def search(rules: Ruleset, word: str) -> Listing:
    """What has a word, or words, in its name or its sentence, by kind."""
    wanted, one = simplified(word), singular(word)
    if not wanted:
        raise UsageError("say a word to search for")
    found = [
        m for m in _once(rules)
        if wanted in simplified(m.name) or wanted in simplified(m.reads)
        or f" {one} " in f" {singular(f'{m.name} {m.reads}')} "
    ]  # fmt: skip
    kinds = list(dict.fromkeys(m.kind for m in found))
    counted = _changes(rules)
    return Listing([_row(rules, m, counted) for kind in kinds for m in found if m.kind == kind])


def nearest_words(rules: Ruleset, word: str) -> list[str]:
    """Words of names, or of sentences, that are spelt like a word; the likest first, four at most."""
    known = _once(rules)
    for words in (_words(m.name for m in known), _words(m.reads for m in known)):
        if near := difflib.get_close_matches(word.lower(), sorted(words), n=4, cutoff=0.66):
            return near
    return []


def _words(texts: Iterable[str]) -> set[str]:
    return {one for text in texts for one in re.findall(r"[^\W\d_]{3,}", text.lower())}


def listed(rules: Ruleset, what: str) -> Listing:
    """All things of a kind, which may be said in the plural: those of the ruleset and of house rules first, then what
    stands in its advice to computer players, then what plugins bring. Raises UsageError.
    """
    known = _once(rules)
    kinds = {singular(m.kind): m.kind for m in known} | {
        singular(k.plural): k.name for k in rules.vocabulary.kinds.values() if any(m.kind == k.name for m in known)
    }
    kind = kinds.get(singular(what))
    if kind is None:
        names = sorted(kinds.values())
        hint = did_you_mean(simplified(what), names)
        there = f"(there are: {', '.join(dict.fromkeys(names))})"
        raise UsageError(f'{rules.id} has no list of "{what}"{f"; {hint}" if hint else ""} {there}')
    counted = _changes(rules)
    found = sorted((m for m in known if m.kind == kind), key=lambda m: _how_far(rules, m))
    rows = [replace(_row(rules, m, counted), part=_PARTS[_how_far(rules, m)]) for m in found]
    return Listing(rows, _AMEND.get(kind, _USUAL.format(kind=kind)))


#: By how far a thing is from the book.
_PARTS = ("", "of the advice to computer players", "of plugins")


def _how_far(rules: Ruleset, match: Match) -> int:
    """How far a thing is from the book: 0 for its rules and house rules, 1 for advice, 2 for what a plugin brings."""
    layer = rules.layer_of(match.pos)
    if layer is None or layer.kind == "plugin":
        return 2 if match.pos.line else 0
    return 1 if Path(match.pos.file).resolve().is_relative_to((layer.folder / "advice").resolve()) else 0


def _once(rules: Ruleset) -> list[Match]:
    """Everything that has a name, each thing once: by its id, where it has a title besides."""
    sources = Quotes()
    blocks = {p.id: in_a_line(p.block, sources) for p in rules.placed if p.kind in _TOLD_OTHERWISE}
    found: dict[str, Match] = {}
    for match in index(rules):
        found.setdefault(match.id, replace(match, reads=blocks.get(match.id, match.reads)))
    return list(found.values())


def _changes(rules: Ruleset) -> Counter[str]:
    return Counter(t.number for t in rules.program.templates.values()) if rules.program is not None else Counter()


def _row(rules: Ruleset, match: Match, counted: Counter[str]) -> Row:
    block = rules.block(match.kind, match.name)
    signature = signature_of(block.block, Quotes()) if block is not None else ""
    return Row(match, signature or match.name, counted[match.name] if match.kind in ("number", "flag", "value") else 0)
