"""Mutants: a program with one line of its rules, or one figure of its data, taken out or changed.

A mutant is made in place and undone again, so that thousands can be tried in one process. What people are only told
(`says`, `say`, `because`) and what a computer player only prefers (`rated`, `usually`, numbers and fields that nothing
else asks) is no rule of the game and has no mutants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from warhost.lang import ir, tree
from warhost.lang.program import Definition, Table
from warhost.lang.tree import NOWHERE, Pos
from warhost.lang.types import YES_NO
from warhost_proof.calls import Calls, Name, calls_of, definition_name, is_number

if TYPE_CHECKING:
    from warhost.lang.program import Program
    from warhost.packs import Ruleset

#: Changes a program, and gives what undoes it.
Change = Callable[[], Callable[[], None]]

_BOUNDARY = {"<=": "<", "<": "<=", ">=": ">", ">": ">=", "==": "!=", "!=": "=="}
_OTHER_SIGN = {"+": "-", "-": "+", "*": "/", "/": "*"}
_OTHER_PICK = {
    "highest": "lowest", "lowest": "highest", "nearest": "farthest", "farthest": "nearest",
    "which highest": "which lowest", "which lowest": "which highest",
}  # fmt: skip

#: Where a mutant can be noticed: the place (file, line, column) of a function or of a step, or what an example fielded
#: or looked up: ("profile", id), ("title", title), ("table", name).
Host = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to the rules. file, line, column say where; change in words what was done.

    sort: 'rules', 'data' (a figure of a profile or table in YAML) or 'unreached' (a line that nobody but an example
    calls). hosts: the places one of which an example must come to in order to notice it.
    """

    file: str
    line: int
    column: int
    change: str
    sort: str
    hosts: tuple[Host, ...]
    refs: tuple[str, ...] = ()
    apply: Change = field(default=lambda: lambda: None, compare=False, repr=False)

    @property
    def key(self) -> str:
        """Names the mutant among all of its ruleset, the same in every run."""
        return f"{self.file}:{self.line}:{self.column} {self.change}"


#: Changes to a part of a line that only a thorough search makes.
_FINE = (
    "part of a condition left out", "condition left out", "`where` left out", "`not` left out", "negated", "and for or",
    "or for and",
)  # fmt: skip


def mutants_of(rules: Ruleset, calls: Calls | None = None, thorough: bool = False) -> list[Mutant]:
    """Every mutant of a ruleset's own layers (not of its plugins), in the order of files and lines.

    thorough: also those that change a part of a condition.
    """
    found = _Finder(rules, calls or calls_of(rules)).all()
    if not thorough:
        found = [m for m in found if m.change not in _FINE]
    once: dict[str, Mutant] = {}
    for mutant in found:
        key, number = mutant.key, 1
        while mutant.key in once:
            number += 1
            mutant = _renamed(mutant, f"{key.split(' ', 1)[1]} ({number})")
        once[mutant.key] = mutant
    return sorted(once.values(), key=lambda m: (m.file, m.line, m.column, m.change))


def _renamed(m: Mutant, change: str) -> Mutant:
    return Mutant(m.file, m.line, m.column, change, m.sort, m.hosts, m.refs, m.apply)


# -- changes -----------------------------------------------------------------------------------------


def set_to(thing: Any, name: str, value: Any) -> Change:
    """Gives an attribute of a node another value."""

    def apply() -> Callable[[], None]:
        before = getattr(thing, name)
        setattr(thing, name, value)
        return lambda: setattr(thing, name, before)

    return apply


def item_to(items: Any, key: Any, value: Any) -> Change:
    """Gives an item of a list or mapping another value."""

    def apply() -> Callable[[], None]:
        before = items[key]
        items[key] = value

        def undo() -> None:
            items[key] = before

        return undo

    return apply


def without(items: list[Any], item: Any) -> Change:
    """Takes an item out of a list."""

    def apply() -> Callable[[], None]:
        place = next(i for i, one in enumerate(items) if one is item)
        del items[place]
        return lambda: items.insert(place, item)

    return apply


def all_of(changes: Iterable[Change]) -> Change:
    """Several changes at once."""
    kept = list(changes)

    def apply() -> Callable[[], None]:
        undoing = [change() for change in kept]

        def undo() -> None:
            for one in reversed(undoing):
                one()

        return undo

    return apply


#: The condition of a line that is taken out: it never holds, whatever it is asked about.
NEVER = ir.Routine("never", "never", [], value=ir.Const(False, type=YES_NO))


def silenced(thing: Any) -> Change:
    """Keeps a line with a condition (`when`) from ever applying."""
    return set_to(thing, "when", NEVER)


# -- finding them --------------------------------------------------------------------------------------


class _Finder:
    """Goes through a program once. A slot is how an expression is put into its place: (owner, attribute or index)."""

    def __init__(self, rules: Ruleset, calls: Calls) -> None:
        self.rules, self.calls = rules, calls
        self.program: Program = rules.program
        self.own = {label for label, layer in rules.files.items() if layer.kind != "plugin"}
        self.found: list[Mutant] = []
        self.sort = "rules"
        self.seen: set[int] = set()
        self.sides: set[int] = set()
        self.here: Pos = NOWHERE
        self.blocks = _Blocks(rules)

    def all(self) -> list[Mutant]:
        p = self.program
        for name, n in p.numbers.items():
            self._under(("number", name), partial(self._function, n.base))
        for t in p.templates.values():
            self._under(("number", t.number), partial(self._template, t))
        for key, f in p.procedures.items():
            self._under(("procedure", key), partial(self._function, f))
        for name, r in p.rolls.items():
            self._under(("roll", name), partial(self._roll, r))
        for name, table in p.tables.items():
            self._under(("table", name), partial(self._table, table))
        for name, c in p.choices.items():
            self._under(("choice", name), partial(self._choice, c))
        for (kind, title), d in p.definitions.items():
            self._under(definition_name(kind, title), partial(self._definition, d))
        for event in p.events.values():
            self._handlers(event.handlers)
            self._reactions(event.reactions)
        self._rest()
        self._profiles()
        return self.found

    def _under(self, name: Name, find: Callable[[], None]) -> None:
        """Find mutants of what a name stands for, unless it is no rule of the game."""
        sort = self.calls.sort_of(name)
        if sort in ("advice", "shown"):
            return
        self.sort = "rules" if sort == "rules" else "unreached"
        find()
        self.sort = "rules"

    def _rest(self) -> None:
        p = self.program
        for constraint in p.constraints:
            if constraint.pos.file in self.own:
                hosts = (host_of(constraint.require.pos), *self._hosts_of(constraint.when))
                self._add(constraint.pos, "constraint left out", hosts, without(p.constraints, constraint))
            self._function(constraint.require)
            self._function(constraint.when)
        for right in p.reroll_rights:
            self._right(right)
        for phase in (*p.setup, *p.turn):
            self._function(phase.when)
            self._function(phase.first)
            self._function(phase.by)
            if phase.pos.file in self.own:
                for step in phase.steps:
                    hosts = self._hosts_of(p.procedures.get(step))
                    self._add(phase.pos, f"step {step} left out", hosts, without(phase.steps, step))
        for noun in p.nouns.values():
            self._function(noun.where)
            for info in noun.fields.values():
                if info.pos.file in self.own and info.writable:
                    self._function(info.default)

    def _profiles(self) -> None:
        for profile in self.rules.profiles.values():
            host: Host = ("profile", profile.id)
            for name, value in profile.fields.items():
                pos = profile.fields.pos(name)
                if pos.file not in self.own or isinstance(value, bool) or not isinstance(value, int | Fraction):
                    continue
                change = f"{name} of {profile.id} is {value + 1}, not {value}"
                self._add(pos, change, (host,), item_to(profile.fields, name, value + 1), "data", profile.ref)

    # -- lines ---------------------------------------------------------------------------------------------

    def _template(self, t: ir.Template) -> None:
        if t.pos.file not in self.own or id(t) in self.seen:
            return
        self.seen.add(id(t))
        hosts = self._hosts_of(t.value) or (
            self._hosts_of(t.when) or self._hosts_of(getattr(self.program.numbers.get(t.number), "base", None))
        )
        self._add(t.pos, "line left out", hosts, silenced(t))
        if t.op == "add" and t.value is not None and t.value.value is not None:
            turned = ir.Negate(t.value.value, type=t.value.value.type, pos=t.pos)
            self._add(t.pos, "sign changed", hosts, set_to(t.value, "value", turned))
        if t.op in ("yes", "no"):
            self._add(t.pos, "yes and no changed", hosts, set_to(t, "op", "no" if t.op == "yes" else "yes"))
        self._condition(t)
        self._function(t.value)
        self._function(t.source)

    def _condition(self, line: Any) -> None:
        """Mutants of the condition of a line."""
        when: ir.Routine | None = line.when
        if when is None or when.value is None:
            return
        negated = ir.Not(when.value, pos=when.pos)
        hosts = self._hosts_of(when)
        self._add(line.pos, "condition negated", hosts, set_to(when, "value", negated))
        self._add(line.pos, "condition left out", hosts, set_to(line, "when", None))
        self._function(when)

    def _handlers(self, handlers: Iterable[ir.Handler]) -> None:
        for h in handlers:
            if id(h) in self.seen:
                continue
            self.seen.add(id(h))
            if h.pos.file in self.own:
                self._add(h.pos, "handler left out", self._hosts_of(h.run), silenced(h))
                self._condition(h)
            self._function(h.run)

    def _reactions(self, reactions: Iterable[ir.Reaction]) -> None:
        for r in reactions:
            if id(r) in self.seen:
                continue
            self.seen.add(id(r))
            if r.pos.file in self.own:
                hosts = (*self._hosts_of(r.when), *self._hosts_of(r.members), *self._hosts_of(r.run))
                self._add(r.pos, "reaction left out", hosts, silenced(r))
                self._condition(r)
            self._function(r.run)
            self._function(r.members)

    def _right(self, right: ir.RerollRight) -> None:
        if id(right) in self.seen or right.pos.file not in self.own:
            return
        self.seen.add(id(right))
        hosts = (*self._hosts_of(right.when), *self._hosts_of(right.low), *self._hosts_of(right.high))
        self._add(right.pos, "re-roll left out", hosts, silenced(right))
        self._condition(right)
        self._function(right.low)
        self._function(right.high)

    def _choice(self, choice: Any) -> None:
        self._function(choice.options)
        for n in choice.narrowings:
            self._narrowing(n)

    def _narrowing(self, n: ir.Narrowing) -> None:
        if id(n) in self.seen or n.pos.file not in self.own:
            return
        self.seen.add(id(n))
        self._add(n.pos, "narrowing left out", self._hosts_of(n.keep), silenced(n))
        self._condition(n)
        self._function(n.keep)

    def _definition(self, d: Definition) -> None:
        self._handlers(d.handlers)
        self._reactions(d.reactions)
        for right in d.rights:
            self._right(right)
        for narrowing in d.narrowings:
            self._narrowing(narrowing)
        self._function(d.targets)
        if d.pos.file not in self.own:
            return
        host: Host = ("title", d.title)
        stated = self.blocks.fields_stated(d.pos)
        for name, value in d.values.items():
            if self.calls.sort_of(("field", name)) == "advice":
                continue
            if name in stated and isinstance(value, int | Fraction) and not isinstance(value, bool):
                more = item_to(d.values, name, value + 1)
                self._add(d.pos, f"{name} of {d.title} is {value + 1}, not {value}", (host,), more)

    # -- rolls and tables ------------------------------------------------------------------------------------

    def _roll(self, r: ir.Roll) -> None:
        if r.pos.file in self.own:
            hosts = self._roll_hosts(r)
            for n in r.naturals:
                self._add(n.pos if n.pos.line else r.pos, "natural line left out", hosts, without(r.naturals, n))
            for o in r.outcomes[:-1]:
                self._add(o.pos if o.pos.line else r.pos, "outcome left out", hosts, without(r.outcomes, o))
            for i, (when, _) in enumerate(r.alternatives):
                if when is not None:
                    pos = when.pos if when.pos.line else r.pos
                    self._add(pos, "way of throwing left out", hosts, without(r.alternatives, r.alternatives[i]))
        for node in ir.walk(r):
            if isinstance(node, ir.Spec) and node.op in _BOUNDARY and r.pos.file in self.own:
                change = f"{_BOUNDARY[node.op]} for {node.op}"
                self._add(r.pos, change, self._roll_hosts(r), set_to(node, "op", _BOUNDARY[node.op]))
        hosts = self._roll_hosts(r)
        self.sides |= {id(n.die_sides.value) for n in ir.walk(r) if isinstance(n, ir.Spec) and n.die_sides is not None}
        for node in list(ir.walk(r)):
            if isinstance(node, ir.Routine):  # some are asked when the roll is made ready, not when it is thrown
                self._function(node, hosts)

    def _roll_hosts(self, r: ir.Roll) -> tuple[Host, ...]:
        functions = [n for n in ir.walk(r) if isinstance(n, ir.Routine)]
        return tuple(dict.fromkeys(h for f in functions for h in self._hosts_of(f)))

    def _table(self, table: Table) -> None:
        host: Host = ("table", table.name)
        for when, value in table.cases:
            self._function(when)
            self._function(value)
        data = self.rules.tables.get(table.name)
        if data is None or data.pos.file not in self.own:
            return
        for key, value in table.rows.items():
            if isinstance(value, bool) or not isinstance(value, int | Fraction):
                continue
            shown = ", ".join(str(k) for k in key)
            change = f"{table.name} for {shown} is {value + 1}, not {value}"
            self._add(data.pos, change, (host,), item_to(table.rows, key, value + 1), "data", table.ref)

    # -- functions -------------------------------------------------------------------------------------------

    @staticmethod
    def _hosts_of(f: ir.Routine | None) -> tuple[Host, ...]:
        return () if f is None else (host_of(f.pos),)

    def _function(self, f: ir.Routine | None, hosts: tuple[Host, ...] = ()) -> None:
        if f is None or id(f) in self.seen:
            return
        self.seen.add(id(f))
        hosts = hosts or self._hosts_of(f)
        self.here = f.pos
        if f.value is not None:
            self._expression(f, "value", hosts)
        self._body(f.body)

    def _body(self, body: list[ir.Statement] | None) -> None:
        for s in body or ():
            self._statement(s, body or [])

    def _statement(self, s: ir.Statement, body: list[ir.Statement]) -> None:
        hosts = (host_of(s.pos),)
        self.here = s.pos
        if self._is_a_step(s):
            gone = item_to(body, next(i for i, one in enumerate(body) if one is s), ir.Pass(pos=s.pos))
            self._add(s.pos, "step left out", hosts, gone)
        match s:
            case ir.IfElse():
                negated = ir.Not(s.condition, pos=s.pos)
                self._add(s.pos, "condition negated", hosts, set_to(s, "condition", negated))
            case ir.PutField() if s.op in ("+=", "-="):
                self._add(s.pos, "sign changed", hosts, set_to(s, "op", "-=" if s.op == "+=" else "+="))
            case ir.ForEach() if s.order_by is not None:
                self._add(s.pos, "order turned round", hosts, set_to(s, "highest_first", not s.highest_first))
            case ir.ChooseCourse():
                for c in s.courses:
                    if c.when is not None:
                        negated = ir.Not(c.when, pos=c.when.pos)
                        pos = c.pos if c.pos.line else s.pos
                        self._add(pos, "condition negated", hosts, set_to(c, "when", negated))
            case ir.Say():
                return
            case _:
                pass
        self._below(s, hosts)

    @staticmethod
    def _is_a_step(s: ir.Statement) -> bool:
        """Whether a statement can be left out and the rest still makes sense."""
        if isinstance(s, ir.Return):
            return s.value is None
        return not isinstance(s, ir.Say | ir.Pass | ir.SetLocal | ir.Choose)

    def _below(self, node: ir.IrNode, hosts: tuple[Host, ...]) -> None:
        """Mutants of the parts of a statement: its bodies, and the expressions that decide something."""
        for name in node.__dataclass_fields__:
            value = getattr(node, name)
            if name in ("rated", "usually", "says", "text"):
                continue
            if isinstance(value, ir.Expr):
                self._expression(node, name, hosts)
            elif isinstance(value, list):
                self._list(value, hosts)
            elif isinstance(value, ir.IrNode):
                self._below(value, hosts)

    def _list(self, items: list[Any], hosts: tuple[Host, ...]) -> None:
        for i, item in enumerate(items):
            if isinstance(item, ir.Stmt):
                self._statement(item, items)  # type: ignore[arg-type]
            elif isinstance(item, ir.Expr):
                self._expression(items, i, hosts)
            elif isinstance(item, ir.IrNode):
                self._below(item, hosts)

    # -- expressions -------------------------------------------------------------------------------------------

    def _expression(self, owner: Any, slot: str | int, hosts: tuple[Host, ...]) -> None:
        e: ir.Expr = getattr(owner, slot) if isinstance(slot, str) else owner[slot]
        if isinstance(owner, ir.DiceTerm) and slot == "sides":
            self.sides.add(id(e))
        if isinstance(e, ir.TextJoin | ir.CountedWords):
            return
        pos = e.pos if e.pos.line else self.here
        for change, other in self._others(e):
            self._add(pos, change, hosts, put_in(owner, slot, other))
        match e:
            case ir.Compare():
                self._add(pos, f"{_BOUNDARY[e.op]} for {e.op}", hosts, set_to(e, "op", _BOUNDARY[e.op]))
            case ir.Arith():
                self._add(pos, f"{_OTHER_SIGN[e.op]} for {e.op}", hosts, set_to(e, "op", _OTHER_SIGN[e.op]))
            case ir.Query() if e.kind in _OTHER_PICK:
                self._add(pos, f"{_OTHER_PICK[e.kind]} for {e.kind}", hosts, set_to(e, "kind", _OTHER_PICK[e.kind]))
            case ir.HowMany():
                self._add(pos, "pass and fail changed", hosts, set_to(e, "passing", not e.passing))
            case _:
                pass
        self._below_expression(e, pos, hosts)

    def _below_expression(self, e: ir.Expr, pos: Pos, hosts: tuple[Host, ...]) -> None:
        if isinstance(e, ir.Query):
            for condition in e.where:
                self._add(condition.pos if condition.pos.line else pos, "`where` left out", hosts,
                          without(e.where, condition))  # fmt: skip
        if isinstance(e, ir.Both) and len(e.operands) > 1:
            for operand in e.operands:
                self._add(operand.pos if operand.pos.line else pos, "part of a condition left out", hosts,
                          without(e.operands, operand))  # fmt: skip
        for name in e.__dataclass_fields__:
            value = getattr(e, name)
            if isinstance(value, ir.Expr):
                self._expression(e, name, hosts)
            elif isinstance(value, list):
                self._list(value, hosts)

    def _others(self, e: ir.Expr) -> Iterator[tuple[str, ir.Expr]]:
        """What may stand in the place of an expression."""
        match e:
            case ir.Const(value=bool(value)):
                yield f"{_said(not value)} for {_said(value)}", ir.Const(not value, type=e.type, pos=e.pos)
            case ir.Const() if id(e) in self.sides and e.value > 1:  # examples show faces: a larger die has them all
                yield f"{e.value - 1} for {e.value}", ir.Const(e.value - 1, type=e.type, pos=e.pos)
            case ir.Const() if is_number(e.type) and e.value is not None and not isinstance(e.value, str):
                yield f"{e.value + 1} for {e.value}", ir.Const(e.value + 1, type=e.type, pos=e.pos)
            case ir.Const() if e.type.kind == "word" and e.type.name in self.program.words:
                words = self.program.words[e.type.name]
                if e.value in words and len(words) > 1:
                    other = words[(words.index(e.value) + 1) % len(words)]
                    yield f"{other} for {e.value}", ir.Const(other, type=e.type, pos=e.pos)
            case ir.Both():
                word, other = ("and", "or") if e.every else ("or", "and")
                yield f"{other} for {word}", ir.Both(not e.every, e.operands, type=e.type, pos=e.pos)
            case ir.Not():
                yield "`not` left out", e.operand
            case ir.Negate():
                yield "minus left out", e.operand
            case ir.Bears() | ir.IsNoun() | ir.Same() | ir.Contains():
                yield "negated", ir.Not(e, pos=e.pos)
            case _:
                pass

    # -- adding --------------------------------------------------------------------------------------------------

    def _add(
        self, pos: Pos, change: str, hosts: tuple[Host, ...], apply: Change, sort: str = "", refs: tuple[str, ...] = ()
    ) -> None:
        if pos.file not in self.own:
            return
        refs = refs or self.blocks.refs_at(pos)
        self.found.append(Mutant(pos.file, pos.line, pos.column, change, sort or self.sort, hosts, refs, apply))


class _Blocks:
    """What the block at a place says: which rules of the book it carries, which fields of its kind it sets."""

    def __init__(self, rules: Ruleset) -> None:
        self.by_file: dict[str, list[tuple[int, int, tuple[str, ...]]]] = {}
        self.fields: dict[Host, frozenset[str]] = {}
        for placed in rules.placed:
            pos, ref = placed.block.pos, getattr(placed.block, "ref", ())
            inner = getattr(placed.block, "handler", None) or getattr(placed.block, "reaction", None)
            ref = ref or getattr(inner, "ref", ())
            self.by_file.setdefault(pos.file, []).append((pos.line, pos.end_line, tuple(ref)))
            block = placed.block.block if isinstance(placed.block, tree.Replace) else placed.block
            if isinstance(block, tree.KindBlock):
                self.fields[host_of(block.pos)] = frozenset(_fields_in(block.items))

    def fields_stated(self, pos: Pos) -> frozenset[str]:
        """The fields that the definition at a place gives a value; the others have the value that their kind gives."""
        return self.fields.get(host_of(pos), frozenset())

    def refs_at(self, pos: Pos) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        for start, end, ref in self.by_file.get(pos.file, ()):
            if start <= pos.line <= end:
                found = ref or found
        return found


def _fields_in(items: Iterable[Any]) -> Iterator[str]:
    for item in items:
        if isinstance(item, tree.KindField):
            yield item.name
        yield from _fields_in(getattr(item, "items", ()))


def put_in(owner: Any, slot: str | int, value: Any) -> Change:
    """Puts another expression into the place of one."""
    return set_to(owner, slot, value) if isinstance(slot, str) else item_to(owner, slot, value)


def host_of(pos: Pos) -> Host:
    """A place of the rules, as examples tell that they came to it."""
    return (pos.file, pos.line, pos.column)


def _said(value: bool) -> str:
    return "yes" if value else "no"


__all__ = ["NEVER", "Change", "Host", "Mutant", "all_of", "host_of", "mutants_of", "silenced", "without"]
