"""One ruleset read several times, with other house rules each time: what these leave as it is is looked at once.

    readings = Readings("my_game")
    rules, problems = readings.read()                 # as warhost.packs.read("my_game")
    rules, problems = readings.read(["fast_start"])   # as warhost.packs.read("my_game", ["fast_start"])
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warhost.errors import Problem
from warhost.lang.incremental import Changed, IncrementalCheck
from warhost.packs import kept_checks
from warhost.packs.loading import read_from
from warhost.packs.parsed import Library
from warhost.packs.ruleset import Ruleset

#: So many blocks are looked at again by each run; when there are more, what was found is kept for the next.
MOST_ANEW = 50


class Readings:
    """A ruleset by id or path with house rules (by id or path) that lie below all that are laid over it afterwards.
    What lies on the disk must not change between the readings.
    """

    def __init__(self, name_or_path: str | Path, house: Sequence[str | Path] = ()) -> None:
        self.name, self.house = name_or_path, tuple(house)
        self._check = IncrementalCheck()
        self._known = Library(incremental=self._check)
        self._changed: list[Changed] = []

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
        check = self._check.copied()
        library = Library(keeps=False, incremental=check, gathered=known.gathered, shelves=known.shelves)
        laid, problems = read_from(library, self.name, (*self.house, *more))
        self._changed.append(check.changed)
        if problems:  # what follows from a mistake depends on what was known before: they are told as by a first look
            return read_from(Library(keeps=False), self.name, (*self.house, *more))
        return laid, problems

    def keep(self) -> None:
        """Keep what was found, if nothing is wrong, so that the next run can begin from it."""
        if self._known.check_name and self._check.blocks_anew > MOST_ANEW:
            kept_checks.keep(self._known, self._known.check_name)

    def changed_above(self) -> Changed:
        """What the readings with more house rules have found to be changed by these, all together."""
        words: set[str] = set()
        for one in self._changed:
            if one.words is None:
                return one
            words |= one.words
        return Changed(frozenset(words), any(one.data_too for one in self._changed))

    def examples_untouched_by(self, changed: Changed) -> bool:
        """Whether all examples that were looked at anew say nothing of what has changed."""
        anew = self._check.anew
        return anew is not None and not any(mark.concerned(changed) for mark in anew)

    def _below(self) -> tuple[Ruleset | None, list[Problem]]:
        self._known.begin_again()
        return read_from(self._known, self.name, self.house)
