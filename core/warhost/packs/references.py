"""Whether everything that a ruleset names exists: profiles, lists, armies, scenarios, kinds, rules of the book."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from warhost.errors import Problem, did_you_mean
from warhost.lang.tree import KindBlock, Pos, variant_of, with_variant
from warhost.packs import schemas
from warhost.packs.data import Bearing, Element, Profile, read_bearings
from warhost.packs.layers import Placed
from warhost.packs.selecting import PLACES, selectors_in
from warhost.packs.spelling import Guesses
from warhost.packs.yaml_source import Map, Seq, problem_at
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
        return {*self.elements.get(kind, ()), *self.loose.get(kind, ())}


class Checking:
    """Collects the problems of everything that refers to something."""

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
        self.required: set[int] = set()

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

    def _title(self, title: str, kind: str, pos: Pos) -> None:
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
            if isinstance(given, Seq) and plural in self.by_plural:
                bearings, problems = read_bearings(given)
                self.problems.extend(problems)
                self.bearings(plural, bearings)

    # -- elements

    def army_list(self, element: Element) -> None:
        self.lists_of_kinds(element.data)
        self._known_keys(element.data, "list")
        self._kinds_of_sides(element.data)
        for key in ("require", "changes"):
            for said in _maps(element.data.get(key)):
                self.selectors(said)
        if element.data.get("abstract") is not True:
            self._requirements(element.data)
        for change in _maps(element.data.get("changes")):
            self.lists_of_kinds(change)
            self._known_keys(change, "change")
        for entry in _maps(element.data.get("units")):
            if id(entry) not in self.seen:  # what a list takes over is checked once
                self.seen.add(id(entry))
                self._row(entry)

    def _low_to_high(self, data: Map, what: str) -> None:
        """`min` is not above `max`."""
        low, high = data.get("min"), data.get("max")
        if isinstance(low, int) and isinstance(high, int) and low > high:
            message = f"{what} is from {low} to {high}: nothing is so"
            hint = f"the min is above the max: write {{min: {high}, max: {low}}}"
            self.problems.append(problem_at(data.pos("min"), "limits-cross", message, hint))

    def _requirements(self, data: Map) -> None:
        """Requirements that the rows, or each other, leave no way to meet."""
        found = [one for one in _maps(data.get("require")) if id(one) not in self.required]
        self.required.update(id(one) for one in found)
        for one in found:
            self._low_to_high(one, "what is required")
            self._enough_rows(one, data)
        seen: list[Map] = []
        for one in found:
            plain = not any(key in one for key in ("when", "unless", "only", "not_with", "more_than"))
            for other in seen if plain else ():
                if one.get("of") == other.get("of") and one.get("count") == other.get("count"):
                    self._contradict(one, other)
            seen += [one] if plain else []

    def _contradict(self, one: Map, other: Map) -> None:
        for low, high in ((one, other), (other, one)):
            least, most = low.get("min"), high.get("max")
            if isinstance(least, int) and isinstance(most, int) and least > most:
                line = other.here.line
                message = f"this and the requirement in line {line} cannot both be met"
                hint = f"one wants at least {least}, the other at most {most}"
                self.problems.append(problem_at(one.pos("of"), "limits-cross", message, hint))

    def _enough_rows(self, one: Map, data: Map) -> None:
        """At least so many of some profiles, which their rows do not allow."""
        of, least = one.get("of"), one.get("min")
        wanted = of.get("profiles") if isinstance(of, Map) and set(of) <= {"profiles", "called"} else None
        if not isinstance(wanted, Seq) or not isinstance(least, int) or one.get("count", "units") != "units":
            return
        most = 0
        for row in _maps(data.get("units")):
            limit = row.get("limit")
            if row.get("profile") not in self.ids["profile"]:
                return
            if row.get("profile") in wanted:
                high = limit.get("max") if isinstance(limit, Map) else None
                if not isinstance(high, int):
                    return
                most += high
        if most < least and not ("when" in one or "unless" in one):
            message = f"{least} of these are required, and the rows of the list allow fewer"
            self.problems.append(problem_at(one.pos("of"), "limits-cross", message, f"their limits allow {most}"))

    def _row(self, entry: Map) -> None:
        self._usable(entry, "profile")
        for key in ("size", "limit"):
            if isinstance(entry.get(key), Map):
                self._low_to_high(entry[key], f"the {key}")
        self.lists_of_kinds(entry)
        self._known_keys(entry, "entry")
        self._no_id_twice("option", entry.get("options"))
        for option in _maps(entry.get("options")):
            if id(option) not in self.seen:
                self.seen.add(id(option))
                self.lists_of_kinds(option)
                self._known_keys(option, "option")

    def _no_id_twice(self, what: str, rows: Any) -> None:
        ids: dict[str, int] = {}
        for row in _maps(rows):
            id_ = row.get("id")
            if isinstance(id_, str) and id_ in ids:
                message = f'{what} "{id_}" stands here twice; the first is in line {ids[id_]}'
                hint = f"give one of the two another id than {id_}"
                self.problems.append(problem_at(row.pos("id"), "defined-twice", message, hint))
            elif isinstance(id_, str):
                ids[id_] = row.pos("id").line

    def _kinds_of_sides(self, data: Map) -> None:
        """What stands at the margin of a list is borne by the side, so it must be of a kind for sides."""
        for plural, name in self.by_plural.items():
            if plural in data and self.known.kinds[name].bearer != "side":
                message = f"a side bears no {plural}: they are for {self.known.kinds[name].bearer}s"
                hint = f"give them to its units: write {plural} in the rows under `units`"
                self.problems.append(problem_at(data.key_pos(plural), "wrong-bearer", message, hint))

    def selectors(self, said: Map) -> None:
        """The profiles and titles in the selectors of a requirement or change."""
        if id(said) in self.seen:
            return
        self.seen.add(id(said))
        for key in PLACES:
            for selector in selectors_in(said.get(key)):
                assert isinstance(selector, Map)
                self._selector(selector)

    def _selector(self, selector: Map) -> None:
        for key, value in selector.items():
            for i, one in enumerate(value if isinstance(value, Seq) else ()):
                assert isinstance(value, Seq)
                if key == "profiles":
                    self._usable(value, i)
                elif key in self.by_plural:
                    self._title(str(one), self.by_plural[key], value.pos(i))
        self._known_keys(selector, "selector")

    def _known_keys(self, data: Map, what: str, schema: str = "army") -> None:
        """Beside the keys of its schema a part of a list, or a unit of an example, has only plurals of kinds."""
        if "rules" in self.known.blind:
            return
        known = [*schemas.keys_of(schema, what), *self.by_plural]
        for key in data:
            if key not in known:
                hint = self.guesses.hint(str(key), lambda: known) or f"known here: {', '.join(known)}"
                message = f'"{key}" is not known here'
                self.problems.append(problem_at(data.key_pos(key), "unknown-property", message, hint))

    def army(self, element: Element) -> None:
        data = element.data
        if not self.refer("list", data, "list", "army list"):
            return
        army_list = self.known.elements["list"].get(str(data.get("list")))
        if army_list is not None and army_list.data.get("abstract") is True:
            message = f'the army list "{army_list.id}" is abstract: other lists build on it, no army is of it'
            self.problems.append(problem_at(data.pos("list"), "abstract-list", message))
        self._no_id_twice("unit", data.get("units"))
        ids = [str(unit.get("id")) for unit in _maps(data.get("units"))]
        for unit in _maps(data.get("units")):
            self._unit_of_army(unit, army_list)
            links = unit.get("links")
            for name, to in links.items() if isinstance(links, Map) else ():
                if isinstance(links, Map) and isinstance(to, str) and to not in ids:
                    hint = self.guesses.hint(to, lambda: ids) or f"there are: {', '.join(ids)}"
                    message = f'this army has no unit "{to}"'
                    self.problems.append(problem_at(links.pos(name), "unknown-unit", message, hint))

    def _unit_of_army(self, unit: Map, army_list: Element | None) -> None:
        profile = unit.get("profile")
        if not self._usable(unit, "profile") or army_list is None or not isinstance(profile, str):
            return
        allowed = self._entries(army_list)
        entries = allowed.get(profile)
        if entries is None:
            rows = [row for row in allowed if row not in self.ids["profile"]]
            if did_you_mean(profile, rows) is not None:  # the row is told: it is misspelt there
                return
            message = f'the army list "{army_list.id}" has no "{profile}"'
            hint = self.guesses.hint(profile, lambda: allowed)
            self.problems.append(problem_at(unit.pos("profile"), "not-in-list", message, hint))
            return
        options = {str(option.get("id")) for entry in entries for option in _maps(entry.get("options"))}
        chosen = unit.get("options")
        for i, option in enumerate(chosen if isinstance(chosen, Seq) else ()):
            if isinstance(option, str) and option not in options:
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
            for entry in _maps(army_list.data.get("units")):
                found.setdefault(str(entry.get("profile")), []).append(entry)
            self.entries[army_list.id] = found
        return self.entries[army_list.id]

    def _usable(self, place: Map | Seq, at: Any) -> bool:
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

    def example(self, data: Map) -> None:
        given = data.get("given")
        if not isinstance(given, Map):
            return
        self.refer("scenario", given, "scenario")
        ids: set[str] = set()
        for side in _maps(given.get("sides")):
            self.refer("army", side, "army")
            self.refer("list", side, "list", "army list")
            for unit in _maps(side.get("units")):
                if (id_ := unit.get("id")) in ids:
                    message = f'"{id_}" is the id of another unit of this example'
                    hint = f"give one of the two another id than {id_}"
                    self.problems.append(problem_at(unit.pos("id"), "defined-twice", message, hint))
                ids |= {id_} if isinstance(id_, str) else set()
                at = unit.get("at")
                if isinstance(at, Seq) and len(at) != 2:
                    message = f"a place is two numbers, not {len(at)}"
                    self.problems.append(problem_at(unit.pos("at"), "wrong-value", message, "write at: [60, 40]"))
                self._usable(unit, "profile")
                self.lists_of_kinds(unit)
                self._known_keys(unit, "unit", "examples")

    def demo(self, manifest: Map) -> None:
        demo = manifest.get("demo")
        if not isinstance(demo, Map):
            return
        self.refer("scenario", demo, "scenario")
        armies = demo.get("armies")
        if isinstance(armies, Seq):
            for i in range(len(armies)):
                self.refer("army", armies, i)

    def battle(self, data: Map, files: Collection[str]) -> None:
        """files: the paths that an army may be given by, seen from the battle file."""
        self.refer("scenario", data, "scenario")
        for side in _maps(data.get("sides")):
            army = side.get("army")
            if not isinstance(army, str) or army in files:
                continue
            if army.endswith(".yaml") or "/" in army:
                message, hint = f'there is no army file "{army}"', self.guesses.hint(army, lambda: files)
                self.problems.append(problem_at(side.pos("army"), "unknown-army", message, hint))
            else:
                self.refer("army", side, "army")

    # -- rules of the book

    def refs(self, found: Iterable[tuple[str, Pos]], exact: Callable[[str, Pos], Pos]) -> None:
        """exact finds the place of the id in the text of an element."""
        rulebook = self.known.rulebook
        if rulebook is None or "rulebook" in self.known.blind:
            return
        unknown = 0
        for ref, pos in found:
            if ref in rulebook:
                continue
            unknown += 1
            place = exact(ref, pos) if unknown <= 100 else pos
            hint = self.guesses.hint(ref, lambda: rulebook) or "add it to rulebook.yaml"
            message = f'the rulebook index has no rule "{ref}"'
            self.problems.append(problem_at(place, "unknown-ref", message, hint))


def _maps(value: Any) -> Iterator[Map]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, Map))
