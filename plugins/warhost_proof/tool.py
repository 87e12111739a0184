"""The tool: `warhost test`, `coverage` and `mutate`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Command, ExampleReader

SECTION = "Rules"


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """What is claimed, held against what is played and proved."""
    return (
        Command("test", "warhost_proof.examples_command:test", "Run a ruleset's own examples.", SECTION, 30),
        Command(
            "coverage", "warhost_proof.coverage_command:coverage",
            "Compare the printed book with what is played and proved.", SECTION, 60,
        ),
        Command(
            "mutate", "warhost_proof.mutate_command:mutate", "Find out what the examples do not notice.", SECTION, 70
        ),
    )  # fmt: skip


@hookimpl
def warhost_example_readers() -> Iterable[ExampleReader]:
    """Words, statements and conditions."""
    return (ExampleReader("warhost_proof.reading_examples:problems_in"),)
