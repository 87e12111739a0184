"""What is known of a program's rules before anything is played: what a piece of them may do, which locals it needs,
how it is taken apart. Found out once for a program, whatever is asked of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from warhost.engine.code import Code
from warhost.lang import ir
from warhost.lang.combining import ordered
from warhost.lang.python_backend import free_names, given_values, is_plain
from warhost_odds.steps import Recipe

COLUMNWISE = frozenset(("lower_of", "higher_of", "floor", "ceiling"))
"""Functions that are computed over columns."""

_COMPUTING = (
    ir.SetLocal, ir.PutField, ir.IfElse, ir.Const, ir.Local, ir.GetField, ir.Arith, ir.Negate, ir.Not, ir.Compare,
    ir.Both, ir.CallFunction, ir.Evaluate,
)  # fmt: skip
#: Classes of nodes, as tuples: a union would be made anew whenever a node is looked at.
_THROWING = (ir.HowMany, ir.MakeRoll, ir.Rolls, ir.DiceTerm)
_THROWN_FIRST = (ir.MakeRoll, ir.Rolls, ir.DiceTerm)
_ACTING = (*_THROWING, ir.CallProcedure)
_FOLLOWED = (ir.HowMany, ir.Emit)
_LOOPS = (ir.ForEach, ir.Repeat)
_HARMLESS = (ir.Const, ir.Local)
_WHOLE = (ir.Stmt, ir.Expr)
_IN_PARTS = (ir.Both, ir.Query)
#: What always changes more than declared state, and what does so in some cases.
_RESTRUCTURING = frozenset((ir.Give, ir.Take, ir.AddModifier, ir.Travel, ir.EndEffect, ir.Later))
_PERHAPS_RESTRUCTURING = frozenset((ir.PutField, ir.CallFunction, ir.Emit, ir.MakeRoll, ir.HowMany))
_OF_THROWS = ("rolling", "rolled", "rerolling")


class NotInColumnsError(Exception):
    """An expression that has to be asked row by row."""


class ProgramFacts:
    """What is known of one program. Nodes are known by identity and kept."""

    def __init__(self, code: Code) -> None:
        self.code, self.program = code, code.program
        self.recipes: dict[Any, Recipe] = {}
        self.questions: dict[str, ir.Evaluate] = {}
        self.puts: dict[int, ir.PutField] = {}
        self.courses: dict[int, ir.ChooseCourse] = {}
        self.singles: dict[int, ir.MakeRoll] = {}
        self.kept: list[Any] = []
        self._reads: dict[int, frozenset[str]] = {}
        self._lines: dict[str, list[ir.Template]] = {}
        self._given: dict[int, frozenset[str]] = {}
        self._needed_before: dict[tuple[int, frozenset[str]], frozenset[str]] = {}
        self._plans: dict[int, tuple[list[tuple[str, ir.Expr]], Any]] = {}
        self._late: dict[int, ir.Emit] = {}
        self._verdicts: dict[tuple[str, int], bool] = {}
        self._numbers: dict[int, int] = {}
        self._pins: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self._count = 0
        borne = self.program.definitions.values()
        handlers, reactions = ([row for d in borne for row in getattr(d, sort)] for sort in ("handlers", "reactions"))
        self._answered = {row.event for row in (*handlers, *reactions)}
        self._answered_late = {h.event for h in handlers if h.hook == "after"}
        self.silent = {name for name in self.program.events if self._nobody_listens(name)}
        self._heavy: dict[str, bool] = {}
        self._by_itself: dict[str, tuple[bool, set[str]]] = {}

    @classmethod
    def of(cls, code: Code) -> ProgramFacts:
        """What is known of the program of some code, found out when it is first asked for."""
        found: ProgramFacts | None = code.worked_out.get("odds")
        if found is None:
            found = code.worked_out["odds"] = cls(code)
        return found

    def number_of(self, node: ir.IrNode) -> int:
        """A number of its own for a node, for the names of locals that nobody else has."""
        if id(node) not in self._numbers:
            self._numbers[id(node)] = len(self._numbers)
            self.kept.append(node)
        return self._numbers[id(node)]

    def pins(self, number: str) -> list[tuple[int, tuple[str, ...]]]:
        """Where to look for bearers of what may change a number: a parameter's place and a path of fields from it."""
        if number not in self._pins:
            lines = (t for t in self.code.lines_of(number) if not t.static)
            found = dict.fromkeys((t.pin, tuple(t.pin_path)) for t in lines if t.pin is not None)
            self._pins[number] = list(found)
        return self._pins[number]

    def lines_of(self, n: ir.Number) -> list[ir.Template]:
        """The lines of a number that are always in force, in the order in which they are applied."""
        found = self._lines.get(n.name)
        if found is None:
            found = self._lines[n.name] = [t for _, t in ordered(n.sort, n.templates, lambda t: t)]
        return found

    # -- what a piece of rules may do ----------------------------------------------------------------

    def is_followed_into(self, name: str) -> bool:
        """Whether a procedure throws dice or changes more than declared state, itself or through others."""
        found = self._heavy.get(name)
        if found is None:
            called, waiting = {name}, [name]
            while waiting:
                own, others = self._alone(waiting.pop())
                if own:
                    break
                waiting += others - called
                called |= others
            else:
                self._heavy.update(dict.fromkeys(called, False))
                return False
            found = self._heavy[name] = True
        return found

    def loops(self, f: ir.Routine) -> bool:
        """Whether a procedure repeats throws, itself or through others: then following it is dear."""
        return self.verdict("loops", f, lambda: any(
            (isinstance(n, ir.Repeat) and self.is_followed(n))
            or (isinstance(n, ir.CallProcedure) and self.loops(self.program.procedures[n.name]))
            for n in ir.walk(f)
        ))  # fmt: skip

    def _alone(self, name: str) -> tuple[bool, set[str]]:
        """Whether a procedure itself does so, and the procedures that it calls."""
        found = self._by_itself.get(name)
        if found is None:
            nodes = list(ir.walk(self.program.procedures[name]))
            own = any(throws(n) or self._restructures_itself(n) for n in nodes)
            calls = {n.name for n in nodes if isinstance(n, ir.CallProcedure)}
            found = self._by_itself[name] = (own, calls)
        return found

    def only_computes(self, name: str) -> bool:
        """Whether a procedure does no more than arithmetic with fields of what it is about: columns do that at once."""
        f = self.program.procedures[name]
        return self.verdict("only computes", f, lambda: self._only_computes(f))

    def _only_computes(self, f: ir.Routine) -> bool:
        return bool(f.body) and all(
            isinstance(n, _COMPUTING) and not self._asks_more(n) for n in ir.walk(f) if isinstance(n, _WHOLE)
        ) and not any(self._restructures_itself(n) for n in ir.walk(f))

    def _asks_more(self, n: ir.IrNode) -> bool:
        """Whether an expression is more than columns compute by themselves."""
        if isinstance(n, ir.CallFunction):
            return n.name not in COLUMNWISE or n.name in self.program.natives
        if isinstance(n, ir.Evaluate):
            number = self.program.numbers[n.name]
            bodies = [number.base, *(f for t in number.templates for f in (t.value, t.when) if f is not None)]
            return not is_plain(number) or not self.verdict("computes", number, lambda: all(
                isinstance(x, _COMPUTING) and not self._asks_more(x)
                for body in bodies for x in ir.walk(body) if isinstance(x, _WHOLE)
            ))  # fmt: skip
        return False

    def is_followed(self, node: ir.IrNode) -> bool:
        """Whether a statement is better followed over columns than taken as one step."""
        return self.verdict("followed", node, lambda: any(
            isinstance(n, _FOLLOWED) or (isinstance(n, ir.CallProcedure) and self.is_followed_into(n.name))
            or (isinstance(n, _LOOPS) and any(throws(x) for x in ir.walk(n)))
            for n in ir.walk(node)
        ))  # fmt: skip

    def verdict(self, question: str, node: ir.IrNode, find: Callable[[], bool]) -> bool:
        key = (question, id(node))
        if key not in self._verdicts:
            self._verdicts[key] = True  # for procedures that call themselves, which come back here
            self._verdicts[key] = find()
            self.kept.append(node)
        return self._verdicts[key]

    def is_pure(self, node: ir.IrNode) -> bool:
        """Whether it throws no dice, asks nobody and changes nothing."""
        return self.verdict("pure", node, lambda: not any(self._acts(n) for n in ir.walk(node)))

    def _acts(self, n: ir.IrNode) -> bool:
        if isinstance(n, ir.CallFunction):
            native = self.program.natives.get(n.name)
            return native is not None and bool(native.effects)
        if isinstance(n, _ACTING):
            return True
        return isinstance(n, ir.Stmt)

    def is_structural(self, node: ir.IrNode) -> bool:
        """Whether it may change more than declared state."""
        return self.verdict("structural", node, lambda: any(self._restructures(n) for n in ir.walk(node)))

    def _restructures(self, n: ir.IrNode) -> bool:
        if isinstance(n, ir.CallProcedure):
            return self.is_structural(self.program.procedures[n.name])
        return self._restructures_itself(n)

    def _restructures_itself(self, n: ir.IrNode) -> bool:
        kind = type(n)
        if kind in _RESTRUCTURING:
            return True
        if kind not in _PERHAPS_RESTRUCTURING:
            return False
        if isinstance(n, ir.PutField):
            return n.of.type.kind != "noun" or n.of.type.name == "effect"
        if isinstance(n, ir.CallFunction):
            native = self.program.natives.get(n.name)
            return native is not None and bool(native.effects - {"rolls", "chooses"})
        if isinstance(n, ir.Emit):
            return n.event not in self.silent
        if isinstance(n, ir.MakeRoll | ir.HowMany):
            roll = self.program.rolls[n.name]
            listening = any(e in self.program.events and e not in self.silent for e in _OF_THROWS)
            return listening or any(natural.emits for natural in roll.naturals)
        return False

    def _nobody_listens(self, name: str) -> bool:
        """Whether an event is no more than its sentence and what happens by default."""
        event = self.program.events[name]
        if event.handlers or event.reactions or event.asks is not None:
            return False
        return name not in self._answered

    def is_answered_late(self, event: str) -> bool:
        """Whether there are rules for after an event, of its own or of what may be borne."""
        return event in self._answered_late or any(h.hook == "after" for h in self.program.events[event].handlers)

    def reads_of(self, node: ir.IrNode) -> frozenset[str]:
        found = self._reads.get(id(node))
        if found is None:
            found = self._reads[id(node)] = frozenset(free_names([node], self.program))
            self.kept.append(node)
        return found

    def given_by(self, s: ir.Statement) -> frozenset[str]:
        """The locals to which a statement gives values."""
        found = self._given.get(id(s))
        if found is None:
            found = self._given[id(s)] = frozenset(given_values([s]))
            self.kept.append(s)
        return found

    def may_be_asked_of_all(self, e: ir.Expr) -> bool:
        """Whether an expression is quickly computed of any row and cannot go wrong where it does not matter."""
        return self.verdict("of all", e, lambda: all(
            isinstance(n, _COMPUTING) and not self._asks_more(n) and not (isinstance(n, ir.Arith) and n.op == "/")
            for n in ir.walk(e)
        ))  # fmt: skip

    # -- which locals are still needed -------------------------------------------------------------------

    def before(self, s: ir.Statement, live: frozenset[str]) -> frozenset[str]:
        """The locals that somebody reads from a statement on, when these are read after it.

        No more than reads_of says, and less where the statement is surely followed over columns, not run as a step.
        """
        key = (id(s), live)
        found = self._needed_before.get(key)
        if found is None:
            found = self._needed_before[key] = self._found_before(s, live)
            self.kept.append(s)
        return found

    def _found_before(self, s: ir.Statement, live: frozenset[str]) -> frozenset[str]:
        if isinstance(s, ir.SetLocal):
            return live if self.is_in_vain(s, live) else (live - {s.name}) | self.reads_of(s)
        if isinstance(s, ir.Return):
            return self.reads_of(s)
        if isinstance(s, ir.Emit) and self.is_unheard(s):
            return live
        if isinstance(s, ir.IfElse) and (self.is_followed(s) or self.is_pure(s.condition)):
            if self._is_hoistable(s.condition):
                return self.reads_of(s.condition) | self.before_all(s.body, live) | self.before_all(s.otherwise, live)
        elif isinstance(s, ir.Repeat) and self.is_followed(s) and self._is_hoistable(s.times):
            return self.through(s.body, live, s.until) | self.reads_of(s.times)
        elif isinstance(s, ir.ForEach):
            return self.through(s.body, live, None).union(
                *(self.reads_of(e) for e in (s.items, s.order_by, s.chooser) if e is not None)
            )
        return live | self.reads_of(s)

    def before_all(self, body: Sequence[ir.Statement], live: frozenset[str]) -> frozenset[str]:
        for s in reversed(body):
            live = self.before(s, live)
        return live

    def through(self, body: Sequence[ir.Statement], live: frozenset[str], until: ir.Expr | None) -> frozenset[str]:
        """The locals needed at either end of a loop's body."""
        if until is not None:
            live |= self.reads_of(until)
        while True:
            more = live | self.before_all(body, live)
            if more == live:
                return live
            live = more

    def is_in_vain(self, s: ir.SetLocal, live: frozenset[str]) -> bool:
        """Whether a local is set that nobody reads, to something that cannot go wrong."""
        return s.name not in live and self.verdict("harmless", s.value, lambda: all(
            isinstance(n, _HARMLESS) or (isinstance(n, ir.Arith) and n.op != "/") for n in ir.walk(s.value)
        ))  # fmt: skip

    def is_unheard(self, s: ir.Emit) -> bool:
        """Whether an event is no more than a sentence for the log."""
        return s.event in self.silent and s.body is None and all(self.is_pure(a) for a in s.args)

    def _is_hoistable(self, e: ir.Expr) -> bool:
        """Whether the throws in an expression can be made before it is computed."""
        return self.verdict("hoistable", e, lambda: all(
            self.is_pure(n) for n in ir.walk(e) if isinstance(n, _IN_PARTS)
        ))  # fmt: skip

    def with_locals(self, s: ir.Emit) -> ir.Emit:
        """The same event, with arguments that stand in locals."""
        found = self._late.get(id(s))
        if found is None:
            found = self._late[id(s)] = copy.copy(s)
            number = self.number_of(s)
            found.args = [ir.Local(f"_argument{number}_{i}", type=a.type) for i, a in enumerate(s.args)]
        return found

    # -- throws before the rest of an expression --------------------------------------------------------

    def plan(self, e: ir.Expr) -> tuple[list[tuple[str, ir.Expr]], Any]:
        """The throws and calls in an expression, as locals in the order of their turn, and what is left with these.

        Raises NotInColumnsError when they cannot be made before the rest is computed.
        """
        found = self._plans.get(id(e))
        if found is None:
            acts: list[tuple[str, ir.Expr]] = []
            found = self._plans[id(e)] = (acts, self._hoisted(copy.copy(e), acts))
            self.kept.append(e)
        return found

    def _hoisted(self, e: Any, acts: list[tuple[str, ir.Expr]]) -> Any:
        """The expression with its throws and calls replaced by locals; they are noted in the order of their turn."""
        if isinstance(e, _IN_PARTS) and not self.is_pure(e):
            raise NotInColumnsError
        if isinstance(e, _THROWN_FIRST) or (isinstance(e, ir.CallFunction) and self._acts(e)):
            return self._noted(e, acts)
        if not isinstance(e, ir.Expr):
            return e
        made = copy.copy(e)
        for name in getattr(type(e), "__dataclass_fields__", {}):
            value = getattr(e, name)
            if isinstance(value, ir.Expr):
                setattr(made, name, self._hoisted(value, acts))
            elif isinstance(value, list):
                setattr(made, name, [self._hoisted(v, acts) for v in value])
        return self._noted(made, acts) if isinstance(made, ir.HowMany | ir.CallProcedure) else made

    def _noted(self, e: ir.Expr, acts: list[tuple[str, ir.Expr]]) -> ir.Local:
        self._count += 1
        name = f"_act{self._count}"
        acts.append((name, e))
        return ir.Local(name, type=e.type)


def throws(node: ir.IrNode) -> bool:
    """Whether a node is a throw."""
    return isinstance(node, _THROWING)


__all__ = ["NotInColumnsError", "ProgramFacts", "throws"]
