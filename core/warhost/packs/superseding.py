"""What an edition has no more of the ruleset that it extends: `superseded:` of its manifest.

    superseded:
      examples: {Late at night they hit on one: nobody tires any more}
      armies: [reds]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from warhost.errors import Problem, did_you_mean
from warhost.lang.place import Pos
from warhost.packs.yaml_source import Map, Seq, problem_at

SECTIONS = {
    "examples": "example", "armies": "ready army", "battles": "battle", "house_rules": "house rule",
}  # fmt: skip
"""The sections, with what one thing of each is called."""


@dataclass(frozen=True, slots=True)
class _Named:
    """One thing that is superseded. level: how far up the manifest stands that says so."""

    level: int
    why: str
    pos: Pos


@dataclass(slots=True)
class Superseding:
    """Tells what of lower layers is left out, and which names meant nothing."""

    levels: dict[str, int] = field(default_factory=dict)
    named: dict[tuple[str, str], _Named] = field(default_factory=dict)
    taken: set[tuple[str, str]] = field(default_factory=set)
    there: dict[str, set[str]] = field(default_factory=dict)

    def read(self, manifests: Sequence[tuple[str, Map]]) -> None:
        """Each manifest with the id of its layer, the lowest first."""
        for level, (layer, manifest) in enumerate(manifests):
            self.levels[layer] = level
            given = manifest.get("superseded")
            if not isinstance(given, Map):
                continue
            for section in SECTIONS:
                for name, why, pos in _names(given.get(section)):
                    self.named[section, name] = _Named(level, why, pos)

    def takes(self, section: str, name: str, layer: str) -> bool:
        """Whether something of a layer is left out."""
        if not self.named:
            return False
        self.there.setdefault(section, set()).add(name)
        found = self.named.get((section, name))
        if found is None or self.levels.get(layer, found.level) >= found.level:
            return False
        self.taken.add((section, name))
        return True

    def takes_example(self, data: Map, layer: str) -> bool:
        """Whether an example of a layer is left out: itself, or with a house rule that it shows."""
        given = data.get("given")
        house = given.get("house_rules") if isinstance(given, Map) else None
        named = [str(one) for one in house] if isinstance(house, Seq) else []
        without = any(self.takes("house_rules", one, layer) for one in named)
        return self.takes("examples", str(data.get("title")), layer) or without

    def problems(self) -> Iterator[Problem]:
        """The names that lower layers do not have."""
        for (section, name), found in self.named.items():
            if (section, name) not in self.taken:
                message = f'the ruleset that this one extends has no {SECTIONS[section]} "{name}" to supersede'
                hint = did_you_mean(name, self.there.get(section, ()))
                yield problem_at(found.pos, "unknown-name", message, hint)

    def told(self) -> Mapping[str, Mapping[str, str]]:
        """What is superseded, by section and name, with the reasons."""
        told: dict[str, dict[str, str]] = {}
        for (section, name), found in self.named.items():
            told.setdefault(section, {})[name] = found.why
        return told


def _names(given: object) -> Iterator[tuple[str, str, Pos]]:
    """The names of a section, with the reason of each and its place."""
    if isinstance(given, Map):
        yield from ((str(name), str(why), given.key_pos(name)) for name, why in given.items())
    elif isinstance(given, Seq):
        yield from ((str(name), "", given.pos(i)) for i, name in enumerate(given))
