"""Blocks that can be read and still make no sense: lines that are never reached, limits that cross, faces of no die.

Everything here is seen in one block of the syntax tree alone, so that a changed block is judged without the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from warhost.lang import tree as t
from warhost.lang.expressions import TURNED
from warhost_sense.within import Within

#: place, code, message, hint
Report = Callable[[t.Pos, str, str, str | None], None]

Number = Fraction | int
Body = Sequence[t.Statement]


def blocks_in(module: t.Module | None) -> Iterator[t.AnyBlock]:
    """The blocks of a file of rules, those of a house rule among them."""
    for block in module.blocks if module is not None else ():
        if isinstance(block, t.HouseRule):
            yield from block.blocks
        else:
            yield block


@dataclass(frozen=True, slots=True)
class IntRange:
    """Whole numbers from low to high, both included; None is without end."""

    low: Number | None
    high: Number | None

    def within(self, other: IntRange) -> bool:
        """Whether all of it lies in another."""
        below = other.low is None or (self.low is not None and self.low >= other.low)
        return below and (other.high is None or (self.high is not None and self.high <= other.high))

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.high} or less" if self.low is None else f"{self.low} or more"
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"


def look(
    within: Within, words: Mapping[str, Sequence[str]], report: Report, kin: Collection[tuple[str, str]] = ()
) -> None:
    """Report what makes no sense in a block. words: those of each enumeration; kin: kinds and titles of which there
    are several variants.
    """
    Sense(words, report, kin).block(within)


class Sense:
    """Looks through one block after the other."""

    def __init__(
        self, words: Mapping[str, Sequence[str]], report: Report, kin: Collection[tuple[str, str]] = ()
    ) -> None:
        self.words = words
        self.report = report
        self.kin = kin
        #: What the dice show that a block keeps the total of, by the name that it has there.
        self.thrown: Mapping[str, IntRange] = {}

    def block(self, within: Within) -> None:
        """One block with everything in it."""
        b = within.block
        if isinstance(b, t.NumberBlock | t.ValueBlock):
            self._lines(b.lines)
            self._same_case([(m, ("set",), m.when) for m in b.lines if m.op == "set"])
            self._always(b.lines)
        elif isinstance(b, t.FlagBlock):
            self._same_case([(line, ("line",), line.when) for line in b.lines])
        elif isinstance(b, t.RollBlock):
            self._roll(b)
        elif isinstance(b, t.TableBlock):
            self._cases(b.cases, b.pos, f"table {b.name}", whole=True)
        elif isinstance(b, t.ProcedureBlock):
            self._procedure(b)
        elif isinstance(b, t.WordsBlock):
            self._twice(((word, b.pos) for word in b.words), "word")
        elif isinstance(b, t.StateBlock | t.ProfileBlock):
            for f in b.fields:
                self._field(f)
        elif isinstance(b, t.KindBlock):
            self._unread(b)
            self._always(b.items)
            self._permitted(b.items)
            self._fields_once(b.items)
        elif isinstance(b, t.TurnBlock):
            self._twice(((p.name, p.pos) for p in b.phases), "phase")
        elif isinstance(b, t.ConstraintBlock):
            self._shares(b)
        self.thrown = _kept_throws(within)
        for node in within.nodes:
            self._node(node)

    def _shares(self, b: t.ConstraintBlock) -> None:
        """A part of an army that may be as much as the whole of its points, or more: that binds nobody."""
        for node in (n for n in t.walk(b.require) if isinstance(n, t.Compare)):
            for part, op, most in ((node.left, node.op, node.right), (node.right, TURNED[node.op], node.left)):
                share = _share_of_points(most) if isinstance(part, t.Quantified) and part.kind == "total" else None
                if share is not None and (share > 1 or (share == 1 and op == "<=")) and op in ("<", "<="):
                    hint = "write a part of them, as in `40% of army.points`"
                    message = f"this always holds: no part of an army is more than {share * 100}% of its points"
                    self.report(node.pos, "never", message, hint)

    def _always(self, lines: Iterable[t.Node]) -> None:
        """Lines that hold as long as what they stand in: none can say how long."""
        for line in lines:
            if isinstance(line, t.While):
                self._always(line.items)
            elif isinstance(line, t.Modifier | t.Permission) and line.duration is not None:
                self.report(
                    line.duration.pos if line.duration.pos.line else line.pos, "wrong-duration",
                    "how long a line holds can only be said where it is a step; this one always holds",
                    "write `when ..` here, or put the line under `on`, `after` or `before` an event",
                )  # fmt: skip

    def _fields_once(self, items: Iterable[t.Node]) -> None:
        """Fields that a definition gives twice: only the last would count."""
        seen: dict[str, t.Pos] = {}
        for item in items:
            if isinstance(item, t.KindField | t.KindFlag):
                before = seen.setdefault(item.name, item.pos)
                if before is not item.pos and before.file == item.pos.file:
                    message = f'"{item.name}" stands here for the second time; the first is in line {before.line}'
                    self.report(item.pos, "duplicate-name", message, f'keep one of the two "{item.name}"')

    def _permitted(self, items: Iterable[t.Node]) -> None:
        """What is allowed and forbidden in one case."""
        seen: dict[object, t.Permission] = {}
        for item in items:
            if isinstance(item, t.Permission):
                before = seen.setdefault((item.flag, item.args, item.when, item.pos.file), item)
                if before.allow != item.allow:
                    allowed, forbidden = (item, before) if item.allow else (before, item)
                    message = f"this never counts: line {forbidden.pos.line} forbids it for the same case"
                    self.report(allowed.pos, "never", message, "`forbid` decides: take one of the two away")

    def _same_case(self, lines: Iterable[tuple[t.Node, tuple[str, ...], t.Expr | None]]) -> None:
        """Lines of one file that decide one case: of several the last one does. lines: each with what it decides, and
        its condition; who has none decides always, of which others tell.
        """
        last: dict[object, t.Node] = {}
        for line, what, when in reversed(list(lines)):
            below = last.setdefault((what, when, line.pos.file), line)
            if below is not line and when is not None:
                message = f"this never counts: line {below.pos.line} decides the same case"
                self.report(line.pos, "never", message, "of several the last one decides: take one away")

    def _asked_twice(self, node: t.If) -> None:
        """`else if` what an `if` above it has asked. What is thrown or done may turn out otherwise the second time."""
        seen: dict[t.Expr, t.Pos] = {}
        for branch in node.branches:
            doing = (t.Rolls, t.RollNamed, t.HowMany, t.Call, t.Dice)
            if any(isinstance(part, doing) for part in t.walk(branch.condition)):
                continue
            before = seen.setdefault(branch.condition, branch.condition.pos)
            if before is not branch.condition.pos:
                message = f"this never holds: line {before.line} has asked the same"
                self.report(branch.condition.pos, "never", message, "put both together, or ask for something else")

    def _unread(self, b: t.KindBlock) -> None:
        """Parameters of a definition that nothing in it speaks of."""
        said = {n.name for n in t.walk(b) if isinstance(n, t.Name | t.Attribute | t.Argument) and n.name}
        own = [p.name for p in b.params]
        for part in b.reads.parts if b.reads is not None else ():
            if b.reads is not None and isinstance(part, t.Name) and part.name not in own:
                hint = f"its values are: {', '.join(own)}" if own else "it has no values: leave the braces out"
                message = f'{b.kind} {b.title.text} has no value called "{part.name}"'
                self.report(part.pos if part.pos.line else b.reads.pos, "unknown-name", message, hint)
        if not any(isinstance(i, t.Modifier | t.Permission | t.Handler) for i in b.items):
            return  # its values are for others: plugins, sentences
        for p in b.params:
            is_variant = p.type is None and (b.kind, b.title.text) in self.kin
            if p.name not in said and not is_variant:
                self.report(
                    p.pos if p.pos.line else b.pos, "unread",
                    f'nothing in {b.kind} {b.title.text} speaks of "{p.name}"',
                    f"use {p.name} in one of its lines (or in `reads`), or take it away",
                )  # fmt: skip

    def _node(self, node: t.Node) -> None:
        if isinstance(node, t.According):
            self._cases(node.cases, node.pos, "this", dice=_dice_of(node.subject))
        elif isinstance(node, t.If):
            self._asked_twice(node)
        elif isinstance(node, t.Compare):
            self._thrown(node)
        elif isinstance(node, t.ChooseCase):
            self._twice(((o.label.text, o.pos) for o in node.options), "option")
        elif isinstance(node, t.Choose) and isinstance(node.options, t.Span):
            self._span(node.options, constant(node.usually))
        elif isinstance(node, t.Logic) and node.op == "and":
            self._both(node)
        elif (isinstance(node, t.Binary) and node.op == "/" and constant(node.right) == 0) or _of_nothing(node):
            self.report(node.pos, "division-by-zero", "nothing can be divided by 0", "divide by something else than 0")
        elif isinstance(node, t.Dice):
            sides = constant(node.sides)
            if sides is not None and sides < 1:
                self.report(node.pos, "no-such-die", f"a die with {sides} sides shows nothing", "write d6, say")
        elif isinstance(node, t.Repeat) and (times := constant(node.times)) is not None and times < 1:
            self.report(node.pos, "never", f"nothing is repeated {times} times", "write how often, 1 at least")
        elif isinstance(node, t.LocalProcedure):
            self._falls_off(node.name, node.body, node.pos)
        for body in _bodies(node):
            self._reached(body)

    # -- lines and fields

    def _lines(self, lines: Sequence[t.Modifier]) -> None:
        """Lines of a number: what a later one always replaces, and limits that leave nothing between them."""
        last = next((m for m in reversed(lines) if m.op == "set" and m.when is None), None)
        for m in lines:
            if last is None or m is last:
                break
            if m.op == "set":
                shown = shown_number(last.value) or ".."
                self.report(
                    m.pos, "never", "this never counts: a line below always sets it",
                    f"of several the last one decides: say when for `set to {shown}` in line {last.pos.line}",
                )  # fmt: skip
        floor = limit_of_lines(lines, "floor")
        cap = limit_of_lines(lines, "cap")
        self._limits_twice(lines, {"floor": floor, "cap": cap})
        if floor is not None and cap is not None and floor[0] > cap[0]:
            self.report(
                floor[1], "limits-cross", f"it cannot be at least {floor[0]} and at most {cap[0]}",
                f"at most {cap[0]} (line {cap[1].line}) decides: change one of the two limits",
            )  # fmt: skip

    def _limits_twice(self, lines: Sequence[t.Modifier], strictest: Mapping[str, tuple[Number, t.Pos] | None]) -> None:
        """Limits that always hold, of which another of the same file is the stricter one."""
        for m in lines:
            of_sort = strictest.get(m.op) if m.when is None and constant(m.value) is not None else None
            if of_sort is not None and m.pos != of_sort[1] and m.pos.file == of_sort[1].file:
                value, pos = of_sort
                message = f"this never counts: line {pos.line} says at {'least' if m.op == 'floor' else 'most'} {value}"
                self.report(m.pos, "never", message, "keep one of the two")

    def _field(self, f: t.FieldDecl) -> None:
        low, high, start = (constant(e) for e in (f.at_least, f.at_most, f.default))
        if low is not None and high is not None and low > high:
            self.report(
                f.pos, "limits-cross", f'"{f.name}" cannot be at least {low} and at most {high}',
                f"at most {high} stands beside it: change one of the two",
            )  # fmt: skip
        elif start is not None and ((low is not None and start < low) or (high is not None and start > high)):
            span = IntRange(low, high)
            self.report(f.pos, "limits-cross", f'"{f.name}" begins with {start}', f"its limits are: {span}")

    def _twice(self, named: Iterable[tuple[str, t.Pos]], what: str) -> None:
        seen: set[str] = set()
        for name, pos in named:
            if name in seen:
                hint = f'take one "{name}" away, or call it otherwise'
                self.report(pos, "duplicate-name", f'the {what} "{name}" stands here twice', hint)
            seen.add(name)

    def _span(self, s: t.Span, usually: Number | None) -> None:
        low, high = constant(s.low), constant(s.high)
        if low is not None and high is not None and low > high:
            message = f"there is no number from {low} to {high}"
            self.report(s.pos, "limits-cross", message, f"write: from {high} to {low}")
        elif usually is not None and not IntRange(usually, usually).within(IntRange(low, high)):
            message = f"{usually} is no answer to this choice"
            self.report(s.pos, "out-of-range", message, f"the usual answer is one of {IntRange(low, high)}")

    # -- cases

    def _cases(
        self, cases: Sequence[t.Case], pos: t.Pos, what: str, dice: IntRange | None = None, whole: bool = False
    ) -> None:
        """Cases that others have taken before, or that never come; and what no case is for.

        dice: what the dice show that are looked at. whole: numbers between the cases are a hole.
        """
        taken: list[IntRange] = []
        words: dict[str, t.Pos] = {}
        always = False
        for c in cases:
            if always:
                self.report(c.pos, "never", "this case is never reached: `otherwise` stands above it",
                            "put `otherwise` last")  # fmt: skip
                continue
            span = _span_of(c)
            if span is not None and span.low is not None and span.high is not None and span.low > span.high:
                message = f"no number is {span.low} or more and {span.high} or less"
                self.report(c.pos, "never", message, f"the smaller one stands first: write {span.high} to {span.low}")
                span = IntRange(span.high, span.low)
            if c.word is not None and c.word.text in words and c.when is None:
                hint = f'"{c.word.text}" has a case in line {words[c.word.text].line}: put both together'
                self.report(c.pos, "never", f'the case "{c.word.text}" is never reached', hint)
            elif span is not None:
                self._case(c, span, taken, dice)
            always = c.otherwise and c.when is None
            if c.when is None and span is not None:
                taken.append(span)
            elif c.when is None and c.word is not None:
                words.setdefault(c.word.text, c.pos)
        if always or any(c.when is not None for c in cases) or len(words) < sum(c.word is not None for c in cases):
            return
        self._holes(taken, pos, what, dice, whole)
        if words:
            self._missing_words(words, pos)

    def _case(self, c: t.Case, span: IntRange, taken: Sequence[IntRange], dice: IntRange | None) -> None:
        before = next((one for one in taken if span.within(one)), None)
        if before is not None:
            self.report(c.pos, "never", f"the case {span} is never reached", f"`{before}` stands above it")
        elif (other := next((one for one in taken if _begins_within(span, one)), None)) is not None:
            both = IntRange(span.low, other.high)
            hint = f"`{other}` stands above it and takes {both}: write {IntRange(_next(other.high), span.high)}"
            self.report(c.pos, "never", f"the cases {other} and {span} overlap", hint)
        elif dice is not None and not _touch(span, dice):
            self.report(c.pos, "never", f"the dice never show {span}", f"they show {dice}")

    def _holes(self, taken: Sequence[IntRange], pos: t.Pos, what: str, dice: IntRange | None, whole: bool) -> None:
        """Numbers for which there is no case: that dice show, or between the cases."""
        if not taken or not (whole or dice is not None):
            return
        rest = [dice] if dice is not None else _between(taken)
        for one in taken:
            rest = [part for span in rest for part in _without(span, one)]
        if rest:
            message = f"{what} has no case for {rest[0]}"
            self.report(pos, "no-case", message, f"add a line `{rest[0]}: ..`, or `otherwise: ..`")

    def _missing_words(self, found: Mapping[str, t.Pos], pos: t.Pos) -> None:
        owners = [words for words in self.words.values() if set(found) <= set(words)]
        missing = [w for w in owners[0] if w not in found] if len(owners) == 1 else []
        if len(missing) == 1 and len(found) >= 2:
            hint = f"add a case `{missing[0]}: ..`, or `otherwise: continue`"
            self.report(pos, "no-case", f'there is no case for "{missing[0]}"', hint)

    # -- conditions

    def _both(self, node: t.Logic) -> None:
        """What must hold at once and cannot."""
        words: dict[t.Expr, str] = {}
        spans: dict[t.Expr, IntRange] = {}
        relations: dict[tuple[t.Expr, t.Expr], frozenset[str]] = {}
        for part in node.operands:
            if isinstance(part, t.Compare) and constant(part.left) is None and constant(part.right) is None:
                sides, op = (part.left, part.right), part.op
                if (part.right, part.left) in relations:
                    sides, op = (part.right, part.left), TURNED[part.op]
                left = relations.get(sides, _RELATIONS["<="] | _RELATIONS[">="]) & _RELATIONS[op]
                relations[sides] = left
                if not left:
                    self._never(part.pos, "what stands before it says the opposite of the same two")
            said = self._word_said(part)
            if said is not None and words.setdefault(*said) != said[1]:
                self._never(part.pos, f"it cannot be {words[said[0]]} and {said[1]} at once")
            limit = _limited(part)
            if limit is not None:
                old = spans.get(limit[0], IntRange(None, None))
                new = spans[limit[0]] = IntRange(_most(old.low, limit[1].low, max), _most(old.high, limit[1].high, min))
                if new.low is not None and new.high is not None and new.low > new.high:
                    self._never(part.pos, f"it cannot be {new.low} or more and {new.high} or less at once")

    def _thrown(self, node: t.Compare) -> None:
        """What is thrown, or kept of a throw, against a plain number: `unit rolls d6 >= 7`."""
        for op, dice, value in ((node.op, node.left, node.right), (TURNED[node.op], node.right, node.left)):
            need = constant(value)
            span = self.thrown.get(dice.name) if isinstance(dice, t.Name) else _throw_of(dice)
            sentence = never_or_always(op, need, span) if need is not None and span is not None else ""
            if sentence:
                self.report(node.pos, "never", sentence, f"the dice show {span}")

    def _never(self, pos: t.Pos, message: str) -> None:
        self.report(pos, "never", f"this condition never holds: {message}", "write `or` where one of the two will do")

    def _word_said(self, part: t.Expr) -> tuple[t.Expr, str] | None:
        if not isinstance(part, t.Is) or part.negated or part.article or not isinstance(part.object, t.Name):
            return None
        if not isinstance(part.subject, t.Attribute | t.Name):
            return None
        known = any(part.object.name in words for words in self.words.values())
        return (part.subject, part.object.name) if known else None

    # -- steps

    def _reached(self, body: Body) -> None:
        for before, after in pairwise(body):
            if _goes_on(before):
                continue
            word = before.word if isinstance(before, t.Control) else "the branches above"
            self.report(
                after.pos, "never", "this line is never reached",
                f"`{word}` in line {before.pos.line} ends the procedure: put it last, or under a condition",
            )  # fmt: skip
            return

    def _procedure(self, b: t.ProcedureBlock) -> None:
        if b.type is None or not (b.type.optional or b.type.is_list):
            self._falls_off(b.name, b.body, b.pos, declared=b.type is not None)

    def _falls_off(self, name: str, body: Body, pos: t.Pos, declared: bool = False) -> None:
        """A procedure that gives a value must give one on every way through it."""
        results = [n for s in body for n in t.walk(s) if isinstance(n, t.Control) and n.word == "result"]
        if not (declared or results) or any(isinstance(n.operand, t.Nothing) for n in results):
            return
        stops = [n for s in body for n in t.walk(s) if isinstance(n, t.Control) and n.word == "stop" and not n.operand]
        if stops:
            self.report(
                stops[0].pos, "no-result", f'here "{name}" ends without a result, which it has elsewhere',
                "write `result ..` in the place of `stop`",
            )  # fmt: skip
        elif not self._results(body):
            self.report(
                pos, "no-result", f'"{name}" gives a result on some ways through it, and on others none',
                "add a last line `result ..` for the cases that are left",
            )  # fmt: skip

    def _results(self, body: Body) -> bool:
        """Whether every way through a body ends with a result."""
        last = next((s for s in body if not _goes_on(s)), body[-1] if body else None)
        if isinstance(last, t.Control):
            return last.word in ("result", "pass") and last.unless is None
        if isinstance(last, t.Refuse):
            return True
        if isinstance(last, t.If):
            return all(self._results(b.body) for b in last.branches) and self._results(last.otherwise)
        if isinstance(last, t.According):
            return self._complete(last.cases) and all(c.roll_again or self._results(c.body) for c in last.cases)
        if isinstance(last, t.ChooseCase):
            return all(self._results(o.body) for o in last.options)
        return isinstance(last, t.Together) and self._results(last.body)

    def _complete(self, cases: Sequence[t.Case]) -> bool:
        """Whether one of the cases always fits."""
        if any(c.otherwise and c.when is None for c in cases):
            return True
        words = {c.word.text for c in cases if c.word is not None and c.when is None}
        if words:
            return any(words == set(known) for known in (*self.words.values(), ("yes", "no")))
        spans = [span for c in cases if c.when is None and (span := _span_of(c)) is not None]
        return bool(spans) and (any(s.low is None for s in spans) or any(s.high is None for s in spans))

    # -- rolls

    def _roll(self, b: t.RollBlock) -> None:
        specs = [s for s in (b.spec, *(a.spec for a in b.alternatives)) if s is not None]
        self._naturals(b, specs)
        self._outcomes(b)
        for spec in specs:
            for one in (spec.left, spec.right) if isinstance(spec, t.Opposed) else (spec,):
                self._chance(one)

    def _naturals(self, b: t.RollBlock, specs: Sequence[t.RollSpec]) -> None:
        most = _most_sides(specs)
        pools = any(isinstance(n, t.Pool) for spec in specs for n in t.walk(spec))
        seen: dict[Number, t.Natural] = {}
        for n in b.naturals:
            face = constant(n.face)
            if face is not None and (face < 1 or (most is not None and face > most >= 1)):
                hint = f"its dice show {IntRange(1, most)}" if most else "dice show 1 and more"
                self.report(n.pos, "never", f"no die of this roll shows {face}", hint)
            self._natural(b, n, pools)
            if n.confirmed is not None and isinstance(n.confirmed, t.Compare):
                self._chance(t.Test(n.confirmed.left, n.confirmed.op, n.confirmed.right, pos=n.pos))
            if face is None or n.when is not None or n.by is not None:
                continue
            if face in seen and n.effect != seen[face].effect:
                message = f"natural {face} stands here twice and says different things"
                self.report(n.pos, "duplicate-name", message, f"take one of the lines for {face} away")
            seen.setdefault(face, n)

    def _natural(self, b: t.RollBlock, n: t.Natural, pools: bool) -> None:
        """Whether a natural line can do its work in this form of roll."""
        face = shown_number(n.face) or "N"
        if b.outcomes and n.effect != "is":
            words = [o.word.text for o in b.outcomes]
            message = "this roll comes out as a word: it neither succeeds nor counts"
            self.report(n.pos, "wrong-form", message, f"write: natural {face} is {words[0]}")
        elif not b.outcomes and n.effect == "is" and b.spec is not None and not isinstance(b.spec, t.Total):
            hint = f"write: natural {face} counts 2" if pools else f"write: natural {face} succeeds (or fails)"
            self.report(n.pos, "wrong-form", "this roll does not come out as a word", hint)
        elif not b.outcomes and n.effect == "counts" and not pools:
            hint = f"write: natural {face} succeeds (or fails)"
            self.report(n.pos, "wrong-form", "only in a pool does a die count more or less", hint)

    def _outcomes(self, b: t.RollBlock) -> None:
        above: Number | None = None
        below: Number | None = None
        dice = _total_of(b)
        for i, o in enumerate(b.outcomes):
            value = constant(o.value)
            if dice is not None and _totals_of(o, dice) == set():
                self.report(o.pos, "never", f"the dice never show {_named(o)}", f"they show {dice}")
                continue
            if dice is not None and o.relation == "otherwise" and _all_taken(b.outcomes[:i], dice):
                self.report(o.pos, "never", "this row is never reached", f"the rows above it take all of {dice}")
                return
            if any(one.relation == "otherwise" for one in b.outcomes[:i]):
                self.report(o.pos, "never", "this row is never reached: `otherwise` stands above it",
                            "put `otherwise` last")  # fmt: skip
                return
            if value is not None:
                equal = o.relation == "equal to"
                if above is not None and o.relation != "below" and (value > above if equal else value >= above):
                    self.report(o.pos, "never", "this row is never reached", f"`above {above}` stands before it")
                if below is not None and o.relation != "above" and (value < below if equal else value <= below):
                    self.report(o.pos, "never", "this row is never reached", f"`below {below}` stands before it")
            if o.relation == "above" and value is not None:
                above = _most(above, value, min)
            if o.relation == "below" and value is not None:
                below = _most(below, value, max)
        relations = {o.relation for o in b.outcomes}
        if b.outcomes and "otherwise" not in relations and not {"above", "below", "equal to"} <= relations:
            self.report(
                b.pos, "no-case", f'the roll "{b.name}" has no word for some of its totals', "add a row `otherwise: ..`"
            )

    def _chance(self, spec: t.RollSpec) -> None:
        """A throw against a plain number that always or never comes."""
        if isinstance(spec, t.Pool):
            dice, op, need = t.Dice(spec.die.sides, None, pos=spec.pos), spec.op, constant(spec.need)
        elif isinstance(spec, t.Test):
            dice, op, need = spec.dice, spec.op, constant(spec.need)  # type: ignore[assignment]
        else:
            return
        span = _dice_of(dice)
        if span is None or need is None or op is None or span.low is None or span.high is None:
            return
        likely = [_holds(op, Fraction(n), Fraction(need)) for n in (span.low, span.high)]
        if op == "==":
            likely = [span.low <= need <= span.high, span.low == need == span.high]
        if not any(likely):
            self.report(spec.pos, "never", f"no throw is ever {op} {need}", f"the dice show {span}")
        elif all(likely) and op != "!=":
            self.report(spec.pos, "never", f"every throw is {op} {need}", f"the dice show {span}")


# -- helpers ---------------------------------------------------------------------------------------


def _share_of_points(e: t.Expr) -> Fraction | None:
    """Which part of an army's points an expression is: `40% of army.points`, `army.points * 2 / 5`."""
    if isinstance(e, t.Percent):
        whole = _share_of_points(e.of)
        return e.value / 100 * whole if whole is not None else None
    if isinstance(e, t.Attribute):
        return Fraction(1) if e.name == "points" and isinstance(e.of, t.Name) else None
    if isinstance(e, t.Binary) and e.op in ("*", "/"):
        left, right = _share_of_points(e.left), _share_of_points(e.right)
        by = constant(e.right if left is not None else e.left)
        of = left if left is not None else right
        if of is None or not by or (e.op == "/" and left is None):
            return None
        return of * Fraction(by) if e.op == "*" else of / Fraction(by)
    return None


def constant(e: t.Expr | None) -> Number | None:
    """The plain number that an expression is, if it is one."""
    if isinstance(e, t.Num):
        return int(e.value) if e.value == int(e.value) else e.value
    if isinstance(e, t.Unary) and e.op == "-":
        inner = constant(e.operand)
        return None if inner is None else -inner
    return None


def shown_number(e: t.Expr | None) -> str:
    """A plain number as it is written; nothing for anything else."""
    value = constant(e)
    return "" if value is None else str(value)


def _of_nothing(node: t.Node) -> bool:
    """Whether it is what is left after a division by 0."""
    return isinstance(node, t.Call) and node.name == "remainder" and [constant(a.value) for a in node.args[1:]] == [0]


def limit_of_lines(lines: Sequence[t.Modifier], op: str) -> tuple[Number, t.Pos] | None:
    """The strictest limit of a sort ("floor" or "cap") that always holds, with its place."""
    of = max if op == "floor" else min
    found = {constant(m.value): m.pos for m in lines if m.op == op and m.when is None}
    plain = {value: pos for value, pos in found.items() if value is not None}
    return (of(plain), plain[of(plain)]) if plain else None


def _dice_of(e: t.Expr | None) -> IntRange | None:
    """What some dice show; None when it is not plain dice (and plain numbers)."""
    if isinstance(e, t.Rolls):
        return _dice_of(e.formula)
    if isinstance(e, t.Dice):
        sides, count = constant(e.sides), constant(e.count) if e.count is not None else 1
        return IntRange(count, count * sides) if sides is not None and count is not None and sides >= 1 else None
    value = constant(e)
    if value is not None:
        return IntRange(value, value)
    if isinstance(e, t.Binary) and e.op in "+-":
        left, right = _dice_of(e.left), _dice_of(e.right)
        if left is None or right is None or None in (left.low, left.high, right.low, right.high):
            return None
        if e.op == "+":
            return IntRange(left.low + right.low, left.high + right.high)  # type: ignore[operator]
        return IntRange(left.low - right.high, left.high - right.low)  # type: ignore[operator]
    return None


#: Of more totals than these it is not counted which rows take them.
_MOST_TOTALS = 1000


def _total_of(b: t.RollBlock) -> IntRange | None:
    """What a roll for words, or its difference, comes to; None where something else than plain dice counts."""
    if b.alternatives:
        return None
    if isinstance(b.spec, t.Opposed) and b.spec.margin:
        sides = (b.spec.left, b.spec.right)
        left, right = (one.dice if isinstance(one, t.Total) else None for one in sides)
        return _dice_of(t.Binary("-", left, right)) if left is not None and right is not None else None
    return _dice_of(b.spec.dice) if isinstance(b.spec, t.Total) else None


def _totals_of(o: t.Outcome, dice: IntRange) -> set[int] | None:
    """The totals of some dice that a row takes, without a look at the rows above it; None where that is not known."""
    value, op = constant(o.value), {"above": ">", "below": "<", "equal to": "=="}.get(o.relation)
    if value is None or op is None or dice.low is None or dice.high is None or dice.high - dice.low > _MOST_TOTALS:
        return None
    return {n for n in range(int(dice.low), int(dice.high) + 1) if _holds(op, Fraction(n), Fraction(value))}


def _all_taken(rows: Sequence[t.Outcome], dice: IntRange) -> bool:
    """Whether rows take whatever the dice show."""
    taken: set[int] = set().union(*(_totals_of(o, dice) or () for o in rows))
    return dice.low is not None and dice.high is not None and len(taken) == dice.high - dice.low + 1


def _named(o: t.Outcome) -> str:
    value = shown_number(o.value)
    return value if o.relation == "equal to" else f"{o.relation} {value}"


def _throw_of(e: t.Expr) -> IntRange | None:
    """What a throw shows in the middle of a rule, with what is added to it there."""
    if not any(isinstance(n, t.Rolls) for n in t.walk(e)):
        return None
    return _dice_of(e)


def _kept_throws(within: Within) -> Mapping[str, IntRange]:
    """The locals of a block that are the total of one throw and nothing else, with what these dice show."""
    found: dict[str, IntRange] = {}
    otherwise = {node.name for node in within.of(t.Param)} | {node.name for node in within.of(t.Change)}
    otherwise |= {node.var for node in within.of(t.Choose)}
    for node in within.of(t.Assign):
        if isinstance(node.target, t.Name):
            span = _throw_of(node.value) if node.op == "=" else None
            if span is None or found.setdefault(node.target.name, span) != span:
                otherwise.add(node.target.name)
    return {name: span for name, span in found.items() if name not in otherwise}


def never_or_always(op: str, value: Number, span: IntRange) -> str:
    """How a comparison comes out whatever happens, in words, for what is always within a span; "" when it depends."""
    low, high = span.low, span.high
    above = low is not None and (value < low or (value == low and op in (">=", "<")))
    below = high is not None and (value > high or (value == high and op in ("<=", ">")))
    if not (above or below):
        return ""
    holds = op == "!=" or (op in (">", ">=") if above else op in ("<", "<="))
    return f"this {'always' if holds else 'never'} holds"


def _most_sides(specs: Sequence[t.RollSpec]) -> Number | None:
    """The highest face of the dice of a roll, if it is certain."""
    sides = [constant(n.sides) for spec in specs for n in t.walk(spec) if isinstance(n, t.Dice)]
    plain = [one for one in sides if one is not None]
    return max(plain) if plain and len(plain) == len(sides) else None


def _span_of(c: t.Case) -> IntRange | None:
    if c.word is not None or c.otherwise:
        return None
    low, high = constant(c.low), constant(c.high)
    if (c.low is not None and low is None) or (c.high is not None and high is None):
        return None
    return IntRange(low, high) if c.low is not None or c.high is not None else None


def _touch(a: IntRange, b: IntRange) -> bool:
    low, high = _most(a.low, b.low, max), _most(a.high, b.high, min)
    return low is None or high is None or low <= high


def _begins_within(span: IntRange, other: IntRange) -> bool:
    """Whether a span from one number to another begins within another such, and goes on beyond it."""
    if None in (span.low, other.low, other.high):
        return False
    assert span.low is not None
    return IntRange(span.low, span.low).within(other)


def _next(number: Number | None) -> Number:
    return 1 + (number or 0)


def _between(spans: Sequence[IntRange]) -> list[IntRange]:
    """From the lowest to the highest end of some spans."""
    ends = [end for s in spans for end in (s.low, s.high) if end is not None]
    return [IntRange(min(ends), max(ends))] if ends else []


def _without(span: IntRange, other: IntRange) -> Iterator[IntRange]:
    """What is left of a span of whole numbers without another."""
    if not _touch(span, other):
        yield span
        return
    if other.low is not None and (span.low is None or span.low < other.low):
        yield IntRange(span.low, other.low - 1)
    if other.high is not None and (span.high is None or span.high > other.high):
        yield IntRange(other.high + 1, span.high)


def _most(a: Number | None, b: Number | None, of: Callable[[Number, Number], Number]) -> Number | None:
    return b if a is None else a if b is None else of(a, b)


def _limited(e: t.Expr) -> tuple[t.Expr, IntRange] | None:
    """What a comparison with a plain number says of the other side."""
    if not isinstance(e, t.Compare):
        return None
    subject, op, value = e.left, e.op, constant(e.right)
    if value is None:
        subject, op, value = e.right, TURNED[e.op], constant(e.left)
    if value is None or op == "!=" or not isinstance(subject, t.Attribute | t.Name):
        return None
    if op == "==":
        return subject, IntRange(value, value)
    if op in ("<", "<="):
        return subject, IntRange(None, value)
    return subject, IntRange(value, None)


#: How two numbers may stand to each other where a comparison holds.
_RELATIONS = {
    "<": frozenset("<"), ">": frozenset(">"), "==": frozenset("="), "<=": frozenset("<="), ">=": frozenset(">="),
    "!=": frozenset("<>"),
}  # fmt: skip


def _holds(op: str, left: Fraction, right: Fraction) -> bool:
    return {
        "<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right, "==": left == right,
        "!=": left != right,
    }[op]  # fmt: skip


def _bodies(node: t.Node) -> Iterator[Body]:
    """The bodies of steps directly in a node."""
    if isinstance(node, t.If):
        yield from (b.body for b in node.branches)
        yield node.otherwise
    elif isinstance(node, t.According):
        yield from (c.body for c in node.cases)
    elif isinstance(node, t.ChooseCase):
        yield from (o.body for o in node.options)
    else:
        body: Collection[t.Statement] = getattr(node, "body", ())
        if isinstance(body, tuple):
            yield body


def _goes_on(s: t.Statement) -> bool:
    """Whether what follows a step can be reached."""
    if isinstance(s, t.Control):
        ends = s.word in ("result", "pass") or (s.word == "stop" and s.operand is None)
        return not ends or s.unless is not None
    if isinstance(s, t.Refuse):
        return False
    if isinstance(s, t.If):
        bodies = [*(b.body for b in s.branches), s.otherwise]
        return any(not body or _goes_on(body[-1]) for body in bodies)
    return True
