"""The forms of grammar.lark that are blocks, or lines of one: numbers, events, state, dice, turns, kinds, layers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from warhost.lang import tree as t
from warhost.lang.building import (
    FORMS,
    Allowed,
    Builder,
    FieldOrder,
    FieldPart,
    Form,
    Kids,
    Several,
    constant,
    every,
    expect,
    form,
    members,
    node,
    one,
    said,
    wrong,
)
from warhost.lang.lexer import Token

# -- numbers, flags, values ------------------------------------------------------------------------

FORMS |= {
    "number_block": node(t.NumberBlock, "name", "base", "*lines", params=()),
    "value_block": node(t.ValueBlock, "name", "base", "*lines", params=()),
    "flag_block": node(t.FlagBlock, "name", "base", "*lines", params=()),
}


def _flag_line(word: str) -> Form:
    allowed = Allowed(("when", "because", "called"), f'a line with "{word}"')
    line = node(t.FlagLine, value=word == "yes", tails=allowed)

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
        allowed.check(kids[0])
        if "when" not in kids[0]:
            raise wrong(pos, f'nothing is said about when it is "{word}"', f"write: {word} if ...")
        return line(builder, pos, kids)

    return build


FORMS |= {"yes_line": _flag_line("yes"), "no_line": _flag_line("no")}


# -- procedures, events, choices -------------------------------------------------------------------

_CHOICE_TAILS = Allowed(("or_none", "usually", "rated", "says"), 'the head of a choice (after "by")')

FORMS |= {
    "procedure_block": node(t.ProcedureBlock, "name", "*body", params=()),
    "local_procedure": node(t.LocalProcedure, "name", "*body", params=()),
    "event_block": node(t.EventBlock, "name", params=(), where="in this event"),
    "may_be_cancelled": constant("may_be_cancelled", True),
    "until_all_pass": constant("until_all_pass", True),
    "until_all": constant("until_all_pass", True),
    "says_line": said("says"),
    "choice_block": node(t.ChoiceBlock, "name", "by", "options", params=(), tails=_CHOICE_TAILS),
    "constraint_block": node(t.ConstraintBlock, "name", "require", "otherwise", params=()),
    "when_line": said("when"),
}


def _asked(pos: t.Pos, asked: t.Expr, kids: Kids) -> FieldPart:
    """Whose players are asked, and for how long."""
    plain = asked.name if isinstance(asked, t.Name) else ""
    who: dict[str, Any] = {f"asks_{plain}": True} if plain in ("enemies", "all") else {"asks": asked}
    return FieldPart("asks", {**who, "until_all_pass": one(kids, FieldPart) is not None}, pos)


FORMS |= {
    "asks": lambda builder, pos, kids: _asked(pos, kids[0], kids),
    "asks_all": lambda builder, pos, kids: _asked(pos, t.Name("all", pos=pos), kids),
    "asks_of": lambda builder, pos, kids: _asked(pos, t.Attribute(kids[1], kids[0].text, pos=pos), kids),
}


# -- words, state, nouns, tables -------------------------------------------------------------------

FORMS |= {
    "words_block": node(t.WordsBlock, "name", "*words"),
    "state_block": node(t.StateBlock, "noun", "*fields"),
    "profile_block": node(t.ProfileBlock, "noun", "*fields"),
    "field_decl": node(t.FieldDecl, "name", "type", where="for this field"),
    "field_default": said("default"),
    "field_floor": said("at_least"),
    "field_cap": said("at_most"),
    "field_resets": said("resets"),
    "noun_block": node(t.NounBlock, "name", plural=None, is_a=None),
    "noun_plural": said("plural", "=plural", "plural"),
    "noun_is": said("is_a", "is_a", "where"),
    "phrase_block": node(t.PhraseBlock, "pattern", "=means", "means"),
    "table_block": node(t.TableBlock, "name", "*cases"),
    "table_keys": lambda builder, pos, kids: FieldPart("by", tuple(kids), pos),
}


# -- dice ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class OpposedBy:
    """A throw against another, and whose that is."""

    spec: t.Opposed
    by: t.Expr | None


FORMS |= {
    "total": node(t.Total, "dice"),
    "total_dice": node(t.Total, "dice"),
    "test": node(t.Test, "dice", "op", "need", "confirmed"),
    "never": node(t.Never),
    "pool": node(t.Pool, "count", "die"),
    "pool_need": said("rule", "op", "need"),
    "pool_scores": said("rule", "=scores", "scores"),
    "pool_each_scores": said("each_scores"),
    "ties": said("ties"),
    "margin": constant("margin", True),
    "opposed_by": said("other", "right"),
    "roll_against": said("against"),
    "natural": node(t.Natural, "face", where="on this line"),
    "natural_is": said("does", "word", effect="is"),
    "natural_confirmed": said("confirmed"),
    "natural_by": said("by"),
    "natural_emits": said("emits", "=emits", "emits"),
    "outcome": node(t.Outcome, "relation=above|below|natural|windows", "value", "word"),
    "outcome_equal": node(t.Outcome, "value", "word", relation="equal to"),
    "rerolled_once": constant("rerolls", "each die once"),
    "never_rerolled": constant("rerolls", "never"),
    "windows": lambda builder, pos, kids: FieldPart("windows", tuple(kids), pos),
}


@form
def pool_or_more(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
    builder.spacing.rises.add((pos.end_line, pos.end_column - 1))
    return FieldPart("rule", {"op": ">=", "need": t.Num(Fraction(kids[0].text), pos=builder.place(kids[0]))}, pos)


_OPPOSED = FieldOrder(("left",), None, "here")
_RANKED = FieldOrder(("left", "right"), None, "here")


@form
def opposed(builder: Builder, pos: t.Pos, kids: Kids) -> OpposedBy:
    found = _OPPOSED.values(builder, pos, kids)
    by = found.pop("by", None)
    return OpposedBy(t.Opposed(**found, pos=pos), by)


@form
def ranked(builder: Builder, pos: t.Pos, kids: Kids) -> OpposedBy:
    found = _RANKED.values(builder, pos, kids)
    if "margin" in found:
        raise wrong(pos, "dice that are ranked against each other have no difference", 'write "against"')
    by = found.pop("by", None)
    return OpposedBy(t.Opposed(**found, ranked=True, pos=pos), by)


_ROLL = FieldOrder(("name", "by", "*lines"), None, "here")


@form
def roll_block(builder: Builder, pos: t.Pos, kids: Kids) -> t.RollBlock:
    found = _ROLL.values(builder, pos, kids)
    lines = list(found.pop("lines"))
    spec: t.RollSpec | None = next((kid for kid in lines if isinstance(kid, t.RollSpec)), None)
    if opposed_by := one(lines, OpposedBy):
        spec = opposed_by.spec
        found["against"] = _opponent(pos, found.get("against"), opposed_by.by)
    alternatives = every(lines, t.Alternative)
    if spec is None and not alternatives:
        raise wrong(pos, "no dice are thrown here", 'write them after the colon, or on lines with "when"')
    return t.RollBlock(
        **{"params": (), **found}, spec=spec, naturals=every(lines, t.Natural), outcomes=every(lines, t.Outcome),
        alternatives=alternatives, pos=pos,
    )  # fmt: skip


def _opponent(pos: t.Pos, head: t.Expr | None, spec: t.Expr | None) -> t.Expr | None:
    if head is not None and spec is not None and head != spec:
        raise wrong(pos, "two different opponents are named for this roll")
    return head if head is not None else spec


@form
def natural_does(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
    effect = expect(kids[0], "fails", "succeeds", "counts")
    if (effect == "counts") != (len(kids) > 1):
        raise wrong(pos, f'"{effect}" {"needs a number" if effect == "counts" else "stands alone"} here')
    return FieldPart("does", {"effect": effect, "value": kids[1] if len(kids) > 1 else None}, pos)


@form
def otherwise_roll(builder: Builder, pos: t.Pos, kids: Kids) -> t.Outcome | t.Alternative:
    """`otherwise: out` gives a word, `otherwise: pool ..` throws other dice."""
    spec = kids[0]
    if isinstance(spec, t.Total) and isinstance(spec.dice, t.Name):
        return t.Outcome("otherwise", t.Word(spec.dice.name, pos=spec.pos), pos=pos)
    return t.Alternative(None, _plain_spec(pos, spec), pos=pos)


@form
def when_roll(builder: Builder, pos: t.Pos, kids: Kids) -> t.Alternative:
    return t.Alternative(kids[0], _plain_spec(pos, kids[1]), pos=pos)


def _plain_spec(pos: t.Pos, spec: Any) -> Any:
    if not isinstance(spec, OpposedBy):
        return spec
    if spec.by is not None:
        raise wrong(pos, "the opponent is named in the head of the roll", 'write "by .. against .." there')
    return spec.spec


@form
def then_window(builder: Builder, pos: t.Pos, kids: Kids) -> t.Expr:
    expect(kids[0], "then")
    after: t.Expr = kids[1]
    return after


# -- turns and phases ------------------------------------------------------------------------------

_PHASE = node(t.Phase, "name", "*body")

FORMS |= {
    "turn_block": node(t.TurnBlock, "*phases", kind="turn"),
    "setup_block": node(t.TurnBlock, "*phases", kind="setup"),
    "phase": _PHASE,
    "phase_when": said("when"),
    "title": said("title"),
    "steps": lambda builder, pos, kids: FieldPart("steps", tuple(kids), pos),
    "step": node(t.Step, "name"),
    "then_step": node(t.Step, "=then", "name", then=True),
    "at_once": said("part", kind="at once"),
    "highest_first": constant("highest first", True),
}


@form
def phase_insert(builder: Builder, pos: t.Pos, kids: Kids) -> t.PhaseInsert:
    _, where, anchor = every(kids, Token)
    expect(where, "after", "before")
    of_block = [kid for kid in every(kids, FieldPart) if kid.name in ("ref", "reads")]
    phase = _PHASE(builder, pos, [kid for kid in kids if kid not in (where, anchor, *of_block)])
    at = t.Word(anchor.text, pos=builder.place(anchor))
    return t.PhaseInsert(phase, where.text, at, pos=pos, **{kid.name: kid.value for kid in of_block})


@form
def phase_orders(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
    found: dict[str, Any] = {}
    for kid in kids:
        for name, value in _order_part(pos, kid, found).items():
            if name in found and name != "order":
                raise wrong(pos, f"the order of play is said twice here ({name.replace('_', ' ')})")
            found[name] = value
    if "kind" not in found:
        raise wrong(pos, "nothing is said about who acts", "add for example: alternating units")
    return FieldPart("order", t.PhaseOrder(**found, pos=pos), pos)


def _order_part(pos: t.Pos, kid: Any, found: dict[str, Any]) -> dict[str, Any]:
    if isinstance(kid, t.Order):
        return {"order": kid}
    if kid.name == "highest first":
        if "order" not in found:
            raise wrong(pos, '"highest first" belongs after "in order of .."')
        return {"order": replace(found["order"], highest_first=True)}
    value: dict[str, Any] = kid.value
    return value


@form
def each_order(builder: Builder, pos: t.Pos, kids: Kids) -> FieldPart:
    part = _who(kids[0], kids[1])
    if order := one(kids, t.Order):
        part["order"] = order
    if one(kids, FieldPart):
        part["until_all_pass"] = True
    return FieldPart("part", part, pos)


def _who(first: Token, second: Token) -> dict[str, Any]:
    if second.text == "first":
        return {"first": first.text}
    if expect(first, "each", "alternating") == "alternating":
        return {"kind": "alternating", "noun": second.text}
    return {"kind": "each side"} if second.text == "side" else {"kind": "each", "noun": second.text}


# -- kinds -----------------------------------------------------------------------------------------


def _of_items(inner: Form) -> Form:
    """A form with items of a kind: each of them says what it changes."""

    def build(builder: Builder, pos: t.Pos, kids: Kids) -> Any:
        made = inner(builder, pos, kids)
        for item in made.items:
            if isinstance(item, t.Modifier) and item.target is None:
                hint = "begin it with a number's name"
                raise wrong(item.pos, "nothing is said about what this line changes", hint)
        return made

    return build


FORMS |= {
    "kind_block": _of_items(node(t.KindBlock, "kind", "title", "*items")),
    "kind_of": said("of"),
    "kind_cost": said("cost", "cost", "=points"),
    "entries": lambda builder, pos, kids: Several(kids),
    "kind_field": node(t.KindField, "name", "value"),
    "kind_flag": node(t.KindFlag, "name"),
    "item": lambda builder, pos, kids: kids[0],
    "while_item": _of_items(node(t.While, "condition", "*items")),
    "while_in_force": _of_items(node(t.While, "*items", condition=None)),
    "while_on": _of_items(node(t.While, "on_target", "*items", condition=None)),
    "keeps": node(t.Keeps, "field"),
    "targets": node(t.Targets, "phrase"),
    "part": node(t.Part, "name", "low", "high"),
    "lost_first": constant("lost_first", True),
    "as_kind": node(t.AsKind, "kind", "name"),
    "ends_at": node(t.EndsAt, "moment"),
}


# -- layers ----------------------------------------------------------------------------------------

FORMS |= {
    "house_rule": node(t.HouseRule, "title", "*blocks", for_=None),
    "for_ruleset": said("for_"),
    "later_than": said("after", "=after", "*after"),
    "amend": node(t.Amend, "kind", "name", "*changes"),
    "amend_state": node(t.Amend, "name", "*changes", kind="state"),
    "amend_profile": node(t.Amend, "name", "*changes", kind="profile"),
    "advise": node(t.Advise, "kind", "name", "*ratings"),
    "rating": node(t.Rating, "name", "rated"),
    "remove_line": node(t.RemoveLine, "called"),
    "replace": node(t.Replace, "block"),
    "remove": node(t.Remove, "kind", "name"),
    "rename": node(t.Rename, "kind", "name", "to"),
}


@form
def replace_line(builder: Builder, pos: t.Pos, kids: Kids) -> t.ReplaceLine:
    items = list(members(kids[1:]))
    if len(items) != 1:
        raise wrong(pos, "one line is replaced by one line", "add the others on lines of their own")
    return t.ReplaceLine(kids[0].text[1:-1], items[0], pos=pos)


@form
def replace_phase(builder: Builder, pos: t.Pos, kids: Kids) -> t.Replace:
    phase: t.Phase = kids[0]
    itself = t.Word(phase.name, pos=phase.pos)
    return t.Replace(t.PhaseInsert(phase, "replace", itself, pos=phase.pos), pos=pos)
