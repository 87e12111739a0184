"""One ruleset read several times, with other house rules each time: what these leave as it is is looked at once.

    readings = Readings("my_game")
    rules, problems = readings.read()                 # as warhost.packs.read("my_game")
    rules, problems = readings.read(["fast_start"])   # as warhost.packs.read("my_game", ["fast_start"])
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warhost.errors import Problem
from warhost.lang.incremental import IncrementalCheck
from warhost.packs import kept_checks
from warhost.packs.loading import read_from
from warhost.packs.parsed import Library
from warhost.packs.ruleset import Ruleset


class Readings:
    """A ruleset by id or path with house rules (by id or path) that lie below all that are laid over it afterwards.
    What lies on the disk must not change between the readings.
    """

    def __init__(self, name_or_path: str | Path, house: Sequence[str | Path] = ()) -> None:
        self.name, self.house = name_or_path, tuple(house)
        self._check = IncrementalCheck()
        self._known = Library(incremental=self._check)

    def read(self, more: Sequence[str | Path] = ()) -> tuple[Ruleset | None, list[Problem]]:
        """The ruleset with its house rules and more of them over it, and everything that is wrong with that.

        None, and raises UsageError, as `warhost.packs.read` does.
        """
        known = self._known
        if not more:
            return self._below()
        if not self._check.knows() and self._known.trusting:
            self._known.trusting = False  # it was in order at another run, and nobody has looked at it in this one
            self._below()
        known = self._known
        library = Library(
            keeps=False, incremental=self._check.copied(), gathered=known.gathered, shelves=known.shelves
        )
        laid, problems = read_from(library, self.name, (*self.house, *more))
        if problems:  # what follows from a mistake depends on what was known before: they are told as by a first look
            return read_from(Library(keeps=False), self.name, (*self.house, *more))
        return laid, problems

    def keep(self) -> None:
        """Keep what was found, if nothing is wrong, so that the next run can begin from it."""
        if self._known.check_name:
            kept_checks.keep(self._known, self._known.check_name)

    def _below(self) -> tuple[Ruleset | None, list[Problem]]:
        self._known.begin_again()
        return read_from(self._known, self.name, self.house)
