"""The layers of a ruleset: its manifests, plugins, libraries and house rules, with their files as they were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.errors import Problem, UsageError, did_you_mean, is_a_slip, nearest
from warhost.lang.place import Pos
from warhost.packs.checks import LayerRead
from warhost.packs.contents import HouseRuleOffer
from warhost.packs.data import refs_of
from warhost.packs.find import (
    MANIFEST,
    MISNAMED,
    Installed,
    editions_of,
    files_of,
    find,
    house_rules_in,
    inside,
    near_on_disk,
)  # fmt: skip
from warhost.packs.layers import Layer, in_order
from warhost.packs.parsed import File, Library, ParsedData, ParsedRules
from warhost.packs.spelling import Guesses
from warhost.packs.superseding import Superseding
from warhost.packs.user_paths import at_home, shown
from warhost.packs.yaml_source import Map, Seq, problem_at
from warhost.plugins import Active, PluginError, activate
from warhost.vocabulary import RulesLibrary, Vocabulary

if TYPE_CHECKING:
    from warhost.lang.tree import HouseRule, Module

FOLDERS = {"data": "profiles", "armies": "army", "scenarios": "scenario", "examples": "examples", "battles": "battle"}
"""What the YAML files of a ruleset's folders are, by the names of their schemas."""

FOLDERS_OF_HOUSE_RULES = ("armies", "scenarios", "examples")
"""Those that a house rule's folder may have."""


@dataclass(slots=True)
class ChainMember:
    """A ruleset of the chain of `extends`, with its manifest."""

    found: Installed
    label: str
    manifest: Map


class Stack:
    """A ruleset with its chosen house rules, layer by layer. Made by `read`.

    found: the ruleset that was asked for; house: the house rules chosen, by id or path; library: where texts come from.

    chain: the ruleset and those that it extends, the root first; empty when its manifest is of no use. sources: the
    layers with their files, lowest first. offers: the house rules on offer by their ids; adopted: the ids of those that
    editions have made their own, which are on offer no more; chosen: the ids of those chosen, in the order in which
    they lie. libraries: the libraries of rules that are asked for, each with the place.
    offered: those on offer as they were read, by their paths; offered_refs: the rules of the book that they name.
    problems: what is wrong; blind: what could not be read at all (`rules`, `data`, `tables`, `rulebook`), so that
    whatever is missed may be there.
    """

    def __init__(self, found: Installed, house: Sequence[str | Path], library: Library) -> None:
        self.found, self.house, self.library = found, house, library
        self.problems: list[Problem] = []
        self.blind: set[str] = set()
        self.chain: list[ChainMember] = []
        self.plugins, self.vocabulary = Active(), Vocabulary()
        self.plugin_places: dict[str, Pos] = {}
        self.libraries: list[tuple[Pos, RulesLibrary]] = []
        self.sources: list[LayerRead] = []
        self.offers: dict[str, HouseRuleOffer] = {}
        self.adopted: dict[str, None] = {}
        self.offered_refs: list[tuple[str, Pos]] = []
        self.offered: dict[Path, LayerRead] = {}
        self.chosen: tuple[str, ...] = ()
        self.superseding = Superseding()
        self._guesses = Guesses()

    def read(self) -> bool:
        """Read the files of all layers. False when there is no readable manifest to begin with."""
        self.chain = self._chain()
        if self.chain:
            self.plugins, self.vocabulary = self._plugins(self.chain)
            self._plugin_layers(self.plugins, self.chain)
            self.superseding.read([(str(member.found), member.manifest) for member in self.chain])
            for member in self.chain:
                self._adopted_layers(member)
                self._ruleset_layer(member)
                self._offers_of(member)
            self.chosen = self._house_layers(self.chain, self.offers)
        self.library.save()
        return bool(self.chain)

    def _problem(self, pos: Pos, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(problem_at(pos, code, message, hint))

    # -- files

    def _take(self, source: LayerRead, file: File, folder: str) -> None:
        """Read a file of a folder (by its label) into a layer; what is wrong with it is noted."""
        parsed, text = self.library.read(file, folder)
        source.files.append((file, parsed, text))
        self.problems.extend(parsed.problems)
        if isinstance(parsed, ParsedRules) and parsed.problems:
            if not all(p.line for p in parsed.problems):  # the file as a whole cannot be read
                self.blind.add("rules")
        elif isinstance(parsed, ParsedData) and not parsed.readable and file.kind != "examples":
            self.blind.add("rulebook" if file.kind == "rulebook" else "data")
            if file.kind in ("profiles", "house"):
                self.blind.add("tables")

    # -- manifests

    def _chain(self) -> list[ChainMember]:
        """The ruleset and those that it extends, the root first."""
        chain: list[ChainMember] = []
        found: Installed | None = self.found
        folders: list[Path] = []
        while found is not None:
            folders.append(found.folder.resolve())
            member = self._member(found)
            if member is None:
                break
            chain.insert(0, member)
            found = self._extended(member, folders)
        return chain

    def _member(self, found: Installed) -> ChainMember | None:
        label = shown(found.folder)
        if inside(found.folder, MANIFEST) is None:
            message = "this link leads to a file outside the folder"
            self._lost(Problem(f"{label}/{MANIFEST}", 0, 0, "outside", message))
            return None
        file = File("ruleset", MANIFEST, f"{label}/{MANIFEST}", found.folder / MANIFEST)
        parsed, _ = self.library.read(file, label)
        assert isinstance(parsed, ParsedData)
        if not isinstance(parsed.data, Map):
            self._lost(*parsed.problems)
            return None
        self.problems.extend(parsed.problems)
        return ChainMember(found, label, parsed.data)

    def _extended(self, member: ChainMember, folders: list[Path]) -> Installed | None:
        wanted = member.manifest.get("extends")
        if not isinstance(wanted, str):
            return None
        pos = member.manifest.pos("extends")
        if "/" in wanted or "\\" in wanted or wanted.startswith("."):
            message = "`extends` names a ruleset by its id (or id@edition), not by a path"
            self._lost(problem_at(pos, "outside", message))
            return None
        beside = [member.found.folder.resolve().parent]
        try:
            found = find(wanted, beside, by_pin=False)
        except UsageError as error:
            self._lost(problem_at(pos, "unknown-ruleset", str(error)))
            return None
        if found.folder.resolve() in folders:
            message = f'rulesets extend each other in a circle: "{wanted}" is extended already'
            others = [str(one) for one in editions_of(wanted.partition("@")[0]) if one.folder.resolve() not in folders]
            self._lost(problem_at(pos, "circle", message, f"say which edition: {others[0]}" if others else None))
            return None
        if str(found) == str(member.found):
            message = f"this is the edition of the ruleset that it extends ({wanted})"
            self._lost(problem_at(member.manifest.pos("edition"), "same-edition", message, "call it otherwise"))
            return None
        return found

    def _lost(self, *problems: Problem) -> None:
        """A ruleset of the chain cannot be read: what it defines would be missed everywhere."""
        self.problems.extend(problems)
        self.blind |= {"rules", "data", "rulebook"}

    # -- plugins

    def _plugins(self, chain: Sequence[ChainMember]) -> tuple[Active, Vocabulary]:
        places: dict[str, Pos] = {}
        for member in chain:
            named = member.manifest.get("plugins")
            for i, name in enumerate(named if isinstance(named, Seq) else ()):
                if isinstance(name, str) and isinstance(named, Seq):
                    places.setdefault(name, named.pos(i))
        self.plugin_places = places
        active, errors = activate(places)
        for error in errors:
            self._plugin_failed(error)
        try:
            vocabulary, clashes = active.vocabulary()
        except PluginError as error:
            self._plugin_failed(error)
            return active, Vocabulary()
        for clash in clashes:
            both = f'"{clash.first}" and "{clash.second}"'
            message = f'the plugins {both} both declare the {clash.what} "{clash.name}"'
            hint = "use only one of them"
            if clash.first == clash.second:
                message = f'the plugin "{clash.first}" declares the {clash.what} "{clash.name}" twice'
                hint = f"give one of the two another name, in {clash.place}" if clash.place else "call one otherwise"
            self._problem(places[clash.second], "plugin-clash", message, hint)
        return active, vocabulary

    def _plugin_failed(self, error: PluginError) -> None:
        """Told where the plugin is named."""
        pos = self.plugin_places.get(error.plugin)
        self.blind.add("rules")  # what the plugin declares would be missed everywhere
        label = f"{shown(self.found.folder)}/{MANIFEST}"
        self._problem(pos or Pos(label, 0, 0, 0, 0), "plugin-failed", error.message, error.hint)

    def _plugin_layers(self, plugins: Active, chain: Sequence[ChainMember]) -> None:
        by_plugin: dict[str, list[Path]] = {name: [] for name in plugins.names}
        try:
            for name, path in plugins.rules():
                by_plugin[name].append(path)
            for name, path in self._libraries(plugins, chain):
                by_plugin[name].append(path)
        except PluginError as error:
            self._plugin_failed(error)
        for name, paths in by_plugin.items():
            source = self._layer(name, name, "plugin", paths[0].parent if paths else Path())
            for path in paths:
                label = shown(path)
                self._take(source, File("rules", path.name, label, path), shown(path.parent))

    def _libraries(self, plugins: Active, chain: Sequence[ChainMember]) -> Iterator[tuple[str, Path]]:
        """The files of the libraries that the rulesets ask for, each with its plugin, in the order of the plugins."""
        asked: dict[str, Pos] = {}
        for member in chain:
            named = member.manifest.get("libraries")
            if isinstance(named, Seq):
                asked.update({name: named.pos(i) for i, name in enumerate(named) if isinstance(name, str)})
        known = {one.name: (plugin, one.path) for plugin, one in plugins.libraries()}
        self.libraries = [(asked[one.name], one) for _, one in plugins.libraries() if one.name in asked]
        for name, pos in asked.items():
            if name not in known:
                self.blind.add("rules")  # what the library would have declared is not there
                there = f"there is {', '.join(known)}" if known else "none of its plugins has any"
                hint = did_you_mean(name, known) or f"{there}; if another plugin has it, name that under `plugins`"
                self._problem(pos, "unknown-library", f'no plugin of this ruleset has a library "{name}"', hint)
        return (found for name, found in known.items() if name in asked)

    def _layer(self, id_: str, title: str, kind: str, folder: Path) -> LayerRead:
        source = LayerRead(Layer(id_, title, kind, len(self.sources), folder))
        self.sources.append(source)
        return source

    # -- the layers of rulesets

    def _ruleset_layer(self, member: ChainMember) -> None:
        found, manifest = member.found, member.manifest
        title = str(manifest.get("title") or found.id)
        source = self._layer(str(found), title, "ruleset", found.folder)
        files, problems = files_of(found.folder, member.label)
        self.problems.extend(problems)
        for relative, path in files:
            file = self._classified(relative, path, member.label)
            if file is None:
                continue
            if file.kind == "ruleset":  # its problems have been noted with the manifest
                parsed, text = self.library.read(file, member.label)
                source.files.append((file, parsed, text))
            else:
                self._take(source, file, member.label)

    def _classified(self, relative: str, path: Path, label: str) -> File | None:
        """What a file of a ruleset's folder is; files of house rules, and rules that only examples have, are read when
        their turn comes.
        """
        name = f"{label}/{relative}"
        top = relative.split("/")[0]
        if path.suffix in MISNAMED:
            self._stray(name, f"name it {MISNAMED[path.suffix]}")
            return None
        if top == "house" or (top == "examples" and path.suffix == ".rules"):
            return None
        if path.suffix == ".rules":
            return File("rules", relative, name, path)
        if relative in (MANIFEST, "rulebook.yaml", "equivalent.yaml"):
            return File(Path(relative).stem, relative, name, path)
        if top in FOLDERS and "/" in relative:
            return File(FOLDERS[top], relative, name, path)
        near = nearest(top, FOLDERS) if "/" in relative else None
        hint = f"did you mean {near}/?" if near else f"YAML files belong in {', '.join(f'{f}/' for f in FOLDERS)}"
        self._stray(name, hint)
        return None

    def _stray(self, name: str, hint: str) -> None:
        self.problems.append(Problem(name, 0, 0, "stray-file", "this file is not read", hint))

    # -- house rules

    def _adopted_layers(self, member: ChainMember) -> None:
        """The house rules of lower rulesets that this one adopts: each a layer of its own, the first lowest."""
        named = member.manifest.get("adopts")
        for id_, pos in named.placed() if isinstance(named, Seq) else ():
            offer = self.offers.pop(id_, None) if isinstance(id_, str) else None
            if offer is None:
                message = f'the ruleset that this one extends offers no house rule "{id_}" to adopt'
                self._problem(pos, "unknown-name", message, did_you_mean(str(id_), self.offers))
                continue
            self.adopted[id_] = None
            del self.offered[offer.path]
            owner = self._owner(offer.path, self.chain) or member
            folder = offer.path if offer.path.is_dir() else offer.path.parent
            title = str(member.manifest.get("title") or member.found.id)
            source = self._layer(str(member.found), title, "ruleset", folder)
            source.layer = replace(source.layer, adopted=True)
            for file in self._house_files(offer.path, owner.label, owner.found.folder):
                self._take(source, file, owner.label)

    def _offers_of(self, member: ChainMember) -> None:
        """The house rules that a ruleset offers: those that its manifest lists, then what else lies in its folder
        `house/`. Their files are read even when not chosen, so that mistakes in them come out.
        """
        offers = self.offers
        given_house_rules = member.manifest.get("house_rules")
        listed = given_house_rules if isinstance(given_house_rules, Map) else Map()
        named: list[Path] = []
        for id_, given in listed.items():
            relative = given.get("file") if isinstance(given, Map) else None
            path = inside(member.found.folder, relative) if isinstance(relative, str) else None
            if path is not None:
                named.append(path)
            if not isinstance(relative, str) or self.superseding.takes("house_rules", str(id_), str(member.found)):
                continue
            if path is None:
                self._problem(given.pos("file"), "outside", f'"{relative}" leads out of the ruleset\'s folder')
                continue
            if not path.exists():
                hint = self._near_house_file(relative, member.found.folder)
                self._problem(given.pos("file"), "missing-file", f'there is no file "{relative}"', hint)
                continue
            refs = [*refs_of(given), *self._refs_of_offer(path, member)]
            offers[str(id_)] = HouseRuleOffer(
                str(id_),
                str(given.get("title") or id_),
                str(given.get("reads") or ""),
                path,
                tuple(dict.fromkeys(refs)),
                listed.key_pos(id_),
            )
        own = {str(id_) for id_ in listed} & offers.keys()
        for path in house_rules_in(member.found.folder, named):
            if self.superseding.takes("house_rules", path.stem, str(member.found)):
                continue
            offer = self._offer_of(path, member)
            if path.stem in own:
                message = f'there is another house rule called "{path.stem}": {shown(offers[path.stem].path)}'
                self._problem(offer.pos, "defined-twice", message, "give one of the two another name")
            own.add(path.stem)
            offers[path.stem] = offer

    def _offer_of(self, path: Path, member: ChainMember) -> HouseRuleOffer:
        """A house rule on offer by what its own files say: the title of its first line, and its first sentence; data
        alone say their title.
        """
        titles: list[tuple[str, Pos]] = []
        reads = ""
        files = self._house_files(path, member.label, member.found.folder)
        for file in sorted(files, key=lambda one: one.kind != "rules"):
            parsed, _ = self.library.read(file, member.label)
            if isinstance(parsed, ParsedRules) and parsed.module is not None:
                for heading in _headings_in(parsed.module):
                    titles.append((heading.title, heading.pos))
                    reads = reads or _first_sentence(heading)
            elif file.kind == "house" and isinstance(parsed, ParsedData) and isinstance(parsed.data, Map):
                given = parsed.data.get("title")
                titles += [(given, parsed.data.pos("title"))] if isinstance(given, str) else []
        titles.append((path.stem, Pos(files[0].label if files else shown(path), 1, 1, 1, 1)))
        refs = tuple(dict.fromkeys(self._refs_of_offer(path, member)))
        return HouseRuleOffer(path.stem, titles[0][0], reads, path, refs, titles[0][1])

    def _near_house_file(self, relative: str, folder: Path) -> str | None:
        def names() -> list[str]:
            return [f"house/{name}" for name, _ in files_of(folder / "house", "house")[0]]

        return self._guesses.hint(relative, names)

    def _refs_of_offer(self, path: Path, member: ChainMember) -> Iterator[str]:
        read = self.offered[path] = LayerRead(Layer(path.stem, path.stem, "house", -1, path.parent))
        for file in self._house_files(path, member.label, member.found.folder):
            parsed, text = self.library.read(file, member.label)
            read.files.append((file, parsed, text))
            self.problems.extend(parsed.problems)
            self.offered_refs.extend(parsed.refs)
            if file.kind != "examples":
                yield from (ref for ref, _ in parsed.refs)

    def _house_files(self, path: Path, label: str | None = None, folder: Path | None = None) -> list[File]:
        """The files of a house rule: one file, or those of a folder."""
        if path.is_dir():
            found, problems = files_of(path, shown(path))
            self.problems.extend(problems)
        else:
            found = [(path.name, path)]
        files: list[File] = []
        for relative, one in found:
            name = f"{label}/{one.relative_to(folder).as_posix()}" if label and folder else shown(one)
            top = relative.split("/")[0] if "/" in relative else ""
            if top == "examples" and one.suffix == ".rules":  # in force in examples alone
                continue
            meant = next((f for f in FOLDERS_OF_HOUSE_RULES if _is_nearly(top, f)), None)
            if one.suffix == ".rules":
                kind = "rules"
            elif one.suffix == ".yaml" and meant is None:
                kind = FOLDERS[top] if top in FOLDERS_OF_HOUSE_RULES else "house"
            else:
                any_ = "a house rule is a .rules or .yaml file, or a folder of them"
                right = f"name it {MISNAMED[one.suffix]}" if one.suffix in MISNAMED else any_
                self._stray(name, f"did you mean {meant}/?" if meant else right)
                continue
            files.append(File(kind, relative, name, one))
        return files

    def _house_layers(self, chain: Sequence[ChainMember], offers: Mapping[str, HouseRuleOffer]) -> tuple[str, ...]:
        chosen: dict[str, Path] = {}
        for given in self.house:
            if given in self.adopted and given not in offers:  # it is in force as part of an edition
                continue
            offer = offers.get(str(given)) if isinstance(given, str) else None
            if offer is not None:
                id_, title, path = offer.id, offer.title, offer.path
            else:
                path = self._house_path(given, offers)
                id_ = title = path.name if path.is_dir() else path.stem
            if path.resolve() in chosen.values():
                raise UsageError(f'the house rule "{id_}" is given twice')
            if id_ in chosen:  # another file of that name
                id_ = shown(path)
            chosen[id_] = path.resolve()
            owner = self._owner(path, chain) if offer is not None else None
            self._house_layer(id_, title, path, owner)
        return self._in_their_order(tuple(chosen))

    def _in_their_order(self, chosen: Sequence[str]) -> tuple[str, ...]:
        """The house rules laid in the order that they ask for (`after "..."`), else in the order given."""
        lower = [source for source in self.sources if source.layer.kind != "house"]
        house = {source.layer: source for source in self.sources[len(lower) :]}
        order, circle = in_order(house)
        if circle:
            pos = next((p.module.pos for p in house[circle[0]].rules() if p.module is not None), None)
            titles = " and ".join(f'"{layer.title}"' for layer in circle)
            message = f"the house rules {titles} each say that they come after the other"
            place = pos or Pos(shown(circle[0].folder), 0, 0, 0, 0)
            self._problem(place, "house-conflict", message, "take one `after` away")
        self.sources[:] = lower
        for layer in order:
            source = house[layer]
            source.layer = replace(layer, index=len(self.sources))
            self.sources.append(source)
        return tuple(layer.id for layer in order) if len(chosen) > 1 else tuple(chosen)

    @staticmethod
    def _owner(path: Path, chain: Sequence[ChainMember]) -> ChainMember | None:
        return next((member for member in chain if path.is_relative_to(member.found.folder)), None)

    @staticmethod
    def _house_path(given: str | Path, offers: Mapping[str, HouseRuleOffer]) -> Path:
        path = at_home(given)
        if path.exists():
            return path
        guess = nearest(str(given), filter(None, (*offers, near_on_disk(path))))
        listed = f"on offer: {', '.join(offers)}" if offers else "this ruleset offers none"
        hint = f'; did you mean "{guess}"?' if guess else ""
        raise UsageError(f'there is no house rule "{given}"{hint} ({listed})')

    def _house_layer(self, id_: str, title: str, path: Path, owner: ChainMember | None) -> None:
        source = self._layer(id_, title, "house", path if path.is_dir() else path.parent)
        label, folder = (owner.label, owner.found.folder) if owner else (None, None)
        on_shelf = owner.label if owner else shown(path)
        after: list[str] = []
        for file in self._house_files(path, label, folder):
            self._take(source, file, on_shelf)
            parsed = source.files[-1][1]
            if isinstance(parsed, ParsedData) and file.kind == "house" and isinstance(parsed.data, Map):
                given = parsed.data.get("after")
                if isinstance(given, Seq):
                    after.extend(one for one in given if isinstance(one, str))
                if owner is None and isinstance(parsed.data.get("title"), str):
                    title = parsed.data["title"]
        headings = list(self._headings(source))
        after.extend(name for heading in headings for name in heading.after)
        title = headings[0].title if headings else title
        said = next((heading.reads for heading in headings if heading.reads is not None), None)
        reads = " ".join(part for part in said.parts if isinstance(part, str)) if said is not None else ""
        index, place = source.layer.index, source.layer.folder
        source.layer = Layer(id_, title, "house", index, place, tuple(dict.fromkeys(after)), reads=reads)

    @staticmethod
    def _headings(source: LayerRead) -> Iterator[HouseRule]:
        """The `house rule "Title" ..` lines of a house rule's files."""
        for parsed in source.rules():
            if parsed.module is not None:
                yield from _headings_in(parsed.module)


def _is_nearly(name: str, folder: str) -> bool:
    """Whether a folder's name is another one misspelt, or in the singular."""
    return name != folder and (name in (folder[:-1], folder[:-3] + "y") or is_a_slip(name, folder))


def _headings_in(module: Module) -> Iterator[HouseRule]:
    """The `house rule "Title" ..` lines of a file of rules."""
    from warhost.lang.tree import HouseRule

    return (block for block in module.blocks if isinstance(block, HouseRule))


def _first_sentence(house: HouseRule) -> str:
    """The first `reads` of a house rule, of whatever stands in it."""
    from warhost.lang.tree import Text, walk

    found = (getattr(node, "reads", None) for node in walk(house))
    return next((one.plain for one in found if isinstance(one, Text) and one.plain), "")
