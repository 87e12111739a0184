"""What names mean in a merged ruleset: nouns and their fields, kinds, enumerations, and the blocks by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from warhost.errors import Problem, did_you_mean
from warhost.lang import ir, tree
from warhost.lang.program import FieldInfo, Noun, Table
from warhost.lang.types import ANY, DISTANCE, FRACTION, NUMBER, TEXT, YES_NO, Type, list_of, noun_type
from warhost.vocabulary import Kind, Vocabulary, alternatives


class PlacedBlock(Protocol):
    """A block of the merged ruleset with the layer that it came from."""

    @property
    def block(self) -> tree.AnyBlock:
        """What it says."""
    @property
    def order(self) -> int:
        """Its place in the order of the whole ruleset."""


SIDE, UNIT, EFFECT, DIE = (noun_type(n) for n in ("side", "unit", "effect", "die"))
ARMY = noun_type("army")
DEFINITION = Type("kind", "")
THING = noun_type("")

#: Fields that every entity or the core's own nouns have. They are read-only.
CORE_FIELDS: Mapping[str, Mapping[str, Type]] = {
    "": {"name": TEXT, "id": TEXT},
    "side": {"enemy": noun_type("side"), "units": list_of(UNIT), "army": ARMY, "index": NUMBER, "side": SIDE},
    "unit": {
        "side": SIDE, "owner": SIDE, "size": NUMBER, "profile": TEXT, "cost": NUMBER, "effects": list_of(EFFECT),
    },
    "effect": {
        "bearer": UNIT, "giver": UNIT.or_none, "kind": TEXT, "side": SIDE.or_none, "owner": SIDE.or_none,
    },
    "throw": {
        "side": SIDE.or_none, "by": UNIT.or_none, "against": UNIT.or_none, "dice": list_of(DIE), "need": NUMBER,
        "succeeded": YES_NO, "failed": YES_NO, "total": NUMBER,
    },
    "die": {"face": NUMBER, "sides": NUMBER, "rerolled": YES_NO, "turned": YES_NO, "index": NUMBER},
    "battle": {
        "turn": NUMBER, "phase": TEXT, "sides": list_of(SIDE), "units": list_of(UNIT), "active_side": SIDE.or_none,
        "over": YES_NO, "winner": SIDE.or_none, "reason": TEXT,
    },
    "army": {
        "units": list_of(UNIT), "limit": NUMBER, "points": NUMBER, "list": TEXT, "side": SIDE.or_none, "allies": NUMBER,
    },
    "scenario": {},
}  # fmt: skip

#: The least that fields of the core ever are, and why. (The set-up is before the first turn.)
CORE_LEAST: Mapping[tuple[str, str], tuple[int, str]] = {
    ("battle", "turn"): (0, "turns count from 1, and 0 is the set-up"),
    ("unit", "size"): (0, "it is the number of models with which a unit begins"),
    ("army", "allies"): (0, "it is a number of armies"),
    ("die", "face"): (0, "it is what a die shows"),
    ("die", "sides"): (1, "it is the number of a die's sides"),
    ("side", "index"): (1, "sides count from 1"),
}

CORE_NOUNS = {
    "side": "sides", "unit": "units", "effect": "effects", "throw": "throws", "die": "dice", "battle": "battles",
    "scenario": "scenarios", "army": "armies",
}  # fmt: skip

PLAIN_TYPES = {
    "number": NUMBER, "fraction": FRACTION, "distance": DISTANCE, "yes_no": YES_NO, "text": TEXT, "any": ANY,
    "anything": ANY,
    "definition": DEFINITION,
}  # fmt: skip

#: What plugins write besides: a thing of whatever noun.
PLUGIN_TYPES = {**PLAIN_TYPES, "thing": THING}


class Symbols:
    """All names of the program and the problems found so far."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.problems: list[Problem] = []
        self.nouns: dict[str, Noun] = {n: Noun(n, p) for n, p in CORE_NOUNS.items()}
        self.plurals: dict[str, str] = {p: n for n, p in CORE_NOUNS.items()}
        self.words: dict[str, tuple[str, ...]] = {}
        self.word_owners: dict[str, list[str]] = {}
        self.functions = dict(vocabulary.functions)
        self.kinds: dict[str, Kind] = dict(vocabulary.kinds)
        self.asked_by_plugins = vocabulary.asked
        self.kind_plurals = {k.plural: k.name for k in self.kinds.values()}
        self.titles: dict[str, list[str]] = {}
        #: The parameters of each definition, by kind and title.
        self.values_of: dict[tuple[str, str], tuple[tree.Param, ...]] = {}
        self.families: dict[tuple[str, str], dict[tuple[str, ...], str]] = {}
        self.blocks: dict[str, dict[str, tree.AnyBlock]] = {
            sort: {}
            for sort in ("number", "flag", "value", "roll", "procedure", "event", "choice", "table", "constraint")
        }
        self.phrases: list[tuple[list[str | None], tree.PhraseBlock]] = []
        self.data_tables: dict[str, Table] = {}
        self.parts: dict[str, str] = {}

    # -- problems ------------------------------------------------------------------------------

    def report(self, pos: tree.Pos, code: str, message: str, hint: str | None = None) -> None:
        """Note a problem at a place."""
        self.problems.append(Problem(pos.file, pos.line, pos.column, code, message, hint))

    def unknown(self, pos: tree.Pos, what: str, name: str, known: Iterable[str], hint: str | None = None) -> None:
        """Note that nothing of this sort has this name; without a hint the nearest of the known ones are told."""
        names = list(dict.fromkeys(known))
        hint = hint or did_you_mean(name, names)
        if hint is None:
            hint = f"there are: {', '.join(names[:8])}{', ..' if names[8:] else ''}" if names else "none is declared"
        self.report(pos, "unknown-name", f'there is no {what} called "{name}"', hint)

    # -- nouns and types -----------------------------------------------------------------------

    def add_noun(self, noun: Noun) -> None:
        """Declare a noun, or declare it anew."""
        self.nouns[noun.name] = noun
        self.plurals[noun.plural] = noun.name

    def root(self, noun: str) -> str:
        """The noun at the top of the `is a` chain (bounded: cycles are reported when nouns are declared)."""
        for _ in range(len(self.nouns) + 1):
            parent = self.nouns[noun].is_a if noun in self.nouns else None
            if parent is None:
                return noun
            noun = parent
        return noun

    def fields_of(self, noun: str) -> dict[str, FieldInfo]:
        """The declared fields of a noun, which are those of the noun at the top of its family."""
        root = self.nouns.get(self.root(noun))
        return root.fields if root else {}

    def field_type(self, noun: str, name: str) -> Type | None:
        """The type of a field of a noun, core fields included; None when it has none of that name.

        What is asked of a part and not its own is asked of its whole.
        """
        root = self.root(noun)
        info = self.fields_of(noun).get(name)
        if info is not None:
            return info.type
        core = CORE_FIELDS.get(root, {}).get(name)
        if core is None:
            core = CORE_FIELDS[""].get(name)
        whole = self.parts.get(root)
        if core is not None or whole is None:
            return core
        if name == "lost_first":
            return YES_NO
        return noun_type(whole) if name == "whole" else self.field_type(whole, name)

    def find_parts(self) -> None:
        """A noun of which another's profile has a list is a part of it: `attacks: list of attack`."""
        for noun in self.nouns.values():
            for info in noun.fields.values():
                item = info.type.item
                if info.profile and item is not None and item.kind == "noun" and item.name not in CORE_NOUNS:
                    self.parts.setdefault(self.root(item.name), noun.name)

    def field_names(self, noun: str) -> list[str]:
        """Everything that can be asked of a noun: declared fields, and those of the core."""
        root = self.root(noun)
        return [*self.fields_of(noun), *CORE_FIELDS.get(root, {}), *CORE_FIELDS[""]]

    def resolve_type(self, ref: tree.TypeRef) -> Type:
        """The type that an annotation means; reports when there is none, and takes anything then."""
        base = self.named_type(ref.name)
        if base is None:
            known = [*PLAIN_TYPES, *self.words, *self.nouns, *self.kinds]
            self.unknown(ref.pos, "type", ref.name, known)
            return ANY
        result = list_of(base) if ref.is_list else base
        return result.or_none if ref.optional else result

    def named_type(self, name: str) -> Type | None:
        """The type of that name: a plain one, an enumeration, a noun or a kind; None when there is none."""
        if name in PLAIN_TYPES:
            return PLAIN_TYPES[name]
        if name in self.words:
            return Type("word", name)
        if name in self.nouns:
            return noun_type(self.root(name))
        if name in self.kinds:
            return Type("kind", name)
        return None

    def parse_type(self, text: str) -> Type:
        """A type as a plugin writes it: `list of unit`, `unit or none`. One of several types is any."""
        if len(alternatives(text)) > 1:
            return ANY
        optional = text.endswith(" or none")
        name = text.removesuffix(" or none").strip()
        is_list = name.startswith("list of ")
        name = name.removeprefix("list of ").strip()
        base = self.named_type(name) or PLUGIN_TYPES.get(name, ANY)
        result = list_of(base) if is_list else base
        return result.or_none if optional else result

    def param_type(self, param: tree.Param) -> Type:
        """By annotation, else by a noun, role or kind of that name, else a number."""
        if param.type is not None:
            return self.resolve_type(param.type)
        if param.name in self.nouns:
            return noun_type(self.root(param.name))
        if param.name in self.plurals:
            return list_of(noun_type(self.root(self.plurals[param.name])))
        if param.name in self.kinds:
            return Type("kind", param.name)
        if param.name in self.words:
            return Type("word", param.name)
        return NUMBER

    def untyped(self, params: Sequence[tree.Param]) -> frozenset[str]:
        """The parameters that are numbers because neither a type nor a noun says otherwise."""
        return frozenset(p.name for p in params if p.type is None and self.param_type(p) == NUMBER)

    def nouns_with(self, field: str) -> str:
        """The nouns of which a field is declared, in words; nothing when none has it."""
        return " or ".join(noun for noun in self.nouns if self.root(noun) == noun and self.field_type(noun, field))

    def params(self, params: Sequence[tree.Param]) -> list[ir.Param]:
        """Parameters with their types; reports names that stand twice or mean something already."""
        seen: set[str] = set()
        result = []
        for p in params:
            if p.name in seen:
                self.report(
                    p.pos,
                    "duplicate-name",
                    f'the parameter "{p.name}" is named twice',
                    f"as in ({p.name}, other: {p.name})",
                )
            if p.name in ("bearer", "this", "it"):
                self.report(p.pos, "reserved-name", f'"{p.name}" has a meaning of its own and cannot be a parameter')
            seen.add(p.name)
            result.append(ir.Param(p.name, self.param_type(p), pos=p.pos))
        return result

    # -- words and definitions -----------------------------------------------------------------

    def add_words(self, block: tree.WordsBlock) -> None:
        """Declare an enumeration."""
        self.words[block.name] = block.words
        for w in block.words:
            self.word_owners.setdefault(w, []).append(block.name)

    def sole_owner(self, word: str) -> str | None:
        """The enumeration of a word, when it is in one only."""
        owners = self.word_owners.get(word, [])
        return owners[0] if len(owners) == 1 else None

    def is_family(self, title: str) -> bool:
        """Whether several variants stand behind a title."""
        return any((kind, title) in self.families for kind in self.titles.get(title, ()))

    def variant_title(self, kind: str, title: str, args: Sequence[tree.Argument], pos: tree.Pos) -> str:
        """The title of the variant that some words in parentheses mean; reports when they mean none."""
        variants = self.families[(kind, title)]
        named = tuple(a.value.name if isinstance(a.value, tree.Name) else "" for a in args)
        if named not in variants:
            self.report(pos, "unknown-name", f"say which {title}", f"there are: {', '.join(variants.values())}")
        return variants.get(named, title)

    def definitions_named(self, title: str) -> list[str]:
        """The kinds that have a definition of this title."""
        return self.titles.get(title, [])

    def assignable(self, given: Type, wanted: Type) -> bool:
        """Whether a value of one type may stand where another is wanted."""
        if "any" in (given.kind, wanted.kind):
            return True
        if given.kind == "none":
            return wanted.optional
        if given.optional and not wanted.optional:
            return False
        if wanted.kind in ("number", "fraction", "distance"):
            return self._numbers_fit(given, wanted)
        if wanted.kind == "list":
            return given.kind == "list" and self._items_fit(given.item, wanted.item)
        if wanted.kind == "noun":
            return given.kind == "noun" and (not wanted.name or self.root(given.name) == self.root(wanted.name))
        if wanted.kind == "kind":
            return given.kind == "kind" and ("" in (wanted.name, given.name) or wanted.name == given.name)
        return given.kind == wanted.kind and given.name == wanted.name

    @staticmethod
    def _numbers_fit(given: Type, wanted: Type) -> bool:
        if wanted.kind == "fraction":
            return given.kind in ("number", "fraction")
        return given.kind == wanted.kind

    def _items_fit(self, given: Type | None, wanted: Type | None) -> bool:
        if given is None or wanted is None:
            return True
        return self.assignable(given, wanted)
