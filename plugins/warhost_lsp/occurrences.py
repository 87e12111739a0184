"""Every name in a file of rules with the place of the name itself, and the part that it plays there.

The tree knows where things begin and end, not where in them their name stands; it is found in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from warhost.lang import tree
from warhost.lang.place import Pos


class Occurrence(NamedTuple):
    """A name where it stands.

    role: what names of this sort can mean: `block` (of: its sort), `title` (of: the kind, or ""), `field` (of: the
    noun), `noun`, `type`, `word` (of: the enumeration, or ""), `phase`, `event`, `roll`, `quality` (after `is`, `has`
    and before a noun), `attribute` (after a dot), `callable`, `text` (in quotes, perhaps only a sentence), or `name`
    (anything). local: where the local that it is was declared, as text; None for what is known everywhere. implied: its
    type, or that there is such a local at all, follows from its name.
    """

    name: str
    pos: Pos
    role: str
    of: str = ""
    declares: bool = False
    quoted: bool = False
    local: str | None = None
    implied: bool = False


def occurrences(module: tree.Module, text: str) -> Iterator[Occurrence]:
    """The names in a module; text is what it was made of."""
    yield from _Reader(text).block_by_block(module.blocks)


@dataclass(slots=True)
class _Frame:
    """A piece of the rules with locals of its own, by name; True: its type follows from its name."""

    place: str
    names: dict[str, bool] = field(default_factory=dict)


#: Nodes with locals of their own.
_FRAMES = (
    tree.BaseBlock, tree.Handler, tree.Reaction, tree.LocalProcedure, tree.Modifier, tree.Permission, tree.Narrow,
    tree.Phase,
)  # fmt: skip


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.frames: list[_Frame] = []

    def block_by_block(self, blocks: Iterable[tree.AnyBlock]) -> Iterator[Occurrence]:
        for block in blocks:
            yield from self.node(block)

    def node(self, node: Any) -> Iterator[Occurrence]:
        framed = isinstance(node, _FRAMES) and not isinstance(node, tree.HouseRule | tree.Replace | tree.Amend)
        if framed:
            self.frames.append(self._frame(node))
        names = _NAMES.get(type(node))
        if names is not None:
            yield from names(self, node)
        elif isinstance(node, tree.BaseBlock):
            yield from self._block(node)
        for below in tree.children(node):
            yield from self.node(below)
        if framed:
            self.frames.pop()

    # -- locals --------------------------------------------------------------------------------------

    def _frame(self, node: Any) -> _Frame:
        """The locals that a node declares itself; those of nodes with locals of their own below it are theirs."""
        frame = _Frame(f"{node.pos.file}:{node.pos.line}:{node.pos.column}")
        for param in getattr(node, "params", ()) or getattr(node, "by", ()) or ():
            if isinstance(param, tree.Param):
                frame.names[param.name] = param.type is None
            elif isinstance(param, str):
                frame.names[param] = False
        if isinstance(node, tree.KindBlock):
            for word in tree.variant_of(node):
                frame.names.pop(word, None)
        if isinstance(node, tree.Modifier | tree.Permission):
            for argument in node.args:
                if argument.name is None and isinstance(argument.value, tree.Name):
                    name = argument.value.name
                    if name not in ("bearer", "this") and self._declared(name) is None:
                        frame.names[name] = False
        waiting = tree.children(node)
        while waiting:
            below = waiting.pop()
            for name, implied in _declared_by(below):
                if self._declared(name) is None:
                    frame.names[name] = frame.names.get(name, False) or implied
            if not isinstance(below, _FRAMES):
                waiting += tree.children(below)
        return frame

    def _declared(self, name: str) -> _Frame | None:
        return next((frame for frame in reversed(self.frames) if name in frame.names), None)

    def local(self, name: str, pos: Pos | None, declares: bool = False) -> Iterator[Occurrence]:
        """A name that is a local here; nothing when it is none."""
        frame = self._declared(name)
        if frame is not None and pos is not None:
            yield Occurrence(
                name, pos, "name", declares=declares, local=frame.place, implied=frame.names[name]
            )

    # -- places --------------------------------------------------------------------------------------

    def find(self, name: str, within: Pos, after: str = "", last: bool = False) -> Pos | None:
        """The place of a word in a stretch of text: the first one, behind another word or sign; or the last one."""
        found: Pos | None = None
        reached = not after
        for number in range(within.line, min(within.end_line, len(self.lines)) + 1):
            line = self.lines[number - 1]
            start = within.column - 1 if number == within.line else 0
            end = within.end_column - 1 if number == within.end_line else len(line)
            if not reached:
                known = _word(after).search(line, start, end)
                if known is None:
                    continue
                reached, start = True, known.end()
            for one in _word(name).finditer(line, start, end):
                found = Pos(within.file, number, one.start() + 1, number, one.end() + 1)
                if not last:
                    return found
        return found

    def said(
        self, name: str | None, within: Pos, role: str, of: str = "", after: str = "", declares: bool = False,
        last: bool = False,
    ) -> Iterator[Occurrence]:  # fmt: skip
        """A name somewhere in a stretch of text."""
        place = self.find(name, within, after, last) if name else None
        if name and place is not None:
            yield Occurrence(name, place, role, of, declares)

    def word(self, word: tree.Word, role: str, of: str = "", declares: bool = False) -> Iterator[Occurrence]:
        """A word of the tree, in quotes or not."""
        yield Occurrence(word.text, bare(word.pos, word.quoted), role, of, declares, word.quoted)

    # -- blocks --------------------------------------------------------------------------------------

    def _block(self, node: Any) -> Iterator[Occurrence]:
        sort = tree.SORTS.get(type(node))
        if sort is not None:
            role = "noun" if sort == "noun" else "block"
            yield from self.said(node.name, node.pos, role, sort, after=sort, declares=True)

    def _kind_block(self, node: tree.KindBlock) -> Iterator[Occurrence]:
        yield from self.word(node.title, "title", node.kind, declares=True)
        yield from self.said(node.of, node.pos, "noun", after="of")

    def _words(self, node: tree.WordsBlock) -> Iterator[Occurrence]:
        yield from self._block(node)
        for word in node.words:
            yield from self.said(word, node.pos, "word", node.name, after=":", declares=True)

    def _noun(self, node: tree.NounBlock) -> Iterator[Occurrence]:
        yield from self._block(node)
        if node.plural:
            yield from self.said(node.plural, node.pos, "noun", after="plural")
        yield from self.said(node.is_a, node.pos, "noun", after="is")

    def _fields(self, node: tree.StateBlock | tree.ProfileBlock) -> Iterator[Occurrence]:
        yield from self.said(node.noun, node.pos, "noun", after="of")
        for one in node.fields:
            yield from self.said(one.name, one.pos, "field", node.noun, declares=True)

    def _named_below(self, node: tree.Amend | tree.Advise | tree.Remove | tree.Rename) -> Iterator[Occurrence]:
        """A block of a lower layer, by its kind and name."""
        if node.kind in ("state", "profile"):
            yield from self.word(node.name, "noun")
            for one in getattr(node, "changes", ()):
                if isinstance(one, tree.FieldDecl):
                    yield from self.said(one.name, one.pos, "field", node.name.text, declares=True)
            return
        sorted_ = node.kind in tree.SORTS.values()
        yield from self.word(node.name, "block" if sorted_ else "title", node.kind)
        if isinstance(node, tree.Rename):
            yield from self.word(node.to, "block" if sorted_ else "title", node.kind, declares=True)

    def _insert(self, node: tree.PhaseInsert) -> Iterator[Occurrence]:
        if node.where != "replace":  # that names itself
            yield from self.word(node.anchor, "phase")

    # -- lines ---------------------------------------------------------------------------------------

    def _param(self, node: tree.Param) -> Iterator[Occurrence]:
        yield from self.local(node.name, self.find(node.name, node.pos), declares=True)

    def _type(self, node: tree.TypeRef) -> Iterator[Occurrence]:
        yield from self.said(node.name, node.pos, "type", after="of" if node.is_list else "")

    def _modifier(self, node: tree.Modifier) -> Iterator[Occurrence]:
        yield from self.said(node.target, node.pos, "callable")

    def _permission(self, node: tree.Permission) -> Iterator[Occurrence]:
        yield from self.said(node.flag, node.pos, "callable", after="allow" if node.allow else "forbid")

    def _handler(self, node: tree.Handler) -> Iterator[Occurrence]:
        yield from self.said(node.event, node.pos, "event", after={"instead": "of"}.get(node.hook, node.hook))
        yield from self._plain_params(node, node.event)

    def _plain_params(self, node: Any, after: str | None) -> Iterator[Occurrence]:
        for name in node.params:
            yield from self.local(name, self.find(name, node.pos, after or "("), declares=True)

    def _reaction(self, node: tree.Reaction) -> Iterator[Occurrence]:
        yield from self.said(node.event, node.pos, "event", after="to")
        yield from self._plain_params(node, node.event)

    def _local_procedure(self, node: tree.LocalProcedure) -> Iterator[Occurrence]:
        yield from self.said(node.name, node.pos, "block", "procedure", after="procedure", declares=True)

    def _reroll(self, node: tree.RerollRight) -> Iterator[Occurrence]:
        if node.which == "faces":
            yield from self.said(node.roll, node.pos, "roll", after="reroll")
        else:
            yield from self.said(node.roll, node.pos, "roll", after="of")

    def _narrow(self, node: tree.Narrow) -> Iterator[Occurrence]:
        yield from self.said(node.choice, node.pos, "callable", after="narrow")
        yield from self._plain_params(node, node.choice)

    def _case(self, node: tree.Case) -> Iterator[Occurrence]:
        if node.word is not None:
            yield from self.word(node.word, "word")

    def _worded(self, node: tree.Natural | tree.Outcome) -> Iterator[Occurrence]:
        if node.word is not None:
            yield from self.word(node.word, "word")

    def _as_kind(self, node: tree.AsKind) -> Iterator[Occurrence]:
        yield from self.word(node.name, "title", node.kind)

    # -- statements ----------------------------------------------------------------------------------

    def _choose(self, node: tree.Choose) -> Iterator[Occurrence]:
        yield from self.local(node.var, self.find(node.var, node.pos, "choose"), declares=True)

    def _assign(self, node: tree.Assign) -> Iterator[Occurrence]:
        """A local that gets a value; told once more, with the names, for what else it is."""
        if isinstance(node.target, tree.Name) and node.op == "=":
            yield from self.local(node.target.name, self.find(node.target.name, node.pos), declares=True)

    def _emit(self, node: tree.Emit) -> Iterator[Occurrence]:
        yield from self.said(node.event, node.pos, "event", after="emit")

    def _give_or_take(self, node: tree.Give | tree.Take) -> Iterator[Occurrence]:
        yield from self.word(node.what, "title")

    def _change(self, node: tree.Change) -> Iterator[Occurrence]:
        yield from self.local(node.name, self.find(node.name, node.pos, "change"))

    def _phase(self, node: tree.Phase) -> Iterator[Occurrence]:
        yield from self.said(node.name, node.pos, "phase", after="phase", declares=True)

    def _phase_order(self, node: tree.PhaseOrder) -> Iterator[Occurrence]:
        yield from self.said(node.noun, node.pos, "noun")

    def _step(self, node: tree.Step) -> Iterator[Occurrence]:
        yield from self.said(node.name, node.pos, "callable")

    def _moment(self, node: tree.Moment) -> Iterator[Occurrence]:
        yield from self.said(node.what, node.pos, "phase", last=True)

    # -- expressions ---------------------------------------------------------------------------------

    def _name(self, node: tree.Name) -> Iterator[Occurrence]:
        place = Pos(node.pos.file, node.pos.line, node.pos.column, node.pos.line, node.pos.column + len(node.name))
        if not self._stands(node.name, place):
            return
        if self._declared(node.name) is not None:
            yield from self.local(node.name, place)
        else:
            yield Occurrence(node.name, place, "name")

    def _text(self, node: tree.Text) -> Iterator[Occurrence]:
        plain, place = node.plain, bare(node.pos, True)
        if plain and self._stands(plain, place):  # else it takes several lines, and names nothing
            yield Occurrence(plain, place, "text", quoted=True)

    def _attribute(self, node: tree.Attribute) -> Iterator[Occurrence]:
        pos = node.pos
        begins = pos.end_column - len(node.name)
        place = Pos(pos.file, pos.end_line, begins, pos.end_line, pos.end_column)
        if self._stands(node.name, place):
            yield Occurrence(node.name, place, "attribute")

    def _stands(self, name: str, place: Pos) -> bool:
        line = self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        return line[place.column - 1 : place.end_column - 1] == name

    def _call(self, node: tree.Call) -> Iterator[Occurrence]:
        yield from self.said(node.name, node.pos, "callable")

    def _roll(self, node: tree.RollNamed) -> Iterator[Occurrence]:
        yield from self.said(node.name, node.pos, "roll", after="roll")

    def _how_many(self, node: tree.HowMany) -> Iterator[Occurrence]:
        yield from self.said(node.name, node.pos, "roll", after="pass" if node.passing else "fail")

    def _has(self, node: tree.Has) -> Iterator[Occurrence]:
        if len(node.what) == 1:
            yield from self.word(node.what[0], "quality")
            return
        first, last = node.what[0].pos, node.what[-1].pos
        whole = Pos(first.file, first.line, first.column, last.end_line, last.end_column)
        yield Occurrence(" ".join(word.text for word in node.what), whole, "title")

    def _infix(self, node: tree.Infix) -> Iterator[Occurrence]:
        before = node.subject.pos
        rest = Pos(before.file, before.end_line, before.end_column, node.pos.end_line, node.pos.end_column)
        yield from self.said(node.relation, rest, "callable")

    def _phrase(self, node: tree.Phrase) -> Iterator[Occurrence]:
        for word in node.words:
            if not word.quoted and word.text in ("friendly", "enemy", "other", "enemies", "friends", "friend"):
                continue
            if self._declared(word.text) is not None and len(node.words) == 1 and not word.quoted:
                yield from self.local(word.text, bare(word.pos, False))
            elif node.inside is not None and word is node.words[-1] and not word.quoted:
                yield from self.word(word, "attribute")
            else:
                yield from self.word(word, "quality")
        if node.alias is not None:
            yield from self.local(node.alias, self.find(node.alias, node.pos, "as", last=True), declares=True)


def bare(pos: Pos, quoted: bool) -> Pos:
    """The place of a word or text without its quotes."""
    if not quoted:
        return pos
    return Pos(pos.file, pos.line, pos.column + 1, pos.end_line, pos.end_column - 1)


@cache
def _word(text: str) -> re.Pattern[str]:
    if not text.isidentifier():
        return re.compile(re.escape(text))
    return re.compile(rf"(?<![A-Za-z0-9_]){text}(?![A-Za-z0-9_])")


def _declared_by(node: Any) -> Iterator[tuple[str, bool]]:
    """The locals that a statement or phrase brings; True for those that nobody has written as a name."""
    match node:
        case tree.Assign(target=tree.Name(name=name), op="="):
            yield name, False
        case tree.Choose(var=name):
            yield name, False
        case tree.Phrase(alias=str() as name):
            yield name, False


_NAMES: dict[type, Callable[[_Reader, Any], Iterator[Occurrence]]] = {
    tree.KindBlock: _Reader._kind_block, tree.WordsBlock: _Reader._words, tree.NounBlock: _Reader._noun,
    tree.StateBlock: _Reader._fields, tree.ProfileBlock: _Reader._fields, tree.Amend: _Reader._named_below,
    tree.Advise: _Reader._named_below, tree.Remove: _Reader._named_below, tree.Rename: _Reader._named_below,
    tree.PhaseInsert: _Reader._insert, tree.Param: _Reader._param, tree.TypeRef: _Reader._type,
    tree.Modifier: _Reader._modifier, tree.Permission: _Reader._permission, tree.Handler: _Reader._handler,
    tree.Reaction: _Reader._reaction, tree.LocalProcedure: _Reader._local_procedure,
    tree.RerollRight: _Reader._reroll, tree.Narrow: _Reader._narrow, tree.Case: _Reader._case,
    tree.Natural: _Reader._worded, tree.Outcome: _Reader._worded, tree.AsKind: _Reader._as_kind,
    tree.Assign: _Reader._assign, tree.Choose: _Reader._choose, tree.Emit: _Reader._emit,
    tree.Give: _Reader._give_or_take, tree.Take: _Reader._give_or_take, tree.Change: _Reader._change,
    tree.Phase: _Reader._phase,
    tree.PhaseOrder: _Reader._phase_order, tree.Step: _Reader._step, tree.Moment: _Reader._moment,
    tree.Name: _Reader._name, tree.Text: _Reader._text, tree.Attribute: _Reader._attribute,
    tree.Call: _Reader._call, tree.RollNamed: _Reader._roll, tree.HowMany: _Reader._how_many,
    tree.Has: _Reader._has, tree.Infix: _Reader._infix, tree.Phrase: _Reader._phrase,
}  # fmt: skip
