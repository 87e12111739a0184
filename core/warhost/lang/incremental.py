"""Checking a program once more after a change: the blocks that changed, and those that speak of what changed.

What names mean is known before and after. A block is checked again when it is new or has moved, when something was
wrong with it, or when a word stands in it that means something else by now. If its own name comes to mean something
else by that, those who speak of it follow. All else that was noted of a block (notes.py) is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias

from warhost.errors import Problem, mistakes, nearest
from warhost.lang import ir, tree
from warhost.lang.block_checker import rounds_always
from warhost.lang.building_program import Look, checked, looked_at, on_the_prelude, some_checked
from warhost.lang.checker import Checker
from warhost.lang.nodes import are_the_same, said_by, words_in, words_of
from warhost.lang.notes import Notes
from warhost.lang.program import Program, RuleData, bare, restore
from warhost.lang.symbols import PlacedBlock
from warhost.lang.types import Type
from warhost.vocabulary import Vocabulary

#: Lines of a kind's block that nobody else asks about.
_INNER = (tree.Modifier, tree.Permission, tree.Handler, tree.Reaction, tree.RerollRight)

#: What each word means to those who say it. Under no word: what others count on without saying so; under _NEEDED: what
#: profiles must have.
Meanings: TypeAlias = Mapping[str, list[tuple[Any, ...]]]
_NEEDED = " "

#: What is asked of the data.
_OF_DATA = ("tables", "profiles", "lists", "abstract_lists", "scenarios")

#: A text of more words is a sentence, and no name of anything.
MOST_WORDS_OF_A_NAME = 3

#: Whether one of some words stands in the data.
DataSay: TypeAlias = Callable[[set[str]], bool]


@dataclass(frozen=True, slots=True)
class Changed:
    """Words that mean something else than when the rules had no mistake last; None when any word may. data_too: what
    the data say is among that.
    """

    words: frozenset[str] | None
    data_too: bool

    def concerns(self, said: frozenset[str], unsure: Collection[str] = ()) -> bool:
        """Whether one of them is among the words of a text, or near to one of which the text is not sure."""
        if self.words is None or not self.words.isdisjoint(said):
            return True
        for title in _titles(self.words):
            if title <= said:
                return True
        return bool(unsure) and any(nearest(one, self.words) for one in unsure)


@lru_cache(maxsize=64)
def _titles(words: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The words of each that is no single word."""
    return tuple(words_of(one) for one in words if not one.isidentifier())


@dataclass(frozen=True, slots=True)
class RulesDifference:
    """In what rules differ from those that had no mistake last: `changed`, and the blocks that are new, gone or say
    something else, wherever they stand. names: what these blocks are called; said: every word in them; texts: the words
    of texts in quotation marks, sentences left out; sorts: what they are (the names of their classes); unsure: names in
    them that would be misspelt if something nearly so were there.
    """

    changed: Changed
    names: frozenset[str]
    said: frozenset[str]
    texts: frozenset[str]
    sorts: frozenset[str]
    unsure: frozenset[str]


@dataclass(slots=True)
class _Known:
    """A program without mistakes with its blocks, and what was found of it. called, declared: what words mean. words:
    those that stand in blocks, by the ids of these; noted: what was noted of them. types: those that bodies say. whole:
    the program is of these very blocks; else bodies in it may be those of blocks before a change.
    """

    blocks: list[tree.AnyBlock]
    words: dict[int, frozenset[str]]
    noted: Mapping[int, Notes]
    vocabulary: Vocabulary
    data: RuleData
    program: Program
    types: Mapping[str, Type]
    problems: list[Problem]
    called: Meanings
    declared: Meanings
    whole: bool = True


@dataclass(slots=True)
class KeptCheck:
    """A program without mistakes and what was found of it, as the cache can hold it; words and notes of the blocks in
    their order. program: None while it is kept apart.
    """

    blocks: list[tree.AnyBlock]
    words: list[frozenset[str]]
    noted: list[Notes]
    data: RuleData
    program: Program | None
    types: dict[str, Type]
    problems: list[Problem]
    called: Meanings
    declared: Meanings
    whole: bool


class IncrementalCheck:
    """Checks a program and remembers the last without mistakes. One for each ruleset that is being written.

    in_order: marks of whatever else was found to be in order with the names of the program that is remembered.
    before: the data that were in order before the last look. anew: marks of the examples that were found to be in order
    at the last look, and said something else before; None where that is not known. blocks_anew: how many blocks were
    looked at since it began. as_before: whether the program of the last look says what the one before it said.
    """

    def __init__(self) -> None:
        self._known: _Known | None = None
        self.in_order: set[Any] = set()
        self._differing: Callable[[], RulesDifference] | None = None
        self.before: RuleData | None = None
        self.anew: list[Any] | None = None
        self.blocks_anew = 0
        self.as_before = False

    def knows(self) -> bool:
        """Whether there is a program to begin from."""
        return self._known is not None

    def copied(self) -> IncrementalCheck:
        """Another that begins from the same program and leaves this one as it is."""
        other = IncrementalCheck()
        other._known, other.in_order = self._known, set(self.in_order)
        return other

    def kept(self) -> KeptCheck | None:
        """The program that is remembered, for another run; None when there is none."""
        k = self._known
        if k is None:
            return None
        words, noted = [k.words[id(b)] for b in k.blocks], [k.noted[id(b)] for b in k.blocks]
        return KeptCheck(
            k.blocks, words, noted, k.data, bare(k.program), dict(k.types), k.problems, k.called, k.declared, k.whole
        )

    def begin_from(self, kept: KeptCheck, vocabulary: Vocabulary) -> None:
        """Remember what another run has kept; it had the same vocabulary."""
        ids = [id(b) for b in kept.blocks]
        assert kept.program is not None
        restore(kept.program, vocabulary, None)
        self._known = _Known(
            kept.blocks, dict(zip(ids, kept.words, strict=True)), dict(zip(ids, kept.noted, strict=True)), vocabulary,
            kept.data, kept.program, kept.types, kept.problems, kept.called, kept.declared, kept.whole,
        )  # fmt: skip

    def look(
        self, placed: Sequence[PlacedBlock], vocabulary: Vocabulary, data: RuleData, looks: Sequence[Look],
        data_say: DataSay,
    ) -> tuple[Program | None, list[Problem], bool, Changed]:  # fmt: skip
        """What is wrong now; and, if it can be played, a program to look names up in, whether it is the whole one (else
        the bodies in it may be older), and what has changed.
        """
        known = self._known
        self._differing, self.before, self.as_before = None, known.data if known is not None else None, False
        if known is not None and known.vocabulary == vocabulary:
            again = _Again(known, placed, data)
            found = again.look(looks, data_say)
            if found is not None:
                now, changed, looked_at = found
                self._differing, self.as_before = cache(partial(again.difference, changed, now)), again.same_program
                self.blocks_anew += looked_at
                if not mistakes(now.problems):
                    self._known = now
                return (None if mistakes(now.problems) else now.program), now.problems, now.whole, changed
        program, checker = checked(placed, vocabulary, data, looks)
        problems = checker.problems()
        if mistakes(problems):
            return None, problems, True, Changed(None, True)
        blocks = [p.block for p in checker.placed]
        words = {id(b): words_in(b) for b in blocks}
        called, declared = _called(checker), _declared(checker)
        self._known = _Known(
            blocks, words, checker.noted, vocabulary, data, program, checker.types, problems, called, declared
        )
        self.blocks_anew += len(blocks)
        return program, problems, True, Changed(None, True)

    @property
    def difference(self) -> RulesDifference | None:
        """In what the rules differ from what they were before the last look; None when it began from nothing."""
        return self._differing() if self._differing is not None else None

    def names(self) -> Iterator[str]:
        """Everything that the remembered rules declare: blocks, fields, words, titles, tables, phases."""
        known = self._known
        yield from () if known is None else (n for n in (*known.called, *known.declared) if n.strip())

    def words_of_blocks(self) -> Iterator[tuple[tree.AnyBlock, frozenset[str]]]:
        """The blocks of the remembered rules, each with every word in it."""
        known = self._known
        yield from () if known is None else ((b, known.words[id(b)]) for b in known.blocks)

    def asked_by(self) -> dict[str, set[str]]:
        """What each number, flag and value of the remembered rules asks of others with nothing but its parameters."""
        found: dict[str, set[str]] = {}
        for notes in self._known.noted.values() if self._known is not None else ():
            for owner, asked in notes.asks.items():
                found.setdefault(owner, set()).update(asked)
        return found


class _Again:
    """One more look at what is known. noted: of those blocks that are as they were; same_program: whether that look has
    found the program to say what it said.
    """

    def __init__(self, known: _Known, placed: Sequence[PlacedBlock], data: RuleData) -> None:
        self.known, self.placed, self.data = known, placed, data
        self.blocks = [p.block for p in on_the_prelude(placed)]
        at_place = {(type(b), b.pos): b for b in known.blocks}
        ids = {id(b) for b in known.blocks}
        noted, kept = known.noted, set()
        self.noted: dict[int, Notes] = {}
        self.words: dict[int, frozenset[str]] = {}
        for block in self.blocks:
            old = block if id(block) in ids else at_place.get((type(block), block.pos))
            if old is not None and id(old) in noted and are_the_same(old, block):  # one that is put together anew
                kept.add(id(old))
                self.noted[id(block)] = noted[id(old)]
                self.words[id(block)] = known.words[id(old)]
            else:
                self.words[id(block)] = words_in(block)
        self.gone = [b for b in known.blocks if id(b) not in kept]
        self.same_program = False

    def difference(self, changed: Changed, now: _Known) -> RulesDifference:
        """What was found to differ. now: what is known since."""
        new = [b for b in now.blocks if id(b) not in self.noted]
        if new and self.gone:  # what has only moved says the same
            said_before, said_now = ([_saying(b) for b in some] for some in (self.gone, new))
            before, after = set(said_before), set(said_now)
            gone = [b for b, said in zip(self.gone, said_before, strict=True) if said not in after]
            new = [b for b, said in zip(new, said_now, strict=True) if said not in before]
        else:
            gone = self.gone
        words = [*(self.known.words[id(b)] for b in gone), *(now.words[id(b)] for b in new)]
        names = {b.title.text if isinstance(b, tree.KindBlock) else getattr(b, "name", "") for b in (*gone, *new)}
        texts = (n.plain for b in (*gone, *new) for n in tree.walk(b) if isinstance(n, tree.Text) and n.plain)
        quoted = (said for said in map(words_of, texts) if len(said) <= MOST_WORDS_OF_A_NAME)
        unsure = {name for b in new if id(b) in now.noted for name in now.noted[id(b)].unsure}
        sorts = {type(b).__name__ for b in (*gone, *new)}
        return RulesDifference(
            changed, frozenset(names - {""}), frozenset().union(*words), frozenset().union(*quoted), frozenset(sorts),
            frozenset(unsure),
        )

    def look(self, looks: Sequence[Look], data_say: DataSay) -> tuple[_Known, Changed, int] | None:
        """What is known now, what has changed, and how many blocks were looked at; None when only a look at everything
        tells.
        """
        known = self.known
        same_data = all(getattr(self.data, what) is getattr(known.data, what) for what in _OF_DATA)
        same_blocks = not self.gone and len(self.noted) == len(self.blocks)
        if same_data and same_blocks and known.program.checker is not None:
            self.same_program = True
            return known, Changed(frozenset(), False), 0
        some = [b for b in self.blocks if id(b) not in self.noted or self.noted[id(b)].problems]
        while True:
            names = {name for b in (*self.gone, *some) for name in _names(b)}
            types = {n: t for n, t in known.types.items() if n.partition(": ")[0] not in names}
            checker, program = some_checked(self.placed, known.vocabulary, self.data, some, types, self.noted)
            called, declared = _called(checker), _declared(checker)
            others = _differing(known.declared, declared)
            if "" in others or _in_circles(checker.noted.values()):
                return None
            changed = Changed(frozenset({*others, *_differing(known.called, called)}) - {_NEEDED}, False)
            again = {id(b) for b in some}
            more = [
                b for b in (self.blocks if changed.words else ())
                if id(b) not in again and changed.concerns(self.words[id(b)], self.noted[id(b)].unsure)
            ]  # fmt: skip
            if not more:
                break
            some += more
        data_too = _NEEDED in others or data_say(others)
        looked_at(checker, self.data, some, looks, same_data and not data_too)
        self.same_program = same_blocks and not some and _tables_are_the_same(known.data, self.data)
        if self.same_program:
            program, whole = replace(known.program), known.whole
            checker.out.templates = program.templates  # lines that are added later are the program's
            program.checker = checker
        else:
            program, whole = _with_names(known.program, program, checker), False
        now = _Known(
            self.blocks, self.words, checker.noted, known.vocabulary, self.data, program, checker.types,
            checker.problems(), called, declared, whole,
        )  # fmt: skip
        words = {*(changed.words or ()), *_ids_that_changed(known.data, self.data)}
        return now, Changed(frozenset(words), data_too), len(some)


def _saying(b: tree.AnyBlock) -> Any:
    """What a block says, wherever it stands; the block itself where that cannot be compared."""
    try:
        return said_by(b)
    except TypeError:
        return id(b)


def _names(b: tree.AnyBlock) -> Iterator[str]:
    """The names under which types are kept that are found in a block."""
    if isinstance(b, tree.KindBlock):
        yield f"{b.kind} {b.title.text}"
    elif (name := getattr(b, "name", None)) is not None:
        yield from (name, f"choice {name}", f"roll {name}")


def _differing(before: Meanings, now: Meanings) -> set[str]:
    return {word for word in {*before, *now} if before.get(word) != now.get(word)}


def _ids_that_changed(before: RuleData, now: RuleData) -> set[str]:
    """The ids of profiles that are new or gone, and of army lists that say something else."""
    if before is now:
        return set()
    lists = {id_ for id_ in {*before.lists, *now.lists} if _said(before.lists.get(id_)) != _said(now.lists.get(id_))}
    return {*(before.profiles.keys() ^ now.profiles.keys()), *lists}


def _tables_are_the_same(before: RuleData, now: RuleData) -> bool:
    """Whether the tables of the data say the same: all of the data that a program takes up."""

    def said(data: RuleData) -> dict[str, Any]:
        return {name: (t.by, t.cells, t.has_otherwise, t.otherwise, t.ref) for name, t in data.tables.items()}

    return said(before) == said(now)


def _said(element: Any) -> Any:
    return element.data if element is not None else None


def _in_circles(of_blocks: Iterable[Notes]) -> bool:
    """Whether names of which bodies say the type ask for each other in a circle: who is asked first decides then."""
    asks = {name: notes.types_asked - {name} for notes in of_blocks for name in notes.types_found}
    while True:
        asked = set().union(*asks.values())
        rest = {name: others & asks.keys() for name, others in asks.items() if name in asked}
        rest = {name: others for name, others in rest.items() if others}
        if len(rest) == len(asks):
            return bool(rest)
        asks = rest


def _with_names(before: Program, some: Program, checker: Checker) -> Program:
    """The program of some blocks with the names of all."""
    s = checker.symbols

    def all_of(registry: str, *sorts: str) -> dict[str, Any]:
        names = {name for sort in sorts for name in s.blocks[sort]}
        kept: dict[str, Any] = {name: one for name, one in getattr(before, registry).items() if name in names}
        return {**kept, **getattr(some, registry)}

    definitions = {key: d for key, d in before.definitions.items() if key[0] in s.definitions_named(key[1])}
    program = replace(
        some, numbers=all_of("numbers", "number", "flag", "value"), rolls=all_of("rolls", "roll"),
        procedures=all_of("procedures", "procedure"), events=all_of("events", "event"),
        tables=all_of("tables", "table") | s.data_tables, choices=all_of("choices", "choice"),
        definitions=definitions | some.definitions,
    )  # fmt: skip
    program.checker = checker
    return program


# -- what words mean -------------------------------------------------------------------------------


def _called(checker: Checker) -> Meanings:
    """What is known of numbers, procedures and their like to those who ask for them, and what can be answered."""
    s, found = checker.symbols, dict[str, list[tuple[Any, ...]]]()
    for sort, blocks in s.blocks.items():
        for name, block in blocks.items():
            if not isinstance(block, tree.LocalProcedure):
                found.setdefault(name, []).append((sort, *_head(block, checker)))
    for name in checker.fractions():
        found.setdefault(name, []).append(("fraction",))
    for pattern, phrase in s.phrases:
        means = found.get(phrase.means.name, ())
        found.setdefault(str(pattern[0]), []).append(("phrase", pattern, phrase.means, *means))
    sides, decisions = set[Any](), dict[str, set[str]]()
    for notes in checker.each_notes():
        sides |= notes.sides
        for decision, answers in notes.decisions.items():
            decisions.setdefault(decision, set()).update(answers)
    for decision, several in decisions.items():
        found.setdefault(decision, []).append(("answers", frozenset(several)))
    found["dice"] = [*found.get("dice", ()), ("sides", sides)]
    return found


def _head(block: Any, checker: Checker) -> Iterator[Any]:
    s = checker.symbols
    written = block.by if isinstance(block, tree.TableBlock) else block.params
    yield [(p.name, p.type, s.param_type(p)) for p in written]
    declared = getattr(block, "type", None)
    if declared is not None:
        yield from (declared, s.named_type(declared.name))
    else:
        yield from (checker.types.get(block.name), checker.types.get(f"choice {block.name}"))
    if isinstance(block, tree.NumberBlock):
        yield rounds_always(block)
    elif isinstance(block, tree.RollBlock):
        yield (block, checker.types.get(f"roll {block.name}"))
    elif isinstance(block, tree.EventBlock | tree.ChoiceBlock):
        yield block.may_be_cancelled if isinstance(block, tree.EventBlock) else block.or_none


def _declared(checker: Checker) -> Meanings:
    """What is known of fields, words, definitions, tables of the data and phases."""
    s, found = checker.symbols, dict[str, list[tuple[Any, ...]]]()

    def says(word: str, *what: Any) -> None:
        found.setdefault(word, []).append(what)

    for noun in s.nouns.values():
        says("", noun.name, noun.plural, noun.is_a, noun.where is None, "side" in noun.fields)
        for f in noun.fields.values():
            start = f.default.value if f.default is not None else ir.Const(None)
            begins = start.value if isinstance(start, ir.Const) else "worked out"
            says(f.name, noun.name, f.type, f.writable, f.profile, f.at_least, f.at_most, f.required, begins)
            if f.required:
                says("" if noun.name in s.parts else _NEEDED, noun.name, f.name)
    says("", s.parts)
    for name, words in s.words.items():
        for word in dict.fromkeys((name, *words)):
            says(word, "words", name, words)
        if "none" in words:
            says("", name)
    for block in checker.blocks_of(tree.KindBlock):
        params = [(p.name, p.type, s.param_type(p)) for p in block.params]
        others = [item for item in block.items if not isinstance(item, _INNER)]
        says(block.title.text, block.kind, params, block.of, block.cost, others)
    for title, kinds in s.titles.items():
        says(title, "title", kinds)
    for (kind, title), variants in s.families.items():
        says(title, "variants", kind, variants)
    for table in s.data_tables.values():
        says(table.name, "table", [(p.name, p.type) for p in table.params], table.type)
    for block in checker.blocks_of(tree.TurnBlock):
        for phase in block.phases:
            says(phase.name, "phase", block.kind)
    return found
