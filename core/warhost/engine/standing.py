"""What was worked out and still stands: answers that are kept as long as nothing that they depend on changes.

`State.changes` counts all changes, `State.written` those of each field; `State.unsaid` those of which nobody said what
they are (setting `State.version`), so that they count for everybody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from operator import itemgetter
from typing import Any, Protocol

from warhost.lang import ir
from warhost.lang.depends import Dependence

#: Answers of one number that are kept at most, before all are forgotten.
MOST_KEPT = 20_000


class Changing(Protocol):
    """What the state of a battle tells of its changes, and keeps of what was worked out in it."""

    program: Any
    code: Any
    changes: int
    unsaid: int
    version: int
    written: defaultdict[str, int]
    kept: KeptAnswers
    watched: dict[tuple[str, ...], WorkedOut]
    unclear: set[str]


class WorkedOut:
    """Something that was worked out from some numbers and fields. fields: attributes; None: whatever there is."""

    __slots__ = ("_counts", "fields", "seen", "stamp")

    def __init__(self, fields: frozenset[str] | None) -> None:
        self.fields = None if fields is None else tuple(sorted(fields))
        self._counts = itemgetter(*self.fields) if self.fields and len(self.fields) > 1 else None
        self.seen = -1
        self.stamp = -1

    def now(self, state: Changing) -> int:
        """A number that is the same as long as it stands, and never comes back after that."""
        if self.seen != state.changes:
            self.seen = state.changes
            if self.fields is None:
                self.stamp = state.changes + state.unsaid
            elif self._counts is not None:  # this is asked after nearly every change
                self.stamp = state.unsaid + sum(self._counts(state.written))
            else:
                self.stamp = state.unsaid + sum([state.written[name] for name in self.fields])
        return self.stamp


class Answers(WorkedOut):
    """What a number gave, by its arguments."""

    __slots__ = ("known",)

    def __init__(self, fields: frozenset[str] | None) -> None:
        super().__init__(fields)
        self.known: dict[Any, Any] = {}

    def look(self, state: Changing) -> None:
        """Forget what no longer stands."""
        before = self.stamp
        if self.now(state) != before or len(self.known) > MOST_KEPT:
            self.known.clear()


class KeptAnswers(dict[str, Answers]):
    """The answers of each number that compiled rules keep, by its name."""

    def __init__(self, state: Changing) -> None:
        self._state = state

    def __missing__(self, name: str) -> Answers:
        found = self[name] = Answers(depends_on(self._state, [name]))
        return found


def standing(state: Changing, names: tuple[str, ...]) -> int:
    """A number that is the same as long as everything stands that some numbers and fields depend on, by their names,
    and that never comes back.
    """
    found = state.watched.get(names)
    if found is None:
        found = state.watched[names] = WorkedOut(depends_on(state, names))
    return found.now(state)


def make_unclear(state: Changing, numbers: Iterable[str]) -> None:
    """From now on these numbers depend on something that no rule of the program tells."""
    if not state.unclear.issuperset(numbers):
        state.unclear.update(numbers)
        state.kept.clear()
        state.watched.clear()
        state.version += 1


def depends_on(state: Changing, names: Iterable[str]) -> frozenset[str] | None:
    """The fields on which some numbers depend in a battle; what does for the whole program is found out once."""
    return _dependence(state).of(names, state.unclear)


def is_foreseen(state: Changing, line: ir.Template) -> bool:
    """Whether a line that is put in force was a part of the program when it was found out what its numbers depend on
    (those of an example's steps come later).
    """
    return _dependence(state).foresees(line)


def _dependence(state: Changing) -> Dependence:
    found: Dependence | None = state.code.worked_out.get("dependence")
    if found is None:
        found = state.code.worked_out["dependence"] = Dependence(state.program)
    return found
