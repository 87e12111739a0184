"""What differs between two rulesets, as plain data: `Difference.to_json()` is what `warhost diff --json` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from warhost.packs.superseding import LeftOut


class By(NamedTuple):
    """Who changed something. layer: its id; what: defined, amended, replaced, removed; place: `file:line`."""

    layer: str
    what: str
    place: str

    def to_json(self) -> dict[str, str]:
        """The object that `--json` prints."""
        return {"layer": self.layer, "what": self.what, "place": self.place}


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """One figure or one line of rules that is otherwise. before and after: None where there was or is none. label: what
    it is a figure of, "" for lines of rules. layer, place: who says what holds now, or, of what is gone, who said it.
    """

    label: str
    before: str | None
    after: str | None
    layer: str = ""
    place: str = ""

    def to_json(self) -> dict[str, str | None]:
        """The object that `--json` prints."""
        return {
            "label": self.label, "before": self.before, "after": self.after, "layer": self.layer, "place": self.place,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChangedThing:
    """One thing that is new, gone, renamed, moved or otherwise.

    section: the heading under which people read it. kind and name: as rules and files call it. title: as people call
    it. what: added, removed, changed, renamed, moved. reads_before, reads: its sentence. book: titles of the rules of
    the book that it implements. also: the names of others that are changed in just the same way.
    """

    section: str
    kind: str
    name: str
    title: str
    what: str
    lines: tuple[ChangedLine, ...] = ()
    reads_before: str = ""
    reads: str = ""
    book: tuple[str, ...] = ()
    by: tuple[By, ...] = ()
    also: tuple[str, ...] = ()
    was: str = ""

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "section": self.section, "kind": self.kind, "name": self.name, "title": self.title, "what": self.what,
            "was": self.was, "also": list(self.also), "reads": {"before": self.reads_before, "after": self.reads},
            "book": list(self.book), "lines": [line.to_json() for line in self.lines],
            "by": [by.to_json() for by in self.by],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """A ready army under one ruleset. points: None when it cannot be priced; reasons: why it is illegal."""

    points: int | None
    reasons: tuple[str, ...]

    @property
    def legal(self) -> bool:
        """Whether nothing speaks against the army."""
        return not self.reasons

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {"points": self.points, "legal": self.legal, "reasons": list(self.reasons)}


@dataclass(frozen=True, slots=True)
class ArmyChange:
    """A ready army that both have, and that is judged or priced otherwise."""

    id: str
    name: str
    before: Judged
    after: Judged

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {"id": self.id, "name": self.name, "before": self.before.to_json(), "after": self.after.to_json()}


@dataclass(frozen=True, slots=True)
class Matchup:
    """A fight that comes out otherwise: the ending that moves most, and its chance before and after, from 0 to 1."""

    attacker: str
    defender: str
    ending: str
    before: float
    after: float
    exact: bool

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "attacker": self.attacker, "defender": self.defender, "ending": self.ending,
            "before": self.before, "after": self.after, "exact": self.exact,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ValueChange:
    """What a number was and is, for some units; cases: who, and in what situation."""

    before: str
    after: str
    cases: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {"before": self.before, "after": self.after, "cases": list(self.cases)}


@dataclass(frozen=True, slots=True)
class NumberValues:
    """A number, flag or value that other lines apply to. told: these lines, each with its layer and place (`what` is
    the line); tried: for how many units it was looked at; changes: what came of it where that is otherwise.
    """

    name: str
    told: tuple[By, ...]
    tried: int
    changes: tuple[ValueChange, ...]

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "name": self.name, "lines": [one.to_json() for one in self.told], "tried": self.tried,
            "changes": [one.to_json() for one in self.changes],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Odds:
    """The chances that were compared. compared: how many fights; moved: those that move by more than the threshold;
    failed: sentences about fights that could not be computed.
    """

    question: str
    threshold: float
    compared: int
    moved: tuple[Matchup, ...]
    failed: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "question": self.question, "threshold": self.threshold, "compared": self.compared,
            "moved": [one.to_json() for one in self.moved], "failed": list(self.failed),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class About:
    """Which ruleset one side of the comparison is. house: (id, title, sentence) of each house rule, lowest first."""

    id: str
    edition: str
    title: str
    digest: str
    folder: str
    house: tuple[tuple[str, str, str], ...] = ()

    @property
    def named(self) -> str:
        """`my_game@2 with Rain, Snow`."""
        name = f"{self.id}@{self.edition}" if self.edition else self.id
        return f"{name} with {', '.join(title for _, title, _ in self.house)}" if self.house else name

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "id": self.id, "edition": self.edition, "title": self.title, "digest": self.digest, "folder": self.folder,
            "house_rules": [id_ for id_, _, _ in self.house],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs from a to b. examples: how many examples are new, gone and otherwise. superseded: what
    b's edition leaves out of the one below on purpose, line by line of its manifest. values: what the changed lines
    make of numbers. odds: the questions that were compared, if any.
    """

    a: About
    b: About
    changes: tuple[ChangedThing, ...]
    armies: tuple[ArmyChange, ...] = ()
    odds: tuple[Odds, ...] = ()
    examples: Mapping[str, int] = field(default_factory=dict)
    superseded: tuple[LeftOut, ...] = ()
    values: tuple[NumberValues, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing has changed that anybody would notice: no rule, no army, no odds."""
        return not self.changes and not self.armies and not any(one.moved for one in self.odds)

    def sections(self) -> dict[str, Sequence[ChangedThing]]:
        """The changes by their headings, in order."""
        found: dict[str, list[ChangedThing]] = {}
        for change in self.changes:
            found.setdefault(change.section, []).append(change)
        return dict(found)

    def to_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "a": self.a.to_json(), "b": self.b.to_json(), "same": self.same,
            "changes": [change.to_json() for change in self.changes],
            "armies": [army.to_json() for army in self.armies], "examples": dict(self.examples),
            "odds": [one.to_json() for one in self.odds],
            "values": [one.to_json() for one in self.values],
            "superseded": [
                {"section": one.section, "line": one.line, "why": one.why, "names": list(one.names)}
                for one in self.superseded
            ],
        }  # fmt: skip
