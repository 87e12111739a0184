"""From reductions to the syntax tree: one method for each form of the grammar.

The parser calls `method(pos, kids)` when a form is complete, innermost first, so nothing here recurses.
kids are the nodes below, the tokens that carry meaning (names, numbers, texts) and the small carriers
defined first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeVar

from warhost.errors import did_you_mean
from warhost.lang import tree as t
from warhost.lang.lexer import Mistake, Token

Kids = list[Any]
REF_HINT = "ids of the book look like ABC-MOV-004, in capital letters"
T = TypeVar("T")

# -- carriers: what forms pass up that is no node of the tree --------------------------------------


class Params(tuple[t.Param, ...]):
    """`(unit, place: place)`"""


class Args(tuple[t.Argument, ...]):
    """`(unit, n + 1)`"""


class Ref(tuple[str, ...]):
    """`ref ABC-MOV-004, ABC-MOV-005`"""


class Body(tuple[t.Statement, ...]):
    """Indented statements, or the one after a colon."""


class Several(tuple[t.Node, ...]):
    """Items written on one line."""


@dataclass(slots=True)
class Tail:
    """One tail of a line: `when ..`, `because ".."`."""

    name: str
    value: Any
    pos: t.Pos


class Tails(dict[str, Any]):
    """The tails of one line by name; where: the place of each."""

    where: dict[str, t.Pos]


@dataclass(slots=True)
class Change:
    """What a modifier does, without its target."""

    op: str
    value: t.Expr | None = None
    rounding: str | None = None
    each_time: bool = False
    tails: Tails | None = None


@dataclass(slots=True)
class Reads:
    text: t.Text


@dataclass(slots=True)
class Said:
    """A plain value under a name: markers and single settings."""

    name: str
    value: Any = True


@dataclass(slots=True)
class Hooked:
    """A handler with the sentence for the printed sheet."""

    handler: t.Handler
    reads: t.Text | None


@dataclass(slots=True)
class Against:
    """The second half of an opposed roll."""

    right: t.Total | t.Pool
    by: t.Expr | None
    ties: t.Expr | None
    margin: bool


@dataclass(slots=True)
class OpposedBy:
    spec: t.Opposed
    by: t.Expr | None


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


def one(kids: Kids, kind: type[T]) -> T | None:
    """The first of that class, or None."""
    for kid in kids:
        if isinstance(kid, kind):
            return kid
    return None


def every(kids: Kids, kind: type[T]) -> tuple[T, ...]:
    return tuple(kid for kid in kids if isinstance(kid, kind))


def said(kids: Kids, name: str) -> Any:
    """The value of the setting of that name, or None."""
    for kid in kids:
        if isinstance(kid, Said) and kid.name == name:
            return kid.value
    return None


def wrong(pos: t.Pos, message: str, hint: str | None = None, code: str = "syntax") -> Mistake:
    return Mistake(pos.line, pos.column, code, message, hint)


def expect(token: Token, *words: str) -> str:
    """The token's word if it is one of these; else the author hears which was meant."""
    if token.text in words:
        return token.text
    listed = " or ".join(f'"{word}"' for word in words)
    raise Mistake(
        token.line,
        token.column,
        "syntax",
        f'expected {listed}, not "{token.text}"',
        did_you_mean(token.text, words),
    )


def _whole(text: str) -> Fraction:
    return Fraction(text)


class Builder:
    """Builds the nodes of one block. sub_parse reads the expression in the braces of a text."""

    def __init__(self, file: str, sub_parse: Callable[[str, int, int], t.Expr]) -> None:
        self.file = file
        self.sub_parse = sub_parse
        self.spacing = Spacing()

    def place(self, token: Token) -> t.Pos:
        return t.Pos(self.file, token.line, token.column, token.line, token.end)

    # -- small pieces ------------------------------------------------------------------------------

    def word(self, pos: t.Pos, kids: Kids) -> t.Word:
        token = kids[0]
        if token.type == "TEXT":
            return t.Word(token.text[1:-1], True, pos=pos)
        return t.Word(token.text, pos=pos)

    def params(self, pos: t.Pos, kids: Kids) -> Params:
        self.spacing.calls.add((pos.line, pos.column))
        return Params(kids)

    def param(self, pos: t.Pos, kids: Kids) -> t.Param:
        return t.Param(kids[0].text, one(kids, t.TypeRef), pos=pos)

    def type(self, pos: t.Pos, kids: Kids) -> t.TypeRef:
        return t.TypeRef(kids[0].text, optional=bool(said(kids, "or none")), pos=pos)

    def secret_type(self, pos: t.Pos, kids: Kids) -> t.TypeRef:
        expect(kids[0], "secret")
        return t.TypeRef(kids[1].text, optional=bool(said(kids, "or none")), secret=True, pos=pos)

    def list_type(self, pos: t.Pos, kids: Kids) -> t.TypeRef:
        return t.TypeRef(kids[0].text, is_list=True, pos=pos)

    plain_type = type

    def or_none(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("or none")

    def reads(self, pos: t.Pos, kids: Kids) -> Reads:
        return Reads(self.text(pos, kids))

    reads_line = reads

    def ref(self, pos: t.Pos, kids: Kids) -> Ref:
        return Ref(part.strip() for part in kids[0].text[3:].split(","))

    def text(self, pos: t.Pos, kids: Kids) -> t.Text:
        token = kids[0]
        return t.Text(tuple(self._text_parts(token)), pos=self.place(token))

    def _text_parts(self, token: Token) -> Iterable[str | t.Expr]:
        text, plain, at = token.text[1:-1], "", 0
        if "{" not in text and "}" not in text:
            return [text] if text else []
        parts: list[str | t.Expr] = []
        while at < len(text):
            if text[at : at + 2] in ("{{", "}}"):
                plain, at = plain + text[at], at + 2
            elif text[at] == "{":
                if plain:
                    parts.append(plain)
                end = self._closing_brace(text, at, token)
                parts.append(self._braced(text[at + 1 : end], token, at))
                plain, at = "", end + 1
            elif text[at] == "}":
                raise self._brace(token, at, "this closing brace has no opening one", "write }} for a brace")
            else:
                plain, at = plain + text[at], at + 1
        return [*parts, plain] if plain else parts

    def _braced(self, inside: str, token: Token, at: int) -> t.Expr:
        """An expression, or words chosen by one."""
        first, *forms = inside.split("|")
        expr: t.Expr = self.sub_parse(first, *token.at(at + 2))
        if not forms:
            return expr
        if len(forms) not in (2, 3):
            raise self._brace(
                token, at, "words chosen by a count have two forms, for 1 and more, or three, for 0, 1 and more",
                "write {lost|# man|# men}; # stands for the count",
            )  # fmt: skip
        return t.Counted(expr, tuple(forms), pos=expr.pos)

    def _closing_brace(self, text: str, at: int, token: Token) -> int:
        end = text.find("}", at)
        if end < 0:
            raise self._brace(
                token, at, "this brace is never closed", "write {{ for a brace that is no expression"
            )
        return end

    def _brace(self, token: Token, at: int, message: str, hint: str) -> Mistake:
        return Mistake(*token.at(at + 1), "syntax", message, hint)

    # -- expressions -------------------------------------------------------------------------------

    def name(self, pos: t.Pos, kids: Kids) -> t.Name:
        return t.Name(kids[0].text, pos=pos)

    def number(self, pos: t.Pos, kids: Kids) -> t.Num:
        return t.Num(_whole(kids[0].text), pos=pos)

    def percent(self, pos: t.Pos, kids: Kids) -> t.Percent:
        return t.Percent(_whole(kids[0].text[:-1]), kids[1], pos=pos)

    def yes(self, pos: t.Pos, kids: Kids) -> t.YesNo:
        return t.YesNo(True, pos=pos)

    def no(self, pos: t.Pos, kids: Kids) -> t.YesNo:
        return t.YesNo(False, pos=pos)

    def none(self, pos: t.Pos, kids: Kids) -> t.Nothing:
        return t.Nothing(pos=pos)

    def dice(self, pos: t.Pos, kids: Kids) -> t.Dice:
        count, sides = kids[0].text.split("d")
        return t.Dice(t.Num(_whole(sides), pos=pos), self._count(count, pos), pos=pos)

    def dice_of(self, pos: t.Pos, kids: Kids) -> t.Dice:
        return t.Dice(kids[1], self._count(kids[0].text[:-2], pos), pos=pos)

    def _count(self, text: str, pos: t.Pos) -> t.Num | None:
        return t.Num(_whole(text), pos=pos) if text else None

    def attribute(self, pos: t.Pos, kids: Kids) -> t.Attribute:
        return t.Attribute(kids[0], kids[1].text, pos=pos)

    def attribute_of_name(self, pos: t.Pos, kids: Kids) -> t.Attribute:
        return t.Attribute(t.Name(kids[0].text, pos=self.place(kids[0])), kids[1].text, pos=pos)

    def paren(self, pos: t.Pos, kids: Kids) -> t.Expr:
        node: t.Expr = kids[0]
        return node

    def call(self, pos: t.Pos, kids: Kids) -> t.Call:
        return t.Call(kids[0].text, tuple(kids[1]), pos=pos)

    def args(self, pos: t.Pos, kids: Kids) -> Args:
        self.spacing.calls.add((pos.line, pos.column))
        return Args(kids)

    def argument(self, pos: t.Pos, kids: Kids) -> t.Argument:
        return t.Argument(kids[0], pos=pos)

    def named_argument(self, pos: t.Pos, kids: Kids) -> t.Argument:
        return t.Argument(kids[1], kids[0].text, pos=pos)

    def roll_named(self, pos: t.Pos, kids: Kids) -> t.RollNamed:
        return t.RollNamed(kids[0].text, tuple(kids[1]), pos=pos)

    def negative(self, pos: t.Pos, kids: Kids) -> t.Unary:
        self.spacing.signs.add((pos.line, pos.column))
        operand = kids[0]
        if isinstance(operand, Token):
            operand = self.number(self.place(operand), kids)
        return t.Unary("-", operand, pos=pos)

    def not_(self, pos: t.Pos, kids: Kids) -> t.Unary:
        return t.Unary("not", kids[0], pos=pos)

    def plus(self, pos: t.Pos, kids: Kids) -> t.Binary:
        return t.Binary("+", kids[0], kids[1], pos=pos)

    def minus(self, pos: t.Pos, kids: Kids) -> t.Binary:
        return t.Binary("-", kids[0], kids[1], pos=pos)

    def times(self, pos: t.Pos, kids: Kids) -> t.Binary:
        return t.Binary("*", kids[0], kids[1], pos=pos)

    def divided(self, pos: t.Pos, kids: Kids) -> t.Binary:
        return t.Binary("/", kids[0], kids[1], pos=pos)

    def or_(self, pos: t.Pos, kids: Kids) -> t.Logic:
        return t.Logic("or", tuple(kids), pos=pos)

    def conjunction(self, pos: t.Pos, kids: Kids) -> t.Logic:
        return t.Logic("and", tuple(kids), pos=pos)

    and_ = conjunction

    def compare(self, pos: t.Pos, kids: Kids) -> t.Compare:
        return t.Compare(kids[1].text, kids[0], kids[2], pos=pos)

    confirmed = compare

    def is_(self, pos: t.Pos, kids: Kids) -> t.Is:
        return t.Is(kids[0], kids[1], pos=pos)

    def is_not(self, pos: t.Pos, kids: Kids) -> t.Is:
        return t.Is(kids[0], kids[1], negated=True, pos=pos)

    def is_a(self, pos: t.Pos, kids: Kids) -> t.Is:
        return t.Is(kids[0], self._named(kids[1]), article=True, pos=pos)

    def is_not_a(self, pos: t.Pos, kids: Kids) -> t.Is:
        return t.Is(kids[0], self._named(kids[1]), negated=True, article=True, pos=pos)

    def _named(self, word: t.Word) -> t.Expr:
        """The word after an article: a Name, or a Text when it is a quoted title."""
        return t.Text((word.text,), pos=word.pos) if word.quoted else t.Name(word.text, pos=word.pos)

    def has(self, pos: t.Pos, kids: Kids) -> t.Has:
        return t.Has(kids[0], every(kids[1:], t.Word), pos=pos)

    def has_no(self, pos: t.Pos, kids: Kids) -> t.Has:
        return t.Has(kids[0], every(kids[1:], t.Word), negated=True, pos=pos)

    def infix(self, pos: t.Pos, kids: Kids) -> t.Infix:
        if kids[1].text == "ref":
            raise wrong(self.place(kids[1]), "what follows is no id of a rule", REF_HINT)
        return t.Infix(kids[0], kids[1].text, kids[2], pos=pos)

    def not_infix(self, pos: t.Pos, kids: Kids) -> t.Infix:
        return t.Infix(kids[0], kids[1].text, kids[2], negated=True, pos=pos)

    def among(self, pos: t.Pos, kids: Kids) -> t.Among:
        return t.Among(kids[0], kids[1], pos=pos)

    def not_among(self, pos: t.Pos, kids: Kids) -> t.Among:
        return t.Among(kids[0], kids[1], negated=True, pos=pos)

    def rolls(self, pos: t.Pos, kids: Kids) -> t.Rolls:
        return t.Rolls(kids[0], kids[1], pos=pos)

    def how_many(self, pos: t.Pos, kids: Kids) -> t.HowMany:
        passing = expect(kids[1], "pass", "fail") == "pass"
        return t.HowMany(kids[0], passing, kids[2].text, tuple(kids[3]), pos=pos)

    # -- quantities and phrases --------------------------------------------------------------------

    def phrase(self, pos: t.Pos, kids: Kids) -> t.Phrase:
        values: dict[str, Any] = {}
        where: list[t.Expr] = []
        for kid in every(kids, Said):
            if kid.name == "where":
                where.append(kid.value)
            elif kid.name == "within":
                self._only_once(values, "within", pos)
                values["within"], values["within_of"] = kid.value
            else:
                self._only_once(values, kid.name, pos)
                values[kid.name] = kid.value
        return t.Phrase(where=tuple(where), pos=pos, **values)

    closed_phrase = phrase
    open_phrase = phrase

    def _only_once(self, values: dict[str, Any], name: str, pos: t.Pos) -> None:
        if name in values:
            word = {"inside": "in"}.get(name, name)
            raise wrong(pos, f'"{word}" is said twice here')

    def phrase_words(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("words", tuple(kids))

    def phrase_source(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("source", kids[0])

    def alias(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("alias", kids[0].text)

    def inside(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("inside", kids[0])

    def within(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("within", (kids[0], kids[1]))

    def with_words(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("where", t.Has(t.Name("it", pos=pos), tuple(kids), pos=pos))

    def where(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("where", kids[0])

    def number_of(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("number", kids[0], pos=pos)

    def total_field(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("total", kids[1], self._field(kids[0]), pos=pos)

    def total_over(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("total", kids[1], kids[0], counting=said(kids, "counting") or (), pos=pos)

    def highest(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("highest", kids[1], self._field(kids[0]), pos=pos)

    def lowest(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("lowest", kids[1], self._field(kids[0]), pos=pos)

    def highest_of(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("highest", kids[1], kids[0], pos=pos)

    def lowest_of(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("lowest", kids[1], kids[0], pos=pos)

    def nearest(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("nearest", kids[0], to=kids[1], pos=pos)

    def farthest(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("farthest", kids[0], to=kids[1], pos=pos)

    def any_(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("any", kids[0], pos=pos)

    def all_(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("all", kids[0], pos=pos)

    def which_highest(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("which highest", kids[0], kids[1], pos=pos)

    def which_lowest(self, pos: t.Pos, kids: Kids) -> t.Quantified:
        return t.Quantified("which lowest", kids[0], kids[1], pos=pos)

    def _field(self, token: Token) -> t.Name:
        return t.Name(token.text, pos=self.place(token))

    def counting(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("counting", tuple(token.text[1:-1] for token in kids))

    # -- time --------------------------------------------------------------------------------------

    def moment(self, pos: t.Pos, kids: Kids) -> t.Moment:
        return t.Moment(self._edge(kids[0]), kids[1].text, pos=pos)

    def next_moment(self, pos: t.Pos, kids: Kids) -> t.Moment:
        expect(kids[1], "next")
        return t.Moment(self._edge(kids[0]), kids[2].text, next=True, pos=pos)

    def whose_moment(self, pos: t.Pos, kids: Kids) -> t.Moment:
        return t.Moment(self._edge(kids[0]), kids[2].text, whose=kids[1], pos=pos)

    def whose_next_moment(self, pos: t.Pos, kids: Kids) -> t.Moment:
        expect(kids[2], "next")
        return t.Moment(self._edge(kids[0]), kids[3].text, whose=kids[1], next=True, pos=pos)

    def _edge(self, token: Token) -> str:
        return token.text.split()[0]

    def until(self, pos: t.Pos, kids: Kids) -> t.Duration:
        return t.Duration("until", moment=kids[0], pos=pos)

    def until_used(self, pos: t.Pos, kids: Kids) -> t.Duration:
        return t.Duration("until used", pos=pos)

    def for_turns(self, pos: t.Pos, kids: Kids) -> t.Duration:
        expect(kids[1], "turns", "turn")
        return t.Duration("for", count=kids[0], pos=pos)

    def rest_of_game(self, pos: t.Pos, kids: Kids) -> t.Duration:
        return t.Duration("rest of game", pos=pos)

    def while_duration(self, pos: t.Pos, kids: Kids) -> t.Duration:
        return t.Duration("while", condition=kids[0], pos=pos)

    def during(self, pos: t.Pos, kids: Kids) -> t.Duration:
        if len(kids) == 2:
            expect(kids[0], "this")
        return t.Duration("during", what=kids[-1].text, pos=pos)

    def once(self, pos: t.Pos, kids: Kids) -> t.Once:
        return t.Once(kids[0].text, tuple(token.text for token in kids[1:]), pos=pos)

    # -- tails -------------------------------------------------------------------------------------

    def tails(self, pos: t.Pos, kids: Kids) -> Tails:
        found = Tails()
        found.where = {}
        for kid in kids:
            tail = Tail("reads", kid.text, kid.text.pos) if isinstance(kid, Reads) else kid
            if tail.name in found:
                raise wrong(tail.pos, f'"{tail.name.replace("_", " ")}" is said twice on this line')
            found[tail.name], found.where[tail.name] = tail.value, tail.pos
        return found

    choose_tails = tails

    def _allow(self, tails: Tails | None, *names: str, on: str) -> Tails:
        """The tails, if the form may have them all."""
        for name in tails or ():
            if name not in names:
                assert tails is not None
                raise wrong(tails.where[name], f'"{name.replace("_", " ")}" cannot stand on {on}')
        return tails if tails is not None else Tails()

    def tail_when(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("when", kids[0], pos)

    def tail_up_to(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("up_to", kids[0], pos)

    def tail_per(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("per", kids[0], pos)

    def tail_from(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("from", kids[0], pos)

    def tail_by(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("by", kids[0], pos)

    def stacking_highest(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("stacking", ("highest", kids[0].text[1:-1] if kids else None), pos)

    def stacking_sum(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("stacking", ("sum", None), pos)

    def stacking_once(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("stacking", ("once per source", kids[0].text[1:-1] if kids else None), pos)

    def tail_duration(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("duration", kids[0], pos)

    def tail_because(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("because", kids[0].text[1:-1], pos)

    def tail_called(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("called", kids[0].text[1:-1], pos)

    def by_whom(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("by", kids[0], pos)

    def usually(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("usually", kids[0], pos)

    def rated(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("rated", kids[0], pos)

    def choose_or_none(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("or none", True, pos)

    def secretly(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("secretly", True, pos)

    def says(self, pos: t.Pos, kids: Kids) -> Tail:
        return Tail("says", self.text(pos, kids), pos)

    # -- modifiers and permissions -----------------------------------------------------------------

    def add(self, pos: t.Pos, kids: Kids) -> Change:
        self.spacing.signs.add((pos.line, pos.column))
        return Change("add", kids[0])

    def subtract(self, pos: t.Pos, kids: Kids) -> Change:
        self.spacing.signs.add((pos.line, pos.column))
        return Change("add", t.Unary("-", kids[0], pos=pos))

    def multiply(self, pos: t.Pos, kids: Kids) -> Change:
        above, _, below = kids[0].text[1:].partition("/")
        if below and not _whole(below):
            raise wrong(pos, "nothing can be divided by zero")
        return Change("multiply", t.Num(_whole(above) / _whole(below or "1"), pos=pos))

    def multiply_by(self, pos: t.Pos, kids: Kids) -> Change:
        return Change("multiply", kids[0])

    def set_to(self, pos: t.Pos, kids: Kids) -> Change:
        return Change("set", kids[0])

    def floor(self, pos: t.Pos, kids: Kids) -> Change:
        return Change("floor", kids[0])

    def cap(self, pos: t.Pos, kids: Kids) -> Change:
        return Change("cap", kids[0])

    def rounded_up(self, pos: t.Pos, kids: Kids) -> Change:
        return Change("round", rounding="up", each_time=bool(kids))

    def rounded_down(self, pos: t.Pos, kids: Kids) -> Change:
        return Change("round", rounding="down", each_time=bool(kids))

    def rounded_nearest(self, pos: t.Pos, kids: Kids) -> Change:
        return Change("round", rounding="nearest", each_time=bool(kids))

    def each_time(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("each time")

    def change(self, pos: t.Pos, kids: Kids) -> Change:
        change: Change = replace(kids[0], tails=one(kids, Tails))
        return change

    def target(self, pos: t.Pos, kids: Kids) -> t.Call:
        if isinstance(kids[0], t.Call):
            return kids[0]
        return t.Call(kids[0].text, (), pos=pos)

    def modifier(self, pos: t.Pos, kids: Kids) -> t.Modifier:
        return self._modifier(pos, kids[1], kids[0].name, kids[0].args)

    def own_line(self, pos: t.Pos, kids: Kids) -> t.Modifier:
        return self._modifier(pos, kids[0])

    modifier_line = own_line

    def _modifier(
        self, pos: t.Pos, change: Change, target: str | None = None, args: tuple[t.Argument, ...] = ()
    ) -> t.Modifier:
        tails = self._allow(
            change.tails, "up_to", "per", "when", "from", "stacking", "duration", "because", "reads",
            "called",
            on="a line that changes a number",
        )  # fmt: skip
        stacking, key = tails.get("stacking", (None, None))
        return t.Modifier(
            change.op, change.value, target, args, per=tails.get("per"), up_to=tails.get("up_to"),
            when=tails.get("when"), source=tails.get("from"), stacking=stacking, stacking_key=key,
            duration=tails.get("duration"), because=tails.get("because"), reads=tails.get("reads"),
            called=tails.get("called"), rounding=change.rounding, each_time=change.each_time, pos=pos,
        )  # fmt: skip

    def event_call(self, pos: t.Pos, kids: Kids) -> t.Call:
        return t.Call(kids[0].text, tuple(one(kids, Args) or ()), pos=pos)

    def allow(self, pos: t.Pos, kids: Kids) -> t.Permission:
        return self._permission(pos, kids, True)

    def forbid(self, pos: t.Pos, kids: Kids) -> t.Permission:
        return self._permission(pos, kids, False)

    def _permission(self, pos: t.Pos, kids: Kids, allow: bool) -> t.Permission:
        word = "allow" if allow else "forbid"
        tails = self._allow(
            one(kids, Tails), "when", "duration", "because", "called", on=f'a line with "{word}"'
        )
        call = kids[0]
        return t.Permission(allow, call.name, call.args, pos=pos, **tails)

    def narrow(self, pos: t.Pos, kids: Kids) -> t.Narrow:
        tails = self._allow(one(kids, Tails), "when", "because", on='a line with "narrow"')
        phrase = one(kids, t.Phrase)
        assert phrase is not None
        return t.Narrow(kids[0].text, self._names(kids), phrase, pos=pos, **tails)

    def _names(self, kids: Kids) -> tuple[str, ...]:
        """The parameters of something whose types are declared elsewhere."""
        params = one(kids, Params) or Params()
        for param in params:
            if param.type is not None:
                raise wrong(
                    param.pos, "the type of a parameter is given where the event or choice is declared"
                )
        return tuple(param.name for param in params)

    # -- handlers and reactions --------------------------------------------------------------------

    def handler_when(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("when", kids[0])

    phase_when = case_when = when_line = when_hook = handler_when

    def called_hook(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("called", kids[0].text[1:-1])

    def rated_hook(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("rated", kids[0])

    def once_hook(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("once", kids[0])

    def hook_body(self, pos: t.Pos, kids: Kids) -> Kids:
        self.spacing.bodies.add((pos.line, pos.column))
        return kids

    def _hook(self, pos: t.Pos, kids: Kids) -> dict[str, Any]:
        """What handlers and reactions share; when and once may stand in the header or in the body."""
        lines = next((kid for kid in kids if type(kid) is list), [])
        found: dict[str, Any] = {"when": None, "once": None, "called": None, "rated": None}
        settings = [*every(kids, Said), *every(lines, Said)]
        settings += [Said("once", once) for once in every(kids, t.Once)]
        for setting in settings:
            if found.get(setting.name) is not None:
                raise wrong(pos, f'"{setting.name}" is said twice here')
            found[setting.name] = setting.value
        reads = one(lines, Reads)
        found["reads"] = reads.text if reads else None
        found["ref"] = tuple(one(kids, Ref) or ())
        found["body"] = tuple(kid for kid in lines if not isinstance(kid, Said | Reads))
        return found

    def handler(self, pos: t.Pos, kids: Kids) -> Hooked:
        found = self._hook(pos, kids)
        reads = found.pop("reads")
        self._has_body(pos, found)
        self._not_rated(pos, found)
        hook = kids[0].text.split()[0]
        return Hooked(t.Handler(hook, kids[1].text, self._names(kids), pos=pos, **found), reads)

    def moment_handler(self, pos: t.Pos, kids: Kids) -> Hooked:
        found = self._hook(pos, kids)
        reads = found.pop("reads")
        self._has_body(pos, found)
        self._not_rated(pos, found)
        return Hooked(t.Handler("at", None, (), moment=kids[0], pos=pos, **found), reads)

    def _has_body(self, pos: t.Pos, found: dict[str, Any]) -> None:
        if not found["body"]:
            raise wrong(
                pos, "nothing is said about what happens then", "add an indented line with a statement"
            )

    def _not_rated(self, pos: t.Pos, found: dict[str, Any]) -> None:
        if found.pop("rated") is not None:
            raise wrong(pos, "nobody chooses whether a handler runs", 'take the line with "rated" away')

    def handler_block(self, pos: t.Pos, kids: Kids) -> t.HandlerBlock:
        hooked = kids[0]
        return t.HandlerBlock(hooked.handler, ref=hooked.handler.ref, reads=hooked.reads, pos=pos)

    def by_phrase(self, pos: t.Pos, kids: Kids) -> t.Phrase:
        phrase: t.Phrase = kids[0]
        return phrase

    def reaction(self, pos: t.Pos, kids: Kids) -> t.Reaction:
        found = self._hook(pos, kids)
        if found.pop("called") is not None:
            raise wrong(pos, "a reaction is known by its title", 'take the line with "called" away')
        by = one(kids, t.Phrase)
        assert by is not None
        return t.Reaction(kids[0], kids[1].text, self._names(kids), by, pos=pos, **found)

    def reaction_block(self, pos: t.Pos, kids: Kids) -> t.ReactionBlock:
        reaction = kids[0]
        return t.ReactionBlock(reaction, ref=reaction.ref, reads=reaction.reads, pos=pos)

    def reroll_kind(self, token: Token, *words: str) -> str:
        return expect(token, *words)

    def may_reroll_faces(self, pos: t.Pos, kids: Kids) -> t.RerollRight:
        return self._faces(pos, kids, False)

    def must_reroll_faces(self, pos: t.Pos, kids: Kids) -> t.RerollRight:
        expect(kids[0], "reroll")
        return self._faces(pos, kids[1:], True)

    def _faces(self, pos: t.Pos, kids: Kids, forced: bool) -> t.RerollRight:
        expect(kids[1], "faces")
        roll = self._roll_name(kids[0])
        return t.RerollRight(forced, roll, "faces", kids[2], kids[3], pos=pos, **self._reroll_tails(kids))

    def may_reroll(self, pos: t.Pos, kids: Kids) -> t.RerollRight:
        return self._throws(pos, kids, False)

    def must_reroll(self, pos: t.Pos, kids: Kids) -> t.RerollRight:
        expect(kids[0], "reroll")
        return self._throws(pos, kids[1:], True)

    def _throws(self, pos: t.Pos, kids: Kids, forced: bool) -> t.RerollRight:
        which = kids[0]
        named = "all" if isinstance(which, Said) else expect(which, "failures", "successes")
        return t.RerollRight(forced, self._roll_name(kids[1]), named, pos=pos, **self._reroll_tails(kids))

    def _roll_name(self, kid: Token | Said) -> str | None:
        return kid.text if isinstance(kid, Token) else None

    def _reroll_tails(self, kids: Kids) -> Tails:
        return self._allow(one(kids, Tails), "by", "when", "because", on="a line about re-rolls")

    def all_word(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("all")

    def any_roll(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("any roll")

    # -- statements --------------------------------------------------------------------------------

    def body(self, pos: t.Pos, kids: Kids) -> Body:
        self.spacing.bodies.add((pos.line, pos.column))
        return Body(self._settled(kids))

    def _settled(self, kids: Kids) -> Iterable[t.Statement]:
        """The statements; one written after a colon may still be the head of one."""
        for kid in kids:
            if not isinstance(kid, Reads):
                yield kid

    def assign(self, pos: t.Pos, kids: Kids) -> t.Assign:
        return self._assign(pos, kids, "=")

    def increase(self, pos: t.Pos, kids: Kids) -> t.Assign:
        return self._assign(pos, kids, "+=")

    def decrease(self, pos: t.Pos, kids: Kids) -> t.Assign:
        return self._assign(pos, kids, "-=")

    def _assign(self, pos: t.Pos, kids: Kids, op: str) -> t.Assign:
        target = self._field(kids[0]) if isinstance(kids[0], Token) else kids[0]
        if not isinstance(target, t.Name | t.Attribute):
            raise wrong(pos, "only a name or a field (as in unit.field) can be given a value")
        return t.Assign(target, op, kids[1], pos=pos)

    def if_(self, pos: t.Pos, kids: Kids) -> t.If:
        first = t.Branch(kids[0], tuple(kids[1]), pos=kids[0].pos)
        return t.If((first, *every(kids, t.Branch)), tuple(said(kids, "else") or ()), pos=pos)

    def else_if(self, pos: t.Pos, kids: Kids) -> t.Branch:
        return t.Branch(kids[0], tuple(kids[1]), pos=pos)

    def otherwise(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("else", kids[0])

    def for_each(self, pos: t.Pos, kids: Kids) -> t.ForEach:
        return t.ForEach(kids[0], self._body(kids), one(kids, t.Order), pos=pos)

    def _body(self, kids: Kids) -> tuple[t.Statement, ...]:
        return tuple(one(kids, Body) or ())

    def loop_order(self, pos: t.Pos, kids: Kids) -> t.Order:
        order: t.Order = kids[0]
        if len(kids) > 1 and order.by is None:
            raise wrong(pos, '"highest first" belongs to "in order of"')
        return replace(order, highest_first=len(kids) > 1)

    def highest_word(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("highest first")

    highest_first = highest_word

    def order_by(self, pos: t.Pos, kids: Kids) -> t.Order:
        return t.Order(by=kids[0], pos=pos)

    def order_chosen(self, pos: t.Pos, kids: Kids) -> t.Order:
        return t.Order(chooser=kids[0], pos=pos)

    def until_condition(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("until", kids[0])

    def repeat(self, pos: t.Pos, kids: Kids) -> t.Repeat:
        return t.Repeat(kids[0], self._body(kids), said(kids, "until"), pos=pos)

    def repeat_at_most(self, pos: t.Pos, kids: Kids) -> t.Repeat:
        return t.Repeat(kids[0], self._body(kids), said(kids, "until"), at_most=True, pos=pos)

    def according(self, pos: t.Pos, kids: Kids) -> t.According:
        return t.According(kids[0], every(kids, t.Case), pos=pos)

    def case(self, pos: t.Pos, kids: Kids) -> t.Case:
        body = self._body(kids)
        again = len(body) == 1 and isinstance(body[0], t.Control) and body[0].word == "roll again"
        return t.Case(
            **kids[0].value, when=said(kids, "when"), body=() if again else body, roll_again=again, pos=pos
        )

    def table_line(self, pos: t.Pos, kids: Kids) -> t.Case:
        return t.Case(**kids[0].value, when=said(kids, "when"), value=kids[-1], pos=pos)

    def between(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("key", {"low": kids[0], "high": kids[1]})

    def exactly(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("key", {"low": kids[0], "high": kids[0]})

    def or_more(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("key", {"low": kids[0]})

    def or_less(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("key", {"high": kids[0]})

    def case_word(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("key", {"word": kids[0]})

    def otherwise_key(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("key", {"otherwise": True})

    def span(self, pos: t.Pos, kids: Kids) -> t.Span:
        return t.Span(kids[0], kids[1], pos=pos)

    def choose(self, pos: t.Pos, kids: Kids) -> t.Choose:
        return self._choose(pos, kids[0].text, kids[1], kids)

    def choose_some(self, pos: t.Pos, kids: Kids) -> t.Choose:
        return self._choose(pos, kids[0].text, kids[2], kids, up_to=kids[1])

    def choose_up_to(self, pos: t.Pos, kids: Kids) -> t.Choose:
        return self._choose(pos, "chosen", kids[1], kids, up_to=kids[0])

    def _choose(
        self, pos: t.Pos, var: str, options: t.Span | t.Phrase, kids: Kids, up_to: t.Expr | None = None
    ) -> t.Choose:
        tails = one(kids, Tails) or Tails()
        if "by" not in tails:
            raise wrong(
                pos, "nothing is said about who chooses", 'add "by" and whose choice it is, as in: by unit'
            )
        return t.Choose(
            var, options, tails["by"], up_to, or_none="or none" in tails, secretly="secretly" in tails,
            usually=tails.get("usually"), rated=tails.get("rated"), says=tails.get("says"), pos=pos,
        )  # fmt: skip

    def choose_case(self, pos: t.Pos, kids: Kids) -> t.ChooseCase:
        tails = self.tails(pos, list(every(kids, Tail)))
        return t.ChooseCase(tails["by"], every(kids, t.Option), tails.get("says"), pos=pos)

    def option(self, pos: t.Pos, kids: Kids) -> t.Option:
        tails = self.tails(pos, list(every(kids, Tail)))
        return t.Option(kids[0], self._body(kids), tails.get("when"), tails.get("rated"), pos=pos)

    bare_option = option

    def emit_head(self, pos: t.Pos, kids: Kids) -> t.Emit:
        return t.Emit(kids[0].name, kids[0].args, pos=pos)

    def emit(self, pos: t.Pos, kids: Kids) -> t.Emit:
        emit: t.Emit = replace(kids[0], body=self._body(kids), pos=pos)
        return emit

    def together(self, pos: t.Pos, kids: Kids) -> t.Together:
        return t.Together(self._body(kids), pos=pos)

    def later(self, pos: t.Pos, kids: Kids) -> t.Later:
        return t.Later(kids[0], self._body(kids), pos=pos)

    def travel_along(self, pos: t.Pos, kids: Kids) -> t.Travel:
        expect(kids[1], "along", "to")
        return t.Travel(kids[0], kids[2], pos=pos)

    def travel_to(self, pos: t.Pos, kids: Kids) -> t.Travel:
        return t.Travel(kids[0], kids[1], to=True, pos=pos)

    def travel(self, pos: t.Pos, kids: Kids) -> t.Travel:
        travel: t.Travel = replace(kids[0], handlers=tuple(self._members(kids[1:])), pos=pos)
        return travel

    def give(self, pos: t.Pos, kids: Kids) -> t.Give:
        args = tuple(one(kids, Args) or ())
        duration = one(kids, t.Duration)
        to = kids[-2] if duration else kids[-1]
        return t.Give(kids[0], args, to, duration, pos=pos)

    def take(self, pos: t.Pos, kids: Kids) -> t.Take:
        return t.Take(kids[0], kids[1], pos=pos)

    def small_change(self, pos: t.Pos, kids: Kids) -> t.Change:
        return t.Change(kids[0].text, kids[1], pos=pos)

    def reveal(self, pos: t.Pos, kids: Kids) -> t.Reveal:
        return t.Reveal(kids[0], pos=pos)

    def say(self, pos: t.Pos, kids: Kids) -> t.Say:
        return t.Say(self.text(pos, kids), pos=pos)

    def refuse(self, pos: t.Pos, kids: Kids) -> t.Refuse:
        return t.Refuse(self.text(pos, kids), pos=pos)

    def cancel(self, pos: t.Pos, kids: Kids) -> t.Control:
        return t.Control("cancel", self._field(kids[0]) if kids else None, pos=pos)

    def continue_(self, pos: t.Pos, kids: Kids) -> t.Control:
        return t.Control("continue", pos=pos)

    def stop(self, pos: t.Pos, kids: Kids) -> t.Control:
        what = kids[0] if kids and not isinstance(kids[0], Said) else None
        return t.Control("stop", what, said(kids, "unless"), pos=pos)

    def stop_unless(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("unless", kids[0])

    def end(self, pos: t.Pos, kids: Kids) -> t.Control:
        return t.Control("end", kids[0], pos=pos)

    def result(self, pos: t.Pos, kids: Kids) -> t.Control:
        return t.Control("result", kids[0], pos=pos)

    def roll_again(self, pos: t.Pos, kids: Kids) -> t.Control:
        return t.Control("roll again", pos=pos)

    def pass_(self, pos: t.Pos, kids: Kids) -> t.Control:
        return t.Control("pass", pos=pos)

    def call_statement(self, pos: t.Pos, kids: Kids) -> t.CallStatement:
        return t.CallStatement(kids[0], pos=pos)

    def command(self, pos: t.Pos, kids: Kids) -> t.Command:
        verb = t.Word(kids[0].text, pos=self.place(kids[0]))
        parts: list[Any] = [verb]
        for kid in kids[1:]:
            parts += kid if isinstance(kid, Several) else (kid,)
        return t.Command(tuple(parts), pos=pos)

    def preposition(self, pos: t.Pos, kids: Kids) -> t.Word:
        return t.Word(kids[0].text.split()[0], pos=pos)

    def prepared(self, pos: t.Pos, kids: Kids) -> Several:
        return Several(kids)

    # -- items, wherever they stand ----------------------------------------------------------------

    def _members(self, kids: Iterable[Any]) -> Iterable[Any]:
        """Items one by one; handlers taken out of their wrapping."""
        for kid in kids:
            if isinstance(kid, Several):
                yield from kid
            elif isinstance(kid, Hooked):
                if kid.reads is not None:
                    raise wrong(kid.reads.pos, '"reads" belongs under the head of the block', "move it up")
                yield kid.handler
            elif isinstance(kid, t.Node) and not isinstance(kid, t.Word):
                yield kid
