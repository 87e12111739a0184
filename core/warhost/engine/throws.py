"""Throws: tests, totals, pools, opposed throws and charts, with natural faces, re-rolls and confirmations.

Order of dice: left before right, the whole pool, then re-rolls, then confirmations.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from warhost.engine.budget import DIE, Budget
from warhost.engine.entities import Record
from warhost.engine.events import Events
from warhost.engine.in_force import InForce
from warhost.engine.state import State
from warhost.engine.story import Story, shown
from warhost.errors import RuleFault
from warhost.lang import ir, support
from warhost.lang.effects import lays_out
from warhost.lang.runtime import Runtime

_OPS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip

#: A tie without a winner is thrown again at most so often.
MOST_TIES = 1000
#: Rows of passing faces that one plain test remembers, and the largest die that has such rows.
MOST_ROWS = 200
LARGEST_DIE = 200

_UNKNOWN: Any = object()
#: How dice without a block of their own are thrown.
_LOOSE = ir.Spec("total")


class Die(Record):
    """One die of a throw."""

    def __init__(self, index: int, face: int, sides: int) -> None:
        super().__init__("die", index=index, face=face, sides=sides, rerolled=False, turned=False)
        self._highest: int | None = None
        self._swapped = False

    @property
    def label(self) -> str:
        """How a choice of dice calls it: its place in the throw and what it shows."""
        return f"{self.index + 1}: {self.face}"


class Throw(Record):
    """What rules see of a throw: who threw, against whom, the dice, the need and whether it succeeded.

    total and succeeded follow the dice: whoever turns or re-rolls one changes them. Before the dice have fallen they
    show 0, and the throw has not succeeded.
    """

    def __init__(self, name: str, by: Any, against: Any, toss: Toss, judge: Callable[[], Any]) -> None:
        side = getattr(by, "side", None)
        super().__init__("throw", name=name, by=by, against=against, side=side, dice=toss.dice)
        self._toss, self._judge = toss, judge

    @property
    def need(self) -> Any:
        """What its dice are held against; 0 when they are only added up."""
        return self._toss.need if self._toss.need is not None else 0

    @property
    def total(self) -> Any:
        """What the dice show together, with what is added to them."""
        return sum(d.face for d in self._toss.dice) + self._toss.bonus

    @property
    def succeeded(self) -> bool:
        """Whether it succeeds as the dice lie; not before they have fallen."""
        return not self._toss.lying and bool(self._judge())

    @property
    def failed(self) -> bool:
        """Whether it does not succeed."""
        return not self.succeeded


class _PlainTest:
    """A test of one die whose outcome depends on the face and the need alone: no Die objects are wanted for it.

    sides is a number, or a function that throws a die whose sides the roll's arguments decide; size then tells these
    without a throw. counts[need][face] is 1 if the face of a die with a fixed number of sides passes, else 0; of other
    dice the rows are under (sides, need). They are made when a need is first met.
    """

    __slots__ = ("counts", "naturals", "need", "op", "sides", "size", "test")

    def __init__(
        self, need: Callable[..., Any], op: str, sides: int | Callable[..., Any], naturals: Mapping[int, bool],
        size: Callable[..., Any] | None,
    ) -> None:  # fmt: skip
        self.need, self.op, self.sides, self.naturals, self.size = need, op, sides, naturals, size
        self.test = _OPS[op]
        self.counts: dict[Any, tuple[int, ...]] = {}

    def row(self, need: Any) -> tuple[int, ...]:
        """The faces of a die of a fixed kind that pass, from 0 (no die shows it) to the number of sides."""
        assert isinstance(self.sides, int)
        return self._made(need, self.sides, need)

    def row_of(self, sides: int, need: Any) -> tuple[int, ...]:
        """The same of a die with so many sides."""
        return self.counts.get((sides, need)) or self._made((sides, need), sides, need)

    def _made(self, key: Any, sides: int, need: Any) -> tuple[int, ...]:
        found = (0, *(int(self.passes(f, need)) for f in range(1, sides + 1)))
        if len(self.counts) < MOST_ROWS:
            self.counts[key] = found
        return found

    def passes(self, face: int, need: Any) -> bool:
        natural = self.naturals.get(face)
        return self.test(face, need) if natural is None else natural


class Toss:
    """The working state of one throw of one spec. lying: its dice are laid out and have not fallen yet. shown: the
    faces as they fell, and after each re-roll; empty when nobody can have changed them. formula: throws again one of
    its dice that has no number of sides of its own, being what a formula gives.
    """

    __slots__ = ("bonus", "by", "dice", "formula", "lying", "need", "op", "shown", "spec")

    def __init__(self, spec: ir.Spec, need: Any, op: str, by: Any = None) -> None:
        self.spec, self.need, self.op, self.by = spec, need, op, by
        self.dice: list[Die] = []
        self.bonus: Any = 0
        self.lying = False
        self.shown: list[list[int]] = []
        self.formula: Callable[[], Any] | None = None

    def faces(self) -> list[int]:
        """What the dice show now."""
        return [d.face for d in self.dice]

    def earlier(self) -> list[list[int]]:
        """What the dice showed before: as they fell, then after each re-roll but the last; empty if that is what they
        show now.
        """
        now = self.faces()
        steps = [*self.shown, now]
        while len(steps) > 1 and steps[-2] == now:
            del steps[-1]
        return steps[:-1]


class _Laid:
    """The dice of a formula that somebody sees coming. laying: they are laid out; else they fall, from next on."""

    __slots__ = ("dice", "laying", "next")

    def __init__(self, dice: list[Die], laying: bool) -> None:
        self.dice, self.laying, self.next = dice, laying, 0


class Throws:
    """Makes the named rolls of the rules. It has no state of its own."""

    __slots__ = ("budget", "events", "in_force", "rt", "state", "story")

    def __init__(
        self, state: State, rt: Runtime, budget: Budget, story: Story, in_force: InForce, events: Events
    ) -> None:
        self.state, self.rt, self.budget, self.story = state, rt, budget, story
        self.in_force, self.events = in_force, events

    # -- who watches ---------------------------------------------------------------------------------

    def is_watched(self, name: str) -> bool:
        """Whether anybody in force may interfere with the throws of this name, or wants to know of them."""
        return any(self.is_awaited(event, name) for event in ("rolling", "rolled", "rerolling"))

    def is_awaited(self, event: str, name: str) -> bool:
        """Whether anything in force may want to know of an event of the throws of this name."""
        always = self.state.code.watchers.get(event, _UNKNOWN)
        if always is _UNKNOWN:
            always = self.state.code.watchers[event] = self._always_watching(event)
        if always is None or name in always:
            return True
        for live in (self.state.live_handlers.get(event), self.state.live_reactions.get(event)):
            for row in live or ():
                names = self._names_of(row[0])
                if names is None or name in names:
                    return True
        return False

    def _always_watching(self, event: str) -> frozenset[str] | None:
        """The rolls that the rules which are always in force watch; None for any."""
        declared = self.state.program.events.get(event)
        found: set[str] = set()
        watchers: list[ir.Handler | ir.Reaction] = []
        if declared is not None:
            watchers = [*declared.handlers, *declared.reactions]
        for watcher in watchers:
            names = self._names_of(watcher)
            if names is None:
                return None
            found |= names
        return frozenset(found)

    def _names_of(self, watcher: ir.Handler | ir.Reaction) -> frozenset[str] | None:
        """The rolls that a handler asks for by name (`when throw.name == "hit"`); None for any."""
        kept: dict[int, frozenset[str] | None] = self.state.code.watched_names
        if id(watcher) not in kept:
            kept[id(watcher)] = _asked_names(watcher.when)
        return kept[id(watcher)]

    def has_rights(self, roll: ir.Roll) -> bool:
        """Whether somebody may re-roll dice of a roll now."""
        return bool(roll.rerolls != "never" and (self.state.live_rights or self.state.program.reroll_rights))

    def _pool(self, count: int, sides: int) -> list[int]:
        """The faces of so many dice, which are steps."""
        faces = self.state.dice.pool(count, sides)
        self.budget.spend(len(faces) * DIE)
        return faces

    # -- dice in formulas ------------------------------------------------------------------------

    def die_total(self, count: Any, sides: Any) -> int:
        """The dice of a formula; they are noted when a throw wants to know them."""
        if self.state.laid is not None:
            return self._laid_total(self.state.laid, int(count), int(sides))
        if self.state.summed and count > 1 and 1 <= sides <= LARGEST_DIE:
            scored: Any = self.state.dice
            self.budget.spend(int(count) * DIE)
            return int(scored.scored(int(count), int(sides), dict.fromkeys(range(1, int(sides) + 1), 1.0 / sides)))
        faces = self._pool(int(count), int(sides))
        if self.state.faces is not None:
            start = len(self.state.faces)
            self.state.faces.extend(Die(start + i, f, int(sides)) for i, f in enumerate(faces))
        return sum(faces)

    def thrown(self, roller: Any, formula: Callable[[], Any], lays_out: bool = True) -> Any:
        """`X rolls 2d6 + 1`. lays_out: the formula may be asked what dice it has before they fall."""
        if self.state.on_use and self.state.uses is None:
            return self.in_force.using(lambda: self.thrown(roller, formula, lays_out))
        toss = Toss(_LOOSE, None, "")
        if self.is_awaited("rolling", "rolls"):
            self._foreseen("rolls", toss, roller, None, formula if lays_out else None)
            self._fall_of_formula(toss, formula)
        else:
            self._throw_formula(toss, formula, self._only_summed("rolls", roller, None, toss))
        if self.is_awaited("rolled", "rolls"):
            toss.shown = [toss.faces()]
            self.rt.emit("rolled", [Throw("rolls", roller, None, toss, lambda: True)])
        total = sum(d.face for d in toss.dice) + toss.bonus
        self._note_roll("rolls", roller, None, toss.faces(), None, "", total, [], earlier=toss.earlier())
        return total

    def _throw_formula(self, toss: Toss, formula: Callable[[], Any], summed: bool = False) -> None:
        """The dice of a formula fall. summed: those that are alike only as what they add up to, and are not noted."""
        outer, laid = self.state.faces, self.state.laid
        self.state.faces, self.state.laid, self.state.summed = toss.dice, None, summed
        try:
            total = formula()
        finally:
            self.state.faces, self.state.laid, self.state.summed = outer, laid, False
        toss.bonus = total - sum(d.face for d in toss.dice)

    def _only_summed(self, name: str, by: Any, against: Any, toss: Toss) -> bool:
        """Whether the dice can give a sum without its dice (`only_totals`, as those of odds do), and that is enough."""
        asks = getattr(self.state.dice, "only_totals", None)
        return asks is not None and not self.state.recording and bool(asks(self, name, by, against, toss))

    # -- throws that somebody sees coming --------------------------------------------------------------

    def _foreseen(self, name: str, toss: Toss, by: Any, against: Any, formula: Callable[[], Any] | None) -> None:
        """Lay out the dice of a formula (or those that lie there), and let whoever watches change the throw."""
        if formula is not None:
            outer, self.state.laid = self.state.laid, _Laid(toss.dice, laying=True)
            trace, self.state.trace = self.state.trace, []
            try:
                formula()
            finally:
                self.state.laid, self.state.trace = outer, trace
        toss.lying = True
        self.rt.emit("rolling", [Throw(name, by, against, toss, lambda: False)])
        toss.lying = False

    def _laid_total(self, laid: _Laid, count: int, sides: int) -> int:
        """The dice of a formula as they are laid out, and then as they fall. Laid out, each stands for 1."""
        if laid.laying:
            start = len(laid.dice)
            laid.dice.extend(Die(start + i, 0, sides) for i in range(count))
            return count
        total = 0
        for _ in range(count):
            if laid.next >= len(laid.dice):
                break
            die = laid.dice[laid.next]
            laid.next += 1
            if not die._swapped:
                die.sides = sides
            self._fall(die)
            total += die.face
        return total

    def _fall_of_formula(self, toss: Toss, formula: Callable[[], Any]) -> None:
        """The laid out dice fall: those of the formula in its order, then those that somebody has added."""
        if not toss.dice:
            self._throw_formula(toss, formula)
            return
        outer, self.state.laid = self.state.laid, _Laid(toss.dice, laying=False)
        here = self.state.laid
        total = formula()
        self.state.laid = outer
        toss.bonus = total - sum(d.face for d in toss.dice[: here.next])
        for die in toss.dice[here.next :]:
            self._fall(die)

    def _fall(self, die: Die) -> None:
        face = self._pool(1, die.sides)[0]
        die.face = face if die._highest is None else min(face, die._highest)

    def _still_lying(self, throw: Throw) -> Toss:
        if not throw._toss.lying:
            raise RuleFault("the dice of this throw have fallen")
        return throw._toss

    def add_dice(self, throw: Throw, count: Any) -> None:
        """So many more dice of the kind of the last one, or fewer, before they fall."""
        dice = self._still_lying(throw).dice
        if count < 0:
            del dice[max(len(dice) + int(count), 0) :]
        elif dice:
            sides, start = dice[-1].sides, len(dice)
            dice.extend(Die(start + i, 0, sides) for i in range(support.how_often(count)))

    def swap_die(self, throw: Throw, die: Die, sides: Any, highest: Any) -> None:
        """Another die falls in the place of one; what it shows above the highest counts as the highest."""
        self._still_lying(throw)
        die.sides, die._highest, die._swapped = int(sides), int(highest), True

    def set_need(self, throw: Throw, need: Any) -> None:
        """What the dice of a throw are held against from now on."""
        if throw._toss.need is None:
            raise RuleFault(f'the throw "{throw.name}" needs no number')
        throw._toss.need = need

    # -- named rolls -----------------------------------------------------------------------------

    def make_roll(self, roll: ir.Roll, args: tuple[Any, ...]) -> Any:
        """The result of a roll by its type: yes or no, a number, or a word."""
        if self.state.on_use and self.state.uses is None:
            return self.in_force.using(lambda: self.make_roll(roll, args))
        test = self.state.plain.get(roll.name, _UNKNOWN)
        if test is _UNKNOWN:
            test = self._plain_test(roll)
        if test is not None:
            return bool(self._count_plain(roll, test, 1, args, None))
        trace, self.state.trace = self.state.trace, []
        by, against = self._people(roll, args)
        spec = self._spec_for(roll, args)
        earlier: list[list[int]] = []
        if spec.ties == "margin":
            difference = self._margin(roll, spec, args, by, against)
            self.state.trace = trace
            return difference
        if spec.form == "opposed":
            result, faces, need, earlier = self._opposed(roll, spec, args, by, against)
        elif spec.form == "never":
            result, faces, need = self._nothing(roll), [], None
        elif (weighed := self._weighed(roll, spec, args, by, against, opposed=False)) is not None:
            self.state.trace = trace
            return weighed
        else:
            summed = not roll.naturals and spec.confirmed is None and not self.has_rights(roll)
            toss = self._toss(roll, spec, args, by, against, summed)
            self._after_toss(roll, toss, args, by, against)
            result, faces, need = self._result(roll, toss, args), toss.faces(), toss.need
            earlier = toss.earlier()
        own, self.state.trace = self.state.trace, trace
        self._note_roll(roll.name, by, against, faces, need, spec.op, result, own, earlier=earlier)
        return result

    def _nothing(self, roll: ir.Roll) -> Any:
        return False if roll.type.kind == "yes_no" else 0

    def _people(self, roll: ir.Roll, args: tuple[Any, ...]) -> tuple[Any, Any]:
        by = self.state.code.function(roll.by)(self.rt, *args)
        against = self.state.code.function(roll.against)(self.rt, *args) if roll.against is not None else None
        return by, against

    def need_of(self, spec: ir.Spec, args: tuple[Any, ...]) -> Any:
        """What the dice of a spec are held against; None when they are only added up."""
        return self.state.code.function(spec.need)(self.rt, *args) if spec.need is not None else None

    def _spec_for(self, roll: ir.Roll, args: tuple[Any, ...]) -> ir.Spec:
        """The first alternative whose condition holds, else the roll's own way."""
        if roll.alternatives:
            need = self.need_of(roll.spec, args) if roll.spec is not None else None
            for when, spec in roll.alternatives:
                if when is None or self.state.code.function(when)(self.rt, *args, need):
                    return spec
        assert roll.spec is not None
        return roll.spec

    def _toss(
        self, roll: ir.Roll, spec: ir.Spec, args: tuple[Any, ...], by: Any, against: Any, summed: bool = False
    ) -> Toss:
        """Throw the dice of a spec. summed: the roll itself asks for no more than what its dice add up to."""
        code = self.state.code
        toss = Toss(spec, self.need_of(spec, args), spec.op, by)
        foreseen = self.is_awaited("rolling", roll.name)
        if spec.form == "pool":
            assert spec.count is not None
            assert spec.die_sides is not None
            n, sides = (int(code.function(f)(self.rt, *args)) for f in (spec.count, spec.die_sides))
            self._throw_pool(roll, toss, n, sides, (by, against) if foreseen else None)
            return toss
        assert spec.dice is not None
        formula = code.function(spec.dice)
        if foreseen:
            laid_out = spec.dice.value is not None and lays_out(spec.dice.value, self.state.program)
            self._foreseen(roll.name, toss, by, against, (lambda: formula(self.rt, *args)) if laid_out else None)
            self._fall_of_formula(toss, lambda: formula(self.rt, *args))
        else:
            summed = summed and self._only_summed(roll.name, by, against, toss)
            self._throw_formula(toss, lambda: formula(self.rt, *args), summed)
        return toss

    def _throw_pool(self, roll: ir.Roll, toss: Toss, n: int, sides: int, people: tuple[Any, Any] | None) -> None:
        """So many equal dice. people: by whom and against whom, when somebody sees them coming."""
        if people is None:
            toss.dice = [Die(i, f, sides) for i, f in enumerate(self._pool(n, sides))]
            return
        toss.dice = [Die(i, 0, sides) for i in range(n)]
        self._foreseen(roll.name, toss, *people, None)
        for die in toss.dice:
            self._fall(die)

    def _after_toss(
        self, roll: ir.Roll, toss: Toss, args: tuple[Any, ...], by: Any, against: Any, opposed: bool = False
    ) -> None:
        """Re-rolls by right, then whoever watches throws. opposed: the dice are one half of an opposed throw."""
        rights, watched = self.has_rights(roll), self.is_awaited("rolled", roll.name)
        if self.state.keeps_log and (rights or watched):
            toss.shown = [toss.faces()]
        if rights:
            self._rights(roll, toss, args, by, opposed)
        if watched or self.is_awaited("rolled", roll.name):
            judge = lambda: self._peek(roll, toss, args)  # noqa: E731
            self.rt.emit("rolled", [Throw(roll.name, by, against, toss, judge)])

    def _peek(self, roll: ir.Roll, toss: Toss, args: tuple[Any, ...]) -> Any:
        """The result as it stands, without confirmations."""
        if toss.spec.form == "total":
            return True
        if toss.spec.form == "pool":
            return sum(1 for d in toss.dice if self.face_passes(toss, d.face))
        return self._passes(toss, sum(d.face for d in toss.dice) + toss.bonus)

    @staticmethod
    def _passes(toss: Toss, total: Any) -> bool:
        return toss.need is not None and _OPS[toss.op](total, toss.need)

    def face_passes(self, toss: Toss, face: int) -> bool:
        """Whether a die with that face passes by itself, whatever natural faces mean."""
        return bool(toss.op) and self._passes(toss, face + toss.bonus)

    # -- results -----------------------------------------------------------------------------------

    def _result(self, roll: ir.Roll, toss: Toss, args: tuple[Any, ...]) -> Any:
        if toss.spec.form == "pool":
            return self._pool_score(roll, toss, args)
        total = sum(d.face for d in toss.dice) + toss.bonus
        face = toss.dice[0].face if len(toss.dice) == 1 else 0
        if roll.outcomes or roll.type.kind == "word":
            return self._word(roll, total, face, args)
        if toss.spec.form == "total":
            return total
        return self._one_test(roll, toss, total, face, args)

    def _one_test(self, roll: ir.Roll, toss: Toss, total: Any, face: int, args: tuple[Any, ...]) -> bool:
        passed = self._passes(toss, total)
        for n in roll.naturals:
            if not face or not self._natural_fits(n, face, args, toss.by):
                continue
            if n.effect == "succeeds":
                passed = True
            elif n.effect == "fails":
                passed = False
            self._natural_consequence(n, args)
        if passed and toss.spec.confirmed is not None:
            passed = self._confirmed(toss.spec.confirmed, args)
        return passed

    def _natural_fits(self, n: ir.Natural, face: int, args: tuple[Any, ...], by: Any) -> bool:
        code = self.state.code
        if n.by is not None and by is not code.function(n.by)(self.rt, *args):
            return False
        if face != code.function(n.face)(self.rt, *args):
            return False
        return n.when is None or bool(code.function(n.when)(self.rt, *args))

    def _natural_consequence(self, n: ir.Natural, args: tuple[Any, ...]) -> None:
        """The event that a natural face brings, if its confirmation comes true."""
        if n.confirmed is not None and not self._confirmed(n.confirmed, args):
            return
        if n.emits and n.emit_args is not None:
            self.rt.emit(n.emits, list(self.state.code.function(n.emit_args)(self.rt, *args)))

    def _confirmed(self, spec: ir.Spec, args: tuple[Any, ...]) -> bool:
        assert spec.dice is not None
        need = self.need_of(spec, args)
        total = self.state.code.function(spec.dice)(self.rt, *args)
        return bool(_OPS[spec.op](total, need))

    def _word(self, roll: ir.Roll, total: Any, face: int, args: tuple[Any, ...]) -> str:
        for n in roll.naturals:
            if n.effect == "is" and face and self._natural_fits(n, face, args, None):
                self._natural_consequence(n, args)
                return n.word
        for o in roll.outcomes:
            if o.value is None:
                return o.word
            value = self.state.code.function(o.value)(self.rt, *args)
            if {"above": total > value, "below": total < value}.get(o.relation, total == value):
                return o.word
        self.budget.fault(f"the roll {roll.name} has no outcome for {total}")

    def _pool_score(self, roll: ir.Roll, toss: Toss, args: tuple[Any, ...]) -> Any:
        code, spec = self.state.code, toss.spec
        faces = [d.face for d in toss.dice]
        if spec.scores is not None:
            return code.function(spec.scores)(self.rt, *args, faces)
        if spec.each_scores is not None:
            each = code.function(spec.each_scores)
            return sum(each(self.rt, *args, f) for f in faces)
        return sum(self.die_counts(roll, toss, f, args) for f in faces)

    def die_counts(self, roll: ir.Roll, toss: Toss, face: int, args: tuple[Any, ...]) -> int:
        """What one die of a pool is worth."""
        worth = 1 if self._passes(toss, face) else 0
        for n in roll.naturals:
            if self._natural_fits(n, face, args, toss.by):
                if n.effect == "counts" and n.value is not None:
                    worth = int(self.state.code.function(n.value)(self.rt, *args)) if worth else 0
                elif n.effect in ("fails", "succeeds"):
                    worth = int(n.effect == "succeeds")
                self._natural_consequence(n, args)
        return worth

    # -- many tests at once ------------------------------------------------------------------------

    def how_many(self, roll: ir.Roll, count: Any, passing: bool, args: tuple[Any, ...]) -> int:
        """Throw so many dice of a test and count those that pass (or fail). The need is computed once."""
        if self.state.on_use and self.state.uses is None:
            return int(self.in_force.using(lambda: self.how_many(roll, count, passing, args)))
        n = count if type(count) is int else int(count)
        if n > 0:
            test = self.state.plain.get(roll.name, _UNKNOWN)
            if test is _UNKNOWN:
                test = self._plain_test(roll)
            if test is not None:
                sides = test.sides
                # Dice that are weighed, not thrown, tell how many pass without the faces.
                if self.state.keeps_log or type(sides) is not int or hasattr(self.state.dice, "passing"):
                    return self._count_plain(roll, test, n, args, passing)
                need = test.need(self.rt, *args)
                row = test.counts.get(need) or test.row(need)
                state = self.state
                faces = state.dice.pool(n, sides)
                state.steps -= len(faces) * DIE
                if state.steps < 0:
                    self.budget.exhausted()
                counted: int = sum(map(row.__getitem__, faces))
                return counted if passing else n - counted
        elif not self.state.keeps_log and not roll.alternatives:
            return 0
        n = max(n, 0)
        trace, self.state.trace = self.state.trace, []
        earlier: list[list[int]] = []
        spec = self._spec_for(roll, args)
        by, against = self._people(roll, args)
        if spec.form != "test" or n == 0:
            passed, faces, need = self._each(roll, n, args) if spec.form != "never" else 0, [], None
        else:
            toss = self._toss_many(roll, spec, args, n, by, against)
            self._after_toss(roll, toss, args, by, against)
            passed, n = self._count_passing(roll, toss, args), len(toss.dice)
            faces, need, earlier = toss.faces(), toss.need, toss.earlier()
        own, self.state.trace = self.state.trace, trace
        counted = passed if passing else n - passed
        self._note_roll(roll.name, by, against, faces, need, spec.op, counted, own, of=n, earlier=earlier)
        return counted

    def _each(self, roll: ir.Roll, n: int, args: tuple[Any, ...]) -> int:
        return sum(1 for _ in range(n) if self.make_roll(roll, args))

    def _toss_many(self, roll: ir.Roll, spec: ir.Spec, args: tuple[Any, ...], n: int, by: Any, against: Any) -> Toss:
        """n plain dice when the formula is a single die; else the formula n times, as dice with its total."""
        sides = _single_die(spec)
        toss = Toss(spec, self.need_of(spec, args), spec.op, by)
        foreseen = self.is_awaited("rolling", roll.name)
        if sides is not None:
            self._throw_pool(roll, toss, n, sides, (by, against) if foreseen else None)
            return toss
        assert spec.dice is not None
        formula = self.state.code.function(spec.dice)
        toss.dice = [Die(i, 0, 0) for i in range(n)]
        toss.formula = lambda: formula(self.rt, *args)
        if foreseen:
            self._foreseen(roll.name, toss, by, against, None)
        for die in toss.dice:
            if die._swapped:
                self._fall(die)
            else:
                die.face = formula(self.rt, *args)
        return toss

    def _count_passing(self, roll: ir.Roll, toss: Toss, args: tuple[Any, ...]) -> int:
        passed = 0
        if not roll.naturals and toss.spec.confirmed is None:
            test, need = _OPS[toss.op], toss.need
            return sum([1 for d in toss.dice if test(d.face, need)])
        outcome: list[bool] = [self._passes(toss, d.face) for d in toss.dice]
        for n in roll.naturals:
            for i, die in enumerate(toss.dice):
                if not self._natural_fits(n, die.face, args, toss.by):
                    continue
                if n.effect in ("succeeds", "fails"):
                    outcome[i] = n.effect == "succeeds"
                if n.emits or n.confirmed is not None:
                    self._natural_consequence(n, args)
        for ok in outcome:
            if ok and (toss.spec.confirmed is None or self._confirmed(toss.spec.confirmed, args)):
                passed += 1
        return passed

    # -- plain tests: the same dice and the same log, without an object for every die -----------------

    def _plain_test(self, roll: ir.Roll) -> _PlainTest | None:
        """The roll as a plain test, or None when it is none or somebody may interfere with its dice.

        Remembered until something comes into force or ends.
        """
        tests: dict[str, _PlainTest | None] = self.state.code.plain_tests
        if roll.name not in tests:
            tests[roll.name] = self._as_plain_test(roll)
        test = tests[roll.name]
        if test is not None and (
            self.state.recording or self.has_rights(roll)
            or self.is_awaited("rolled", roll.name) or self.is_awaited("rolling", roll.name)
        ):  # fmt: skip
            test = None
        self.state.plain[roll.name] = test
        return test

    def _as_plain_test(self, roll: ir.Roll) -> _PlainTest | None:
        spec = roll.spec
        if spec is None or spec.form != "test" or spec.need is None or spec.confirmed is not None:
            return None
        sides: Any = _single_die(spec)
        size: Callable[..., Any] | None = None
        if roll.alternatives or roll.outcomes or roll.type.kind == "word" or (sides or 0) > LARGEST_DIE:
            return None
        if sides is None:
            if not _is_one_die(spec):
                return None
            assert spec.dice is not None
            assert isinstance(spec.dice.value, ir.DiceTerm)
            sides = self.state.code.function(spec.dice)
            of_sides = replace(spec.dice, key=f"{spec.dice.key} sides", value=spec.dice.value.sides)
            size = self.state.code.function(of_sides)
        naturals: dict[int, bool] = {}
        for n in roll.naturals:
            face = n.face.value
            plain = n.when is None and n.confirmed is None and not n.emits and n.effect in ("succeeds", "fails")
            if not plain or not isinstance(face, ir.Const):
                return None
            naturals[face.value] = n.effect == "succeeds"
        return _PlainTest(self.state.code.function(spec.need), spec.op, sides, naturals, size)

    def _count_plain(self, roll: ir.Roll, test: _PlainTest, n: int, args: tuple[Any, ...], passing: bool | None) -> int:
        """So many dice of a plain test; how many pass (or fail). passing None: a single roll, noted as yes or no."""
        need = test.need(self.rt, *args)
        sides = test.sides
        weighed = getattr(self.state.dice, "passing", None)
        if type(sides) is int:
            row = test.counts.get(need) or test.row(need)
            if weighed is not None:
                counted: int = weighed(n, row)
                return n - counted if passing is False else counted
            faces = self._pool(n, sides)
            counted = sum(map(row.__getitem__, faces))
        else:
            if weighed is not None and test.size is not None:
                size = test.size(self.rt, *args)
                if type(size) is int and 1 <= size <= LARGEST_DIE:
                    counted = weighed(n, test.row_of(size, need))
                    return n - counted if passing is False else counted
            outer, laid = self.state.faces, self.state.laid
            self.state.faces = self.state.laid = None
            faces = [sides(self.rt, *args) for _ in range(n)]  # type: ignore[operator]
            self.state.faces, self.state.laid = outer, laid
            counted = sum([test.passes(f, need) for f in faces])
        if passing is False:
            counted = n - counted
        if self.state.keeps_log:
            by, against = self._people(roll, args)
            result, of = (bool(counted), None) if passing is None else (counted, n)
            self._note_roll(roll.name, by, against, faces, need, test.op, result, [], of)
        return counted

    # -- pools that are weighed ----------------------------------------------------------------------

    def _weighed(
        self, roll: ir.Roll, spec: ir.Spec, args: tuple[Any, ...], by: Any, against: Any, opposed: bool
    ) -> int | None:
        """What a pool comes to when the dice can weigh it whole, without a throw (`weigh_pool`, as those of odds do);
        else None.
        """
        weigh = getattr(self.state.dice, "weigh_pool", None)
        if weigh is None or spec.form != "pool":
            return None
        found: int | None = weigh(self, roll, spec, args, by, against, opposed)
        return found

    # -- opposed throws ------------------------------------------------------------------------------

    def _opposed(
        self, roll: ir.Roll, spec: ir.Spec, args: tuple[Any, ...], by: Any, against: Any
    ) -> tuple[bool, list[int], Any, list[list[int]]]:
        """Whether the left wins, all the dice, no need, and what they showed before re-rolls."""
        assert spec.left is not None
        assert spec.right is not None
        faces: list[int] = []
        earlier: list[list[int]] = []
        for _ in range(MOST_TIES):
            left = self._toss(roll, spec.left, args, by, against)
            right = self._toss(roll, spec.right, args, against, by)
            self._after_toss(roll, left, args, by, against, opposed=True)
            self._after_toss(roll, right, args, against, by, opposed=True)
            first_right = [*right.earlier(), right.faces()][0]
            earlier += [faces + step + first_right for step in left.earlier()]
            earlier += [faces + left.faces() + step for step in right.earlier()]
            faces = faces + left.faces() + right.faces()
            mine, theirs = self._strength(roll, spec, left, args), self._strength(roll, spec, right, args)
            if mine != theirs or spec.ties != "again":
                return bool(mine > theirs or (mine == theirs and spec.ties == "left")), faces, None, earlier
        self.budget.fault(f"the roll {roll.name} is tied for ever")

    def _margin(self, roll: ir.Roll, spec: ir.Spec, args: tuple[Any, ...], by: Any, against: Any) -> Any:
        """By how much the left beats the right (less than 0: is beaten). Each side's dice are noted by themselves.

        Both throw, then the left has its re-rolls, then the right.
        """
        assert spec.left is not None
        assert spec.right is not None
        mine = self._weighed(roll, spec.left, args, by, against, opposed=True)
        theirs = self._weighed(roll, spec.right, args, against, by, opposed=True) if mine is not None else None
        if mine is not None and theirs is not None:
            return mine - theirs
        halves: list[tuple[Toss, Any, Any, list[dict[str, Any]]]] = []
        for half, mine, other in ((spec.left, by, against), (spec.right, against, by)):
            self.state.trace = []
            toss = self._toss(roll, half, args, mine, other)
            halves.append((toss, mine, other, self.state.trace))
        self.state.trace = []
        for toss, mine, other, _ in halves:
            self._after_toss(roll, toss, args, mine, other, opposed=True)
        scores = []
        for toss, mine, other, own in halves:
            scores.append(self._strength(roll, spec, toss, args))
            self._note_roll(
                roll.name, mine, other, toss.faces(), toss.need, toss.op, scores[-1], own, earlier=toss.earlier()
            )
        return scores[0] - scores[1]

    def _strength(self, roll: ir.Roll, spec: ir.Spec, toss: Toss, args: tuple[Any, ...]) -> Any:
        if spec.ranked:
            return sorted((d.face for d in toss.dice), reverse=True)
        if toss.spec.form == "pool":
            return self._pool_score(roll, toss, args)
        return sum(d.face for d in toss.dice) + toss.bonus

    # -- re-rolls --------------------------------------------------------------------------------------

    def _rights(self, roll: ir.Roll, toss: Toss, args: tuple[Any, ...], by: Any, opposed: bool) -> None:
        """Forced re-rolls first, then those that somebody may make, in the order of the rules.

        In an opposed throw a bearer's right is to the dice of its own side; re-rolling the other's takes a reaction.
        """
        for right, effect in self.rights_in_order(roll, by, args, opposed):
            self._use_right(right, effect, roll, toss, args, by)

    def rights_in_order(
        self, roll: ir.Roll, by: Any, args: tuple[Any, ...], opposed: bool
    ) -> list[tuple[ir.RerollRight, Any]]:
        """The rights to re-roll dice of a throw, each with the effect that gives it (None: the rules themselves)."""
        rows: list[tuple[ir.RerollRight, Any]] = [(r, None) for r in self.state.program.reroll_rights]
        rows += [(r, e) for r, e in self.state.live_rights]
        windows = [getattr(self.state.code.function(w)(self.rt, *args), "side", None) for w in roll.windows]
        rows.sort(key=lambda row: (not row[0].forced, 0 if row[0].forced else self._window_of(row[1], by, windows)))
        own = getattr(by, "side", None)
        return [
            (right, effect) for right, effect in rows
            if right.roll in (None, roll.name)
            and not (opposed and effect is not None and getattr(effect.bearer, "side", None) is not own)
        ]  # fmt: skip

    @staticmethod
    def _window_of(effect: Any, by: Any, windows: list[Any]) -> int:
        """Whose turn it is to re-roll: the place of the chooser's side among the windows of the roll."""
        side = getattr(effect.bearer if effect is not None else by, "side", None)
        return windows.index(side) if side in windows else len(windows)

    def _use_right(
        self, right: ir.RerollRight, effect: Any, roll: ir.Roll, toss: Toss, args: tuple[Any, ...], by: Any
    ) -> None:
        bearer = effect.bearer if effect is not None else None
        given = self.right_given(right, effect, toss, args, by)
        if given is None:
            return
        dice = [d for d in toss.dice if not d.rerolled and self.may_be_rerolled(right, toss, d, given)]
        if not dice:
            return
        if right.forced:
            self.reroll(dice, toss)
            self._right_used(effect)
            return
        dice.sort(key=lambda d: (self.face_passes(toss, d.face), d.index))
        failing = sum(1 for d in dice if not self.face_passes(toss, d.face))
        side = getattr(bearer if bearer is not None else by, "side", None)
        numbers = list(range(len(dice) + 1))
        n = self.rt.choose(f"re-roll {roll.name}", side, numbers, False, False, None, lambda: failing)
        self.reroll(dice[:n], toss)
        if n:
            self._right_used(effect)

    def right_given(
        self, right: ir.RerollRight, effect: Any, toss: Toss, args: tuple[Any, ...], by: Any
    ) -> tuple[Any, ...] | None:
        """What the functions of a right are given in a throw; None when it does not hold there."""
        bearer = effect.bearer if effect is not None else None
        given = (effect, bearer, *args) if right.roll is not None else (effect, bearer)
        if right.when is not None and not self.state.code.function(right.when)(self.rt, *given):
            return None
        return None if right.roll is None and bearer is not None and bearer is not by else given

    def _right_used(self, effect: Any) -> None:
        if effect is not None:
            self.in_force.used_up(effect)

    def may_be_rerolled(self, right: ir.RerollRight, toss: Toss, die: Die, given: tuple[Any, ...]) -> bool:
        """Whether a right is to this die as it lies. given: what `right_given` gave."""
        if right.which == "all":
            return True
        if right.which in ("failures", "successes"):
            return self.face_passes(toss, die.face) == (right.which == "successes")
        low = self.state.code.function(right.low)(self.rt, *given) if right.low is not None else 1
        high = self.state.code.function(right.high)(self.rt, *given) if right.high is not None else low
        return bool(low <= die.face <= high)

    def reroll_throw(self, throw: Throw, chosen: Sequence[Die] | None = None) -> None:
        """Throw all dice of a throw (or the chosen ones) again that may be, unless somebody prevents it."""
        side = self.state.reacting if self.state.reacting is not None else throw.side
        dice = [d for d in throw.dice if not d.rerolled and (chosen is None or d in chosen)]
        self.rt.emit("rerolling", [throw, side], lambda *_: self.reroll(dice, throw._toss))

    def reroll(self, dice: list[Die], toss: Toss) -> None:
        """Throw some dice of a throw again; each remembers that it was."""
        for die in dice:
            if toss.formula is not None and not die._swapped:
                die.face = toss.formula()
            else:
                self._fall(die)
            die.rerolled = True
        if dice and toss.shown:
            toss.shown.append(toss.faces())

    # -- the log ---------------------------------------------------------------------------------------

    def _note_roll(
        self, name: str, by: Any, against: Any, faces: list[int], need: Any, op: str, result: Any,
        trace: list[dict[str, Any]], of: int | None = None, earlier: list[list[int]] | None = None,
    ) -> None:  # fmt: skip
        """Write a roll down. earlier: what its dice showed as they fell, and after each re-roll but the last."""
        if not self.state.keeps_log:
            return
        row: dict[str, Any] = {"roll": name, "by": shown(by), "dice": faces, "result": shown(result)}
        if against is not None:
            row["against"] = shown(against)
        if need is not None:
            row["need"], row["op"] = shown(need), op
        if of is not None:
            row["of"] = of
        if earlier:
            row["earlier"] = earlier
        if trace:
            row["why"] = trace
        self.story.note("roll", **row)


def _asked_names(when: ir.Routine | None) -> frozenset[str] | None:
    """The names in `throw.name == "hit"` and what else must hold as well; None when the name is not asked for."""
    if when is None or when.value is None or len(when.params) < 3:
        return None
    throw = when.params[2].name
    operands = when.value.operands if isinstance(when.value, ir.Both) and when.value.every else [when.value]
    for e in operands:
        if not (isinstance(e, ir.Same) or (isinstance(e, ir.Compare) and e.op == "==")):
            continue
        of, name = e.left, e.right
        if not (isinstance(of, ir.GetField) and of.field == "name" and isinstance(name, ir.Const)):
            continue
        if isinstance(of.of, ir.Local) and of.of.name == throw:
            return frozenset({name.value})
    return None


def _single_die(spec: ir.Spec) -> int | None:
    """The sides of the die when the formula of a test is one plain die."""
    value = spec.dice.value if spec.dice is not None else None
    if isinstance(value, ir.DiceTerm) and isinstance(value.count, ir.Const) and value.count.value == 1:
        sides = value.sides
        if isinstance(sides, ir.Const):
            return int(sides.value)
    return None


def _is_one_die(spec: ir.Spec) -> bool:
    """Whether a formula is a single die, `d(unit.size)`, and no other die decides how many sides it has."""
    value = spec.dice.value if spec.dice is not None else None
    if not isinstance(value, ir.DiceTerm) or not isinstance(value.count, ir.Const) or value.count.value != 1:
        return False
    throws = (ir.DiceTerm, ir.MakeRoll, ir.HowMany, ir.Rolls, ir.CallProcedure, ir.CallFunction)
    return not any(isinstance(node, throws) for node in ir.walk(value.sides))
