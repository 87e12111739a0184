"""What each name in the rules means where it stands: for editors, and whoever else reads rules as text.

    meanings = understand(rules.placed, rules.vocabulary, rules)
    for use in meanings.uses(module, text):
        print(use.pos, use.thing, use.declares)

The checker itself says what a name means: it is run once more and watched. So what is found here is what the rules do.
It works on rules with mistakes in them, too; what the checker made nothing of is then looked up by its name alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from warhost.lang import building_program as building
from warhost.lang import ir, tree
from warhost.lang.checker import Checker
from warhost.lang.place import Pos
from warhost.lang.program import Program, RuleData
from warhost.lang.scope import Scope
from warhost.lang.symbols import PlacedBlock, Symbols
from warhost.lang.types import Type
from warhost.vocabulary import Vocabulary
from warhost_lsp.occurrences import Occurrence, occurrences

Spot: TypeAlias = tuple[str, int, int]
"""Where a name begins: file, line, column."""


class Thing(NamedTuple):
    """What a name can mean.

    kind: the sort of a block (`number`, `event`, ..), or `definition` (of: its kind), `field` (of: the noun at the top
    of its family, or "" for what a definition keeps), `word` (of: its enumeration), `noun`, `kind`, `function`,
    `phase`, `rule of the book`, or `local` (of: where it is declared).
    """

    kind: str
    name: str
    of: str = ""


class Use(NamedTuple):
    """A name where it stands. pos: of the name alone, without quotes. thing: what it means, None for what nothing is
    called. declares: it is defined here. quoted: it stands in quotes. type: that of its value, None where it has none.
    implied: its type follows from its name (`unit`).
    """

    pos: Pos
    name: str
    thing: Thing | None
    declares: bool = False
    quoted: bool = False
    type: Type | None = None
    implied: bool = False


class Seen(NamedTuple):
    """What the checker made of an expression or statement: what it means, its type, the names in scope there, the type
    that was wanted, and of what something was asked (`of.name`).
    """

    thing: Thing | None
    type: Type | None
    names: Mapping[str, Type]
    wanted: Type | None = None
    of: Type | None = None


def understand(placed: Sequence[PlacedBlock], vocabulary: Vocabulary, data: RuleData) -> Meanings:
    """Run the checker over merged blocks and keep what it made of every name."""
    watched = _WatchedChecker(vocabulary)
    program = watched.check(
        building.on_the_prelude(placed), lambda symbols: building.data_tables(data.tables, symbols)
    )
    program.checker = watched
    return Meanings(watched, program, placed, data)


class Meanings:
    """What names mean in one state of a ruleset. program: what the rules say, as far as it could be made."""

    def __init__(
        self, watched: _WatchedChecker, program: Program, placed: Sequence[PlacedBlock], data: RuleData
    ) -> None:
        self._watched, self.program, self._placed, self._data = watched, program, placed, data

    @property
    def symbols(self) -> Symbols:
        """All names of the rules."""
        return self._watched.symbols

    def names(self) -> frozenset[str]:
        """Everything that has a name: while it is the same, names that stand alone in data mean the same."""
        s = self.symbols
        declared = {f"{sort} {name}" for sort, blocks in s.blocks.items() for name in blocks}
        fields = {f"field {name} of {noun.name}" for noun in s.nouns.values() for name in noun.fields}
        titles = {f"{kind} {title}" for title, kinds in s.titles.items() for kind in kinds}
        words = {f"word {word} of {name}" for name, found in s.words.items() for word in found}
        return frozenset({*declared, *fields, *titles, *words, *s.nouns, *s.data_tables, *s.kinds})

    def at(self, file: str, line: int, column: int) -> Seen | None:
        """What the checker made of the name that begins there."""
        return self._watched.seen.get((file, line, column))

    def uses(self, module: tree.Module, text: str) -> list[Use]:
        """Every name in a file of rules (its tree and its text), in the order of the text."""
        return self.meant(occurrences(module, text))

    def meant(self, found_in: Iterable[Occurrence]) -> list[Use]:
        """What each of some occurrences means, in the order of the text."""
        found: dict[tuple[int, int], Use] = {}
        for one in found_in:
            use = self._use(one)
            if one.role != "text" or use.thing is not None:
                found.setdefault((use.pos.line, use.pos.column), use)
        return [found[place] for place in sorted(found)]

    def inside(self, block: tree.AnyBlock) -> Mapping[Spot, Seen]:
        """What the names mean in a block that is not among the merged ones, such as one that somebody is writing."""
        fresh = _WatchedChecker(self._watched.vocabulary)
        placed = [p for p in self._placed if not _same_name(p.block, block)]
        fresh.look_at(
            building.on_the_prelude([*placed, _Written(block)]), block,
            lambda symbols: building.data_tables(self._data.tables, symbols), self._watched.found_types(),
        )  # fmt: skip
        return fresh.seen

    # -- what a name means ---------------------------------------------------------------------------

    def _use(self, one: Occurrence) -> Use:
        pos = one.pos
        seen = self._watched.seen.get((pos.file, pos.line, pos.column))
        type_ = seen.type if seen is not None else None
        if one.local is not None:
            thing: Thing | None = Thing("local", one.name, one.local)
            return Use(pos, one.name, thing, one.declares, one.quoted, type_, one.implied)
        thing = seen.thing if seen is not None and seen.thing is not None else self.called(one.role, one.name, one.of)
        return Use(pos, one.name, thing, one.declares, one.quoted, type_)

    def called(self, role: str, name: str, of: str = "") -> Thing | None:
        """What something of this name is in a role (see occurrences.py), looked up by the name alone."""
        for thing in self._candidates(role, name, of):
            return thing
        return None

    def _candidates(self, role: str, name: str, of: str) -> list[Thing]:
        s = self.symbols
        match role:
            case "block":
                return [Thing(of, name)]
            case "text":
                return [*self._candidates("title", name, ""), *self._candidates("word", name, "")]
            case "title":
                kinds = [of] if of else s.definitions_named(name)
                return [Thing("definition", name, kind) for kind in kinds if kind in s.kinds]
            case "field":
                return [Thing("field", name, s.root(of) if of in s.nouns else of)]
            case "noun":
                return self._nouns(name)
            case "type":
                if name in s.words:
                    return [Thing("words", name)]
                return [*self._nouns(name), *([Thing("kind", name)] if name in s.kinds else [])]
            case "word":
                owner = of or s.sole_owner(name) or ""
                return [Thing("word", name, owner)] if name in s.words.get(owner, ()) else self._quality(name)
            case "phase" | "event" | "roll":
                return [Thing(role, name)] if role == "phase" or name in s.blocks[role] else []
            case "quality":
                return self._quality(name)
            case "attribute":
                homes = [n.name for n in s.nouns.values() if name in n.fields]
                return [Thing("field", name, homes[0])] if len(homes) == 1 else self._callable(name)
        return [*self._callable(name), *self._quality(name)]

    def _nouns(self, name: str) -> list[Thing]:
        noun = self.symbols.plurals.get(name, name)
        return [Thing("noun", noun)] if noun in self.symbols.nouns else []

    def _callable(self, name: str) -> list[Thing]:
        s = self.symbols
        sorts = ("number", "flag", "value", "procedure", "table", "choice", "roll")
        found = [Thing(sort, name) for sort in sorts if name in s.blocks[sort]]
        found += [Thing("table", name)] if name in s.data_tables else []
        return found + ([Thing("function", name)] if name in s.functions else [])

    def _quality(self, name: str) -> list[Thing]:
        """What can stand after `is`, `has` and before a noun."""
        s = self.symbols
        owner = s.sole_owner(name)
        kind = s.kind_plurals.get(name, name)
        return [
            *self._nouns(name),
            *([Thing("flag", name)] if name in s.blocks["flag"] else []),
            *(Thing("definition", name, kind) for kind in s.definitions_named(name)),
            *([Thing("word", name, owner)] if owner is not None else []),
            *([Thing("kind", kind)] if kind in s.kinds else []),
        ]


class _Written:
    """A block as the checker wants it: above all others."""

    def __init__(self, block: tree.AnyBlock) -> None:
        self.block, self.order = block, 1_000_000


def _same_name(one: tree.AnyBlock, other: tree.AnyBlock) -> bool:
    """Whether two blocks would be one too many."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tree.KindBlock) and isinstance(other, tree.KindBlock):
        return (one.kind, one.title, one.params) == (other.kind, other.title, other.params)
    name = getattr(one, "name", None) or getattr(one, "noun", None)
    return name is not None and name == (getattr(other, "name", None) or getattr(other, "noun", None))


# -- watching the checker --------------------------------------------------------------------------


class _WatchedChecker(Checker):
    """A checker that keeps what it makes of names. What it reports counts for nothing: the rules have been checked."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.vocabulary = vocabulary
        self.seen: dict[Spot, Seen] = {}

    def look_at(
        self, placed: Sequence[PlacedBlock], block: tree.AnyBlock, tables: Any, types: Mapping[str, Type]
    ) -> None:
        """Lower one block, with all of them declared."""
        self.check_some(placed, tables, [], types)
        self.seen.clear()
        self.lower_block(block)

    def lower(self, e: tree.Expr, scope: Scope, expected: Type | None = None) -> ir.Expr:
        result = super().lower(e, scope, expected)
        if isinstance(e, tree.Name | tree.Call | tree.Text):
            self._keep(e.pos, self._thing(result), result.type, scope, expected)
        elif isinstance(e, tree.RollNamed | tree.HowMany):
            self._keep(e.pos, None, result.type, scope, expected)
        elif isinstance(e, tree.Attribute):
            spot = (e.pos.file, e.pos.end_line, e.pos.end_column - len(e.name))
            if spot in self.seen:  # what is known of it here may be more than its declaration says
                self.seen[spot] = self.seen[spot]._replace(type=result.type, wanted=expected)
        return result

    def attribute_of(self, of: ir.Expr, name: str, pos: tree.Pos, scope: Scope) -> ir.Expr:
        asked = of.type
        result = super().attribute_of(of, name, pos, scope)
        begins = Pos(pos.file, pos.end_line, pos.end_column - len(name), pos.end_line, pos.end_column)
        self._keep(begins, self._thing(result), result.type, scope, None, asked.certain)
        return result

    def writable(self, of: ir.Expr, target: tree.Attribute, scope: Scope) -> Type:
        asked = of.type
        result = super().writable(of, target, scope)
        pos = target.pos
        begins = Pos(pos.file, pos.end_line, pos.end_column - len(target.name), pos.end_line, pos.end_column)
        thing = self._field_thing(target.name, of) if result.kind != "any" else None
        self._keep(begins, thing, result, scope, None, asked.certain)
        return result

    def asked_whether(self, what: tree.Expr | tree.Word, found: ir.Expr, scope: Scope) -> None:
        spot = (what.pos.file, what.pos.line, what.pos.column)
        if isinstance(what, tree.Word) or (isinstance(what, tree.Name | tree.Text) and spot not in self.seen):
            self._keep(what.pos, self._thing(_reading(found)), None, scope)

    def statement(self, s: tree.Statement, scope: Scope) -> list[ir.Statement]:
        self._keep(s.pos, None, None, scope)
        return super().statement(s, scope)

    def _keep(
        self, pos: Pos, thing: Thing | None, type_: Type | None, scope: Scope, wanted: Type | None = None,
        of: Type | None = None,
    ) -> None:  # fmt: skip
        names = {**scope.names, **{n: t for n, t in scope.narrowed.items() if n in scope.names}}
        self.seen[pos.file, pos.line, pos.column] = Seen(thing, type_, names, wanted, of)

    def _thing(self, e: ir.Expr) -> Thing | None:
        s = self.symbols
        match e:
            case ir.Evaluate(name=name):
                sort = next((sort for sort in ("number", "flag", "value") if name in s.blocks[sort]), "number")
                return Thing(sort, name)
            case ir.GetField(field=name, of=of):
                return self._field_thing(name, of)
            case ir.LookUp(name=name):
                return Thing("table", name)
            case ir.CallProcedure(name=name):
                return Thing("procedure", name)
            case ir.CallFunction(name=name) if name in s.functions:
                return Thing("function", name)
            case ir.DefinitionRef(kind=kind, title=title):
                return Thing("definition", title, kind)
            case ir.IsNoun(noun=noun) | ir.AllOf(noun=noun):
                return Thing("noun", noun)
            case ir.Bears(title="", kind=kind) | ir.DefinitionsOf(kind=kind):
                return Thing("kind", kind)
            case ir.Bears(title=title, kind=kind):
                found = [kind] if kind else s.definitions_named(title)
                return Thing("definition", title, found[0]) if found else None
            case ir.Const(value=str() as word) if e.type.kind == "word":
                return Thing("word", word, e.type.name)
            case ir.Query(source=ir.AllOf() as source):
                return self._thing(source)
        return None

    def _field_thing(self, name: str, of: ir.Expr) -> Thing | None:
        if isinstance(of, ir.Local) and of.name == "this":
            return Thing("field", name, "")
        if of.type.kind != "noun":
            return None
        root = self.symbols.root(of.type.name)
        while root and name not in self.symbols.fields_of(root):  # what is asked of a part may be its whole's
            root = self.symbols.parts.get(root, "")
        return Thing("field", name, root or self.symbols.root(of.type.name))


def _reading(e: ir.Expr) -> ir.Expr:
    """What `x is y` asks about: without the `not` and without the question whether x is there."""
    while True:
        match e:
            case ir.Not(operand=inner):
                e = inner
            case ir.Both(operands=[_, *_] as operands):
                e = operands[-1]
            case ir.Same(right=ir.Const() as right):
                e = right
            case _:
                return e
