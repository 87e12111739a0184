"""The tool: `warhost play`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """A battle played by hand."""
    said = "Play a battle yourself, against the computer or another person."
    return (Command("play", "warhost_play.command:play", said, "Battles", 40),)
