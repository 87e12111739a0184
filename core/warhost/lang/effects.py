"""What each procedure may do: which throws it makes, what it lets choose, write, emit, move and create."""

from __future__ import annotations

from warhost.lang import ir
from warhost.lang.program import Program
from warhost.lang.scope import Effects
from warhost.lang.symbols import Symbols


def find_effects(program: Program, symbols: Symbols) -> None:
    """Fill program.effects for every procedure, handlers included, callees taken in."""
    direct = {key: _direct(f, program) for key, f in program.procedures.items()}
    program.effects = _closed(direct)


def _closed(direct: dict[str, Effects]) -> dict[str, Effects]:
    """The least fixed point over calls."""
    changed = True
    while changed:
        changed = False
        for effects in direct.values():
            before = effects.size()
            for callee in effects.calls:
                if callee in direct:
                    effects.add(direct[callee])
            changed |= effects.size() != before
    return direct


def _direct(f: ir.Function, program: Program) -> Effects:
    e = Effects()
    for node in ir.walk(f):
        _note(node, e, program)
    return e


def _note(node: ir.IrNode, e: Effects, program: Program) -> None:
    if isinstance(node, ir.Throw):
        e.rolls.add("rolls")
    elif isinstance(node, ir.MakeRoll | ir.HowMany):
        e.rolls.add(node.name)
        _note_roll(node.name, e, program)
    elif isinstance(node, (ir.Choose, ir.ChooseCourse)):
        e.chooses.add(node.decision)
    elif isinstance(node, ir.ForEach) and node.chooser is not None:
        e.chooses.add(f"order of {node.var}")
    elif isinstance(node, ir.PutField):
        e.writes.add(_field_name(node))
    elif isinstance(node, ir.Emit):
        e.emits.add(node.event)
        _note_event(node.event, e, program)
    elif isinstance(node, ir.Travel):
        e.moves.add("travel")
        for name in ("moved", "passed_through", "left_table"):
            _note_event(name, e, program)
    elif isinstance(node, ir.Give):
        e.creates.add(node.title)
    elif isinstance(node, ir.CallProcedure):
        e.calls.add(node.name)
    elif isinstance(node, ir.CallFunction):
        _note_native(node.name, e, program)


def _field_name(node: ir.PutField) -> str:
    owner = node.of.type.name or str(node.of.type)
    return f"{owner}.{node.field}"


def _note_roll(name: str, e: Effects, program: Program) -> None:
    roll = program.rolls.get(name)
    if roll is None:
        return
    for natural in roll.naturals:
        if natural.emits:
            e.emits.add(natural.emits)
            _note_event(natural.emits, e, program)
    if roll.windows or roll.rights:
        e.chooses.add(f"re-roll of {name}")
    _note_event("rolled", e, program)


def _note_event(name: str, e: Effects, program: Program) -> None:
    event = program.events.get(name)
    if event is not None:
        e.calls.update(h.key for h in event.handlers)
        e.calls.update(r.key for r in event.reactions)
        if event.reactions:
            e.chooses.add(f"reaction to {name}")
    for d in program.definitions.values():
        e.calls.update(h.key for h in d.handlers if h.event == name)
        for r in d.reactions:
            if r.event == name:
                e.calls.add(r.key)
                e.chooses.add(f"reaction to {name}")


def _note_native(name: str, e: Effects, program: Program) -> None:
    native = program.natives.get(name)
    if native is None:
        return
    targets = {
        "rolls": e.rolls, "chooses": e.chooses, "writes": e.writes, "emits": e.emits, "moves": e.moves,
        "creates": e.creates,
    }  # fmt: skip
    for effect in native.effects:
        targets.get(effect, e.writes).add(name)


def takes_steps(e: ir.Expr, program: Program) -> bool:
    """Whether an expression does anything besides giving a value, so that it cannot be computed twice."""
    for node in ir.walk(e):
        if isinstance(node, ir.Throw | ir.DiceTerm | ir.MakeRoll | ir.HowMany | ir.CallProcedure):
            return True
        if isinstance(node, ir.CallFunction):
            native = program.natives.get(node.name)
            if native is not None and native.effects:
                return True
    return False


def find_uses(program: Program) -> None:
    """Mark the numbers that steps take and that something which lasts `until used` may be part of."""
    touched = _used_up(program)
    if not touched:
        return
    reads = {name: _reads(name, program) for name in program.numbers}
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


def _reads(name: str, program: Program) -> set[str]:
    """The numbers that a number asks for itself."""
    lines = [t for t in program.templates.values() if t.number == name]
    parts = [program.numbers[name].base, *(f for t in lines for f in (t.value, t.when) if f is not None)]
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


def lays_out(formula: ir.Expr, program: Program) -> bool:
    """Whether a formula may be computed to see what dice it has: it throws and changes nothing itself."""
    for node in ir.walk(formula):
        if isinstance(node, ir.MakeRoll | ir.HowMany | ir.Throw | ir.CallProcedure):
            return False
        if isinstance(node, ir.CallFunction) and node.name in program.natives and program.natives[node.name].effects:
            return False
    return True
