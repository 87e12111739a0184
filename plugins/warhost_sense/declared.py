"""What plugins declare, held against the rules that use them: effects and types that there are not."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.errors import Problem, nearest
from warhost.lang.program import Program
from warhost.lang.python_backend import attribute
from warhost.lang.symbols import PLUGIN_TYPES
from warhost.packs.checks import Contents
from warhost.packs.yaml_source import Seq, problem_at
from warhost.plugins import Active, available
from warhost.vocabulary import EFFECTS, Function, Kind, alternatives
from warhost_sense.hints import types_of
from warhost_sense.pure import first_write


def problems_in(contents: Contents, program: Program) -> Iterator[Problem]:
    """What is wrong with each declaration, where a manifest names the plugin.

    A type may belong to a plugin which the ruleset does not use: then anything fits.
    """
    for plugin, sentence in _sentences(contents.plugins, program):
        named = next((n for m in contents.manifests if isinstance(n := m.get("plugins"), Seq) and plugin in n), None)
        pos = named.pos(list(named).index(plugin)) if named is not None else contents.manifests[-1].here
        yield problem_at(pos, "plugin-failed", f'the plugin "{plugin}" {sentence}')


def _sentences(plugins: Active, program: Program) -> Iterator[tuple[str, str]]:
    known = [*PLUGIN_TYPES, *program.words, *program.nouns, *program.kinds]
    nouns = program.nouns.values()
    fields = frozenset(attribute(n) for noun in nouns for n, info in noun.fields.items() if info.writable)
    for function, plugin in plugins.declared("warhost_functions", Function).values():
        if (write := first_write(function, fields)) is not None:
            yield plugin, (
                f'says that the function "{function.name}" is pure, and it {write.what} ({write.file}:{write.line}); '
                f'say `effects=("{write.effect}",)` of it, or let it only look'
            )
        for sentence in _of_function(function, known):
            yield plugin, sentence
    for kind, plugin in plugins.declared("warhost_kinds", Kind).values():
        for sentence in _of_kind(kind, known):
            yield plugin, sentence


def _of_function(function: Function, known: list[str]) -> Iterator[str]:
    for effect in sorted(function.effects - EFFECTS):
        there = ", ".join(sorted(EFFECTS))
        yield f'says that the function "{function.name}" has the effect "{effect}"; there are: {there}'
    for parameter in function.parameters:
        if unknown := _unknown(parameter.type, known):
            yield f'gives "{parameter.name}" of the function "{function.name}" {unknown}'
    if unknown := _unknown(function.result, known):
        yield f'gives the result of the function "{function.name}" {unknown}'


def _of_kind(kind: Kind, known: list[str]) -> Iterator[str]:
    for field in kind.fields:
        if unknown := _unknown(field.type, known):
            yield f'gives the field "{field.name}" of the kind "{kind.name}" {unknown}'
    if kind.bearer and (unknown := _unknown(kind.bearer, known)):
        yield f'gives the bearer of the kind "{kind.name}" {unknown}'


def _unknown(type_: str, known: list[str]) -> str | None:
    """What to say of a type that there is not, neither in the ruleset nor in any plugin that is installed."""
    for one in alternatives(type_):
        name = one.removeprefix("list of ").strip()
        if name in known or name.startswith('"'):
            continue
        if near := nearest(name, known):
            return f'the type "{name}", which there is not; did you mean "{near}"?'
        if not any(name in types_of(plugin) for plugin in available()):
            plain = ", ".join(one for one in PLUGIN_TYPES if one != "anything")
            return f'the type "{name}", which there is not; there are {plain}, and what the rules declare'
    return None
