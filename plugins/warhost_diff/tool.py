"""The tool: `warhost diff`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """What changes from one ruleset to another."""
    said = "Tell what changes between editions, or with a house rule."
    return (Command("diff", "warhost_diff.command:diff", said, "Rules", 60),)
