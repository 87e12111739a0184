"""The interpreter: runs the intermediate form as it stands, so that a changed line needs no compiling.

Slower than the compiled form, and the same in everything that a battle can see: results, the order of the
dice, what is written, the steps counted. Every number goes through the battle's `compute`. Mutants are tried with it,
and the tests hold the compiler against it.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from warhost.errors import RuleFault
from warhost.lang import ir, support
from warhost.lang.effects import lays_out, takes_steps
from warhost.lang.program import Program, Table
from warhost.lang.python_backend import attribute, bound_names, busy_with, free_names, given_values
from warhost.lang.runtime import Runtime
from warhost.things import titles_of

Callable_ = Callable[..., Any]

#: A call between rules takes some ten of Python's; with this room rules may nest as deeply as compiled ones.
_ROOM = 5_000

#: A chart that says `roll again` does so at most as often.
_MOST_AGAIN = 100

_ARITH: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": support.multiply, "/": support.divide,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt,
    ">": operator.gt,
}  # fmt: skip

#: What Python raises when a rule goes wrong.
_MISHAPS = (
    AttributeError, TypeError, ZeroDivisionError, ValueError, KeyError, IndexError, OverflowError, NameError,
    RecursionError,
)  # fmt: skip


class _Activation:
    """One call of one function of the rules: the battle, the event on its way, and the place reached."""

    __slots__ = ("event", "function", "pos", "rt")

    def __init__(self, rt: Runtime, function: ir.Routine) -> None:
        self.rt, self.function = rt, function
        self.pos = function.pos
        self.event: Any = None

    def fault(self, error: BaseException) -> RuleFault:
        """An error that came up here, as a fault that names the rule and the line."""
        pos = self.pos if self.pos.line else self.function.pos
        message = error.message if isinstance(error, RuleFault) else support.mishap(error)
        return RuleFault(str(message), self.function.title or self.function.key, pos.file, pos.line)


class _Methods(dict[type, Callable_]):
    """The methods that work out the sorts of expressions (`_`) or run the sorts of statements (`_do_`), by class."""

    def __init__(self, interpreter: Interpreter, prefix: str) -> None:
        super().__init__()
        self.interpreter, self.prefix = interpreter, prefix

    def __missing__(self, sort: type) -> Callable_:
        found: Callable_ = getattr(self.interpreter, self.prefix + sort.__name__.lower())
        self[sort] = found
        return found


class _Locals:
    """The locals of a function or of a block inside it that runs as a function of its own.

    own has the names that live here; all others are sought, and set, further out.
    """

    __slots__ = ("outer", "own", "run", "values")

    def __init__(
        self, run: _Activation, values: dict[str, Any], own: Iterable[str], outer: _Locals | None = None
    ) -> None:
        self.run, self.values, self.own, self.outer = run, values, {*own, *values}, outer

    def get(self, name: str) -> Any:
        at: _Locals | None = self
        while at is not None:
            if name in at.values:
                return at.values[name]
            at = at.outer
        raise RuleFault(f'"{name}" has no value yet')

    def has(self, name: str) -> bool:
        at: _Locals | None = self
        while at is not None:
            if name in at.values:
                return True
            at = at.outer
        return False

    def put(self, name: str, value: Any) -> None:
        at = self
        while name not in at.own and at.outer is not None:
            at = at.outer
        at.values[name] = value

    def known(self) -> set[str]:
        """Every name that some block from here outwards owns."""
        names: set[str] = set()
        at: _Locals | None = self
        while at is not None:
            names |= at.own
            at = at.outer
        return names

    def item(self, name: str, value: Any) -> _Locals:
        """The same with one more name, for the conditions on an item of a list."""
        return _Locals(self.run, {name: value}, (), self)


#: What a body gives: None when it goes on, else its result as a tuple of one, or _AGAIN.
_Ending = tuple[Any] | None
_AGAIN: _Ending = ("roll again",)


class Interpreter:
    """`number`, `procedure`, `table`, `noun` and `function` give callables that take the battle first."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._bits = {name: 1 << i for i, name in enumerate(program.numbers)}
        self._made: dict[tuple[str, str], Callable_] = {}
        self._functions: dict[int, Callable_] = {}
        self._kept: list[ir.Routine] = []
        self._busy_with: dict[int, dict[int, tuple[str, ...]]] = {}
        self._ways, self._doings = _Methods(self, "_"), _Methods(self, "_do_")
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _ROOM))

    # -- what the engine asks for ------------------------------------------------------------------

    def number(self, name: str) -> Callable_:
        """The callable of a number, flag or value: always the general way of computation."""
        spec = self.program.numbers[name]
        cost = self.program.costs.get(name, 0)

        def computed(rt: Any, *args: Any) -> Any:
            if cost:
                rt.spend(cost)
            return rt.compute(spec, args)

        return self._once(("number", name), lambda: computed)

    def procedure(self, key: str) -> Callable_:
        """The callable of a procedure by its key."""
        return self._once(("procedure", key), lambda: self._callable(self.program.procedures[key]))

    def table(self, name: str) -> Callable_:
        """The callable of a table: a value by its keys."""
        return self._once(("table", name), lambda: self._make_table(self.program.tables[name]))

    def noun(self, name: str) -> Callable_:
        """Whether an entity (of the right root) fulfils the conditions of a noun."""
        return self._once(("noun", name), lambda: self._make_noun(name))

    def function(self, f: ir.Routine) -> Callable_:
        """The callable of any other function: a condition, a value, a rating."""
        found = self._functions.get(id(f))
        if found is None:
            found = self._functions[id(f)] = self._callable(f)
            self._kept.append(f)
        return found

    def bit(self, number: str) -> int:
        """The bit that stands for a number in the masks of entities."""
        return self._bits[number]

    def _once(self, key: tuple[str, str], make: Callable[[], Callable_]) -> Callable_:
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = make()
        return found

    def _make_table(self, table: Table) -> Callable_:
        if table.cases:
            return lambda rt, *keys: self._case_of(table, rt, keys)
        rows, missing, has = table.rows, table.otherwise, table.has_otherwise

        def look_up(rt: Any, *keys: Any) -> Any:
            found = rows.get(keys, missing)
            if found is None and not has and keys not in rows:
                shown = ", ".join(support.text(k) for k in keys)
                rt.fault(f"the table {table.name} has no entry for {shown}")
            return found

        return look_up

    def _case_of(self, table: Table, rt: Any, keys: tuple[Any, ...]) -> Any:
        for when, value in table.cases:
            if when is None or self.function(when)(rt, *keys):
                return self.function(value)(rt, *keys)
        last = table.cases[-1][1].pos
        raise RuleFault(f"no case of the table {table.name} fits", f"table {table.name}", last.file, last.line)

    def _make_noun(self, name: str) -> Callable_:
        chain: list[Callable_] = []
        at: str | None = name
        while at is not None:
            noun = self.program.nouns[at]
            if noun.where is not None:
                chain.insert(0, self.function(noun.where))
            at = noun.is_a
        return lambda rt, it: it is not None and all(f(rt, it) for f in chain)

    # -- running a function --------------------------------------------------------------------------

    def _callable(self, f: ir.Routine) -> Callable_:
        names = [p.name for p in f.params]
        own = bound_names(f.body or [])

        def run(rt: Any, *args: Any) -> Any:
            here = _Activation(rt, f)
            try:
                return self._run(here, dict(zip(names, args, strict=True)), own)
            except RuleFault as fault:
                if fault.file:
                    raise
                raise here.fault(fault) from fault
            except _MISHAPS as error:
                raise here.fault(error) from error

        run.__qualname__ = f.title or f.key
        return run

    def _run(self, run: _Activation, values: dict[str, Any], own: set[str]) -> Any:
        f = run.function
        at = _Locals(run, values, own)
        if f.value is not None:
            return self.value(f.value, at)
        self._step(run.rt)
        if f.params and f.params[0].name == "this":
            run.event = run.rt.event
        return _result(self._body(f.body or [], at))

    @staticmethod
    def _step(rt: Any) -> None:
        """One step of the budget of a phase."""
        rt.steps -= 1
        if rt.steps < 0:
            rt.exhausted()

    def _block(self, params: Sequence[str], body: Sequence[ir.Statement], at: _Locals) -> Callable_:
        """A block that the battle calls back: it sees and sets the locals around it."""
        own = bound_names(body) - at.known()

        def run(*args: Any) -> Any:
            place = at.run.pos
            inner = _Locals(at.run, dict(zip(params, args, strict=True)), own, at)
            result = _result(self._body(body, inner))
            at.run.pos = place
            return result

        return run

    # -- statements ------------------------------------------------------------------------------------

    def _body(self, body: Sequence[ir.Statement], at: _Locals) -> _Ending:
        run = at.run
        for s in body:
            if s.pos.line:
                run.pos = s.pos
            ending: _Ending = self._doings[type(s)](s, at)
            if ending is not None:
                return ending
        return None

    def _do_setlocal(self, s: ir.SetLocal, at: _Locals) -> None:
        at.put(s.name, support.bounded(self.value(s.value, at)))

    def _do_putfield(self, s: ir.PutField, at: _Locals) -> None:
        rt = at.run.rt
        put = {"=": rt.put, "+=": rt.add, "-=": rt.take_off}[s.op]
        of = self.value(s.of, at)
        put(of, attribute(s.field), self.value(s.value, at))

    def _do_do(self, s: ir.Do, at: _Locals) -> None:
        self.value(s.value, at)

    def _do_say(self, s: ir.Say, at: _Locals) -> None:
        if not takes_steps(s.text, self.program):
            at.run.rt.say(lambda: str(self.value(s.text, at)))
            return
        said = self.values(s.text.parts if isinstance(s.text, ir.TextJoin) else [s.text], at)
        at.run.rt.say(lambda: "".join([support.text(p) for p in said]))

    def _do_refuse(self, s: ir.Refuse, at: _Locals) -> None:
        at.run.rt.refuse(str(self.value(s.text, at)), s.pos.file, s.pos.line)

    def _do_pass(self, s: ir.Pass, at: _Locals) -> None:
        pass

    def _do_return(self, s: ir.Return, at: _Locals) -> _Ending:
        return (self.value(s.value, at) if s.value is not None else None,)

    def _do_cancelevent(self, s: ir.CancelEvent, at: _Locals) -> None:
        event = at.run.event if at.run.event is not None else at.run.rt.event
        event.cancelled = True

    def _do_proceed(self, s: ir.Proceed, at: _Locals) -> None:
        at.run.rt.proceed(at.run.event)

    def _do_stoptravel(self, s: ir.StopTravel, at: _Locals) -> None:
        at.run.rt.stop_travel()

    def _do_changeparam(self, s: ir.ChangeParam, at: _Locals) -> None:
        value = self.value(s.value, at)
        at.run.event.args[s.index] = value
        at.put(s.name, value)

    def _do_endeffect(self, s: ir.EndEffect, at: _Locals) -> None:
        at.run.rt.end_effect(self.value(s.effect, at))

    def _do_reveal(self, s: ir.Reveal, at: _Locals) -> None:
        at.run.rt.reveal(self.value(s.what, at))

    # -- branches and loops ------------------------------------------------------------------------------

    def _do_ifelse(self, s: ir.IfElse, at: _Locals) -> _Ending:
        return self._body(s.body if self.value(s.condition, at) else s.otherwise, at)

    def _do_foreach(self, s: ir.ForEach, at: _Locals) -> _Ending:
        rt, place = at.run.rt, s.pos
        chooser = self.value(s.chooser, at) if s.chooser is not None else None
        items = list(self.value(s.items, at))
        if s.order_by is not None:
            by = s.order_by
            items.sort(key=lambda item: self.value(by, at.item(s.var, item)), reverse=s.highest_first)
        if s.chooser is not None:
            items = rt.ordered_by(chooser, s.var, items)
        for item in items:
            at.put(s.var, item)
            at.run.pos = place
            self._step(rt)
            ending = self._body(s.body, at)
            if ending is not None:
                return ending
        return None

    def _do_repeat(self, s: ir.Repeat, at: _Locals) -> _Ending:
        for _ in range(support.how_often(self.value(s.times, at))):
            at.run.pos = s.pos
            self._step(at.run.rt)
            ending = self._body(s.body, at)
            if ending is not None:
                return ending
            if s.until is not None and self.value(s.until, at):
                break
        return None

    def _do_according(self, s: ir.According, at: _Locals) -> _Ending:
        for _ in range(_MOST_AGAIN):
            at.put(s.var, self.value(s.subject, at))
            ending = self._case(s, at)
            if ending is not _AGAIN:
                return ending
        return None

    def _case(self, s: ir.According, at: _Locals) -> _Ending:
        for c in s.cases:
            if c.test is None or self.value(c.test, at):
                return _AGAIN if c.roll_again else self._body(c.body, at)
        return None

    def _do_together(self, s: ir.Together, at: _Locals) -> _Ending:
        with at.run.rt.together():
            return self._body(s.body, at)

    # -- choices ---------------------------------------------------------------------------------------

    def _do_choose(self, s: ir.Choose, at: _Locals) -> None:
        rt = at.run.rt
        chooser = self.value(s.chooser, at)
        if s.items is not None:
            options = self._offered(s.items, at)
        else:
            assert s.low is not None
            assert s.high is not None
            options = rt.span(self.value(s.low, at), self.value(s.high, at))
        rest = (s.or_none, s.secretly, self._rating(s, at), self._usual(s, at), self._about(s, at))
        if s.up_to is not None:
            chosen = rt.choose_several(s.decision, chooser, options, self.value(s.up_to, at), *rest, self._says(s, at))
        else:
            chosen = rt.choose(s.decision, chooser, options, *rest, self._says(s, at))
        at.put(s.var, chosen)

    def _offered(self, items: ir.Expr, at: _Locals) -> Any:
        if not isinstance(items, ir.Query) or not items.where or not isinstance(items.source, ir.CallFunction):
            return self.value(items, at)
        source, where = self.value(items.source, at), items.where
        at.run.rt.counted(source)
        return support.narrowed(source, lambda item: all(self.value(w, at.item(items.var, item)) for w in where))

    def _about(self, s: ir.Choose | ir.ChooseCourse, at: _Locals) -> tuple[Any, ...]:
        f = at.run.function
        if id(f) not in self._busy_with:
            self._busy_with[id(f)] = busy_with(f)
            self._kept.append(f)
        return tuple(at.get(name) for name in self._busy_with[id(f)].get(id(s), ()))

    def _says(self, s: ir.Choose | ir.ChooseCourse, at: _Locals) -> Callable_ | None:
        says = s.says
        return None if says is None else lambda: self.value(says, at)

    def _rating(self, s: ir.Choose, at: _Locals) -> Callable_ | None:
        rated = s.rated
        return None if rated is None else lambda item: self.value(rated, at.item(s.item_var, item))

    def _usual(self, s: ir.Choose, at: _Locals) -> Callable_ | None:
        usually = s.usually
        return None if usually is None else lambda: self.value(usually, at)

    def _do_choosecourse(self, s: ir.ChooseCourse, at: _Locals) -> _Ending:
        chooser = self.value(s.chooser, at)
        rows = [
            (c.label, c.when is None or self.value(c.when, at), self._course_rating(c, at)) for c in s.courses
        ]
        chosen = at.run.rt.choose_course(s.decision, chooser, rows, self._about(s, at), self._says(s, at))
        for c in s.courses:
            if c.label == chosen:
                return self._body(c.body, at)
        return None

    def _course_rating(self, c: ir.Course, at: _Locals) -> Callable_ | None:
        rated = c.rated
        return None if rated is None else lambda: self.value(rated, at)

    # -- events and things in force ------------------------------------------------------------------------

    def _do_emit(self, s: ir.Emit, at: _Locals) -> None:
        outcome: Callable_ | None = None
        if s.body is not None:
            params = [p.name for p in self.program.events[s.event].params]
            outcome = self._block(params, s.body, self._kept_for(s.body, at))
        at.run.rt.emit(s.event, self.values(s.args, at), outcome)

    def _kept_for(self, body: Sequence[ir.Statement], at: _Locals) -> _Locals:
        """What an outcome only reads is as it is now: it may have to wait until the end of a `together`."""
        read = (free_names(body, self.program) & at.known()) - given_values(body)
        return _Locals(at.run, {n: at.get(n) for n in read if at.has(n)}, (), at)

    def _do_travel(self, s: ir.Travel, at: _Locals) -> None:
        rows = [(h.event, self._block(h.params, _guarded(h), at)) for h in s.handlers]
        who = self.value(s.who, at)
        at.run.rt.travel(who, self.value(s.path, at), rows)

    def _do_give(self, s: ir.Give, at: _Locals) -> None:
        args = tuple(self.values(s.args, at))
        to = self.value(s.to, at)
        giver = self.value(s.giver, at) if s.giver is not None else None
        lasting = self._lasting(s.lasting, at)
        if s.definition is not None:
            at.run.rt.give_definition(self.value(s.definition, at), args, to, giver, lasting)
        else:
            at.run.rt.give(s.kind, s.title, args, to, giver, lasting)

    def _do_take(self, s: ir.Take, at: _Locals) -> None:
        at.run.rt.take(s.title, self.value(s.of, at))

    def _do_addmodifier(self, s: ir.AddModifier, at: _Locals) -> None:
        captured = tuple(at.get(n) for n in s.captured)
        pinned = self.values(s.pins, at)
        pins = tuple(zip(pinned[::2], pinned[1::2], strict=True))
        at.run.rt.add_modifier(s.template, captured, pins, self._lasting(s.lasting, at))

    def _do_later(self, s: ir.Later, at: _Locals) -> None:
        body = s.body
        inner = self._remembered(at, s.body, bound_names(body))

        def run() -> None:
            again = _Locals(inner.run, dict(inner.values), inner.own, inner.outer)
            again.run.pos = s.pos
            self._located(again.run, lambda: self._body(body, again))

        at.run.rt.later(self._when(s.when, at), run)

    @staticmethod
    def _located(run: _Activation, act: Callable[[], Any]) -> Any:
        """What is done after the function has ended: faults are still its own."""
        try:
            return act()
        except RuleFault as fault:
            if fault.file:
                raise
            raise run.fault(fault) from fault
        except _MISHAPS as error:
            raise run.fault(error) from error

    def _when(self, m: ir.When | None, at: _Locals) -> Any:
        if m is None:
            return None
        return (m.edge, m.what, self.value(m.whose, at) if m.whose is not None else None, m.next)

    def _lasting(self, d: ir.Lasting, at: _Locals) -> tuple[Any, ...]:
        if d.kind == "until":
            return ("until", self._when(d.when, at))
        if d.kind == "for":
            assert d.count is not None
            return ("for", self.value(d.count, at))
        if d.kind == "while":
            condition = d.condition
            assert condition is not None
            inner = self._remembered(at, [condition], ())
            return ("while", lambda: self._located(inner.run, lambda: self.value(condition, inner)))
        return (d.kind, d.what)

    def _remembered(self, at: _Locals, nodes: Sequence[ir.IrNode], own: Iterable[str]) -> _Locals:
        """The locals that some nodes read, as they are now: for what is done or asked later."""
        known = at.known()
        values = {n: at.get(n) for n in free_names(nodes, self.program) & known if at.has(n)}
        run = _Activation(at.run.rt, at.run.function)
        run.pos, run.event = at.run.pos, at.run.event
        return _Locals(run, values, own, at)

    # -- expressions -----------------------------------------------------------------------------------

    def value(self, e: ir.Expr, at: _Locals) -> Any:
        """What an expression comes to. at: the locals around it."""
        return self._ways[type(e)](e, at)

    def values(self, items: Sequence[ir.Expr], at: _Locals) -> list[Any]:
        """What several expressions come to, in their order."""
        return [self.value(i, at) for i in items]

    def _const(self, e: ir.Const, at: _Locals) -> Any:
        return e.value

    def _definitionref(self, e: ir.DefinitionRef, at: _Locals) -> Any:
        return at.run.rt.definition(e.kind, e.title)

    def _local(self, e: ir.Local, at: _Locals) -> Any:
        return at.get(e.name)

    def _singleton(self, e: ir.Singleton, at: _Locals) -> Any:
        return getattr(at.run.rt, e.name)

    def _getfield(self, e: ir.GetField, at: _Locals) -> Any:
        return getattr(self.value(e.of, at), attribute(e.field))

    def _evaluate(self, e: ir.Evaluate, at: _Locals) -> Any:
        if e.uses:
            return at.run.rt.use_number(self.number(e.name), tuple(self.values(e.args, at)))
        return self.number(e.name)(at.run.rt, *self.values(e.args, at))

    def _lookup(self, e: ir.LookUp, at: _Locals) -> Any:
        return self.table(e.name)(at.run.rt, *self.values(e.args, at))

    def _callfunction(self, e: ir.CallFunction, at: _Locals) -> Any:
        args = self.values(e.args, at)
        if e.name == "is_friendly":
            return args[0].side is args[1].side
        if e.name == "is_enemy":
            return args[0].side is not args[1].side
        if e.name.startswith("choice "):
            return at.run.rt.options_of(e.name.removeprefix("choice "), tuple(args))
        if e.name in support.BUILT_IN_CALLS and e.name not in self.program.natives:
            return support.BUILT_IN_CALLS[e.name](*args)
        return self.program.natives[e.name].call(at.run.rt, *args)

    def _callprocedure(self, e: ir.CallProcedure, at: _Locals) -> Any:
        return self.procedure(e.name)(at.run.rt, *self.values(e.args, at))

    def _arith(self, e: ir.Arith, at: _Locals) -> Any:
        left = self.value(e.left, at)
        return _ARITH[e.op](left, self.value(e.right, at))

    def _negate(self, e: ir.Negate, at: _Locals) -> Any:
        return -self.value(e.operand, at)

    def _not(self, e: ir.Not, at: _Locals) -> Any:
        return not self.value(e.operand, at)

    def _compare(self, e: ir.Compare, at: _Locals) -> Any:
        left = self.value(e.left, at)
        return _COMPARE[e.op](left, self.value(e.right, at))

    def _both(self, e: ir.Both, at: _Locals) -> Any:
        found: Any = e.every
        for operand in e.operands:
            found = self.value(operand, at)
            if bool(found) is not e.every:
                return found
        return found

    def _same(self, e: ir.Same, at: _Locals) -> Any:
        left, right = self.value(e.left, at), self.value(e.right, at)
        return left is right if support.by_identity(e.left.type.kind, e.right.type.kind) else left == right

    def _isnoun(self, e: ir.IsNoun, at: _Locals) -> Any:
        return self.noun(e.noun)(at.run.rt, self.value(e.of, at))

    def _bears(self, e: ir.Bears, at: _Locals) -> Any:
        of = self.value(e.of, at)
        return e.title in titles_of(of) if e.title else at.run.rt.bears_kind(of, e.kind)

    def _contains(self, e: ir.Contains, at: _Locals) -> Any:
        item = self.value(e.item, at)
        return item in self.value(e.items, at)

    def _countedwords(self, e: ir.CountedWords, at: _Locals) -> Any:
        return support.counted(self.value(e.of, at), e.forms)

    def _textjoin(self, e: ir.TextJoin, at: _Locals) -> Any:
        return "".join([support.text(p) for p in self.values(e.parts, at)])

    def _diceterm(self, e: ir.DiceTerm, at: _Locals) -> Any:
        count = self.value(e.count, at)
        return at.run.rt.die_total(count, self.value(e.sides, at))

    def _rolls(self, e: ir.Rolls, at: _Locals) -> Any:
        laid_out = lays_out(e.formula, self.program)
        return at.run.rt.thrown(self.value(e.roller, at), lambda: self.value(e.formula, at), laid_out)

    def _makeroll(self, e: ir.MakeRoll, at: _Locals) -> Any:
        return at.run.rt.make_roll(self.program.rolls[e.name], tuple(self.values(e.args, at)))

    def _howmany(self, e: ir.HowMany, at: _Locals) -> Any:
        count = self.value(e.count, at)
        args = tuple(self.values(e.args, at))
        return at.run.rt.how_many(self.program.rolls[e.name], count, e.passing, args)

    def _allof(self, e: ir.AllOf, at: _Locals) -> Any:
        return at.run.rt.everyone[e.noun]

    def _definitionsof(self, e: ir.DefinitionsOf, at: _Locals) -> Any:
        return at.run.rt.definitions_of(e.kind)

    # -- quantities over lists ---------------------------------------------------------------------------

    def _query(self, e: ir.Query, at: _Locals) -> Any:
        source = self.value(e.source, at)
        if e.kind == "number" and not e.where:
            return len(source)
        at.run.rt.counted(source)
        if e.kind == "number":
            return sum([1 for _ in self._fitting(e, source, at)])
        if e.kind == "any":
            return any(True for _ in self._fitting(e, source, at))
        if e.kind == "all":
            return [item for item, _ in self._fitting(e, source, at)]
        value = e.value
        assert value is not None
        if e.kind == "total" and e.counting and isinstance(value, ir.Evaluate):
            return self._counting(e, value, source, at)
        if e.kind == "total":
            return sum([self.value(value, inner) for _, inner in self._fitting(e, source, at)])
        if e.kind in ("highest", "lowest"):
            measured = [self.value(value, inner) for _, inner in self._fitting(e, source, at)]
            return max(measured, default=0) if e.kind == "highest" else min(measured, default=0)
        items = [item for item, _ in self._fitting(e, source, at)]
        pick = support.least if e.kind in ("nearest", "which lowest") else support.greatest
        return pick(items, lambda item: self.value(value, at.item(e.var, item)))

    def _fitting(self, e: ir.Query, source: Iterable[Any], at: _Locals) -> Iterable[tuple[Any, _Locals]]:
        """The items that fulfil the conditions, each with the locals that see it, one at a time."""
        for item in source:
            inner = at.item(e.var, item)
            if all(self.value(w, inner) for w in e.where):
                yield item, inner

    def _counting(self, e: ir.Query, value: ir.Evaluate, source: Iterable[Any], at: _Locals) -> Any:
        items = [item for item, _ in self._fitting(e, source, at)]
        rows = [tuple(self.values(value.args, at.item(e.var, item))) for item in items]
        return at.run.rt.total_counting(self.program.numbers[value.name], e.counting, rows)


def _result(ending: _Ending) -> Any:
    return ending[0] if ending is not None else None


def _guarded(h: ir.TravelHandler) -> list[ir.Statement]:
    """What a handler of a crossing does, under its condition."""
    return list(h.body) if h.when is None else [ir.IfElse(h.when, list(h.body), [], pos=h.pos)]


__all__ = ["Interpreter"]
