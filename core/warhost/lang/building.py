"""How forms of the grammar become nodes of the syntax tree: what the tables in forms.py and blocks.py are made of.

The parser calls a form with a place and its parts (`kids`) when it is complete, innermost first, so nothing here
recurses. Parts are nodes, tokens that carry meaning (names, numbers, texts) and the carriers defined first. Most forms
are declared: `node(tree.Is, "subject", "object", negated=True)` fills the fields of a node in the order of the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, TypeVar

from warhost.errors import did_you_mean
from warhost.lang import tree as t
from warhost.lang.lexer import Mistake, Token

Kids = list[Any]
REF_HINT = "ids of the book look like ABC-MOV-004, in capital letters"
T = TypeVar("T")

# -- carriers: what forms pass up that is no node of the tree --------------------------------------


@dataclass(slots=True)
class FieldPart:
    """A part that goes to the field of its name; a mapping as value fills several fields at once."""

    name: str
    value: Any
    pos: t.Pos

    @property
    def shown(self) -> str:
        """Its name as messages say it."""
        return self.name.replace("_", " ")


class Tails(dict[str, FieldPart]):
    """The tails of one line by name: `when ..`, `because ".."`."""


class Several(tuple[Any, ...]):
    """Parts that count as parts of the form above: items on one line, the lines of a body."""


@dataclass(slots=True)
class Hooked:
    """A handler with the sentence for the printed sheet."""

    handler: t.Handler
    reads: t.Text | None


@dataclass(slots=True)
class Spacing:
    """Places (line, column) that the formatter asks about.

    signs: + and - that belong to what follows; rises: the + of `4+`; calls: brackets that belong to the
    name before; bodies: where a body begins (its colon, if it stands on the same line).
    """

    signs: set[tuple[int, int]] = field(default_factory=set)
    rises: set[tuple[int, int]] = field(default_factory=set)
    calls: set[tuple[int, int]] = field(default_factory=set)
    bodies: set[tuple[int, int]] = field(default_factory=set)


class Builder:
    """What the forms of one block share. sub_parse reads the expression in the braces of a text."""

    def __init__(self, file: str, sub_parse: Callable[[str, int, int], t.Expr]) -> None:
        self.file = file
        self.sub_parse = sub_parse
        self.spacing = Spacing()

    def place(self, token: Token) -> t.Pos:
        """Where a token stands."""
        return t.Pos(self.file, token.line, token.column, token.line, token.end)

    def name(self, token: Token) -> t.Name:
        """A word alone as an expression."""
        return t.Name(token.text, pos=self.place(token))


#: Makes a node or carrier of the parts of a form.
Form: TypeAlias = Callable[[Builder, t.Pos, Kids], Any]

#: Every form by its name in grammar.lark; `forms` and `blocks` fill it.
FORMS: dict[str, Form] = {}


def form(build: Form) -> Form:
    """Enter a function as the form of its name."""
    FORMS[build.__name__] = build
    return build


# -- mistakes --------------------------------------------------------------------------------------


def wrong(pos: t.Pos, message: str, hint: str | None = None) -> Mistake:
    """The mistake that something at a place is not as it should be."""
    return Mistake(pos.line, pos.column, "syntax", message, hint)


def expect(token: Token, *words: str) -> str:
    """The token's word if it is one of these; else the author hears which was meant."""
    if token.text in words:
        return token.text
    listed = " or ".join(f'"{word}"' for word in words)
    message = f'expected {listed}, not "{token.text}"'
    raise Mistake(token.line, token.column, "syntax", message, did_you_mean(token.text, words))


def misplaced_reads(reads: t.Text) -> Mistake:
    """The mistake that a sentence for the printed sheet stands where none can."""
    return wrong(reads.pos, '"reads" belongs under the head of the block', "move it up")


# -- parts -----------------------------------------------------------------------------------------


def one(kids: Kids, kind: type[T]) -> T | None:
    """The first of that class, or None."""
    return next((kid for kid in kids if isinstance(kid, kind)), None)


def every(kids: Kids, kind: type[T]) -> tuple[T, ...]:
    """All of that class."""
    return tuple(kid for kid in kids if isinstance(kid, kind))


def members(kids: Iterable[Any]) -> Iterator[Any]:
    """The parts one by one, with those that several carry; handlers taken out of their wrapping."""
    for kid in kids:
        if isinstance(kid, Several):
            yield from members(kid)
        elif isinstance(kid, Hooked):
            if kid.reads is not None:
                raise misplaced_reads(kid.reads)
            yield kid.handler
        else:
            yield kid


_FIRST_WORD = frozenset({"EDGE", "INSTEAD_OF"})


def plain(kid: Any) -> Any:
    """A part as a field holds it: the word of a token, a text without its quotes, what a carrier carries."""
    if kid.__class__ is Token:
        if kid.type == "TEXT":
            return kid.text[1:-1]
        return kid.text.split()[0] if kid.type in _FIRST_WORD else kid.text
    return kid.value if kid.__class__ is FieldPart else kid


@dataclass(slots=True)
class Allowed:
    """Which tails a line may have. on: the line, as messages call it."""

    names: tuple[str, ...]
    on: str

    def check(self, tails: Tails) -> None:
        """Raises Mistake for a tail that the line may not have."""
        for name, tail in tails.items():
            if name not in self.names:
                raise wrong(tail.pos, f'"{tail.shown}" cannot stand on {self.on}')


class FieldOrder:
    """Which fields the parts of a form are for.

    names stand in the order of the parts, those that may be missing last. `=along|to`: a word that must be one of
    these, for no field; `relation=above|below`: such a word for a field; `@value`: a word alone that becomes a Name;
    `*body`: all further parts. What is `Said`, and tails, go to the fields of their own names.
    """

    def __init__(self, names: tuple[str, ...], tails: Allowed | None, where: str) -> None:
        self.rest = names[-1][1:] if names and names[-1][0] == "*" else None
        self.tails, self.where = tails, where
        self.firsts: list[tuple[str, tuple[str, ...], bool]] = []
        for written in names if self.rest is None else names[:-1]:
            name, _, words = written.partition("=")
            self.firsts.append((name.removeprefix("@"), tuple(words.split("|")) if words else (), name[:1] == "@"))

    def named(self) -> set[str]:
        """The fields that it fills by the order of the parts."""
        return {name for name, _, _ in self.firsts if name} | ({self.rest} if self.rest is not None else set())

    def values(self, builder: Builder, pos: t.Pos, kids: Iterable[Any]) -> dict[str, Any]:
        """The fields with their values."""
        found: dict[str, Any] = {}
        said: set[str] = set()
        rest: list[Any] = []
        firsts = iter(self.firsts)
        for kid in members(kids) if self.rest is not None else kids:
            if kid.__class__ is FieldPart:
                if kid.name in said:
                    raise wrong(pos, f'"{kid.shown}" is said twice {self.where}')
                said.add(kid.name)
                _fill(found, kid)
            elif kid.__class__ is Tails:
                if self.tails is not None:
                    self.tails.check(kid)
                for tail in kid.values():
                    _fill(found, tail)
            elif (first := next(firsts, None)) is not None:
                name, words, as_name = first
                value = expect(kid, *words) if words and kid.__class__ is Token else plain(kid)
                if name:
                    found[name] = builder.name(kid) if as_name and kid.__class__ is Token else value
            else:
                rest.append(plain(kid))
        if self.rest is not None:
            found[self.rest] = tuple(rest)
        return found


def _fill(found: dict[str, Any], said: FieldPart) -> None:
    if isinstance(said.value, dict):
        found.update(said.value)
    else:
        found[said.name] = said.value


# -- declaring forms -------------------------------------------------------------------------------


def node(cls: type[Any], *names: str, tails: Allowed | None = None, where: str = "here", **given: Any) -> Form:
    """A form that makes a node of its parts. names and tails: see FieldOrder.

    given: fields that are always so, or so if nothing is said. where: how the message about something said twice ends.
    """
    parts = FieldOrder(names, tails, where)
    known = {f.name for f in fields(cls)}
    if unknown := (parts.named() | set(given)) - known:
        raise TypeError(f"{cls.__name__} has no {', '.join(sorted(unknown))}")
    no_reads = "reads" not in known

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
        found = parts.values(builder, pos, kids)
        if no_reads and "reads" in found:
            raise misplaced_reads(found["reads"])
        return cls(**{**given, **found}, pos=pos)

    return build


def said(name: str, *names: str, **given: Any) -> Form:
    """A form for a field of the form above: its only part, or several fields at once (see FieldOrder)."""
    parts = FieldOrder(names, None, "here")

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
        if names or given:
            return FieldPart(name, {**given, **parts.values(builder, pos, kids)}, pos)
        return FieldPart(name, plain(kids[0]) if kids else True, pos)

    return build


def as_said(name: str, inner: Form) -> Form:
    """A form whose node is for a field of the form above."""
    return lambda builder, pos, kids: FieldPart(name, inner(builder, pos, kids), pos)


def constant(name: str, value: Any) -> Form:
    """A form that says by its words alone what a field of the form above is."""
    return lambda builder, pos, kids: FieldPart(name, value, pos)
