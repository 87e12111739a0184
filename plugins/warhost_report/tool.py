"""The tool: battle reports with pictures, and rosters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warhost.hookspecs import hookimpl
from warhost.tools import Command, Observer


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """Rosters."""
    at = "warhost_report.show_command:show"
    return (Command("army show", at, "Print the roster of an army, as one brings it to the table."),)


@hookimpl
def warhost_observers() -> Iterable[Observer]:
    """`--report battle.html`."""
    said = "Write a battle report with a picture of the table after every phase."
    return (Observer("--report", "FILE.html", said, "the report", "warhost_report.report:Report"),)


@hookimpl
def warhost_names() -> Mapping[str, str]:
    """`warhost.Report` and `warhost.Roster`."""
    return {"Report": "warhost_report.report", "Roster": "warhost_report.roster"}
