"""Checking expressions and lowering them to the intermediate form."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from fractions import Fraction

from warhost.errors import did_you_mean, is_a_slip, nearest
from warhost.lang import ir, tree
from warhost.lang.lexer import DICE_OF_BOOKS, dice_of, vocabulary
from warhost.lang.notes import HeldAgainst, Notes
from warhost.lang.scope import Scope
from warhost.lang.symbols import EFFECT, Symbols
from warhost.lang.types import (
    ANY,
    DISTANCE,
    FRACTION,
    NONE,
    NUMBER,
    TEXT,
    YES_NO,
    Type,
    list_of,
    noun_type,
)
from warhost.vocabulary import Parameter, alternatives

#: How like a name must be to be meant, where there are few.
FEW = 0.6

#: Functions of the language itself: parameter types, result. `same` stands for the type of the first argument.
BUILT_IN: dict[str, tuple[tuple[str, ...], str]] = {
    "floor": (("fraction",), "whole"),
    "ceiling": (("fraction",), "whole"),
    "round": (("fraction",), "whole"),
    "absolute": (("same",), "same"),
    "lower_of": (("same", "same"), "same"),
    "higher_of": (("same", "same"), "same"),
    "lowest_of": (("same", "same"), "same"),
    "highest_of": (("same", "same"), "same"),
    "remainder": (("same", "same"), "same"),
    "count_of": (("any", "list"), "number"),
    "size_of": (("list",), "number"),
    "first": (("list",), "item or none"),
    "last": (("list",), "item or none"),
    "empty_list": ((), "list"),
    "joined": (("list", "any"), "list"),
    "without": (("list", "any"), "list"),
    "whole": (("fraction",), "whole"),
    "as_number": (("distance",), "number"),
    "as_distance": (("fraction",), "distance"),
}


#: What can be done with a value that is of no use where it stands, by its kind.
_REMEDIES = {
    "text": "what stands in quotes is a text: leave them out to name a number, a word or a thing",
    "number": "a number stands for no thing: name the thing itself",
    "fraction": "a number stands for no thing: name the thing itself",
    "yes_no": "a yes or no can be asked with `if` or `when`, not computed with",
    "noun": "this is a whole thing: name what you want of it, as in `unit.size`",
    "kind": "this is a whole definition: name the field that you want of it",
    "word": "a word can be compared with `is`, not computed with",
    "list": "this is a list: `number of ..`, `total .. over ..` or first(..) make one value of it",
    "none": "here something must be there",
}

#: Each comparison as it reads from the other side.
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}

#: The same, by the type that is wanted there.
_WANTED = {EFFECT: 'write `end this`, or `take ".." from ..` who bears it'}


def untyped_hint(got: ir.Expr, scope: Scope, wanted: str) -> str | None:
    """What to do when a parameter is a number only because it has no type. wanted: the type that it should have."""
    if not wanted or not isinstance(got, ir.Local) or got.name not in scope.untyped:
        return None
    return f"without a type `{got.name}` is a number: write `{got.name}: {wanted}` where it is declared"


#: Words of other languages, and what takes their place here.
_SAID_ELSEWHERE = {
    **dict.fromkeys(("true", "True", "TRUE"), "write yes"), **dict.fromkeys(("false", "False", "FALSE"), "write no"),
    **dict.fromkeys(("null", "None", "nil", "nothing", "nobody"), "write none"),
}  # fmt: skip


def path_of(expr: tree.Expr) -> str | None:
    """`unit.quarry.side` as text, for names and attributes only."""
    if isinstance(expr, tree.Name):
        return expr.name
    if isinstance(expr, tree.Attribute):
        inner = path_of(expr.of)
        return f"{inner}.{expr.name}" if inner else None
    return None


def spoken(e: ir.Expr) -> str | None:
    """`unit.quarry.side`, for locals and what is asked of them."""
    if isinstance(e, ir.Local):
        return "it" if e.name.endswith("_") else e.name
    of = spoken(e.of) if isinstance(e, ir.GetField) else None
    return f"{of}.{e.field}" if of and isinstance(e, ir.GetField) else None


def counted(e: ir.Expr) -> str:
    """How a count is written, which is 0 or more; nothing for anything else."""
    if isinstance(e, ir.CallFunction) and e.name == "size_of":
        return "size_of(..)"
    return "number of .." if isinstance(e, ir.Query) and e.kind == "number" else ""


def plain_number(e: ir.Expr) -> int | Fraction | None:
    """The number that is written out, if one is."""
    if isinstance(e, ir.Negate):
        value = plain_number(e.operand)
        return None if value is None else -value
    plain = isinstance(e, ir.Const) and isinstance(e.value, int | Fraction) and not isinstance(e.value, bool)
    return e.value if plain and isinstance(e, ir.Const) else None


def why_none(e: ir.Expr, scope: Scope) -> str:
    """Why something may be none, and what to ask before."""
    path = spoken(e)
    ask = f"ask `{path} is not none` first" if path else "give it a name, and ask `is not none` of that first"
    if path in scope.chosen:
        return f"{ask}: {path} is none where nothing could be chosen, or nobody chose"
    return f"{ask}: it is declared `or none`" if isinstance(e, ir.GetField) else ask


def is_literal(e: ir.Expr) -> bool:
    """A number written out, which adopts the unit of what it stands with."""
    if isinstance(e, ir.Const):
        return isinstance(e.value, int | Fraction) and not isinstance(e.value, bool)
    if isinstance(e, ir.LookUp):
        return e.adopts
    if isinstance(e, ir.Negate):
        return is_literal(e.operand)
    if isinstance(e, ir.Arith):
        return is_literal(e.left) and is_literal(e.right)
    return False


#: Fields whose texts are ids of the data.
ID_FIELDS = frozenset({("unit", "profile"), ("army", "list")})


def whole(value: Fraction | int) -> Fraction | int:
    """The same number, as an int when it is one."""
    return int(value) if value == int(value) else value


class ExpressionChecker:
    """Lowers expressions. Every method reports what is wrong and goes on with the type `any`."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self._locals = 0
        #: Of the block that is being lowered, or of what stands in none.
        self.notes = Notes(symbols.problems)

    def fresh(self, name: str) -> str:
        """A local of the intermediate form that no author can have named."""
        self._locals += 1
        return f"{name}_{self._locals}_"

    # subclasses answer these; they may have to lower another block first
    def number_type(self, name: str) -> Type:
        raise NotImplementedError

    def procedure_type(self, name: str) -> Type:
        raise NotImplementedError

    def roll_type(self, name: str) -> Type:
        raise NotImplementedError

    def evaluated(self, name: str, args: Sequence[ir.Expr], pos: tree.Pos) -> None:
        """Told of each number, flag or value that is asked for."""

    def period(self, pos: tree.Pos, name: str) -> None:
        """Told of each period that is named."""

    def phase(self, pos: tree.Pos, name: str) -> None:
        """Told of each phase that a function is given by its name."""

    def asked_whether(self, what: tree.Expr | tree.Word, found: ir.Expr, scope: Scope) -> None:
        """Told of what stands after each `is` and `has` (the first word of several), and of the whole question."""

    # -- entry points --------------------------------------------------------------------------

    def lower(self, e: tree.Expr, scope: Scope, expected: Type | None = None) -> ir.Expr:
        """Lower one expression; expected helps bare words and literals to find their meaning."""
        method = getattr(self, "_" + type(e).__name__.lower())
        result: ir.Expr = method(e, scope, expected)
        result.pos = e.pos
        if expected is not None and expected.kind == "distance" and is_literal(result):
            result.type = DISTANCE
        return result

    def lower_as(self, e: tree.Expr, scope: Scope, wanted: Type, what: str = "this") -> ir.Expr:
        """Lower and insist on a type."""
        result = self.lower(e, scope, wanted)
        before = len(self.symbols.problems)
        self.insist(result, wanted, e, what)
        if len(self.symbols.problems) > before and (hint := untyped_hint(result, scope, str(wanted))):
            self.symbols.problems[-1] = dataclasses.replace(self.symbols.problems[-1], hint=hint)
        return result

    def insist(self, got: ir.Expr, wanted: Type, e: tree.Node, what: str = "this") -> None:
        """Report it when a lowered expression is not of the type that is wanted. what: how the message begins."""
        if self.symbols.assignable(got.type, wanted):
            return
        shown = NUMBER if wanted.kind == "fraction" else wanted
        both = got.type.kind == "kind" and wanted.kind == "noun" and got.type.name == wanted.name
        given = "the definition of one" if both else article(got.type)
        message = f"{what} must be {article(shown)}, but it is {given}"
        self.symbols.report(e.pos, "wrong-type", message, self._advice(got.type, wanted, e))

    def _advice(self, got: Type, wanted: Type, e: tree.Node | None = None) -> str | None:
        """What to do about a value of the wrong type. e: which it is, where that is known."""
        kinds = {got.kind, wanted.kind}
        if got.kind == "fraction" and wanted.kind == "number":
            return "a division gives a fraction: write floor(..), ceiling(..) or round(..) around it"
        if got.optional and self.symbols.assignable(got.certain, wanted):
            if path := path_of(e) if isinstance(e, tree.Name | tree.Attribute) else None:
                return f"it may be none: ask `if {path} is not none` first"
            return "it may be none: keep it, as in `found = ..`, and ask `if found is not none` first"
        if "distance" in kinds and kinds & {"number", "fraction"}:
            if wanted.kind != "distance":
                return "distances and plain numbers do not mix: as_number(..) makes a number of one"
            declared = f"declare it so, `{e.name}: distance`, or " if isinstance(e, tree.Name) else ""
            return f"distances and plain numbers do not mix: {declared}write as_distance(..) around it"
        if wanted.kind == "yes_no" and isinstance(e, tree.Num):
            return "write yes or no"
        if wanted.kind == "yes_no" and got.numeric:
            return "compare it with something, as in `.. >= 1`"
        if got.kind == "kind" and wanted.kind == "noun" and got.name == wanted.name:
            return self._definitions_and_things(got.name)
        if wanted.kind == "word":
            return f"the words of {wanted.name} are: {', '.join(self.symbols.words[wanted.name])}"
        if wanted.kind == "list":
            return "a list is what `all ..`, a plural or a field declared as `list of ..` gives"
        return _WANTED.get(wanted) or _REMEDIES.get(got.kind)

    def _definitions_and_things(self, name: str) -> str:
        """What to write where the definitions of a kind are meant for the things of a noun of the same name."""
        plurals = {noun: plural for plural, noun in self.symbols.plurals.items()}
        things = plurals.get(name, f"those of noun {name}")
        return f"`{self.symbols.kinds[name].plural}` are what the rules define; those in the battle are `{things}`"

    def insist_number(self, got: ir.Expr, e: tree.Node, what: str) -> None:
        """Insist on a number, fraction or distance that is there."""
        if not got.type.numeric or got.type.optional:
            self.insist(got, NUMBER, e, what)

    def condition(self, e: tree.Expr, scope: Scope) -> ir.Expr:
        """Lower an expression that must be yes or no."""
        return self.lower_as(e, scope, YES_NO, "a condition")

    # -- literals ------------------------------------------------------------------------------

    def _num(self, e: tree.Num, scope: Scope, expected: Type | None) -> ir.Expr:
        value = whole(e.value)
        return ir.Const(value, type=NUMBER if isinstance(value, int) else FRACTION)

    def _percent(self, e: tree.Percent, scope: Scope, expected: Type | None) -> ir.Expr:
        of = self.lower(e.of, scope)
        self.insist_number(of, e.of, "what a percentage is taken of")
        share = ir.Const(whole(e.value / 100), type=FRACTION)
        kind = DISTANCE if of.type.kind == "distance" else FRACTION
        return ir.Arith("*", share, of, type=kind)

    def _yesno(self, e: tree.YesNo, scope: Scope, expected: Type | None) -> ir.Expr:
        return ir.Const(e.value, type=YES_NO)

    def _nothing(self, e: tree.Nothing, scope: Scope, expected: Type | None) -> ir.Expr:
        if expected is not None and expected.kind == "word" and "none" in self.symbols.words.get(expected.name, ()):
            return ir.Const("none", type=expected.certain)
        return ir.Const(None, type=NONE)

    def _text(self, e: tree.Text, scope: Scope, expected: Type | None) -> ir.Expr:
        plain = e.plain
        if plain is not None:
            if expected is not None and expected.kind == "kind":
                return self._definition(plain, expected, e.pos)
            if expected is not None and expected.kind == "word" and plain in self.symbols.words[expected.name]:
                return ir.Const(plain, type=expected.certain)
            return ir.Const(plain, type=TEXT)
        parts = [
            ir.Const(p, type=TEXT) if isinstance(p, str) else self.lower(p, scope) for p in e.parts
        ]
        return ir.TextJoin(parts, type=TEXT)

    def _counted(self, e: tree.Counted, scope: Scope, expected: Type | None) -> ir.Expr:
        return ir.CountedWords(self.lower_as(e.of, scope, NUMBER, "a count"), e.forms, type=TEXT)

    def _definition(self, title: str, expected: Type, pos: tree.Pos) -> ir.Expr:
        kinds = [k for k in self.symbols.definitions_named(title) if expected.name in ("", k)]
        if not kinds:
            self.symbols.unknown(pos, expected.name or "definition", title, self.symbols.titles)
            return ir.Const(None, type=ANY)
        return ir.DefinitionRef(kinds[0], title, type=Type("kind", kinds[0]))

    # -- names and attributes ------------------------------------------------------------------

    def _name(self, e: tree.Name, scope: Scope, expected: Type | None) -> ir.Expr:
        found = self._known_name(e, scope)
        if found is not None:
            return found
        word = self._word(e.name, expected)
        if word is not None:
            return word
        if expected is not None and expected.kind == "kind":
            return self._definition(e.name, expected, e.pos)
        callable_ = self._call_without_arguments(e, scope)
        if callable_ is not None:
            return callable_
        owner = self.symbols.sole_owner(e.name)
        if owner is not None and e.name not in self.symbols.nouns:
            return ir.Const(e.name, type=Type("word", owner))
        if e.name in self.symbols.plurals:
            return self._all_of(self.symbols.plurals[e.name], scope)
        if e.name in self.symbols.titles:
            return self._definition(e.name, Type("kind", ""), e.pos)
        self._unknown_name(e, scope, expected)
        return ir.Const(None, type=ANY)

    def _unknown_name(self, e: tree.Name, scope: Scope, expected: Type | None) -> None:
        s = self.symbols
        hint = None
        alike = [n for n, t in scope.names.items() if e.name in s.nouns and s.assignable(t, noun_type(e.name))]
        alike = [n for n in alike if n not in ("bearer", "giver")] or alike
        if e.name in scope.half:
            hint = "it has a value in some cases only: give it one before them"
        elif e.name in ("bearer", "this"):
            hint = "only a trait, a condition or another definition has a bearer, and is `this`"
        elif expected is not None and expected.kind == "word":
            words = s.words[expected.name]
            hint = did_you_mean(e.name, words) or f"the words of {expected.name} are: {', '.join(words)}"
        if hint is None and alike:
            hint = f"here there are: {', '.join(alike)}"
        if hint is None:
            hint = did_you_mean(e.name, [*scope.names, "battle", "scenario"])
        if hint is None and e.name not in (*s.nouns, *s.plurals):
            anywhere = [one for one in (*self._callables(), *s.word_owners, *s.titles) if is_a_slip(e.name, one)]
            hint = f'did you mean "{min(anywhere)}"?' if anywhere else None
        if hint is None:
            hint = _SAID_ELSEWHERE.get(e.name) or self._field_meant(e.name, scope)
        if DICE_OF_BOOKS.fullmatch(e.name):
            hint = f"dice have a small d: write {dice_of(e.name)}"
        s.report(e.pos, "unknown-name", f'there is no name called "{e.name}"', hint)

    def _field_meant(self, name: str, scope: Scope) -> str:
        """The field of something known here that a bare name may have meant."""
        fields = {
            f"{n}.{f}": f for n, t in scope.names.items() if t.kind == "noun" for f in self.symbols.field_names(t.name)
        }
        close = nearest(name, fields.values())
        found = next((path for path, f in fields.items() if f == close), None)
        if found is not None:
            return f'did you mean "{found}"?'
        here = [n for n in scope.names if n != "it" and not n.endswith("_")]
        return f"here there are: {', '.join(here) or 'no names'}; a text stands in double quotes"

    def _known_name(self, e: tree.Name, scope: Scope) -> ir.Expr | None:
        name = e.name
        if name in scope.names:
            type_ = scope.narrowed.get(name, scope.names[name])
            if name in scope.kind_params:
                return ir.GetField(ir.Local(scope.renamed.get("this", "this"), type=EFFECT), name, type=type_)
            return ir.Local(scope.renamed.get(name, name), type=type_)
        if name in ("battle", "turn"):
            return ir.Singleton("battle", type=noun_type("battle"))
        if name in ("side_a", "side_b"):
            return ir.Singleton(name, type=noun_type("side"))
        if name == "scenario":
            return ir.Singleton("scenario", type=noun_type("scenario"))
        return None

    def _word(self, name: str, expected: Type | None) -> ir.Expr | None:
        if expected is not None and expected.kind == "word" and name in self.symbols.words.get(expected.name, ()):
            return ir.Const(name, type=expected.certain)
        return None

    def _call_without_arguments(self, e: tree.Name, scope: Scope) -> ir.Expr | None:
        if self._is_callable(e.name):
            return self._call(tree.Call(e.name, (), pos=e.pos), scope, None)
        return None

    def _callables(self) -> set[str]:
        return set().union(*self._registries())

    def _is_callable(self, name: str) -> bool:
        return any(name in names for names in self._registries())

    def _registries(self) -> list[Collection[str]]:
        s = self.symbols
        sorts = ("number", "flag", "value", "procedure", "table", "choice")
        return [s.functions, BUILT_IN, s.data_tables, *(s.blocks[sort] for sort in sorts)]

    def _attribute(self, e: tree.Attribute, scope: Scope, expected: Type | None) -> ir.Expr:
        if path_of(e) == "turn.number":
            return ir.GetField(ir.Singleton("battle", type=noun_type("battle")), "turn", type=NUMBER)
        of = self.lower(e.of, scope)
        result = self.attribute_of(of, e.name, e.pos, scope)
        path = path_of(e)
        if path is not None and path in scope.narrowed:
            result.type = scope.narrowed[path]
        return result

    def attribute_of(self, of: ir.Expr, name: str, pos: tree.Pos, scope: Scope) -> ir.Expr:
        """`of.name`: a field, or a pure one-parameter function, number or flag read as one."""
        if of.type.kind in ("any", "kind") or of.type.name == "effect":
            self.notes.asked_of_effects.add(name)
        if of.type.kind == "any":
            return ir.GetField(of, name, type=ANY)
        if of.type.optional:
            message = f'this may be none, so it has no "{name}"'
            self.symbols.report(pos, "may-be-none", message, why_none(of, scope))
            of.type = of.type.certain
        if isinstance(of, ir.Local) and of.name == "this" and name in scope.this_fields:
            return ir.GetField(of, name, type=scope.this_fields[name])
        found = self._field(of, name)
        if found is None:
            found = self._applied(of, name, scope)
        if found is None:
            self._no_attribute(of, name, pos, scope)
            return ir.Const(None, type=ANY)
        return found

    def _field(self, of: ir.Expr, name: str) -> ir.Expr | None:
        s = self.symbols
        if of.type.kind == "noun":
            type_ = s.field_type(of.type.name, name)
            if type_ is None and of.type.name == "effect":
                type_ = self._effect_field(name)
            return ir.GetField(of, name, type=type_) if type_ is not None else None
        if of.type.kind == "kind":
            type_ = self._kind_field(of.type.name, name)
            return ir.GetField(of, name, type=type_) if type_ is not None else None
        return None

    def _kind_field(self, kind: str, name: str) -> Type | None:
        if name in ("name", "kind"):
            return TEXT
        if name in ("cost", "points"):
            return NUMBER
        kinds = [self.symbols.kinds[kind]] if kind else list(self.symbols.kinds.values())
        for k in kinds:
            for f in k.fields:
                if f.name == name:
                    type_ = self.symbols.parse_type(f.type)
                    return type_ if f.required or f.default is not None else type_.or_none
            if name in k.flags:
                return YES_NO
        return None

    def _effect_field(self, name: str) -> Type | None:
        """Fields that any kind's instances may have: an effect has those of its definition."""
        return self._kind_field("", name)

    def _applied(self, of: ir.Expr, name: str, scope: Scope) -> ir.Expr | None:
        """A function of one parameter read as an attribute."""
        s = self.symbols
        for sort in ("number", "flag", "value"):
            block = s.blocks[sort].get(name)
            if block is not None and len(block.params) == 1:  # type: ignore[union-attr]
                self.evaluated(name, [of], of.pos)
                return self._checked_application(ir.Evaluate(name, [of], type=self.number_type(name)), of, block)
        function = s.functions.get(name)
        if function is not None and function.pure and len(function.parameters) >= 1:
            wanted = s.parse_type(function.parameters[0].type)
            rest_optional = all(p.optional for p in function.parameters[1:])
            if rest_optional and s.assignable(of.type, wanted):
                if function.asks:
                    self.evaluated(name, [of], of.pos)
                return ir.CallFunction(name, [of], type=s.parse_type(function.result))
        return None

    def _checked_application(self, result: ir.Expr, of: ir.Expr, block: tree.AnyBlock) -> ir.Expr | None:
        wanted = self.symbols.param_type(block.params[0])  # type: ignore[union-attr]
        return result if self.symbols.assignable(of.type, wanted) else None

    def _fits(self, callable_: str, name: str, of: Type) -> bool:
        """Whether a callable may be meant by a name that a thing does not have: a slip, or one that needs just that."""
        s = self.symbols
        if is_a_slip(name, callable_):
            return True
        blocks = (s.blocks[sort].get(callable_) for sort in ("number", "flag", "value"))
        block = next((b for b in blocks if b is not None), None)
        if block is not None:
            params = self._params_of(block)
            return len(params) == 1 and s.assignable(of, params[0][1])
        function = s.functions.get(callable_)
        if function is None or not function.pure or sum(not p.optional for p in function.parameters) > 1:
            return False
        return not function.parameters or s.assignable(of, s.parse_type(function.parameters[0].type))

    def _of_what_it_has(self, of: ir.Expr, name: str) -> str | None:
        """A hint where not the thing has a field of this name, but one that it has: `unit.side.enemy`."""
        s, noun = self.symbols, of.type.name
        types = {one: s.field_type(noun, one) for one in s.field_names(noun)} if of.type.kind == "noun" else {}
        there = {one: t for one, t in types.items() if t is not None and t.kind == "noun" and not t.optional}
        with_it = [one for one, t in there.items() if t.name != noun and name in s.field_names(t.name)]
        if len({there[one].name for one in with_it}) != 1:
            return None
        return f'did you mean "{spoken(of) or ".."}.{with_it[0]}.{name}"?'

    def _no_attribute(self, of: ir.Expr, name: str, pos: tree.Pos, scope: Scope) -> None:
        s = self.symbols
        known: list[str] = []
        own: list[str] = []
        if isinstance(of, ir.Local) and of.name == "this":
            meant = did_you_mean(name, scope.this_fields)
            if meant is not None:
                s.report(pos, "unknown-field", f'{article(of.type)} has no "{name}"', meant)
                return
        if of.type.kind == "noun":
            own = s.field_names(of.type.name)
            known = [*own, *(c for c in self._callables() if self._fits(c, name, of.type))]
        elif of.type.kind == "kind":
            kinds = [s.kinds[of.type.name]] if of.type.name else list(s.kinds.values())
            known = ["name", *(f.name for k in kinds for f in k.fields)]
        hint = None
        if of.type.kind == "kind" and of.type.name in s.nouns and name in s.field_names(of.type.name):
            hint = self._definitions_and_things(of.type.name)
        if name in scope.names and of.type.kind == "noun" and s.assignable(scope.names[name], of.type):
            hint = f"{name} is a name here: {spoken(of) or '..'} is {name}"
        if not any(is_a_slip(name, one) for one in known):
            hint = hint or self._of_what_it_has(of, name)
        hint = hint or did_you_mean(name, known) or untyped_hint(of, scope, s.nouns_with(name))
        hint = hint or (_REMEDIES.get(of.type.kind) if not known else None)
        s.report(pos, "unknown-field", f'{article(of.type)} has no "{name}"', hint or _some(own or known))

    # -- calls ---------------------------------------------------------------------------------

    def _call(self, e: tree.Call, scope: Scope, expected: Type | None) -> ir.Expr:
        s = self.symbols
        if e.name in scope.local_procedures:
            key = scope.local_procedures[e.name]
            return self._procedure_call(e, key, s.blocks["procedure"][key], scope)
        for sort in ("number", "flag", "value"):
            block = s.blocks[sort].get(e.name)
            if block is not None:
                args = self.arguments(e.args, self._params_of(block), e, scope)
                self.evaluated(e.name, args, e.pos)
                return ir.Evaluate(e.name, args, type=self.number_type(e.name))
        if e.name in s.blocks["procedure"]:
            return self._procedure_call(e, e.name, s.blocks["procedure"][e.name], scope)
        if e.name in s.blocks["table"]:
            block = s.blocks["table"][e.name]
            args = self.arguments(e.args, [(p.name, s.param_type(p), False) for p in block.by], e, scope)  # type: ignore[union-attr]
            return ir.LookUp(e.name, args, type=self.number_type(e.name))
        if e.name in s.data_tables:
            table = s.data_tables[e.name]
            args = self.arguments(e.args, [(p.name, p.type, False) for p in table.params], e, scope)
            return ir.LookUp(e.name, args, table.type.numeric, type=table.type)
        if e.name in s.functions:
            return self._function_call(e, scope)
        if e.name in BUILT_IN:
            return self._built_in(e, scope)
        if e.name in s.blocks["choice"]:
            return self._named_choice(e, scope)
        if e.name in s.blocks["roll"]:
            s.report(e.pos, "missing-roll", f'"{e.name}" is a roll', f"write `roll {e.name}(..)`")
            return ir.Const(None, type=ANY)
        if len(e.args) == 1 and e.name in scope.names:
            s.report(e.pos, "not-a-function", f'"{e.name}" is a name here, not something to call')
            return ir.Const(None, type=ANY)
        event = s.blocks["event"].get(e.name)
        hint = f"{e.name} is an event: emit {e.name}(..)" if event is not None else None
        s.unknown(e.pos, "number, procedure or function", e.name, sorted(self._callables()), hint)
        for a in e.args:
            self.lower(a.value, scope)
        return ir.Const(None, type=ANY)

    def _named_choice(self, e: tree.Call, scope: Scope) -> ir.Expr:
        self.symbols.report(e.pos, "not-here", f'"{e.name}" is a choice', f"write `choose x from {e.name}(..)`")
        return ir.Const(None, type=ANY)

    def _params_of(self, block: tree.AnyBlock) -> list[tuple[str, Type, bool]]:
        return [(p.name, self.symbols.param_type(p), False) for p in block.params]  # type: ignore[union-attr]

    def _procedure_call(self, e: tree.Call, key: str, block: tree.AnyBlock, scope: Scope) -> ir.Expr:
        args = self.arguments(e.args, self._params_of(block), e, scope)
        if scope.pure:
            self.impure(e.pos, scope, f'"{e.name}" is a procedure')
        if key in scope.local_procedures.values():
            args = [ir.Local("this", type=EFFECT), ir.Local("bearer", type=ANY), *args]
        return ir.CallProcedure(key, args, type=self.procedure_type(key))

    def _function_call(self, e: tree.Call, scope: Scope) -> ir.Expr:
        function = self.symbols.functions[e.name]
        params = [(p.name, self.symbols.parse_type(p.type), p.optional) for p in function.parameters]
        args = self.arguments(e.args, params, e, scope)
        for i, (parameter, got) in enumerate(zip(function.parameters, args, strict=False)):
            if len(alternatives(parameter.type)) > 1:
                self._insist_on_one_of(got, parameter, function.name)
            if parameter.names and isinstance(got, ir.Const) and isinstance(got.value, str):
                said = next((a for a in e.args if a.name == parameter.name), e.args[min(i, len(e.args) - 1)])
                self._named(parameter.names, got.value, said.value.pos)
        if scope.pure and not function.pure:
            doing = ", ".join(sorted(function.effects))
            self.impure(e.pos, scope, f'"{e.name}" is a step ({doing})')
        if function.asks:  # and so, through it, numbers of the rules
            self.evaluated(e.name, args, e.pos)
        return ir.CallFunction(e.name, args, type=self.symbols.parse_type(function.result))

    def _named(self, what: str, name: str, pos: tree.Pos) -> None:
        """A text is the name of something: of a period, a phase, or (by its id) of an element of the data."""
        if what == "period":
            self.period(pos, name)
        elif what == "phase":
            self.phase(pos, name)
        else:
            self.notes.texts_given = [given for given in self.notes.texts_given if given[1] != pos]
            self.notes.ids_asked.append((what, name, pos))

    def _insist_on_one_of(self, got: ir.Expr, parameter: Parameter, function: str) -> None:
        """Report an argument that is of none of the types that a parameter takes, nor one of its texts."""
        s, types = self.symbols, alternatives(parameter.type)
        texts = [one.strip('"') for one in types if one.startswith('"')]
        wanted = [s.parse_type(one) for one in types if not one.startswith('"')]
        said = got.value if isinstance(got, ir.Const) and isinstance(got.value, str) else None
        if (texts and got.type.certain == TEXT and said is None) or (said is not None and said in texts):
            return
        given = got.type.certain if parameter.type.endswith(" or none") else got.type
        if any(s.assignable(given, one) for one in wanted):
            return
        quoted = [f'"{text}"' for text in texts]
        shown = " or ".join([*quoted, *(article(one) for one in wanted)])
        message = f'{parameter.name} of "{function}" must be {shown}, but it is '
        message += f'"{said}"' if said is not None else article(got.type)
        items = [one.item for one in wanted if one.item is not None and one.item.kind == "kind"]
        ways = [*quoted, *(f"all {s.kinds[item.name].plural}" for item in items)]
        hint = did_you_mean(said, texts) if said is not None else None
        if hint is None:
            hint = f"write {' or '.join(ways)}" if ways else self._advice(got.type, wanted[0])
        s.report(got.pos, "wrong-type", message, hint)

    def impure(self, pos: tree.Pos, scope: Scope, why: str) -> None:
        """Report that something does more than look and compute where only that is allowed."""
        self.symbols.report(
            pos, "not-pure", f"{why}, which {scope.what} cannot use: it may only look and compute",
            "do this in a procedure or a handler",
        )

    def arguments(
        self, args: Sequence[tree.Argument], params: Sequence[tuple[str, Type, bool]], e: tree.Node, scope: Scope
    ) -> list[ir.Expr]:
        """Bind arguments by position and by name; missing and surplus ones are reported."""
        name = getattr(e, "name", getattr(e, "event", "this"))
        slots: list[ir.Expr | None] = [None] * len(params)
        at_first, misfit = len(self.symbols.problems), ""
        index = {p[0]: i for i, p in enumerate(params)}
        for position, arg in enumerate(args):
            i = index.get(arg.name, -1) if arg.name is not None else position
            if arg.name is not None and i < 0:
                self.symbols.unknown(arg.pos, f"parameter of {name}", arg.name, index)
                continue
            if i >= len(params):
                self.symbols.report(
                    arg.pos, "too-many-arguments", f'"{name}" takes {_count(len(params))}, not {len(args)}',
                    self._signature(name, params),
                )
                break
            what = f'{params[i][0]} of "{name}"'
            before = len(self.symbols.problems)
            slots[i] = self.lower_as(arg.value, scope, params[i][1], what)
            self._recall_signature(before, name, params)
            given = slots[i]
            if isinstance(given, ir.Const) and isinstance(given.value, str) and params[i][1] == TEXT:
                self.notes.texts_given.append((given.value, arg.value.pos))
            if not misfit and any(p.code == "wrong-type" for p in self.symbols.problems[before:]):
                misfit = params[i][0]
        of_this = tuple(f'{p[0]} of "{name}" must be' for p in params)
        wrong = [p for p in self.symbols.problems[at_first:] if p.message.startswith(of_this)]
        for p in wrong[1:]:  # one of them is told: often they stand in another order
            self.symbols.problems.remove(p)
        missing = [p[0] for p, s in zip(params, slots, strict=True) if s is None and not p[2]]
        if missing and len(args) <= len(params):
            if misfit:  # it is this one that is not there, and those behind it have moved up
                del self.symbols.problems[at_first:]
                missing = [misfit]
            self.symbols.report(
                e.pos, "missing-argument", f'"{name}" also needs {", ".join(missing)}', self._signature(name, params)
            )
        result = [s if s is not None else ir.Const(None, type=ANY) for s in slots]
        while result and len(result) > len(args) and slots[len(result) - 1] is None and params[len(result) - 1][2]:
            result.pop()
        return result

    def _recall_signature(self, before: int, name: str, params: Sequence[tuple[str, Type, bool]]) -> None:
        """A wrong argument without better advice: show what is wanted in which order."""
        found = self.symbols.problems
        if len(found) == before + 1 and found[-1].hint in _REMEDIES.values():
            found[-1] = dataclasses.replace(found[-1], hint=self._signature(name, params))

    @staticmethod
    def _signature(name: str, params: Sequence[tuple[str, Type, bool]]) -> str:
        inside = ", ".join(f"{p}: {t}" for p, t, _ in params)
        return f"it is {name}({inside})"

    def _built_in(self, e: tree.Call, scope: Scope) -> ir.Expr:
        kinds, result = BUILT_IN[e.name]
        if len(e.args) != len(kinds):
            self.symbols.report(e.pos, "missing-argument", f'"{e.name}" takes {_count(len(kinds))}, not {len(e.args)}')
            return ir.Const(None, type=ANY)
        if result == "list" and kinds:
            items = self.lower(e.args[0].value, scope)
            self.insist(items, list_of(ANY), e.args[0].value, f'what "{e.name}" looks at')
            return self.changed_list(items, e.name, e.args[1].value, scope, f"the list of {e.name}(..)")
        args = [self.lower(a.value, scope) for a in e.args]
        self._unify_literals(args)
        for kind, arg, a in zip(kinds, args, e.args, strict=True):
            if kind == "list":
                self.insist(arg, list_of(ANY), a.value, f'what "{e.name}" looks at')
            elif kind == "distance":
                self.insist(arg, DISTANCE, a.value, f'what "{e.name}" makes a number of')
            elif result == "distance":
                self.insist(arg, FRACTION, a.value, f'what "{e.name}" makes a distance of')
            elif kind != "any":
                self.insist_number(arg, a.value, f'what "{e.name}" computes with')
        if kinds == ("same", "same"):
            self._same_unit(e, args[0], args[1])
        if e.name == "remainder":
            self._divided(e.pos, e.args[1].value, args[1], scope)
        return ir.CallFunction(e.name, args, type=_built_in_type(result, args))

    def changed_list(self, items: ir.Expr, how: str, change: tree.Expr, scope: Scope, what: str) -> ir.Expr:
        """A list with one more item (or those of another list), `joined`, or `without` it (or them). what: the list, as
        messages call it.
        """
        known = items.type.item or ANY
        value = self.lower(change, scope, None if known.kind == "any" else known)
        one = (value.type.item or ANY) if value.type.kind == "list" else value.type
        if not self.symbols.assignable(one, known):
            verb = "put into" if how == "joined" else "taken out of"
            self.insist(value, known, change, f"what is {verb} {what}")
        kept = list_of(one) if known.kind == "any" and how == "joined" else items.type
        return ir.CallFunction(how, [items, value], type=kept)

    @staticmethod
    def _unify_literals(args: list[ir.Expr]) -> None:
        if any(a.type.kind == "distance" for a in args):
            for a in args:
                if is_literal(a):
                    a.type = DISTANCE

    # -- arithmetic and comparison ---------------------------------------------------------------

    def _unary(self, e: tree.Unary, scope: Scope, expected: Type | None) -> ir.Expr:
        if e.op == "not":
            return ir.Not(self.condition(e.operand, scope))
        operand = self.lower(e.operand, scope, expected)
        if not operand.type.numeric or operand.type.optional:
            self.insist(operand, NUMBER, e.operand, "what stands after -")
        return ir.Negate(operand, type=operand.type)

    def _binary(self, e: tree.Binary, scope: Scope, expected: Type | None) -> ir.Expr:
        pair = [self.lower(e.left, scope), self.lower(e.right, scope)]
        for part, side in zip(pair, (e.left, e.right), strict=True):
            if not part.type.numeric or part.type.optional:
                self.insist(part, NUMBER, side, f"what stands beside {e.op}")
                part.type = ANY
        left, right = pair
        if e.op == "/":
            self._divided(e.pos, e.right, right, scope)
        return ir.Arith(e.op, left, right, type=self._arith_type(e, left, right))

    def _divided(self, pos: tree.Pos, by: tree.Expr, divisor: ir.Expr, scope: Scope) -> None:
        """Remember a division by what may be 0, if nothing has been asked about that before."""
        if by in scope.asked:
            return
        named = self.may_be_nothing(divisor)
        if named is not None:
            self.notes.divisions.append((pos, named))
        elif (lowest := self._may_fall_to_nothing(divisor)) is not None:
            self.notes.falling_divisions.append((pos, *lowest))

    def _may_fall_to_nothing(self, e: ir.Expr) -> tuple[str, bool] | None:
        """What is 0 at the lowest limit that it has: the name of a field or number, and whether it is state."""
        if isinstance(e, ir.Arith) and e.op == "*":
            return self._may_fall_to_nothing(e.left) or self._may_fall_to_nothing(e.right)
        if isinstance(e, ir.GetField) and e.of.type.kind == "noun":
            info = self.symbols.fields_of(e.of.type.name).get(e.field)
            least = info.at_least if info is not None else None
            return (info.name, info.writable) if info is not None and least is not None and least <= 0 else None
        block = self.symbols.blocks["number"].get(e.name) if isinstance(e, ir.Evaluate) else None
        if not isinstance(block, tree.NumberBlock):
            return None
        floors = [line.value for line in block.lines if line.op == "floor" and line.when is None]
        zero = any(isinstance(one, tree.Num) and one.value == 0 for one in floors)
        return (block.name, False) if zero else None

    def may_be_nothing(self, e: ir.Expr) -> str | None:
        """What of something is 0 at times, as far as what is declared of it tells: the name of a field, or of what is
        counted.
        """
        if isinstance(e, ir.Arith) and e.op == "*":
            return self.may_be_nothing(e.left) or self.may_be_nothing(e.right)
        if counted(e):
            return counted(e)
        info = None
        if isinstance(e, ir.GetField) and e.of.type.kind == "noun":
            info = self.symbols.fields_of(e.of.type.name).get(e.field)
        if info is None or not info.type.numeric or info.type.kind == "any":
            return None
        start = info.default.value if info.default is not None else ir.Const(0)
        zero = isinstance(start, ir.Const) and start.value == 0 and not info.required
        return info.name if zero and (info.at_least is None or info.at_least <= 0) else None

    def _arith_type(self, e: tree.Binary, left: ir.Expr, right: ir.Expr) -> Type:
        kinds = {left.type.kind, right.type.kind}
        if "any" in kinds:
            return ANY
        far_left, far_right = left.type.kind == "distance", right.type.kind == "distance"
        if e.op in "+-":
            if far_left != far_right:
                literal = right if far_left else left
                if not is_literal(literal):
                    self.symbols.report(
                        e.pos, "wrong-unit", f"a distance and a plain number cannot be joined by {e.op}",
                        "write as_distance(..) around the number, or as_number(..) around the distance",
                    )
                literal.type = DISTANCE
                return DISTANCE
            return DISTANCE if far_left else (FRACTION if "fraction" in kinds else NUMBER)
        if e.op == "*":
            if far_left and far_right:
                self.symbols.report(
                    e.pos, "wrong-unit", "two distances cannot be multiplied", "multiply a distance by a plain number"
                )
            return DISTANCE if far_left or far_right else (FRACTION if "fraction" in kinds else NUMBER)
        if far_right and not far_left:
            self.symbols.report(
                e.pos, "wrong-unit", "a number cannot be divided by a distance",
                "divide a distance by a distance to get a number",
            )
        return DISTANCE if far_left and not far_right else FRACTION

    def _compare(self, e: tree.Compare, scope: Scope, expected: Type | None) -> ir.Expr:
        self._not_itself(e, e.left, e.right)
        left = self.lower(e.left, scope)
        right = self.lower(e.right, scope, left.type)
        if isinstance(e.left, tree.Name) and left.type.kind != right.type.kind and right.type.kind == "word":
            left = self.lower(e.left, scope, right.type)
        self._unify_literals([left, right])
        self._text_asked(left, right)
        scope.asked.update((e.left, e.right))
        if isinstance(e.left, tree.Attribute) and isinstance(e.right, tree.Num):
            self.notes.compared.add(e.left.name)
        elif isinstance(left, ir.Evaluate) and isinstance(e.right, tree.Num):
            self.notes.compared.add(left.name)
        ordered = e.op in ("<", ">", "<=", ">=")
        numeric = left.type.numeric and right.type.numeric
        if numeric and not (left.type.optional or right.type.optional):
            self._same_unit(e, left, right)
            self._held_against(e, left, right)
            return ir.Compare(e.op, left, right)
        if ordered:
            for part, side in ((left, e.left), (right, e.right)):
                if not part.type.numeric or part.type.optional:
                    self.insist(part, NUMBER, side, f"what stands beside {e.op}")
            return ir.Compare(e.op, left, right)
        same: ir.Expr = ir.Same(left, right)
        self._comparable(e, left, right)
        return same if e.op == "==" else ir.Not(same)

    def _held_against(self, e: tree.Compare, left: ir.Expr, right: ir.Expr) -> None:
        """Remember a figure that is compared with a plain number."""
        for op, figure, with_ in ((e.op, left, right), (TURNED[e.op], right, left)):
            value = plain_number(with_)
            if value is None:
                continue
            if isinstance(figure, ir.GetField) and figure.of.type.kind == "noun":
                noun, name = self.symbols.root(figure.of.type.name), figure.field
            elif isinstance(figure, ir.Evaluate):
                noun, name = "", figure.name
            elif counted(figure):
                noun, name = "", counted(figure)
            else:
                continue
            self.notes.held_against.append(HeldAgainst(noun, name, op, value, e.pos))

    def _text_asked(self, left: ir.Expr, right: ir.Expr) -> None:
        """Remember a text that is compared with a field."""
        for of, text in ((left, right), (right, left)):
            if isinstance(of, ir.GetField) and isinstance(text, ir.Const) and isinstance(text.value, str):
                owner = of.of.type.certain
                if owner.kind == "kind" or (owner.kind == "noun" and owner.name in ("battle", "throw")):
                    self.notes.texts_asked.append((owner.name, of.field, text.value, text.pos))
                elif owner.kind == "noun" and (self.symbols.root(owner.name), of.field) in ID_FIELDS:
                    self.notes.ids_asked.append((of.field, text.value, text.pos))

    def _same_unit(self, e: tree.Node, left: ir.Expr, right: ir.Expr) -> None:
        kinds = {left.type.kind, right.type.kind}
        if "distance" in kinds and not kinds <= {"distance", "any"}:
            self.symbols.report(
                e.pos, "wrong-unit", "a distance and a plain number do not go together",
                "compare a distance with a distance, or divide two distances to get a number",
            )

    def _comparable(self, e: tree.Node, left: ir.Expr, right: ir.Expr) -> None:
        s = self.symbols
        if s.assignable(left.type.certain, right.type.or_none) or s.assignable(right.type.certain, left.type.or_none):
            return
        ways = self._ways(left.type, right.type) + self._ways(right.type, left.type)
        hint = f"what goes together with it: {', '.join(ways)}" if ways else self._advice(left.type, right.type)
        for word, text in ((left, right), (right, left)):
            if word.type.certain.kind == "word" and isinstance(text, ir.Const) and isinstance(text.value, str):
                words = s.words[word.type.certain.name]
                meant = nearest(text.value, words)
                hint = f"did you mean {meant}, without quotes?" if meant else f"the words are: {', '.join(words)}"
        s.report(
            e.pos, "wrong-type", f"{article(left.type)} and {article(right.type)} can never be the same", hint
        )

    def _ways(self, of: Type, to: Type) -> list[str]:
        """The fields of a noun that hold another, as in `part.whole` for a unit."""
        if of.certain.kind != "noun" or to.certain.kind != "noun":
            return []
        names = [*self.symbols.field_names(of.name), *(["whole"] if of.name in self.symbols.parts else [])]
        types = {name: self.symbols.field_type(of.name, name) for name in names}
        return [f"{of.name}.{name}" for name, type_ in types.items() if type_ and type_.certain == to.certain][:4]

    def _logic(self, e: tree.Logic, scope: Scope, expected: Type | None) -> ir.Expr:
        inner = scope.inner(names=scope.names)
        operands: list[ir.Expr] = []
        asked: tree.Expr | None = None
        for operand in e.operands:
            at_first = len(self.symbols.problems)
            operands.append(self.condition(operand, inner))
            for problem in self.symbols.problems[at_first:][:1]:
                hint = problem.hint if "did you mean" in (problem.hint or "") else _said_once(asked, operand, e.op)
                self.symbols.problems[at_first] = dataclasses.replace(problem, hint=hint or problem.hint)
            asked = asked if isinstance(operand, tree.Name | tree.Text | tree.Num) else operand
            if e.op == "and":
                self.learn(operand, inner, True)
            else:
                self.learn(operand, inner, False)
        return ir.Both(e.op == "and", operands)

    def learn(self, condition: tree.Expr, scope: Scope, truth: bool) -> None:
        """Remember in scope what a condition's being true (or false) says about `none`."""
        if isinstance(condition, tree.Unary) and condition.op == "not":
            self.learn(condition.operand, scope, not truth)
        elif isinstance(condition, tree.Logic) and (condition.op == "and") == truth:
            for operand in condition.operands:
                self.learn(operand, scope, truth)
        elif isinstance(condition, tree.Is) and isinstance(condition.object, tree.Nothing):
            if condition.negated == truth:
                self._certain(condition.subject, scope)
        elif isinstance(condition, tree.Is) and truth and not condition.negated:
            self._certain(condition.subject, scope)

    def _certain(self, subject: tree.Expr, scope: Scope) -> None:
        path = path_of(subject)
        if path is None:
            return
        before = len(self.symbols.problems)
        type_ = self.lower(subject, scope).type
        del self.symbols.problems[before:]
        if type_.optional:
            scope.narrowed[path] = type_.certain

    def _is(self, e: tree.Is, scope: Scope, expected: Type | None) -> ir.Expr:
        result = self._lowered_is(e, scope, expected)
        self.asked_whether(e.object, result, scope)
        return result

    def _lowered_is(self, e: tree.Is, scope: Scope, expected: Type | None) -> ir.Expr:
        result = self._is_positive(e, scope)
        result.pos = e.pos
        return ir.Not(result) if e.negated else result

    def _not_itself(self, e: tree.Node, one: tree.Expr, other: tree.Expr) -> None:
        """Report what is asked of one and the same thing twice; what is thrown may come out otherwise."""
        thrown = (tree.Rolls, tree.RollNamed, tree.HowMany, tree.Call)
        if one == other and not any(isinstance(node, thrown) for node in tree.walk(one)):
            hint = "inside `where` each of those that are gone through is `it`"
            said = path_of(one)
            hint = f"name two things: {hint}" if said else "compare it with something else"
            self.symbols.report(e.pos, "never", f"this asks {said or 'one thing'} about itself", hint)

    def _is_positive(self, e: tree.Is, scope: Scope) -> ir.Expr:
        self._not_itself(e, e.subject, e.object)
        subject = self.lower(e.subject, scope)
        if isinstance(e.object, tree.Nothing):
            known = path_of(e.subject) in scope.narrowed
            if not known and not subject.type.optional and subject.type.kind not in ("any", "none", "word"):
                self.symbols.report(
                    e.pos, "never-none", "this is never none", "leave the question out: something is always there"
                )
            return ir.Same(subject, ir.Const(None, type=NONE))
        word = self._object_word(e.object)
        if word is not None:
            found = self._is_word(e, subject, word, scope)
            if found is not None:
                return found
        other = self.lower(e.object, scope, subject.type.certain)
        self._text_asked(subject, other)
        self._comparable(e, subject, other)
        return ir.Same(subject, other)

    @staticmethod
    def _object_word(e: tree.Expr) -> str | None:
        if isinstance(e, tree.Name):
            return e.name
        return e.plain if isinstance(e, tree.Text) else None

    def _is_word(self, e: tree.Is, subject: ir.Expr, word: str, scope: Scope) -> ir.Expr | None:
        """The readings of `x is WORD`: a word of x's enumeration, a local, a noun, a quality borne, a flag of x."""
        s = self.symbols
        readings: list[ir.Expr] = []
        if subject.type.kind == "word" and word in s.words[subject.type.name]:
            readings.append(ir.Same(subject, ir.Const(word, type=subject.type.certain)))
        if word in scope.names and not e.article:
            other = self.lower(e.object, scope)
            self._comparable(e, subject, other)
            readings.append(ir.Same(subject, other))
        if subject.type.kind == "noun" and not readings:
            readings = self._noun_readings(e, subject, word, scope)
        elif subject.type.kind == "kind" and not readings and s.is_family(word):
            readings.append(ir.Bears(subject, word, ""))
        elif subject.type.kind == "kind" and not readings and word in s.titles:
            readings.append(ir.Same(subject, self._definition(word, subject.type, e.pos)))
        elif subject.type.kind == "kind" and not readings:
            flag = self._field(subject, word)
            readings += [flag] if flag is not None and flag.type == YES_NO else []
        elif subject.type.kind == "any" and not readings:
            readings.append(ir.Same(subject, ir.Const(word, type=ANY)))
        if len(readings) > 1:
            s.report(e.pos, "two-meanings", f'"is {word}" can be read in two ways here', "rename the local name")
        if readings:
            return readings[0]
        if isinstance(e.object, tree.Name) and subject.type.kind in ("noun", "word", "kind"):
            return self._unknown_is(e, subject, word, scope)
        return None

    def _noun_readings(self, e: tree.Is, subject: ir.Expr, word: str, scope: Scope) -> list[ir.Expr]:
        s = self.symbols
        if subject.type.optional:
            certain = _copy_with_type(subject, subject.type.certain)
            return [self._guarded(subject, r) for r in self._noun_readings(e, certain, word, scope)]
        if word in s.nouns:
            if s.root(word) != s.root(subject.type.name):
                s.report(e.pos, "wrong-type", f"{article(subject.type)} is never a {word}", "leave the question out")
            return [ir.IsNoun(subject, word)]
        flag = self._field(subject, word) or self._applied(subject, word, scope)
        if flag is not None and flag.type.kind == "yes_no":
            return [flag]
        if word in s.titles:
            return [ir.Bears(subject, word, "")]
        return []

    @staticmethod
    def _guarded(probe: ir.Expr, reading: ir.Expr) -> ir.Expr:
        exists = ir.Not(ir.Same(probe, ir.Const(None, type=NONE)))
        return ir.Both(True, [exists, reading])

    def _unknown_is(self, e: tree.Is, subject: ir.Expr, word: str, scope: Scope) -> ir.Expr | None:
        s = self.symbols
        if self._is_callable(word) or word in ("battle", "scenario", "this", "bearer", "side_a", "side_b"):
            return None
        if word in _SAID_ELSEWHERE:
            s.report(e.object.pos, "unknown-name", f'"{word}" means nothing here', _SAID_ELSEWHERE[word])
            self._certain(e.subject, scope)
            return ir.Const(False, type=YES_NO)
        if subject.type.kind == "word":
            s.unknown(e.object.pos, f"word of {subject.type.name}", word, s.words[subject.type.name])
        elif subject.type.kind == "kind":
            s.unknown(e.object.pos, subject.type.name or "definition", word, s.titles)
        else:
            known = [*s.nouns, *s.blocks["flag"], *s.field_names(subject.type.name), *s.titles, *scope.names]
            known += ["friendly", "enemy"]  # what a phrase may say: `friendly units`
            known += ["side_a", "side_b"] if subject.type.name == "side" else []
            here = [name for name in scope.names if name == nearest(word, scope.names, FEW)]
            fields = s.fields_of(subject.type.name).items()
            meant = [name for name, info in fields if word in s.words.get(info.type.name, ())]
            written = " or ".join(f"{spoken(subject) or '..'}.{name} is {word}" for name in meant)
            hint = f"write: {written}" if meant else None
            s.unknown(e.object.pos, f"quality of {article(subject.type)}", word, here or known, hint)
        return ir.Const(False, type=YES_NO)

    def _has(self, e: tree.Has, scope: Scope, expected: Type | None) -> ir.Expr:
        result = self._lowered_has(e, scope, expected)
        self.asked_whether(e.what[0], result, scope)
        return result

    def _lowered_has(self, e: tree.Has, scope: Scope, expected: Type | None) -> ir.Expr:
        subject = self.lower(e.subject, scope)
        title = " ".join(w.text for w in e.what)
        s = self.symbols
        result: ir.Expr | None = None
        if subject.type.certain.kind not in ("noun", "kind", "any"):
            message = f"only a thing can have {title}, and this is {article(subject.type)}"
            s.report(e.subject.pos, "wrong-type", message, "name a unit, a side or another thing before `has`")
            result = ir.Const(False, type=YES_NO)
        elif title in s.titles:
            result = ir.Bears(subject, title, "")
        elif len(e.what) == 1 and subject.type.kind in ("noun", "kind"):
            flag = self._field(subject, title) or self._applied(subject, title, scope)
            if flag is not None and flag.type.certain.kind == "yes_no":
                result = flag
            elif title in s.kinds:
                result = ir.Bears(subject, "", title)
        if result is None:
            if subject.type.kind != "any":
                bare = " ".join(w.text for w in e.what if w.text not in ("the", "a", "an", *s.kinds))
                hint = f"write: has {_titled(bare)}" if bare != title and bare in s.titles else None
                s.unknown(e.what[0].pos, "quality to have", title, [*s.titles, *s.kinds], hint)
            result = ir.Const(False, type=YES_NO)
        result.pos = e.pos
        return ir.Not(result) if e.negated else result

    def _infix(self, e: tree.Infix, scope: Scope, expected: Type | None) -> ir.Expr:
        args = (tree.Argument(e.subject, pos=e.subject.pos), tree.Argument(e.object, pos=e.object.pos))
        s = self.symbols
        known = [n for n, f in s.functions.items() if f.result == "yes_no" and len(f.parameters) == 2]
        known += [n for n, b in s.blocks["flag"].items() if len(b.params) == 2]  # type: ignore[union-attr]
        if e.relation not in known:
            quotes = f'what follows "{e.relation}" stands in double quotes: {e.relation} ".."'
            needed = e.relation in vocabulary().before_text
            s.unknown(e.pos, "relation between two things", e.relation, known, quotes if needed else None)
            return ir.Const(False, type=YES_NO)
        self._not_itself(e, e.subject, e.object)
        result = self._call(tree.Call(e.relation, args, pos=e.pos), scope, YES_NO)
        return ir.Not(result) if e.negated else result

    def _among(self, e: tree.Among, scope: Scope, expected: Type | None) -> ir.Expr:
        items = self.lower_as(e.items, scope, list_of(ANY), "what stands after among")
        item = self.lower(e.item, scope, items.type.item)
        result = ir.Contains(item, items)
        return ir.Not(result) if e.negated else result

    # -- dice ----------------------------------------------------------------------------------

    def _dice(self, e: tree.Dice, scope: Scope, expected: Type | None) -> ir.Expr:
        if not scope.dice_allowed:
            self.symbols.report(
                e.pos, "loose-dice", "dice can only be thrown by somebody",
                "write `X rolls d6`, or make a `roll` block",
            )
        count = self.lower_as(e.count, scope, NUMBER, "the number of dice") if e.count else ir.Const(1, type=NUMBER)
        sides = self.lower_as(e.sides, scope, NUMBER, "the number of sides")
        self.notes.sides.add(sides.value if isinstance(sides, ir.Const) else None)
        return ir.DiceTerm(count, sides, type=NUMBER)

    def _rolls(self, e: tree.Rolls, scope: Scope, expected: Type | None) -> ir.Expr:
        if scope.pure:
            self.impure(e.pos, scope, "this throws dice")
        formula = self.lower(e.formula, scope.inner(dice_allowed=True))
        self.insist_number(formula, e.formula, "what is rolled")
        if isinstance(e.roller, tree.Name) and e.roller.name == "dice":
            roller: ir.Expr = ir.Const(None, type=NONE)
        else:
            roller = self.lower(e.roller, scope)
        return ir.Rolls(roller, formula, type=formula.type)

    def _rollnamed(self, e: tree.RollNamed, scope: Scope, expected: Type | None) -> ir.Expr:
        block = self._roll_block(e, scope)
        if block is None:
            return ir.Const(None, type=ANY)
        args = self.arguments(e.args, self._params_of(block), e, scope)
        return ir.MakeRoll(e.name, args, type=self.roll_type(e.name))

    def _howmany(self, e: tree.HowMany, scope: Scope, expected: Type | None) -> ir.Expr:
        count = self.lower_as(e.count, scope, NUMBER, "how many are thrown")
        block = self._roll_block(e, scope)
        if block is None:
            return ir.Const(0, type=NUMBER)
        if self.roll_type(e.name).kind not in ("yes_no", "any") or isinstance(block.spec, tree.Opposed):  # type: ignore[union-attr]
            self.symbols.report(
                e.pos, "wrong-type", f'"{e.name}" does not simply pass or fail, so it cannot be counted so',
                f"only a test such as `d6 >= 4` can; write `roll {e.name}(..)` for one throw of it",
            )
        args = self.arguments(e.args, self._params_of(block), e, scope)
        return ir.HowMany(count, e.passing, e.name, args, type=NUMBER)

    def _roll_block(self, e: tree.RollNamed | tree.HowMany, scope: Scope) -> tree.AnyBlock | None:
        if scope.pure:
            self.impure(e.pos, scope, f'"{e.name}" throws dice')
        block = self.symbols.blocks["roll"].get(e.name)
        if block is None:
            self.symbols.unknown(e.pos, "roll", e.name, self.symbols.blocks["roll"])
        return block

    # -- phrases and quantities ------------------------------------------------------------------

    def _all_of(self, noun: str, scope: Scope) -> ir.Expr:
        info = self.symbols.nouns[noun]
        source: ir.Expr = ir.AllOf(self.symbols.root(noun), type=list_of(noun_type(self.symbols.root(noun))))
        if info.where is None:
            return source
        item = source.type.item or ANY
        return ir.Query(
            "all", source, "it", [ir.IsNoun(ir.Local("it", type=item), noun)], type=source.type
        )

    def phrase(self, p: tree.Phrase, scope: Scope, alias: str | None = None) -> tuple[ir.Expr, str, Scope]:
        """Lower a noun phrase to a list; gives the list, the item's local and a scope in which conditions see it.

        Inside `where` the item is `it`, and its alias if it has one; else it has the singular of its noun for a
        name (`fear(enemy) over enemies`), unless that is a name for something else here.
        """
        source, item, adjectives = self._phrase_source(p, scope)
        var = self.fresh("it")
        inner = scope.inner()
        for name in ("it", p.alias or alias or self._singular(p, scope)):
            if name is not None:
                inner.bind(name, item, var)
        local = ir.Local(var, type=item)
        where = [self._adjective(a, local, p, inner) for a in adjectives]
        if p.within is not None and p.within_of is not None:
            where.append(self._within(p, local, inner))
        for condition in p.where:
            where.append(self.condition(condition, inner))
            self.learn(condition, inner, True)
        if not where:
            return source, var, inner
        return ir.Query("all", source, var, where, type=list_of(item), pos=p.pos), var, inner

    def _singular(self, p: tree.Phrase, scope: Scope) -> str | None:
        if not p.words:
            return None
        word = p.words[-1].text
        name = self.symbols.plurals.get(word) or {"enemies": "enemy", "friends": "friend"}.get(word)
        return None if name in scope.names else name

    def _phrase_source(self, p: tree.Phrase, scope: Scope) -> tuple[ir.Expr, Type, Sequence[tree.Word]]:
        if p.source is not None:
            source = self.lower(p.source, scope)
            return self._listed(source, p), (source.type.item or ANY), ()
        if len(p.words) == 1 and p.inside is None and self._is_list_name(p.words[0].text, scope):
            source = self.lower(tree.Name(p.words[0].text, pos=p.words[0].pos), scope)
            return self._listed(source, p), (source.type.item or ANY), ()
        head, adjectives = p.words[-1], p.words[:-1]
        if p.inside is not None:
            return self._inside(p, head, adjectives, scope)
        return self._head(p, head, adjectives, scope)

    def _is_list_name(self, word: str, scope: Scope) -> bool:
        """A name for a list; `each unit` means every unit even where one unit has that name."""
        known = scope.names.get(word)
        return known is not None and (known.kind in ("list", "any") or self._noun_named(word) is None)

    def _listed(self, source: ir.Expr, p: tree.Phrase) -> ir.Expr:
        self.insist(source, list_of(ANY), p, "what is gone through")
        return source

    def _noun_named(self, word: str) -> str | None:
        s = self.symbols
        if word in s.plurals:
            return s.plurals[word]
        return word if word in s.nouns else None

    def _head(
        self, p: tree.Phrase, head: tree.Word, adjectives: Sequence[tree.Word], scope: Scope
    ) -> tuple[ir.Expr, Type, Sequence[tree.Word]]:
        s = self.symbols
        said = (*adjectives, head)
        for i in range(len(adjectives)):
            title = " ".join(w.text for w in said[i:])
            if title in s.titles:
                head, adjectives = tree.Word(title, True, pos=said[i].pos), said[:i]
                break
        noun = self._noun_named(head.text)
        if noun is not None:
            source = self._all_of(noun, scope)
            return source, source.type.item or ANY, adjectives
        kind = s.kind_plurals.get(head.text, head.text)
        if kind in s.kinds and not head.quoted:
            type_ = Type("kind", kind)
            return ir.DefinitionsOf(kind, type=list_of(type_)), type_, adjectives
        if head.text in s.titles:
            source = ir.AllOf("unit", type=list_of(noun_type("unit")))
            return source, noun_type("unit"), (*adjectives, head)
        if head.text in ("enemies", "friends", "enemy", "friend"):
            source = ir.AllOf("unit", type=list_of(noun_type("unit")))
            word = "enemy" if head.text in ("enemies", "enemy") else "friendly"
            return source, noun_type("unit"), (*adjectives, tree.Word(word, pos=head.pos))
        if head.text in s.words and not adjectives:
            type_ = Type("word", head.text)
            words: list[ir.Expr] = [ir.Const(one, type=type_) for one in s.words[head.text]]
            return ir.CallFunction("list of", words, type=list_of(type_)), type_, ()
        if self._is_callable(head.text):
            source = self.lower(tree.Name(head.text, pos=head.pos), scope)
            return self._listed(source, p), source.type.item or ANY, adjectives
        known = [*s.plurals, *s.nouns, *s.kind_plurals, *scope.names, "enemies", "friends"]
        s.unknown(head.pos, "kind of thing", head.text, known)
        near = nearest(head.text, s.plurals)
        if near is not None and is_a_slip(head.text, near):
            item = noun_type(s.root(s.plurals[near]))
            return ir.Const(None, type=list_of(item)), item, ()
        return ir.Const(None, type=ANY), ANY, ()

    def _inside(
        self, p: tree.Phrase, head: tree.Word, adjectives: Sequence[tree.Word], scope: Scope
    ) -> tuple[ir.Expr, Type, Sequence[tree.Word]]:
        assert p.inside is not None
        whole_ = self.lower(p.inside, scope)
        if whole_.type.kind == "list":
            noun = self._noun_named(head.text)
            if noun is not None and self.symbols.nouns[noun].where is not None:
                return whole_, whole_.type.item or ANY, (*adjectives, tree.Word(noun, pos=head.pos))
            if noun is None:
                self._not_misspelt(head)
            return whole_, whole_.type.item or ANY, adjectives
        source = self.attribute_of(whole_, head.text, head.pos, scope)
        return self._listed(source, p), source.type.item or ANY, adjectives

    def _not_misspelt(self, head: tree.Word) -> None:
        """What is gone through in a list may be called anything, but nothing that is nearly one of the nouns."""
        s = self.symbols
        self.notes.unsure.add(head.text)
        for known in (*s.plurals, *s.nouns, *s.kind_plurals):
            ends_alike = len(head.text) == len(known) and head.text[-1:] == known[-1:]  # `moves` is no `mover`
            if ends_alike and is_a_slip(head.text, known):
                s.unknown(head.pos, "kind of thing", head.text, [known])
                return

    def _within(self, p: tree.Phrase, local: ir.Expr, scope: Scope) -> ir.Expr:
        assert p.within is not None
        assert p.within_of is not None
        limit = self.lower_as(p.within, scope, DISTANCE, "how far")
        anchor = self.lower(p.within_of, scope)
        if "distance" not in self.symbols.functions:
            self.symbols.report(p.pos, "no-board", "no plugin of this ruleset measures distances", None)
            return ir.Const(True, type=YES_NO)
        far = ir.CallFunction("distance", [local, anchor], type=DISTANCE)
        return ir.Compare("<=", far, limit)

    def _adjective(self, word: tree.Word, local: ir.Expr, p: tree.Phrase, scope: Scope) -> ir.Expr:
        text = word.text
        if text in ("friendly", "enemy", "other"):
            return self._relation(text, word, local, p, scope)
        if local.type.kind == "any":
            return ir.Const(True, type=YES_NO)
        probe = tree.Is(tree.Name("it", pos=word.pos), tree.Name(text, pos=word.pos), pos=word.pos)
        if word.quoted and text not in self.symbols.titles:
            self.symbols.unknown(word.pos, "title", text, self.symbols.titles)
            return ir.Const(True, type=YES_NO)
        inner = scope.inner(names={"it": local.type})
        return self._is(probe, inner, YES_NO)

    def _relation(self, text: str, word: tree.Word, local: ir.Expr, p: tree.Phrase, scope: Scope) -> ir.Expr:
        anchor = self._anchor(p, scope)
        if anchor is None:
            self.symbols.report(
                word.pos, "no-anchor", f'{text} to whom? Nothing here says whose friends and enemies are meant',
                "add `within .. of X`, or name a unit or side in the block's parameters",
            )
            return ir.Const(True, type=YES_NO)
        if text == "other":
            return ir.Not(ir.Same(local, anchor))
        name = "enemy" if text == "enemy" else "friendly"
        return ir.CallFunction(f"is_{name}", [local, anchor], type=YES_NO)

    def _anchor(self, p: tree.Phrase, scope: Scope) -> ir.Expr | None:
        if p.within_of is not None:
            anchor = self.lower(p.within_of, scope)
            if anchor.type.kind == "noun" and self.symbols.field_type(anchor.type.name, "side") is not None:
                return anchor
        return scope.anchor

    def _quantified(self, e: tree.Quantified, scope: Scope, expected: Type | None) -> ir.Expr:
        phrase_scope = scope
        if e.to is not None:
            phrase_scope = scope.inner(names=scope.names, anchor=self.lower(e.to, scope))
        items, var, inside = self.phrase(e.over, phrase_scope)
        where: list[ir.Expr] = []
        source = items
        if isinstance(items, ir.Query) and items.var == var:
            where, source = items.where, items.source
        value, type_ = self._quantity(e, inside, ir.Local(var, type=items.type.item or ANY), scope)
        return ir.Query(e.kind, source, var, where, value, e.counting, type=type_)

    def _quantity(
        self, e: tree.Quantified, inside: Scope, local: ir.Expr, scope: Scope
    ) -> tuple[ir.Expr | None, Type]:
        item = local.type
        if e.kind == "number":
            return None, NUMBER
        if e.kind == "any":
            return None, YES_NO
        if e.kind == "all":
            return None, list_of(item)
        if e.kind in ("nearest", "farthest"):
            assert e.to is not None
            far = ir.CallFunction("distance", [local, self.lower(e.to, scope)], type=DISTANCE)
            if "distance" not in self.symbols.functions:
                self.symbols.report(e.pos, "no-board", "no plugin of this ruleset measures distances")
            return far, item.or_none
        value = self._measured(e, inside, local)
        if not value.type.numeric or value.type.optional:
            self.insist(value, NUMBER, e, "what is compared or added up")
        if e.kind.startswith("which"):
            return value, item.or_none
        return value, value.type

    def _measured(self, e: tree.Quantified, inside: Scope, local: ir.Expr) -> ir.Expr:
        assert e.value is not None
        if isinstance(e.value, tree.Name) and e.value.name not in inside.names:
            return self.attribute_of(local, e.value.name, e.value.pos, inside)
        return self.lower(e.value, inside)


def _titled(title: str) -> str:
    return title if title.isidentifier() else f'"{title}"'


def _said_once(before: tree.Expr | None, operand: tree.Expr, op: str) -> str | None:
    """What to type where `is`, `has` or a comparison is said once for several: `unit has Hero or General`."""
    if isinstance(before, tree.Compare):
        subject, verb, negated = before.left, before.op, before.op == "!="
    elif isinstance(before, tree.Is | tree.Has):
        subject, negated = before.subject, before.negated
        verb = ("has no" if negated else "has") if isinstance(before, tree.Has) else ("is not" if negated else "is")
    else:
        return None
    if isinstance(operand, tree.Num):
        said = str(operand.value)
    elif isinstance(operand, tree.Name | tree.Text):
        said = operand.name if isinstance(operand, tree.Name) else f'"{operand.plain}"'
    else:
        return None
    return f"say it of each: .. {'and' if negated else op} {path_of(subject) or '..'} {verb} {said}"


def _copy_with_type(e: ir.Expr, type_: Type) -> ir.Expr:
    """The same expression, taken to be of another type."""
    copy = dataclasses.replace(e)
    copy.type = type_
    return copy


def article(t: Type) -> str:
    """A type as it stands in a sentence: `a unit`, `a list of unit or none`."""
    text = {"yes_no": "yes or no", "none": "none", "any": "anything", "text": "a text"}.get(t.certain.kind)
    if text is None:
        text = str(t.certain)
        if t.kind == "kind" and not t.name:
            text = "definition"
        vowel = text[0] in "aeiou" and not text.startswith("uni")
        text = f"one of the words {t.name}" if t.kind == "word" else f"{'an' if vowel else 'a'} {text}"
    return f"{text} or none" if t.optional else text


def _some(known: Sequence[str]) -> str | None:
    """A few of the names that there are."""
    listed = list(dict.fromkeys(known))
    return f"there are: {', '.join(listed[:8])}{', ..' if listed[8:] else ''}" if listed else None


def _count(n: int) -> str:
    return "no arguments" if n == 0 else ("one argument" if n == 1 else f"{n} arguments")


def _built_in_type(result: str, args: list[ir.Expr]) -> Type:
    first = args[0].type if args else list_of(ANY)
    if result == "distance":
        return DISTANCE
    if result == "whole":
        return DISTANCE if first.kind == "distance" else NUMBER
    if result == "same":
        return FRACTION if any(a.type.kind == "fraction" for a in args) else first
    if result == "item or none":
        return (first.item or ANY).or_none
    return list_of(ANY) if result == "list" else NUMBER
