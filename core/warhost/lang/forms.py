"""The forms of grammar.lark inside blocks: expressions, phrases, times, changes, handlers, statements.

What is declared in a table stands there in the order of the grammar; a form that has something to say of its own is a
function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from warhost.lang import tree as t
from warhost.lang.building import (
    FORMS,
    REF_HINT,
    Allowed,
    Builder,
    FieldOrder,
    FieldPart,
    Form,
    Hooked,
    Kids,
    Several,
    Tails,
    as_said,
    constant,
    every,
    expect,
    form,
    node,
    one,
    plain,
    said,
    wrong,
)
from warhost.lang.lexer import Mistake, Token

# -- small pieces ----------------------------------------------------------------------------------

FORMS |= {
    "word": lambda builder, pos, kids: t.Word(plain(kids[0]), kids[0].type == "TEXT", pos=pos),
    "param": node(t.Param, "name", "type"),
    "type": node(t.TypeRef, "name"),
    "plain_type": node(t.TypeRef, "name"),
    "secret_type": node(t.TypeRef, "=secret", "name", secret=True),
    "list_type": node(t.TypeRef, "name", is_list=True),
    "of_type": said("type"),
    "or_none": constant("optional", True),
    "reads": lambda builder, pos, kids: FieldPart("reads", kids[0], kids[0].pos),
    "reads_line": lambda builder, pos, kids: FieldPart("reads", kids[0], kids[0].pos),
    "ref": lambda builder, pos, kids: FieldPart("ref", tuple(r.strip() for r in kids[0].text[3:].split(",")), pos),
}


def _in_brackets(name: str) -> Form:
    """Parameters or arguments: what stands in brackets after a name."""

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
        builder.spacing.calls.add((pos.line, pos.column))
        return FieldPart(name, tuple(kids), pos)

    return build


def untyped(inner: Form) -> Form:
    """A form whose parameters are names: their types are declared elsewhere."""

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
        return inner(builder, pos, [_names(kid) for kid in kids])

    return build


def _names(kid: Any) -> Any:
    if not isinstance(kid, FieldPart) or kid.name != "params":
        return kid
    for param in kid.value:
        if param.type is not None:
            raise wrong(param.pos, "the type of a parameter is given where the event or choice is declared")
    return FieldPart("params", tuple(param.name for param in kid.value), kid.pos)


FORMS |= {"params": _in_brackets("params"), "args": _in_brackets("args")}


# -- texts -----------------------------------------------------------------------------------------


@form
def text(builder: Builder, pos: t.Pos, kids: Kids) -> t.Text:
    token = kids[0]
    return t.Text(tuple(_text_parts(builder, token)), pos=builder.place(token))


#: A brace of its own, an expression in braces, a brace without its other, or plain text.
_TEXT_PIECES = re.compile(r"\{\{|\}\}|\{[^}]*\}|[{}]|[^{}]+")


def _text_parts(builder: Builder, token: Token) -> list[str | t.Expr]:
    parts: list[str | t.Expr] = []
    for piece in _TEXT_PIECES.finditer(token.text[1:-1]):
        written, at = piece[0], piece.start()
        if written == "{":
            raise _brace(token, at, "this brace is never closed", "write {{ for a brace that is no expression")
        if written == "}":
            raise _brace(token, at, "this closing brace has no opening one", "write }} for a brace")
        if "{" in written[1:] and written != "{{":
            meant = written[1:].split()[0] if written[1:].split() else ".."
            raise _brace(token, at, "this brace is not closed before the next one", f"write {{{meant}}}")
        if written[0] == "{" and written != "{{":
            parts.append(_braced(builder, written[1:-1], token, at))
            continue
        plain_text = written[0] if written in ("{{", "}}") else written
        if parts and isinstance(parts[-1], str):
            parts[-1] += plain_text
        else:
            parts.append(plain_text)
    return parts


def _braced(builder: Builder, inside: str, token: Token, at: int) -> t.Expr:
    """An expression, or words chosen by one."""
    first, *forms = inside.split("|")
    expr: t.Expr = builder.sub_parse(first, *token.at(at + 2))
    if not forms:
        return expr
    if len(forms) not in (2, 3):
        raise _brace(
            token, at, "words chosen by a count have two forms, for 1 and more, or three, for 0, 1 and more",
            "write {lost|# man|# men}; # stands for the count",
        )  # fmt: skip
    return t.Counted(expr, tuple(forms), pos=expr.pos)


def _brace(token: Token, at: int, message: str, hint: str) -> Mistake:
    return Mistake(*token.at(at + 1), "syntax", message, hint)


# -- expressions -----------------------------------------------------------------------------------

FORMS |= {
    "or_": node(t.Logic, "*operands", op="or"),
    "and_": node(t.Logic, "*operands", op="and"),
    "not_": node(t.Unary, "operand", op="not"),
    "compare": node(t.Compare, "left", "op", "right"),
    "confirmed": node(t.Compare, "left", "op", "right"),
    "is_": node(t.Is, "subject", "object"),
    "is_not": node(t.Is, "subject", "object", negated=True),
    "has": node(t.Has, "subject", "*what"),
    "has_no": node(t.Has, "subject", "*what", negated=True),
    "not_infix": node(t.Infix, "subject", "relation", "object", negated=True),
    "among": node(t.Among, "item", "items"),
    "not_among": node(t.Among, "item", "items", negated=True),
    "rolls": node(t.Rolls, "roller", "formula"),
    "plus": node(t.Binary, "left", "right", op="+"),
    "minus": node(t.Binary, "left", "right", op="-"),
    "times": node(t.Binary, "left", "right", op="*"),
    "divided": node(t.Binary, "left", "right", op="/"),
    "name": lambda builder, pos, kids: t.Name(kids[0].text, pos=pos),
    "attribute": lambda builder, pos, kids: t.Attribute(kids[0], kids[1].text, pos=pos),
    "attribute_of_name": node(t.Attribute, "@of", "name"),
    "call": lambda builder, pos, kids: t.Call(kids[0].text, kids[1].value, pos=pos),
    "argument": lambda builder, pos, kids: t.Argument(kids[0], pos=pos),
    "named_argument": node(t.Argument, "name", "value"),
    "number": lambda builder, pos, kids: t.Num(Fraction(kids[0].text), pos=pos),
    "percent": lambda builder, pos, kids: t.Percent(Fraction(kids[0].text[:-1]), kids[1], pos=pos),
    "yes": node(t.YesNo, value=True),
    "no": node(t.YesNo, value=False),
    "none": node(t.Nothing),
    "roll_named": node(t.RollNamed, "name"),
}


@form
def dice(builder: Builder, pos: t.Pos, kids: Kids) -> t.Dice:
    count, sides = kids[0].text.split("d")
    return t.Dice(t.Num(Fraction(sides), pos=pos), _dice_count(count, pos), pos=pos)


@form
def dice_of(builder: Builder, pos: t.Pos, kids: Kids) -> t.Dice:
    return t.Dice(kids[1], _dice_count(kids[0].text[:-2], pos), pos=pos)


def _dice_count(written: str, pos: t.Pos) -> t.Num | None:
    return t.Num(Fraction(written), pos=pos) if written else None


@form
def negative(builder: Builder, pos: t.Pos, kids: Kids) -> t.Unary:
    builder.spacing.signs.add((pos.line, pos.column))
    operand = kids[0]
    if isinstance(operand, Token):
        operand = t.Num(Fraction(operand.text), pos=builder.place(operand))
    return t.Unary("-", operand, pos=pos)


def _is_a(negated: bool) -> Form:
    """The word after an article: a Name, or a Text when it is a quoted title."""

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> t.Is:
        word = kids[1]
        named = t.Text((word.text,), pos=word.pos) if word.quoted else t.Name(word.text, pos=word.pos)
        return t.Is(kids[0], named, negated, article=True, pos=pos)

    return build


FORMS |= {"is_a": _is_a(False), "is_not_a": _is_a(True)}


@form
def infix(builder: Builder, pos: t.Pos, kids: Kids) -> t.Infix:
    if kids[1].text == "ref":
        raise wrong(builder.place(kids[1]), "what follows is no id of a rule", REF_HINT)
    return t.Infix(kids[0], kids[1].text, kids[2], pos=pos)


@form
def how_many(builder: Builder, pos: t.Pos, kids: Kids) -> t.HowMany:
    passing = expect(kids[1], "pass", "fail") == "pass"
    return t.HowMany(kids[0], passing, kids[2].text, kids[3].value, pos=pos)


# -- quantities and phrases ------------------------------------------------------------------------

FORMS |= {
    "phrase_words": lambda builder, pos, kids: FieldPart("words", tuple(kids), pos),
    "phrase_source": said("source"),
    "alias": said("alias"),
    "inside": said("inside"),
    "within": said("within", "within", "within_of"),
    "with_words": lambda builder, pos, kids: FieldPart(
        "where", t.Has(t.Name("it", pos=pos), tuple(kids), pos=pos), pos
    ),
    "where": said("where"),
    "number_of": node(t.Quantified, "over", kind="number"),
    "total_field": node(t.Quantified, "@value", "over", kind="total"),
    "total_over": node(t.Quantified, "value", "over", kind="total"),
    "highest": node(t.Quantified, "@value", "over", kind="highest"),
    "lowest": node(t.Quantified, "@value", "over", kind="lowest"),
    "highest_of": node(t.Quantified, "value", "over", kind="highest"),
    "lowest_of": node(t.Quantified, "value", "over", kind="lowest"),
    "nearest": node(t.Quantified, "over", "to", kind="nearest"),
    "farthest": node(t.Quantified, "over", "to", kind="farthest"),
    "any_": node(t.Quantified, "over", kind="any"),
    "all_": node(t.Quantified, "over", kind="all"),
    "which_highest": node(t.Quantified, "over", "value", kind="which highest"),
    "which_lowest": node(t.Quantified, "over", "value", kind="which lowest"),
    "counting": said("counting", "*counting"),
}


def phrase(builder: Builder, pos: t.Pos, kids: Kids) -> t.Phrase:
    values: dict[str, Any] = {}
    for kid in kids:
        given = kid.value if isinstance(kid.value, dict) else {kid.name: kid.value}
        if kid.name == "where":
            given = {"where": (*values.get("where", ()), kid.value)}
        elif kid.name in values:
            raise wrong(pos, f'"{"in" if kid.name == "inside" else kid.name}" is said twice here')
        values.update(given)
    return t.Phrase(**values, pos=pos)


FORMS |= {"phrase": phrase, "closed_phrase": phrase, "open_phrase": phrase}


# -- time ------------------------------------------------------------------------------------------

FORMS |= {
    "moment": node(t.Moment, "edge", "what"),
    "next_moment": node(t.Moment, "edge", "=next", "what", next=True),
    "whose_moment": node(t.Moment, "edge", "whose", "what"),
    "whose_next_moment": node(t.Moment, "edge", "whose", "=next", "what", next=True),
    "until": node(t.Duration, "moment", kind="until"),
    "until_used": node(t.Duration, kind="until used"),
    "for_turns": node(t.Duration, "count", "=turns|turn", kind="for"),
    "rest_of_game": node(t.Duration, kind="rest of game"),
    "while_duration": node(t.Duration, "condition", kind="while"),
    "during": node(t.Duration, "what", kind="during"),
    "during_this": node(t.Duration, "=this", "what", kind="during"),
    "once": as_said("once", node(t.Once, "scope", "*per")),
}


# -- tails -----------------------------------------------------------------------------------------


@form
def tails(builder: Builder, pos: t.Pos, kids: Kids) -> Tails:
    found = Tails()
    for tail in kids:
        if tail.name in found:
            raise wrong(tail.pos, f'"{tail.shown}" is said twice on this line')
        found[tail.name] = tail
    return found


FORMS |= {
    "choose_tails": tails,
    "tail_when": said("when"),
    "tail_up_to": said("up_to"),
    "tail_per": said("per"),
    "tail_from": said("from"),
    "tail_by": said("by"),
    "stacking_highest": said("stacking", "stacking_key", stacking="highest"),
    "stacking_sum": constant("stacking", "sum"),
    "stacking_once": said("stacking", "stacking_key", stacking="once per source"),
    "tail_duration": said("duration"),
    "tail_because": said("because"),
    "tail_called": said("called"),
    "by_whom": said("by"),
    "usually": said("usually"),
    "rated": said("rated"),
    "choose_or_none": constant("or_none", True),
    "secretly": constant("secretly", True),
    "says": said("says"),
}


# -- modifiers and permissions ---------------------------------------------------------------------


@dataclass(slots=True)
class Operation:
    """What a modifier does, without its target."""

    op: str
    value: t.Expr | None = None
    rounding: str | None = None
    each_time: bool = False
    tails: Tails | None = None
    pos: t.Pos = t.NOWHERE


FORMS |= {
    "multiply_by": node(Operation, "value", op="multiply"),
    "set_to": node(Operation, "value", op="set"),
    "floor": node(Operation, "value", op="floor"),
    "cap": node(Operation, "value", op="cap"),
    "rounded_up": node(Operation, op="round", rounding="up"),
    "rounded_down": node(Operation, op="round", rounding="down"),
    "rounded_nearest": node(Operation, op="round", rounding="nearest"),
    "each_time": constant("each_time", True),
    "change": lambda builder, pos, kids: replace(kids[0], tails=one(kids, Tails)),
}


@form
def add(builder: Builder, pos: t.Pos, kids: Kids) -> Operation:
    builder.spacing.signs.add((pos.line, pos.column))
    return Operation("add", kids[0])


@form
def subtract(builder: Builder, pos: t.Pos, kids: Kids) -> Operation:
    builder.spacing.signs.add((pos.line, pos.column))
    return Operation("add", t.Unary("-", kids[0], pos=pos))


@form
def multiply(builder: Builder, pos: t.Pos, kids: Kids) -> Operation:
    above, _, below = kids[0].text[1:].partition("/")
    if below and not Fraction(below):
        raise wrong(pos, "nothing can be divided by zero")
    return Operation("multiply", t.Num(Fraction(above) / Fraction(below or "1"), pos=pos))


_MODIFIER_TAILS = Allowed(
    ("up_to", "per", "when", "from", "stacking", "duration", "because", "reads", "called"),
    "a line that changes a number",
)
_MODIFIER = FieldOrder((), _MODIFIER_TAILS, "here")


def _modifier(builder: Builder, pos: t.Pos, change: Operation, target: t.Call | None = None) -> t.Modifier:
    given = _MODIFIER.values(builder, pos, [change.tails] if change.tails is not None else [])
    given["source"] = given.pop("from", None)
    if target is not None:
        given.update(target=target.name, args=target.args)
    return t.Modifier(change.op, change.value, rounding=change.rounding, each_time=change.each_time, pos=pos, **given)


@form
def own_line(builder: Builder, pos: t.Pos, kids: Kids) -> t.Modifier:
    return _modifier(builder, pos, kids[0])


FORMS |= {
    "target": lambda builder, pos, kids: kids[0] if isinstance(kids[0], t.Call) else t.Call(kids[0].text, (), pos=pos),
    "modifier": lambda builder, pos, kids: _modifier(builder, pos, kids[1], kids[0]),
    "modifier_line": own_line,
}


def _permission(word: str) -> Form:
    tails_of = Allowed(("when", "duration", "because", "called"), f'a line with "{word}"')
    return node(t.Permission, "flag", allow=word == "allow", args=(), tails=tails_of)


_REROLL_TAILS = Allowed(("by", "when", "because"), "a line about re-rolls")


def _reroll(*names: str, which: str = "", forced: bool) -> Form:
    given = {"which": which} if which else {}
    return node(t.RerollRight, *(["=reroll"] if forced else []), *names, tails=_REROLL_TAILS, forced=forced, **given)


_FACES = ("roll", "=faces", "low", "high")
_WHICH = ("which=failures|successes", "roll")
_NARROW_TAILS = Allowed(("when", "because"), 'a line with "narrow"')

FORMS |= {
    "allow": _permission("allow"),
    "forbid": _permission("forbid"),
    "narrow": untyped(node(t.Narrow, "choice", "to", params=(), tails=_NARROW_TAILS)),
    "may_reroll_faces": _reroll(*_FACES, which="faces", forced=False),
    "must_reroll_faces": _reroll(*_FACES, which="faces", forced=True),
    "may_reroll": _reroll(*_WHICH, forced=False),
    "must_reroll": _reroll(*_WHICH, forced=True),
    "all_word": lambda builder, pos, kids: "all",
    "any_roll": lambda builder, pos, kids: None,
}


# -- handlers and reactions ------------------------------------------------------------------------

FORMS |= {
    "handler_when": said("when"),
    "when_hook": said("when"),
    "called_hook": said("called"),
    "rated_hook": said("rated"),
}


@form
def hook_body(builder: Builder, pos: t.Pos, kids: Kids) -> Several:
    builder.spacing.bodies.add((pos.line, pos.column))
    return Several(kids)


def _handler(*names: str, **given: Any) -> Form:
    """A handler; when and once may stand in its head or in its body."""
    parts = FieldOrder((*names, "*body"), None, "here")

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> Hooked:
        found = {"params": (), **given, **parts.values(builder, pos, kids)}
        reads, rated = found.pop("reads", None), found.pop("rated", None)
        if not found["body"]:
            raise wrong(pos, "nothing is said about what happens then", "add an indented line with a statement")
        if rated is not None:
            raise wrong(pos, "nobody chooses whether a handler runs", 'take the line with "rated" away')
        return Hooked(t.Handler(pos=pos, **found), reads)

    return untyped(build)


FORMS |= {"handler": _handler("hook", "event"), "moment_handler": _handler("moment", hook="at", event=None)}


@form
def handler_block(builder: Builder, pos: t.Pos, kids: Kids) -> t.HandlerBlock:
    hooked = kids[0]
    return t.HandlerBlock(hooked.handler, ref=hooked.handler.ref, reads=hooked.reads, pos=pos)


_REACTION = untyped(node(t.Reaction, "title", "event", "by", "*body", params=()))


@form
def reaction(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
    settings = [part for kid in kids for part in (kid if isinstance(kid, Several) else (kid,))]
    if any(part.name == "called" for part in every(settings, FieldPart)):
        raise wrong(pos, "a reaction is known by its title", 'take the line with "called" away')
    return _REACTION(builder, pos, kids)


@form
def reaction_block(builder: Builder, pos: t.Pos, kids: Kids) -> t.ReactionBlock:
    return t.ReactionBlock(kids[0], ref=kids[0].ref, reads=kids[0].reads, pos=pos)


# -- statements ------------------------------------------------------------------------------------


@form
def body(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
    builder.spacing.bodies.add((pos.line, pos.column))
    return FieldPart("body", tuple(kids), pos)


def _assigning(op: str) -> Form:
    def build(builder: Builder, pos: t.Pos, kids: Kids) -> t.Assign:
        target = builder.name(kids[0]) if isinstance(kids[0], Token) else kids[0]
        if not isinstance(target, t.Name | t.Attribute):
            raise wrong(pos, "only a name or a field (as in unit.field) can be given a value")
        return t.Assign(target, op, kids[1], pos=pos)

    return build


_CHOOSE_TAILS = Allowed(("by", "or_none", "usually", "rated", "secretly", "says"), "a choice")


def _choosing(*names: str, **given: Any) -> Form:
    whole = node(t.Choose, *names, tails=_CHOOSE_TAILS, **given)

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
        if "by" not in (one(kids, Tails) or ()):
            hint = 'add "by" and whose choice it is, as in: by unit'
            raise wrong(pos, "nothing is said about who chooses", hint)
        return whole(builder, pos, kids)

    return build


FORMS |= {
    "assign": _assigning("="),
    "increase": _assigning("+="),
    "decrease": _assigning("-="),
    "else_if": node(t.Branch, "condition"),
    "otherwise": said("otherwise"),
    "for_each": node(t.ForEach, "over", body=()),
    "highest_word": constant("highest first", True),
    "order_by": node(t.Order, "by"),
    "order_chosen": node(t.Order, "chooser"),
    "until_condition": said("until"),
    "repeat": node(t.Repeat, "times", body=()),
    "repeat_at_most": node(t.Repeat, "times", body=(), at_most=True),
    "according": node(t.According, "subject", "*cases"),
    "case_when": said("when"),
    "table_line": node(t.Case, "value"),
    "between": said("key", "low", "high"),
    "exactly": lambda builder, pos, kids: FieldPart("key", {"low": kids[0], "high": kids[0]}, pos),
    "or_more": said("key", "low"),
    "or_less": said("key", "high"),
    "case_word": said("key", "word"),
    "otherwise_key": said("key", otherwise=True),
    "span": node(t.Span, "low", "high"),
    "choose": _choosing("var", "options"),
    "choose_some": _choosing("var", "up_to", "options"),
    "choose_up_to": _choosing("up_to", "options", var="chosen"),
    "choose_case": node(t.ChooseCase, "*options"),
    "option_tails": tails,
    "option": node(t.ChoiceOption, "label", body=()),
    "bare_option": node(t.ChoiceOption, "label", body=()),
    "emit_head": node(t.Emit, "event", args=()),
    "together": node(t.Together),
    "later": node(t.Later, "moment"),
    "travel_along": node(t.Travel, "who", "=along|to", "path"),
    "travel_to": node(t.Travel, "who", "path", to=True),
    "give": node(t.Give, "what", "to", "duration", args=()),
    "take": node(t.Take, "what", "of"),
    "small_change": node(t.Change, "name", "value"),
    "reveal": node(t.Reveal, "what"),
    "say": node(t.Say, "text"),
    "refuse": node(t.Refuse, "text"),
    "cancel": node(t.Control, "@operand", word="cancel"),
    "continue_": node(t.Control, word="continue"),
    "stop": node(t.Control, "operand", word="stop"),
    "stop_unless": said("unless"),
    "end": node(t.Control, "operand", word="end"),
    "result": node(t.Control, "operand", word="result"),
    "roll_again": node(t.Control, word="roll again"),
    "pass_": node(t.Control, word="pass"),
    "call_statement": node(t.CallStatement, "call"),
    "preposition": lambda builder, pos, kids: t.Word(kids[0].text.split()[0], pos=pos),
    "prepared": lambda builder, pos, kids: Several(kids),
}

_CASE = node(t.Case)
_EMIT = FieldOrder((), None, "here")
_TRAVEL = FieldOrder(("*handlers",), None, "here")


@form
def if_(builder: Builder, pos: t.Pos, kids: Kids) -> t.If:
    first = t.Branch(kids[0], kids[1].value, pos=kids[0].pos)
    last = kids[-1]
    otherwise = last.value if isinstance(last, FieldPart) and last.name == "otherwise" else ()
    return t.If((first, *every(kids, t.Branch)), otherwise, pos=pos)


@form
def loop_order(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
    order: t.Order = kids[0]
    if len(kids) > 1 and order.by is None:
        raise wrong(pos, '"highest first" belongs to "in order of"')
    return FieldPart("order", replace(order, highest_first=len(kids) > 1), pos)


@form
def case(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
    made = _CASE(builder, pos, kids)
    match made.body:
        case (t.Control(word="roll again"),):
            return replace(made, body=(), roll_again=True)
    return made


@form
def emit(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
    return replace(kids[0], **_EMIT.values(builder, pos, kids[1:]), pos=pos)


@form
def travel(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
    return replace(kids[0], **_TRAVEL.values(builder, pos, kids[1:]), pos=pos)


@form
def command(builder: Builder, pos: t.Pos, kids: Kids) -> t.VerbPhrase:
    verb = t.Word(kids[0].text, pos=builder.place(kids[0]))
    parts = [part for kid in kids[1:] for part in (kid if isinstance(kid, Several) else (kid,))]
    return t.VerbPhrase((verb, *parts), pos=pos)
