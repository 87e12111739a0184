"""What `warhost` gains: two commands, and somebody who watches battles."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command, Observer


@hookimpl
def warhost_commands() -> Iterable[Command]:
    at = "warhost_outsider.commands"
    return (
        Command("census", f"{at}:census", "Count the units and models of every ready army.", "Armies"),
        Command("army csv", f"{at}:csv_", "Write an army as a table for a spreadsheet."),
    )


@hookimpl
def warhost_observers() -> Iterable[Observer]:
    said = "Write how many units each side had after every phase."
    return (Observer("--tally", "FILE.csv", said, "the tally", "warhost_outsider.tally:Tally"),)
