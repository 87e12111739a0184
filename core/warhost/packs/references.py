"""Whether what profiles, army lists and armies name is there: nothing could be put on the table otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from warhost.errors import Problem, did_you_mean
from warhost.lang.tree import KindBlock, Pos, variant_of, with_variant
from warhost.packs.data import Bearing, Element, Profile, no_list, read_bearings
from warhost.packs.layers import Placed
from warhost.packs.spelling import Guesses
from warhost.packs.yaml_source import Map, Seq, maps, problem_at
from warhost.vocabulary import Kind


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that there are. loose: ids from files with other mistakes, by kind, so that those are told once.

    titles: the titles of kind blocks by kind. blind: what could not be read at all ('data', 'rules').
    """

    elements: Mapping[str, Mapping[str, Element]]
    profiles: Mapping[str, Profile]
    loose: Mapping[str, Collection[str]]
    kinds: Mapping[str, Kind]
    placed: Iterable[Placed]
    rulebook: Collection[str] | None
    blind: Collection[str]

    def ids(self, kind: str) -> set[str]:
        """The ids of the elements of a kind, those of broken ones among them."""
        return {*self.elements.get(kind, ()), *self.loose.get(kind, ())}


class References:
    """What names lead to; collects the problems of those that lead nowhere."""

    def __init__(self, known: KnownNames) -> None:
        self.known = known
        self.problems: list[Problem] = []
        self.ids = {kind: known.ids(kind) for kind in ("profile", "table", "list", "army", "scenario")}
        self.titles: dict[str, set[str]] = {}
        blocks: dict[tuple[str, str], list[KindBlock]] = {}
        for placed in known.placed:
            if isinstance(placed.block, KindBlock):
                block = placed.block
                self.titles.setdefault(block.kind, set()).add(block.title.text)
                blocks.setdefault((block.kind, block.title.text), []).append(block)
        several = {key: [variant_of(b) for b in found] for key, found in blocks.items() if len(found) > 1}
        self.variants = {key: words for key, words in several.items() if all(words)}
        self.by_plural = {kind.plural: kind.name for kind in known.kinds.values()}
        self.guesses = Guesses()
        self.entries: dict[str, dict[str, list[Map]]] = {}
        self.seen: set[int] = set()

    def refer(self, kind: str, place: Map | Seq, at: Any, what: str = "") -> bool:
        """Whether what stands at a place of the data is such an element; a problem if not."""
        name = place.get(at) if isinstance(place, Map) else place[at]
        if not isinstance(name, str) or name in self.ids[kind] or "data" in self.known.blind:
            return True
        hint = self.guesses.hint(name, lambda: self.ids[kind])
        if hint is None and self.ids[kind] and len(self.ids[kind]) <= 12:
            hint = f"there is {', '.join(sorted(self.ids[kind]))}"
        message = f'there is no {what or kind} "{name}"'
        self.problems.append(problem_at(place.pos(at), f"unknown-{kind}", message, hint))
        return False

    # -- kinds that profiles and options bear

    def bearings(self, plural: str, bearings: Iterable[Bearing]) -> None:
        """Whether there are the definitions that somebody bears. plural: the key of the list."""
        kind = self.by_plural[plural]
        titles = self.titles.get(kind, set())
        if "rules" in self.known.blind:
            return
        for bearing in bearings:
            if bearing.name not in titles and str(bearing) not in titles:
                hint = self.guesses.hint(bearing.name, lambda: titles) or self._elsewhere(bearing.name)
                message = f'there is no {kind} "{bearing.name}"'
                self.problems.append(problem_at(bearing.pos, f"unknown-{kind}", message, hint))
                continue
            variants = self.variants.get((kind, bearing.name))
            if variants is not None and bearing.args not in variants:
                hint = "there are: " + ", ".join(with_variant(bearing.name, words) for words in variants)
                self.problems.append(problem_at(bearing.pos, f"unknown-{kind}", f"say which {bearing.name}", hint))

    def title(self, title: str, kind: str, pos: Pos) -> None:
        """A title without the values that would go with it."""
        titles = self.titles.get(kind, set())
        if title not in titles and "rules" not in self.known.blind:
            hint = self.guesses.hint(title, lambda: titles) or self._elsewhere(title)
            self.problems.append(problem_at(pos, f"unknown-{kind}", f'there is no {kind} "{title}"', hint))

    def _elsewhere(self, name: str) -> str | None:
        kinds = sorted(kind for kind, titles in self.titles.items() if name in titles)
        return f"{name} is a {kinds[0]}" if kinds else None

    def profiles(self) -> None:
        """The kinds that profiles bear; a list taken over from another profile is checked where it stands."""
        seen: set[int] = set()
        for profile in self.known.profiles.values():
            for plural, bearings in profile.bears.items():
                if id(bearings) not in seen:
                    seen.add(id(bearings))
                    self.bearings(plural, bearings)

    def lists_of_kinds(self, data: Map) -> None:
        """The lists of kinds among other keys, as options and units of examples have them."""
        for plural, given in data.items():
            if plural not in self.by_plural:
                continue
            if isinstance(given, Seq):
                bearings, problems = read_bearings(given)
                self.problems.extend(problems)
                self.bearings(plural, bearings)
            else:
                self.problems.append(no_list(data, plural))

    # -- elements

    def army_list(self, element: Element) -> None:
        """What a list and its rows let be borne, and of which profiles the rows are."""
        self.lists_of_kinds(element.data)
        self._kinds_of_sides(element.data)
        for change in maps(element.data.get("changes")):
            self.lists_of_kinds(change)
        for entry in maps(element.data.get("units")):
            if id(entry) not in self.seen:  # what a list takes over is checked once
                self.seen.add(id(entry))
                self.usable(entry, "profile")
                self.lists_of_kinds(entry)
                for option in maps(entry.get("options")):
                    if id(option) not in self.seen:
                        self.seen.add(id(option))
                        self.lists_of_kinds(option)

    def _kinds_of_sides(self, data: Map) -> None:
        """What stands at the margin of a list is borne by the side, so it must be of a kind for sides."""
        for plural, name in self.by_plural.items():
            if plural in data and self.known.kinds[name].bearer != "side":
                message = f"a side bears no {plural}: they are for {self.known.kinds[name].bearer}s"
                hint = f"give them to its units: write {plural} in the rows under `units`"
                self.problems.append(problem_at(data.key_pos(plural), "wrong-bearer", message, hint))

    def army(self, element: Element) -> None:
        """An army: its list, its units with their profiles and options, and the links between them."""
        data = element.data
        if not self.refer("list", data, "list", "army list"):
            return
        army_list = self.known.elements["list"].get(str(data.get("list")))
        if army_list is not None and army_list.data.get("abstract") is True:
            message = f'the army list "{army_list.id}" is abstract: other lists build on it, no army is of it'
            self.problems.append(problem_at(data.pos("list"), "abstract-list", message))
        ids = [str(unit.get("id")) for unit in maps(data.get("units"))]
        above = self._changed_above(element)
        for unit in maps(data.get("units")):
            self._unit_of_army(unit, army_list, above=above)
            links = unit.get("links")
            for name, to in links.items() if isinstance(links, Map) else ():
                if isinstance(links, Map) and isinstance(to, str) and to not in ids:
                    hint = self.guesses.hint(to, lambda: ids) or f"there are: {', '.join(ids)}"
                    message = f'this army has no unit "{to}"'
                    self.problems.append(problem_at(links.pos(name), "unknown-unit", message, hint))

    def _changed_above(self, army: Element) -> bool:
        """Whether a layer above that of an army changes army lists: what it leaves no room for is illegal there, and no
        mistake of the army.
        """
        changes = (change for one in self.known.elements["list"].values() for change in one.history)
        return any(change.what != "defined" and change.layer.index > army.layer.index for change in changes)

    def _unit_of_army(self, unit: Map, army_list: Element | None, *, above: bool) -> None:
        profile = unit.get("profile")
        if not self.usable(unit, "profile") or army_list is None or not isinstance(profile, str):
            return
        allowed = self._entries(army_list)
        entries = allowed.get(profile)
        if entries is None and above:
            return
        if entries is None:
            rows = [row for row in allowed if row not in self.ids["profile"]]
            if did_you_mean(profile, rows) is not None:  # the row is told: it is misspelt there
                return
            message = f'the army list "{army_list.id}" has no "{profile}"'
            hint = self.guesses.hint(profile, lambda: allowed)
            self.problems.append(problem_at(unit.pos("profile"), "not-in-list", message, hint))
            return
        options = {str(option.get("id")) for entry in entries for option in maps(entry.get("options"))}
        chosen = unit.get("options")
        for i, option in enumerate(chosen if isinstance(chosen, Seq) else ()):
            if isinstance(option, str) and option not in options and not above:
                hint = self.guesses.hint(option, lambda: options) or (
                    f"there is {', '.join(sorted(options))}" if options else None
                )
                message = f'"{profile}" has no option "{option}" in the army list "{army_list.id}"'
                assert isinstance(chosen, Seq)
                self.problems.append(problem_at(chosen.pos(i), "unknown-option", message, hint))

    def _entries(self, army_list: Element) -> dict[str, list[Map]]:
        """The lines of an army list by profile."""
        if army_list.id not in self.entries:
            found: dict[str, list[Map]] = {}
            for entry in maps(army_list.data.get("units")):
                found.setdefault(str(entry.get("profile")), []).append(entry)
            self.entries[army_list.id] = found
        return self.entries[army_list.id]

    def usable(self, place: Map | Seq, at: Any) -> bool:
        """A profile that units can have."""
        if not self.refer("profile", place, at):
            return False
        profile = place.get(at) if isinstance(place, Map) else place[at]
        found = self.known.profiles.get(str(profile))
        if found is not None and found.abstract:
            message = f'the profile "{profile}" is abstract: other profiles build on it, no unit has it'
            self.problems.append(problem_at(place.pos(at), "abstract-profile", message))
            return False
        return True
