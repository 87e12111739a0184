"""How much of the printed book a ruleset carries out: by its elements, by its examples, or ruled out with a
reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warhost.packs.parsed import refs_in
from warhost.packs.references import refs_with_places
from warhost.packs.ruleset import BookRule, Ruleset


@dataclass(frozen=True, slots=True)
class Covered:
    """One rule of the book. elements and examples are the names of those that carry its id in `ref`.

    A worked example of the book is carried out by an example.
    """

    rule: BookRule
    elements: tuple[str, ...]
    examples: tuple[str, ...]

    @property
    def state(self) -> str:
        """'implemented', 'ruled out' or 'missing'. What is carried out is not missing even if it was ruled
        out.
        """
        if self.elements or (self.rule.worked and self.examples):
            return "implemented"
        return "ruled out" if self.rule.ruled_out else "missing"

    @property
    def contradictory(self) -> bool:
        """Ruled out, and carried out all the same."""
        return bool(self.elements and self.rule.ruled_out)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Every rule of the index, in the order of the book."""

    rules: Mapping[str, Covered]

    def of_state(self, state: str) -> list[str]:
        """The ids of the rules that are 'implemented', 'ruled out' or 'missing'."""
        return [id_ for id_, rule in self.rules.items() if rule.state == state]

    @property
    def exercised(self) -> list[str]:
        """The ids that examples name."""
        return [id_ for id_, rule in self.rules.items() if rule.examples]

    @property
    def contradictory(self) -> list[str]:
        return [id_ for id_, rule in self.rules.items() if rule.contradictory]

    def to_json(self) -> dict[str, object]:
        """The object under `rules` that `warhost coverage --json` prints."""
        return {
            "total": len(self.rules),
            "implemented": len(self.of_state("implemented")),
            "exercised": len(self.exercised),
            "ruled_out": len(self.of_state("ruled out")),
            "missing": self.of_state("missing"),
        }


def coverage(ruleset: Ruleset) -> Coverage:
    """The rulebook index against the rules in force and the house rules on offer."""
    elements: dict[str, list[str]] = {}
    for name, ref in _implementing(ruleset):
        elements.setdefault(ref, []).append(name)
    examples: dict[str, list[str]] = {}
    for example in ruleset.examples:
        for ref in example.ref:
            examples.setdefault(ref, []).append(example.title)
    return Coverage(
        {
            id_: Covered(rule, _once(elements.get(id_)), _once(examples.get(id_)))
            for id_, rule in ruleset.rulebook.items()
        }
    )


def _once(names: list[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names or ()))


def _implementing(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Every element that carries ids of the book, with each id."""
    for placed in ruleset.placed:
        yield from ((placed.id, ref) for ref, _ in refs_in(placed.block))
    for profile in (*ruleset.profiles.values(), *ruleset.abstract_profiles.values()):
        yield from ((f"profile {profile.id}", ref) for ref in profile.ref)
    for table in ruleset.tables.values():
        yield from ((f"table {table.id}", ref) for ref in table.ref)
    for elements in (ruleset.abstract_lists, ruleset.lists, ruleset.armies, ruleset.scenarios):
        for element in elements.values():
            name = f"{element.kind} {element.id}"
            yield from ((name, ref) for ref, _ in refs_with_places(element.data))
    for offer in ruleset.house_rules.values():
        yield from ((f"house rule {offer.id}", ref) for ref in offer.refs)
