"""The tool: `warhost fmt`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """One layout for all rules files."""
    said = "Bring rules files into their canonical layout."
    return (Command("fmt", "warhost_format.command:fmt", said, "Rules", 40),)
