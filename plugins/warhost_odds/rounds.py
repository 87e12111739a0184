"""A round of a question made of the turn itself: whatever a layer adds to the turn, removes or reorders counts.

The question says which phases it leaves out (there is no room to march, nobody to rally), and what two units do
instead in some of the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from warhost.lang import ir
from warhost.lang.place import Pos
from warhost.lang.program import Program
from warhost.lang.types import TEXT, YES_NO, list_of, noun_type

ATTACKER, DEFENDER = "attacker", "defender"

#: Orders of a phase whose steps can be written out; phases of the others are performed as a whole.
_WRITTEN_OUT = ("once", "at once", "each")


def round_of(
    program: Program, title: str, without: Collection[str], instead: Mapping[str, str], pos: Pos
) -> ir.Routine:
    """What is left of a turn when two units stand ready: its phases and its end, as a procedure of both units. The turn
    has begun by then; each further one begins with `BEGINNING`.

    without: phases that are left out. instead: procedures that take the place of a phase's own steps; each takes both
    units, the first, or nothing.
    """
    unit = noun_type("unit")
    pair: list[ir.Expr] = [ir.Local(ATTACKER, type=unit), ir.Local(DEFENDER, type=unit)]
    body: list[ir.Statement] = []
    for phase in program.turn:
        if phase.name not in without:
            steps = _steps(program, phase, instead.get(phase.name), pair)
            body.append(ir.IfElse(_not_over(), steps, []))
    body.append(ir.IfElse(_not_over(), [_mark("turn ends", ir.Const(None))], []))
    return ir.Routine(f"round of {title}", f"round of {title}", _PAIR, body=body, pos=pos)


def _steps(program: Program, phase: ir.Phase, other: str | None, pair: list[ir.Expr]) -> list[ir.Statement]:
    if other is None and phase.order not in _WRITTEN_OUT:
        return [_mark("perform_phase", ir.Const(phase.name, type=TEXT))]
    name = ir.Const(phase.name, type=TEXT)
    if other is not None:
        inner: list[ir.Statement] = [_call(program, other, pair)]
    elif phase.order == "each":
        root = _root(program, phase.noun)
        item = ir.Local("it", type=noun_type(root))
        each: list[ir.Statement] = [_call(program, step, [item]) for step in phase.steps]
        if root != phase.noun:
            each = [ir.IfElse(ir.IsNoun(item, phase.noun), each, [])]
        by = phase.by.value if phase.by is not None else None
        inner = [ir.ForEach("it", ir.AllOf(root, type=list_of(item.type)), each, by, phase.highest_first)]
    else:
        inner = [_call(program, step, []) for step in phase.steps]
    whole = [_mark("phase begins", name), *inner, _mark("phase ends", name)]
    if phase.when is None or phase.when.value is None:
        return whole
    return [ir.IfElse(phase.when.value, whole, [])]


def _call(program: Program, procedure: str, given: list[ir.Expr]) -> ir.Statement:
    takes = len(program.procedures[procedure].params)
    return ir.Do(ir.CallProcedure(procedure, given[:takes]))


def _mark(native: str, what: ir.Expr) -> ir.Statement:
    return ir.Do(ir.CallFunction(native, [what]))


def _not_over() -> ir.Expr:
    battle = ir.Singleton("battle", type=noun_type("battle"))
    return ir.Not(ir.GetField(battle, "over", type=YES_NO))


def _root(program: Program, noun: str) -> str:
    while (above := program.nouns[noun].is_a) is not None:
        noun = above
    return noun


_PAIR = [ir.Param(ATTACKER, noun_type("unit")), ir.Param(DEFENDER, noun_type("unit"))]

#: What every turn but the first begins with.
BEGINNING = ir.Routine("turn begins", "turn begins", _PAIR, body=[_mark("turn begins", ir.Const(None))])
