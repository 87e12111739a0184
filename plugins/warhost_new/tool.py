"""The tool: `warhost new`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """A start of one's own."""
    said = "Start a ruleset, edition, house rules, army, scenario or plugin."
    return (Command("new", "warhost_new.command:new", said, "Rules", 15),)
