"""What expressions do besides giving a value, and which numbers a step uses up."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.lang import ir
from warhost.lang.program import Program

_THROWS = (ir.Rolls, ir.MakeRoll, ir.HowMany, ir.CallProcedure)


def takes_steps(e: ir.Expr, program: Program) -> bool:
    """Whether an expression does anything besides giving a value, so that it cannot be computed twice."""
    return _does(e, (ir.DiceTerm, *_THROWS), program)


def lays_out(formula: ir.Expr, program: Program) -> bool:
    """Whether a formula may be computed to see what dice it has: it throws and changes nothing itself."""
    return not _does(formula, _THROWS, program)


def _does(e: ir.Expr, kinds: tuple[type[ir.IrNode], ...], program: Program) -> bool:
    """Whether there is a node of some kinds in an expression, or a call of a function with effects."""
    natives = program.natives
    return any(
        isinstance(n, kinds) or (isinstance(n, ir.CallFunction) and n.name in natives and natives[n.name].effects)
        for n in ir.walk(e)
    )


def find_uses(program: Program) -> None:
    """Mark the numbers that steps take and that something which lasts `until used` may be part of."""
    touched = _used_up(program)
    if not touched:
        return
    lines = program.lines_by_number()
    reads = {name: _reads(number, lines.get(name, ())) for name, number in program.numbers.items()}
    changed = True
    while changed:
        more = {name for name, read in reads.items() if name not in touched and read & touched}
        changed = bool(more)
        touched |= more
    for f in program.procedures.values():
        for node in ir.walk(f):
            if isinstance(node, ir.Stmt):
                for taken in _taken(node):
                    _mark(taken, touched)


def _used_up(program: Program) -> set[str]:
    """The numbers that something which lasts `until used` may change."""
    found: set[str] = set()
    for f in program.procedures.values():
        for node in ir.walk(f):
            if isinstance(node, ir.AddModifier) and node.lasting.kind == "used":
                found.add(program.templates[node.template].number)
            elif isinstance(node, ir.Give) and node.lasting.kind == "used":
                keys = [(node.kind, node.title)] if node.definition is None else list(program.definitions)
                for key in keys:
                    found |= _changed_by(key, program)
    return found


def _changed_by(key: tuple[str, str], program: Program) -> set[str]:
    d = program.definitions[key]
    inner = [*d.includes, *((d.kind, title) for title in d.variants.values())]
    return {t.number for t in d.templates}.union(*(_changed_by(k, program) for k in inner))


def _reads(number: ir.Number, lines: Iterable[ir.Template]) -> set[str]:
    """The numbers that a number asks for itself."""
    parts = [number.base, *(f for t in lines for f in (t.value, t.when) if f is not None)]
    return {node.name for f in parts for node in ir.walk(f) if isinstance(node, ir.Evaluate)}


def _taken(s: ir.Stmt) -> list[ir.Expr]:
    """What a step takes, and does not merely look at."""
    match s:
        case ir.SetLocal() | ir.PutField() | ir.ChangeParam() | ir.Do():
            return [s.value]
        case ir.Emit():
            return s.args
        case ir.Give():
            return s.args
        case ir.Repeat():
            return [s.times]
        case ir.According():
            return [s.subject]
        case ir.Choose():
            return [e for e in (s.items, s.low, s.high, s.up_to) if e is not None]
        case ir.Travel():
            return [s.path]
        case ir.Return() if s.value is not None:
            return [s.value]
    return []


def _mark(e: ir.IrNode, touched: set[str]) -> None:
    """Every number in an expression that is taken; what is said of the items of a list is only looked at."""
    if isinstance(e, ir.Query):
        _mark(e.source, touched)
        return
    if isinstance(e, ir.Evaluate) and e.name in touched:
        e.uses = True
    for child in ir.sub_nodes(e):
        _mark(child, touched)
