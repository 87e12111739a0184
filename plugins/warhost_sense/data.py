"""What data say that could be loaded and makes no sense: limits that cross, ids given twice, keys that nobody reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from warhost.armies.reading import is_path
from warhost.errors import Problem, is_misspelt
from warhost.lang.tree import KindBlock
from warhost.packs import schemas
from warhost.packs.checks import Contents, LayerRead, RulesetToCheck
from warhost.packs.contents import seats_said
from warhost.packs.data import Element, no_list, raw_elements
from warhost.packs.references import References
from warhost.packs.selecting import PLACES, selectors_in
from warhost.packs.yaml_source import Map, Seq, maps, problem_at
from warhost_sense.blocks import IntRange, blocks_in
from warhost_sense.hints import same_word


def problems_in(read: RulesetToCheck) -> list[Problem]:
    """What is wrong with lists, armies, examples, the demo, battle files, and what is said to be a rule of the book."""
    contents = read.contents
    if contents is None:
        return []
    looking = _DataCheck(contents.references)
    for example in contents.examples:
        looking.example(example.data, contents.offered)
    if not contents.data_in_order:
        looking.all(contents, read.sources)
        looking.as_written(read.sources, contents.manifests)
    looking.refs(read)
    return looking.problems


#: What two rows of one profile may say differently: any of their sizes will do.
_OF_A_SIZE = ("profile", "size", "name", "ref", "limit")


#: How it is told that a list asks for more than its rows allow.
TOO_FEW_ROWS = ", and the rows of the list allow fewer"


class _DataCheck:
    """Collects the problems. names: what names lead to."""

    def __init__(self, references: References) -> None:
        self.names = copy(references)
        self.problems = self.names.problems = []
        self.known = references.known
        self.seen: set[int] = set()
        self.required: set[int] = set()
        #: The keys that parts of files may have, in the order of their schemas.
        self.keys: dict[tuple[str, str], dict[str, None]] = {}
        self.under: dict[tuple[str, ...], References] = {(): self.names}

    def all(self, contents: Contents, sources: Iterable[LayerRead]) -> None:
        """Lists, armies, the demo and battle files."""
        data = contents.data
        for element in (*data.lists.values(), *data.abstract_lists.values()):
            self.army_list(element)
        for element in data.armies.values():
            self.no_id_twice("unit", element.data.get("units"))
        self.demo(contents.manifest)
        self._for_so_many(contents.manifest.get("demo"), "armies", contents)
        for battle in contents.battles.values():
            self.battle(battle.data, _files_seen_from(battle.path, sources))
            self._for_so_many(battle.data, "sides", contents)

    def as_written(self, sources: Iterable[LayerRead], manifests: Sequence[Map]) -> None:
        """Army lists and armies as their files have them, before others join them."""
        for source in sources:
            for _, parsed in source.data("army"):
                sound = isinstance(parsed.data, Map) and not parsed.problems
                for raw in raw_elements("army", parsed.data) if sound else ():
                    if raw.kind == "list":
                        self._rows_twice(raw.data)
                    else:
                        self._made_for(raw.data, manifests)

    # -- army lists

    def _rows_twice(self, data: Map) -> None:
        """Rows of one profile that say more than of what sizes it may be: of what it costs only the last one counts."""
        rows: dict[str, Map] = {}
        for row in maps(data.get("units")):
            profile = str(row.get("profile"))
            first = rows.setdefault(profile, row)
            if first is row:
                continue
            keys = dict.fromkeys(key for key in (*row, *first) if key not in _OF_A_SIZE)
            apart = [key for key in keys if row.get(key) != first.get(key)]
            if not apart and row.get("size") != first.get("size") and "limit" not in row:
                continue
            said = f" with other {', '.join(apart)}" if apart else ""
            message = f'"{profile}" has a row already, in line {first.here.line}{said}'
            hint = "put both together: of two rows the last one says what it costs and takes, and their limits add up"
            self.problems.append(problem_at(row.pos("profile"), "twice", message, hint))

    def _made_for(self, data: Map, manifests: Sequence[Map]) -> None:
        """An army that is made for another ruleset, or for an edition that this one is none of."""
        named = data.get("ruleset")
        if not isinstance(named, str) or is_path(named):
            return
        id_, _, edition = named.partition("@")
        editions = [str(one.get("edition")) for one in manifests if one.get("id") == id_]
        if (edition or not editions) and edition not in editions:
            mine = f"{manifests[-1].get('id')}@{manifests[-1].get('edition')}"
            message = f'this army is made for "{named}", not for {mine}'
            hint = f"write ruleset: {mine}, or put it where it belongs"
            self.problems.append(problem_at(data.pos("ruleset"), "other-ruleset", message, hint))

    def army_list(self, element: Element) -> None:
        """Its keys, selectors, requirements and rows."""
        self._known_keys(element.data, "list")
        for key in ("require", "changes"):
            for said in maps(element.data.get(key)):
                self._selectors(said)
        if element.data.get("abstract") is not True:
            self._requirements(element.data)
        for change in maps(element.data.get("changes")):
            self._known_keys(change, "change")
        for entry in maps(element.data.get("units")):
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
        found = [one for one in maps(data.get("require")) if id(one) not in self.required]
        self.required.update(id(one) for one in found)
        for one in found:
            self._low_to_high(one, "what is required")
            self._enough_rows(one, data)
            if "not_with" in one and one.get("of") == one["not_with"]:
                message = "an army that has any of these is illegal: `not_with` says the same as `of`"
                hint = "name under `not_with` what these may not stand beside; or write `max: 1`"
                self.problems.append(problem_at(one.key_pos("not_with"), "limits-cross", message, hint))
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
        for row in maps(data.get("units")):
            limit = row.get("limit")
            if row.get("profile") not in self.names.ids["profile"]:
                return
            if row.get("profile") in wanted:
                high = limit.get("max") if isinstance(limit, Map) else None
                if not isinstance(high, int):
                    return
                most += high
        if most < least and not ("when" in one or "unless" in one):
            message = f"{least} of these {'is' if least == 1 else 'are'} required{TOO_FEW_ROWS}"
            self.problems.append(problem_at(one.pos("of"), "limits-cross", message, f"their limits allow {most}"))

    def _row(self, entry: Map) -> None:
        for key in ("size", "limit"):
            if isinstance(entry.get(key), Map):
                self._low_to_high(entry[key], f"the {key}")
        self._known_keys(entry, "entry")
        self.no_id_twice("option", entry.get("options"))
        self._names_twice(entry.get("options"))
        for option in maps(entry.get("options")):
            if id(option) not in self.seen:
                self.seen.add(id(option))
                self._known_keys(option, "option")

    def _names_twice(self, options: Any) -> None:
        """Options of one row under one name, which nobody could tell apart."""
        names: dict[str, Map] = {}
        for option in maps(options):
            name = option.get("name")
            first = names.setdefault(name, option) if isinstance(name, str) else option
            if first is not option and id(option) not in self.seen:
                message = f'two options of this row are called "{name}": {first.get("id")} and {option.get("id")}'
                hint = "give one of the two another name: nobody could tell them apart"
                self.problems.append(problem_at(option.pos("name"), "twice", message, hint))

    def no_id_twice(self, what: str, rows: Any) -> None:
        ids: dict[str, int] = {}
        for row in maps(rows):
            id_ = row.get("id")
            if isinstance(id_, str) and id_ in ids:
                message = f'{what} "{id_}" stands here twice; the first is in line {ids[id_]}'
                hint = f"give one of the two another id than {id_}"
                self.problems.append(problem_at(row.pos("id"), "defined-twice", message, hint))
            elif isinstance(id_, str):
                ids[id_] = row.pos("id").line

    def _selectors(self, said: Map) -> None:
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
            if key in self.names.by_plural and not isinstance(value, Seq):
                self.problems.append(no_list(selector, key))
            for i, one in enumerate(value if isinstance(value, Seq) else ()):
                assert isinstance(value, Seq)
                if key == "profiles":
                    self.names.usable(value, i)
                elif key in self.names.by_plural:
                    self.names.title(str(one), self.names.by_plural[key], value.pos(i))
        self._known_keys(selector, "selector")

    def _known_keys(self, data: Map, what: str, schema: str = "army") -> None:
        """Beside the keys of its schema a part of a list, or a unit of an example, has only plurals of kinds."""
        if "rules" in self.known.blind:
            return
        if (schema, what) not in self.keys:
            self.keys[schema, what] = dict.fromkeys([*schemas.keys_of(schema, what), *self.names.by_plural])
        known = self.keys[schema, what]
        for key in data:
            if key not in known and (colon := schemas.colon_missing(data, key)) is not None:
                self.problems.append(problem_at(data.key_pos(key), "unknown-property", *colon))
            elif key not in known:
                same = None if is_misspelt(str(key), known) else same_word(str(key), known)
                hint = same or self.names.guesses.hint(str(key), lambda: known) or f"known here: {', '.join(known)}"
                message = f'"{key}" is not known here'
                self.problems.append(problem_at(data.key_pos(key), "unknown-property", message, hint))

    # -- examples, the demo, battle files

    def example(self, data: Map, offered: Mapping[str, LayerRead]) -> None:
        given = data.get("given")
        if not isinstance(given, Map):
            return
        house = given.get("house_rules")
        named = [str(one) for one in house] if isinstance(house, Seq) else []
        if all(one in offered for one in named):
            names = self.names_under(tuple(named), offered)
        else:  # what one that is not on offer brings is seen when the example is run
            names = copy(self.names)
            names.problems = []
        names.refer("scenario", given, "scenario")
        ids: set[str] = set()
        for side in maps(given.get("sides")):
            names.refer("army", side, "army")
            names.refer("list", side, "list", "army list")
            for unit in maps(side.get("units")):
                if (id_ := unit.get("id")) in ids:
                    message = f'"{id_}" is the id of another unit of this example'
                    hint = f"give one of the two another id than {id_}"
                    self.problems.append(problem_at(unit.pos("id"), "defined-twice", message, hint))
                ids |= {id_} if isinstance(id_, str) else set()
                names.usable(unit, "profile")
                names.lists_of_kinds(unit)
                self._known_keys(unit, "unit", "examples")

    def names_under(self, house: tuple[str, ...], offered: Mapping[str, LayerRead]) -> References:
        """What names lead to with some house rules on offer."""
        if house not in self.under:
            names = self.under[house] = copy(self.names)
            names.ids = {kind: set(ids) for kind, ids in names.ids.items()}
            names.titles = {kind: set(titles) for kind, titles in names.titles.items()}
            for read in (offered[one] for one in house):
                for file, parsed in read.data():
                    for raw in raw_elements(file.kind, parsed.data) if isinstance(parsed.data, Map) else ():
                        names.ids[raw.kind].add(raw.id)
                for block in (block for rules in read.rules() for block in blocks_in(rules.module)):
                    if isinstance(block, KindBlock):
                        names.titles.setdefault(block.kind, set()).add(block.title.text)
        return self.under[house]

    def demo(self, manifest: Map) -> None:
        demo = manifest.get("demo")
        if not isinstance(demo, Map):
            return
        self.names.refer("scenario", demo, "scenario")
        armies = demo.get("armies")
        if isinstance(armies, Seq):
            for i in range(len(armies)):
                self.names.refer("army", armies, i)

    def _for_so_many(self, said: Any, key: str, contents: Contents) -> None:
        """A battle with fewer or more sides than its scenario, or the ruleset, is for. key: under which these are."""
        given = said.get(key) if isinstance(said, Map) else None
        named = contents.data.scenarios.get(str(said.get("scenario"))) if isinstance(said, Map) else None
        own = named.data if named is not None and "sides" in named.data else contents.manifest
        wanted = seats_said(own.get("sides"))
        if wanted is None or wanted[1] < 2 or not isinstance(given, Seq) or wanted[0] <= len(given) <= wanted[1]:
            return
        place, (low, high) = own.pos("sides"), wanted
        armies = "1 army" if len(given) == 1 else f"{len(given)} armies"
        whose = f'the scenario "{named.id}"' if named is not None and own is named.data else "this ruleset"
        message = f"{whose} is for {IntRange(low, high)} sides ({place.file}:{place.line}), and here are {armies}"
        hint = f"name {low} of them, or write another number of sides there"
        self.problems.append(problem_at(said.key_pos(key), "wrong-sides", message, hint))

    def battle(self, data: Map, files: Collection[str]) -> None:
        """files: the paths that an army may be given by, seen from the battle file."""
        self.names.refer("scenario", data, "scenario")
        for side in maps(data.get("sides")):
            army = side.get("army")
            if not isinstance(army, str) or army in files:
                continue
            if army.endswith(".yaml") or "/" in army:
                message, hint = f'there is no army file "{army}"', self.names.guesses.hint(army, lambda: files)
                self.problems.append(problem_at(side.pos("army"), "unknown-army", message, hint))
            else:
                self.names.refer("army", side, "army")

    # -- rules of the book

    def refs(self, read: RulesetToCheck) -> None:
        """Ids that the index of the book does not have."""
        rulebook = self.known.rulebook
        if rulebook is None or "rulebook" in self.known.blind:
            return
        unknown = 0
        for ref, pos in read.refs():
            if ref in rulebook:
                continue
            unknown += 1
            place = read.exact(ref, pos) if unknown <= 100 else pos
            hint = self.names.guesses.hint(ref, lambda: rulebook) or "add it to rulebook.yaml"
            message = f'the rulebook index has no rule "{ref}"'
            self.problems.append(problem_at(place, "unknown-ref", message, hint))


def _files_seen_from(path: Path, sources: Iterable[LayerRead]) -> set[str]:
    """The paths of army files as a battle file would write them."""
    found: set[str] = set()
    for source in sources:
        for file, _ in source.data("army"):
            found.add(file.relative)
            try:
                found.add(file.path.relative_to(path.parent).as_posix())
            except ValueError:
                found.add("../" + file.relative)
    return found
