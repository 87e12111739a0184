"""One ruleset read several times, with other house rules each time: what these leave as it is is looked at once.

    readings = Readings("my_game")
    rules, problems = readings.read()                 # as warhost.packs.read("my_game")
    rules, problems = readings.read(["fast_start"])   # as warhost.packs.read("my_game", ["fast_start"])
    readings.keep()                                   # the next run looks only at what has changed since
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from warhost.errors import Problem, mistakes
from warhost.lang.incremental import IncrementalCheck
from warhost.packs import cache, kept_checks
from warhost.packs.independence import RulesetStep, are_apart, armies_are_apart, step
from warhost.packs.loading import read_from
from warhost.packs.parsed import File, Library
from warhost.packs.ruleset import Ruleset

#: One in so many blocks, and so many house rules, are looked at again by each run; when there are more, what was found
#: is kept for the next. To keep it takes as long as looking at half of all blocks, and the lines of a file that
#: somebody is at work on soon move again.
ONE_IN, MOST_ABOVE = 4, 3

#: Kinds of files of which it can be said what has changed in them.
_TAKEN_APART = frozenset({"rules", "profiles", "scenario", "army", "examples", "battle", "equivalent"})


@dataclass(slots=True)
class Beside:
    """What was in order beside the ruleset itself. steps: what each house rule changed that was laid over it. armies:
    its ready armies, and what their lists say of prices. others: the hash of all that is not taken apart.
    """

    steps: dict[str, RulesetStep] = field(default_factory=dict)
    armies: bool = False
    others: str = ""


class Readings:
    """A ruleset by id or path with house rules (by id or path) that lie below all that are laid over it afterwards.
    What lies on the disk must not change between the readings.
    """

    def __init__(self, name_or_path: str | Path, house: Sequence[str | Path] = ()) -> None:
        self.name, self.house = name_or_path, tuple(house)
        self._check = IncrementalCheck()
        self._known = Library(incremental=self._check, from_below=True)
        self._rules: Ruleset | None = None
        self._warned: list[Problem] = []
        self._beside = Beside()
        self._since: RulesetStep | None = None
        self._above_anew = 0

    def read(self, more: Sequence[str | Path] = ()) -> tuple[Ruleset | None, list[Problem]]:
        """The ruleset with its house rules and more of them over it, and everything that is wrong with that.

        None, and raises UsageError, as `warhost.packs.read` does.
        """
        if not more:
            return self._below()
        self._looked_at()
        known = self._known
        check = self._check.copied()
        library = Library(
            keeps=False, trusting=False, incremental=check, gathered=known.gathered, remembered=known.remembered,
            alike=known, shelves=known.shelves,
        )  # fmt: skip
        laid, problems = read_from(library, self.name, (*self.house, *more))
        self._above_anew += 1
        if mistakes(problems):  # what follows from one depends on what was known before: told as by a first look
            return read_from(Library(keeps=False), self.name, (*self.house, *more))
        made = step(check, laid) if laid is not None and all(p in self._warned for p in problems) else None
        if made is not None and len(more) == 1:
            self._beside.steps[str(more[0])] = made
        return laid, problems

    def in_order_above(self, one: str | Path) -> bool:
        """Whether nothing was wrong with a house rule over the ruleset when that was kept, nor can be now: what has
        changed since has nothing to do with it.
        """
        self._looked_at()
        above = self._beside.steps.get(str(one))
        if above is None or self._since is None:
            return False
        anew = self._check.anew
        if anew is None or any(mark.concerned(above.changed) for mark in anew):
            return False
        return are_apart(self._since, above, self._check)

    @property
    def blocks_anew(self) -> int:
        """How many blocks of the ruleset and the house rules below were looked at, in all readings."""
        return self._check.blocks_anew

    @property
    def armies_in_order(self) -> bool:
        """Whether nothing is wrong with the ready armies, nor with what their lists say of prices."""
        if not self._beside.armies:
            return False
        return self._since is not None and armies_are_apart(self._since, self._check)

    def armies_are_in_order(self) -> None:
        """Remember that somebody has looked at them, and nothing was wrong."""
        self._beside.armies = True

    def keep(self) -> None:
        """Keep what was found, if nothing is wrong and it is much, so that the next run can begin from it."""
        if not self._known.check_name or self._rules is None:
            return
        much = self.blocks_anew * ONE_IN > len(self._rules.placed) or self._above_anew > MOST_ABOVE
        if much:
            self._beside.others = self._others(self._rules)
            kept_checks.keep(self._known, self._known.check_name, self._beside)

    def _below(self) -> tuple[Ruleset | None, list[Problem]]:
        known = self._known
        self._beside, self._since = Beside(), None
        known.begin_again()
        rules, problems = read_from(known, self.name, self.house)
        if known.begun_below and mistakes(problems):
            return self._anew()
        kept, known.beside = known.beside, None
        if rules is not None and isinstance(kept, Beside) and kept.others == self._others(rules):
            self._beside, self._since = kept, step(self._check, rules)
        self._rules, self._warned = rules, problems
        return rules, problems

    def _anew(self) -> tuple[Ruleset | None, list[Problem]]:
        """Look at the ruleset without what was known: what follows from a mistake is told as by a first look."""
        self._check = IncrementalCheck()
        self._known = Library(incremental=self._check, shelves=self._known.shelves)
        return self._below()

    def _looked_at(self) -> None:
        """Look at the ruleset, if it was only known that it was in order at another run."""
        if not self._check.knows() and self._known.trusting:
            self._known.trusting = False
            self._below()

    def _others(self, rules: Ruleset) -> str:
        """The hash of all files but those of the ruleset of which it can be said what has changed in them."""
        texts = self._known.texts
        parts: list[str] = []
        for label, (file, _) in sorted(self._known.files.items()):
            if label not in rules.files or file.kind not in _TAKEN_APART:
                parts += [label, texts[label]]
        for path in rules.example_rules:
            parts += [str(path), self._known.text_of(File("rules", path.name, str(path), path))[0]]
        return cache.key_of(*parts)
