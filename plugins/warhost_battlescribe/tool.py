"""The tool: `warhost import`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """The command of this tool."""
    at = "warhost_battlescribe.command:import_"
    return (Command("import", at, "Turn BattleScribe data into profiles and army lists.", "Rules", 60),)
