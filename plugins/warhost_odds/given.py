"""What is given before a fight stays within the limits of fields: what lies beyond is refused instead of cut off.

Limits are those that `state of` declares. A number that begins with something of the thing itself (as many figures as
the unit has, say) besides does not grow above that: a larger unit is one of another size, not a field of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from warhost.lang import ir
from warhost.lang.program import FieldInfo, Program
from warhost.lang.python_backend import attribute
from warhost.lang.types import TEXT, YES_NO, noun_type
from warhost.things import noun_of

#: Types of fields that have limits.
_FIGURES = frozenset({"number", "fraction", "distance"})

#: What the changed steps call the thing and the value that they look at.
_THING, _VALUE = "thing_given", "value_given"

#: The most that a figure of a thing is without a declaration: (what it is called, field) to the value it begins with.
Starts = Mapping[tuple[str, str], Any]


def starts_of(program: Program, things: Mapping[str, Any]) -> Starts:
    """What the figures of things begin with that depend on the thing, as the things are now."""
    found = {}
    for called, thing in things.items():
        for info in program.nouns[noun_of(thing)].fields.values():
            if info.writable and info.type.kind in _FIGURES and info.at_most is None and _is_of_the_thing(info):
                found[called, info.name] = getattr(thing, attribute(info.name))
    return found


def _is_of_the_thing(info: FieldInfo) -> bool:
    value = info.default.value if info.default is not None else None
    return value is not None and any(isinstance(n, ir.Local) for n in ir.walk(value))


def within_limits(program: Program, starts: Starts) -> Callable[[list[ir.Statement]], list[ir.Statement]]:
    """Makes steps that refuse to write a figure beyond its limits."""

    def changed(body: Sequence[ir.Statement]) -> list[ir.Statement]:
        found: list[ir.Statement] = []
        for s in body:
            if isinstance(s, ir.PutField):
                found += _checked(s, program, starts)
                continue
            for inner in (s, *getattr(s, "cases", ()), *getattr(s, "courses", ()), *getattr(s, "handlers", ())):
                for name in ("body", "otherwise"):
                    steps = getattr(inner, name, None)
                    if steps:
                        setattr(inner, name, changed(steps))
            found.append(s)
        return found

    return changed


def _checked(s: ir.PutField, program: Program, starts: Starts) -> list[ir.Statement]:
    noun = s.of.type.name if s.of.type.kind == "noun" else ""
    info = program.nouns[noun].fields.get(s.field) if noun in program.nouns else None
    if info is None or info.type.kind not in _FIGURES or info.type.optional:
        return [s]
    called = s.of.name if isinstance(s.of, ir.Local) else ""
    start = starts.get((called, s.field))
    if info.at_least is None and info.at_most is None and start is None:
        return [s]
    thing, new = ir.Local(_THING, type=noun_type(noun)), ir.Local(_VALUE, type=info.type)
    now = ir.GetField(thing, s.field, type=info.type)
    value = s.value if s.op == "=" else ir.Arith(s.op[0], now, s.value, type=info.type)
    name: list[ir.Expr] = [_text(called)] if called else [thing]
    would = [*name, _text(f".{s.field} would be "), new]
    steps: list[ir.Statement] = [ir.SetLocal(_THING, s.of, pos=s.pos), ir.SetLocal(_VALUE, value, pos=s.pos)]
    if info.at_least is not None:
        steps.append(_refusal("<", new, info.at_least, [*would, _text(f": it is {info.at_least} at least")], s))
    if info.at_most is not None:
        steps.append(_refusal(">", new, info.at_most, [*would, _text(f": it is {info.at_most} at most")], s))
    if start is not None:
        told = f": it begins with {start}, and no more can be given"
        beyond = _refusal(">", new, start, [*would, _text(told)], s)
        steps.append(ir.IfElse(ir.Compare(">", new, now, type=YES_NO), [beyond], [], pos=s.pos))
    return [*steps, ir.PutField(thing, s.field, "=", new, pos=s.pos)]


def _text(words: str) -> ir.Const:
    return ir.Const(words, type=TEXT)


def _refusal(op: str, new: ir.Expr, limit: Any, says: list[ir.Expr], s: ir.PutField) -> ir.IfElse:
    beyond = ir.Compare(op, new, ir.Const(limit, type=new.type), type=YES_NO)
    return ir.IfElse(beyond, [ir.Refuse(ir.TextJoin(says, type=TEXT), pos=s.pos)], [], pos=s.pos)
