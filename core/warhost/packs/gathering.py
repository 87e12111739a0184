"""What the layers of a ruleset say together: blocks laid over each other, data, examples, battles, the book's index."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.lang.place import Pos
from warhost.limits import too_many
from warhost.packs.checks import LayerRead
from warhost.packs.contents import BattleFile, BookRule, Example, RulesData
from warhost.packs.data import (
    DataTable,
    Element,
    RawElement,
    merge_data,
    raw_elements,
    read_table,
    refs_of,
    resolve_profiles,
)
from warhost.packs.layers import Layer, Merged
from warhost.packs.lazy import LazySequence
from warhost.packs.lists import resolve_lists
from warhost.packs.parsed import Parsed
from warhost.packs.stacking import Stack
from warhost.packs.yaml_source import Map, Seq, problem_at

if TYPE_CHECKING:
    from warhost.lang.tree import AnyBlock, Module
    from warhost.packs.renaming import Renaming

INHERITED = ("length_unit", "sides", "demo", "price", "roster", "picture", "book")
"""What a manifest takes over from that of the ruleset that it extends, unless it says it itself."""

#: The parts of the data in which examples look names up.
_NAMED_BY_EXAMPLES = ("profiles", "abstract_profiles", "lists", "abstract_lists", "armies")


@dataclass(frozen=True, slots=True)
class Gathered:
    """Data with the files of which they were made. others: those of them that are no examples."""

    layers: list[Layer]
    files: Sequence[Parsed]
    others: Sequence[Parsed]
    data: RulesData
    elements: Mapping[str, Mapping[str, Element]]


def _are_the_same(files: Sequence[Parsed], others: Sequence[Parsed]) -> bool:
    """Whether these are the very same files as they were read, not read anew."""
    return len(files) == len(others) and all(one is other for one, other in zip(files, others, strict=True))


class Gathering:
    """What stands in the files of a stack, put together; what is wrong with it goes to the problems of the stack.

    loose: elements in files with other mistakes, by kind: of those only the names are known. tainted: profiles that
    miss some of what they take over. elements: all that the data define, by kind and id. alike: the data before, where
    what has changed in them is nothing to an example. These are known after `data`.
    """

    def __init__(self, stack: Stack) -> None:
        self.stack, self.sources, self.superseding = stack, stack.sources, stack.superseding
        self.problems, self.blind = stack.problems, stack.blind
        self.loose: dict[str, set[str]] = {}
        self.tainted: set[str] = set()
        self.elements: Mapping[str, Mapping[str, Element]] = {}
        self.alike: RulesData | None = None
        self.renamings = self._renamings()

    def _problem(self, pos: Pos, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(problem_at(pos, code, message, hint))

    # -- rules

    def merged(self, in_order: bool) -> Merged:
        """The layers laid over each other; at once, unless they are known to be in order and nothing lies above the
        book: then when somebody looks at them.
        """
        names = [str(member.manifest.get("id")) for member in self.stack.chain]
        if not in_order or any(source.layer.kind == "house" for source in self.sources):
            return self._merge(names)
        whole = functools.cache(lambda: self._merge(names))
        return Merged(LazySequence(lambda: whole().placed), LazySequence(lambda: whole().removed), ())

    def _merge(self, names: Sequence[str]) -> Merged:
        from warhost.packs.merging import lay, unwrap

        stack: list[tuple[Layer, Sequence[AnyBlock]]] = []
        for source in self.sources:
            modules: list[Module] = [parsed.module for parsed in source.rules() if parsed.module is not None]
            source.layer, blocks, problems = unwrap(source.layer, modules, names)
            self.problems.extend(problems)
            if above := self._of_editions(source):
                from warhost.packs.renaming import in_block

                for one in above:
                    blocks = [in_block(block, one) for block in blocks]
            stack.append((source.layer, blocks))
            self._house_for(source, names)
        library = self.stack.library
        library.laid = lay(stack, (library if library.alike is None else library.alike).laid)
        for source, (layer, _) in zip(self.sources, library.laid.stack, strict=True):
            source.layer = layer
        merged = library.laid.merged
        self.problems.extend(p for p in merged.problems if not (p.code == "unknown-name" and "rules" in self.blind))
        return merged

    def _house_for(self, source: LayerRead, names: Sequence[str]) -> None:
        for _, parsed in source.data("house"):
            wanted = parsed.data.get("for") if isinstance(parsed.data, Map) else None
            if isinstance(wanted, str) and wanted.split("@")[0] not in names:
                message = f'this house rule is for "{wanted}", not for this ruleset'
                self._problem(parsed.data.pos("for"), "wrong-ruleset", message)

    # -- what is called otherwise

    def _renamings(self) -> list[Renaming]:
        """What higher layers call otherwise, with the keys under which data name it."""
        lowest = next((s.layer.index for s in self.sources if s.layer.kind == "ruleset"), 0)
        above = self.sources[lowest + 1 :]
        if not above:  # a book by itself, whose tree nobody has looked at yet
            return []
        from warhost.packs.renaming import renamings_in

        found: list[Renaming] = []
        for source in above:
            for parsed in source.rules():
                found += renamings_in(parsed.module.blocks if parsed.module is not None else (), source.layer.index)
        self.renamings = [one._replace(keys=self._keys_of(one.kind)) for one in found]
        return [self._as_editions_say(one) for one in self.renamings]

    def _as_editions_say(self, renaming: Renaming) -> Renaming:
        """What a book's house rule calls otherwise, by the name that an edition of the book has given it."""
        for one in self._of_editions(self.sources[renaming.layer]):
            if (one.kind, one.old) == (renaming.kind, renaming.old):
                renaming = renaming._replace(old=one.new)
        return renaming

    def _of_editions(self, source: LayerRead) -> list[Renaming]:
        """What rulesets call otherwise that extend the one whose own house rule a layer is: it was written with the
        names of that one.
        """
        layer = source.layer
        layers = [one.layer for one in self.sources if one.layer.kind == "ruleset"]
        owners = [one.index for one in layers if not one.adopted and layer.folder.is_relative_to(one.folder)]
        if not (layer.of_house and owners):
            return []
        between = {one.index for one in layers if max(owners) < one.index < layer.index}
        return [one for one in self.renamings if one.layer in between]

    def _renamed(self, some: Iterable[Map], source: LayerRead, example: bool = False) -> list[Map]:
        """Data or examples of a layer, with the names that higher layers give."""
        above = self._of_editions(source)
        above += [one for one in self.renamings if one.layer > source.layer.index]
        if not above:
            return list(some)
        from warhost.packs.renaming import in_data, in_example

        return [(in_example if example else in_data)(data, above) for data in some]

    def _keys_of(self, kind: str) -> frozenset[str]:
        """The keys of data under which definitions of a kind are named: its plural, and fields that hold one."""
        from warhost.lang.tree import ProfileBlock, StateBlock

        blocks = (b for s in self.sources for p in s.rules() if p.module is not None for b in p.module.blocks)
        declared = (one for b in blocks if isinstance(b, ProfileBlock | StateBlock) for one in b.fields)
        kinds = self.stack.vocabulary.kinds
        plural = {kinds[kind].plural} if kind in kinds else set()
        return frozenset(plural | {one.name for one in declared if one.type.name == kind})

    # -- data

    def data(self, in_order: bool) -> RulesData:
        """What the YAML files say. in_order: nothing is wrong with them, so that nobody need look at the examples now.

        The very same data as before, if the files are, and nothing was wrong with them; the same but for the examples,
        if only these are others.
        """
        files: list[Parsed] = [parsed for source in self.sources for _, parsed in source.data()]
        files += [parsed for read in self.stack.offered.values() for _, parsed, _ in read.files]  # examples name them
        examples = {id(parsed) for source in self.sources for _, parsed in source.data("examples")}
        others = [parsed for parsed in files if id(parsed) not in examples]
        layers = [source.layer for source in self.sources if any(source.data())]  # others, of rules only, add nothing
        known: Gathered | None = self.stack.library.gathered
        if known is not None and (known.layers != layers or self.renamings or self.superseding.named):
            known = None
        if known is not None and _are_the_same(known.files, files):
            self.elements = known.elements
            return known.data
        before = len(self.problems)
        if known is not None and _are_the_same(known.others, others):
            self.elements = known.elements
            data = replace(known.data, examples=self._examples(in_order))
        else:
            data = self._gathered_data(self._examples(in_order))
            self.alike = known.data if known is not None and self._are_alike(known, others, data) else None
        sound = len(self.problems) == before and not (self.blind or self.tainted or any(self.loose.values()))
        plain = sound and not (self.renamings or self.superseding.named)  # else what rules say counts, too
        self.stack.library.gathered = Gathered(layers, files, others, data, self.elements) if plain else None
        return data

    def _are_alike(self, known: Gathered, others: Sequence[Parsed], data: RulesData) -> bool:
        """Whether examples find in the data what they found before: only files of profiles, lists and armies are
        others, and define what is called the same, and the scenarios, with their boards, are as they were.
        """
        kinds = {id(parsed): file.kind for source in self.sources for file, parsed in source.data()}
        if len(known.others) != len(others) or any(
            one is not other and kinds.get(id(other)) not in ("profiles", "army")
            for one, other in zip(known.others, others, strict=True)
        ):
            return False
        scenarios = ([(id_, one.data) for id_, one in some.scenarios.items()] for some in (known.data, data))
        named = (getattr(known.data, what).keys() == getattr(data, what).keys() for what in _NAMED_BY_EXAMPLES)
        return all(named) and next(scenarios) == next(scenarios)

    def _gathered_data(self, examples: Sequence[Example]) -> RulesData:
        elements, problems = merge_data((source.layer, self._elements(source)) for source in self.sources)
        plurals = [kind.plural for kind in self.stack.vocabulary.kinds.values()]
        profiles, more, self.tainted = resolve_profiles(self._not_too_many(elements["profile"]), plurals)
        if any(p.code == "too-large" for p in more):
            self.blind.add("tables")  # the checker would have as much to do
        loose = self.loose.get("profile", set())
        unknown = [p for p in more if p.code == "unknown-profile"]
        certain = [] if "data" in self.blind or loose else unknown
        self.problems.extend(p for p in problems if not (p.code == "unknown-name" and "data" in self.blind))
        self.problems.extend([*(p for p in more if p.code != "unknown-profile"), *certain])
        lists, wrong_lists = resolve_lists(elements["list"], profiles, plurals)
        if not self.blind and not any(self.loose.values()):  # else what is missing may be what could not be read
            self.problems.extend(wrong_lists)
        tables: dict[str, DataTable] = {}
        for element in elements["table"].values():
            table, wrong = read_table(element)
            self.problems.extend(wrong)
            tables[element.id] = table
        self.elements = {**elements, "list": {**lists.abstract, **lists.usable}}
        return RulesData(
            self._length_unit(),
            {id_: profile for id_, profile in profiles.items() if not profile.abstract},
            {id_: profile for id_, profile in profiles.items() if profile.abstract},
            tables,
            lists.usable,
            lists.abstract,
            elements["army"],
            elements["scenario"],
            examples,
        )

    def _not_too_many(self, profiles: Mapping[str, Element]) -> Mapping[str, Element]:
        """The profiles; more than any ruleset has are not looked at, nor what speaks of them."""
        message = too_many("this ruleset", len(profiles), "profiles")
        if not message:
            return profiles
        first = next(iter(profiles.values()))
        self.problems.append(problem_at(first.pos, "too-large", message))
        self.blind |= {"data", "tables"}
        return {}

    def _length_unit(self) -> str:
        chain = self.stack.chain
        for member in reversed(chain):
            unit = member.manifest.get("length_unit")
            if isinstance(unit, str):
                return unit
        manifest = chain[-1].manifest
        if "extends" not in chain[0].manifest:  # else the one below, which might say it, could not be found
            self._problem(manifest.here, "missing-property", 'this file lacks "length_unit"', "write cm, in or hex")
        return ""

    def _elements(self, source: LayerRead) -> list[RawElement]:
        """The elements of a layer's YAML files; of those with mistakes in them only the names are kept."""
        good: list[RawElement] = []
        for file, parsed in source.data("profiles", "house", "army", "scenario"):
            if not isinstance(parsed.data, Map):
                continue
            raw = raw_elements(file.kind, self._renamed([parsed.data], source)[0])
            wrong = [p.line for p in parsed.problems if p.code != "duplicate-key"]
            starts = sorted(one.pos.line for one in raw)
            for one in raw:
                after = bisect_right(starts, one.pos.line)
                end = starts[after] if after < len(starts) else None
                if one.kind == "army" and self.superseding.takes("armies", one.id, source.layer.id):
                    continue
                start = one.pos.line if file.kind in ("profiles", "house") else 0
                if any(line == 0 or _between(line, start, end) for line in wrong):
                    self.loose.setdefault(one.kind, set()).add(one.id)
                else:
                    good.append(one)
        return good

    # -- examples, battles, the book

    def _examples(self, in_order: bool) -> Sequence[Example]:
        """The examples of every layer; one of the same title in a higher layer takes a lower one's place."""
        return LazySequence(self._gathered_examples) if in_order else self._gathered_examples()

    def _gathered_examples(self) -> tuple[Example, ...]:
        found: dict[str, Example] = {}
        for source in self.sources:
            for file, parsed in source.data("examples"):
                if parsed.problems or not isinstance(parsed.data, Seq):
                    continue
                below = path_below(file.path, source.layer.folder)
                for i, data in enumerate(self._renamed(parsed.data, source, example=True)):
                    title, pos = str(data.get("title")), parsed.data.pos(i)
                    if self.superseding.takes_example(data, source.layer.id, below):
                        continue
                    data = self._without_adopted(data)
                    known = found.get(title)
                    if known is not None and known.layer == source.layer:
                        place = f"{known.pos.file}:{known.pos.line}"
                        message = f'an example "{title}" stands already in {place}'
                        self._problem(data.pos("title"), "defined-twice", message)
                    found[title] = Example(title, refs_of(data), data, source.layer, pos)
        return tuple(found.values())

    def _without_adopted(self, data: Map) -> Map:
        """An example without the house rules that an edition has adopted: there they are in force."""
        given = data.get("given")
        house = given.get("house_rules") if isinstance(given, Map) else None
        adopted = self.stack.adopted
        if not (isinstance(given, Map) and isinstance(house, Seq) and any(one in adopted for one in house)):
            return data
        changed, inner = data.copied(), given.copied()
        inner["house_rules"] = house.with_items((one, pos) for one, pos in house.placed() if one not in adopted)
        changed["given"] = inner
        return changed

    def rulebook(self) -> dict[str, BookRule] | None:
        """The index of the book over all layers; None when there is none to check against."""
        found: dict[str, BookRule] = {}
        seen = False
        for source in self.sources:
            here: dict[str, Pos] = {}
            for _, parsed in source.data("rulebook"):
                seen = True
                for data in parsed.data if isinstance(parsed.data, Seq) else ():
                    id_ = data.get("id") if isinstance(data, Map) else None
                    if not isinstance(id_, str):
                        continue
                    pos = data.pos("id")
                    if id_ in here:
                        first = f"the first is in line {here[id_].line}"
                        message = f'rule "{id_}" stands here for the second time; {first}'
                        self._problem(pos, "defined-twice", message)
                    here[id_] = pos
                    out = data.get("ruled_out")
                    chapter, title = str(data.get("chapter") or ""), str(data.get("title") or "")
                    reason = out if isinstance(out, str) else None
                    whys = [why if isinstance(why := data.get(k), str) else None for k in ("not_played", "not_proved")]
                    found[id_] = BookRule(id_, title, chapter, reason, pos, data.get("worked") is True, *whys)
        return found if seen else None

    def equivalent(self) -> dict[tuple[str, str, str], str]:
        """Why some changes to lines of the rules make no difference, as the ruleset's authors say."""
        rows = [
            row
            for source in self.sources
            for _, parsed in source.data("equivalent")
            if isinstance(parsed.data, Seq) and not parsed.problems
            for row in parsed.data
        ]
        return {(str(row["file"]), str(row["text"]), str(row["change"])): str(row["why"]) for row in rows}

    def battles(self) -> dict[str, BattleFile]:
        """The battle files by the names of the files."""
        found: dict[str, BattleFile] = {}
        for source in self.sources:
            for file, parsed in source.data("battle"):
                if isinstance(parsed.data, Map) and not parsed.problems:
                    id_ = file.path.stem
                    if self.superseding.takes("battles", id_, source.layer.id):
                        continue
                    found[id_] = BattleFile(id_, parsed.data, file.path, source.layer)
        return found


def inheriting(manifests: Sequence[Map], superseded: Mapping[str, Mapping[str, str]]) -> Map:
    """The last manifest, with what it takes over from those before it; no demo whose armies are superseded."""
    own = manifests[-1]
    if len(manifests) == 1:
        return own
    whole = Map(own.file, own.line, own.column)
    for manifest in manifests[:-1]:
        whole.take(manifest, [key for key in INHERITED if key in manifest])
    demo: Any = whole.get("demo")
    if isinstance(demo, Map) and any(army in superseded.get("armies", ()) for army in demo.get("armies") or ()):
        del whole["demo"]
    whole.take(own, own)
    return whole


def path_below(path: Path, folder: Path) -> str:
    """A file's path below a folder, with strokes as everywhere; its name when it lies elsewhere."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _between(line: int, start: int, end: int | None) -> bool:
    """Whether a line lies in an element that begins at start, the next of its file at end."""
    return start <= line and (end is None or line < end)
