"""The tool: `warhost coverage` and `warhost mutate`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command

SECTION = "Rules"


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """What is claimed, held against what is played and proved."""
    return (
        Command(
            "coverage", "warhost_proof.coverage_command:coverage",
            "Compare the printed book with what is played and proved.", SECTION,
        ),
        Command("mutate", "warhost_proof.mutate_command:mutate", "Find out what the examples do not notice.", SECTION),
    )  # fmt: skip
