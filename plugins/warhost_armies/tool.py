"""The tool: `warhost army list`, `check` and `price`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command, Section


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """The commands of this tool."""
    return (
        Command("army list", "warhost_armies.commands:list_", "List army lists, ready armies and a list's rows."),
        Command("army check", "warhost_armies.commands:check", "Check an army against the rules of its list."),
        Command("army price", "warhost_armies.price_command:price", "Price a unit by the ruleset's formula."),
    )


@hookimpl
def warhost_sections() -> Iterable[Section]:
    """The sections of `ruleset.yaml` that this tool reads and checks."""
    at = "warhost_armies.sections"
    return (
        Section("price", f"{at}:read_price"),
        Section("roster", f"{at}:read_roster"),
        Section("picture", f"{at}:read_picture"),
    )
