"""The tool: `warhost demo`, `battle` and `replay`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command

SECTION = "Battles"


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """Battles between computer players, and those that were recorded."""
    at = "warhost_battles.commands"
    return (
        Command("demo", f"{at}:demo", "Play one battle between two ready armies and tell it.", SECTION, 10),
        Command("battle", f"{at}:battle", "Play a battle to its end.", SECTION, 20),
        Command("replay", f"{at}:replay", "Play a recorded battle again, whole or up to a decision.", SECTION, 30),
    )
