"""Telling a battle at the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from warhost.engine.battle import Battle


def log_lines(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The records of a battle that is not there any more, with every roll and how its numbers were computed.

    Things go by their ids, which is how examples call them.
    """
    from warhost_battles.story import story_text, tell

    if not records:
        return []
    gone = SimpleNamespace(by_id={}, sides=[], log=records)
    told = [r for r in records if r.get("kind") != "end"]
    return story_text(tell(told, cast("Battle", gone), trace=True), 110).splitlines()


def print_story(records: Iterable[Mapping[str, Any]], battle: Battle, *, rolls: bool, trace: bool) -> None:
    """The story of a battle as it is played, in colour where that is possible."""
    from warhost.cli import output
    from warhost_battles import story

    lines = story.tell(records, battle, rolls=rolls, trace=trace)
    story.print_story(output.console(), lines)


def follow(records: Iterable[Mapping[str, Any]]) -> None:
    """Play on without a word."""
    for _ in records:
        pass
