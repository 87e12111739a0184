"""Rules text outside a ruleset: the statements and conditions of examples, where things are known by their ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from warhost.errors import Problem, RulesInvalid
from warhost.lang import ir, tree
from warhost.lang.checker import Checker
from warhost.lang.parser import parse
from warhost.lang.program import Program
from warhost.lang.scope import Scope
from warhost.lang.types import Type, noun_type

Snippet = Callable[[Any], Any]


def checker_for(program: Program) -> Checker:
    """The checker that made a program; it knows every name of it."""
    if program.checker is None and program.make_checker is not None:
        program.checker = program.make_checker()
    found = program.checker
    if found is None:
        raise RulesInvalid([Problem("", 0, 0, "no-checker", "this program cannot take further rules")])
    return found  # type: ignore[no-any-return]


def snippet(source: str, program: Program, things: Mapping[str, Any], where: str) -> Snippet:
    """A function of the battle that runs some statements, or gives the value of one expression.

    things are known by their ids. Raises RulesInvalid with every problem.
    """
    body, value = _parsed(source, where)
    checker = checker_for(program)
    before = len(checker.symbols.problems)
    types = {name: noun_type(t._noun) for name, t in things.items() if name.isidentifier()}
    scope = Scope(where, dict(types), pure=False, decision="example")
    lowered: list[ir.Statement] = []
    result: ir.Expr | None = None
    if value is not None:
        result = checker.lower(value, scope)
    else:
        lowered = checker.body(body, scope)
    problems = checker.symbols.problems[before:]
    del checker.symbols.problems[before:]
    if problems:
        raise RulesInvalid(problems, where)
    return _made(lowered, result, types, things, where)


def _made(
    body: list[ir.Statement], value: ir.Expr | None, types: Mapping[str, Type], things: Mapping[str, Any], where: str
) -> Snippet:
    names = sorted(types)
    params = [ir.Param(n, types[n]) for n in names]
    if value is not None:
        body = [ir.Return(value)]
    function = ir.Function(where, where, params, body=body)

    def run(battle: Any) -> Any:
        return battle.code.function(function)(battle, *(things[n] for n in names))

    return run


def _parsed(source: str, where: str) -> tuple[tuple[tree.Statement, ...], tree.Expr | None]:
    """Statements; or the expression, when the text is one."""
    lines = source.strip().splitlines()
    if len(lines) == 1 and not lines[0].startswith("result "):  # which could be read as a relation: result near (..)
        module, problems = parse(f"number here() = {lines[0]}\n", where)
        if not problems and isinstance(module.blocks[0], tree.NumberBlock):
            return (), module.blocks[0].base
    text = "procedure here()\n" + "".join(f"    {line}\n" for line in lines)
    module, problems = parse(text, where)
    if problems:
        raise RulesInvalid(problems, where)
    block = module.blocks[0]
    assert isinstance(block, tree.ProcedureBlock)
    return block.body, None

