"""Explaining what a name means in a ruleset: its sentence, its figures, what changes it, where it comes from.

    for found in matches(rules, "reach"):
        print(explain(rules, found).reads)

Names are those of blocks, definitions, profiles, tables, lists, fields, words, nouns, plugins' functions, house
rules and rules of the book; small letters, spaces and underscores make no difference.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.lang import ir, tree
from warhost.lang.natives import FUNCTIONS
from warhost.lang.tree import Pos
from warhost_armies.typed_names import simplified, singular
from warhost_armies.wording import always_told, figures_of, sentence, words
from warhost_diff.quoting import Sources

if TYPE_CHECKING:
    from warhost.packs import Placed, Ruleset
    from warhost.packs.contents import BookRule
    from warhost.packs.data import Bearing, DataTable, Element, Profile
    from warhost.vocabulary import Function

#: What files say that are not saved, while something is explained to their author.
_UNSAVED: ContextVar[Mapping[str, str]] = ContextVar("unsaved", default={})  # noqa: B039 (nobody changes it)

LONGEST_SOURCE = 60
"""Lines of a block that are quoted."""


@dataclass(frozen=True, slots=True)
class Match:
    """A thing that a name may mean. id is unique: kind and name; reads: its sentence; pos: where it stands."""

    id: str
    kind: str
    name: str
    reads: str
    pos: Pos
    make: Callable[[Ruleset], Explanation] = field(repr=False, compare=False)

    def to_json(self) -> dict[str, object]:
        """The object that `--json` prints when a name has several meanings."""
        return {"id": self.id, "kind": self.kind, "name": self.name, "reads": self.reads, **place(self.pos)}


@dataclass(frozen=True, slots=True)
class Influence:
    """One line by which something changes a number, flag or value.

    op: add, multiply, set, floor, cap, round, allow, forbid, yes, no. value and when: as written in the rules.
    origin: the block that it stands in (`rule Rain`). layer: which layer's file.
    """

    number: str
    op: str
    value: str
    when: str
    because: str
    origin: str
    layer: str
    pos: Pos

    def change(self) -> str:
        """What it does: `+1`, `set to 0`, `forbids it`."""
        value = self.value
        match self.op:
            case "add":
                return value if value.startswith(("-", "+")) else f"+{value}"
            case "multiply":
                return value if value.startswith("x") else f"x{value}"
            case "set":
                return f"set to {value}"
            case "floor":
                return f"at least {value}"
            case "cap":
                return f"at most {value}"
            case "round":
                return f"rounded {value}".strip()
        return {"allow": "allows it", "forbid": "forbids it"}.get(self.op, self.op)

    def to_json(self) -> dict[str, object]:
        """The object that `--json` prints."""
        return {
            "number": self.number, "op": self.op, "value": self.value, "when": self.when, "because": self.because,
            "origin": self.origin, "layer": self.layer, **place(self.pos),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything about one thing.

    signature: how it is called (`reach(unit): distance`). history: (layer, what it did, place), lowest first.
    rules: (id, chapter, title) of the book. source: as it is written. parts: further things that belong to it
    (who implements a rule of the book, who bears a definition): a heading and lines.
    """

    kind: str
    name: str
    signature: str
    reads: str
    pos: Pos
    layer: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    modified_by: tuple[Influence, ...] = ()
    modifies: tuple[Influence, ...] = ()
    used_by: tuple[str, ...] = ()
    history: tuple[tuple[str, str, Pos], ...] = ()
    rules: tuple[tuple[str, str, str], ...] = ()
    examples: tuple[tuple[str, Pos], ...] = ()
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = ""

    def to_json(self) -> dict[str, object]:
        """The object that `--json` prints."""
        return {
            "kind": self.kind, "name": self.name, "signature": self.signature, "reads": self.reads,
            "layer": self.layer, **place(self.pos), "figures": dict(self.figures),
            "modified_by": [one.to_json() for one in self.modified_by],
            "modifies": [one.to_json() for one in self.modifies],
            "used_by": list(self.used_by),
            "history": [{"layer": layer, "what": what, **place(pos)} for layer, what, pos in self.history],
            "rules": [{"id": id_, "chapter": chapter, "title": title} for id_, chapter, title in self.rules],
            "examples": [{"title": title, **place(pos)} for title, pos in self.examples],
            "parts": {heading: list(lines) for heading, lines in self.parts.items()},
            "source": self.source,
        }  # fmt: skip


def at(pos: Pos, rules: Ruleset) -> str:
    """A place for reading: `arcana/rules/07_melee.rules:41` for a file of something that is installed elsewhere, a
    path from the working folder for what lies below it.
    """
    file = Path(pos.file)
    if file.is_absolute():
        for layer in reversed(rules.layers):
            if not layer.of_house and file.is_relative_to(layer.folder):
                inner = file.relative_to(layer.folder).as_posix()
                home = layer.folder.name if layer.kind == "ruleset" else layer.id
                return f"{home}/{inner}:{pos.line}"
    return f"{pos.file}:{pos.line}"


def place(pos: Pos) -> dict[str, object]:
    """A place for JSON; file is "" for what has none."""
    return {"file": pos.file, "line": pos.line}


# -- finding ------------------------------------------------------------------------------------


def matches(rules: Ruleset, name: str) -> list[Match]:
    """What a name may mean, each thing once; `trait Brave` and the like mean the one thing of that kind.

    A title that the book and the rules share means the rules: they name the rule of the book.
    """
    known = index(rules)
    wanted = simplified(name)
    found = [m for m in known if wanted in map(simplified, _names_of(m))]
    if not found:
        found = [m for m in known if singular(name) in map(singular, _names_of(m))]
    whole = [m for m in found if wanted != simplified(m.name)]
    ours = [m for m in found if m.kind != "rule of the book"]
    return list({m.id: m for m in whole or ours or found}.values())


def _names_of(match: Match) -> tuple[str, str, str]:
    """What it may be called: by its id, its name, or its name behind its kind."""
    return match.id, match.name, f"{match.kind} {match.name}"


def exact(found: Iterable[Match], name: str) -> Match | None:
    """The one of several that is written just so, capitals included, if there is only one."""
    same = [m for m in found if name in (m.name, m.id)]
    return same[0] if len(same) == 1 else None


def near(rules: Ruleset, name: str, most: int = 8) -> list[Match]:
    """Things whose names are like a name, or have it in them, the likeliest first."""
    wanted = simplified(name)
    rated: dict[str, tuple[float, Match]] = {}
    for match in index(rules):
        called = simplified(match.name)
        likeness = difflib.SequenceMatcher(None, wanted, called).ratio()
        if len(wanted) > 3 and wanted in called:
            likeness = max(likeness, 0.7)
        if likeness >= 0.6 and likeness > rated.get(match.id, (0.0, match))[0]:
            rated[match.id] = (likeness, match)
    return [match for _, match in sorted(rated.values(), key=lambda row: -row[0])[:most]]


def explain(rules: Ruleset, match: Match, texts: Mapping[str, str] | None = None) -> Explanation:
    """Everything about one thing. texts: what files say that are not saved, by the names that places have for them."""
    token = _UNSAVED.set(texts or {})
    try:
        return match.make(rules)
    finally:
        _UNSAVED.reset(token)


def in_short(rules: Ruleset, match: Match, texts: Mapping[str, str] | None = None) -> Explanation:
    """The same at once, without what takes a search: who uses it, the examples, how a rule of the book is covered."""
    if match.kind == "rule of the book":
        rule = rules.rulebook[match.id]
        return Explanation(match.kind, match.id, "", _title(rule), match.pos, rules=_refs(rules, (match.id,)))
    told = match.id.removeprefix("profile ") in rules.profiles  # with the sentences of its special rules
    placed = rules.placed if told else ()
    return explain(replace(rules, examples=(), placed=placed), match, texts)


def index(rules: Ruleset) -> list[Match]:
    """Everything in a ruleset that has a name."""
    return [
        *_book(rules), *_blocks(rules), *_profiles(rules), *_elements(rules), *_fields(rules), *_words(rules),
        *_phases(rules), *_vocabulary(rules), *_house_rules(rules),
    ]  # fmt: skip


# -- the text of files --------------------------------------------------------------------------


class Quotes(Sources):
    """Files of a ruleset quoted as they are written, texts that are not saved included."""

    def lines(self, file: str) -> list[str]:
        """The lines of a file, as an editor has them if it is not saved."""
        unsaved = _UNSAVED.get().get(file)
        return unsaved.splitlines() if unsaved is not None else super().lines(file)

    def quote(self, pos: Pos) -> str:
        """The stretch of text at a place, in one line."""
        lines = self.lines(pos.file)[max(pos.line - 1, 0) : pos.end_line]
        if not pos.line or not lines:
            return ""
        lines[-1] = lines[-1][: max(pos.end_column - 1, 0)]
        lines[0] = lines[0][pos.column - 1 :]
        return " ".join(" ".join(lines).split())

    def note(self, pos: Pos) -> tuple[str, ...]:
        """The comment that belongs to a line of a block: behind it, else right above it, else right above the block."""
        lines = self.lines(pos.file)[: pos.line]
        if not lines:
            return ()
        behind = lines[-1].partition("  # ")[2].strip()
        indented = [len(line) - len(line.lstrip()) for line in lines]
        heads = [n for n, line in enumerate(lines, start=1)
                 if line.strip() and line.strip()[0] != "#" and indented[n - 1] < indented[-1]]  # fmt: skip
        return (behind,) if behind else _comment_above(lines, pos.line) or _comment_above(lines, max(heads, default=0))

    def block(self, pos: Pos) -> str:
        """The lines of a block, moved to the left margin."""
        lines = self.lines(pos.file)[max(pos.line - 1, 0) : pos.end_line]
        if not pos.line or not lines:
            return ""
        indent = len(lines[0]) - len(lines[0].lstrip())
        shown = [" ".join(_split_ref(lines[0][indent:])), *(line[indent:] for line in lines[1:])]
        while shown and not shown[-1].strip():
            shown.pop()
        if len(shown) > LONGEST_SOURCE:
            shown = [*shown[:LONGEST_SOURCE], f"... ({len(shown) - LONGEST_SOURCE} more lines)"]
        return "\n".join(line.rstrip() for line in shown)


def _comment_above(lines: Sequence[str], line: int) -> tuple[str, ...]:
    """The lines of comment right above a line, which is counted from 1; what heads a file is about the file."""
    found: list[str] = []
    for above in reversed(lines[: max(line - 1, 0)]):
        if not above.lstrip().startswith("#"):
            return tuple(found)
        found.insert(0, above.strip().lstrip("#").strip())
    return ()


def _split_ref(line: str) -> list[str]:
    """A line without the blanks that push its `ref` to the right."""
    head, ref, rest = line.partition("  ref ")
    return [head.rstrip(), f" ref {rest.strip()}"] if ref else [line]


# -- what changes what ----------------------------------------------------------------------------


def _influences(rules: Ruleset, wanted: Callable[[ir.Template], bool], sources: Quotes) -> tuple[Influence, ...]:
    """The modifiers that fit, in the order in which they count."""
    if rules.program is None:
        return ()
    found = sorted((t for t in rules.program.templates.values() if wanted(t)), key=lambda t: (t.layer, t.order))
    return tuple(_influence(rules, t, sources) for t in found)


def _influence(rules: Ruleset, t: ir.Template, sources: Quotes) -> Influence:
    value = _signed(t, sources) if t.value is not None else f"{t.rounding}{' each time' if t.each_time else ''}"
    when = sources.quote(t.when.pos) if t.when is not None else ""
    layer = rules.layer_of(t.pos)
    return Influence(t.number, t.op, value, when, t.because, t.origin, layer.id if layer else "", t.pos)


def _signed(t: ir.Template, sources: Quotes) -> str:
    """The value as written; with the minus of `-1`, which stands before it."""
    assert t.value is not None
    written = sources.quote(t.value.pos)
    line = sources.lines(t.value.pos.file)[t.value.pos.line - 1 : t.value.pos.line]
    before = line[0][: t.value.pos.column - 1] if line else ""
    return f"-{written}" if t.op == "add" and before.endswith("-") else written


def _users(rules: Ruleset, name: str) -> tuple[str, ...]:
    """The blocks in which a number, flag, procedure or the like is named."""
    return tuple(p.id for p in rules.placed if p.name != name and _mentions(p.block, name))


def _mentions(block: tree.AnyBlock, name: str) -> bool:
    for node in tree.walk(block):
        match node:
            case tree.Call() | tree.RollNamed() | tree.HowMany() | tree.Attribute() | tree.Step() if node.name == name:
                return True
            case tree.Name(name=named) | tree.Infix(relation=named) | tree.Emit(event=named) if named == name:
                return True
            case tree.Handler(event=named) if named == name:
                return True
    return False


def _has(block: tree.AnyBlock, title: str) -> bool:
    """Whether a block names a definition by its title."""
    for node in tree.walk(block):
        if isinstance(node, tree.Word) and node.text == title and not _is_title(block, node):
            return True
        if isinstance(node, tree.Name) and node.name == title:
            return True
    return False


def _is_title(block: tree.AnyBlock, word: tree.Word) -> bool:
    return isinstance(block, tree.KindBlock) and word is block.title


# -- blocks ---------------------------------------------------------------------------------------


def _blocks(rules: Ruleset) -> Iterator[Match]:
    for placed in rules.placed:
        name = placed.name or placed.kind
        yield Match(
            placed.id, placed.kind, name, sentence(placed.block) or _in_a_word(placed.block), placed.block.pos,
            lambda r, p=placed: _block(r, p),  # type: ignore[misc]
        )  # fmt: skip


def _block(rules: Ruleset, placed: Placed) -> Explanation:
    sources = Quotes()
    block = placed.block
    number = rules.program.numbers.get(placed.name) if rules.program else None
    own = placed.kind in ("number", "flag", "value")
    title = placed.name
    definition = rules.program.definitions.get((placed.kind, title)) if rules.program else None
    if definition is not None and definition.variants:
        title = definition.variants[tree.variant_of(block)]
        definition = rules.program.definitions[(placed.kind, title)]
    origin = f"{placed.kind} {title}"
    users = [p.id for p in rules.placed if p.id != placed.id and _has(p.block, placed.name)] if definition else []
    parts = {"borne by": _bearers(rules, placed)} if isinstance(block, tree.KindBlock) else {}
    if isinstance(block, tree.ProfileBlock | tree.StateBlock):  # what later blocks added is not in the source below
        parts["fields"] = tuple(_declared(one, sources) for one in block.fields)
    if isinstance(block, tree.NounBlock):
        parts |= _fields_of(rules, block.name, sources)
    for advice in placed.advice:
        ratings = sources.block(advice.pos).split("\n")[1:]
        heading = f"what computer players think of the choices in it ({at(advice.pos, rules)})"
        parts[heading] = tuple(line.strip() for line in ratings if line.strip())
    figures: dict[str, Any] = dict(figures_of(definition, rules)) if definition else {}
    if own and number is not None:
        figures["without any change"] = sources.quote(number.base.pos)
    return Explanation(
        placed.kind, placed.name or placed.kind, _signature(block, sources), _reads(block, sources), block.pos,
        placed.layer.id, figures,
        _influences(rules, lambda t: own and t.number == placed.name, sources),
        () if own else _influences(rules, lambda t: t.origin == origin, sources),
        tuple(users) if definition else _users(rules, placed.name) if placed.name else (),
        tuple((c.layer.id, c.what, c.pos) for c in placed.history), _refs(rules, _refs_below(block)),
        _examples(rules, placed.name, _refs_below(block)), {k: v for k, v in parts.items() if v},
        sources.block(block.pos),
    )  # fmt: skip


def _fields_of(rules: Ruleset, noun: str, sources: Quotes) -> dict[str, tuple[str, ...]]:
    """What is known of every thing of a noun, and what is remembered of it."""
    found: dict[str, tuple[str, ...]] = {}
    for heading, kind in (("characteristics", tree.ProfileBlock), ("state", tree.StateBlock)):
        blocks = (p.block for p in rules.placed if isinstance(p.block, kind) and p.block.noun == noun)
        found[heading] = tuple(_declared(one, sources) for block in blocks for one in block.fields)
    return found


def _declared(field: tree.FieldDecl, sources: Quotes) -> str:
    """A field with its type, what it is when nothing is said, and its sentence."""
    usual = f" = {sources.quote(field.default.pos)}" if field.default is not None else ""
    said = f"  ({field.reads.plain})" if field.reads is not None and field.reads.plain else ""
    return f"{field.name}: {_type(field.type)}{usual}{said}"


def _refs_below(block: tree.AnyBlock) -> tuple[str, ...]:
    from warhost.packs.parsed import refs_in

    return tuple(dict.fromkeys(ref for ref, _ in refs_in(block)))


def _bearers(rules: Ruleset, placed: Placed) -> tuple[str, ...]:
    """The profiles that bear a definition."""
    kind = rules.vocabulary.kinds.get(placed.kind)
    if kind is None:
        return ()
    bearers = (
        profile.name
        for profile in rules.profiles.values()
        if any(b.name == placed.name for b in profile.bears.get(kind.plural, ()))
    )
    return tuple(dict.fromkeys(bearers))


def _params(params: Iterable[tree.Param]) -> str:
    shown = [f"{p.name}: {_type(p.type)}" if p.type else p.name for p in params]
    return f"({', '.join(shown)})"


def _type(ref: tree.TypeRef) -> str:
    text = f"list of {ref.name}" if ref.is_list else ref.name
    return f"{text} or none" if ref.optional else text


def _signature(block: tree.AnyBlock, sources: Quotes) -> str:
    match block:
        case tree.NumberBlock() | tree.ValueBlock() | tree.ProcedureBlock():
            result = f": {_type(block.type)}" if block.type else ""
            return f"{block.name}{_params(block.params)}{result}"
        case tree.FlagBlock() | tree.RollBlock() | tree.EventBlock() | tree.ChoiceBlock() | tree.ConstraintBlock():
            return f"{block.name}{_params(block.params)}"
        case tree.KindBlock():
            title = f'"{block.title.text}"' if " " in block.title.text else block.title.text
            return f"{block.kind} {title}{_params(block.params) if block.params else ''}"
        case tree.PhraseBlock():
            return f'"{block.pattern}"'
    return ""


def _in_a_word(block: tree.AnyBlock) -> str:
    """A few words on what a block is, when it does not say so itself."""
    match block:
        case tree.NumberBlock():
            return f"a number for {_whom(block.params)}"
        case tree.FlagBlock():
            return f"yes or no for {_whom(block.params)}"
        case tree.ValueBlock():
            return f"a {words(_type(block.type))} for {_whom(block.params)}"
        case tree.RollBlock():
            return f"a roll for {_whom(block.params)}"
        case tree.ProcedureBlock():
            return f"a step of the game, done with {_whom(block.params)}" if block.params else "a step of the game"
        case tree.EventBlock():
            return f"something that happens to {_whom(block.params)}" if block.params else "something that happens"
        case tree.WordsBlock():
            return "one of: " + ", ".join(block.words)
        case tree.NounBlock():
            return f"a kind of {block.is_a}" if block.is_a else "a sort of thing in the game"
        case tree.ConstraintBlock():
            return block.otherwise.plain or "a condition on every army"
        case tree.StateBlock():
            return f"what is remembered of every {block.noun}"
        case tree.ProfileBlock():
            return f"the characteristics of every {block.noun}"
        case tree.TurnBlock():
            return "what is done before the first turn" if block.kind == "setup" else "what is done in every turn"
        case tree.TableBlock():
            return f"a table by {_whom(block.by)}"
        case tree.HandlerBlock():
            return "what else is done at a moment"
        case tree.ReactionBlock():
            return "what a player may answer when something happens"
        case tree.ChoiceBlock():
            return f"a choice for {_whom(block.params)}"
        case tree.PhraseBlock():
            return "a way of saying something in the rules"
    return ""


def _whom(params: Iterable[tree.Param]) -> str:
    names = [words(p.name) for p in params]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names) or "the battle"


def in_a_line(block: tree.AnyBlock, sources: Quotes) -> str:
    """A block's sentence for a list: what the story tells of an event, what a constraint tells whoever breaks it."""
    said = sentence(block)
    if not said and isinstance(block, tree.EventBlock) and block.says is not None:
        said = f'"{_told(block.says, sources)}"'
    if not said and isinstance(block, tree.ConstraintBlock):
        said = _told(block.otherwise, sources)
    return said or _in_a_word(block)


def signature_of(block: tree.AnyBlock, sources: Quotes) -> str:
    """How a block is named where it is used, `Skilled(n)` or `reach(unit): distance`; "" for what has no name."""
    if isinstance(block, tree.KindBlock):
        return f"{block.title.text}{_params(block.params)}" if block.params else block.title.text
    return _signature(block, sources)


def _reads(block: tree.AnyBlock, sources: Quotes) -> str:
    """The sentence of a block, else one made from what it is."""
    given = sentence(block)
    if given:
        return given
    said = _in_a_word(block)
    said = f"{said[:1].upper()}{said[1:]}"
    match block:
        case tree.NumberBlock() | tree.ValueBlock():
            return f"{said}: {sources.quote(block.base.pos)}, unless something changes it."
        case tree.FlagBlock():
            return f"{said}: {sources.quote(block.base.pos)}, unless something changes it."
        case tree.RollBlock():
            by = f", made by {sources.quote(block.by.pos)}"
            against = f" against {sources.quote(block.against.pos)}" if block.against is not None else ""
            spec = f": {sources.quote(block.spec.pos)}" if block.spec is not None else ""
            return f"{said}{by}{against}{spec}."
        case tree.NounBlock() if block.where is not None:
            return f"{said}, if {sources.quote(block.where.pos)}."
        case tree.KindBlock():
            return _kind_reads(block)
        case tree.EventBlock() if block.says is not None:
            return f'{said}; the story then says "{_told(block.says, sources)}"'
        case tree.ConstraintBlock():
            return f"An army is legal only if {sources.quote(block.require.pos)}. {_told(block.otherwise, sources)}"
        case tree.PhraseBlock():
            return f"Means {sources.quote(block.means.pos)}."
    return f"{said}." if said and not said.endswith(".") else said


def _told(text: tree.Text, sources: Quotes) -> str:
    """A text with its expressions as they are written."""
    return "".join(_told_part(part, sources) for part in text.parts)


def _told_part(part: str | tree.Expr, sources: Quotes) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, tree.Counted):
        return part.forms[-1].replace("#", f"{{{sources.quote(part.of.pos)}}}")
    return f"{{{sources.quote(part.pos)}}}"


def _kind_reads(block: tree.KindBlock) -> str:
    changed = list(dict.fromkeys(
        words(item.target) for item in block.items if isinstance(item, tree.Modifier) and item.target
    ))  # fmt: skip
    allowed = list(dict.fromkeys(words(item.flag) for item in block.items if isinstance(item, tree.Permission)))
    parts = []
    if changed:
        parts.append(f"changes {', '.join(changed)}")
    if allowed:
        parts.append(f"decides {', '.join(allowed)}")
    said = f"A {block.kind}" if block.kind != "rule" else "A rule"
    return f"{said} that {' and '.join(parts)}." if parts else f"{said} without rules of its own."


# -- profiles and other data ----------------------------------------------------------------------


def _profiles(rules: Ruleset) -> Iterator[Match]:
    for profile in (*rules.profiles.values(), *rules.abstract_profiles.values()):
        said = "a profile on which others build" if profile.abstract else "a unit profile"
        for name in dict.fromkeys((profile.id, profile.name)):
            yield Match(
                f"profile {profile.id}", "profile", name, f"{profile.name}, {said}", profile.pos,
                lambda r, p=profile: _profile(r, p),  # type: ignore[misc]
            )  # fmt: skip


def _profile(rules: Ruleset, profile: Profile) -> Explanation:
    declared = rules.program.nouns["unit"].fields if rules.program else {}
    order = [name for name in declared if name in profile.fields]
    figures: dict[str, Any] = {name: _value(profile.fields[name]) for name in [*order, *profile.fields]}
    for name in sorted(always_told(rules)):
        default = declared[name].default if name in declared else None
        if name not in figures and default is not None and isinstance(default.value, ir.Const):
            figures[name] = _value(default.value.value)
    for plural, bearings in profile.bears.items():
        if bearings:
            figures[plural] = ", ".join(map(str, bearings))
    listed = [
        e.name for e in rules.lists.values() if any(row.get("profile") == profile.id for row in e.data.get("units", ()))
    ]
    heirs = [p.name for p in rules.profiles.values() if profile.id in p.lineage]
    parts = {
        "builds on": tuple(profile.lineage), "others that build on it": tuple(heirs), "army lists": tuple(listed),
        "special rules": tuple(_said_of_bearings(rules, profile.bears)),
    }  # fmt: skip
    what = "A profile on which others build" if profile.abstract else "A unit"
    return Explanation(
        "profile", profile.name, profile.id, f"{what}: {profile.name}.", profile.pos, profile.layer.id, figures,
        history=_history(profile), rules=_refs(rules, profile.ref), examples=_examples(rules, profile.id, ()),
        parts={k: v for k, v in parts.items() if v},
    )  # fmt: skip


def _said_of_bearings(rules: Ruleset, bears: Mapping[str, tuple[Bearing, ...]]) -> Iterator[str]:
    kinds = {kind.plural: kind.name for kind in rules.vocabulary.kinds.values()}
    for plural, bearings in bears.items():
        for bearing in bearings:
            placed = rules.block(kinds.get(plural, ""), bearing.name)
            said = sentence(placed.block) if placed is not None else ""
            if said:
                yield f"{bearing}: {said}"


def _value(value: Any) -> Any:
    """A value of the data for JSON and for reading."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, Mapping):
        return {str(k): _value(v) for k, v in value.items()}
    return [_value(v) for v in value] if isinstance(value, list) else value


def shown(value: Any) -> str:
    """A figure of the data for reading: `Ball: attacks 1, skill 2; Shot: ..` for records, each with its name first."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ("; " if any(isinstance(v, Mapping) for v in value) else ", ").join(map(shown, value))
    if isinstance(value, Mapping):
        name = f"{value['name']}: " if "name" in value else ""
        return name + ", ".join(_shown_field(k, v) for k, v in value.items() if k != "name" and v is not False)
    return "none" if value is None else str(value)


def _shown_field(key: str, value: Any) -> str:
    if value is True:
        return words(key)
    return shown(value) if isinstance(value, list) else f"{words(key)} {shown(value)}"


def _history(thing: Any) -> tuple[tuple[str, str, Pos], ...]:
    return tuple((c.layer.id, c.what, c.pos) for c in thing.history)


def _elements(rules: Ruleset) -> Iterator[Match]:
    for table in rules.tables.values():
        yield Match(
            f"table {table.id}", "table", table.id, f"a table by {' and '.join(words(b) for b in table.by)}",
            table.pos, lambda r, t=table: _table(r, t),  # type: ignore[misc]
        )  # fmt: skip
    for what, elements in (("army list", rules.lists), ("army", rules.armies), ("scenario", rules.scenarios)):
        for element in elements.values():
            summary = str(element.data.get("summary") or element.name)
            for name in dict.fromkeys((element.id, element.name)):
                yield Match(
                    f"{what} {element.id}", what, name, summary, element.pos,
                    lambda r, e=element, w=what: _element(r, e, w),  # type: ignore[misc]
                )  # fmt: skip


def _table(rules: Ruleset, table: DataTable) -> Explanation:
    figures = {", ".join(str(k) for k in keys): _value(value) for keys, value in table.cells.items()}
    if table.has_otherwise:
        figures["otherwise"] = _value(table.otherwise)
    by = " and ".join(words(b) for b in table.by)
    return Explanation(
        "table", table.id, f"{table.id}({', '.join(table.by)})", f"A table by {by}.", table.pos, table.layer.id,
        figures, used_by=_users(rules, table.id), history=_history(table), rules=_refs(rules, table.ref),
        examples=_examples(rules, table.id, table.ref),
    )  # fmt: skip


def _element(rules: Ruleset, element: Element, what: str) -> Explanation:
    data = element.data
    units = tuple(
        f"{unit.get('size', '')} {rules.profiles[str(unit['profile'])].name}".strip() if what == "army"
        else rules.profiles[str(unit["profile"])].name
        for unit in data.get("units", ())
        if str(unit.get("profile")) in rules.profiles
    )  # fmt: skip
    figures = {key: _value(data[key]) for key in ("list", "limit") if key in data}
    figures.update({key: _value(value) for key, value in (data.get("settings") or {}).items()})
    summary = str(data.get("summary") or "")
    return Explanation(
        what, element.name, element.id, summary or f"{element.name}, {'an' if what[0] == 'a' else 'a'} {what}.",
        element.pos, element.layer.id, figures, history=_history(element), rules=_refs(rules, element.ref),
        examples=_examples(rules, "", element.ref), parts={"units": units} if units else {},
    )  # fmt: skip


# -- fields, words, phases ------------------------------------------------------------------------


def _fields(rules: Ruleset) -> Iterator[Match]:
    for placed in rules.placed:
        block = placed.block
        if not isinstance(block, tree.StateBlock | tree.ProfileBlock):
            continue
        what = "characteristic" if isinstance(block, tree.ProfileBlock) else "state"
        for declared in block.fields:
            said = declared.reads.plain if declared.reads else None
            yield Match(
                f"{what} {declared.name} of {block.noun}", what, declared.name,
                said or f"a {what} of every {block.noun}", declared.pos,
                lambda r, p=placed, d=declared: _field(r, p, d),  # type: ignore[misc]
            )  # fmt: skip


def _field(rules: Ruleset, placed: Placed, declared: tree.FieldDecl) -> Explanation:
    sources = Quotes()
    block = placed.block
    assert isinstance(block, tree.StateBlock | tree.ProfileBlock)
    given = isinstance(block, tree.ProfileBlock)
    what = "characteristic" if given else "state"
    said = declared.reads.plain if declared.reads else None
    default = f", {sources.quote(declared.default.pos)} unless given" if declared.default is not None else ""
    tail = "it stands in the data and no rule changes it" if given else "rules may change it"
    what_it_is = f"A {what} of every {block.noun} ({_type(declared.type)}{default}); {tail}."
    layer = rules.layer_of(declared.pos)
    parts: dict[str, tuple[str, ...]] = {}
    if said is None and (note := sources.note(declared.pos)):
        parts["its author's note"] = note
    if given and block.noun == "unit":
        parts["profiles"] = tuple(
            f"{p.name}: {shown(_value(p.fields[declared.name]))}"
            for p in rules.profiles.values()
            if declared.name in p.fields
        )
    return Explanation(
        what, declared.name, f"{block.noun}.{declared.name}: {_type(declared.type)}",
        f"{said} {what_it_is}" if said else what_it_is, declared.pos,
        layer.id if layer else "", used_by=_users(rules, declared.name), rules=_refs(rules, block.ref),
        examples=_examples(rules, declared.name, ()), parts=parts, source=sources.block(declared.pos),
    )  # fmt: skip


def _words(rules: Ruleset) -> Iterator[Match]:
    for placed in rules.placed:
        block = placed.block
        if isinstance(block, tree.WordsBlock):
            for word in block.words:
                yield Match(
                    f"word {word} of {block.name}", "word", word, f"a word for {block.name}", block.pos,
                    lambda r, p=placed, w=word: _word(r, p, w),  # type: ignore[misc]
                )  # fmt: skip


def _word(rules: Ruleset, placed: Placed, word: str) -> Explanation:
    block = placed.block
    assert isinstance(block, tree.WordsBlock)
    others = ", ".join(w for w in block.words if w != word)
    profiles = tuple(p.name for p in rules.profiles.values() if word in map(str, p.fields.values()))
    return Explanation(
        "word", word, f"{block.name}: {word}", f"One of the words for {block.name}; the others are {others}.",
        block.pos, placed.layer.id, used_by=_users(rules, word), rules=_refs(rules, block.ref),
        examples=_examples(rules, word, ()), parts={"profiles": profiles} if profiles else {},
        source=Quotes().block(block.pos),
    )  # fmt: skip


def _phases(rules: Ruleset) -> Iterator[Match]:
    for placed in rules.placed:
        block = placed.block
        if isinstance(block, tree.TurnBlock):
            for phase in block.phases:
                for name in dict.fromkeys((phase.name, phase.title or phase.name)):
                    yield Match(
                        f"phase {phase.name}", "phase", name, phase.title or f"a phase of the {block.kind}", phase.pos,
                        lambda r, p=placed, f=phase: _phase(r, p, f),  # type: ignore[misc]
                    )  # fmt: skip


def _phase(rules: Ruleset, placed: Placed, phase: tree.Phase) -> Explanation:
    block = placed.block
    assert isinstance(block, tree.TurnBlock)
    names = [one.name for one in block.phases]
    at = names.index(phase.name) + 1
    when = "before the first turn" if block.kind == "setup" else "of every turn"
    steps = tuple(step.name for step in phase.steps)
    layer = rules.layer_of(phase.pos) or placed.layer
    return Explanation(
        "phase", phase.title or phase.name, phase.name, f"Phase {at} of {len(names)} {when}.", phase.pos, layer.id,
        rules=_refs(rules, block.ref),
        examples=tuple(dict.fromkeys(e for step in steps for e in _examples(rules, step, ()))),
        parts={"steps": steps} if steps else {}, source=Quotes().block(phase.pos),
    )  # fmt: skip


# -- plugins, house rules, the book ---------------------------------------------------------------


def _vocabulary(rules: Ruleset) -> Iterator[Match]:
    nowhere = tree.NOWHERE
    for function in ({f.name: f for f in FUNCTIONS} | dict(rules.vocabulary.functions)).values():
        parts = {"does more than answer": tuple(sorted(function.effects))} if function.effects else {}
        if any(p.optional for p in function.parameters):
            parts["may be left out"] = tuple(p.name for p in function.parameters if p.optional)
        said = Explanation(
            "function", function.name, _called(function), function.doc, nowhere, used_by=(), parts=parts,
        )  # fmt: skip
        yield Match(
            f"function {function.name}", "function", function.name, function.doc, nowhere,
            lambda r, s=said: replace(s, used_by=_users(r, s.name)),  # type: ignore[misc]
        )  # fmt: skip
    for kind in rules.vocabulary.kinds.values():
        for name in dict.fromkeys((kind.name, kind.plural)):
            yield Match(
                f"kind {kind.name}", "kind", name, kind.doc, nowhere,
                lambda r, k=kind: _kind(r, k),  # type: ignore[misc]
            )  # fmt: skip


def _called(function: Function) -> str:
    """How a function is called, with what it gives: nothing, if it is there for what it does."""
    params = ", ".join(f"{p.name}{'?' if p.optional else ''}: {p.type}" for p in function.parameters)
    done = function.result == "any" and function.effects & {"writes", "creates", "moves", "emits"}
    return f"{function.name}({params})" + ("" if done else f": {function.result}")


def _kind(rules: Ruleset, kind: Any) -> Explanation:
    own = [p for p in rules.placed if p.kind == kind.name]
    said = tuple(_named_with(p.name, sentence(p.block)) for p in own)
    fields = {f.name: f"{f.type}; {f.doc}" for f in kind.fields}
    flags = tuple(_named_with(flag, kind.flag_docs.get(flag, "")) for flag in kind.flags)
    parts = {"flags (bare words among its fields)": flags, kind.plural: said}
    return Explanation(
        "kind", kind.name, f"{kind.name}, plural {kind.plural}", f"{kind.doc[:1].upper()}{kind.doc[1:]}.",
        tree.NOWHERE, figures=fields, parts={heading: lines for heading, lines in parts.items() if lines},
    )  # fmt: skip


def _named_with(name: str, said: str) -> str:
    return f"{name}: {said}" if said else name


def _house_rules(rules: Ruleset) -> Iterator[Match]:
    for offer in rules.house_rules.values():
        said = Explanation(
            "house rule", offer.title, offer.id, offer.reads or offer.title, offer.pos, rules=(),
            figures={"in force": "yes" if offer.id in rules.house else f"no (--house {offer.id})"},
        )  # fmt: skip
        for name in dict.fromkeys((offer.id, offer.title)):
            yield Match(
                f"house rule {offer.id}", "house rule", name, offer.reads, offer.pos,
                lambda r, s=said, o=offer: replace(  # type: ignore[misc]
                    s, rules=_refs(r, o.refs), source=_text_of(o.path)
                ),
            )  # fmt: skip


def _text_of(path: Path) -> str:
    lines = Quotes().lines(str(path)) if path.is_file() else []
    return "\n".join(lines[:LONGEST_SOURCE])


def _book(rules: Ruleset) -> Iterator[Match]:
    for rule in rules.rulebook.values():
        for name in dict.fromkeys((rule.id, rule.title)):
            yield Match(
                rule.id, "rule of the book", name, rule.title,
                rule.pos, lambda r, i=rule.id: _book_rule(r, i),  # type: ignore[misc]
            )  # fmt: skip


def _book_rule(rules: Ruleset, id_: str) -> Explanation:
    from warhost_proof.grades import coverage
    from warhost_proof.record import read_record

    rule = rules.rulebook[id_]
    covered = coverage(rules, read_record(rules)).rules[id_]
    placed = {p.id: p for p in rules.placed}
    carriers = (c.title for c in covered.carriers)
    lines = tuple(_said(rules, placed[name]) if name in placed else name for name in carriers)
    return Explanation(
        "rule of the book", id_, "", _title(rule), rule.pos,
        figures={"grade": ", ".join(covered.grades).replace("_", " ")},
        rules=_refs(rules, (id_,)), examples=_examples(rules, "", (id_,)),
        parts={"implemented by": lines} if lines else {},
    )  # fmt: skip


def _title(rule: BookRule) -> str:
    """What the index of the book says of a rule."""
    reads = f"{rule.title} ({rule.chapter})." if rule.chapter else f"{rule.title}."
    return f"{reads} Ruled out: {rule.ruled_out}" if rule.ruled_out else reads


def _said(rules: Ruleset, placed: Placed) -> str:
    said = sentence(placed.block) or _in_a_word(placed.block)
    where = at(placed.block.pos, rules)
    return f"{placed.id}: {said} ({where})" if said else f"{placed.id} ({where})"


def _refs(rules: Ruleset, refs: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    known = rules.rulebook
    return tuple((id_, known[id_].chapter, known[id_].title) if id_ in known else (id_, "", "") for id_ in refs)


def _examples(rules: Ruleset, name: str, refs: Iterable[str]) -> tuple[tuple[str, Pos], ...]:
    """The examples that name a thing in what they do or expect, then those of the same rules of the book."""
    wanted = set(refs)
    naming = [e for e in rules.examples if name and _names(e.data, name)]
    sharing = [e for e in rules.examples if wanted & set(e.ref) and e not in naming]
    return tuple((e.title, e.pos) for e in [*naming, *sharing])


def _names(data: Mapping[str, Any], name: str) -> bool:
    return any(_spoken(part, name) for part in (data.get("given"), data.get("when"), data.get("then")))


def _spoken(value: Any, name: str) -> bool:
    """Whether a name occurs as a whole word somewhere in the data."""
    if isinstance(value, Mapping):
        return any(_spoken(k, name) or _spoken(v, name) for k, v in value.items())
    if isinstance(value, list):
        return any(_spoken(v, name) for v in value)
    if not isinstance(value, str) or name not in value:
        return False
    at = value.find(name)
    before, after = value[at - 1 : at] if at else "", value[at + len(name) : at + len(name) + 1]
    return not (before.isalnum() or before == "_" or after.isalnum() or after == "_")
