"""Loading a ruleset: its layers read, laid over each other, checked, and made one Ruleset."""

from __future__ import annotations

import functools
import gc
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost import tools
from warhost.errors import Problem, RulesInvalid, mistakes
from warhost.lang.place import Pos
from warhost.packs import cache
from warhost.packs.checks import Contents, LayerRead, RulesetToCheck
from warhost.packs.contents import BattleFile, BookRule, Example, RulesData
from warhost.packs.find import find
from warhost.packs.gathering import Gathering, inheriting
from warhost.packs.layers import Merged, Placed
from warhost.packs.marks import SoundMark, words_in
from warhost.packs.parsed import File, Library, ParsedData, digest_of
from warhost.packs.ruleset import Ruleset
from warhost.packs.stacking import Stack
from warhost.packs.yaml_source import Map, problem_at
from warhost.plugins import PluginError
from warhost.vocabulary import ExamplesToRead, Vocabulary

if TYPE_CHECKING:
    from warhost.lang.program import Program
    from warhost.packs.references import References

_REF = re.compile(r"[\w.-]*\w")


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
        loading = _Loading(Stack(find(name_or_path), house, library))
        ruleset = loading.ruleset()
        return ruleset, loading.sorted_problems()
    finally:
        if collects:
            gc.freeze()  # what was read joins what is old, without a look at each of its parts
            gc.unfreeze()
            gc.enable()


class _Loading:
    """One ruleset on its way from a stack of layers to a Ruleset. unasked: a tool went wrong and had nothing to say.
    data_too: what data are held against is not what it was when they were in order. examples_known: nothing was wrong
    with examples that bear a mark, and what else has changed is nothing to them. sections: by their keys, what those
    of tools mean that are in order, and their text. whole: the program that was checked is of these very rules. warned:
    of what these very files warned before, None if it is not known; to_keep: what is to be remembered of them, and
    under which key.
    """

    def __init__(self, stack: Stack) -> None:
        self.stack, self.sources, self.library = stack, stack.sources, stack.library
        self.problems, self.blind = stack.problems, stack.blind
        self.lines: dict[str, list[str]] = {}
        self.merged = Merged((), (), ())
        self.contents: Contents | None = None
        self.unasked, self.data_too = False, True
        self.examples_known = False
        self.sections: dict[str, tuple[Any, str]] = {}
        self.warned: list[Problem] | None = None
        self.to_keep: tuple[str, Program] | None = None
        self.whole = True

    def sorted_problems(self) -> list[Problem]:
        """Each once, by file and line, with the line that it speaks of."""
        if self.warned is not None:
            return self.warned
        found = self._sorted()
        if self.to_keep is not None and not (mistakes(found) or self.unasked):
            key, program = self.to_keep
            self.library.folded = self.library.folded or cache.folded(program)
            cache.put(key, (self.library.folded, found, self._offered()))
        return found

    def _sorted(self) -> list[Problem]:
        complete: dict[tuple[str, int, int, str], Problem] = {}
        found: list[Problem] = self.problems
        if found:
            for at in self._checks("problems"):
                found = list(self._asked(at, found, self._read(), otherwise=found))
        for one in found:
            lines = self._lines(one.file)
            source = one.source
            if source is None and 0 < one.line <= len(lines):
                source = lines[one.line - 1]
            key = (one.file, one.line, one.column, one.message)
            complete.setdefault(key, Problem(one.file, one.line, one.column, one.code, one.message, one.hint, source))
        return [complete[key] for key in sorted(complete)]

    def ruleset(self) -> Ruleset | None:
        """The ruleset, as far as it can be made; None when there is no readable manifest."""
        stack = self.stack
        if not stack.read():
            return None
        manifests = [member.manifest for member in stack.chain]
        key = self._program_key() if self.library.trusting or self.library.keeps else ""
        known = cache.get(key) if self.library.trusting and not mistakes(self.problems) else None
        # What is known was found when nothing was wrong with these very files.
        kept, self.warned, offered = known if isinstance(known, tuple) else (None, None, "")
        if self.warned and offered != self._offered():  # they may use what nothing used
            kept = self.warned = None
        if kept is None:
            self._recall()
        gathering = Gathering(stack)
        self.merged = gathering.merged(kept is not None)
        book = gathering.rulebook()
        data = gathering.data(kept is not None)
        battles = gathering.battles()
        manifest = inheriting(manifests, stack.superseding.told())
        program: Callable[[], Program | None]
        if kept is not None:
            program = functools.cache(functools.partial(_restored, kept, self.merged.placed, stack.vocabulary, data))
        else:
            names, program = self._checked(gathering, data, battles, book, manifest)
            keeps = self.library.keeps and self.whole
            if names is not None and not (mistakes(self.problems) or self.unasked) and keeps:
                from warhost.lang.program import bare

                self.to_keep = key, bare(names)
        return Ruleset(
            id=str(manifest.get("id")),
            edition=str(manifest.get("edition")),
            title=str(manifest.get("title")),
            folder=stack.chain[-1].found.folder,
            manifest=manifest,
            layers=tuple(source.layer for source in self.sources),
            placed=self.merged.placed,
            removed=self.merged.removed,
            **{one.name: getattr(data, one.name) for one in fields(data)},
            battles=battles,
            rulebook=book or {},
            house_rules=stack.offers,
            house=stack.chosen,
            plugins=stack.plugins,
            vocabulary=stack.vocabulary,
            digest=self._digest("equivalent"),
            rules_digest=self._digest("equivalent", "examples", "rulebook"),
            equivalent=gathering.equivalent(),
            make_program=program,
            files={f.label: source.layer for source in self.sources for f, _, _ in source.files},
            example_files=frozenset(f.label for s in self.sources for f, _, _ in s.files if f.kind == "examples"),
            example_rules=tuple(path for source in self.sources for path in source.example_rules()),
            manifests=tuple(manifests),
            superseded=stack.superseding.told(),
            superseding=stack.superseding,
        )

    def _recall(self) -> None:
        """Begin from what was kept when these rules were in order, if nobody remembers it in this run."""
        library, stack = self.library, self.stack
        if library.incremental is None or library.incremental.knows():
            return
        from warhost.packs import kept_checks

        library.check_name = self._check_name(self.sources, stack.chosen)
        if kept_checks.recall(library, library.check_name, stack.vocabulary):
            return
        if stack.chosen and library.from_below:
            below = [source for source in self.sources if source.layer.kind != "house"]
            library.begun_below = kept_checks.recall(library, self._check_name(below, ()), stack.vocabulary)

    def _check_name(self, sources: Sequence[LayerRead], chosen: Sequence[str]) -> str:
        """Under which name the cache keeps what was found in order of layers with these house rules."""
        places = [str(source.layer.folder.absolute()) for source in sources]
        places += [member.manifest.file for member in self.stack.chain]  # messages name files by their way from here
        return cache.key_of("check", *places, repr(tuple(chosen)), *self._tools())

    def _checked(
        self, gathering: Gathering, data: RulesData, battles: Mapping[str, BattleFile],
        book: Mapping[str, BookRule] | None, manifest: Map,
    ) -> tuple[Program | None, Callable[[], Program | None]]:  # fmt: skip
        """The checked rules (see `_program`), after everything has been looked at that can be wrong."""
        stack = self.stack
        self.problems.extend(stack.superseding.problems() if "data" not in self.blind else ())
        references = self._references(gathering, data, book)
        self._tables_twice(data)
        self._needs_of_libraries()
        names, program = self._program(gathering, data)
        mark = SoundMark(data.profiles, "all")
        known = mark in self._in_order(names)
        if not known:
            self._look_names_up(references, data)
        manifests = [member.manifest for member in stack.chain]
        offered = {id_: stack.offered[offer.path] for id_, offer in stack.offers.items()}
        alike = gathering.alike
        self.examples_known = known or (
            alike is not None and SoundMark(alike.profiles, "all") in self._in_order(names)
        )
        examples = self._new_examples(data, names) if self.examples_known else data.examples
        self.contents = Contents(
            manifest, manifests, stack.plugins, data, battles, references, names, offered, known, examples
        )
        for at in self._checks("ruleset"):
            self.problems.extend(self._asked(at, self._read(), otherwise=()))
        self._sections(manifests, names)
        self._borne(data, names)
        self._example_words(data, names)
        if names is not None and not self.problems:
            self._in_order(names).add(mark)
        else:
            self._in_order(names).discard(mark)
        return names, program

    def _digest(self, *without: str) -> str:
        return digest_of([[(f.kind, text) for f, _, text in s.files if f.kind not in without] for s in self.sources])

    def _problem(self, pos: Pos, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(problem_at(pos, code, message, hint))

    def _needs_of_libraries(self) -> None:
        """What libraries leave to the ruleset is there; else it is told once, where the library is asked for."""
        there = {(block.kind, block.name) for block in self.merged.placed}
        for pos, library in self.stack.libraries:
            for need in library.needs:
                kind, name = need.partition("(")[0].split()
                if (kind, name) not in there:
                    message = f'the library "{library.name}" leaves `{need}` to the ruleset'
                    self._problem(pos, "library-needs", message, f"write a block `{need}`")

    # -- checks

    def _references(
        self, gathering: Gathering, data: RulesData, book: Mapping[str, BookRule] | None
    ) -> References:
        """What names lead to."""
        from warhost.packs.references import KnownNames, References

        profiles = {**data.profiles, **data.abstract_profiles}
        kinds, placed = self.stack.vocabulary.kinds, self.merged.placed
        return References(KnownNames(gathering.elements, profiles, gathering.loose, kinds, placed, book, self.blind))

    def _look_names_up(self, references: References, data: RulesData) -> None:
        """Whether what profiles, lists and armies name is there."""
        references.profiles()
        for element in (*data.lists.values(), *data.abstract_lists.values()):
            references.army_list(element)
        for element in data.armies.values():
            references.army(element)
        self.problems.extend(references.problems)

    def _all_refs(self) -> Iterator[tuple[str, Pos]]:
        yield from self.stack.offered_refs
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

    def _tables_twice(self, data: RulesData) -> None:
        """A table in rules and one of data under the same name."""
        from warhost.lang.tree import TableBlock

        for one in self.merged.placed:
            if isinstance(one.block, TableBlock) and one.name in data.tables:
                place = data.tables[one.name].pos
                message = f"table {one.name} is defined twice; the other is in {place.file}:{place.line}"
                self._problem(one.block.pos, "defined-twice", message)

    def _sections(self, manifests: Sequence[Map], program: Program | None) -> None:
        """What tools say of their sections of the manifests."""
        if any(p.file.endswith(".rules") for p in mistakes(self.problems)):  # a broken rule is not also told as missing
            program = None
        for section in tools.sections():
            try:
                meant, problems = tools.use(section.at, manifests, program)
                self.problems.extend(problems)
                if not mistakes(problems):
                    self.sections[section.key] = meant, repr([m[section.key] for m in manifests if section.key in m])
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
        return RulesetToCheck(
            self.sources, self.merged, self.library.texts, self._all_refs, self._exact, self.contents,
            self.library.remembered,
        )  # fmt: skip

    def _tool_failed(self, error: PluginError, pos: Pos | None) -> None:
        """A tool went wrong: a problem where the ruleset asks for it (pos); else it is only told."""
        if pos is not None:
            self._problem(pos, "plugin-failed", error.message, error.hint)
        else:
            self.unasked = True
            tools.went_wrong(error)

    def _example_words(self, data: RulesData, program: Program | None) -> None:
        """What those who read examples find in them."""
        if program is None:
            return
        beside, in_order, sound = self._rules_beside_examples(), self._in_order(program), not mistakes(self.problems)
        offers, offered = self.stack.offers, self.stack.offered
        house = {id_: [text for _, _, text in offered[offer.path].files] for id_, offer in offers.items()}
        of_tools = [said for _, said in self.sections.values()]
        of_tools += [repr(scenario.data.get("settings")) for scenario in data.scenarios.values()]
        texts = cache.key_of(*beside, *of_tools, *house, *(text for some in house.values() for text in some))
        fresh = [example for example in data.examples if SoundMark(example.data, texts) not in in_order]
        incremental = self.library.incremental
        if incremental is not None:
            incremental.anew = None if fresh else []
        if not fresh:
            return
        # What a higher layer takes away from lower ones is not missing in their examples.
        own = [example for example in fresh if self.sources and example.layer == self.sources[-1].layer]
        read = ExamplesToRead(
            fresh, own, program, beside, house, data.lists, sound, tuple(data.profiles), self.library.texts,
            {key: meant for key, (meant, _) in self.sections.items()}, data.scenarios,
        )  # fmt: skip
        found: list[Problem] = []
        for reader in tools.example_readers():
            found += self._asked(reader.at, read, otherwise=())
        self.problems.extend(found)
        files = {example.pos.file for example in fresh}
        if sound and incremental is not None and not any(one.file in files for one in self.problems):
            unsure: dict[int, set[str]] = {}
            for example, name in read.unsure:
                unsure.setdefault(id(example), set()).add(name)
            marks = [SoundMark(e.data, texts, words_in(e.data), unsure.get(id(e), set())) for e in fresh]
            before = {str(mark.data["title"]): mark.data for mark in in_order if mark.said is not None}
            incremental.anew = [mark for mark in marks if before.get(str(mark.data["title"])) != mark.data]
            in_order.update(marks)

    def _borne(self, data: RulesData, program: Program | None) -> None:
        """Whether what is borne has its values, judged by the rules."""
        if program is None:
            return
        from warhost.packs import borne

        mark = SoundMark(data.profiles)
        known = mark in self._in_order(program)
        examples = self._new_examples(data, program) if known or self.examples_known else data.examples
        profiles = () if known else (*data.profiles.values(), *data.abstract_profiles.values())
        lists = () if known else (*data.lists.values(), *data.abstract_lists.values())
        found = borne.problems_in(profiles, (e.data for e in lists), (e.data for e in examples), program)
        self.problems.extend(found)
        if not found:
            self._in_order(program).add(mark)

    def _new_examples(self, data: RulesData, program: Program | None) -> list[Example]:
        """The examples that have not been found to be in order."""
        known = {id(mark.data) for mark in self._in_order(program)}
        return [example for example in data.examples if id(example.data) not in known]

    def _in_order(self, program: Program | None) -> set[SoundMark]:
        """Marks of what was found in order with the names of the program, where that is remembered."""
        incremental = self.library.incremental
        known = incremental is not None and (program is not None or not self.data_too)
        return incremental.in_order if incremental is not None and known else set()

    def _rules_beside_examples(self) -> list[str]:
        """The texts of the rules that hold in examples alone (`examples/*.rules`)."""
        found = []
        for source in self.sources:
            for path in source.example_rules():
                found.append(self.library.text_of(File("rules", f"examples/{path.name}", str(path), path))[0])
        return found

    def _program(
        self, gathering: Gathering, data: RulesData
    ) -> tuple[Program | None, Callable[[], Program | None]]:
        """The checked rules, when they and the tables could all be read and nothing is wrong: to look names up in, and
        as they play.

        Profiles that miss what they extend are not shown to the checker: it would miss their fields once more.
        """
        if self.blind & {"rules", "tables"} or gathering.loose.get("table"):
            return None, lambda: None
        if gathering.tainted:
            sound = {id_: profile for id_, profile in data.profiles.items() if id_ not in gathering.tainted}
            data = replace(data, profiles=sound)
        from warhost.lang.building_program import build, made_playable

        placed, vocabulary = self.merged.placed, self.stack.vocabulary
        looks = [functools.partial(self._look, at) for at in self._checks("rules")]
        incremental = self.library.incremental
        if incremental is not None:
            names, problems, whole, changed = incremental.look(
                placed, vocabulary, data, looks, functools.partial(self._data_say, gathering)
            )
            self.problems.extend(problems)
            self.data_too = changed.data_too
            if names is not None and (changed.words is None or changed.words):
                incremental.in_order = {mark for mark in incremental.in_order if not mark.concerned(changed)}
            self.whole = whole
            if not incremental.as_before:
                self.library.folded = None
                if names is not None and whole and self.library.keeps:
                    made_playable(names)
            if whole or names is None:
                return names, lambda: names
            return names, functools.cache(lambda: build(placed, vocabulary, data, to_play=False)[0])
        built, problems = build(placed, vocabulary, data, looks=looks)
        self.problems.extend(problems)
        return built, lambda: built

    def _data_say(self, gathering: Gathering, words: Set[str]) -> bool:
        """Whether one of some words stands in the files of data, as far as these are not read under other names."""
        from warhost.lang.nodes import words_of

        if not words or gathering.renamings:
            return bool(words)
        data = [one[1:] for source in self.sources for one in source.files if isinstance(one[1], ParsedData)]
        said = (self.library.remembered.of(parsed, _words_said, text) for parsed, text in data)
        if any(not words.isdisjoint(one) for one in said):
            return True
        titles = [one for one in words if words_of(one) != {one}]
        found = ((one, text) for one in titles for _, text in data if one in text)
        return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text) for one, text in found)

    def _look(self, at: str, *given: Any) -> None:
        """What a tool says of checked rules; one that goes wrong has nothing to say of them."""
        self._asked(at, *given, otherwise=None)

    def _offered(self) -> str:
        """The texts of all house rules on offer, in short."""
        texts = (text for read in self.stack.offered.values() for _, _, text in read.files)
        return cache.key_of("offered", *map(repr, texts))

    def _program_key(self) -> str:
        """What a checked program depends on: the files as they are called and their text, the plugins and what they
        declare, and the rules of the book that house rules on offer name.
        """
        texts = [cache.key_of(f.kind, f.label, text) for source in self.sources for f, _, text in source.files]
        beside = repr(self._rules_beside_examples())
        return cache.key_of("program", *self._tools(), repr(texts), repr(self.stack.offered_refs), beside)

    def _tools(self) -> tuple[str, str]:
        """The code that reads and checks, and what plugins declare."""
        plugins, vocabulary = self.stack.plugins, self.stack.vocabulary
        functions = [(f.name, f.parameters, f.result, sorted(f.effects)) for f in vocabulary.functions.values()]
        declared = repr((functions, list(vocabulary.kinds.values()), list(vocabulary.asked.values())))
        return cache.code_stamp() + cache.files_stamp([*plugins.sources(), *tools.sources_of_checks()]), declared


def _words_said(_: ParsedData, text: str) -> frozenset[str]:
    """The words of a file."""
    from warhost.lang.nodes import words_of

    return words_of(text)


def _restored(raw: bytes, placed: Sequence[Placed], vocabulary: Vocabulary, data: RulesData) -> Program:
    """A program that was kept, as it was when it had been built."""
    from warhost.lang.program import restore

    program: Program = cache.unfolded(raw)

    def checker() -> Any:
        from warhost.lang.building_program import checker_of

        return checker_of(program, placed, vocabulary, data)

    restore(program, vocabulary, checker)
    return program
