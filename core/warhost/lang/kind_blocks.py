"""Blocks of the kinds that plugins declare, and the rules that are always in force."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from warhost.errors import did_you_mean
from warhost.lang import ir, tree
from warhost.lang.block_checker import BlockChecker, Pending, plain_text
from warhost.lang.expressions import whole
from warhost.lang.handlers import Handlers
from warhost.lang.notes import BroughtIntoForce
from warhost.lang.number_lines import NumberLines
from warhost.lang.program import Definition, FieldInfo, NamedChoice
from warhost.lang.scope import Scope
from warhost.lang.symbols import EFFECT, SIDE
from warhost.lang.types import ANY, NUMBER, Type, noun_type
from warhost.vocabulary import Kind


class KindBlocks:
    """Lowers kind blocks, item by item."""

    def __init__(self, checker: BlockChecker, lines: NumberLines, handlers: Handlers) -> None:
        self.checker = checker
        self.symbols = checker.symbols
        self.lines = lines
        self.handlers = handlers
        self._for_everybody = False

    def kind_block(self, b: tree.KindBlock) -> None:
        """A definition: its fields, and everything that comes into force with it."""
        s = self.symbols
        kind = s.kinds.get(b.kind)
        if kind is None:
            return
        bearer = self._bearer_type(b, kind)
        order, family = self.checker.order_of.get(id(b), 0), ""
        if (b.kind, b.title.text) in s.families:
            family, b = b.title.text, self._as_variant(b)
        definition = Definition(
            b.kind, b.title.text, s.params(b.params), bearer, ref=b.ref, reads=plain_text(b.reads), pos=b.pos,
            order=order, family=family,
        )
        key = (b.kind, b.title.text)
        if key in self.checker.out.definitions:
            s.report(b.pos, "duplicate-name", f'there is already a {b.kind} called "{b.title.text}"')
        self.checker.out.definitions[key] = definition
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
        whole = self.checker.out.definitions.get(key)
        if whole is None:
            whole = self.checker.out.definitions[key] = Definition(
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
                info.at_least, info.at_most = self.checker.bound(f.at_least), self.checker.bound(f.at_most)
                if f.default is not None:
                    value = self.checker.lower_as(f.default, scope, info.type, f'the start of "{f.name}"')
                    info.default = self.checker.function(f"{b.title.text}.{f.name}", ["this", "bearer"], scope, value)
                if f.resets is not None:
                    info.resets = self.checker.when(f.resets, scope)
                definition.keeps[f.name] = info
                scope.this_fields[f.name] = info.type
            elif isinstance(item, tree.LocalProcedure):
                key = f"{b.kind} {b.title.text}: {item.name}"
                definition.procedures[item.name] = key
                scope.local_procedures[item.name] = key
                s.blocks["procedure"][key] = item  # type: ignore[assignment]
                self.checker.pending[key] = Pending(item, definition, scope)

    def _items(
        self, items: Sequence[tree.KindItem], kind: Kind, definition: Definition, scope: Scope,
        conditions: Sequence[tree.Expr],
    ) -> None:
        for item in items:
            before = len(self.symbols.problems)
            method = getattr(self, "_item_" + type(item).__name__.lower())
            method(item, kind, definition, scope, conditions)
            if len(self.symbols.problems) == before and self._is_for_somebody(item, kind):
                made = BroughtIntoForce(item, kind, definition, tuple(conditions))
                self.checker.notes.brought_into_force.append(made)

    def _is_for_somebody(self, item: tree.KindItem, kind: Kind) -> bool:
        """Whether an item is in force for a bearer: no rule of the game, nothing `while in force`, and not what comes
        once for each instance.
        """
        if kind.name == "rule" or self._for_everybody or not isinstance(item, _FOR_SOMEBODY):
            return False
        return not (isinstance(item, tree.Handler) and item.hook == "at")

    def _item_kindfield(self, i: tree.KindField, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        declared = {f.name: f for f in kind.fields}
        if i.name not in declared:
            listed = ", ".join(declared) or "none"
            self.symbols.report(
                i.pos, "unknown-field", f'a {kind.name} has no field "{i.name}"',
                'write: reads ".."' if i.name == "reads"
                else did_you_mean(i.name, declared) or f"its fields are: {listed}",
            )
            return
        wanted, before = self.symbols.parse_type(declared[i.name].type), len(self.symbols.problems)
        d.values[i.name] = self._constant(i.value, scope, wanted)
        if wanted.numeric and isinstance(i.value, tree.Name | tree.Text):
            said = i.value.name if isinstance(i.value, tree.Name) else i.value.plain or ".."
            message = f'"{i.name}" of {kind.name} "{d.title}" is a number, not "{said}"'
            hint = f"write a number, such as {i.name}: 3"
            for n, p in enumerate(self.symbols.problems[before:], before):
                if p.code == "unknown-name" or isinstance(i.value, tree.Text):
                    self.symbols.problems[n] = replace(p, code="wrong-type", message=message, hint=hint)
        if declared[i.name].type == "text" and isinstance(d.values[i.name], str):
            self.checker.notes.kind_texts.append((kind.name, i.name, d.values[i.name], i.value.pos))

    def _constant(self, e: tree.Expr, scope: Scope, wanted: Type) -> Any:
        """The plain value of a field: a number, a word, a text; a bare word is taken as text where text is wanted."""
        if wanted.certain.kind in ("text", "any") and isinstance(e, tree.Name):
            return e.name
        if wanted.certain.kind == "text" and isinstance(e, tree.Num):
            return str(whole(e.value))
        before = len(self.symbols.problems)
        value = self.checker.lower_as(e, scope.inner(names={}), wanted, "the field")
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
        self.checker.procedure(d.procedures[i.name])

    def _item_modifier(
        self, i: tree.Modifier | tree.Permission, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]
    ) -> None:
        lower: Any = self.lines.kind_line if isinstance(i, tree.Modifier) else self.lines.kind_permission
        template: ir.Template | None = lower(i, scope, f"{kind.name} {d.title}", cs)
        if template is not None:
            template.static = kind.name == "rule"
            d.templates.append(template)

    _item_permission = _item_modifier

    def _item_handler(self, i: tree.Handler, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]) -> None:
        always = kind.name == "rule"
        made = self.handlers.handler(i, scope, None if always else d, f"{kind.name} {d.title}", cs)
        if made is not None:
            (self.checker.out.handlers if always else d.handlers).append(made)

    def _item_reaction(
        self, i: tree.Reaction, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]
    ) -> None:
        self.handlers.reaction(i, scope, None if kind.name == "rule" else d, cs)

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
        holds = self.checker.all_conditions((*cs, i.when), inner)
        when = self.checker.function(f"{d.title} reroll", names, inner, holds) if holds is not None else None
        bound = [
            self.checker.function(f"{d.title} faces", names, inner, self.checker.lower(e, inner)) if e else None
            for e in (i.low, i.high)
        ]
        right = ir.RerollRight(
            i.roll, i.forced, i.which, bound[0], bound[1], when, f"{kind.name} {d.title}", i.because or "", pos=i.pos
        )
        (self.checker.out.rights if kind.name == "rule" else d.rights).append(right)

    def _item_narrow(self, i: tree.Narrow, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]) -> None:
        block: Any = self.symbols.blocks["choice"].get(i.choice)
        if block is None:
            self.symbols.unknown(i.pos, "choice", i.choice, self.symbols.blocks["choice"])
            return
        inner = scope.inner(pure=True)
        params = self.symbols.params(block.params)
        for name, p in zip(i.params or [p.name for p in params], params, strict=False):
            inner.bind(name, p.type, p.name)
        kept, _, _ = self.checker.phrase(i.to, inner)
        names = ["this", "bearer", *(p.name for p in params)]
        types = {"this": EFFECT, "bearer": d.bearer} | {p.name: p.type for p in params}
        shown = [ir.Param(n, types[n]) for n in names]
        holds = self.checker.all_conditions((*cs, i.when), inner)
        when = ir.Routine(f"{d.title} narrow when", scope.what, shown, value=holds) if holds is not None else None
        keep = ir.Routine(f"{d.title} narrow", scope.what, shown, value=kept)
        always = kind.name == "rule"
        made = ir.Narrowing(i.choice, keep, when, always, f"{kind.name} {d.title}", pos=i.pos)
        if always:
            self.checker.out.choices.setdefault(i.choice, NamedChoice(i.choice, params, keep)).narrowings.append(made)
        else:
            d.narrowings.append(made)

    def _item_while(self, i: tree.While, kind: Kind, d: Definition, scope: Scope, cs: Sequence[tree.Expr]) -> None:
        if i.condition is None:
            before, self._for_everybody = self._for_everybody, True
            self._items(i.items, kind, d, scope, cs)
            self._for_everybody = before
            return
        self._items(i.items, kind, d, scope, (*cs, i.condition))

    def _item_targets(self, i: tree.Targets, kind: Kind, d: Definition, scope: Scope, cs: Any) -> None:
        items, _, _ = self.checker.phrase(i.phrase, scope.inner(pure=True))
        if "target" in scope.names and items.type.item is not None and not any(p.name == "target" for p in d.params):
            scope.names["target"] = scope.this_fields["target"] = items.type.item
        d.targets = ir.Routine(
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
        d.ends_at = self.checker.when(i.moment, scope)

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
                value = self.checker.lower_as(bound, scope.inner(pure=True), NUMBER, "how many parts")
                bounds.append(self.checker.function(f"{d.title} {i.name}", ["this", "bearer"], scope, value))
        high = bounds[1] if len(bounds) > 1 else None
        d.parts.append(ir.PartLine(i.name, item.name, bounds[0], high, i.lost_first, pos=i.pos))


#: Items that hold for somebody, or, if they do not say so, for everybody.
_FOR_SOMEBODY = (tree.Modifier, tree.Permission, tree.Handler, tree.Reaction, tree.RerollRight)


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
    if isinstance(e, ir.DefinitionRef):
        return e.title
    if isinstance(e, ir.Arith):
        left, right = Fraction(_constant_value(e.left)), Fraction(_constant_value(e.right))
        results = {"+": left + right, "-": left - right, "*": left * right}
        return whole(left / right if e.op == "/" and right else results.get(e.op, Fraction(0)))
    return None
