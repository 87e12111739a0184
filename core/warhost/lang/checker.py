"""Checking a merged ruleset as a whole: declarations first, then every block, then what each may do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

from warhost.errors import Problem, did_you_mean
from warhost.lang import ir, tree
from warhost.lang.expressions import whole
from warhost.lang.natives import FUNCTIONS, RULE
from warhost.lang.program import Constraint, NamedChoice, Program
from warhost.lang.scope import Scope
from warhost.lang.statements import StatementChecker
from warhost.lang.symbols import (
    ARMY,
    CORE_NOUNS,
    DIE,
    EFFECT,
    SIDE,
    Definition,
    FieldInfo,
    Noun,
    PlacedBlock,
    Symbols,
    Table,
)
from warhost.lang.types import (
    ANY,
    DISTANCE,
    FRACTION,
    NUMBER,
    TEXT,
    YES_NO,
    Type,
    list_of,
    noun_type,
)
from warhost.vocabulary import Kind, Parameter, Vocabulary

_SORTS: dict[type, str] = {
    tree.NumberBlock: "number",
    tree.FlagBlock: "flag",
    tree.ValueBlock: "value",
    tree.RollBlock: "roll",
    tree.ProcedureBlock: "procedure",
    tree.EventBlock: "event",
    tree.ChoiceBlock: "choice",
    tree.TableBlock: "table",
    tree.ConstraintBlock: "constraint",
}


@dataclass(slots=True)
class _Pending:
    """A procedure that some local definition brings: lowered with `this` and `bearer` before its parameters."""

    block: tree.LocalProcedure
    definition: Definition
    scope: Scope


@dataclass(slots=True)
class _Lowered:
    numbers: dict[str, ir.Number] = field(default_factory=dict)
    rolls: dict[str, ir.Roll] = field(default_factory=dict)
    procedures: dict[str, ir.Function] = field(default_factory=dict)
    events: dict[str, ir.Event] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    choices: dict[str, NamedChoice] = field(default_factory=dict)
    definitions: dict[tuple[str, str], Definition] = field(default_factory=dict)
    templates: dict[str, ir.Template] = field(default_factory=dict)
    handlers: list[ir.Handler] = field(default_factory=list)
    rights: list[ir.RerollRight] = field(default_factory=list)


class Checker(StatementChecker):
    """Lowers the merged blocks. Types of numbers, rolls and procedures are found on demand, whatever the order."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        kinds = {"rule": RULE, **vocabulary.kinds}
        functions = {f.name: f for f in FUNCTIONS} | dict(vocabulary.functions)
        super().__init__(Symbols(Vocabulary(functions, kinds)))
        self.out = _Lowered()
        self.placed: list[PlacedBlock] = []
        self.order_of: dict[int, int] = {}
        self._types: dict[str, Type] = {}
        self._busy: set[str] = set()
        self._pending: dict[str, _Pending] = {}
        self._template_count = 0

    # -- the whole -----------------------------------------------------------------------------

    def check(
        self, placed: Sequence[PlacedBlock], tables: Callable[[Symbols], Mapping[str, Table]]
    ) -> Program:
        """Everything: the program, as far as it could be made; what is wrong is among the problems."""
        self._begin(placed, tables)
        for p in self.placed:
            self._block(p.block)
        return self._program()

    def check_some(
        self, placed: Sequence[PlacedBlock], tables: Callable[[Symbols], Mapping[str, Table]],
        some: Sequence[tree.AnyBlock], types: Mapping[str, Type],
    ) -> None:  # fmt: skip
        """Some of the blocks, with all of them declared. types: those of other numbers and procedures."""
        self._begin(placed, tables)
        self._types.update(types)
        for block in some:
            self._block(block)
        for key in list(self._pending):
            self._procedure(key)

    def problems(self) -> list[Problem]:
        """What is wrong, each thing once, by file and line."""
        return sorted(dict.fromkeys(self.symbols.problems), key=lambda p: (p.file, p.line, p.column))

    def found_types(self) -> Mapping[str, Type]:
        """The types of numbers, procedures and choices that were found in their bodies."""
        return self._types

    def _begin(self, placed: Sequence[PlacedBlock], tables: Callable[[Symbols], Mapping[str, Table]]) -> None:
        self.placed = list(placed)
        for p in self.placed:
            self.order_of[id(p.block)] = p.order
        self._declare()
        self.symbols.data_tables = dict(tables(self.symbols))
        self._fields()
        for table in self.symbols.data_tables.values():
            self.out.tables[table.name] = table

    def _blocks(self, kind: type) -> Iterable[Any]:
        return [p.block for p in self.placed if isinstance(p.block, kind)]

    # -- declarations ----------------------------------------------------------------------------

    def _declare(self) -> None:
        s = self.symbols
        for b in self._blocks(tree.WordsBlock):
            s.add_words(b)
        for b in self._blocks(tree.NounBlock):
            s.add_noun(Noun(b.name, b.plural or s.nouns.get(b.name, Noun("", f"{b.name}s")).plural, b.is_a))
        for b in self._blocks(tree.NounBlock):
            self._check_noun(b)
        for p in self.placed:
            sort = _SORTS.get(type(p.block))
            if sort is not None:
                self._declare_named(sort, p.block)
        for b in self._blocks(tree.KindBlock):
            self._declare_definition(b)
        self._find_variants()
        for b in self._blocks(tree.PhraseBlock):
            self._declare_phrase(b)

    def _check_noun(self, b: tree.NounBlock) -> None:
        s = self.symbols
        if b.is_a is not None and b.is_a not in s.nouns:
            s.unknown(b.pos, "noun", b.is_a, s.nouns)
            s.nouns[b.name].is_a = None
            return
        seen, at = {b.name}, b.is_a
        while at is not None:
            if at in seen:
                s.report(b.pos, "circular", f'"{b.name}" is, by way of others, a "{b.name}" again')
                s.nouns[b.name].is_a = None
                return
            seen.add(at)
            at = s.nouns[at].is_a

    def _declare_named(self, sort: str, block: Any) -> None:
        s = self.symbols
        name: str = block.name
        if name.startswith("_"):
            s.report(block.pos, "bad-name", "a name cannot begin with _")
        for other in ("number", "flag", "value", "procedure", "table"):
            if sort in ("number", "flag", "value", "procedure", "table") and name in s.blocks[other]:
                s.report(
                    block.pos, "duplicate-name", f'there is already a {other} called "{name}"',
                    f"give it another name; a house rule writes `replace {other} {name}`",
                )
        s.blocks[sort][name] = block

    def _declare_definition(self, b: tree.KindBlock) -> None:
        s = self.symbols
        if b.kind not in s.kinds:
            s.unknown(b.pos, "kind of block", b.kind, [*s.kinds, *(x for x in _SORTS.values())])
            return
        kinds = s.titles.setdefault(b.title.text, [])
        if b.kind not in kinds:
            kinds.append(b.kind)

    def _find_variants(self) -> None:
        """Blocks of one kind and title that are told apart by words in parentheses: `Spear(long)`."""
        groups: dict[tuple[str, str], list[tree.KindBlock]] = {}
        for b in self._blocks(tree.KindBlock):
            groups.setdefault((b.kind, b.title.text), []).append(b)
        for (kind, title), blocks in groups.items():
            words = [tree.variant_of(b) for b in blocks]
            if len(blocks) > 1 and all(words):
                named = {w: tree.with_variant(title, w) for w in words}
                self.symbols.families[(kind, title)] = named
                for full in named.values():
                    self.symbols.titles.setdefault(full, []).append(kind)

    def _declare_phrase(self, b: tree.PhraseBlock) -> None:
        pattern: list[str | None] = []
        places: dict[str, int] = {}
        for word in b.pattern.split():
            if word.startswith("{") and word.endswith("}"):
                places[word[1:-1]] = len(places)
                pattern.append(None)
            else:
                pattern.append(word)
        args = []
        for a in b.means.args:
            value = a.value
            if isinstance(value, tree.Name) and value.name in places:
                value = tree.Name(f"${places[value.name]}", pos=value.pos)
            args.append(tree.Argument(value, a.name, pos=a.pos))
        if not _usable(b.pattern):
            self.symbols.report(
                b.pos, "bad-phrase", f'no rule could use the phrase "{b.pattern}"',
                f"it is a verb, places such as {{n}}, and between them the words: {', '.join(PREPOSITIONS)}",
            )
        means = tree.Call(b.means.name, tuple(args), pos=b.means.pos)
        self.symbols.phrases.append((pattern, tree.PhraseBlock(b.pattern, means, pos=b.pos)))

    def _fields(self) -> None:
        for b in self._blocks(tree.ProfileBlock):
            self._add_fields(b, writable=False)
        for b in self._blocks(tree.StateBlock):
            self._add_fields(b, writable=True)
        self.symbols.find_parts()
        for b in self._blocks(tree.ProfileBlock):
            self._field_defaults(b)
        for b in self._blocks(tree.StateBlock):
            self._field_defaults(b)

    def _add_fields(self, b: tree.StateBlock | tree.ProfileBlock, writable: bool) -> None:
        s = self.symbols
        if b.noun not in s.nouns:
            s.unknown(b.pos, "noun", b.noun, s.nouns)
            return
        home = s.nouns[s.root(b.noun)].fields
        for f in b.fields:
            if f.name in home:
                s.report(
                    f.pos, "duplicate-name", f'"{b.noun}" already has a field "{f.name}"',
                    "a field is declared once: as state or in the profile",
                )
            type_ = s.resolve_type(f.type)
            required = not writable and f.default is None and not type_.optional and type_.kind != "list"
            home[f.name] = FieldInfo(
                f.name, type_, writable, not writable, secret=f.type.secret, pos=f.pos,
                at_least=self._bound(f.at_least), at_most=self._bound(f.at_most), required=required,
                doc=(f.reads.plain or "") if f.reads else "",
            )

    def _bound(self, e: tree.Expr | None) -> int | None:
        if e is None:
            return None
        if isinstance(e, tree.Num):
            return whole(e.value)  # type: ignore[return-value]
        self.symbols.report(e.pos, "wrong-type", "a limit of a field is a plain number")
        return None

    def _field_defaults(self, b: tree.StateBlock | tree.ProfileBlock) -> None:
        s = self.symbols
        if b.noun not in s.nouns:
            return
        home = s.nouns[s.root(b.noun)].fields
        scope = Scope(f"a field of {b.noun}", {"it": noun_type(s.root(b.noun))})
        for f in b.fields:
            info = home[f.name]
            if f.default is not None:
                value = self.lower_as(f.default, scope, info.type, f'the start of "{f.name}"')
                info.default = self._function(f"{b.noun}.{f.name}", ["it"], scope, value)
            if f.resets is not None:
                info.resets = self.when(f.resets, scope)

    # -- types on demand ---------------------------------------------------------------------------

    def number_type(self, name: str) -> Type:
        if name in self._types:
            return self._types[name]
        s = self.symbols
        if name.startswith("choice "):
            return self._choice_type(name.removeprefix("choice "))
        if name in s.blocks["flag"]:
            return YES_NO
        if name in s.blocks["value"]:
            value: Any = s.blocks["value"][name]
            return s.resolve_type(value.type)
        block: Any = s.blocks["number"].get(name) or s.blocks["table"].get(name)
        if block is None:
            return ANY
        if block.type is not None:
            self._types[name] = s.resolve_type(block.type)
        elif name in self._busy:
            return NUMBER
        else:
            self._types[name] = self._probe_number(name, block)
        return self._types[name]

    def _probe_number(self, name: str, block: Any) -> Type:
        """The type of a number from its base, without keeping the problems (they come when it is lowered)."""
        self._busy.add(name)
        before = len(self.symbols.problems)
        scope = self._pure_scope(f"number {name}", block)
        base = block.base if isinstance(block, tree.NumberBlock) else block.cases[0].value
        type_ = self.lower(base, scope).type if base is not None else ANY
        del self.symbols.problems[before:]
        self._busy.discard(name)
        if type_.kind == "none":
            return ANY
        if isinstance(block, tree.TableBlock):
            return type_
        return type_ if type_.kind in ("distance", "fraction") else NUMBER

    def _choice_type(self, name: str) -> Type:
        key = f"choice {name}"
        if key not in self._types:
            block: Any = self.symbols.blocks["choice"][name]
            before = len(self.symbols.problems)
            self._types[key] = list_of(ANY)
            items, _, _ = self.phrase(block.options, self._choice_scope(block))
            del self.symbols.problems[before:]
            self._types[key] = items.type
        return self._types[key]

    def roll_type(self, name: str) -> Type:
        block: Any = self.symbols.blocks["roll"][name]
        if block.outcomes or any(n.effect == "is" for n in block.naturals):
            return self._outcome_type(block)
        specs = [block.spec, *(a.spec for a in block.alternatives)]
        forms = {type(s) for s in specs if s is not None and not isinstance(s, tree.Never)}
        if any(isinstance(s, tree.Opposed) and s.margin for s in specs):
            return NUMBER
        if forms <= {tree.Test, tree.Opposed}:
            return YES_NO
        return NUMBER

    def _outcome_type(self, block: tree.RollBlock) -> Type:
        s = self.symbols
        found = [o.word for o in block.outcomes] + [n.word for n in block.naturals if n.word is not None]
        owners = [set(s.word_owners.get(w.text, ())) for w in found]
        common = set.intersection(*owners) if owners else set()
        if not common:
            self.symbols.report(
                block.pos, "unknown-name", f'no `words` has all of {", ".join(w.text for w in found)}',
                "declare them: words NAME: ..",
            )
            return ANY
        return Type("word", sorted(common)[0])

    def procedure_type(self, name: str) -> Type:
        if name in self._types:
            return self._types[name]
        block: Any = self.symbols.blocks["procedure"].get(name)
        if block is None:
            return ANY
        if getattr(block, "type", None) is not None:
            self._types[name] = self.symbols.resolve_type(block.type)
            return self._types[name]
        if name in self._busy:
            return ANY
        self._procedure(name)
        return self._types.get(name, ANY)

    def event_params(self, name: str) -> list[tuple[str, Type]] | None:
        block: Any = self.symbols.blocks["event"].get(name)
        if block is None:
            return None
        return [(p.name, self.symbols.param_type(p)) for p in block.params]

    def choice_of(self, call: tree.Call, scope: Scope) -> tuple[tree.ChoiceBlock, list[ir.Expr]] | None:
        block: Any = self.symbols.blocks["choice"].get(call.name)
        if block is None:
            return None
        return block, self.arguments(call.args, self._params_of(block), call, scope)

    # -- scopes ------------------------------------------------------------------------------------

    def _first_with_side(self, params: Sequence[ir.Param]) -> ir.Expr | None:
        """Whose friends and enemies are meant by default: the first parameter that has a side."""
        for p in params:
            certain = p.type.kind == "noun" and not p.type.optional
            if certain and (p.type == SIDE or self.symbols.field_type(p.type.name, "side") is not None):
                return ir.Local(p.name, type=p.type)
        return None

    def _pure_scope(self, what: str, block: Any) -> Scope:
        params = self.symbols.params(block.params if hasattr(block, "params") else block.by)
        return self._scope(what, params, pure=True)

    def _scope(self, what: str, params: Sequence[ir.Param], pure: bool) -> Scope:
        scope = Scope(what, {p.name: p.type for p in params}, pure=pure, anchor=self._first_with_side(params))
        return scope

    def _function(self, key: str, params: Sequence[str], scope: Scope, value: ir.Expr) -> ir.Function:
        shown = [ir.Param(scope.renamed.get(p, p), scope.names.get(p, ANY)) for p in params]
        return ir.Function(key, scope.what, shown, value=value, pos=value.pos)

    # -- blocks ------------------------------------------------------------------------------------

    def _block(self, b: tree.AnyBlock) -> None:
        method = getattr(self, "_block_" + type(b).__name__.lower(), None)
        if method is not None:
            method(b)

    def _block_nounblock(self, b: tree.NounBlock) -> None:
        if b.where is not None and b.name in self.symbols.nouns:
            scope = Scope(f"noun {b.name}", {"it": noun_type(self.symbols.root(b.name))})
            scope.anchor = ir.Local("it", type=scope.names["it"])
            value = self.condition(b.where, scope)
            self.symbols.nouns[b.name].where = self._function(f"noun {b.name}", ["it"], scope, value)

    def _block_numberblock(self, b: tree.NumberBlock) -> None:
        scope = self._pure_scope(f"number {b.name}", b)
        type_ = self.number_type(b.name)
        base = self.lower(b.base, scope, type_)
        wanted = FRACTION if type_.kind in ("number", "fraction") else type_
        self.insist(base, wanted, b.base, f'the base of "{b.name}"')
        number = self._number(b, "number", type_, scope, base)
        for line in b.lines:
            number.templates.append(self._line(line, number, scope, f"number {b.name}", own=True))

    def _number(self, b: Any, sort: str, type_: Type, scope: Scope, base: ir.Expr) -> ir.Number:
        params = self.symbols.params(b.params)
        function = self._function(b.name, [p.name for p in params], scope, base)
        number = ir.Number(b.name, sort, params, type_, function, ref=b.ref, reads=_plain(b.reads), pos=b.pos)
        self.out.numbers[b.name] = number
        return number

    def _block_flagblock(self, b: tree.FlagBlock) -> None:
        scope = self._pure_scope(f"flag {b.name}", b)
        base = self.lower_as(b.base, scope, YES_NO, f'the base of "{b.name}"')
        number = self._number(b, "flag", YES_NO, scope, base)
        for line in b.lines:
            inner = scope.inner()
            when = self.condition(line.when, inner)
            template = self._template(number, "yes" if line.value else "no", scope, None, when, b.pos)
            template.because, template.called = line.because or "", line.called
            template.origin = f"flag {b.name}"
            number.templates.append(template)

    def _block_valueblock(self, b: tree.ValueBlock) -> None:
        scope = self._pure_scope(f"value {b.name}", b)
        type_ = self.symbols.resolve_type(b.type)
        base = self.lower_as(b.base, scope, type_, f'the base of "{b.name}"')
        number = self._number(b, "value", type_, scope, base)
        for line in b.lines:
            number.templates.append(self._line(line, number, scope, f"value {b.name}", own=True))

    # -- modifier lines ------------------------------------------------------------------------------

    def _template(
        self, number: ir.Number, op: str, scope: Scope, value: ir.Expr | None, when: ir.Expr | None, pos: tree.Pos
    ) -> ir.Template:
        self._template_count += 1
        key = f"{number.name}#{self._template_count}"
        template = ir.Template(
            key, number.name, op,
            self._line_function(f"{key} value", number, scope, value) if value is not None else None,
            self._line_function(f"{key} when", number, scope, when) if when is not None else None,
            pos=pos, order=self._template_count,
        )
        self.out.templates[key] = template
        return template

    @staticmethod
    def _line_function(key: str, number: ir.Number, scope: Scope, value: ir.Expr) -> ir.Function:
        """A function of the effect, its bearer and the number's parameters."""
        shown = [ir.Param(n, scope.names.get(n, ANY)) for n in ("this", "bearer")]
        return ir.Function(key, scope.what, [*shown, *number.params], value=value, pos=value.pos)

    def _line(
        self, line: tree.Modifier, number: ir.Number, scope: Scope, origin: str, own: bool = False,
        extra_when: Sequence[tree.Expr] = (),
    ) -> ir.Template:
        """One modifier line. scope sees the number's parameters (and bearer, this, a kind's parameters)."""
        inner = scope.inner(pure=True, what=f"a modifier of {number.name}")
        conditions: list[ir.Expr] = []
        for c in (*extra_when, *((line.when,) if line.when is not None else ())):
            conditions.append(self.condition(c, inner))
            self.learn(c, inner, True)
        value = self._modifier_value(line, number, inner)
        when = None
        if conditions:
            when = conditions[0] if len(conditions) == 1 else ir.Both(True, conditions, type=YES_NO)
        template = self._template(number, line.op, inner, value, when, line.pos)
        template.stacking, template.stacking_key = line.stacking or "sum", line.stacking_key or ""
        template.because, template.origin = line.because or "", origin
        template.called, template.rounding, template.each_time = line.called, line.rounding or "", line.each_time
        if line.source is not None:
            source = self.lower(line.source, inner)
            template.source = self._line_function(f"{template.key} source", number, inner, source)
        if not own:
            template.pin, template.pin_path = self._pin(when, number)
        return template

    def _modifier_value(self, line: tree.Modifier, number: ir.Number, scope: Scope) -> ir.Expr | None:
        if line.value is None:
            return None
        if number.sort == "flag":
            self.symbols.report(line.pos, "wrong-type", f'"{number.name}" is a flag', "use allow or forbid")
            return None
        if line.op == "set" or number.sort == "value":
            if line.op != "set":
                self.symbols.report(line.pos, "wrong-type", f'"{number.name}" is no number: it can only be set')
            wanted = FRACTION if number.type.kind in ("number", "fraction") else number.type
            return self.lower_as(line.value, scope, wanted, f'what "{number.name}" is set to')
        value = self.lower(line.value, scope, None if line.op == "multiply" else number.type)
        if line.per is not None:
            per = self.lower(line.per, scope)
            if not per.type.numeric:
                self.insist(per, NUMBER, line.per, "what stands after per")
            value = ir.Arith("*", value, per, type=value.type, pos=line.pos)
        wanted = FRACTION if line.op == "multiply" or number.type.kind != "distance" else DISTANCE
        self.insist(value, wanted, line.value, f'a modifier of "{number.name}"')
        if line.up_to is not None:
            limit = self.lower(line.up_to, scope, value.type)
            value = ir.CallFunction("lower_of", [value, limit], type=value.type, pos=line.pos)
        return value

    def _pin(self, when: ir.Expr | None, number: ir.Number) -> tuple[int | None, tuple[str, ...]]:
        """Find `P is bearer` (or `P.field is bearer`) among what must hold."""
        for part in _conjuncts(when):
            if not isinstance(part, ir.Same):
                continue
            for side, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(other, ir.Local) and other.name == "bearer":
                    path, root = _field_path(side)
                    for i, p in enumerate(number.params):
                        if root == p.name:
                            return i, path
        return None, ()

    def _number_named(self, name: str, pos: tree.Pos) -> ir.Number | None:
        """The number, flag or value, lowered by now or not: parameters and type are what is needed."""
        if name in self.out.numbers:
            return self.out.numbers[name]
        for sort in ("number", "flag", "value"):
            block: Any = self.symbols.blocks[sort].get(name)
            if block is not None:
                self._block(block)
                return self.out.numbers[name]
        known = [n for sort in ("number", "flag", "value") for n in self.symbols.blocks[sort]]
        self.symbols.unknown(pos, "number, flag or value", name, known)
        return None

    def _kind_line(
        self, line: tree.Modifier, scope: Scope, origin: str, conditions: Sequence[tree.Expr]
    ) -> ir.Template | None:
        number = self._number_named(line.target or "", line.pos)
        if number is None:
            return None
        inner, pins = self._number_scope(line.args, number, scope)
        template = self._line(line, number, inner, origin, extra_when=(*pins, *conditions))
        return template

    def _number_scope(
        self, args: Sequence[tree.Argument], number: ir.Number, scope: Scope
    ) -> tuple[Scope, list[tree.Expr]]:
        """The scope of a line about a number: its parameters by name.

        Positional names rename the parameters (`may_flee(piece)`), anything else pins them.
        """
        inner = scope.inner()
        pins: list[tree.Expr] = []
        for p in number.params:
            inner.bind(p.name, p.type)
        by_name = {p.name: p for p in number.params}
        for i, a in enumerate(args):
            if a.name is not None:
                if a.name not in by_name:
                    self.symbols.unknown(a.pos, f"parameter of {number.name}", a.name, by_name)
                    continue
                pins.append(tree.Is(tree.Name(a.name, pos=a.pos), a.value, pos=a.pos))
            elif i >= len(number.params):
                self.symbols.report(a.pos, "too-many-arguments", f'"{number.name}" has {len(by_name)} parameters')
            elif isinstance(a.value, tree.Name) and a.value.name not in ("bearer", "this"):
                inner.bind(a.value.name, number.params[i].type, number.params[i].name)
            else:
                pins.append(tree.Is(tree.Name(number.params[i].name, pos=a.pos), a.value, pos=a.pos))
        return inner, pins

    def _kind_permission(
        self, line: tree.Permission, scope: Scope, origin: str, conditions: Sequence[tree.Expr]
    ) -> ir.Template | None:
        number = self._number_named(line.flag, line.pos)
        if number is None:
            return None
        if number.sort != "flag":
            self.symbols.report(
                line.pos, "wrong-type", f'"{line.flag}" is no flag, so it cannot be allowed or forbidden',
                f"a {number.sort} takes a modifier, such as `{line.flag} set to ..`",
            )
            return None
        inner, pins = self._number_scope(line.args, number, scope)
        pure = inner.inner(pure=True, what=f"a condition on {number.name}")
        lowered = []
        for c in (*pins, *conditions, *((line.when,) if line.when is not None else ())):
            lowered.append(self.condition(c, pure))
            self.learn(c, pure, True)
        when = None
        if lowered:
            when = lowered[0] if len(lowered) == 1 else ir.Both(True, lowered, type=YES_NO)
        template = self._template(number, "allow" if line.allow else "forbid", pure, None, when, line.pos)
        template.because, template.origin, template.called = line.because or "", origin, line.called
        template.pin, template.pin_path = self._pin(when, number)
        return template

    def add_dynamic_template(self, line: tree.Modifier | tree.Permission, scope: Scope) -> ir.Statement:
        """A modifier put in force by a step. It remembers the locals of the procedure that it speaks of.

        Arguments that the procedure knows pin the number's parameters to their values of this moment; the other
        names among them are new names for the parameters (`may_shoot(u) when u is caster.unit`).
        """
        name = (line.target if isinstance(line, tree.Modifier) else line.flag) or ""
        number = self._number_named(name, line.pos)
        if number is None:
            return ir.Pass()
        inner = self._remembering(scope, number, line.when)
        pinned = self._pinned(line, number, scope, inner)
        if isinstance(line, tree.Modifier):
            template: ir.Template | None = self._line(line, number, inner, scope.what)
        else:
            bare = tree.Permission(line.allow, line.flag, (), line.when, None, line.because, pos=line.pos)
            template = self._kind_permission(bare, inner, scope.what, ())
        if template is None:
            return ir.Pass()
        template.static, template.pin, template.pin_path = False, None, ()
        captured = _captured(template)
        for f in (template.value, template.when, template.source):
            if f is not None:
                f.params = [ir.Param(c + _HERE, ANY) for c in captured] + f.params
        return ir.AddModifier(template.key, captured, pinned, self.lasting(line.duration, scope))

    @staticmethod
    def _remembering(scope: Scope, number: ir.Number, when: tree.Expr | None) -> Scope:
        """A scope in which the procedure's names mean what they are now, and free names the number's parameters."""
        inner = scope.inner(pure=True)
        for local in scope.names:
            inner.renamed[local] = scope.renamed.get(local, local) + _HERE
        for p in number.params:
            if p.name not in scope.names or (when is not None and _compared(when, p.name)):
                inner.bind(p.name, p.type)
        return inner

    def _pinned(
        self, line: tree.Modifier | tree.Permission, number: ir.Number, scope: Scope, inner: Scope
    ) -> list[ir.Expr]:
        """Pairs of (parameter's index, value) one after the other."""
        names = [p.name for p in number.params]
        pinned: list[ir.Expr] = []
        for i, a in enumerate(line.args):
            index = names.index(a.name) if a.name in names else (i if a.name is None else -1)
            if not 0 <= index < len(names):
                self.symbols.unknown(a.pos, f"parameter of {number.name}", a.name or "?", names)
            elif isinstance(a.value, tree.Name) and a.name is None and a.value.name not in scope.names:
                inner.bind(a.value.name, number.params[index].type, names[index])
            elif not (isinstance(a.value, tree.Name) and line.when is not None and _compared(line.when, a.value.name)):
                pinned.append(ir.Const(index, type=NUMBER))
                pinned.append(self.lower(a.value, scope, number.params[index].type))
        return pinned

    # -- rolls -------------------------------------------------------------------------------------

    def _block_rollblock(self, b: tree.RollBlock) -> None:
        params = self.symbols.params(b.params)
        scope = self._scope(f"roll {b.name}", params, pure=True)
        roll = ir.Roll(
            b.name, params, self.roll_type(b.name), self._roll_function(b, "by", b.by, scope), None, None, [], [], [],
            b.rerolls or "", [], ref=b.ref, pos=b.pos,
        )
        if b.against is not None:
            roll.against = self._roll_function(b, "against", b.against, scope)
        if b.spec is not None:
            roll.spec = self._spec(b, b.spec, scope)
        self._roll_lines(b, roll, scope)
        self.out.rolls[b.name] = roll

    def _roll_lines(self, b: tree.RollBlock, roll: ir.Roll, scope: Scope) -> None:
        with_need = scope.with_names(need=NUMBER)
        for n in b.naturals:
            roll.naturals.append(self._natural(b, n, scope))
        for o in b.outcomes:
            value = self._roll_function(b, o.relation, o.value, scope) if o.value is not None else None
            roll.outcomes.append(ir.Outcome(o.relation, value, o.word.text, pos=o.pos))
        for a in b.alternatives:
            when = self._roll_function(b, "when", a.when, with_need, YES_NO, ("need",)) if a.when is not None else None
            roll.alternatives.append((when, self._spec(b, a.spec, scope)))
        roll.windows = [self._roll_function(b, "window", w, scope) for w in b.windows]

    def _roll_function(
        self, b: tree.RollBlock, label: str, e: tree.Expr, scope: Scope, wanted: Type | None = None,
        extra: Sequence[str] = (),
    ) -> ir.Function:
        value = self.lower(e, scope, wanted)
        if wanted is not None:
            self.insist(value, wanted, e, f'what "{b.name}" says here')
        return self._function(f"{b.name} {label}", [*(p.name for p in b.params), *extra], scope, value)

    def _spec(self, b: tree.RollBlock, spec: tree.RollSpec, scope: Scope) -> ir.Spec:
        if isinstance(spec, tree.Never):
            return ir.Spec("never", pos=spec.pos)
        if isinstance(spec, tree.Test):
            return self._test_spec(b, spec, scope)
        if isinstance(spec, tree.Total):
            return ir.Spec("total", dice=self._dice_function(b, spec.dice, scope), pos=spec.pos)
        if isinstance(spec, tree.Pool):
            return self._pool_spec(b, spec, scope)
        left, right = self._spec(b, spec.left, scope), self._spec(b, spec.right, scope)
        return ir.Spec("opposed", left=left, right=right, ranked=spec.ranked, ties=self._ties(b, spec), pos=spec.pos)

    def _ties(self, b: tree.RollBlock, spec: tree.Opposed) -> str:
        """Who wins a tie: 'left' or 'right'; rolled again when nobody is named; 'margin' when the difference counts."""
        if spec.margin:
            return "margin"
        if spec.ties is None:
            return "again"
        if spec.ties == b.by:
            return "left"
        return "right"

    def _dice_function(self, b: tree.RollBlock, e: tree.Expr, scope: Scope) -> ir.Function:
        value = self.lower(e, scope.inner(names=scope.names, dice_allowed=True))
        if not value.type.numeric:
            self.insist(value, NUMBER, e, "what is rolled")
        return self._function(f"{b.name} dice", [p.name for p in b.params], scope, value)

    def _test_spec(self, b: tree.RollBlock, spec: tree.Test, scope: Scope) -> ir.Spec:
        confirmed = None
        if isinstance(spec.confirmed, tree.Compare):
            c = spec.confirmed
            confirmed = self._test_spec(b, tree.Test(c.left, c.op, c.right, pos=c.pos), scope)
        elif spec.confirmed is not None:
            self.symbols.report(spec.confirmed.pos, "wrong-type", "a confirmation is a throw such as `d6 <= 3`")
        need = self._roll_function(b, "need", spec.need, scope, FRACTION)
        return ir.Spec(
            "test", dice=self._dice_function(b, spec.dice, scope), op=spec.op, need=need, confirmed=confirmed,
            pos=spec.pos,
        )

    def _pool_spec(self, b: tree.RollBlock, spec: tree.Pool, scope: Scope) -> ir.Spec:
        params = [p.name for p in b.params]
        out = ir.Spec("pool", op=spec.op or "", pos=spec.pos)
        out.count = self._roll_function(b, "count", spec.count, scope, NUMBER)
        out.die_sides = self._roll_function(b, "sides", spec.die.sides, scope, NUMBER)
        if spec.need is not None:
            out.need = self._roll_function(b, "need", spec.need, scope, FRACTION)
        if spec.scores is not None:
            inner = scope.with_names(dice=list_of(NUMBER))
            value = self.lower_as(spec.scores, inner, FRACTION, "the score")
            out.scores = self._function(f"{b.name} scores", [*params, "dice"], inner, value)
        if spec.each_scores is not None:
            inner = scope.with_names(die=NUMBER)
            value = self.lower_as(spec.each_scores, inner, FRACTION, "the score of a die")
            out.each_scores = self._function(f"{b.name} each", [*params, "die"], inner, value)
        return out

    def _natural(self, b: tree.RollBlock, n: tree.Natural, scope: Scope) -> ir.Natural:
        confirmed = None
        if isinstance(n.confirmed, tree.Compare):
            c = n.confirmed
            confirmed = self._test_spec(b, tree.Test(c.left, c.op, c.right, pos=c.pos), scope)
        emits, emit_args = "", None
        if n.emits is not None:
            emits, emit_args = n.emits.name, self._emit_args(b, n.emits, scope)
        return ir.Natural(
            self._roll_function(b, "face", n.face, scope, NUMBER), n.effect,
            self._roll_function(b, "counts", n.value, scope, NUMBER) if n.value is not None else None,
            n.word.text if n.word is not None else "", confirmed, emits, emit_args,
            self._roll_function(b, "when", n.when, scope, YES_NO) if n.when is not None else None,
            self._roll_function(b, "natural by", n.by, scope) if n.by is not None else None, pos=n.pos,
        )

    def _emit_args(self, b: tree.RollBlock, call: tree.Call, scope: Scope) -> ir.Function | None:
        params = self.event_params(call.name)
        if params is None:
            self.symbols.unknown(call.pos, "event", call.name, self.symbols.blocks["event"])
            return None
        args = self.arguments(call.args, [(n, t, False) for n, t in params], call, scope)
        value = ir.CallFunction("list of", args, type=list_of(ANY), pos=call.pos)
        return self._function(f"{b.name} emits", [p.name for p in b.params], scope, value)

    # -- procedures, events, tables ------------------------------------------------------------------

    def _block_procedureblock(self, b: tree.ProcedureBlock) -> None:
        self._procedure(b.name)

    def _procedure(self, key: str) -> None:
        if key in self.out.procedures or key in self._busy:
            return
        self._busy.add(key)
        block: Any = self.symbols.blocks["procedure"][key]
        pending = self._pending.get(key)
        params = self.symbols.params(block.params)
        if pending is not None:
            scope = pending.scope.inner(pure=False, what=f"procedure {block.name}", decision=block.name, results=[])
            for p in params:
                scope.bind(p.name, p.type)
            params = [ir.Param("this", EFFECT), ir.Param("bearer", pending.definition.bearer), *params]
        else:
            scope = self._scope(f"procedure {block.name}", params, pure=False)
            scope.decision = block.name
        body = self.body(block.body, scope)
        declared = getattr(block, "type", None)
        self._types[key] = self.symbols.resolve_type(declared) if declared is not None else self._result(scope.results)
        ref = getattr(block, "ref", ())
        self.out.procedures[key] = ir.Function(key, block.name, params, body=body, ref=ref, pos=block.pos)
        self._busy.discard(key)

    def _result(self, results: list[Type]) -> Type:
        if not results:
            return ANY
        result = results[0]
        for t in results[1:]:
            if t.kind == "none":
                result = result.or_none
            elif result.kind == "none":
                result = t.or_none
            else:
                result = self._common(result, [t])
        return result

    def _block_eventblock(self, b: tree.EventBlock) -> None:
        params = self.symbols.params(b.params)
        scope = self._scope(f"event {b.name}", params, pure=True)
        names = [p.name for p in params]
        event = ir.Event(b.name, params, b.may_be_cancelled, None, "", b.until_all_pass, None, ref=b.ref, pos=b.pos)
        if b.says is not None:
            event.says = self._function(f"{b.name} says", names, scope, self.lower_as(b.says, scope, TEXT))
        if b.asks_enemies or b.asks_all:
            event.asks_who = "enemies" if b.asks_enemies else "all"
        elif b.asks is not None:
            event.asks_who = "given"
            event.asks = self._function(f"{b.name} asks", names, scope, self.chooser(b.asks, scope))
        existing = self.out.events.get(b.name)
        if existing is not None:
            event.handlers, event.reactions = existing.handlers, existing.reactions
        self.out.events[b.name] = event

    def _event(self, name: str) -> ir.Event | None:
        if name not in self.out.events:
            block: Any = self.symbols.blocks["event"].get(name)
            if block is None:
                return None
            self._block_eventblock(block)
        return self.out.events[name]

    def _block_tableblock(self, b: tree.TableBlock) -> None:
        scope = self._pure_scope(f"table {b.name}", b)
        names = [p.name for p in b.by]
        type_ = self.number_type(b.name)
        table = Table(b.name, self.symbols.params(b.by), type_, ref=b.ref)
        subject = ir.Local(names[0], type=scope.names[names[0]])
        for c in b.cases:
            test = self._case_test(c, subject, scope.inner())
            when = self._function(f"{b.name} case", names, scope, test) if test is not None else None
            if c.value is None:
                self.symbols.report(c.pos, "no-value", "a case of a table gives a value")
                continue
            wanted = type_ if type_.kind != "none" else ANY
            value = self.lower(c.value, scope, wanted)
            table.cases.append((when, self._function(f"{b.name} value", names, scope, value)))
        self.out.tables[b.name] = table

    def _choice_scope(self, b: tree.ChoiceBlock) -> Scope:
        return self._pure_scope(f"choice {b.name}", b)

    def _block_choiceblock(self, b: tree.ChoiceBlock) -> None:
        scope = self._choice_scope(b)
        items, _, _ = self.phrase(b.options, scope)
        params = self.symbols.params(b.params)
        function = self._function(f"choice {b.name}", [p.name for p in params], scope, items)
        known = self.out.choices.get(b.name)
        self.out.choices[b.name] = NamedChoice(b.name, params, function, known.narrowings if known else [])

    def _block_constraintblock(self, b: tree.ConstraintBlock) -> None:
        params = self.symbols.params(b.params)
        if len(params) != 1 or params[0].type != ARMY:
            self.symbols.report(
                b.pos, "wrong-type", "a constraint takes one parameter: (army)", f"write `constraint {b.name}(army)`"
            )
            return
        scope = self._scope(f"constraint {b.name}", params, pure=True)
        names = [params[0].name]
        when = self._function(f"{b.name} when", names, scope, self.condition(b.when, scope)) if b.when else None
        require = self._function(f"{b.name} require", names, scope, self.condition(b.require, scope))
        message = self._function(f"{b.name} message", names, scope, self.lower_as(b.otherwise, scope, TEXT))
        self.out_constraints.append(Constraint(b.name, require, message, when, b.ref, b.pos))

    @property
    def out_constraints(self) -> list[Constraint]:
        if not hasattr(self, "_constraints"):
            self._constraints: list[Constraint] = []
        return self._constraints

    # -- handlers and reactions ------------------------------------------------------------------------

    def _block_handlerblock(self, b: tree.HandlerBlock) -> None:
        scope = Scope("a handler", pure=False, decision=b.handler.event or "")
        made = self._handler(b.handler, scope, None, f"handler at {b.pos.file}:{b.pos.line}", ())
        if made is not None:
            self.out.handlers.append(made)

    def _block_reactionblock(self, b: tree.ReactionBlock) -> None:
        scope = Scope("a reaction", pure=False)
        self._reaction(b.reaction, scope, None, ())

    def _bind_event(self, names: Sequence[str], event: ir.Event, scope: Scope, pos: tree.Pos) -> Scope:
        inner = scope.inner(pure=False, event_params=tuple(names))
        if names and len(names) != len(event.params):
            shown = ", ".join(p.name for p in event.params)
            self.symbols.report(
                pos, "wrong-parameters", f'"{event.name}" has {len(event.params)} parameters: ({shown})',
                f"name all of them in this order: {event.name}({shown})",
            )
        for name, p in zip(names, event.params, strict=False):
            inner.bind(name, p.type, p.name)
        inner.event_params = tuple(names)
        if inner.anchor is None:
            inner.anchor = self._first_with_side(event.params)
        return inner

    def _handler(
        self, h: tree.Handler, scope: Scope, definition: Definition | None, origin: str,
        conditions: Sequence[tree.Expr],
    ) -> ir.Handler | None:
        if h.hook == "at":
            return self._moment_handler(h, scope, definition, origin, conditions)
        event = self._event(h.event or "")
        if event is None:
            self.symbols.unknown(h.pos, "event", h.event or "", self.symbols.blocks["event"])
            return None
        hook = "after" if h.hook == "on" else h.hook
        inner = self._bind_event(h.params, event, scope, h.pos)
        inner.hook, inner.decision = hook, event.name
        when = self._handler_condition(h, event, inner, conditions)
        for c in (*conditions, *((h.when,) if h.when is not None else ())):
            self.learn(c, inner, True)
        body = self.body(h.body, inner)
        return self._made_handler(h, hook, event, when, body, definition, origin)

    def _handler_condition(
        self, h: tree.Handler | tree.Reaction, event: ir.Event, scope: Scope, conditions: Sequence[tree.Expr],
        extra: Sequence[str] = (),
    ) -> ir.Function | None:
        pure = scope.inner(pure=True, what=f"the condition of a handler of {event.name}")
        lowered = []
        for c in (*conditions, *((h.when,) if h.when is not None else ())):
            lowered.append(self.condition(c, pure))
            self.learn(c, pure, True)
        if not lowered:
            return None
        value = lowered[0] if len(lowered) == 1 else ir.Both(True, lowered, type=YES_NO)
        params = ["this", "bearer", *(p.name for p in event.params), *extra]
        types = {**{p.name: p.type for p in event.params}, **pure.names}
        shown = [ir.Param(p, types.get(p, ANY)) for p in params]
        return ir.Function(f"{event.name} when", scope.what, shown, value=value, pos=value.pos)

    def _made_handler(
        self, h: tree.Handler, hook: str, event: ir.Event, when: ir.Function | None, body: list[ir.Statement],
        definition: Definition | None, origin: str,
    ) -> ir.Handler:
        self._template_count += 1
        key = f"{hook} {event.name}#{self._template_count}"
        params = [ir.Param("this", EFFECT), ir.Param("bearer", ANY), *event.params]
        run = ir.Function(key, origin, params, body=body, ref=h.ref, pos=h.pos)
        self.out.procedures[key] = run
        once = (h.once.scope, h.once.per) if h.once is not None else None
        pin, path = self._event_pin(when, event)
        return ir.Handler(
            key, hook, event.name, when, run, once, pin, path, definition is None, 0, self._template_count,
            origin=origin, pos=h.pos,
        )

    def _event_pin(self, when: ir.Function | None, event: ir.Event) -> tuple[int | None, tuple[str, ...]]:
        if when is None:
            return None, ()
        fake = ir.Number(event.name, "number", event.params, NUMBER, when)
        return self._pin(when.value, fake)

    def _moment_handler(
        self, h: tree.Handler, scope: Scope, definition: Definition | None, origin: str,
        conditions: Sequence[tree.Expr],
    ) -> ir.Handler | None:
        assert h.moment is not None
        event = ir.Event(f"{h.moment.edge} of {h.moment.what}", [], False, None, "", False, None)
        inner = scope.inner(pure=False, hook="at", decision=event.name)
        when = self._handler_condition(h, event, inner, conditions)
        handler = self._made_handler(h, "at", event, when, self.body(h.body, inner), definition, origin)
        pure = scope.inner(pure=True, what="a moment")
        handler.moment = self.when(h.moment, pure)
        return handler

    def _reaction(
        self, r: tree.Reaction, scope: Scope, definition: Definition | None, conditions: Sequence[tree.Expr]
    ) -> ir.Reaction | None:
        event = self._event(r.event)
        if event is None:
            self.symbols.unknown(r.pos, "event", r.event, self.symbols.blocks["event"])
            return None
        inner = self._bind_event(r.params, event, scope, r.pos)
        inner.hook, inner.decision = "reaction", r.title.text
        names = ["this", "bearer", *(p.name for p in event.params)]
        members, member = self._members(r, inner, names)
        pure_when = self._handler_condition(r, event, inner, conditions, (member,))
        if r.when is not None:
            self.learn(r.when, inner, True)
        inner.anchor = ir.Local(member, type=inner.names.get(member, ANY))
        body = self.body(r.body, inner)
        self._template_count += 1
        key = f"reaction {r.title.text}#{self._template_count}"
        params = [ir.Param(n, ANY) for n in names] + [ir.Param(member, ANY)]
        run = ir.Function(key, r.title.text, params, body=body, ref=r.ref, pos=r.pos)
        self.out.procedures[key] = run
        once = (r.once.scope, r.once.per) if r.once is not None else None
        reaction = ir.Reaction(
            key, r.title.text, event.name, members, member, pure_when, run, once, definition is None, 0,
            self._template_count, origin=scope.what, rated=self._rating_of(r, event, inner, member), pos=r.pos,
        )
        if definition is None:
            event.reactions.append(reaction)
        else:
            definition.reactions.append(reaction)
        return reaction

    def _rating_of(self, r: tree.Reaction, event: ir.Event, scope: Scope, member: str) -> ir.Function | None:
        """What it is worth to react."""
        if r.rated is None:
            return None
        pure = scope.inner(pure=True, what="the rating of a reaction")
        value = self.lower(r.rated, pure)
        self.insist_number(value, r.rated, "a rating")
        types = {**{p.name: p.type for p in event.params}, **pure.names}
        params = [ir.Param(p, types.get(p, ANY)) for p in ("this", "bearer", *(p.name for p in event.params), member)]
        return ir.Function(f"{r.title.text} rated", r.title.text, params, value=value, pos=r.pos)

    def _members(self, r: tree.Reaction, inner: Scope, names: Sequence[str]) -> tuple[ir.Function, str]:
        """Who may react: the members of the phrase, or the one thing that the expression names."""
        pure = inner.inner(pure=True, what=f"who may react to {r.event}")
        if r.by.source is not None and not r.by.where:
            who = self.lower(r.by.source, pure)
            if who.type.kind != "list":
                name = r.by.alias or "reactor"
                inner.bind(name, who.type)
                value: ir.Expr = ir.CallFunction("list of", [who], type=list_of(who.type))
                return self._members_function(r, names, value), name
        name = self._loop_name(r.by)
        if len(r.by.words) == 1 and r.by.words[0].text in inner.names:
            who = self.lower(tree.Name(r.by.words[0].text, pos=r.by.pos), pure)
            if who.type.kind != "list":
                value = ir.CallFunction("list of", [who], type=list_of(who.type))
                name = r.by.alias or "reactor"
                inner.bind(name, who.type)
                return self._members_function(r, names, value), name
        items, _, _ = self.phrase(r.by, pure, name)
        inner.bind(name, items.type.item or ANY)
        return self._members_function(r, names, items), name

    def _members_function(self, r: tree.Reaction, names: Sequence[str], value: ir.Expr) -> ir.Function:
        params = [ir.Param(n, ANY) for n in names]
        return ir.Function(f"{r.title.text} members", r.title.text, params, value=value, pos=r.pos)

    # -- kinds ---------------------------------------------------------------------------------------

    def _block_kindblock(self, b: tree.KindBlock) -> None:
        s = self.symbols
        kind = s.kinds.get(b.kind)
        if kind is None:
            return
        bearer = self._bearer_type(b, kind)
        order, family = self.order_of.get(id(b), 0), ""
        if (b.kind, b.title.text) in s.families:
            family, b = b.title.text, self._as_variant(b)
        definition = Definition(
            b.kind, b.title.text, s.params(b.params), bearer, ref=b.ref, reads=_plain(b.reads), pos=b.pos, order=order,
            family=family,
        )
        key = (b.kind, b.title.text)
        if key in self.out.definitions:
            s.report(b.pos, "duplicate-name", f'there is already a {b.kind} called "{b.title.text}"')
        self.out.definitions[key] = definition
        scope = self._kind_scope(b, kind, definition)
        if b.cost is not None:
            definition.cost = self._constant(b.cost, scope, NUMBER)
        for f in kind.fields:
            if f.default is not None:
                definition.values[f.name] = f.default
        self._declare_locals(b, definition, scope)
        self._items(b.items, kind, definition, scope, ())
        missing = [f.name for f in kind.fields if f.required and f.name not in definition.values]
        for name in missing:
            s.report(b.pos, "missing-field", f'this {b.kind} needs a field "{name}"')
        if family:
            self._join_family(definition)

    @staticmethod
    def _as_variant(b: tree.KindBlock) -> tree.KindBlock:
        """A variant under a title of its own, without the words as parameters."""
        title = tree.Word(tree.with_variant(b.title.text, tree.variant_of(b)), True, pos=b.title.pos)
        return replace(b, title=title, params=())

    def _join_family(self, d: Definition) -> None:
        """What stands for all variants of a title has of their fields what all have alike."""
        key = (d.kind, d.family)
        whole = self.out.definitions.get(key)
        if whole is None:
            whole = self.out.definitions[key] = Definition(
                d.kind, d.family, [], d.bearer, d.cost, dict(d.values), d.flags, reads=d.reads, pos=d.pos,
                order=d.order, variants=self.symbols.families[key],
            )  # fmt: skip
            return
        whole.cost = whole.cost if whole.cost == d.cost else None
        whole.values = {k: v for k, v in whole.values.items() if k in d.values and d.values[k] == v}
        whole.flags &= d.flags

    def _bearer_type(self, b: tree.KindBlock, kind: Kind) -> Type:
        s = self.symbols
        name = b.of or kind.bearer
        if not name:
            return ANY
        if name in s.nouns:
            return noun_type(s.root(name))
        if name in s.kinds:
            return Type("kind", name)
        if b.of is not None:
            s.unknown(b.pos, "noun", name, s.nouns)
        return ANY

    def _kind_scope(self, b: tree.KindBlock, kind: Kind, definition: Definition) -> Scope:
        always = kind.name == "rule"
        names: dict[str, Type] = {} if always else {"bearer": definition.bearer, "this": EFFECT}
        names |= {p.name: p.type for p in definition.params}
        this_fields = {f.name: self.symbols.parse_type(f.type) for f in kind.fields}
        this_fields |= {p.name: p.type for p in definition.params}
        this_fields |= {"bearer": definition.bearer, "giver": ANY, "other": EFFECT, "target": ANY, "caster": ANY}
        scope = Scope(f"{b.kind} {b.title.text}", names, pure=True, this_fields=this_fields)
        scope.kind_params = frozenset(p.name for p in definition.params)
        if not always:
            scope.bearer = definition.bearer
            scope.anchor = ir.Local("bearer", type=definition.bearer)
            for name in kind.roles:
                if name not in names:
                    self._spare_name(name, scope)
        return scope

    def _spare_name(self, name: str, scope: Scope) -> None:
        """`target` and `giver` of an effect may be named plainly in its rules."""
        scope.names[name] = noun_type("unit") if name in ("target", "caster", "giver") else SIDE
        scope.kind_params = scope.kind_params | {name}

    def _declare_locals(self, b: tree.KindBlock, definition: Definition, scope: Scope) -> None:
        """`keeps` and procedures are known in the whole block, wherever they stand in it."""
        s = self.symbols
        for item in _all_items(b.items):
            if isinstance(item, tree.Keeps):
                f = item.field
                info = FieldInfo(f.name, s.resolve_type(f.type), True, False, secret=f.type.secret, pos=f.pos)
                info.at_least, info.at_most = self._bound(f.at_least), self._bound(f.at_most)
                if f.default is not None:
                    value = self.lower_as(f.default, scope, info.type, f'the start of "{f.name}"')
                    info.default = self._function(f"{b.title.text}.{f.name}", ["this", "bearer"], scope, value)
                if f.resets is not None:
                    info.resets = self.when(f.resets, scope)
                definition.keeps[f.name] = info
                scope.this_fields[f.name] = info.type
            elif isinstance(item, tree.LocalProcedure):
                key = f"{b.kind} {b.title.text}: {item.name}"
                definition.procedures[item.name] = key
                scope.local_procedures[item.name] = key
                s.blocks["procedure"][key] = item  # type: ignore[assignment]
                self._pending[key] = _Pending(item, definition, scope)

    def _items(
        self, items: Sequence[tree.KindItem], kind: Kind, definition: Definition, scope: Scope,
        conditions: Sequence[tree.Expr],
    ) -> None:
        for item in items:
            method = getattr(self, "_item_" + type(item).__name__.lower())
            method(item, kind, definition, scope, conditions)

    def _item_kindfield(self, i: tree.KindField, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        declared = {f.name: f for f in kind.fields}
        if i.name not in declared:
            listed = ", ".join(declared) or "none"
            self.symbols.report(
                i.pos, "unknown-field", f'a {kind.name} has no field "{i.name}"',
                did_you_mean(i.name, declared) or f"its fields are: {listed}",
            )
            return
        d.values[i.name] = self._constant(i.value, scope, self.symbols.parse_type(declared[i.name].type))

    def _constant(self, e: tree.Expr, scope: Scope, wanted: Type) -> Any:
        """The plain value of a field: a number, a word, a text; a bare word is taken as text where text is wanted."""
        if wanted.certain.kind in ("text", "any") and isinstance(e, tree.Name):
            return e.name
        if wanted.certain.kind == "text" and isinstance(e, tree.Num):
            return str(whole(e.value))
        before = len(self.symbols.problems)
        value = self.lower_as(e, scope.inner(names={}), wanted, "the field")
        if len(self.symbols.problems) > before:
            return None
        return _constant_value(value)

    def _item_kindflag(self, i: tree.KindFlag, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        if i.name not in kind.flags:
            self.symbols.unknown(i.pos, f"flag word of a {kind.name}", i.name, kind.flags)
        d.flags = d.flags | {i.name}

    def _item_keeps(self, i: tree.Keeps, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        """Declared before everything else."""

    def _item_localprocedure(self, i: tree.LocalProcedure, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        self._procedure(d.procedures[i.name])

    def _item_modifier(
        self, i: tree.Modifier, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]
    ) -> None:
        template = self._kind_line(i, scope, f"{kind.name} {d.title}", cs)
        if template is not None:
            template.static = kind.name == "rule"
            d.templates.append(template)

    def _item_permission(
        self, i: tree.Permission, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]
    ) -> None:
        template = self._kind_permission(i, scope, f"{kind.name} {d.title}", cs)
        if template is not None:
            template.static = kind.name == "rule"
            d.templates.append(template)

    def _item_handler(self, i: tree.Handler, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]) -> None:
        always = kind.name == "rule"
        made = self._handler(i, scope, None if always else d, f"{kind.name} {d.title}", cs)
        if made is not None:
            (self.out.handlers if always else d.handlers).append(made)

    def _item_reaction(
        self, i: tree.Reaction, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]
    ) -> None:
        self._reaction(i, scope, None if kind.name == "rule" else d, cs)

    def _item_rerollright(
        self, i: tree.RerollRight, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]
    ) -> None:
        params: list[ir.Param] = []
        if i.roll is not None:
            block: Any = self.symbols.blocks["roll"].get(i.roll)
            if block is None:
                self.symbols.unknown(i.pos, "roll", i.roll, self.symbols.blocks["roll"])
                return
            params = self.symbols.params(block.params)
        inner = scope.inner(pure=True)
        for p in params:
            inner.bind(p.name, p.type)
        names = ["this", "bearer", *(p.name for p in params)]
        lowered = [self.condition(c, inner) for c in (*cs, *((i.when,) if i.when is not None else ()))]
        when = None
        if lowered:
            both = lowered[0] if len(lowered) == 1 else ir.Both(True, lowered, type=YES_NO)
            when = self._function(f"{d.title} reroll", names, inner, both)
        bound = [
            self._function(f"{d.title} faces", names, inner, self.lower(e, inner)) if e else None
            for e in (i.low, i.high)
        ]
        right = ir.RerollRight(
            i.roll, i.forced, i.which, bound[0], bound[1], when, f"{kind.name} {d.title}", i.because or "", pos=i.pos
        )
        (self.out.rights if kind.name == "rule" else d.rights).append(right)

    def _item_narrow(self, i: tree.Narrow, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]) -> None:
        block: Any = self.symbols.blocks["choice"].get(i.choice)
        if block is None:
            self.symbols.unknown(i.pos, "choice", i.choice, self.symbols.blocks["choice"])
            return
        inner = scope.inner(pure=True)
        params = self.symbols.params(block.params)
        for name, p in zip(i.params or [p.name for p in params], params, strict=False):
            inner.bind(name, p.type, p.name)
        kept, _, _ = self.phrase(i.to, inner)
        names = ["this", "bearer", *(p.name for p in params)]
        types = {"this": EFFECT, "bearer": d.bearer} | {p.name: p.type for p in params}
        shown = [ir.Param(n, types[n]) for n in names]
        lowered = [self.condition(c, inner) for c in (*cs, *((i.when,) if i.when is not None else ()))]
        when = None
        if lowered:
            both = lowered[0] if len(lowered) == 1 else ir.Both(True, lowered, type=YES_NO)
            when = ir.Function(f"{d.title} narrow when", scope.what, shown, value=both)
        keep = ir.Function(f"{d.title} narrow", scope.what, shown, value=kept)
        always = kind.name == "rule"
        made = ir.Narrowing(i.choice, keep, when, always, f"{kind.name} {d.title}", pos=i.pos)
        if always:
            self.out.choices.setdefault(i.choice, NamedChoice(i.choice, params, keep)).narrowings.append(made)
        else:
            d.narrowings.append(made)

    def _item_while(self, i: tree.While, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]) -> None:
        if i.condition is None:
            self._items(i.items, kind, d, scope, cs)
            return
        self._items(i.items, kind, d, scope, (*cs, i.condition))

    def _item_targets(self, i: tree.Targets, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        items, _, _ = self.phrase(i.phrase, scope.inner(pure=True))
        if "target" in scope.names and items.type.item is not None and not any(p.name == "target" for p in d.params):
            scope.names["target"] = scope.this_fields["target"] = items.type.item
        d.targets = ir.Function(
            f"{d.title} targets", scope.what, [ir.Param("this", EFFECT), ir.Param("bearer", d.bearer)], value=items
        )

    def _item_askind(self, i: tree.AsKind, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        if i.kind not in self.symbols.definitions_named(i.name.text):
            self.symbols.unknown(i.pos, i.kind, i.name.text, self.symbols.titles)
            return
        if (i.kind, i.name.text) in self.symbols.families:
            known = ", ".join(f'"{t}"' for t in self.symbols.families[(i.kind, i.name.text)].values())
            self.symbols.report(i.pos, "unknown-name", f"say which {i.name.text}", f"there are: {known}")
        d.includes.append((i.kind, i.name.text))

    def _item_endsat(self, i: tree.EndsAt, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        d.ends_at = self.when(i.moment, scope)

    def _item_part(self, i: tree.Part, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        s = self.symbols
        info = s.fields_of("unit").get(i.name)
        item = info.type.item if info is not None and info.profile else None
        if d.bearer.kind != "noun" or d.bearer.name != "unit" or kind.name == "rule" or cs:
            s.report(i.pos, "not-here", "parts are given to a unit by what it bears, as long as it is borne")
            return
        if item is None or item.kind != "noun" or item.name not in s.parts:
            lists = [n for n, f in s.fields_of("unit").items() if f.type.item and f.type.item.name in s.parts]
            s.report(
                i.pos, "unknown-field", f'no `profile of unit` declares a list of parts called "{i.name}"',
                did_you_mean(i.name, lists) or f"declare it: `{i.name}: list of NOUN`, and `profile of NOUN`",
            )
            return
        missing = [n for n, f in s.fields_of(item.name).items() if f.required]
        if missing:
            s.report(
                i.pos, "missing-field", f"a {item.name} needs {missing[0]}, and a part line gives it no figures",
                f"give {missing[0]} a default, or write the parts as records of a profile",
            )
        bounds = []
        for bound in (i.low, i.high):
            if bound is not None:
                value = self.lower_as(bound, scope.inner(pure=True), NUMBER, "how many parts")
                bounds.append(self._function(f"{d.title} {i.name}", ["this", "bearer"], scope, value))
        high = bounds[1] if len(bounds) > 1 else None
        d.parts.append(ir.PartLine(i.name, item.name, bounds[0], high, i.lost_first, pos=i.pos))

    # -- the turn --------------------------------------------------------------------------------------

    def _turn(self, sort: str) -> tuple[list[ir.Phase], ir.Phase | None]:
        blocks = [b for b in self._blocks(tree.TurnBlock) if b.kind == sort]
        phases = [self._phase(p, sort) for b in blocks for p in b.phases]
        order = None
        if blocks and blocks[-1].order is not None:
            order = self._ordered(ir.Phase("turn", "", "", "", False, None, None, False, [], None), blocks[-1].order)
        if sort == "turn" and not phases:
            pos = tree.NOWHERE
            self.symbols.report(pos, "no-turn", "the rules declare no turn", "write a `turn` block with its phases")
        return phases, order

    def _phase(self, p: tree.Phase, sort: str) -> ir.Phase:
        phase = ir.Phase(p.name, p.title or p.name, "once", "", False, None, None, False, [], None, pos=p.pos)
        if p.order is not None:
            self._ordered(phase, p.order)
        if p.when is not None:
            scope = Scope(f"phase {p.name}")
            phase.when = self._function(f"{p.name} when", [], scope, self.condition(p.when, scope))
        given = self._step_types(phase)
        for step in p.steps:
            self._step(step, phase, given)
        if p.body:
            self._phase_body(p, phase, given)
        return phase

    def _step_types(self, phase: ir.Phase) -> list[ir.Param]:
        """What a step of this phase is called with."""
        if phase.order == "each side" or (phase.order == "alternating" and phase.noun == "side"):
            return [ir.Param("side", SIDE)]
        if phase.order in ("each", "alternating"):
            noun = phase.noun
            return [ir.Param(noun, noun_type(self.symbols.root(noun)))]
        return []

    def _step(self, step: tree.Step, phase: ir.Phase, given: list[ir.Param]) -> None:
        s = self.symbols
        block: Any = s.blocks["procedure"].get(step.name)
        if block is None:
            s.unknown(step.pos, "procedure", step.name, s.blocks["procedure"])
            return
        if not step.args:
            if len(block.params) > len(given):
                shown = ", ".join(p.name for p in block.params)
                s.report(
                    step.pos, "wrong-parameters",
                    f'"{step.name}" takes ({shown}), but a phase of this order gives its steps '
                    + (f"({given[0].name})" if given else "nothing"),
                    "give the phase an order (`each side`, `each unit`), or the step its arguments",
                )
            elif block.params and not s.assignable(given[0].type, s.param_type(block.params[0])):
                s.report(step.pos, "wrong-type", f'"{step.name}" does not take a {given[0].type}')
            phase.steps.append(step.name)
            return
        scope = self._scope(f"phase {phase.name}", given, pure=False)
        call = tree.CallStatement(tree.Call(step.name, step.args, pos=step.pos), pos=step.pos)
        phase.steps.append(self._anonymous(phase, given, [call], scope, step.pos))

    def _phase_body(self, p: tree.Phase, phase: ir.Phase, given: list[ir.Param]) -> None:
        scope = self._scope(f"phase {phase.name}", given, pure=False)
        scope.decision = phase.name
        phase.steps.append(self._anonymous(phase, given, p.body, scope, p.pos))

    def _anonymous(
        self, phase: ir.Phase, given: list[ir.Param], body: Sequence[tree.Statement], scope: Scope, pos: tree.Pos
    ) -> str:
        self._template_count += 1
        key = f"phase {phase.name}#{self._template_count}"
        lowered = self.body(body, scope)
        self.out.procedures[key] = ir.Function(key, f"phase {phase.name}", given, body=lowered, pos=pos)
        self._types[key] = self._result(scope.results)
        return key

    def _ordered(self, phase: ir.Phase, order: tree.PhaseOrder) -> ir.Phase:
        s = self.symbols
        phase.order, phase.until_all_pass = order.kind, order.until_all_pass
        if order.noun is not None:
            noun = s.plurals.get(order.noun, order.noun)
            if noun not in s.nouns:
                s.unknown(order.pos, "noun", order.noun, [*s.nouns, *s.plurals])
                noun = "unit"
            phase.noun = noun
        if order.kind == "each" and phase.noun == "side":
            phase.order = "each side"
        if order.first is not None:
            scope = Scope(f"phase {phase.name}")
            first = self.lower_as(tree.Name(order.first, pos=order.pos), scope, SIDE, "who begins")
            phase.first = self._function(f"{phase.name} first", [], scope, first)
        if order.order is not None and order.order.by is not None:
            item = SIDE if phase.order == "each side" or not phase.noun else noun_type(s.root(phase.noun))
            scope = Scope(f"phase {phase.name}", {"it": item}, anchor=ir.Local("it", type=item))
            if phase.noun:
                scope.bind(phase.noun, item, "it")
            by = self.lower_as(order.order.by, scope, NUMBER, "what the order goes by")
            phase.by = self._function(f"{phase.name} by", ["it"], scope, by)
            phase.highest_first = order.order.highest_first
        return phase

    # -- putting it together -----------------------------------------------------------------------------

    def _program(self) -> Program:
        setup, _ = self._turn("setup")
        turn, turn_order = self._turn("turn")
        out = self.out
        for key in list(self._pending):
            self._procedure(key)
        for d in out.definitions.values():
            if d.kind == "rule":
                for t in d.templates:
                    out.numbers[t.number].templates.append(t)
        for h in out.handlers:
            if h.hook != "at":
                out.events[h.event].handlers.append(h)
        s = self.symbols
        return Program(
            s.nouns, s.words, s.kinds, dict(s.functions), out.numbers, out.rolls, out.procedures, out.events,
            out.tables, out.choices, out.definitions, self.out_constraints, out.templates,
            [h for h in out.handlers if h.hook == "at"], setup, turn, turn_order, out.rights,
        )


#: What can stand between the places of a phrase.
PREPOSITIONS = (
    "on", "from", "with", "as", "to", "at", "by", "of", "in", "against", "over", "within",
)  # fmt: skip


@cache
def _usable(pattern: str) -> bool:
    """Whether a statement written by a pattern can be read at all."""
    from warhost.lang.parser import parse

    shown = " ".join("x" if w.startswith("{") else w for w in pattern.split())
    _, problems = parse(f"procedure p()\n    {shown}\n", "")
    return not problems


def _plain(text: tree.Text | None) -> str:
    if text is None:
        return ""
    return text.plain or "".join(p if isinstance(p, str) else "{..}" for p in text.parts)


def _conjuncts(e: ir.Expr | None) -> Iterable[ir.Expr]:
    if isinstance(e, ir.Both) and e.every:
        for operand in e.operands:
            yield from _conjuncts(operand)
    elif e is not None:
        yield e


def _field_path(e: ir.Expr) -> tuple[tuple[str, ...], str]:
    """(fields, local) of `local.field.field`; an empty local when it is anything else."""
    path: list[str] = []
    while isinstance(e, ir.GetField):
        path.append(e.field)
        e = e.of
    return tuple(reversed(path)), e.name if isinstance(e, ir.Local) else ""


#: Marks, in the functions of a modifier put in force by a step, the names remembered from the procedure.
_HERE = "_here"


def _compared(e: tree.Expr, name: str) -> bool:
    """Whether `NAME is ..` stands in a condition."""
    return any(
        isinstance(n, tree.Is) and isinstance(n.subject, tree.Name) and n.subject.name == name for n in tree.walk(e)
    )


def _captured(template: ir.Template) -> list[str]:
    names: list[str] = []
    for f in (template.value, template.when, template.source):
        for node in ir.walk(f) if f is not None else ():
            if isinstance(node, ir.Local) and node.name.endswith(_HERE):
                name = node.name.removesuffix(_HERE)
                if name not in names:
                    names.append(name)
    return names


def _all_items(items: Sequence[tree.KindItem]) -> Iterable[tree.KindItem]:
    for item in items:
        yield item
        if isinstance(item, tree.While):
            yield from _all_items(item.items)


def _constant_value(e: ir.Expr) -> Any:
    if isinstance(e, ir.Const):
        return e.value
    if isinstance(e, ir.Negate):
        return -_constant_value(e.operand)
    if isinstance(e, ir.Definition):
        return e.title
    if isinstance(e, ir.Arith):
        left, right = Fraction(_constant_value(e.left)), Fraction(_constant_value(e.right))
        results = {"+": left + right, "-": left - right, "*": left * right}
        return whole(left / right if e.op == "/" and right else results.get(e.op, Fraction(0)))
    return None


__all__ = ["CORE_NOUNS", "DIE", "Checker", "Parameter"]
