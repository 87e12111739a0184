"""The tool: `warhost rulesets` and `warhost check`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """What is installed, and whether it is in order."""
    listed = "List the rulesets that are installed."
    checked = "Check a ruleset and report every mistake at once."
    return (
        Command("rulesets", "warhost_rulesets.list_command:rulesets", listed, "Rules", 10),
        Command("check", "warhost_rulesets.check_command:check", checked, "Rules", 20),
    )
