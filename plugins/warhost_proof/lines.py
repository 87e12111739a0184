"""The lines of a program at which something can happen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from warhost.lang import ir
from warhost.lang.marks import place_of
from warhost.lang.program import Program
from warhost.lang.tree import Pos
from warhost_proof.reached import Line, conditions


def executable_lines(program: Program) -> set[Line]:
    """Every line of a program at which compiled code can make a mark."""
    silent = {id(f) for f in conditions(program)}
    found: set[Line] = set()
    for f in functions_of(program):
        if id(f) not in silent:
            _add(found, f.pos)
            for node in _statements(f.body or []):
                _add(found, node.pos)
    for t in program.templates.values():
        _add(found, place_of(t))
    return found


def _add(found: set[Line], pos: Pos) -> None:
    if pos.line and pos.file:
        found.add((pos.file, pos.line))


def _statements(body: list[ir.Statement]) -> Iterator[ir.Stmt]:
    for s in body:
        yield from (n for n in ir.walk(s) if isinstance(n, ir.Stmt))


def functions_of(program: Program) -> Iterator[ir.Routine]:
    """Every function of a program that is run when something happens or is asked."""
    nodes: list[Any] = [
        *program.numbers.values(), *program.procedures.values(), *program.rolls.values(), *program.templates.values(),
        *program.reroll_rights,
    ]  # fmt: skip
    for event in program.events.values():
        nodes += [*event.handlers, *event.reactions, *(f for f in (event.says, event.asks) if f is not None)]
    for d in program.definitions.values():
        nodes += [*d.handlers, *d.reactions, *d.rights, *d.narrowings, *d.parts]
        nodes += [f for f in (d.targets, *(info.default for info in d.keeps.values())) if f is not None]
    for choice in program.choices.values():
        nodes += [choice.options, *choice.narrowings]
    for table in program.tables.values():
        nodes += [value for _, value in table.cases]
    for constraint in program.constraints:
        nodes += [constraint.require, constraint.message]
    for phase in (*program.setup, *program.turn, program.turn_order):
        nodes += [f for f in (phase.first, phase.by) if f is not None] if phase is not None else []
    for noun in program.nouns.values():
        nodes += [f for f in (noun.where, *(info.default for info in noun.fields.values())) if f is not None]
    seen: set[int] = set()
    for node in nodes:
        for below in ir.walk(node):
            if isinstance(below, ir.Routine) and id(below) not in seen:
                seen.add(id(below))
                yield below
