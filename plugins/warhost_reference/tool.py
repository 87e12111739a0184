"""The tool: `warhost reference`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """The sheet."""
    said = "Make the quick reference sheet of the rules in force."
    return (Command("reference", "warhost_reference.command:reference", said, "Rules", 55),)
