"""From reductions to the syntax tree, second part: dice, turns, kinds, layers, blocks at the margin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from warhost.lang import tree as t
from warhost.lang.building import (
    Against,
    Args,
    Builder,
    Kids,
    OpposedBy,
    Params,
    Reads,
    Ref,
    Said,
    Several,
    Tails,
    every,
    expect,
    one,
    said,
    wrong,
)
from warhost.lang.lexer import Token


def about(kids: Kids) -> dict[str, Any]:
    """ref and reads of a block."""
    reads = one(kids, Reads)
    return {"ref": tuple(one(kids, Ref) or ()), "reads": reads.text if reads else None}


def params(kids: Kids) -> tuple[t.Param, ...]:
    return tuple(one(kids, Params) or ())


def expression(kids: Kids) -> Any:
    """The first expression among the kids."""
    return next(kid for kid in kids if is_expression(kid))


def is_expression(kid: Any) -> bool:
    return isinstance(kid, t.Expr)


class BlockBuilder(Builder):
    # -- numbers, flags, values --------------------------------------------------------------------

    def number_block(self, pos: t.Pos, kids: Kids) -> t.NumberBlock:
        return t.NumberBlock(
            kids[0].text, params(kids), expression(kids[1:]), one(kids, t.TypeRef), every(kids, t.Modifier),
            **about(kids), pos=pos,
        )  # fmt: skip

    def value_block(self, pos: t.Pos, kids: Kids) -> t.ValueBlock:
        kind = one(kids, t.TypeRef)
        assert kind is not None
        return t.ValueBlock(
            kids[0].text,
            params(kids),
            kind,
            expression(kids[1:]),
            every(kids, t.Modifier),
            **about(kids),
            pos=pos,
        )

    def flag_block(self, pos: t.Pos, kids: Kids) -> t.FlagBlock:
        return t.FlagBlock(
            kids[0].text, params(kids), expression(kids[1:]), every(kids, t.FlagLine), **about(kids), pos=pos
        )

    def yes_line(self, pos: t.Pos, kids: Kids) -> t.FlagLine:
        return self._flag_line(pos, kids, True)

    def no_line(self, pos: t.Pos, kids: Kids) -> t.FlagLine:
        return self._flag_line(pos, kids, False)

    def _flag_line(self, pos: t.Pos, kids: Kids, value: bool) -> t.FlagLine:
        word = "yes" if value else "no"
        tails = self._allow(one(kids, Tails), "when", "because", "called", on=f'a line with "{word}"')
        if "when" not in tails:
            raise wrong(pos, f'nothing is said about when it is "{word}"', f"write: {word} if ...")
        return t.FlagLine(value, pos=pos, **tails)

    # -- procedures, events, choices ---------------------------------------------------------------

    def procedure_block(self, pos: t.Pos, kids: Kids) -> t.ProcedureBlock:
        return t.ProcedureBlock(
            kids[0].text,
            params(kids),
            tuple(self._statements(kids)),
            one(kids, t.TypeRef),
            **about(kids),
            pos=pos,
        )

    def local_procedure(self, pos: t.Pos, kids: Kids) -> t.LocalProcedure:
        if reads := one(kids, Reads):
            raise wrong(reads.text.pos, '"reads" belongs under the head of the block', "move it up")
        return t.LocalProcedure(kids[0].text, params(kids), tuple(self._statements(kids)), pos=pos)

    def _statements(self, kids: Kids) -> Iterable[Any]:
        return (
            kid for kid in kids[1:] if isinstance(kid, t.Node) and not isinstance(kid, t.TypeRef | t.Order)
        )

    def event_block(self, pos: t.Pos, kids: Kids) -> t.EventBlock:
        asked, until_all_pass = said(kids, "asks") or (None, False)
        plain = asked.name if isinstance(asked, t.Name) else None
        return t.EventBlock(
            kids[0].text, params(kids), bool(said(kids, "may be cancelled")),
            asks=None if plain in ("enemies", "all") else asked, asks_enemies=plain == "enemies",
            asks_all=plain == "all", until_all_pass=until_all_pass, says=said(kids, "says"),
            **about(self._event_lines(pos, kids)), pos=pos,
        )  # fmt: skip

    def _event_lines(self, pos: t.Pos, kids: Kids) -> Kids:
        """The kids, after a look whether a line is there twice."""
        names = [kid.name for kid in every(kids, Said)]
        for name in names:
            if names.count(name) > 1:
                raise wrong(pos, f'"{name}" is said twice in this event')
        return kids

    def event_line(self, pos: t.Pos, kids: Kids) -> Several:
        return Several(kids)

    def may_be_cancelled(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("may be cancelled")

    def asks(self, pos: t.Pos, kids: Kids) -> Said:
        return self._asks(kids[0], kids)

    def asks_all(self, pos: t.Pos, kids: Kids) -> Said:
        return self._asks(t.Name("all", pos=pos), kids)

    def asks_of(self, pos: t.Pos, kids: Kids) -> Said:
        return self._asks(t.Attribute(kids[1], kids[0].text, pos=pos), kids)

    def _asks(self, asked: t.Expr, kids: Kids) -> Said:
        return Said("asks", (asked, bool(said(kids, "until all pass"))))

    def until_all_pass(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("until all pass")

    until_all = until_all_pass

    def says_line(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("says", self.text(pos, kids))

    def choice_block(self, pos: t.Pos, kids: Kids) -> t.ChoiceBlock:
        options = one(kids, t.Phrase)
        assert options is not None
        tails = self._allow(
            one(kids, Tails), "or none", "usually", "rated", "says", on='the head of a choice (after "by")'
        )
        return t.ChoiceBlock(
            kids[0].text, params(kids), expression(kids[1:]), options, or_none="or none" in tails,
            usually=tails.get("usually"), rated=tails.get("rated"), says=tails.get("says"), **about(kids),
            pos=pos,
        )  # fmt: skip

    def constraint_block(self, pos: t.Pos, kids: Kids) -> t.ConstraintBlock:
        message = next(kid for kid in reversed(kids) if isinstance(kid, Token))
        return t.ConstraintBlock(
            kids[0].text, params(kids), expression(kids[1:]), self.text(pos, [message]), said(kids, "when"),
            **about(kids), pos=pos,
        )  # fmt: skip

    # -- words, state, nouns, tables ---------------------------------------------------------------

    def words_block(self, pos: t.Pos, kids: Kids) -> t.WordsBlock:
        names = [token.text for token in every(kids, Token)]
        return t.WordsBlock(names[0], tuple(names[1:]), **about(kids), pos=pos)

    def state_block(self, pos: t.Pos, kids: Kids) -> t.StateBlock:
        return t.StateBlock(kids[0].text, every(kids, t.FieldDecl), **about(kids), pos=pos)

    def profile_block(self, pos: t.Pos, kids: Kids) -> t.ProfileBlock:
        return t.ProfileBlock(kids[0].text, every(kids, t.FieldDecl), **about(kids), pos=pos)

    def field_line(self, pos: t.Pos, kids: Kids) -> t.FieldDecl:
        declared: t.FieldDecl = kids[0]
        return declared

    def field_decl(self, pos: t.Pos, kids: Kids) -> t.FieldDecl:
        found: dict[str, Any] = {}
        for kid in kids[2:]:
            name, value = ("reads", kid.text) if isinstance(kid, Reads) else ("default", kid)
            if isinstance(kid, Said):
                name, value = kid.name, kid.value
            if name in found:
                raise wrong(pos, f'"{name.replace("_", " ")}" is said twice for this field')
            found[name] = value
        return t.FieldDecl(kids[0].text, kids[1], pos=pos, **found)

    def field_floor(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("at_least", kids[0])

    def field_cap(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("at_most", kids[0])

    def field_resets(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("resets", kids[0])

    def noun_block(self, pos: t.Pos, kids: Kids) -> t.NounBlock:
        name, where = said(kids, "is a") or (None, None)
        return t.NounBlock(kids[0].text, said(kids, "plural"), name, where, **about(kids), pos=pos)

    def noun_plural(self, pos: t.Pos, kids: Kids) -> Said:
        expect(kids[0], "plural")
        return Said("plural", kids[1].text)

    def noun_is(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("is a", (kids[0].text, kids[1] if len(kids) > 1 else None))

    def phrase_block(self, pos: t.Pos, kids: Kids) -> t.PhraseBlock:
        expect(kids[1], "means")
        return t.PhraseBlock(kids[0].text[1:-1], kids[2], **about(kids), pos=pos)

    def table_block(self, pos: t.Pos, kids: Kids) -> t.TableBlock:
        by = every(kids, t.Param)
        return t.TableBlock(
            kids[0].text, by, every(kids, t.Case), one(kids, t.TypeRef), **about(kids), pos=pos
        )

    # -- dice --------------------------------------------------------------------------------------

    def total(self, pos: t.Pos, kids: Kids) -> t.Total:
        return t.Total(kids[0], pos=pos)

    total_dice = total

    def test(self, pos: t.Pos, kids: Kids) -> t.Test:
        confirmed = kids[3] if len(kids) > 3 else None
        return t.Test(kids[0], kids[1].text, kids[2], confirmed, pos=pos)

    def never(self, pos: t.Pos, kids: Kids) -> t.Never:
        return t.Never(pos=pos)

    def pool(self, pos: t.Pos, kids: Kids) -> t.Pool:
        return t.Pool(kids[0], kids[1], pos=pos, **(kids[2].value if len(kids) > 2 else {}))

    def pool_need(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("pool", {"op": kids[0].text, "need": kids[1]})

    def pool_or_more(self, pos: t.Pos, kids: Kids) -> Said:
        self.spacing.rises.add((pos.end_line, pos.end_column - 1))
        return Said("pool", {"op": ">=", "need": t.Num(Fraction(kids[0].text), pos=self.place(kids[0]))})

    def pool_scores(self, pos: t.Pos, kids: Kids) -> Said:
        expect(kids[0], "scores")
        return Said("pool", {"scores": kids[1]})

    def pool_each_scores(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("pool", {"each_scores": kids[0]})

    def opposed_by(self, pos: t.Pos, kids: Kids) -> Against:
        by = next((kid.value for kid in kids if getattr(kid, "name", "") == "by"), None)
        return Against(kids[0], by, said(kids, "ties"), bool(said(kids, "margin")))

    def ties(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("ties", kids[0])

    def margin(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("margin", True)

    def opposed(self, pos: t.Pos, kids: Kids) -> OpposedBy:
        left, other = kids
        return OpposedBy(t.Opposed(left, other.right, ties=other.ties, margin=other.margin, pos=pos), other.by)

    def ranked(self, pos: t.Pos, kids: Kids) -> OpposedBy:
        other = self.opposed_by(pos, kids[1:])
        if other.margin:
            raise wrong(pos, "dice that are ranked against each other have no difference", 'write "against"')
        return OpposedBy(t.Opposed(kids[0], other.right, ranked=True, ties=other.ties, pos=pos), other.by)

    def roll_block(self, pos: t.Pos, kids: Kids) -> t.RollBlock:
        spec: t.RollSpec | None = next((kid for kid in kids if isinstance(kid, t.RollSpec)), None)
        against = said(kids, "against")
        if opposed := one(kids, OpposedBy):
            spec = opposed.spec
            against = self._opponent(pos, against, opposed.by)
        alternatives = tuple(a for a in self._members(kids) if isinstance(a, t.Alternative))
        if spec is None and not alternatives:
            raise wrong(pos, "no dice are thrown here", 'write them after the colon, or on lines with "when"')
        return t.RollBlock(
            kids[0].text, params(kids), expression(kids[1:]), spec, against, every(kids, t.Natural),
            every(kids, t.Outcome), alternatives, said(kids, "rerolls"), said(kids, "windows") or (),
            **about(kids), pos=pos,
        )  # fmt: skip

    def _opponent(self, pos: t.Pos, head: t.Expr | None, spec: t.Expr | None) -> t.Expr | None:
        if head is not None and spec is not None and head != spec:
            raise wrong(pos, "two different opponents are named for this roll")
        return head if head is not None else spec

    def roll_against(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("against", kids[0])

    def natural(self, pos: t.Pos, kids: Kids) -> t.Natural:
        found: dict[str, Any] = dict(kids[1].value)
        for tail in kids[2:]:
            if tail.name in found:
                raise wrong(pos, f'"{tail.name}" is said twice on this line')
            found[tail.name] = tail.value
        return t.Natural(kids[0], pos=pos, **found)

    def natural_does(self, pos: t.Pos, kids: Kids) -> Said:
        effect = expect(kids[0], "fails", "succeeds", "counts")
        if (effect == "counts") != (len(kids) > 1):
            raise wrong(pos, f'"{effect}" {"needs a number" if effect == "counts" else "stands alone"} here')
        return Said("does", {"effect": effect, "value": kids[1] if len(kids) > 1 else None})

    def natural_is(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("does", {"effect": "is", "word": kids[0]})

    def natural_confirmed(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("confirmed", kids[0])

    def natural_by(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("by", kids[0])

    def natural_emits(self, pos: t.Pos, kids: Kids) -> Said:
        expect(kids[0], "emits")
        return Said("emits", kids[1])

    def outcome(self, pos: t.Pos, kids: Kids) -> t.Outcome:
        relation = expect(kids[0], "above", "below", "natural", "windows")
        return t.Outcome(relation, kids[2], kids[1], pos=pos)

    def outcome_equal(self, pos: t.Pos, kids: Kids) -> t.Outcome:
        return t.Outcome("equal to", kids[1], kids[0], pos=pos)

    def otherwise_roll(self, pos: t.Pos, kids: Kids) -> t.Outcome | t.Alternative:
        """`otherwise: out` gives a word, `otherwise: pool ..` throws other dice."""
        spec = kids[0]
        if isinstance(spec, t.Total) and isinstance(spec.dice, t.Name):
            return t.Outcome("otherwise", t.Word(spec.dice.name, pos=spec.pos), pos=pos)
        return t.Alternative(None, self._plain_spec(pos, spec), pos=pos)

    def when_roll(self, pos: t.Pos, kids: Kids) -> t.Alternative:
        return t.Alternative(kids[0], self._plain_spec(pos, kids[1]), pos=pos)

    def _plain_spec(self, pos: t.Pos, spec: Any) -> t.RollSpec:
        if isinstance(spec, OpposedBy):
            if spec.by is not None:
                raise wrong(
                    pos, "the opponent is named in the head of the roll", 'write "by .. against .." there'
                )
            spec = spec.spec
        result: t.RollSpec = spec
        return result

    def rerolled_once(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("rerolls", "each die once")

    def never_rerolled(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("rerolls", "never")

    def windows(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("windows", tuple(kids))

    def window(self, pos: t.Pos, kids: Kids) -> t.Expr:
        return self._window(kids[0])

    def then_window(self, pos: t.Pos, kids: Kids) -> t.Expr:
        expect(kids[0], "then")
        return self._window(kids[1])

    def _window(self, kid: Any) -> t.Expr:
        return self._field(kid) if isinstance(kid, Token) else kid

    # -- turns and phases --------------------------------------------------------------------------

    def turn_block(self, pos: t.Pos, kids: Kids) -> t.TurnBlock:
        return t.TurnBlock("turn", every(kids, t.Phase), one(kids, t.PhaseOrder), **about(kids), pos=pos)

    def setup_block(self, pos: t.Pos, kids: Kids) -> t.TurnBlock:
        return t.TurnBlock("setup", every(kids, t.Phase), one(kids, t.PhaseOrder), **about(kids), pos=pos)

    def phase(self, pos: t.Pos, kids: Kids) -> t.Phase:
        return t.Phase(
            kids[0].text, said(kids, "title"), one(kids, t.PhaseOrder), every(kids, t.Step),
            self._phase_body(kids), said(kids, "when"), pos=pos,
        )  # fmt: skip

    def _phase_body(self, kids: Kids) -> tuple[Any, ...]:
        outside = (t.PhaseOrder, t.Step)
        return tuple(kid for kid in kids if isinstance(kid, t.Node) and not isinstance(kid, outside))

    def title(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("title", kids[0].text[1:-1])

    def phase_insert(self, pos: t.Pos, kids: Kids) -> t.PhaseInsert:
        names = every(kids, Token)
        where = expect(names[1], "after", "before")
        phase = self.phase(pos, [kid for kid in kids if kid not in names[1:]])
        return t.PhaseInsert(phase, where, names[2].text, **about(kids), pos=pos)

    def phase_orders(self, pos: t.Pos, kids: Kids) -> t.PhaseOrder:
        found: dict[str, Any] = {}
        for kid in kids:
            for name, value in self._order_part(pos, kid, found).items():
                if name in found and name != "order":
                    raise wrong(pos, f"the order of play is said twice here ({name.replace('_', ' ')})")
                found[name] = value
        if "kind" not in found:
            raise wrong(pos, "nothing is said about who acts", "add for example: alternating units")
        return t.PhaseOrder(**found, pos=pos)

    def _order_part(self, pos: t.Pos, kid: Any, found: dict[str, Any]) -> dict[str, Any]:
        if isinstance(kid, t.Order):
            return {"order": kid}
        if kid.name == "highest first":
            if "order" not in found:
                raise wrong(pos, '"highest first" belongs after "in order of .."')
            return {"order": replace(found["order"], highest_first=True)}
        value: dict[str, Any] = kid.value
        return value

    def at_once(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("part", {"kind": "at once"})

    def each_order(self, pos: t.Pos, kids: Kids) -> Said:
        part = self._who(kids[0], kids[1])
        if order := one(kids, t.Order):
            part["order"] = order
        if said(kids, "until all pass"):
            part["until_all_pass"] = True
        return Said("part", part)

    def _who(self, first: Token, second: Token) -> dict[str, Any]:
        if second.text == "first":
            return {"first": first.text}
        if expect(first, "each", "alternating") == "alternating":
            return {"kind": "alternating", "noun": second.text}
        return {"kind": "each side"} if second.text == "side" else {"kind": "each", "noun": second.text}

    def step(self, pos: t.Pos, kids: Kids) -> t.Step:
        return t.Step(kids[0].text, tuple(one(kids, Args) or ()), pos=pos)

    def then_step(self, pos: t.Pos, kids: Kids) -> t.Step:
        expect(kids[0], "then")
        return t.Step(kids[1].text, tuple(one(kids, Args) or ()), then=True, pos=pos)

    # -- kinds -------------------------------------------------------------------------------------

    def kind_block(self, pos: t.Pos, kids: Kids) -> t.KindBlock:
        items = tuple(self._items(kids[2:]))
        return t.KindBlock(
            kids[0].text,
            kids[1],
            params(kids),
            said(kids, "of"),
            said(kids, "cost"),
            items,
            **about(kids),
            pos=pos,
        )

    def kind_of(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("of", kids[0].text)

    def kind_cost(self, pos: t.Pos, kids: Kids) -> Said:
        expect(kids[1], "points")
        return Said("cost", t.Num(Fraction(kids[0].text), pos=self.place(kids[0])))

    def _items(self, kids: Kids) -> Iterable[Any]:
        for item in self._members(kids):
            if isinstance(item, t.Modifier) and item.target is None:
                raise wrong(
                    item.pos, "nothing is said about what this line changes", "begin it with a number's name"
                )
            yield item

    def entries(self, pos: t.Pos, kids: Kids) -> Several:
        return Several(kids)

    def kind_field(self, pos: t.Pos, kids: Kids) -> t.KindField:
        return t.KindField(kids[0].text, kids[1], pos=pos)

    def kind_flag(self, pos: t.Pos, kids: Kids) -> t.KindFlag:
        return t.KindFlag(kids[0].text, pos=pos)

    def item(self, pos: t.Pos, kids: Kids) -> Any:
        return kids[0]

    def while_item(self, pos: t.Pos, kids: Kids) -> t.While:
        return t.While(kids[0], tuple(self._items(kids[1:])), pos=pos)

    def while_in_force(self, pos: t.Pos, kids: Kids) -> t.While:
        return t.While(None, tuple(self._items(kids)), pos=pos)

    def while_on(self, pos: t.Pos, kids: Kids) -> t.While:
        return t.While(None, tuple(self._items(kids[1:])), kids[0], pos=pos)

    def keeps(self, pos: t.Pos, kids: Kids) -> t.Keeps:
        return t.Keeps(kids[0], pos=pos)

    def targets(self, pos: t.Pos, kids: Kids) -> t.Targets:
        return t.Targets(kids[0], pos=pos)

    def part(self, pos: t.Pos, kids: Kids) -> t.Part:
        bounds = [kid for kid in kids if is_expression(kid)]
        high = bounds[1] if len(bounds) > 1 else None
        return t.Part(kids[0].text, bounds[0], high, bool(said(kids, "lost first")), pos=pos)

    def lost_first(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("lost first")

    def as_kind(self, pos: t.Pos, kids: Kids) -> t.AsKind:
        return t.AsKind(kids[0].text, kids[1], pos=pos)

    def ends_at(self, pos: t.Pos, kids: Kids) -> t.EndsAt:
        return t.EndsAt(kids[0], pos=pos)

    # -- layers ------------------------------------------------------------------------------------

    def house_rule(self, pos: t.Pos, kids: Kids) -> t.HouseRule:
        blocks: tuple[Any, ...] = every(kids, t.Block)
        return t.HouseRule(
            kids[0].text[1:-1], said(kids, "for"), blocks, said(kids, "after") or (), **about(kids), pos=pos
        )

    def for_ruleset(self, pos: t.Pos, kids: Kids) -> Said:
        return Said("for", kids[0].text)

    def later_than(self, pos: t.Pos, kids: Kids) -> Said:
        expect(kids[0], "after")
        return Said("after", tuple(token.text[1:-1] for token in kids[1:]))

    def amend(self, pos: t.Pos, kids: Kids) -> t.Amend:
        return t.Amend(kids[0].text, kids[1], tuple(self._members(kids[2:])), **about(kids), pos=pos)

    def amend_state(self, pos: t.Pos, kids: Kids) -> t.Amend:
        return self._amend_fields(pos, "state", kids)

    def amend_profile(self, pos: t.Pos, kids: Kids) -> t.Amend:
        return self._amend_fields(pos, "profile", kids)

    def _amend_fields(self, pos: t.Pos, kind: str, kids: Kids) -> t.Amend:
        name = t.Word(kids[0].text, pos=self.place(kids[0]))
        return t.Amend(kind, name, tuple(self._members(kids[1:])), **about(kids), pos=pos)

    def advise(self, pos: t.Pos, kids: Kids) -> t.Advise:
        return t.Advise(kids[0].text, kids[1], every(kids, t.Rating), **about(kids), pos=pos)

    def rating(self, pos: t.Pos, kids: Kids) -> t.Rating:
        return t.Rating(kids[0], kids[1], pos=pos)

    def remove_line(self, pos: t.Pos, kids: Kids) -> t.RemoveLine:
        return t.RemoveLine(kids[0].text[1:-1], pos=pos)

    def replace_line(self, pos: t.Pos, kids: Kids) -> t.ReplaceLine:
        items = list(self._members(kids[1:]))
        if len(items) != 1:
            raise wrong(pos, "one line is replaced by one line", "add the others on lines of their own")
        return t.ReplaceLine(kids[0].text[1:-1], items[0], pos=pos)

    def replace(self, pos: t.Pos, kids: Kids) -> t.Replace:
        return t.Replace(kids[0], pos=pos)

    def replace_phase(self, pos: t.Pos, kids: Kids) -> t.Replace:
        phase: t.Phase = kids[0]
        return t.Replace(t.PhaseInsert(phase, "replace", phase.name, pos=phase.pos), pos=pos)

    def remove(self, pos: t.Pos, kids: Kids) -> t.Remove:
        return t.Remove(kids[0].text, kids[1], **about(kids), pos=pos)
