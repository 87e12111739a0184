"""What an edition has no more of the ruleset that it extends: `superseded:` of its manifest.

    superseded:
      examples: {Late at night they hit on one: nobody tires any more, "Brawls *": there are none}
      example_files: [examples/night.yaml]
      example_refs: {TAV-NIGHT-*: the chapter is gone}
      armies: [reds]

A `*` in a name stands for any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from warhost.errors import Problem, did_you_mean
from warhost.lang.place import Pos
from warhost.packs.yaml_source import Map, Seq, problem_at

SECTIONS = {
    "examples": "example", "example_files": "file of examples", "example_refs": "example with the ref",
    "armies": "ready army", "battles": "battle", "house_rules": "house rule",
}  # fmt: skip
"""The sections, with what one thing of each is called."""

_OF_EXAMPLES = ("examples", "example_files", "example_refs")


@dataclass(frozen=True, slots=True)
class _Named:
    """One thing that is superseded. level: how far up the manifest stands that says so."""

    level: int
    why: str
    pos: Pos


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What one line of `superseded` leaves out. section, line: as the manifest has them (`example_refs`, `TAV-*`);
    what: the sort of things, in the singular; names: of those that it leaves out and no line before it does.
    """

    section: str
    line: str
    why: str
    what: str
    names: tuple[str, ...]

    @property
    def several(self) -> bool:
        """Whether the line means things together: a file, a ref, a name with a `*`."""
        return self.section in ("example_files", "example_refs") or "*" in self.line


@dataclass(slots=True)
class Superseding:
    """Tells what of lower layers is left out, and which names meant nothing.

    taken: by section and line, the titles or ids that it has left out. house: titles of the examples that went with a
    house rule.
    """

    levels: dict[str, int] = field(default_factory=dict)
    named: dict[tuple[str, str], _Named] = field(default_factory=dict)
    taken: dict[tuple[str, str], dict[str, None]] = field(default_factory=dict)
    house: dict[str, None] = field(default_factory=dict)
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
        return bool(self.named) and self._takes(section, (name,), name, layer)

    def takes_example(self, data: Map, layer: str, file: str) -> bool:
        """Whether an example of a layer is left out: by its title, its file, a ref, or with a house rule that it
        shows. file: its path below the layer's folder.
        """
        if not self.named:
            return False
        given = data.get("given")
        house = given.get("house_rules") if isinstance(given, Map) else None
        refs, title = data.get("ref"), str(data.get("title"))
        called = {
            "examples": (title,), "example_files": (file, Path(file).name),
            "example_refs": tuple(map(str, refs)) if isinstance(refs, Seq) else (str(refs),) if refs else (),
        }  # fmt: skip
        # Every section is asked: a line is used though another one leaves out the same.
        found = [self._takes(section, names, title, layer) for section, names in called.items()]
        houses = [str(one) for one in house] if isinstance(house, Seq) else []
        without = [one for one in houses if self._takes("house_rules", (one,), one, layer)]
        if without and not any(found):
            self.house[title] = None
        return any(found) or bool(without)

    def _takes(self, section: str, names: Iterable[str], title: str, layer: str) -> bool:
        """Whether a line of a section means one of the names. title: what is left out then."""
        found = False
        for (of, line), one in self.named.items():
            if of != section or self.levels.get(layer, one.level) >= one.level:
                continue
            self.there.setdefault(section, set()).update(names)
            if any(means(line, name) for name in names):
                self.taken.setdefault((section, line), {})[title] = None
                found = True
        return found

    def problems(self) -> Iterator[Problem]:
        """The lines that mean nothing of lower layers."""
        for (section, name), found in self.named.items():
            if (section, name) not in self.taken:
                message = f'the ruleset that this one extends has no {SECTIONS[section]} "{name}" to supersede'
                hint = did_you_mean(name, self.there.get(section, ()))
                yield problem_at(found.pos, "unknown-name", message, hint)

    def told(self) -> Mapping[str, Mapping[str, str]]:
        """What is superseded, by section and name, with the reasons; a line with a `*` as the names that it means."""
        told: dict[str, dict[str, str]] = {}
        for (section, line), found in self.named.items():
            names = self.taken.get((section, line), ()) if "*" in line else (line,)
            told.setdefault(section, {}).update(dict.fromkeys(names, found.why))
        return told

    def left_out(self) -> tuple[LeftOut, ...]:
        """What each line leaves out, in the order of the manifest; examples that go with house rules last."""
        found: list[LeftOut] = []
        seen: set[tuple[str, str]] = set()
        for (section, line), one in self.named.items():
            what = "example" if section in _OF_EXAMPLES else SECTIONS[section]
            names = tuple(n for n in self.taken.get((section, line), ()) if (what, n) not in seen)
            seen.update((what, name) for name in names)
            found.append(LeftOut(section, line, one.why, what, names))
        if names := tuple(name for name in self.house if ("example", name) not in seen):
            found.append(LeftOut("examples", "", "they show house rules that are left out", "example", names))
        return tuple(found)


def means(line: str, name: str) -> bool:
    """Whether a line of `superseded` means a name: it is the name, or has it with a `*` for any text."""
    return line == name or ("*" in line and _pattern(line).fullmatch(name) is not None)


@lru_cache(maxsize=256)
def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, line.split("*"))), re.DOTALL)


def _names(given: object) -> Iterator[tuple[str, str, Pos]]:
    """The names of a section, with the reason of each and its place."""
    if isinstance(given, Map):
        yield from ((str(name), str(why), given.key_pos(name)) for name, why in given.items())
    elif isinstance(given, Seq):
        yield from ((str(name), "", given.pos(i)) for i, name in enumerate(given))
