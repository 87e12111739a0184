"""Rules text outside a ruleset: the statements and conditions of examples, where things are known by their ids.

Parser and checker are imported by the first such text: most questions of odds have none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warhost.errors import Problem, RulesInvalid, mistakes
from warhost.lang import ir
from warhost.lang.program import Program
from warhost.lang.types import ANY, YES_NO, Type, noun_type
from warhost.things import noun_of

if TYPE_CHECKING:
    from warhost.lang import tree
    from warhost.lang.checker import Checker

Snippet = Callable[[Any], Any]

_ONLY_ASKS = "this asks, and makes nothing so"
_SAY_SO = 'write what is so: `defender.goal = attacker`, `aim(unit: defender) -1 because "smoke"`'


def checker_for(program: Program) -> Checker:
    """The checker that made a program; it knows every name of it."""
    if program.checker is None and program.make_checker is not None:
        program.checker = program.make_checker()
    found = program.checker
    if found is None:
        raise RulesInvalid([Problem("", 0, 0, "no-checker", "this program cannot take further rules")])
    return found  # type: ignore[no-any-return]


Rewrite = Callable[[list[ir.Statement]], list[ir.Statement]]


def snippet(
    source: str, program: Program, things: Mapping[str, Any], where: str, steps_only: bool = False,
    rewrite: Rewrite | None = None,
) -> Snippet:  # fmt: skip
    """A function of the battle that runs some statements, or gives the value of one expression.

    things are known by their ids. steps_only: what only asks is refused. rewrite changes the statements. What the text
    puts in force becomes part of the program: numbers that were compiled before do not look for it. Raises
    RulesInvalid with every mistake.
    """
    types = {name: noun_type(noun_of(t)) for name, t in things.items() if name.isidentifier()}
    body, value, found = _lowered(source, program, types, where, steps_only)
    problems = mistakes(found)
    if steps_only and not problems and all(isinstance(s, ir.Do) and isinstance(s.value, ir.Evaluate) for s in body):
        problems = [Problem(where, 1, 1, "no-step", _ONLY_ASKS, _SAY_SO)]
    if problems:
        raise RulesInvalid(problems, where)
    out = checker_for(program).out  # of a program that was kept: with registries of its own
    program.templates.update({key: t for key, t in out.templates.items() if key not in program.templates})
    program.procedures.update({key: p for key, p in out.procedures.items() if key not in program.procedures})
    return _made(rewrite(body) if rewrite is not None else body, value, types, things, where)


def _for_others(body: list[ir.Statement], program: Program, where: str) -> list[Problem]:
    """What is given to things of a noun that such a definition is not for: nothing would come of it."""
    symbols, found = checker_for(program).symbols, []
    for s in body:
        for give in (n for n in ir.walk(s) if isinstance(n, ir.Give)):
            definition = program.definitions.get((give.kind, give.title))
            if definition is None or symbols.assignable(give.to.type, definition.bearer):
                continue
            if give.to.type.kind == "noun" and symbols.assignable(definition.bearer, noun_type(give.to.type.name)):
                continue
            message = f'{give.kind} "{give.title}" is for {definition.bearer}, not for {give.to.type}'
            found.append(Problem(where, give.pos.line, give.pos.column, "wrong-type", message))
    return found


_SAY_YES = "a condition says yes or no: compare it with something, as in `.. == 3`"


def problems_in(
    source: str, program: Program, nouns: Mapping[str, str], where: str, condition: bool, unsure: set[str]
) -> list[Problem]:
    """What is wrong with such a text, found without running it, in lines and columns of the text.

    nouns: the noun of each thing that is known by its id, nothing where it may be any. condition: it says yes or
    no. unsure: takes up what would be misspelt if something nearly so were there.
    """
    types = {name: noun_type(noun) if noun else ANY for name, noun in nouns.items() if name.isidentifier()}
    out = checker_for(program).out
    known = [(registry, len(registry)) for registry in (out.templates, out.procedures)]
    _, value, problems = _lowered(source, program, types, where, unsure=unsure)
    for registry, size in known:  # a text that is only read adds nothing to the program
        while len(registry) > size:
            registry.popitem()
    if condition and not problems and (value is None or value.type not in (YES_NO, ANY)):
        problems = [Problem(where, 1, 1, "no-condition", "this is no condition: it says neither yes nor no", _SAY_YES)]
    return problems


def _lowered(
    source: str, program: Program, types: Mapping[str, Type], where: str, steps_only: bool = False,
    unsure: set[str] | None = None,
) -> tuple[list[ir.Statement], ir.Expr | None, list[Problem]]:
    """Statements, or the value of an expression; and every problem, in lines and columns of the text."""
    from warhost.lang.scope import Scope
    from warhost.lang.tree import ProcedureBlock
    from warhost_sense.texts import misspelt_arguments

    block, problems, shift = _parsed(source, where, steps_only)
    lowered: list[ir.Statement] = []
    value: ir.Expr | None = None
    if block is not None:
        checker = checker_for(program)
        scope = Scope(where, dict(types), pure=False, decision="example")
        with checker.noting():
            notes = checker.notes
            if isinstance(block, ProcedureBlock):
                lowered = checker.body(block.body, scope)
            else:
                value = checker.lower(block.base, scope)
            if notes.texts_given:
                phases = {phase.name for phase in (*program.setup, *program.turn)}
                misspelt_arguments(notes.texts_given, phases, checker.symbols)
        problems = notes.problems
        if unsure is not None:
            unsure.update(notes.unsure, (text for text, _ in notes.texts_given))
        if steps_only and not problems:
            problems = _for_others(lowered, program, where)
    lines, columns = shift
    shifted = [replace(p, line=max(p.line - lines, 1), column=max(p.column - columns, 1)) for p in problems]
    return lowered, value, shifted


def _made(
    body: list[ir.Statement], value: ir.Expr | None, types: Mapping[str, Type], things: Mapping[str, Any], where: str
) -> Snippet:
    names = sorted(types)
    params = [ir.Param(n, types[n]) for n in names]
    if value is not None:
        body = [ir.Return(value)]
    function = ir.Routine(where, where, params, body=body)

    def run(battle: Any) -> Any:
        return battle.code.function(function)(battle, *(things[n] for n in names))

    return run


def _parsed(
    source: str, where: str, steps_only: bool = False
) -> tuple[tree.ProcedureBlock | tree.NumberBlock | None, list[Problem], tuple[int, int]]:
    """The text as the body of a block, or as the base of a number when it is one expression; what is wrong with it; and
    how many lines and columns of the block stand before it.
    """
    from warhost.lang.parser import parse
    from warhost.lang.tree import NumberBlock, ProcedureBlock

    lines = source.strip().splitlines()
    # `result ..` could be read as a relation: result near (..)
    if not steps_only and len(lines) == 1 and not lines[0].startswith("result "):
        head = "number here() = "
        module, problems = parse(f"{head}{lines[0]}\n", where)
        if not problems and isinstance(module.blocks[0], NumberBlock):
            return module.blocks[0], [], (0, len(head))
    margin = " " * 4
    text = "procedure here()\n" + "".join(f"{margin}{line}\n" for line in lines)
    module, problems = parse(text, where)
    if problems:
        if steps_only and not _parsed(source, where)[1]:
            problems = [replace(problems[0], code="no-step", message=_ONLY_ASKS, hint=_SAY_SO)]
        return None, list(problems), (1, len(margin))
    block = module.blocks[0]
    assert isinstance(block, ProcedureBlock)
    return block, [], (1, len(margin))
