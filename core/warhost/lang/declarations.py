"""What the blocks declare: words, nouns and their fields, names, kinds of definitions, phrases."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from warhost.errors import nearest
from warhost.lang import tree
from warhost.lang.block_checker import BlockChecker
from warhost.lang.program import FieldInfo, Noun
from warhost.lang.scope import Scope
from warhost.lang.types import noun_type

_SORTS = {cls: sort for cls, sort in tree.SORTS.items() if sort not in ("words", "noun")}

#: What can stand between the places of a phrase.
PREPOSITIONS = (
    "on", "from", "with", "as", "to", "at", "by", "of", "in", "against", "over", "within",
)  # fmt: skip


class Declarations:
    """Makes everything known before any block is lowered."""

    def __init__(self, checker: BlockChecker) -> None:
        self.checker = checker
        self.symbols = checker.symbols

    def declare(self) -> None:
        """Names of every sort: words, nouns, blocks, definitions, phrases."""
        s = self.symbols
        for b in self.checker.blocks_of(tree.WordsBlock):
            s.add_words(b)
        for b in self.checker.blocks_of(tree.NounBlock):
            s.add_noun(Noun(b.name, b.plural or s.nouns.get(b.name, Noun("", f"{b.name}s")).plural, b.is_a))
        for b in self.checker.blocks_of(tree.NounBlock):
            self._check_noun(b)
        for p in self.checker.placed:
            sort = _SORTS.get(type(p.block))
            if sort is not None:
                self._declare_named(sort, p.block)
        for b in self.checker.blocks_of(tree.KindBlock):
            self._declare_definition(b)
        self._find_variants()
        for b in self.checker.blocks_of(tree.PhraseBlock):
            self._declare_phrase(b)

    def _check_noun(self, b: tree.NounBlock) -> None:
        s = self.symbols
        if b.is_a is not None and b.is_a not in s.nouns:
            s.unknown(b.pos, "noun", b.is_a, s.nouns)
            s.nouns[b.name].is_a = None
            return
        seen, at = {b.name}, b.is_a
        while at is not None:
            if at in seen:
                s.report(b.pos, "circular", f'"{b.name}" is, by way of others, a "{b.name}" again')
                s.nouns[b.name].is_a = None
                return
            seen.add(at)
            at = s.nouns[at].is_a if at in s.nouns else None  # what there is not is told where it is named

    def _declare_named(self, sort: str, block: Any) -> None:
        s = self.symbols
        name: str = block.name
        if name.startswith("_"):
            s.report(block.pos, "bad-name", "a name cannot begin with _")
        for other in ("number", "flag", "value", "procedure", "table"):
            if sort in ("number", "flag", "value", "procedure", "table") and name in s.blocks[other]:
                s.report(
                    block.pos, "duplicate-name", f'there is already a {other} called "{name}"',
                    f"give it another name; a house rule writes `replace {other} {name}`",
                )
        s.blocks[sort][name] = block

    def _declare_definition(self, b: tree.KindBlock) -> None:
        s = self.symbols
        if b.kind not in s.kinds:
            s.unknown(b.pos, "kind of block", b.kind, [*s.kinds, *(x for x in _SORTS.values())])
            return
        kinds = s.titles.setdefault(b.title.text, [])
        if b.kind not in kinds:
            kinds.append(b.kind)
        s.values_of[b.kind, b.title.text] = b.params

    def _find_variants(self) -> None:
        """Blocks of one kind and title that are told apart by words in parentheses: `Spear(long)`."""
        groups: dict[tuple[str, str], list[tree.KindBlock]] = {}
        for b in self.checker.blocks_of(tree.KindBlock):
            groups.setdefault((b.kind, b.title.text), []).append(b)
        for (kind, title), blocks in groups.items():
            words = [tree.variant_of(b) for b in blocks] if len(blocks) > 1 else []
            if words and all(words):
                named = {w: tree.with_variant(title, w) for w in words}
                self.symbols.families[(kind, title)] = named
                for full in named.values():
                    self.symbols.titles.setdefault(full, []).append(kind)

    def _declare_phrase(self, b: tree.PhraseBlock) -> None:
        pattern: list[str | None] = []
        places: dict[str, int] = {}
        for word in b.pattern.split():
            if word.startswith("{") and word.endswith("}"):
                places[word[1:-1]] = len(places)
                pattern.append(None)
            else:
                pattern.append(word)
        args = []
        for a in b.means.args:
            value = a.value
            if isinstance(value, tree.Name) and value.name in places:
                value = tree.Name(f"${places[value.name]}", pos=value.pos)
            args.append(tree.Argument(value, a.name, pos=a.pos))
        if not _usable(b.pattern):
            self.symbols.report(
                b.pos, "bad-phrase", f'no rule could use the phrase "{b.pattern}"',
                f"it is a verb, places such as {{n}}, and between them the words: {', '.join(PREPOSITIONS)}",
            )
        means = tree.Call(b.means.name, tuple(args), pos=b.means.pos)
        self.symbols.phrases.append((pattern, tree.PhraseBlock(b.pattern, means, pos=b.pos)))

    def fields(self) -> None:
        """The fields of nouns, with their defaults; they may ask for anything that has been declared."""
        for b in self.checker.blocks_of(tree.ProfileBlock):
            self._add_fields(b, writable=False)
        for b in self.checker.blocks_of(tree.StateBlock):
            self._add_fields(b, writable=True)
        self.symbols.find_parts()
        for b in self.checker.blocks_of(tree.ProfileBlock):
            self._field_defaults(b)
        for b in self.checker.blocks_of(tree.StateBlock):
            self._field_defaults(b)

    def _add_fields(self, b: tree.StateBlock | tree.ProfileBlock, writable: bool) -> None:
        s = self.symbols
        if b.noun not in s.nouns:
            if not writable and b.noun in s.kinds:  # what the fields of its definitions may be: a check of sense
                return
            s.unknown(b.pos, "noun", b.noun, s.nouns)
            near = nearest(b.noun, s.nouns)
            if near is None:
                return
            b = replace(b, noun=near)  # its fields are not missed besides
        home = s.nouns[s.root(b.noun)].fields
        for f in b.fields:
            if f.name in home:
                s.report(
                    f.pos, "duplicate-name", f'"{b.noun}" already has a field "{f.name}"',
                    f"take one away: {f.name} is declared once, as state or in the profile",
                )
            type_ = s.resolve_type(f.type)
            required = not writable and f.default is None and not type_.optional and type_.kind != "list"
            home[f.name] = FieldInfo(
                f.name, type_, writable, not writable, secret=f.type.secret, pos=f.pos,
                at_least=self.checker.bound(f.at_least), at_most=self.checker.bound(f.at_most), required=required,
                doc=(f.reads.plain or "") if f.reads else "",
            )

    def _field_defaults(self, b: tree.StateBlock | tree.ProfileBlock) -> None:
        s = self.symbols
        if b.noun not in s.nouns:
            return
        home = s.nouns[s.root(b.noun)].fields
        scope = Scope(f"a field of {b.noun}", {"it": noun_type(s.root(b.noun))})
        for f in b.fields:
            info = home[f.name]
            if f.default is not None:
                value = self.checker.lower_as(f.default, scope, info.type, f'the start of "{f.name}"')
                info.default = self.checker.function(f"{b.noun}.{f.name}", ["it"], scope, value)
            if f.resets is not None:
                info.resets = self.checker.when(f.resets, scope)


@cache
def _usable(pattern: str) -> bool:
    """Whether a statement written by a pattern can be read at all."""
    from warhost.lang.parser import parse

    shown = " ".join("x" if w.startswith("{") else w for w in pattern.split())
    _, problems = parse(f"procedure p()\n    {shown}\n", "")
    return not problems
