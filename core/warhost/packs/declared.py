"""What plugins declare, held against the rules that use them: effects and types that there are not."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.errors import nearest
from warhost.lang.program import Program
from warhost.lang.symbols import PLAIN_TYPES
from warhost.plugins import Active
from warhost.vocabulary import EFFECTS, Function, Kind


def problems_in(plugins: Active, program: Program) -> Iterator[tuple[str, str]]:
    """What is wrong with each declaration: the plugin's name and a sentence.

    A type that is near to none that there is may belong to a plugin which the ruleset does not use: then anything fits.
    """
    known = [*PLAIN_TYPES, *program.words, *program.nouns, *program.kinds]
    for plugin, functions in plugins.each("warhost_functions"):
        for function in functions:
            for sentence in _of_function(function, known):
                yield plugin, f'the plugin "{plugin}" {sentence}'
    for plugin, kinds in plugins.each("warhost_kinds"):
        for kind in kinds:
            for sentence in _of_kind(kind, known):
                yield plugin, f'the plugin "{plugin}" {sentence}'


def _of_function(function: Function, known: list[str]) -> Iterator[str]:
    for effect in sorted(function.effects - EFFECTS):
        there = ", ".join(sorted(EFFECTS))
        yield f'says that the function "{function.name}" has the effect "{effect}"; there are: {there}'
    for parameter in function.parameters:
        if near := _misspelt(parameter.type, known):
            yield f'gives "{parameter.name}" of the function "{function.name}" {near}'
    if near := _misspelt(function.result, known):
        yield f'gives the result of the function "{function.name}" {near}'


def _of_kind(kind: Kind, known: list[str]) -> Iterator[str]:
    for field in kind.fields:
        if near := _misspelt(field.type, known):
            yield f'gives the field "{field.name}" of the kind "{kind.name}" {near}'
    if near := _misspelt(kind.bearer, known):
        yield f'gives the bearer of the kind "{kind.name}" {near}'


def _misspelt(type_: str, known: list[str]) -> str | None:
    name = type_.removesuffix(" or none").strip().removeprefix("list of ").strip()
    near = None if name in known else nearest(name, known)
    return f'the type "{name}", which there is not; did you mean "{near}"?' if near else None
