"""Rolls: what is thrown, against what, and what the dice bring about."""

from __future__ import annotations

from collections.abc import Sequence

from warhost.lang import ir, tree
from warhost.lang.block_checker import BlockChecker
from warhost.lang.scope import Scope
from warhost.lang.types import ANY, FRACTION, NUMBER, YES_NO, Type, list_of


class RollBlocks:
    """Lowers roll blocks."""

    def __init__(self, checker: BlockChecker) -> None:
        self.checker = checker
        self.symbols = checker.symbols

    def roll_block(self, b: tree.RollBlock) -> None:
        """A roll with its lines."""
        params = self.symbols.params(b.params)
        scope = self.checker.scope_of(f"roll {b.name}", params, pure=True)
        roll = ir.Roll(
            b.name, params, self.checker.roll_type(b.name), self._roll_function(b, "by", b.by, scope), None, None, [],
            [], [], b.rerolls or "", [], ref=b.ref, pos=b.pos,
        )
        if b.against is not None:
            roll.against = self._roll_function(b, "against", b.against, scope)
        if b.spec is not None:
            roll.spec = self._spec(b, b.spec, scope)
        self._roll_lines(b, roll, scope)
        self.checker.out.rolls[b.name] = roll

    def _roll_lines(self, b: tree.RollBlock, roll: ir.Roll, scope: Scope) -> None:
        with_need = scope.with_names(need=NUMBER)
        for n in b.naturals:
            roll.naturals.append(self._natural(b, n, scope))
        for o in b.outcomes:
            value = self._roll_function(b, o.relation, o.value, scope) if o.value is not None else None
            roll.outcomes.append(ir.Outcome(o.relation, value, o.word.text, pos=o.pos))
        for a in b.alternatives:
            when = self._roll_function(b, "when", a.when, with_need, YES_NO, ("need",)) if a.when is not None else None
            roll.alternatives.append((when, self._spec(b, a.spec, scope)))
        roll.windows = [self._roll_function(b, "window", w, scope) for w in b.windows]

    def _roll_function(
        self, b: tree.RollBlock, label: str, e: tree.Expr, scope: Scope, wanted: Type | None = None,
        extra: Sequence[str] = (),
    ) -> ir.Routine:
        value = self.checker.lower(e, scope, wanted)
        if wanted is not None:
            self.checker.insist(value, wanted, e, f'what "{b.name}" says here')
        return self.checker.function(f"{b.name} {label}", [*(p.name for p in b.params), *extra], scope, value)

    def _spec(self, b: tree.RollBlock, spec: tree.RollSpec, scope: Scope) -> ir.Spec:
        if isinstance(spec, tree.Never):
            return ir.Spec("never", pos=spec.pos)
        if isinstance(spec, tree.Test):
            return self._test_spec(b, spec, scope)
        if isinstance(spec, tree.Total):
            return ir.Spec("total", dice=self._dice_function(b, spec.dice, scope), pos=spec.pos)
        if isinstance(spec, tree.Pool):
            return self._pool_spec(b, spec, scope)
        left, right = self._spec(b, spec.left, scope), self._spec(b, spec.right, scope)
        return ir.Spec("opposed", left=left, right=right, ranked=spec.ranked, ties=self._ties(b, spec), pos=spec.pos)

    def _ties(self, b: tree.RollBlock, spec: tree.Opposed) -> str:
        """Who wins a tie: 'left' or 'right'; rolled again when nobody is named; 'margin' when the difference counts."""
        if spec.margin:
            return "margin"
        if spec.ties is None:
            return "again"
        if spec.ties == b.by:
            return "left"
        return "right"

    def _dice_function(self, b: tree.RollBlock, e: tree.Expr, scope: Scope) -> ir.Routine:
        value = self.checker.lower(e, scope.inner(names=scope.names, dice_allowed=True))
        if not value.type.numeric:
            self.checker.insist(value, NUMBER, e, "what is rolled")
        return self.checker.function(f"{b.name} dice", [p.name for p in b.params], scope, value)

    def _test_spec(self, b: tree.RollBlock, spec: tree.Test, scope: Scope) -> ir.Spec:
        confirmed = None
        if isinstance(spec.confirmed, tree.Compare):
            c = spec.confirmed
            confirmed = self._test_spec(b, tree.Test(c.left, c.op, c.right, pos=c.pos), scope)
        elif spec.confirmed is not None:
            self.symbols.report(spec.confirmed.pos, "wrong-type", "a confirmation is a throw such as `d6 <= 3`")
        need = self._roll_function(b, "need", spec.need, scope, FRACTION)
        return ir.Spec(
            "test", dice=self._dice_function(b, spec.dice, scope), op=spec.op, need=need, confirmed=confirmed,
            pos=spec.pos,
        )

    def _pool_spec(self, b: tree.RollBlock, spec: tree.Pool, scope: Scope) -> ir.Spec:
        params = [p.name for p in b.params]
        out = ir.Spec("pool", op=spec.op or "", pos=spec.pos)
        out.count = self._roll_function(b, "count", spec.count, scope, NUMBER)
        out.die_sides = self._roll_function(b, "sides", spec.die.sides, scope, NUMBER)
        sides = out.die_sides.value
        self.checker.notes.sides.add(sides.value if isinstance(sides, ir.Const) else None)
        if spec.need is not None:
            out.need = self._roll_function(b, "need", spec.need, scope, FRACTION)
        if spec.scores is not None:
            inner = scope.with_names(dice=list_of(NUMBER))
            value = self.checker.lower_as(spec.scores, inner, FRACTION, "the score")
            out.scores = self.checker.function(f"{b.name} scores", [*params, "dice"], inner, value)
        if spec.each_scores is not None:
            inner = scope.with_names(die=NUMBER)
            value = self.checker.lower_as(spec.each_scores, inner, FRACTION, "the score of a die")
            out.each_scores = self.checker.function(f"{b.name} each", [*params, "die"], inner, value)
        return out

    def _natural(self, b: tree.RollBlock, n: tree.Natural, scope: Scope) -> ir.Natural:
        confirmed = None
        if isinstance(n.confirmed, tree.Compare):
            c = n.confirmed
            confirmed = self._test_spec(b, tree.Test(c.left, c.op, c.right, pos=c.pos), scope)
        emits, emit_args = "", None
        if n.emits is not None:
            emits, emit_args = n.emits.name, self._emit_args(b, n.emits, scope)
        return ir.Natural(
            self._roll_function(b, "face", n.face, scope, NUMBER), n.effect,
            self._roll_function(b, "counts", n.value, scope, NUMBER) if n.value is not None else None,
            n.word.text if n.word is not None else "", confirmed, emits, emit_args,
            self._roll_function(b, "when", n.when, scope, YES_NO) if n.when is not None else None,
            self._roll_function(b, "natural by", n.by, scope) if n.by is not None else None, pos=n.pos,
        )

    def _emit_args(self, b: tree.RollBlock, call: tree.Call, scope: Scope) -> ir.Routine | None:
        params = self.checker.event_params(call.name)
        if params is None:
            self.symbols.unknown(call.pos, "event", call.name, self.symbols.blocks["event"])
            return None
        args = self.checker.arguments(call.args, [(n, t, False) for n, t in params], call, scope)
        value = ir.CallFunction("list of", args, type=list_of(ANY), pos=call.pos)
        return self.checker.function(f"{b.name} emits", [p.name for p in b.params], scope, value)
