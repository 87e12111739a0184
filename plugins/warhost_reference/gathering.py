"""What stands on a reference sheet: what players need of the rules in force, in the order of the book.

A block of rules is told by the sentence that it `reads`. What has none is the machinery of the rules and is left out,
and so are numbers by which computer players choose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.lang import tree
from warhost.lang.support import text as in_words
from warhost.output_safety import harmless
from warhost.packs.find import read_bytes
from warhost_armies.wording import figures_of, sentence, words
from warhost_explain.explaining import Quotes

if TYPE_CHECKING:
    from warhost.packs import Placed, Ruleset
    from warhost.packs.data import DataTable

_CHAPTER_NUMBER = re.compile(r"^[\d_]+")
_CHANGE = re.compile(r"((?:[-+]|x|times |set to )\d[\d./%]*)(?= (?:when|if|because|called)\b|$)")
_ARGUMENTS = re.compile(r"\([^()]*\)")
_RULES = ("rule", "number", "flag", "value", "roll", "procedure", "constraint")
"""Blocks that are told by their chapter."""

MOST_COLUMNS = 9
"""Columns of a table by two keys; a wider one is told row by row."""

MOST_CELLS = 60
"""Cells of a table that a sheet shows: longer ones are looked up, by the rules or in the book."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing: its name, its figures in a few words, its sentence; house: the house rules that made or changed it."""

    name: str
    says: str
    figures: str = ""
    house: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table: heads of the columns, rows of cells."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    house: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetSection:
    """A heading with what stands below it. numbered: in this order."""

    title: str
    entries: tuple[Entry, ...] = ()
    grids: tuple[SheetTable, ...] = ()
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceSheet:
    """title and edition of the ruleset; house: titles of the house rules in force by their ids; foot: what it is of."""

    title: str
    edition: str
    summary: str
    sections: tuple[SheetSection, ...]
    foot: str
    house: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Ruleset) -> ReferenceSheet:
        """The sheet of a ruleset with the house rules laid over it."""
        sections = [
            *_house_rules(rules), *_turn(rules), *_chapters(rules), *_definitions(rules), *_rolls(rules),
            *_tables(rules), *_rulings(rules),
        ]  # fmt: skip
        played = f", with {', '.join(rules.house)}" if rules.house else ""
        foot = f"{rules.id}@{rules.edition}{played}. Digest {rules.digest[:12]}. Made by warhost reference."
        house = {layer.id: layer.title for layer in rules.layers if layer.kind == "house"}
        return cls(
            harmless(rules.title), rules.edition, harmless(str(rules.manifest.get("summary") or "")), tuple(sections),
            harmless(foot), house,
        )  # fmt: skip


def _house_of(history: Iterable[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(change.layer.id for change in history if change.layer.kind == "house"))


# -- what is played with --------------------------------------------------------------------------


def _house_rules(rules: Ruleset) -> Iterator[SheetSection]:
    entries = []
    for layer in rules.layers:
        if layer.kind != "house":
            continue
        offer = rules.house_rules.get(layer.id)
        gone = [f"{r.kind} {r.name}" for r in rules.removed if r.history[-1].layer == layer]
        reads = offer.reads if offer is not None else ""
        out = f"Out of force: {', '.join(gone)}." if gone else ""
        says = " ".join(filter(None, (reads, out)))
        entries.append(Entry(harmless(offer.title if offer else layer.title), harmless(says)))
    if entries:
        yield SheetSection("House rules in force", tuple(entries))


# -- the turn -------------------------------------------------------------------------------------


def _turn(rules: Ruleset) -> Iterator[SheetSection]:
    for kind, title in (("setup", "Before the first turn"), ("turn", "The turn")):
        placed = next((p for p in rules.placed if p.kind == kind), None)
        if placed is None or not isinstance(placed.block, tree.TurnBlock):
            continue
        often = _titles_of_many(rules, placed.block)
        entries = [_phase(rules, phase, often) for phase in placed.block.phases]
        yield SheetSection(title, tuple(entries), numbered=True)


def _phase(rules: Ruleset, phase: tree.Phase, often: Collection[str]) -> Entry:
    title = phase.title or words(phase.name)
    steps = _steps_of(rules, phase)
    said: list[str] = []
    for step in steps:
        titles = [t for t in _titles(rules, step) if t not in often and t.lower() != title.lower()]
        said.append(sentence(step.block) or (f"{'; '.join(titles)}." if titles else ""))
    layer = rules.layer_of(phase.pos)
    house = [layer.id] if layer is not None and layer.kind == "house" else []
    house += [id_ for step in steps for id_ in _house_of(step.history)]
    says = " ".join(dict.fromkeys(filter(None, said)))
    return Entry(harmless(title), harmless(says), "", tuple(dict.fromkeys(house)))


def _steps_of(rules: Ruleset, phase: tree.Phase) -> list[Placed]:
    found = (rules.block("procedure", step.name) for step in phase.steps)
    return [step for step in found if step is not None]


def _titles(rules: Ruleset, step: Placed) -> list[str]:
    """What the book calls the rules that a step implements: for a step that has no sentence."""
    return list(dict.fromkeys(rules.rulebook[ref].title for ref in step.block.ref if ref in rules.rulebook))


def _titles_of_many(rules: Ruleset, turn: tree.TurnBlock) -> frozenset[str]:
    """Titles that say nothing of one phase, for they stand at several."""
    counted: Counter[str] = Counter()
    for phase in turn.phases:
        counted.update({title for step in _steps_of(rules, phase) for title in _titles(rules, step)})
    return frozenset(title for title, n in counted.items() if n > 1)


# -- the rules by chapters ------------------------------------------------------------------------


def _chapters(rules: Ruleset) -> Iterator[SheetSection]:
    order = dict.fromkeys(rule.chapter for rule in rules.rulebook.values())
    chapters: dict[str, list[Entry]] = {chapter: [] for chapter in order}
    told, changed, sources = _steps(rules), _changed_by_house(rules), Quotes()
    for placed in rules.placed:
        if placed.kind in _RULES and not (placed.kind == "procedure" and placed.name in told):
            chapter = _chapter(rules, placed)
            said = _sentence(placed)
            if chapter is not None and said:
                chapters.setdefault(chapter, []).append(_entry(placed, said, changed.get(placed.name, ()), sources))
    for chapter, entries in chapters.items():
        if entries:
            yield SheetSection(chapter or "Other rules", tuple(entries))


def _steps(rules: Ruleset) -> frozenset[str]:
    """The procedures that the turn names, which are told there."""
    turns = (p.block for p in rules.placed if isinstance(p.block, tree.TurnBlock))
    return frozenset(step.name for turn in turns for phase in turn.phases for step in phase.steps)


def _sentence(placed: Placed) -> str:
    block = placed.block
    if isinstance(block, tree.ConstraintBlock) and block.reads is None:
        return _without_values(block.otherwise)
    return sentence(block)


def _without_values(told: tree.Text) -> str:
    """What a broken constraint says as far as it holds for every army: up to where values of one army come in."""
    head = told.parts[0] if told.parts and isinstance(told.parts[0], str) else ""
    text = " ".join(head.split())
    if len(told.parts) <= 1:
        return text
    clauses = re.split(r"(?<=[.;:,]) ", text)
    return f"{' '.join(clauses[:-1]).rstrip(';:,.')}." if len(clauses) > 1 else ""


def _entry(placed: Placed, said: str, changed: Iterable[str], sources: Quotes) -> Entry:
    name = words(placed.name)
    house = tuple(dict.fromkeys((*_house_of(placed.history), *changed)))
    lines = _own_lines(placed.block, sources)
    return Entry(harmless(name[:1].upper() + name[1:]), harmless(said), harmless(lines), house)


def _own_lines(block: tree.AnyBlock, sources: Quotes) -> str:
    """The changes of a number by plain figures that have a reason: "+1 close range, -1 long range"."""
    lines = block.lines if isinstance(block, tree.NumberBlock) else ()
    told = []
    for line in lines:
        change = _CHANGE.match(sources.quote(line.pos)) if line.because is not None else None
        if change is not None:
            told.append(f"{change[1]} {line.because}")
    return ", ".join(told)


def _changed_by_house(rules: Ruleset) -> dict[str, list[str]]:
    """The numbers and flags that lines of house rules change, with whose lines."""
    found: dict[str, list[str]] = {}
    for template in rules.program.templates.values():
        layer = rules.layer_of(template.pos)
        if layer is not None and layer.kind == "house":
            found.setdefault(template.number, []).append(layer.id)
    return found


# -- what is rolled -------------------------------------------------------------------------------


def _rolls(rules: Ruleset) -> Iterator[SheetSection]:
    """Each roll of the rules with the dice and what is a success."""
    sources = Quotes()
    entries = []
    for placed in rules.placed:
        block = placed.block
        if isinstance(block, tree.RollBlock) and block.spec is not None and _chapter(rules, placed) is not None:
            written = sources.quote(block.spec.pos)
            shown = words(_ARGUMENTS.sub("", written)).replace("<=", "\u2264").replace(">=", "\u2265")
            name = words(placed.name)
            entries.append(Entry(name[:1].upper() + name[1:], harmless(shown), "", _house_of(placed.history)))
    if entries:
        yield SheetSection("What is rolled", tuple(entries))


def _chapter(rules: Ruleset, placed: Placed) -> str | None:
    """The chapter of the book, else that of the file; None for what no player reads."""
    file = Path(placed.block.pos.file)
    if "advice" in file.parts or placed.layer.kind == "plugin":
        return None
    refs = [ref for ref in placed.block.ref if ref in rules.rulebook]
    if refs:
        return rules.rulebook[refs[0]].chapter
    if placed.layer.kind == "house":
        return "House rules"
    if rules.rulebook:
        return None
    return words(_CHAPTER_NUMBER.sub("", file.stem)).capitalize()


# -- weapons, traits, spells, .. ------------------------------------------------------------------


def _definitions(rules: Ruleset) -> Iterator[SheetSection]:
    for kind in rules.vocabulary.kinds.values():
        entries = []
        for placed in rules.placed:
            if placed.kind == kind.name and isinstance(placed.block, tree.KindBlock):
                entry = _definition(rules, placed, placed.block)
                if entry.says or entry.figures:
                    entries.append(entry)
        if entries:
            title = words(kind.plural)
            yield SheetSection(title[:1].upper() + title[1:], tuple(entries))


def _definition(rules: Ruleset, placed: Placed, block: tree.KindBlock) -> Entry:
    params = f"({', '.join(p.name for p in block.params)})" if block.params else ""
    definition = rules.program.definitions.get((placed.kind, placed.name))
    figures = figures_of(definition, rules) if definition is not None else {}
    said = (words(name) if value == "yes" else f"{words(name)} {words(value)}" for name, value in figures.items())
    told = ", ".join(said)
    return Entry(
        harmless(words(block.title.text) + params), harmless(sentence(block)), harmless(told), _house_of(placed.history)
    )


# -- tables ---------------------------------------------------------------------------------------


def _tables(rules: Ruleset) -> Iterator[SheetSection]:
    grids = [_grid(t) for t in rules.tables.values() if 1 < len(t.cells) <= MOST_CELLS and len(t.by) <= 2]
    grids = [*_side_by_side(rules, grids)]
    if grids:
        yield SheetSection("Tables", grids=tuple(grids))


def _grid(table: DataTable) -> SheetTable:
    title = words(table.id).capitalize()
    house = _house_of(table.history)
    by = [words(b) for b in table.by]
    if len(table.by) == 1:
        rows: list[tuple[str, ...]] = [(_shown(key[0]), _shown(value)) for key, value in table.cells.items()]
        if table.has_otherwise:
            rows.append(("otherwise", _shown(table.otherwise)))
        return SheetTable(title, (by[0], ""), tuple(rows), house)
    across = list(dict.fromkeys(key[1] for key in table.cells))
    down = list(dict.fromkeys(key[0] for key in table.cells))
    if len(across) > MOST_COLUMNS:
        rows = [(*map(_shown, key), _shown(value)) for key, value in table.cells.items()]
        return SheetTable(title, (*by, ""), tuple(rows), house)
    usual = _shown(table.otherwise) if table.has_otherwise else "-"
    rows = [
        (_shown(key), *(_shown(table.cells[key, one]) if (key, one) in table.cells else usual for one in across))
        for key in down
    ]
    return SheetTable(title, (by[0], *map(_shown, across)), tuple(rows), house)


def _side_by_side(rules: Ruleset, grids: Iterable[SheetTable]) -> Iterator[SheetTable]:
    """Tables of one key and the same rows become columns of one."""
    groups: dict[tuple[Any, ...], list[SheetTable]] = {}
    for grid in grids:
        keys = tuple(row[0] for row in grid.rows)
        alone = len(grid.heads) != 2 or grid.heads[1] != ""
        groups.setdefault((id(grid),) if alone else (grid.heads[0], keys), []).append(grid)
    for group in groups.values():
        if len(group) == 1 or len(group) > MOST_COLUMNS:
            yield from group
            continue
        heads = (group[0].heads[0], *(grid.title for grid in group))
        rows = zip(*(grid.rows for grid in group), strict=True)
        cells = tuple((row[0][0], *(one[1] for one in row)) for row in rows)
        house = tuple(dict.fromkeys(id_ for grid in group for id_ in grid.house))
        yield SheetTable("", heads, cells, house)


def _shown(value: Any) -> str:
    return harmless(words(in_words(value)))


# -- rulings --------------------------------------------------------------------------------------


def _rulings(rules: Ruleset) -> Iterator[SheetSection]:
    """Which rules of the book were ruled upon, and where that is written."""
    entries = []
    for path in sorted(rules.folder.glob("RULINGS*.md")):
        text = read_bytes(path).decode("utf-8", "replace")
        ruled = [rule for id_, rule in rules.rulebook.items() if re.search(rf"\b{re.escape(id_)}\b", text)]
        if ruled:
            by_chapter: dict[str, int] = {}
            for rule in ruled:
                by_chapter[rule.chapter] = by_chapter.get(rule.chapter, 0) + 1
            said = ", ".join(f"{chapter} {n}" for chapter, n in by_chapter.items())
            entries.append(Entry(path.name, f"Rules ruled upon, by chapter: {said}."))
    if entries:
        yield SheetSection("Rulings", tuple(entries))
