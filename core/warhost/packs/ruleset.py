"""Loading a ruleset: manifest, plugins, layers, rules and data, checked and merged into one Ruleset."""

from __future__ import annotations

import functools
import gc
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost import tools
from warhost.errors import Problem, RulesInvalid, UsageError, did_you_mean, mistakes, nearest
from warhost.lang.place import Pos
from warhost.limits import too_many
from warhost.packs import cache
from warhost.packs.checks import Contents, LayerRead, RulesetToCheck
from warhost.packs.contents import BattleFile, BookRule, Example, HouseRuleOffer, RulesData
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
from warhost.packs.find import (
    MANIFEST,
    Installed,
    at_home,
    called,
    editions_of,
    files_of,
    find,
    house_rules_in,
    inside,
    shown,
)
from warhost.packs.layers import Layer, Merged, Placed, Removed, in_order
from warhost.packs.lazy import LazySequence
from warhost.packs.lists import resolve_lists
from warhost.packs.parsed import File, Library, ParsedData, ParsedRules, digest_of
from warhost.packs.renaming import Renaming, in_data, in_example, renamings_in
from warhost.packs.spelling import Guesses
from warhost.packs.superseding import Superseding
from warhost.packs.yaml_source import Map, Seq, place_of, problem_at
from warhost.plugins import Active, PluginError, activate, naming
from warhost.vocabulary import ExamplesToRead, RulesLibrary, Vocabulary

if TYPE_CHECKING:
    from warhost.lang.program import Program
    from warhost.lang.tree import AnyBlock, HouseRule, Module
    from warhost.packs.references import References

FOLDERS = {"data": "profiles", "armies": "army", "scenarios": "scenario", "examples": "examples", "battles": "battle"}
"""What the YAML files of a ruleset's folders are, by the names of their schemas."""

FOLDERS_OF_HOUSE_RULES = ("armies", "scenarios", "examples")
"""Those that a house rule's folder may have."""

INHERITED = ("length_unit", "sides", "demo", "price", "roster", "picture", "book")
"""What a manifest takes over from that of the ruleset that it extends, unless it says it itself."""

_REF = re.compile(r"[\w.-]*\w")


@dataclass(frozen=True, slots=True)
class Ruleset(RulesData):
    """A ruleset with its chosen house rules, ready to be played.

    layers are lowest first. house is what was chosen, by the ids of the layers. digest depends on the content of all
    layers' files alone, rules_digest on all but the examples and the index of the book. make_program gives what
    `program` is, the same each time. equivalent: why some changes to a line of the rules make no difference, by the
    file's name, the line and the change. manifests are those of the rulesets that it extends, and its own; manifest is
    its own with what it takes over from them. superseded: what of those rulesets it has no more, by section (examples,
    armies, battles, house_rules) and name, with the reason. files: the layers by the names of their files;
    example_files: those that hold examples and nothing else.
    """

    id: str
    edition: str
    title: str
    folder: Path
    manifest: Map
    layers: tuple[Layer, ...]
    placed: Sequence[Placed]
    removed: Sequence[Removed]
    battles: Mapping[str, BattleFile]
    rulebook: Mapping[str, BookRule]
    house_rules: Mapping[str, HouseRuleOffer]
    house: tuple[str, ...]
    plugins: Active
    vocabulary: Vocabulary
    digest: str
    rules_digest: str
    make_program: Callable[[], Any] = field(repr=False, compare=False)
    files: Mapping[str, Layer] = field(repr=False)
    example_files: frozenset[str] = field(default=frozenset(), repr=False)
    equivalent: Mapping[tuple[str, str, str], str] = field(default_factory=dict, repr=False)
    manifests: tuple[Map, ...] = field(default=(), repr=False)
    superseded: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    _meant: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def called(self) -> str:
        """What to type to mean just this ruleset: `my_game`, `my_game@2` if there are other editions, or its folder."""
        return called(self.id, self.edition, self.folder)

    @property
    def program(self) -> Any:
        """The checked rules, made when somebody first asks; None if the checker was not run."""
        return self.make_program()

    def section(self, key: str) -> Any:
        """What a section of the manifest means to the tool that reads it; for `odds` the questions by their ids.

        Raises KeyError when no tool reads such a section, RulesInvalid for what is wrong with it.
        """
        if key not in self._meant:
            reader = {one.key: one.at for one in tools.sections()}[key]
            meant, problems = tools.use(reader, self.manifests, self.program)
            if problems:
                raise RulesInvalid(problems, self.id)
            self._meant[key] = meant
        return self._meant[key]

    def block(self, kind: str, name: str) -> Placed | None:
        """The block of this kind and name, if it is in force."""
        return next((p for p in self.placed if p.kind == kind and p.name == name), None)

    def layer_of(self, pos: Pos) -> Layer | None:
        """The layer whose file a place lies in."""
        return self.files.get(pos.file)


def load(name_or_path: str | Path, house: Sequence[str | Path] = ()) -> Ruleset:
    """A ruleset with house rules, ready to be played.

    name_or_path: its id (`my_game`, or `my_game@2` for one edition), or the path of its folder. house: house rules,
    each by the id under which the ruleset offers it or by its path; later ones lie over earlier ones. Raises
    RulesInvalid with everything that is wrong, unless only its examples are (they play no part in a battle), UsageError
    when there is no such ruleset or house rule.

    >>> import warhost
    >>> rules = warhost.load("small_fantasy", house=["soft_woods"])
    >>> rules.title, rules.house
    ('A short set for fantasy battles', ('soft_woods',))
    >>> rules.edition
    '1.5'
    """
    ruleset, problems = read(name_or_path, house)
    if ruleset is None or any(p.file not in ruleset.example_files for p in mistakes(problems)):
        raise RulesInvalid(problems, str(name_or_path))
    return ruleset


def read(name_or_path: str | Path, house: Sequence[str | Path] = ()) -> tuple[Ruleset | None, list[Problem]]:
    """A ruleset and everything that is wrong with it, sorted by file and line.

    None when there is not enough to make one of (no readable manifest). With problems the Ruleset is for
    looking at, not for playing. Raises UsageError when there is no such ruleset or house rule.
    """
    return read_from(Library(), name_or_path, house)


def read_from(
    library: Library, name_or_path: str | Path, house: Sequence[str | Path] = ()
) -> tuple[Ruleset | None, list[Problem]]:
    """As `read`, with the texts and what is known of them from a library of the caller's."""
    collects = gc.isenabled()
    gc.disable()  # what is read stays; looking for garbage in it takes a third of the time
    try:
        reading = _RulesetReader(find(name_or_path), house, library)
        ruleset = reading.ruleset()
        return ruleset, reading.sorted_problems()
    finally:
        if collects:
            gc.freeze()  # what was read joins what is old, without a look at each of its parts
            gc.unfreeze()
            gc.enable()


#: Codes of problems that say that something is not there.
_MISSING = frozenset(
    {
        "missing-field", "missing-argument", "no-turn", "not-writable", "no-anchor",
    }
)  # fmt: skip


def words_of_broken_blocks(text: str, problems: Iterable[Problem]) -> set[str]:
    """Every word of the blocks in which something could not be read: what they define would be missed elsewhere."""
    lines = text.splitlines()
    found: set[str] = set()
    for p in problems:
        first = last = min(max(p.line, 1), len(lines)) if lines else 0
        while first > 1 and not lines[first - 1][:1].strip():
            first -= 1
        while last < len(lines) and not lines[last][:1].strip():
            last += 1
        block = "\n".join(lines[max(first - 1, 0) : last])
        found.update(re.findall(r"[A-Za-z_]\w*", block))
        found.update(re.findall(r'"([^"]*)"', block))
    return found


# -- reading -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Member:
    """A ruleset of the chain of `extends`, with its manifest."""

    found: Installed
    label: str
    manifest: Map


class _RulesetReader:
    def __init__(self, found: Installed, house: Sequence[str | Path], library: Library) -> None:
        self.found, self.house, self.library = found, house, library
        self.problems: list[Problem] = []
        self.lines: dict[str, list[str]] = {}
        self.sources: list[LayerRead] = []
        self.offered_refs: list[tuple[str, Pos]] = []
        self.offered: dict[Path, LayerRead] = {}
        self.blind: set[str] = set()
        self.broken: set[str] = set()
        self.loose: dict[str, set[str]] = {}
        self.tainted: set[str] = set()
        self.guesses = Guesses()
        self.libraries: list[tuple[Pos, RulesLibrary]] = []
        self.merged = Merged((), (), ())
        self.contents: Contents | None = None
        self.unasked = False
        self.superseding = Superseding()
        self.renamings: list[Renaming] = []

    def sorted_problems(self) -> list[Problem]:
        """Each once, by file and line, with the line that it speaks of."""
        complete: dict[tuple[str, int, int, str], Problem] = {}
        self.problems = [p for p in self.problems if not self._follows_from_broken(p)]
        if self.problems:
            for at in self._checks("problems"):
                self.problems = list(self._asked(at, self.problems, self._read(), otherwise=self.problems))
        for one in self.problems:
            lines = self._lines(one.file)
            source = one.source
            if source is None and 0 < one.line <= len(lines):
                source = lines[one.line - 1]
            key = (one.file, one.line, one.column, one.message)
            complete.setdefault(key, Problem(one.file, one.line, one.column, one.code, one.message, one.hint, source))
        return [complete[key] for key in sorted(complete)]

    def _follows_from_broken(self, p: Problem) -> bool:
        """Whether something is only missed because the block that would have it could not be read."""
        if not self.broken or (p.code not in _MISSING and not p.code.startswith("unknown-")):
            return False
        named = set(re.findall(r'"([^"]+)"', p.message))
        return not named or bool(named & self.broken)

    def ruleset(self) -> Ruleset | None:
        chain = self._chain()
        if chain is None:
            self.library.save()
            return None
        plugins, vocabulary = self._plugins(chain)
        self._plugin_layers(plugins, chain)
        for member in chain:
            self._ruleset_layer(member)
        self.superseding.read([(str(member.found), member.manifest) for member in chain])
        offers = self._offers(chain)
        chosen = self._house_layers(chain, offers)
        self.library.save()
        self.renamings = self._renamings(vocabulary)
        manifest = _inheriting([member.manifest for member in chain], self.superseding.told())
        key = self._program_key(plugins, vocabulary)
        kept = None if self.problems else cache.kept(key)
        merged, examples = self._merged(chain, kept is not None), self._examples(kept is not None)
        self.merged = merged
        book = self._rulebook()
        data, elements = self._data(chain, vocabulary, examples)
        battles = self._battles()
        if kept is None:
            self.problems.extend(self.superseding.problems())
        program: Callable[[], Program | None]
        if kept is not None:  # these very files were found in order
            program = functools.cache(functools.partial(_restored, kept, merged.placed, vocabulary, data))
        else:
            names_known = self._references(elements, data, vocabulary, merged.placed, book)
            self._needs_of_libraries(merged.placed)
            names, program = self._program(merged.placed, vocabulary, data)
            manifests = [member.manifest for member in chain]
            offered = {id_: self.offered[offer.path] for id_, offer in offers.items()}
            self.contents = Contents(manifest, manifests, plugins, data, battles, names_known, names, offered)
            for at in self._checks("ruleset"):
                self.problems.extend(self._asked(at, self._read(), otherwise=()))
            self._boards(plugins, data, names)
            self._sections(manifests, names)
            self._example_words(data, names, offers)
            self._borne(data, names)
            if names is not None and not (self.problems or self.unasked) and self.library.keeps:
                from warhost.lang.program import bare

                cache.put(key, bare(names))
        return Ruleset(
            id=str(manifest.get("id")),
            edition=str(manifest.get("edition")),
            title=str(manifest.get("title")),
            folder=chain[-1].found.folder,
            manifest=manifest,
            layers=tuple(source.layer for source in self.sources),
            placed=merged.placed,
            removed=merged.removed,
            **{one.name: getattr(data, one.name) for one in fields(data)},
            battles=battles,
            rulebook=book or {},
            house_rules=offers,
            house=chosen,
            plugins=plugins,
            vocabulary=vocabulary,
            digest=self._digest("equivalent"),
            rules_digest=self._digest("equivalent", "examples", "rulebook"),
            equivalent=self._equivalent(),
            make_program=program,
            files={f.label: source.layer for source in self.sources for f, _, _ in source.files},
            example_files=frozenset(f.label for s in self.sources for f, _, _ in s.files if f.kind == "examples"),
            manifests=tuple(member.manifest for member in chain),
            superseded=self.superseding.told(),
        )

    def _digest(self, *without: str) -> str:
        return digest_of([[(f.kind, text) for f, _, text in s.files if f.kind not in without] for s in self.sources])

    def _problem(self, pos: Pos, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(problem_at(pos, code, message, hint))

    # -- files

    def _take(self, source: LayerRead, file: File, folder: str) -> None:
        """Read a file of a folder (by its label) into a layer; what is wrong with it is noted."""
        parsed, text = self.library.read(file, folder)
        source.files.append((file, parsed, text))
        self.problems.extend(parsed.problems)
        if isinstance(parsed, ParsedRules) and parsed.problems:
            if all(p.line for p in parsed.problems):
                self.broken |= words_of_broken_blocks(text, parsed.problems)
            else:  # the file as a whole cannot be read
                self.blind.add("rules")
        elif isinstance(parsed, ParsedData) and not parsed.readable and file.kind != "examples":
            self.blind.add("rulebook" if file.kind == "rulebook" else "data")
            if file.kind in ("profiles", "house"):
                self.blind.add("tables")

    # -- manifests

    def _chain(self) -> list[_Member] | None:
        """The ruleset and those that it extends, the root first; None when its manifest is of no use."""
        chain: list[_Member] = []
        found: Installed | None = self.found
        folders: list[Path] = []
        while found is not None:
            folders.append(found.folder.resolve())
            member = self._member(found)
            if member is None:
                break
            chain.insert(0, member)
            found = self._extended(member, folders)
        if not chain:
            return None
        return chain

    def _member(self, found: Installed) -> _Member | None:
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
        return _Member(found, label, parsed.data)

    def _extended(self, member: _Member, folders: list[Path]) -> Installed | None:
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
        return found

    def _lost(self, *problems: Problem) -> None:
        """A ruleset of the chain cannot be read: what it defines would be missed everywhere."""
        self.problems.extend(problems)
        self.blind |= {"rules", "data", "rulebook"}

    # -- plugins

    def _plugins(self, chain: Sequence[_Member]) -> tuple[Active, Vocabulary]:
        places: dict[str, Pos] = {}
        for member in chain:
            named = member.manifest.get("plugins")
            for i, name in enumerate(named if isinstance(named, Seq) else ()):
                if isinstance(name, str) and isinstance(named, Seq):
                    places.setdefault(name, named.pos(i))
        active, errors = activate(places)
        for error in errors:
            self._plugin_failed(error, places.get(error.plugin))
        try:
            vocabulary, clashes = active.vocabulary()
        except PluginError as error:
            self._plugin_failed(error, places.get(error.plugin))
            return active, Vocabulary()
        for clash in clashes:
            both = f'"{clash.first}" and "{clash.second}"'
            message = f'the plugins {both} both declare the {clash.what} "{clash.name}"'
            self._problem(places[clash.second], "plugin-clash", message, "use only one of them")
        return active, vocabulary

    def _plugin_failed(self, error: PluginError, pos: Pos | None) -> None:
        self.blind.add("rules")  # what the plugin declares would be missed everywhere
        label = f"{shown(self.found.folder)}/{MANIFEST}"
        self._problem(pos or Pos(label, 0, 0, 0, 0), "plugin-failed", error.message, error.hint)

    def _plugin_layers(self, plugins: Active, chain: Sequence[_Member]) -> None:
        by_plugin: dict[str, list[Path]] = {name: [] for name in plugins.names}
        try:
            for name, path in plugins.rules():
                by_plugin[name].append(path)
            for name, path in self._libraries(plugins, chain):
                by_plugin[name].append(path)
        except PluginError as error:
            self._plugin_failed(error, None)
        for name, paths in by_plugin.items():
            source = self._layer(name, name, "plugin", paths[0].parent if paths else Path())
            for path in paths:
                label = shown(path)
                self._take(source, File("rules", path.name, label, path), shown(path.parent))

    def _libraries(self, plugins: Active, chain: Sequence[_Member]) -> Iterator[tuple[str, Path]]:
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

    def _needs_of_libraries(self, placed: Sequence[Placed]) -> None:
        """What libraries leave to the ruleset is there; else it is told once, where the library is asked for."""
        there = {(block.kind, block.name) for block in placed}
        for pos, library in self.libraries:
            for need in library.needs:
                kind, name = need.partition("(")[0].split()
                if (kind, name) not in there:
                    self.broken.add(name)
                    message = f'the library "{library.name}" leaves `{need}` to the ruleset'
                    self._problem(pos, "library-needs", message, f"write a block `{need}`")

    def _layer(self, id_: str, title: str, kind: str, folder: Path) -> LayerRead:
        source = LayerRead(Layer(id_, title, kind, len(self.sources), folder))
        self.sources.append(source)
        return source

    # -- the layers of rulesets

    def _ruleset_layer(self, member: _Member) -> None:
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
        if top == "house" or (top == "examples" and path.suffix == ".rules"):
            return None
        if path.suffix == ".rules":
            return File("rules", relative, name, path)
        if relative in (MANIFEST, "rulebook.yaml", "equivalent.yaml"):
            return File(Path(relative).stem, relative, name, path)
        if path.suffix == ".yml":
            self.problems.append(Problem(name, 0, 0, "stray-file", "this file is not read", "name it .yaml"))
            return None
        if top in FOLDERS and "/" in relative:
            return File(FOLDERS[top], relative, name, path)
        near = nearest(top, FOLDERS) if "/" in relative else None
        hint = f"did you mean {near}/?" if near else f"YAML files belong in {', '.join(f'{f}/' for f in FOLDERS)}"
        self.problems.append(Problem(name, 0, 0, "stray-file", "this file is not read", hint))
        return None

    # -- house rules

    def _offers(self, chain: Sequence[_Member]) -> dict[str, HouseRuleOffer]:
        """The house rules on offer: those that the manifest lists, then what else lies in the folder `house/`. Their
        files are read even when not chosen, so that mistakes in them come out.
        """
        offers: dict[str, HouseRuleOffer] = {}
        for member in chain:
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
        return offers

    def _offer_of(self, path: Path, member: _Member) -> HouseRuleOffer:
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

        return self.guesses.hint(relative, names)

    def _refs_of_offer(self, path: Path, member: _Member) -> Iterator[str]:
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
            if one.suffix == ".rules":
                kind = "rules"
            elif one.suffix == ".yaml":
                kind = FOLDERS[top] if top in FOLDERS_OF_HOUSE_RULES else "house"
            else:
                hint = "a house rule is a .rules or .yaml file, or a folder of them"
                self.problems.append(Problem(name, 0, 0, "stray-file", "this file is not read", hint))
                continue
            files.append(File(kind, relative, name, one))
        return files

    def _house_layers(self, chain: Sequence[_Member], offers: Mapping[str, HouseRuleOffer]) -> tuple[str, ...]:
        chosen: list[str] = []
        for given in self.house:
            offer = offers.get(str(given)) if isinstance(given, str) else None
            if offer is not None:
                id_, title, path = offer.id, offer.title, offer.path
            else:
                path = self._house_path(given, offers)
                id_ = title = path.name if path.is_dir() else path.stem
            if id_ in chosen:
                raise UsageError(f'the house rule "{id_}" is given twice')
            chosen.append(id_)
            owner = self._owner(path, chain) if offer is not None else None
            self._house_layer(id_, title, path, owner)
        return self._in_their_order(chosen)

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
        self.sources = lower
        for layer in order:
            source = house[layer]
            source.layer = replace(layer, index=len(self.sources))
            self.sources.append(source)
        return tuple(layer.id for layer in order) if len(chosen) > 1 else tuple(chosen)

    @staticmethod
    def _owner(path: Path, chain: Sequence[_Member]) -> _Member | None:
        return next((member for member in chain if path.is_relative_to(member.found.folder)), None)

    @staticmethod
    def _house_path(given: str | Path, offers: Mapping[str, HouseRuleOffer]) -> Path:
        path = at_home(given)
        if path.exists():
            return path
        guess = nearest(str(given), offers)
        listed = f"on offer: {', '.join(offers)}" if offers else "this ruleset offers none"
        hint = f'; did you mean "{guess}"?' if guess else ""
        raise UsageError(f'there is no house rule "{given}"{hint} ({listed})')

    def _house_layer(self, id_: str, title: str, path: Path, owner: _Member | None) -> None:
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
        source.layer = Layer(id_, title, "house", source.layer.index, source.layer.folder, tuple(dict.fromkeys(after)))

    @staticmethod
    def _headings(source: LayerRead) -> Iterator[HouseRule]:
        """The `house rule "Title" ..` lines of a house rule's files."""
        for parsed in source.rules():
            if parsed.module is not None:
                yield from _headings_in(parsed.module)

    # -- merging

    def _merged(self, chain: Sequence[_Member], in_order: bool) -> Merged:
        """The layers laid over each other; at once, unless they are known to be in order and nothing lies above the
        book: then when somebody looks at them.
        """
        names = [str(member.manifest.get("id")) for member in chain]
        if not in_order or any(source.layer.kind == "house" for source in self.sources):
            return self._merge(names)
        whole = functools.cache(lambda: self._merge(names))
        return Merged(LazySequence(lambda: whole().placed), LazySequence(lambda: whole().removed), ())

    def _merge(self, names: Sequence[str]) -> Merged:
        from warhost.packs.merging import merge, unwrap

        stack: list[tuple[Layer, Sequence[AnyBlock]]] = []
        for source in self.sources:
            modules: list[Module] = [parsed.module for parsed in source.rules() if parsed.module is not None]
            source.layer, blocks, problems = unwrap(source.layer, modules, names)
            self.problems.extend(problems)
            stack.append((source.layer, blocks))
            self._house_for(source, names)
        merged = merge(stack)
        self.problems.extend(p for p in merged.problems if not (p.code == "unknown-name" and "rules" in self.blind))
        return merged

    def _house_for(self, source: LayerRead, names: Sequence[str]) -> None:
        for _, parsed in source.data("house"):
            wanted = parsed.data.get("for") if isinstance(parsed.data, Map) else None
            if isinstance(wanted, str) and wanted.split("@")[0] not in names:
                message = f'this house rule is for "{wanted}", not for this ruleset'
                self._problem(parsed.data.pos("for"), "wrong-ruleset", message)

    def _renamings(self, vocabulary: Vocabulary) -> list[Renaming]:
        """What higher layers call otherwise, with the keys under which data name it."""
        found: list[Renaming] = []
        lowest = next((s.layer.index for s in self.sources if s.layer.kind == "ruleset"), 0)
        for source in self.sources[lowest + 1 :]:
            for parsed in source.rules():
                found += renamings_in(parsed.module.blocks if parsed.module is not None else (), source.layer.index)
        return [one._replace(keys=self._keys_of(one.kind, vocabulary)) for one in found]

    def _keys_of(self, kind: str, vocabulary: Vocabulary) -> frozenset[str]:
        """The keys of data under which definitions of a kind are named: its plural, and fields that hold one."""
        from warhost.lang.tree import ProfileBlock, StateBlock

        blocks = (b for s in self.sources for p in s.rules() if p.module is not None for b in p.module.blocks)
        declared = (one for b in blocks if isinstance(b, ProfileBlock | StateBlock) for one in b.fields)
        plural = {vocabulary.kinds[kind].plural} if kind in vocabulary.kinds else set()
        return frozenset(plural | {one.name for one in declared if one.type.name == kind})

    def _not_too_many(self, profiles: Mapping[str, Element]) -> Mapping[str, Element]:
        """The profiles; more than any ruleset has are not looked at, nor what speaks of them."""
        message = too_many("this ruleset", len(profiles), "profiles")
        if not message:
            return profiles
        first = next(iter(profiles.values()))
        self.problems.append(problem_at(first.pos, "too-large", message))
        self.blind |= {"data", "tables"}
        return {}

    def _data(
        self, chain: Sequence[_Member], vocabulary: Vocabulary, examples: Sequence[Example]
    ) -> tuple[RulesData, Mapping[str, Mapping[str, Element]]]:
        elements, problems = merge_data((source.layer, self._elements(source)) for source in self.sources)
        profiles, more, self.tainted = resolve_profiles(
            self._not_too_many(elements["profile"]), [kind.plural for kind in vocabulary.kinds.values()]
        )
        if any(p.code == "too-large" for p in more):
            self.blind.add("tables")  # the checker would have as much to do
        loose = self.loose.get("profile", set())
        unknown = [p for p in more if p.code == "unknown-profile"]
        certain = [] if "data" in self.blind or loose else unknown
        self.problems.extend(p for p in problems if not (p.code == "unknown-name" and "data" in self.blind))
        self.problems.extend([*(p for p in more if p.code != "unknown-profile"), *certain])
        lists, wrong_lists = resolve_lists(
            elements["list"], profiles, [kind.plural for kind in vocabulary.kinds.values()]
        )
        if not self.blind and not any(self.loose.values()):  # else what is missing may be what could not be read
            self.problems.extend(wrong_lists)
        tables: dict[str, DataTable] = {}
        for element in elements["table"].values():
            table, wrong = read_table(element)
            self.problems.extend(wrong)
            tables[element.id] = table
        data = RulesData(
            self._length_unit(chain),
            {id_: profile for id_, profile in profiles.items() if not profile.abstract},
            {id_: profile for id_, profile in profiles.items() if profile.abstract},
            tables,
            lists.usable,
            lists.abstract,
            elements["army"],
            elements["scenario"],
            examples,
        )
        return data, {**elements, "list": {**lists.abstract, **lists.usable}}

    def _length_unit(self, chain: Sequence[_Member]) -> str:
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
            above = [one for one in self.renamings if one.layer > source.layer.index]
            raw = raw_elements(file.kind, in_data(parsed.data, above))
            wrong = [p.line for p in parsed.problems if p.code != "duplicate-key"]
            starts = sorted(one.pos.line for one in raw)
            for one in raw:
                after = bisect_right(starts, one.pos.line)
                end = starts[after] if after < len(starts) else None
                if one.kind == "army" and self.superseding.takes("armies", one.id, source.layer.id):
                    continue
                if any(line == 0 or _between(line, one.pos.line, end) for line in wrong):
                    self.loose.setdefault(one.kind, set()).add(one.id)
                else:
                    good.append(one)
        return good

    def _examples(self, in_order: bool) -> Sequence[Example]:
        """The examples of every layer; one of the same title in a higher layer takes a lower one's place."""
        return LazySequence(self._gathered_examples) if in_order else self._gathered_examples()

    def _gathered_examples(self) -> tuple[Example, ...]:
        found: dict[str, Example] = {}
        for source in self.sources:
            for _, parsed in source.data("examples"):
                if parsed.problems or not isinstance(parsed.data, Seq):
                    continue
                above = [one for one in self.renamings if one.layer > source.layer.index]
                for i, written in enumerate(parsed.data):
                    data = in_example(written, above) if above else written
                    title, pos = str(data.get("title")), parsed.data.pos(i)
                    if self.superseding.takes_example(data, source.layer.id):
                        continue
                    known = found.get(title)
                    if known is not None and known.layer == source.layer:
                        place = f"{known.pos.file}:{known.pos.line}"
                        message = f'an example "{title}" stands already in {place}'
                        self._problem(data.pos("title"), "defined-twice", message)
                    found[title] = Example(title, refs_of(data), data, source.layer, pos)
        return tuple(found.values())

    def _rulebook(self) -> dict[str, BookRule] | None:
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

    def _equivalent(self) -> dict[tuple[str, str, str], str]:
        """Why some changes to lines of the rules make no difference, as the ruleset's authors say."""
        rows = [
            row
            for source in self.sources
            for _, parsed in source.data("equivalent")
            if isinstance(parsed.data, Seq) and not parsed.problems
            for row in parsed.data
        ]
        return {(str(row["file"]), str(row["text"]), str(row["change"])): str(row["why"]) for row in rows}

    def _battles(self) -> dict[str, BattleFile]:
        found: dict[str, BattleFile] = {}
        for source in self.sources:
            for file, parsed in source.data("battle"):
                if isinstance(parsed.data, Map) and not parsed.problems:
                    id_ = file.path.stem
                    if self.superseding.takes("battles", id_, source.layer.id):
                        continue
                    found[id_] = BattleFile(id_, parsed.data, file.path, source.layer)
        return found

    # -- checks

    def _references(
        self, elements: Mapping[str, Mapping[str, Element]], data: RulesData, vocabulary: Vocabulary,
        placed: Sequence[Placed], book: Mapping[str, BookRule] | None,
    ) -> References:  # fmt: skip
        """Whether what profiles, lists and armies name is there; the references that can answer for more."""
        from warhost.packs.references import KnownNames, References

        profiles = {**data.profiles, **data.abstract_profiles}
        known = KnownNames(elements, profiles, self.loose, vocabulary.kinds, placed, book, self.blind)
        references = References(known)
        references.profiles()
        for element in (*data.lists.values(), *data.abstract_lists.values()):
            references.army_list(element)
        for element in data.armies.values():
            references.army(element)
        self.problems.extend(references.problems)
        self._tables_twice(placed, data)
        return references

    def _all_refs(self) -> Iterator[tuple[str, Pos]]:
        yield from self.offered_refs
        for source in self.sources:
            if source.layer.kind == "plugin":
                continue
            for parsed in source.rules():
                yield from parsed.refs
            for file, data in source.data():
                if file.kind not in ("rulebook", "ruleset", "equivalent"):
                    yield from data.refs

    def _exact(self, ref: str, pos: Pos) -> Pos:
        """The place of the id itself among the lines of the element that names it."""
        lines = self._lines(pos.file)
        if not 0 < pos.line <= len(lines) or lines[pos.line - 1].startswith(ref, pos.column - 1):
            return pos
        for number in range(pos.line, min(pos.end_line, len(lines)) + 1):
            words = _REF.finditer(lines[number - 1])
            found = next((word for word in words if word[0] == ref), None)
            if found:
                return Pos(pos.file, number, found.start() + 1, number, found.end() + 1)
        return pos

    def _lines(self, label: str) -> list[str]:
        if label not in self.lines:
            self.lines[label] = self.library.texts.get(label, "").split("\n")
        return self.lines[label]

    def _tables_twice(self, placed: Iterable[Placed], data: RulesData) -> None:
        from warhost.lang.tree import TableBlock

        for one in placed:
            if isinstance(one.block, TableBlock) and one.name in data.tables:
                place = data.tables[one.name].pos
                message = f"table {one.name} is defined twice; the other is in {place.file}:{place.line}"
                self._problem(one.block.pos, "defined-twice", message)

    def _sections(self, manifests: Sequence[Map], program: Program | None) -> None:
        """What tools say of their sections of the manifests."""
        if any(p.file.endswith(".rules") for p in self.problems):  # a broken rule is not also told as missing
            program = None
        for section in tools.sections():
            try:
                self.problems.extend(tools.use(section.at, manifests, program)[1])
            except PluginError as error:
                self._tool_failed(error, next((m.pos(section.key) for m in manifests if section.key in m), None))

    def _checks(self, of: str) -> list[str]:
        """What tools have to say of a part, as `module:object`."""
        return [check.at for check in tools.checks() if check.of == of]

    def _asked(self, at: str, *given: Any, otherwise: Any) -> Any:
        """What a tool's function gives; of one that goes wrong only that is told."""
        try:
            return tools.use(at, *given)
        except PluginError as error:
            self._tool_failed(error, None)
            return otherwise

    def _read(self) -> RulesetToCheck:
        """What has been read, for those who look for mistakes in it."""
        return RulesetToCheck(self.sources, self.merged, self.library.texts, self._all_refs, self._exact, self.contents)

    def _tool_failed(self, error: PluginError, pos: Pos | None) -> None:
        """A tool went wrong: a problem where the ruleset asks for it (pos); else it is only told."""
        if pos is not None:
            self._problem(pos, "plugin-failed", error.message, error.hint)
        else:
            self.unasked = True
            tools.went_wrong(error)

    def _example_words(self, data: RulesData, program: Program | None, offers: Iterable[str]) -> None:
        """What those who read examples find in them."""
        if program is None:
            return
        beside = self._rules_beside_examples()
        in_order = self.library.incremental.in_order if self.library.incremental is not None else set()
        marks = [(example, _Mark(example.data, tuple(beside))) for example in data.examples]
        fresh = [example for example, mark in marks if mark not in in_order]
        # What a higher layer takes away from lower ones is not missing in their examples.
        own = [example for example in fresh if self.sources and example.layer == self.sources[-1].layer]
        read = ExamplesToRead(
            fresh, own, program, beside, list(offers), data.lists, not self.problems, tuple(data.profiles)
        )
        found: list[Problem] = []
        for reader in tools.example_readers():
            found += self._asked(reader.at, read, otherwise=())
        self.problems.extend(found)
        if not found:
            in_order.update(mark for _, mark in marks)

    def _borne(self, data: RulesData, program: Program | None) -> None:
        """Whether what is borne has its values, judged by the rules."""
        if program is not None:
            from warhost.packs import borne

            profiles = (*data.profiles.values(), *data.abstract_profiles.values())
            lists = (element.data for element in (*data.lists.values(), *data.abstract_lists.values()))
            self.problems.extend(borne.problems_in(profiles, lists, (e.data for e in data.examples), program))

    def _rules_beside_examples(self) -> list[str]:
        """The texts of the rules that hold in examples alone (`examples/*.rules`)."""
        found = []
        for source in self.sources:
            for path in sorted((source.layer.folder / "examples").glob("*.rules")):
                found.append(self.library.text_of(File("rules", f"examples/{path.name}", str(path), path))[0])
        return found

    def _boards(self, plugins: Active, data: RulesData, program: Any) -> None:
        """What the board plugin says of the scenarios' boards, and of those that examples lay."""
        for scenario in data.scenarios.values():
            board = scenario.data.get("board")
            if isinstance(board, Map) and not self.blind and not plugins.has("warhost_board", "warhost_board_problems"):
                message = "no plugin of this ruleset reads a board"
                hint = "name one under `plugins` in ruleset.yaml, as warhost_field or warhost_hexes, or take it away"
                self._problem(scenario.data.key_pos("board"), "unread", message, hint)
            elif isinstance(board, Map):
                self._board(plugins, board, scenario.data.key_pos("board"), program)
        told: set[str] = set()
        for example in data.examples:
            given = example.data.get("given")
            if not isinstance(given, Map) or not isinstance(given.get("board"), Map):
                continue
            said = repr((given.get("scenario"), given["board"]))
            if said not in told:
                told.add(said)
                self._board(plugins, _whole_board(given, given["board"], data), given.key_pos("board"), program)

    def _board(self, plugins: Active, board: Map, pos: Pos, program: Any) -> None:
        """What the board plugin says of a board. pos: where it stands."""
        try:
            for name, sentences in plugins.each("warhost_board_problems", board=board, program=program):
                with naming(name, "warhost_board_problems"):
                    for said in sentences:
                        place, sentence = (None, said) if isinstance(said, str) else said
                        self._problem(place_of(board, place, key=True) if place else pos, "wrong-board", sentence)
        except PluginError as error:
            self._problem(pos, "plugin-failed", error.message)

    def _program(
        self, placed: Sequence[Placed], vocabulary: Vocabulary, data: RulesData
    ) -> tuple[Program | None, Callable[[], Program | None]]:
        """The checked rules, when they and the tables could all be read and nothing is wrong: to look names up in, and
        as they play.

        Profiles that miss what they extend are not shown to the checker: it would miss their fields once more.
        """
        if self.blind & {"rules", "tables"} or self.loose.get("table"):
            return None, lambda: None
        if self.tainted:
            sound = {id_: profile for id_, profile in data.profiles.items() if id_ not in self.tainted}
            data = replace(data, profiles=sound)
        from warhost.lang.building_program import build

        looks = [functools.partial(self._look, at) for at in self._checks("rules")]
        if self.library.incremental is not None:
            names, problems, whole = self.library.incremental.look(placed, vocabulary, data, looks)
            self.problems.extend(problems)
            if whole or names is None:
                return names, lambda: names
            return names, functools.cache(lambda: build(placed, vocabulary, data, to_play=False)[0])
        built, problems = build(placed, vocabulary, data, looks=looks)
        self.problems.extend(problems)
        return built, lambda: built

    def _look(self, at: str, *given: Any) -> bool:
        """What a tool says of checked rules; one that goes wrong has nothing to say of them."""
        return bool(self._asked(at, *given, otherwise=True))

    def _program_key(self, plugins: Active, vocabulary: Vocabulary) -> str:
        """What a checked program depends on: the files as they are called and their text, the plugins and what they
        declare, and the rules of the book that house rules on offer name.
        """
        functions = [(f.name, f.parameters, f.result, sorted(f.effects)) for f in vocabulary.functions.values()]
        texts = [cache.key_of(f.kind, f.label, text) for source in self.sources for f, _, text in source.files]
        declared = repr((functions, list(vocabulary.kinds.values())))
        code = cache.code_stamp() + cache.files_stamp([*plugins.sources(), *tools.sources_of_checks()])
        beside = repr(self._rules_beside_examples())
        return cache.key_of("program", code, repr(texts), declared, repr(self.offered_refs), beside)


def _inheriting(manifests: Sequence[Map], superseded: Mapping[str, Mapping[str, str]]) -> Map:
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


class _Mark:
    """Stands for data that were found in order: these very ones, not equal ones, and under the same other texts."""

    __slots__ = ("data", "texts")

    def __init__(self, data: Map, texts: tuple[str, ...]) -> None:
        self.data, self.texts = data, texts

    def __hash__(self) -> int:
        return id(self.data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Mark) and self.data is other.data and self.texts == other.texts


def _whole_board(given: Map, board: Map, data: RulesData) -> Map:
    """The board of an example: what it lays, on the table of the scenario that it names, or of the first."""
    named = data.scenarios.get(str(given.get("scenario"))) if "scenario" in given else None
    scenario = named or next(iter(data.scenarios.values()), None)
    under = scenario.data.get("board") if scenario is not None else None
    if not isinstance(under, Map):
        return board
    whole = Map(board.file, board.line, board.column)
    whole.take(under, [key for key in under if named is not None or key not in ("terrain", "to_lay")])
    whole.take(board, board)
    return whole


def _restored(raw: bytes, placed: Sequence[Placed], vocabulary: Vocabulary, data: RulesData) -> Program:
    """A program that was kept, as it was when it had been built."""
    from warhost.lang.program import restore

    program: Program = cache.unfolded(raw)

    def checker() -> Any:
        from warhost.lang.building_program import checker_of

        return checker_of(program, placed, vocabulary, data)

    restore(program, vocabulary, checker)
    return program


def _between(line: int, start: int, end: int | None) -> bool:
    """Whether a line lies in an element that begins at start, the next of its file at end. The first line of a file
    with one element is the file.
    """
    return start <= line and (end is None or line < end)


def _headings_in(module: Module) -> Iterator[HouseRule]:
    """The `house rule "Title" ..` lines of a file of rules."""
    from warhost.lang.tree import HouseRule

    return (block for block in module.blocks if isinstance(block, HouseRule))


def _first_sentence(house: HouseRule) -> str:
    """The first `reads` of a house rule, of whatever stands in it."""
    from warhost.lang.tree import Text, walk

    found = (getattr(node, "reads", None) for node in walk(house))
    return next((one.plain for one in found if isinstance(one, Text) and one.plain), "")
