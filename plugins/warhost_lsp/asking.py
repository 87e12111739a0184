"""What a place in a file means: hover, definitions, references, and the outline of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from warhost.lang import tree
from warhost.lang.expressions import BUILT_IN
from warhost.lang.lexer import vocabulary
from warhost.lang.place import Pos
from warhost.packs.merging import identity
from warhost.packs.parsed import ParsedRules
from warhost.packs.yaml_source import Map, Seq
from warhost_explain.explaining import Explanation, Influence, at, shown
from warhost_lsp.meanings import Thing, Use
from warhost_lsp.state import Found, Moved, OpenRuleset

MOST_CHANGES = 12
"""Lines that change a number, in a hover, before the rest is counted."""

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class Page:
    """A file as it stands in the editor, seen by what is known of the ruleset (state). Lines and columns from 1."""

    state: OpenRuleset
    path: Path
    text: str
    label: str | None = None
    moved: Moved | None = None
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = self.text.split("\n")
        self.label = self.state.label(self.path)
        if self.label is not None and (old := self.state.text(self.label)) != self.text:
            self.moved = Moved.between(old, self.text)

    def use_at(self, line: int, column: int) -> Use | None:
        """The name at a place, at the place where it stands now."""
        old = self.moved.to_old(line) if self.moved is not None else line
        if old is None:
            return self._written_just_now(line, column)
        for use in self.state.uses.get(self.label or "", ()):
            if use.pos.line == old and use.pos.column <= column <= use.pos.end_column:
                return use._replace(pos=_shifted(use.pos, line - old))
        return None

    def _written_just_now(self, line: int, column: int) -> Use | None:
        """In a line that has changed since the last look: what a name means by itself."""
        meanings, found = self.state.meanings, self.word_at(line, column)
        if meanings is None or found is None or self.label is None:
            return None
        start, word = found
        role = "attribute" if self.lines[line - 1][start - 2 : start - 1] == "." else "name"
        thing = next((t for r in (role, "event", "roll", "type") if (t := meanings.called(r, word)) is not None), None)
        return Use(Pos(self.label, line, start, line, start + len(word)), word, thing)

    def word_at(self, line: int, column: int) -> tuple[int, str] | None:
        """The word at a place, with the column in which it begins."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        for one in _WORD.finditer(text):
            if one.start() <= column - 1 <= one.end():
                return one.start() + 1, one[0]
        return None


def _shifted(pos: Pos, lines: int) -> Pos:
    return Pos(pos.file, pos.line + lines, pos.column, pos.end_line + lines, pos.end_column) if lines else pos


# -- hover ------------------------------------------------------------------------------------------


class Said(NamedTuple):
    """What a hover shows, in Markdown, and of what."""

    text: str
    pos: Pos


def hover(page: Page, line: int, column: int) -> Said | None:
    """What is to be said of the name at a place."""
    use = page.use_at(line, column)
    if use is not None and use.thing is not None:
        return Said(_of_thing(page.state, use, use.thing), use.pos)
    if use is not None and use.type is not None:
        return Said(_code(f"{use.name}: {use.type}"), use.pos)
    found = page.word_at(line, column)
    if found is None or page.label is None:
        return None
    start, word = found
    if word in BUILT_IN:
        takes, gives = BUILT_IN[word]
        place = Pos(page.label, line, start, line, start + len(word))
        return Said(_code(f"{word}({', '.join(takes)}): {gives}"), place)
    return None


def _of_thing(state: OpenRuleset, use: Use, thing: Thing) -> str:
    if thing.kind == "local":
        return _code(f"{use.name}: {use.type}" if use.type is not None else use.name)
    explained = state.explained(thing)
    if explained is None:
        return _code(f"{thing.kind} {thing.name}")
    head = explained.signature or explained.name
    if thing.kind not in ("field", "profile", "word") and not head.startswith(f"{explained.kind} "):
        head = f"{explained.kind} {head}"
    if use.type is not None and ":" not in head and thing.kind in ("number", "flag", "value", "table", "procedure"):
        head = f"{head}: {use.type}"
    parts = [_code(head), explained.reads]
    parts += [f"**{id_}** {title}" for id_, _, title in explained.rules if explained.kind != "rule of the book"]
    if explained.figures:
        told = (f"- {name.replace('_', ' ')}: {shown(value)}" for name, value in explained.figures.items())
        parts.append("\n".join(told))
    parts += _changes("changed by", explained.modified_by, state)
    parts += _changes("changes", explained.modifies, state)
    parts += [_layers(explained, state)]
    return "\n\n".join(part for part in parts if part)


def _changes(heading: str, lines: Iterable[Influence], state: OpenRuleset) -> list[str]:
    found = list(lines)
    if not found or state.rules is None:
        return []
    told = []
    for one in found[:MOST_CHANGES]:
        of = one.origin if heading == "changed by" else one.number
        when = f" when {one.when}" if one.when else ""
        because = f" ({one.because})" if one.because else ""
        told.append(f"- {of}: `{one.change()}{when}`{because} — {at(one.pos, state.rules)}")
    rest = [f"- and {len(found) - MOST_CHANGES} more"] if len(found) > MOST_CHANGES else []
    return [f"**{heading}**\n" + "\n".join([*told, *rest])]


def _layers(explained: Explanation, state: OpenRuleset) -> str:
    """Where it is defined, and what higher layers have done to it."""
    if not explained.pos.line or state.rules is None:
        return ""
    if len(explained.history) < 2:
        return f"*{at(explained.pos, state.rules)}*"
    return "; ".join(f"*{what} by {layer}, {at(pos, state.rules)}*" for layer, what, pos in explained.history)


def _code(text: str) -> str:
    return f"```rules\n{text}\n```"


# -- definitions and references ---------------------------------------------------------------------


def definitions(page: Page, line: int, column: int) -> list[Found]:
    """Where the thing at a place is defined: the layer that counts first, then those that lie below or change it."""
    use = page.use_at(line, column)
    if use is None or use.thing is None:
        return []
    return [Found(page.state.path(pos.file), pos) for pos in page.state.declarations(use.thing)]


def references(page: Page, line: int, column: int, declarations: bool) -> list[Found]:
    """Every place that names the thing at a place, in all layers and files."""
    use = page.use_at(line, column)
    if use is None or use.thing is None:
        return []
    found = [one.pos for one in page.state.by_thing.get(use.thing, ()) if declarations or not one.declares]
    return [Found(page.state.path(pos.file), pos) for pos in found]


# -- the outline of a file --------------------------------------------------------------------------


#: Keys of data files under which elements stand by their ids.
_GROUPS = frozenset({"profiles", "tables", "lists", "armies", "scenarios", "house_rules", "odds"})


class Heading(NamedTuple):
    """A line of the outline. sort: what it is, as the language calls it."""

    name: str
    sort: str
    pos: Pos
    below: tuple[Heading, ...] = ()


def outline(page: Page) -> list[Heading]:
    """The blocks of a file of rules, or the elements of a file of data, as it was at the last look."""
    file = page.state.files.get(page.label or "")
    if file is None:
        return []
    if isinstance(file.parsed, ParsedRules):
        module = file.parsed.module
        return [_block(block) for block in module.blocks] if module is not None else []
    return _data(file.parsed.data, file.kind)


def _block(block: tree.AnyBlock) -> Heading:
    match block:
        case tree.HouseRule():
            return Heading(block.title, "house rule", block.pos, tuple(_block(one) for one in block.blocks))
        case tree.Amend() | tree.Advise() | tree.Remove() | tree.Rename():
            verb = type(block).__name__.lower()
            return Heading(f"{verb} {block.kind} {block.name.text}", "change", block.pos)
        case tree.Replace():
            inner = _block(block.block)
            return inner._replace(name=f"replace {inner.name}", pos=block.pos)
        case tree.PhaseInsert():
            return Heading(block.phase.name, "phase", block.pos)
        case tree.StateBlock() | tree.ProfileBlock():
            kind, noun = identity(block)
            fields = tuple(Heading(one.name, "field", one.pos) for one in block.fields)
            return Heading(f"{kind} of {noun}", kind, block.pos, fields)
        case tree.TurnBlock():
            phases = tuple(Heading(one.name, "phase", one.pos) for one in block.phases)
            return Heading(block.kind, "turn", block.pos, phases)
    kind, name = identity(block)
    return Heading(name or kind, kind, block.pos)


def _data(data: Any, kind: str) -> list[Heading]:
    if isinstance(data, Seq):
        rows = [(one, data.pos(i)) for i, one in enumerate(data) if isinstance(one, Map)]
        key = "id" if kind == "rulebook" else "title"
        return [Heading(str(row.get(key) or row.get("id") or "?"), kind, pos) for row, pos in rows]
    if not isinstance(data, Map):
        return []
    found = []
    for key, value in data.items():
        below: tuple[Heading, ...] = ()
        if key in _GROUPS and isinstance(value, Map):
            below = tuple(Heading(str(name), key, value.key_pos(name)) for name in value)
        elif key == "units" and isinstance(value, Seq):
            named = [(one, value.pos(i)) for i, one in enumerate(value) if isinstance(one, Map)]
            below = tuple(Heading(str(one.get("profile") or one.get("id") or "?"), key, pos) for one, pos in named)
        found.append(Heading(str(key), "key", data.key_pos(key), below))
    return found


def is_reserved(word: str) -> bool:
    """Whether a word can never be a name."""
    return word in vocabulary().always
