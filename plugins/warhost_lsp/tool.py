"""The tool: `warhost lsp`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """What editors talk to."""
    said = "Serve an editor by the Language Server Protocol."
    return (Command("lsp", "warhost_lsp.command:lsp", said, "Rules", 60),)
