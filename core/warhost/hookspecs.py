"""Every extension point of Warhost, in one file.

A plugin is a module or object named by an entry point in the group `warhost.plugins`; it implements any of the hooks
below with `@warhost.hookimpl`. The bundled plugins under plugins/ are written the same way and use nothing else.
A ruleset names the plugins it needs (`plugins:` in ruleset.yaml); only those take part in its battles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

from warhost.vocabulary import Function, Kept, Kind

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.decisions import Policy

hookspec = pluggy.HookspecMarker("warhost")
hookimpl = pluggy.HookimplMarker("warhost")


def plain(value: Any) -> Any:
    """What a hook is given of a YAML file (a scenario's board, a unit's place), with fractions as floats."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


@hookspec
def warhost_functions() -> Iterable[Function]:  # type: ignore[empty-body]
    """Functions that rules may call: pure questions and steps with declared effects."""


@hookspec
def warhost_kinds() -> Iterable[Kind]:  # type: ignore[empty-body]
    """Kinds of block that the language gains."""


@hookspec
def warhost_rules() -> Iterable[Path]:  # type: ignore[empty-body]
    """Files of rules that lie under every ruleset using the plugin: nouns, state, events, phrases, numbers."""


@hookspec
def warhost_policies() -> Mapping[str, Callable[[int], Policy]]:  # type: ignore[empty-body]
    """Computer players by name. Each factory is given a seed and returns a policy."""


@hookspec
def warhost_board(battle: Battle, board: Mapping[str, Any]) -> None:
    """Lay out the board of a new battle from the scenario's `board` section, before the set-up phases."""


@hookspec
def warhost_board_problems(board: Mapping[str, Any]) -> Iterable[str]:  # type: ignore[empty-body]
    """What is wrong with a scenario's `board` section, in plain sentences; nothing when it is right."""


@hookspec
def warhost_picture(battle: Battle) -> Mapping[str, Any] | None:
    """The table as plain data for the battle report (see docs/design/log.md), or None."""


@hookspec
def warhost_invariants(battle: Battle) -> Iterable[str]:  # type: ignore[empty-body]
    """Laws that are broken at this moment (two units overlap, say), one sentence each; nothing when all is well."""


@hookspec
def warhost_kept(battle: Battle) -> Kept | None:
    """What the plugin keeps of the battle besides the fields of its things, so that a moment of it can come back."""
