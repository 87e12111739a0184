"""The tool: `warhost explain`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """What a name means."""
    said = "Explain one rule, number, unit or term."
    return (Command("explain", "warhost_explain.command:explain", said, "Rules", 50),)
