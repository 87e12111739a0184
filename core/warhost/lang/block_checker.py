"""What the checkers of blocks share: what has been lowered so far, types found on demand, scopes, functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from warhost.errors import is_misspelt
from warhost.lang import ir, tree
from warhost.lang.expressions import whole
from warhost.lang.natives import FUNCTIONS, RULE
from warhost.lang.notes import Notes, joined
from warhost.lang.program import Constraint, Definition, NamedChoice, Table
from warhost.lang.scope import Scope
from warhost.lang.statements import StatementChecker
from warhost.lang.symbols import EFFECT, SIDE, PlacedBlock, Symbols
from warhost.lang.types import ANY, FRACTION, NUMBER, TEXT, YES_NO, Type, list_of
from warhost.vocabulary import Vocabulary


@dataclass(slots=True)
class Pending:
    """A procedure that some local definition brings: lowered with `this` and `bearer` before its parameters."""

    block: tree.LocalProcedure
    definition: Definition
    scope: Scope


@dataclass(slots=True)
class Lowered:
    """What the blocks have become, by name."""

    numbers: dict[str, ir.Number] = field(default_factory=dict)
    rolls: dict[str, ir.Roll] = field(default_factory=dict)
    procedures: dict[str, ir.Routine] = field(default_factory=dict)
    events: dict[str, ir.Event] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    choices: dict[str, NamedChoice] = field(default_factory=dict)
    definitions: dict[tuple[str, str], Definition] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    templates: dict[str, ir.Template] = field(default_factory=dict)
    handlers: list[ir.Handler] = field(default_factory=list)
    rights: list[ir.RerollRight] = field(default_factory=list)


def plain_text(text: tree.Text | None) -> str:
    """A sentence of the rules for people who read it without a battle: what depends on one shows as `{..}`."""
    if text is None:
        return ""
    return text.plain or "".join(p if isinstance(p, str) else "{..}" for p in text.parts)


def rounds_always(block: tree.NumberBlock) -> bool:
    """Whether a line of a number's own rounds it, whatever is the case."""
    return any(line.op == "round" and line.when is None for line in block.lines)


#: Functions that give one of their arguments.
_BOTH = ("lower_of", "higher_of")


def gives_a_fraction(e: tree.Node) -> bool:
    """Whether it shows in an expression that a fraction comes out of it: a division, a share, a literal."""
    if isinstance(e, tree.Num):
        return e.value.denominator != 1
    if isinstance(e, tree.Percent) or (isinstance(e, tree.Binary) and e.op == "/"):
        return True
    if isinstance(e, tree.Binary):
        return gives_a_fraction(e.left) or gives_a_fraction(e.right)
    if isinstance(e, tree.Unary):
        return gives_a_fraction(e.operand)
    return isinstance(e, tree.Call) and e.name in _BOTH and any(gives_a_fraction(a.value) for a in e.args)


def turned_into_fractions(items: Iterable[tree.KindItem]) -> set[str]:
    """The numbers to which lines of a definition give a fraction."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, tree.While):
            found |= turned_into_fractions(item.items)
        elif isinstance(item, tree.Modifier) and item.target is not None:
            said = (item.value, item.per, item.up_to)
            if any(gives_a_fraction(e) for e in said if e is not None):
                found.add(item.target)
    return found


class BlockChecker(StatementChecker):
    """Types of numbers, rolls and procedures are found on demand, whatever the order of the blocks."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        kinds = {"rule": RULE, **vocabulary.kinds}
        functions = {f.name: f for f in FUNCTIONS} | dict(vocabulary.functions)
        super().__init__(Symbols(Vocabulary(functions, kinds, vocabulary.asked)))
        self.out = Lowered()
        self.placed: list[PlacedBlock] = []
        self.blocks_by_class: dict[type, list[Any]] = {}
        self.order_of: dict[int, int] = {}
        self.types: dict[str, Type] = {}
        self.busy: set[str] = set()
        self.pending: dict[str, Pending] = {}
        self._periods: set[str] | None = None
        self._turned: set[str] | None = None
        #: How many lines, handlers and the like have been lowered: part of their names, and their order.
        self.lines_made = 0
        self.asking: tuple[str, frozenset[str]] | None = None
        #: What was noted of each block, by its id.
        self.noted: dict[int, Notes] = {}

    def blocks_of(self, kind: type) -> Iterable[Any]:
        """The merged blocks of a class."""
        found = self.blocks_by_class.get(kind)
        if found is None:
            found = self.blocks_by_class[kind] = [p.block for p in self.placed if isinstance(p.block, kind)]
        return found

    @cached_property
    def phase_names(self) -> list[str]:
        """The phases of the set-up and the turn."""
        return [phase.name for block in self.blocks_of(tree.TurnBlock) for phase in block.phases]

    def when(self, m: tree.Moment, scope: Scope) -> ir.When:
        """A moment, of which the period may be one of the rules' own."""
        self.period(m.pos, m.what)
        return super().when(m, scope)

    def period(self, pos: tree.Pos, name: str) -> None:
        """Rules may have periods of their own (`period_begins`), but none that is nearly a turn or phase."""
        if self._periods is None:
            self._periods = {"turn", "phase", *self.phase_names, *(f"{name}_phase" for name in self.phase_names)}
        if name not in self._periods:
            self.notes.unsure.add(name)
            if is_misspelt(name, self._periods):
                self.symbols.unknown(pos, "period", name, self._periods)

    def phase(self, pos: tree.Pos, name: str) -> None:
        """A phase that is played by its name is one of the turn or the set-up."""
        if name not in self.phase_names:
            self.notes.unsure.add(name)
            self.notes.texts_given = [given for given in self.notes.texts_given if given[1] != pos]  # it is told here
            self.symbols.unknown(pos, "phase", name, self.phase_names)

    def lower_block(self, b: tree.AnyBlock) -> None:
        """Lower a block of any sort."""
        raise NotImplementedError

    @contextmanager
    def noting(self, block: Any = None) -> Iterator[None]:
        """What is noted in this context, and is wrong, is of a block: also while another is being lowered. Without a
        block it counts for nothing.
        """
        before, notes = self.notes, Notes()
        if block is not None:
            self.noted[id(block)] = notes
        self.notes, self.symbols.problems = notes, notes.problems
        try:
            yield
        finally:
            self.notes, self.symbols.problems = before, before.problems

    def notes_of(self, block: tree.AnyBlock) -> Notes:
        """What was noted of a block."""
        notes = self.noted.get(id(block))
        if notes is None:
            notes = self.noted[id(block)] = Notes()
        return notes

    def all_notes(self) -> Notes:
        """Those of all blocks, in the order of these."""
        return joined(self.each_notes())

    def each_notes(self) -> Iterator[Notes]:
        """What counts for no block, then what was noted of each, in their order."""
        yield self.notes
        for p in self.placed:
            notes = self.noted.get(id(p.block))
            if notes is not None:
                yield notes

    @contextmanager
    def asked_by(self, number: str, params: Iterable[str]) -> Iterator[None]:
        """What is asked in this context is asked by a number (flag, value) with these parameters."""
        before, self.asking = self.asking, (number, frozenset(params))
        try:
            yield
        finally:
            self.asking = before

    def evaluated(self, name: str, args: Sequence[ir.Expr], pos: tree.Pos) -> None:
        if self.asking is None:
            return
        owner, own = self.asking
        if all(isinstance(a, ir.Local) and a.name in own for a in args):
            self.notes.asks.setdefault(owner, {}).setdefault(name, pos)

    # -- types on demand ---------------------------------------------------------------------------

    def number_type(self, name: str) -> Type:
        self.notes.types_asked.add(name)
        if name in self.types:
            return self.types[name]
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
            self.types[name] = s.resolve_type(block.type)
        elif name in self.busy:
            return NUMBER
        else:
            self.types[name] = self._probe_number(name, block)
        return self.types[name]

    def _probe_number(self, name: str, block: Any) -> Type:
        """The type of a number from its base and lines, without keeping the problems (they come when it is lowered)."""
        self.busy.add(name)
        asking, self.asking = self.asking, None
        with self.noting():
            scope = self.pure_scope(f"number {name}", block)
            base = block.base if isinstance(block, tree.NumberBlock) else block.cases[0].value
            type_ = self.lower(base, scope).type if base is not None else ANY
            if isinstance(block, tree.NumberBlock) and type_.kind in ("number", "fraction"):
                type_ = FRACTION if self._may_stay_a_fraction(block, type_, scope) else NUMBER
        self.busy.discard(name)
        self.asking = asking
        if type_.kind == "none":
            return ANY
        if isinstance(block, tree.TableBlock):
            return type_
        return type_ if type_.kind in ("distance", "fraction") else NUMBER

    def _may_stay_a_fraction(self, block: tree.NumberBlock, base: Type, scope: Scope) -> bool:
        """Whether a number of this base may have a part that its own lines do not round off.

        Of lines elsewhere, those of definitions count, as far as it shows in them.
        """
        rounded = rounds_always(block)
        if not rounded and (base.kind == "fraction" or block.name in self.fractions()):
            return True
        bounds = ("floor", "cap")  # which come after rounding
        deciding = [line for line in block.lines if line.op in bounds or not rounded]
        said = [e for line in deciding for e in (line.value, line.per, line.up_to) if e is not None]
        return any(self.lower(e, scope.inner()).type.kind == "fraction" for e in said)

    def fractions(self) -> set[str]:
        """The numbers to which definitions give a fraction."""
        if self._turned is None:
            self._turned = set().union(*(turned_into_fractions(b.items) for b in self.blocks_of(tree.KindBlock)))
        return self._turned

    def _choice_type(self, name: str) -> Type:
        key = f"choice {name}"
        if key not in self.types:
            block: Any = self.symbols.blocks["choice"][name]
            self.types[key] = list_of(ANY)
            with self.noting():
                items, _, _ = self.phrase(block.options, self.pure_scope(f"choice {name}", block))
            self.types[key] = items.type
        return self.types[key]

    def roll_type(self, name: str) -> Type:
        block: Any = self.symbols.blocks["roll"][name]
        if block.outcomes or any(n.effect == "is" for n in block.naturals):
            return self._outcome_type(block)
        specs = [block.spec, *(a.spec for a in block.alternatives)]
        forms = {type(s) for s in specs if s is not None and not isinstance(s, tree.Never)}
        by_how_much = any(isinstance(s, tree.Opposed) and s.margin for s in specs)
        if forms <= {tree.Test, tree.Opposed} and not by_how_much:
            return YES_NO
        key = f"roll {name}"
        if key not in self.types:
            self.types[key] = NUMBER
            asking, self.asking = self.asking, None
            with self.noting():
                if any(self._throws_a_fraction(s, block) for s in specs if s is not None):
                    self.types[key] = FRACTION
            self.asking = asking
        return self.types[key]

    def _throws_a_fraction(self, spec: tree.RollSpec, block: Any) -> bool:
        """Whether something is added to dice, or is the score of a pool, that may have a part."""
        if isinstance(spec, tree.Opposed):
            return any(self._throws_a_fraction(one, block) for one in (spec.left, spec.right))
        scope = self.pure_scope(f"roll {block.name}", block).inner(dice_allowed=True)
        for name, type_ in (("dice", list_of(NUMBER)), ("die", NUMBER)):
            scope.bind(name, type_)
        said = (getattr(spec, what, None) for what in ("scores", "each_scores"))
        total = spec.dice if isinstance(spec, tree.Total) else None
        return any(self.lower(e, scope).type.kind == "fraction" for e in (total, *said) if e is not None)

    def _outcome_type(self, block: tree.RollBlock) -> Type:
        s = self.symbols
        found = [o.word for o in block.outcomes] + [n.word for n in block.naturals if n.word is not None]
        owners = [set(s.word_owners.get(w.text, ())) for w in found]
        common = set.intersection(*owners) if owners else set()
        if not common:
            return self._odd_outcome(block, found)
        return Type("word", sorted(common)[0])

    def _odd_outcome(self, block: tree.RollBlock, found: Sequence[tree.Word]) -> Type:
        """The words of a roll that are of no enumeration with the others."""
        s = self.symbols
        counted = Counter(owner for w in {w.text for w in found} for owner in s.word_owners.get(w, ()))
        owner, count = counted.most_common(1)[0] if counted else ("", 0)
        if count * 2 > len({w.text for w in found}):
            for w in found:
                if w.text not in s.words[owner]:
                    s.unknown(w.pos, f"word of {owner}", w.text, s.words[owner])
            return Type("word", owner)
        listed = ", ".join(dict.fromkeys(w.text for w in found))
        s.report(block.pos, "unknown-name", f"no `words` has all of {listed}", "declare them: words NAME: ..")
        return ANY

    def procedure_type(self, name: str) -> Type:
        self.notes.types_asked.add(name)
        if name in self.types:
            return self.types[name]
        block: Any = self.symbols.blocks["procedure"].get(name)
        if block is None:
            return ANY
        if getattr(block, "type", None) is not None:
            self.types[name] = self.symbols.resolve_type(block.type)
            return self.types[name]
        if name in self.busy:
            return ANY
        self.procedure(name)
        return self.types.get(name, ANY)

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

    # -- procedures and events, which others may need first ----------------------------------------

    def procedure(self, key: str) -> None:
        """Lower a procedure, if it has not been yet, and find the type of its result."""
        if key in self.out.procedures or key in self.busy:
            return
        self.busy.add(key)
        block: Any = self.symbols.blocks["procedure"][key]
        pending = self.pending.get(key)
        with self.noting(block) if pending is None else nullcontext():
            self._procedure(key, block, pending)
        self.busy.discard(key)

    def _procedure(self, key: str, block: Any, pending: Pending | None) -> None:
        params = self.symbols.params(block.params)
        if pending is not None:
            scope = pending.scope.inner(pure=False, what=f"procedure {block.name}", decision=block.name, results=[])
            for p in params:
                scope.bind(p.name, p.type)
            params = [ir.Param("this", EFFECT), ir.Param("bearer", pending.definition.bearer), *params]
        else:
            scope = self.scope_of(f"procedure {block.name}", params, pure=False)
            scope.untyped = self.symbols.untyped(block.params)
            scope.decision = block.name
        declared = getattr(block, "type", None)
        scope.gives = self.symbols.resolve_type(declared) if declared is not None else None
        body = self.body(block.body, scope)
        found = self.result_type(scope.results) if declared is None else self.symbols.resolve_type(declared)
        self.types[key] = found
        if declared is None:
            self._one_sort_of_result(scope.results)
            if scope.results:
                self.notes.types_found.add(key)
        ref = getattr(block, "ref", ())
        self.out.procedures[key] = ir.Routine(key, block.name, params, body=body, ref=ref, pos=block.pos)

    def _one_sort_of_result(self, results: list[tuple[Type, tree.Pos]]) -> None:
        """Results for which there is no common type: whoever takes them could do nothing with them."""
        for n, (type_, pos) in enumerate(results):
            before = self.result_type(results[:n])
            if n and ANY not in (before, type_) and self.result_type(results[: n + 1]) == ANY:
                message = f"this result is of type {type_}, and another of this procedure of type {before}"
                self.symbols.report(
                    pos, "wrong-type", message,
                    "`result none` gives nothing, `stop` ends a procedure without a result, `pass` gives `no`",
                )
                return

    def result_type(self, results: list[tuple[Type, tree.Pos]]) -> Type:
        """The type that has room for all results."""
        if not results:
            return ANY
        result = results[0][0]
        for t, _ in results[1:]:
            if t.kind == "none":
                result = result.or_none
            elif result.kind == "none":
                result = t.or_none
            else:
                result = self._common(result, [t])
        return result

    def event_block(self, b: tree.EventBlock) -> None:
        """An event with what it says and whom it asks."""
        params = self.symbols.params(b.params)
        scope = self.scope_of(f"event {b.name}", params, pure=True)
        names = [p.name for p in params]
        event = ir.Event(b.name, params, b.may_be_cancelled, None, "", b.until_all_pass, None, ref=b.ref, pos=b.pos)
        if b.says is not None:
            event.says = self.function(f"{b.name} says", names, scope, self.lower_as(b.says, scope, TEXT))
        if b.asks_enemies or b.asks_all:
            event.asks_who = "enemies" if b.asks_enemies else "all"
        elif b.asks is not None:
            event.asks_who = "given"
            event.asks = self.function(f"{b.name} asks", names, scope, self.chooser(b.asks, scope))
        existing = self.out.events.get(b.name)
        if existing is not None:
            event.handlers, event.reactions = existing.handlers, existing.reactions
        self.out.events[b.name] = event

    def event(self, name: str) -> ir.Event | None:
        """An event by its name, lowered by now or not; None when there is none."""
        if name not in self.out.events:
            block: Any = self.symbols.blocks["event"].get(name)
            if block is None:
                return None
            self.lower_block(block)
        return self.out.events[name]

    # -- scopes and functions ----------------------------------------------------------------------

    def first_with_side(self, params: Sequence[ir.Param]) -> ir.Expr | None:
        """Whose friends and enemies are meant by default: the first parameter that has a side."""
        for p in params:
            certain = p.type.kind == "noun" and not p.type.optional
            if certain and (p.type == SIDE or self.symbols.field_type(p.type.name, "side") is not None):
                return ir.Local(p.name, type=p.type)
        return None

    def pure_scope(self, what: str, block: Any) -> Scope:
        """A scope with the parameters of a block, in which nothing may be done."""
        written = block.params if hasattr(block, "params") else block.by
        scope = self.scope_of(what, self.symbols.params(written), pure=True)
        scope.untyped = self.symbols.untyped(written)
        return scope

    def scope_of(self, what: str, params: Sequence[ir.Param], pure: bool) -> Scope:
        """A scope with parameters."""
        scope = Scope(what, {p.name: p.type for p in params}, pure=pure, anchor=self.first_with_side(params))
        return scope

    def function(self, key: str, params: Sequence[str], scope: Scope, value: ir.Expr) -> ir.Routine:
        """A function of some names of a scope."""
        shown = [ir.Param(scope.renamed.get(p, p), scope.names.get(p, ANY)) for p in params]
        return ir.Routine(key, scope.what, shown, value=value, pos=value.pos)

    def bound(self, e: tree.Expr | None) -> int | None:
        """The plain number that is the limit of a field."""
        if e is None:
            return None
        if isinstance(e, tree.Num):
            return whole(e.value)  # type: ignore[return-value]
        self.symbols.report(e.pos, "wrong-type", "a limit of a field is a plain number")
        return None
