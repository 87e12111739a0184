"""The tool: `warhost odds`, `warhost balance` and `warhost compare`, and the same from a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warhost.hookspecs import hookimpl
from warhost.tools import Command, ExamplePlayer, ExampleReader, Section

SECTION = "Chances"


@hookimpl
def warhost_commands() -> Iterable[Command]:
    """Chances of one fight, and of many."""
    return (
        Command(
            "odds", "warhost_odds.odds_command:odds", "Tell what happens when one unit takes on another.", SECTION
        ),
        Command(
            "balance", "warhost_odds.balance_command:balance",
            "Compare units at equal points, or armies in battle.", SECTION,
        ),
        Command(
            "compare", "warhost_odds.compare_command:compare", "Compare results with a table of probabilities.", SECTION
        ),
    )  # fmt: skip


@hookimpl
def warhost_names() -> Mapping[str, str]:
    """`warhost.odds(..)`, `warhost.balance(..)` and what they answer."""
    return {
        "Answer": "warhost_odds.answer",
        "Balance": "warhost_odds.balance",
        "Sweep": "warhost_odds.asking",
        "balance": "warhost_odds.balance",
        "odds": "warhost_odds.asking",
        "sweep": "warhost_odds.asking",
    }


@hookimpl
def warhost_example_players() -> Iterable[ExamplePlayer]:
    """Examples that say probabilities."""
    return (ExamplePlayer("odds", "warhost_odds.examples:failures"),)


@hookimpl
def warhost_example_readers() -> Iterable[ExampleReader]:
    """What is wrong with them at first sight."""
    return (ExampleReader("warhost_odds.reading_examples:problems_in"),)


@hookimpl
def warhost_sections() -> Iterable[Section]:
    """`odds:`, the questions that a ruleset answers."""
    return (Section("odds", "warhost_odds.section:read_section"),)
