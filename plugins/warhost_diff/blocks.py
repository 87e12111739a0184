"""Blocks of rules compared: which are new, gone, renamed or otherwise, and line by line how."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from warhost.lang import tree
from warhost.lang.place import NOWHERE, Pos
from warhost_armies.wording import sentence, words
from warhost_diff.difference import By, ChangedLine, ChangedThing
from warhost_diff.quoting import LogicalLine, Sources, place_of

if TYPE_CHECKING:
    from warhost.packs import Placed, Ruleset

TURN = "The turn"
SECTIONS = {
    "rule": "Rules", "number": "Numbers", "flag": "Who may, and what holds", "value": "Values", "roll": "Rolls",
    "procedure": "How things are done", "event": "Events", "handler": "What happens when",
    "reaction": "What players may answer", "choice": "Choices", "table": "Tables", "constraint": "Legal armies",
    "words": "Words", "noun": "Things", "state": "What is remembered", "profile": "Characteristics",
    "phrase": "Ways of saying it",
}  # fmt: skip
"""The headings of blocks that are no definitions of a plugin's kind, in their order."""

_LIKE = 0.5
"""How like two lines are, from 0 to 1, for one to be told as the other's successor."""


@dataclass(slots=True)
class ReadRules:
    """One of the two rulesets, with what has been read of it."""

    rules: Ruleset
    sources: Sources
    blocks: dict[str, Placed] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.blocks = {one.id: one for one in self.rules.placed}

    def layer(self, pos: Pos) -> str:
        """The id of the layer in which a place lies; "" for the language's own rules."""
        layer = self.rules.layer_of(pos)
        return layer.id if layer is not None else ""

    def place(self, pos: Pos) -> str:
        """A place as messages call it."""
        return place_of(self.rules, pos)

    def by(self, history: Iterable[Any]) -> tuple[By, ...]:
        """Who did what to a block, from the first to the last."""
        return tuple(By(one.layer.id, one.what, self.place(one.pos)) for one in history)


def changed_blocks(a: ReadRules, b: ReadRules) -> Iterator[ChangedThing]:
    """Every block that is not the same, those of the turn last."""
    pairs = list(_pairs(a, b))
    for before, after in pairs:
        if before is not None and after is not None:
            change = _changed(a, b, before, after)
        elif after is not None:
            change = _alone(b, after, "added")
        else:
            assert before is not None
            change = _alone(a, before, "removed", _removed_by(b, before))
        if change is not None:
            yield change


def changed_block(a: ReadRules, b: ReadRules, id_: str) -> ChangedThing | None:
    """What is otherwise about one block of b, by its id; None when a has it in the same way."""
    after = b.blocks[id_]
    before = a.blocks.get(id_) or next((one for one in a.blocks.values() if _succeeds(a, b, one, after)), None)
    return _changed(a, b, before, after) if before is not None else _alone(b, after, "added")


def _pairs(a: ReadRules, b: ReadRules) -> Iterator[tuple[Placed | None, Placed | None]]:
    """The blocks that answer to each other: by kind and name, then what has kept all but its name or its rules' ids."""
    gone = [one for id_, one in a.blocks.items() if id_ not in b.blocks]
    new = {id_: one for id_, one in b.blocks.items() if id_ not in a.blocks}
    successors: dict[str, Placed] = {}
    for one in gone:
        found = next((n for n in new.values() if _succeeds(a, b, one, n)), None)
        if found is not None:
            successors[one.id] = new.pop(found.id)
    for id_, one in a.blocks.items():
        yield one, b.blocks.get(id_) or successors.get(id_)
    for one in new.values():
        yield None, one


def _succeeds(a: ReadRules, b: ReadRules, old: Placed, new: Placed) -> bool:
    if old.kind != new.kind:
        return False
    if old.name == new.name and old.kind in ("handler", "reaction"):
        return True
    renamed = any(change.what == "renamed" for change in new.history)
    if renamed and old.block.pos == new.block.pos:
        return True
    mine, theirs = _texts(a, old), _texts(b, new)
    return bool(mine[1:]) and mine[1:] == theirs[1:] and sentence(old.block) == sentence(new.block)


def _texts(side: ReadRules, placed: Placed) -> list[str]:
    return [said.indented for said in said_of(placed.block, side.sources)]


# -- one block ------------------------------------------------------------------------------------


def _changed(a: ReadRules, b: ReadRules, before: Placed, after: Placed) -> ChangedThing | None:
    if before.block == after.block and before.name == after.name:
        return None
    if isinstance(before.block, tree.TurnBlock) and isinstance(after.block, tree.TurnBlock):
        return _turn(a, b, before, after)
    told = said_of(before.block, a.sources), said_of(after.block, b.sources)
    lines = (*_base(a, b, before.block, after.block), *_lines(a, b, *told))
    said, was = _sentence(after.block), _sentence(before.block)
    renamed = before.name != after.name
    if not lines and said == was and not renamed:
        return _only_advice(a, b, before, after)
    return ChangedThing(
        section_of(b.rules, after.kind), after.kind, after.name, title_of(after), "renamed" if renamed else "changed",
        lines, was, said, book_of(b.rules, after.block), b.by(after.history[1:] or after.history),
        was=title_of(before) if renamed else "",
    )  # fmt: skip


def _base(a: ReadRules, b: ReadRules, before: tree.AnyBlock, after: tree.AnyBlock) -> Iterator[ChangedLine]:
    """What a number or flag is as long as no line changes it."""
    both = tree.NumberBlock | tree.FlagBlock | tree.ValueBlock
    if isinstance(before, both) and isinstance(after, both):
        was, now = a.sources.quote(before.base.pos), b.sources.quote(after.base.pos)
        if was != now:
            yield ChangedLine("without any change", was, now, b.layer(after.base.pos), b.place(after.base.pos))
        yield from _lines(a, b, _signature(a, before), _signature(b, after))


def _signature(side: ReadRules, block: tree.NumberBlock | tree.FlagBlock | tree.ValueBlock) -> list[LogicalLine]:
    """The head of a number up to its `=`."""
    head = side.sources.quote(_up_to(block.pos, block.base.pos)).partition(" = ")[0]
    return [LogicalLine(head, block.pos)]


def _sentence(block: tree.AnyBlock) -> str:
    """The sentence of a block; of a constraint without one what it tells players."""
    said = sentence(block)
    if said or not isinstance(block, tree.ConstraintBlock):
        return said
    return " ".join("".join(part if isinstance(part, str) else ".." for part in block.otherwise.parts).split())


def _only_advice(a: ReadRules, b: ReadRules, before: Placed, after: Placed) -> ChangedThing | None:
    """What only tells computer players how to choose is no rule; ids of the book are not told."""
    if (before.advice, after.advice) == ((), ()) or [c.pos for c in before.advice] == [c.pos for c in after.advice]:
        return None
    ratings = [_advice(side, one) for side, one in ((a, before), (b, after))]
    return ChangedThing(
        "Computer players", after.kind, after.name, title_of(after), "changed", tuple(_lines(a, b, *ratings)), "", "",
        book_of(b.rules, after.block), b.by(after.advice),
    )  # fmt: skip


def _advice(side: ReadRules, placed: Placed) -> list[LogicalLine]:
    return [said for one in placed.advice for said in side.sources.said(one.pos)[1:]]


def _alone(side: ReadRules, placed: Placed, what: str, by: tuple[By, ...] = ()) -> ChangedThing:
    """A block that only one of the two has."""
    block, added = placed.block, what == "added"
    told = said_of(block, side.sources)
    if isinstance(block, tree.KindBlock) and len(told) > 1:
        told = told[1:]  # its title is told already
    if isinstance(block, tree.NumberBlock | tree.FlagBlock | tree.ValueBlock):
        head = side.sources.quote(_up_to(block.pos, block.base.pos))
        told = [LogicalLine(head, block.pos), *told]
    least = min((said.level for said in told), default=0)
    lines = tuple(_line(side, LogicalLine(said.text, said.pos, said.level - least), added) for said in told)
    reads = _sentence(block)
    section = TURN if isinstance(block, tree.TurnBlock) else section_of(side.rules, placed.kind)
    return ChangedThing(
        section, placed.kind, placed.name, title_of(placed), what, lines, "" if added else reads,
        reads if added else "", book_of(side.rules, block), by or side.by(placed.history),
    )  # fmt: skip


def _line(side: ReadRules, said: LogicalLine, added: bool) -> ChangedLine:
    before, after = (None, said.indented) if added else (said.indented, None)
    return ChangedLine("", before, after, side.layer(said.pos), side.place(said.pos))


def _removed_by(b: ReadRules, before: Placed) -> tuple[By, ...]:
    found = [one for one in b.rules.removed if (one.kind, one.name) == (before.kind, before.name)]
    return b.by(found[0].history[-1:]) if found else ()


# -- the lines of a block ---------------------------------------------------------------------------


def said_of(block: tree.AnyBlock, sources: Sources) -> list[LogicalLine]:
    """What a block says, line by line, as the layers have left it: its head first, its sentence left out."""
    head, items = _parts(block)
    if isinstance(block, tree.WordsBlock):
        return [LogicalLine(word, NOWHERE) for word in block.words]
    said = [one for one in sources.said(head) if not _is_sentence(one.text)]
    if isinstance(block, tree.RollBlock):
        said = [one for one in said if not one.text.startswith("natural ")]
    if items is None:
        return said
    said = said[:1] if isinstance(block, tree.KindBlock | tree.StateBlock | tree.ProfileBlock) else said
    deeper = 1 if said else 0
    for item in items:
        said += [LogicalLine(one.text, one.pos, one.level + deeper) for one in sources.said(item.pos)]
    return said


def _is_sentence(text: str) -> bool:
    return text.startswith('reads "')


def _parts(block: tree.AnyBlock) -> tuple[Pos, Sequence[tree.Node] | None]:
    """Where the head of a block stands, and the parts that layers may have amended; None when it is one piece."""
    match block:
        case tree.NumberBlock() | tree.ValueBlock() | tree.FlagBlock():
            return NOWHERE, block.lines
        case tree.KindBlock():
            return block.pos, block.items
        case tree.StateBlock() | tree.ProfileBlock():
            return block.pos, block.fields
        case tree.TableBlock():
            return _first_line(block.pos), block.cases
        case tree.RollBlock():
            return block.pos, block.naturals
    return block.pos, None


def _up_to(start: Pos, end: Pos) -> Pos:
    return Pos(start.file, start.line, start.column, end.end_line, end.end_column)


def _first_line(pos: Pos) -> Pos:
    return pos if pos.end_line == pos.line else Pos(pos.file, pos.line, pos.column, pos.line + 1, 1)


def _lines(
    a: ReadRules, b: ReadRules, before: Sequence[LogicalLine], after: Sequence[LogicalLine]
) -> Iterator[ChangedLine]:
    """The lines that are not the same, old ones beside those that have taken their places."""
    matcher = SequenceMatcher(None, [s.indented for s in before], [s.indented for s in after], autojunk=False)
    for what, low, high, first, last in matcher.get_opcodes():
        if what != "equal":
            yield from _replaced(a, b, list(before[low:high]), list(after[first:last]))


def _replaced(a: ReadRules, b: ReadRules, old: list[LogicalLine], new: list[LogicalLine]) -> Iterator[ChangedLine]:
    """First what is gone without a successor, then the new lines in their order, each with what it replaces."""
    before: dict[int, LogicalLine] = {}
    for said in old:
        free = [i for i in range(len(new)) if i not in before]
        best = max(free, key=lambda i: _likeness(said, new[i]), default=None)
        if best is not None and _likeness(said, new[best]) >= _LIKE:
            before[best] = said
        else:
            yield _line(a, said, False)
    for i, said in enumerate(new):
        was = before[i].indented if i in before else None
        yield ChangedLine("", was, said.indented, b.layer(said.pos), b.place(said.pos))


def _likeness(one: LogicalLine, other: LogicalLine) -> float:
    return SequenceMatcher(None, one.text, other.text, autojunk=False).ratio()


# -- the turn ---------------------------------------------------------------------------------------


def _turn(a: ReadRules, b: ReadRules, before: Placed, after: Placed) -> ChangedThing | None:
    """Phase by phase: new, gone, moved, otherwise."""
    old, new = before.block, after.block
    assert isinstance(old, tree.TurnBlock)
    assert isinstance(new, tree.TurnBlock)
    lines = [*_phases(a, b, old, new)]
    if old.order != new.order:
        label = "whose turn it is"
        lines.insert(0, ChangedLine(label, _order(old, a), _order(new, b), after.layer.id, b.place(new.pos)))
    if not lines:
        return None
    return ChangedThing(
        TURN, after.kind, after.name, "The set-up" if new.kind == "setup" else "The turn", "changed", tuple(lines),
        sentence(old), sentence(new), (), b.by(after.history[1:] or after.history),
    )  # fmt: skip


def _order(turn: tree.TurnBlock, side: ReadRules) -> str:
    head = side.sources.said(_first_line(turn.pos))
    return head[0].text if turn.order is not None and head else "one turn for both sides"


def _phases(a: ReadRules, b: ReadRules, old: tree.TurnBlock, new: tree.TurnBlock) -> Iterator[ChangedLine]:
    was = {phase.name: phase for phase in old.phases}
    now = {phase.name: phase for phase in new.phases}
    kept = [name for name in was if name in now]
    moved = _moved(kept, [name for name in now if name in was])
    for name, phase in was.items():
        if name not in now:
            yield ChangedLine(_called(phase), _place_in(old, name), None, *_gone(b, phase))
    for name, phase in now.items():
        layer, place = b.layer(phase.pos), b.place(phase.pos)
        if name not in was:
            yield ChangedLine(_called(phase), None, _place_in(new, name), layer, place)
            for said in b.sources.said(phase.pos)[1:]:
                yield _line(b, said, True)
            continue
        if name in moved:
            yield ChangedLine(_called(phase), _place_in(old, name), _place_in(new, name), "", "")
        if phase != was[name]:
            before, after = a.sources.said(was[name].pos), b.sources.said(phase.pos)
            heads = [_how(one) for one in (before, after)]
            if heads[0] != heads[1]:
                yield ChangedLine(_called(phase), heads[0], heads[1], layer, place)
            yield from _lines(a, b, before[1:], after[1:])


def _how(said: Sequence[LogicalLine]) -> str:
    """How a phase is run and what is done in it, in words, from its first line."""
    head = re.sub(r'^phase \w+( "[^"]*")?[,:]? *', "", said[0].text) if said else ""
    return words(re.sub(r"( (before|after|replace)) \w+$", "", head)) or "as its own steps say"


def _moved(before: list[str], after: list[str]) -> set[str]:
    """The fewest names that stand elsewhere among the others."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    kept = {before[i] for match in matcher.get_matching_blocks() for i in range(match.a, match.a + match.size)}
    return set(before) - kept


def _gone(b: ReadRules, phase: tree.Phase) -> tuple[str, str]:
    """The layer that took a phase out, where that is known."""
    for placed in b.rules.placed:
        if isinstance(placed.block, tree.TurnBlock) and phase.name in placed.block.gone:
            last = placed.history[-1]
            return last.layer.id, b.place(last.pos)
    return "", ""


def _place_in(turn: tree.TurnBlock, name: str) -> str:
    """Where a phase stands among the others."""
    names = [phase.name for phase in turn.phases]
    at = names.index(name)
    if len(names) == 1:
        return "the only phase"
    if at == 0:
        return f"first, before {_called(turn.phases[1])}"
    where = "last, " if at == len(names) - 1 else ""
    return f"{where}after {_called(turn.phases[at - 1])}"


def _called(phase: tree.Phase) -> str:
    return phase.title or words(phase.name)


# -- words ------------------------------------------------------------------------------------------


def section_of(rules: Ruleset, kind: str) -> str:
    """The heading for blocks of a kind."""
    declared = rules.vocabulary.kinds.get(kind)
    if kind in SECTIONS:
        return SECTIONS[kind]
    return words(declared.plural).capitalize() if declared is not None else words(kind).capitalize()


def title_of(placed: Placed) -> str:
    """As people call a block."""
    block = placed.block
    if isinstance(block, tree.KindBlock):
        return tree.with_variant(block.title.text, tree.variant_of(block)) if tree.variant_of(block) else placed.name
    if isinstance(block, tree.StateBlock | tree.ProfileBlock):
        return f"every {words(block.noun)}"
    return words(placed.name) or words(placed.kind)


def book_of(rules: Ruleset, block: tree.AnyBlock) -> tuple[str, ...]:
    """The titles of the rules of the book that a block implements."""
    from warhost.packs.parsed import refs_in

    ids = dict.fromkeys(ref for ref, _ in refs_in(block))
    return tuple(rules.rulebook[id_].title for id_ in ids if id_ in rules.rulebook)
