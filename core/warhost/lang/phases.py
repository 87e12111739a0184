"""The set-up and the turn: phases, their orders and their steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warhost.lang import ir, tree
from warhost.lang.block_checker import BlockChecker
from warhost.lang.scope import Scope
from warhost.lang.symbols import SIDE
from warhost.lang.types import NUMBER, noun_type


class Phases:
    """Lowers turn blocks."""

    def __init__(self, checker: BlockChecker) -> None:
        self.checker = checker
        self.symbols = checker.symbols

    def turn(self, sort: str) -> tuple[list[ir.Phase], ir.Phase | None]:
        """The phases of the `turn` or `setup` blocks, and the order of the turns."""
        blocks = [b for b in self.checker.blocks_of(tree.TurnBlock) if b.kind == sort]
        phases, order = list[ir.Phase](), None
        for b in blocks:
            with self.checker.noting(b):
                phases += [self._phase(p, sort) for p in b.phases]
                if b is blocks[-1] and b.order is not None:
                    order = self._ordered(ir.Phase("turn", "", "", "", False, None, None, False, [], None), b.order)
        if sort == "turn" and not phases:
            pos = tree.NOWHERE
            self.symbols.report(pos, "no-turn", "the rules declare no turn", "write a `turn` block with its phases")
        return phases, order

    def _phase(self, p: tree.Phase, sort: str) -> ir.Phase:
        phase = ir.Phase(p.name, p.title or p.name, "once", "", False, None, None, False, [], None, pos=p.pos)
        if p.order is not None:
            self._ordered(phase, p.order)
        if p.when is not None:
            scope = Scope(f"phase {p.name}")
            phase.when = self.checker.function(f"{p.name} when", [], scope, self.checker.condition(p.when, scope))
        given = self._step_types(phase)
        for step in p.steps:
            self._step(step, phase, given)
        if p.body:
            self._phase_body(p, phase, given)
        return phase

    def _step_types(self, phase: ir.Phase) -> list[ir.Param]:
        """What a step of this phase is called with."""
        if phase.order == "each side" or (phase.order == "alternating" and phase.noun == "side"):
            return [ir.Param("side", SIDE)]
        if phase.order in ("each", "alternating"):
            noun = phase.noun
            return [ir.Param(noun, noun_type(self.symbols.root(noun)))]
        return []

    def _step(self, step: tree.Step, phase: ir.Phase, given: list[ir.Param]) -> None:
        s = self.symbols
        block: Any = s.blocks["procedure"].get(step.name)
        if block is None:
            s.unknown(step.pos, "procedure", step.name, s.blocks["procedure"])
            return
        if not step.args:
            if len(block.params) > len(given):
                shown = ", ".join(p.name for p in block.params)
                s.report(
                    step.pos, "wrong-parameters",
                    f'"{step.name}" takes ({shown}), but a phase of this order gives its steps '
                    + (f"({given[0].name})" if given else "nothing"),
                    "give the phase an order (`each side`, `each unit`), or the step its arguments",
                )
            elif block.params and not s.assignable(given[0].type, s.param_type(block.params[0])):
                s.report(step.pos, "wrong-type", f'"{step.name}" does not take a {given[0].type}',
                         f"it is {step.name}({', '.join(f'{p.name}: {s.param_type(p)}' for p in block.params)})")
            elif phase.order == "each" and not block.params:
                message = f"{step.name} takes nothing, and this phase does it once for each {given[0].name}"
                hint = f"leave the order out to do it once, or let it take one: {step.name}({given[0].name})"
                s.report(step.pos, "all-of-them", message, hint)
            phase.steps.append(step.name)
            return
        scope = self.checker.scope_of(f"phase {phase.name}", given, pure=False)
        call = tree.CallStatement(tree.Call(step.name, step.args, pos=step.pos), pos=step.pos)
        phase.steps.append(self._anonymous(phase, given, [call], scope, step.pos))

    def _phase_body(self, p: tree.Phase, phase: ir.Phase, given: list[ir.Param]) -> None:
        scope = self.checker.scope_of(f"phase {phase.name}", given, pure=False)
        scope.decision = phase.name
        phase.steps.append(self._anonymous(phase, given, p.body, scope, p.pos))

    def _anonymous(
        self, phase: ir.Phase, given: list[ir.Param], body: Sequence[tree.Statement], scope: Scope, pos: tree.Pos
    ) -> str:
        self.checker.lines_made += 1
        key = f"phase {phase.name}#{self.checker.lines_made}"
        lowered = self.checker.body(body, scope)
        self.checker.out.procedures[key] = ir.Routine(key, f"phase {phase.name}", given, body=lowered, pos=pos)
        self.checker.types[key] = self.checker.result_type(scope.results)
        return key

    def _ordered(self, phase: ir.Phase, order: tree.PhaseOrder) -> ir.Phase:
        s = self.symbols
        phase.order, phase.until_all_pass = order.kind, order.until_all_pass
        if order.noun is not None:
            noun = s.plurals.get(order.noun, order.noun)
            if noun not in s.nouns:
                s.unknown(order.pos, "noun", order.noun, [*s.nouns, *s.plurals])
                noun = "unit"
            phase.noun = noun
        if order.kind == "each" and phase.noun == "side":
            phase.order = "each side"
        if order.first is not None:
            scope = Scope(f"phase {phase.name}")
            first = self.checker.lower_as(tree.Name(order.first, pos=order.pos), scope, SIDE, "who begins")
            phase.first = self.checker.function(f"{phase.name} first", [], scope, first)
        if order.order is not None and order.order.by is not None:
            # sides take turns whatever it is of theirs that acts: only `each NOUN` puts the things themselves in order
            item = noun_type(s.root(phase.noun)) if phase.order == "each" and phase.noun else SIDE
            scope = Scope(f"phase {phase.name}", {"it": item}, anchor=ir.Local("it", type=item))
            if phase.noun and (phase.order == "each" or phase.noun == "side"):
                scope.bind(phase.noun, item, "it")
            by = self.checker.lower_as(order.order.by, scope, NUMBER, "what the order goes by")
            phase.by = self.checker.function(f"{phase.name} by", ["it"], scope, by)
            phase.highest_first = order.order.highest_first
        return phase
