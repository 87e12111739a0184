"""Blocks of plugins that a ruleset or a house rule replaces: the plugin goes on asking for them as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.lang.expressions import article
from warhost.lang.symbols import Symbols
from warhost.lang.types import DISTANCE
from warhost.packs.checks import RulesetToCheck
from warhost.packs.yaml_source import problem_at

_ASKED = (t.NumberBlock, t.FlagBlock, t.ValueBlock, t.ProcedureBlock, t.RollBlock)


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """Replaced blocks with other parameters than the plugin gives them, or another sort of result than it takes."""
    program = read.contents.program if read.contents is not None else None
    checker = program.checker if program is not None else None
    if checker is None:
        return
    for old, new in read.merged.of_plugins:
        if type(old) is type(new) and isinstance(new, _ASKED):
            problem = _otherwise(old, new, checker.symbols)
            if problem is None and isinstance(old, t.NumberBlock):
                problem = _of_another_type(old, new, checker.number_type(new.name).kind)
            if problem is not None:
                yield problem


def _otherwise(old: Any, new: Any, symbols: Symbols) -> Problem | None:
    """The first parameter that is not what the plugin gives."""
    was = f"{old.name}({', '.join(map(_shown, old.params))})"
    hint = f"write `{was}`, as the plugin asks for it"
    if len(old.params) != len(new.params):
        message = f"the plugin gives {old.name} {_values(len(old.params))}, and here it takes {len(new.params)}"
        return problem_at(new.pos, "wrong-parameters", message, hint)
    for before, after in zip(old.params, new.params, strict=True):
        given, taken = symbols.param_type(before), symbols.param_type(after)
        if not symbols.assignable(given, taken):
            message = f"the plugin gives {old.name} {article(given)}, and here {after.name} is {article(taken)}"
            return problem_at(after.pos, "wrong-parameters", message, hint)
    return None


def _of_another_type(old: t.NumberBlock, new: Any, kind: str) -> Problem | None:
    """A length that is no distance any more, or the other way round."""
    was = old.type.name if old.type is not None else "number"
    if (was == DISTANCE.kind) == (kind == DISTANCE.kind) or kind == "any":
        return None
    now = "distance" if kind == DISTANCE.kind else "number"
    message = f"{old.name} is a {was} in the plugin, and here it is a {now}"
    hint = f"write `: {was}` behind the brackets" if was == DISTANCE.kind else "take the type away, or give it a number"
    return problem_at(new.pos, "wrong-type", message, hint)


def _shown(param: t.Param) -> str:
    return param.name if param.type is None else f"{param.name}: {param.type.name}"


def _values(count: int) -> str:
    return {0: "nothing", 1: "one value"}.get(count, f"{count} values")
