"""Rules run over all worlds of a batch at once, exactly or by drawing lots.

A back end beside the compiler and the interpreter: it reads the same intermediate form. Procedures that throw many
dice are followed statement by statement over whole columns; everything else is run once for each distinct thing it
looks at (see `steps`). A throw splits rows (or, when lots are drawn, distributes trials); equal rows are merged as soon
as what told them apart is no longer needed.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from warhost.engine.battle import Battle
from warhost.errors import RuleFault
from warhost.lang import ir, support
from warhost.lang.combining import step_of
from warhost.lang.nodes import said_by
from warhost.lang.python_backend import attribute, free_names, is_plain
from warhost.lang.types import ANY
from warhost.things import mask_of, titles_of
from warhost_odds.by_kind import ByKind
from warhost_odds.chance import OutOfReachError, Work, binomial
from warhost_odds.known import NotInColumnsError, ProgramFacts
from warhost_odds.rows import (
    FORGOTTEN,
    UNSET,
    Batch,
    Column,
    Interner,
    Key,
    RememberedError,
    joined,
    kinds,
    together,
)  # fmt: skip
from warhost_odds.steps import TURN, Recipe, RememberedStep, StepOutcome, Steps

#: Rows of one batch; beyond that the worlds do not come together.
MOST_ROWS = 3_000_000

#: So many procedures and numbers may stand within each other; compiled rules go further, and name what never ends.
MOST_DEEP = 100

#: What a number costs that is evaluated over columns: so many steps of compiled rules take as long.
COLUMN = 20
#: Rounds of one loop.
MOST_LOOPS = 5_000
#: What a statement costs (see `Work`), and each row that it is followed for.
STATEMENT, ROW = 150, 1 / 16
#: A loop with an end of its own is taken to have come to it after so many turns, until one has not.
SOON = 4
#: At each throw the least likely courses are left out, as long as all of them together are no likelier than this.
NEGLIGIBLE = 1e-15
#: Tables of chances for all rows at once are no larger than this.
MOST_CELLS = 1_000_000
#: With more trials than so many for each cell of such a table it is quicker to draw for each row by itself.
EACH_ALONE = 2
#: Where merging has been in vain for so many rows or more, it is not tried for fewer than so many.
MANY_ROWS, FEW_ROWS, FRUITLESS = 20, 5_000, 0.8
#: Lists longer than this are not looked through item by item.
MOST_ITEMS = 12

#: Locals of our own. No name of a ruleset begins with an underscore.
_RESULT, _VALUE = "_result", "_value"
_UNKNOWN: Any = object()
#: The method of `Columns` that follows a class of nodes; None for those that are steps.
_WAYS: dict[type, Any] = {}
#: Larger numbers are not computed in columns.
_LARGE = 2**40
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": np.equal, "!=": np.not_equal, "<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater,
}  # fmt: skip

Ran = tuple[list[Batch], list[Batch]]


class _MoreTurnsError(Exception):
    """Some rows stay longer in a loop (`of`) than was taken for granted."""

    def __init__(self, of: ir.Repeat) -> None:
        super().__init__()
        self.of = of


class Columns:
    """Runs procedures of a battle's program over batches.

    lots: a NumPy generator to draw trials with (weights are then numbers of trials), or None to compute exactly.
    work: when so much is done it gives up (OutOfReachError); most: the same for one step in one situation. Both are
    counted in millionths of a second of a usual machine.
    """

    def __init__(
        self, battle: Battle, lots: np.random.Generator | None = None, work: float | Work = math.inf,
        most: float = math.inf,
    ) -> None:  # fmt: skip
        self.battle, self.program, self.code = battle, battle.program, battle.code
        self.lots = lots
        self.work = work if isinstance(work, Work) else Work(work)
        self.interner = Interner()
        self._forgotten = self.interner.code(FORGOTTEN)
        self.steps = Steps(battle, self.interner, self.work, most)
        self.known = ProgramFacts.of(self.code)
        self.turn: Key = (battle.battle, TURN)
        self.steps.base[self.turn] = battle.battle.turn
        self._made: dict[Any, RememberedStep] = {}
        self._saying: dict[Hashable, RememberedStep] = {}
        self._turns: dict[int, float] = {}
        self._by_kind = ByKind(self)
        self._read: set[Key] | None = None
        self._fruitless: set[int | None] = set()

    def start(self, weight: float | int) -> Batch:
        """The one world that there is at first."""
        kind = np.float64 if self.lots is None else np.int64
        return Batch({}, np.array([weight], dtype=kind), self.steps.start)

    def forgetting(self, batches: Sequence[Batch], live: set[Key]) -> list[Batch]:
        """The batches without what was written to fields, those that are live left out: more rows become equal.

        Whoever reads such a field before it is written again raises RememberedError.
        """
        found = []
        for b in batches:
            data = {k: v if k in live or isinstance(k[0], int) else FORGOTTEN for k, v in b.data.items()}
            found.append(Batch(data, b.weights, b.structure))
        return self._join(found)

    def set_turn(self, batches: Sequence[Batch], later: int) -> None:
        """In all rows it is so many turns later than at the beginning."""
        for b in batches:
            b.data[self.turn] = self.steps.base[self.turn] + later

    def without_turn(self, batches: Sequence[Batch], live: set[Key]) -> list[Batch]:
        """The rows of several rounds together: without the turn, unless that is live."""
        if self.turn not in live:
            batches = [b.having({self.turn: FORGOTTEN}) for b in batches]
        return self._join(batches)

    def is_forgotten(self, batches: Sequence[Batch], key: Key) -> bool:
        """Whether what was written to a field is lost already in some of the rows."""
        return any(self.is_lost(b.data.get(key)) for b in batches)

    @contextmanager
    def watching(self) -> Iterator[set[Key]]:
        """Inside, the fields that are looked at are noted in the set."""
        before, self._read = self._read, set[Key]()
        self.steps.read = self._read
        try:
            yield self._read
        finally:
            self._read = self.steps.read = before

    def where_known(self, value: Any, before: Any, n: int) -> Column:
        """A column, and what was there before where it is forgotten."""
        new, old = self.interner.alike([value, self.interner.full(before, n)])
        return np.where(value == self._forgotten, old, new)

    def is_lost(self, value: Any) -> bool:
        """Whether a value, or one of a column, has been forgotten."""
        if isinstance(value, np.ndarray):
            return bool(value.dtype == np.int32 and (value == self._forgotten).any())
        return value is FORGOTTEN

    def state_of(self, batches: Sequence[Batch]) -> Hashable:
        """Equal for equal worlds with equal weights."""

        def plain(value: Any) -> Hashable:
            return (value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else self.interner.code(value)

        def whole(b: Batch) -> Hashable:
            data = frozenset((key, plain(value)) for key, value in b.data.items())
            return id(b.structure), b.weights.tobytes(), data

        return frozenset(map(whole, batches))

    # -- procedures ------------------------------------------------------------------------------------

    def call(self, f: ir.Routine, args: Sequence[Any], batches: Sequence[Batch]) -> list[Batch]:
        """Run a procedure with plain values on every batch."""
        found: list[Batch] = []
        for b in batches:
            found += self.whole(f, b.having(_frame(f.params, args, 1)), 1)
        for b in found:
            b.drop([k for k in b.data if isinstance(k[0], int)])
        return self._join(found)

    def ask(self, name: str, args: Sequence[Any], batch: Batch) -> Any:
        """A number, flag or value for every row: a plain value or a column."""
        n = self.program.numbers[name]
        asked = self.known.questions.get(name)
        if asked is None:
            asked = self.known.questions[name] = ir.Evaluate(name, [ir.Local(p.name) for p in n.params])
        return self.value(asked, batch.having(_frame(n.params, args, 1)), 1)

    def look(self, of: ir.Expr, unit: Any, batch: Batch) -> Any:
        """What an expression says of a `unit`, for every row."""
        return self.value(of, batch.having({(1, "unit"): unit}), 1)

    def whole(self, f: ir.Routine, batch: Batch, depth: int) -> list[Batch]:
        """The body of a procedure; its result is left as the local of that name one frame further out."""
        _not_too_deep(depth)
        going, returned = self._body(f.body or [], [batch], depth, frozenset())
        for b in going:
            b.data[(depth, _RESULT)] = None
        done = [*going, *returned]
        for b in done:
            result = b.data.get((depth, _RESULT))
            b.drop([k for k in b.data if type(k[0]) is int and k[0] >= depth])
            b.data[(depth - 1, _RESULT)] = result
        return self._join(done, id(f))

    def _join(self, batches: Sequence[Batch], site: int | None = None) -> list[Batch]:
        """Batches as one for each structure, equal rows as one. site: the node of the rules where that is done."""
        before = sum([b.n for b in batches])
        if site in self._fruitless and before < FEW_ROWS:
            return together(batches, self.steps.base, self.interner)
        made = joined(batches, self.steps.base, self.interner)
        if site is not None and before >= MANY_ROWS and self.lots is not None:
            self._see_whether_fruitless(site, before, sum([b.n for b in made]))
        if sum(b.n for b in made) > MOST_ROWS:
            _too_many_rows()
        return made

    def _see_whether_fruitless(self, site: int, before: int, after: int) -> None:
        """Where trials are drawn there are never more rows than trials, so merging may be left to others: where it made
        hardly fewer of many rows of it is not tried again with few.
        """
        (self._fruitless.add if after > before * FRUITLESS else self._fruitless.discard)(site)

    def _merged(self, batch: Batch, site: int) -> Batch:
        """A batch with equal rows as one."""
        return self._join([batch], site)[0] if batch.n else batch

    # -- statements --------------------------------------------------------------------------------------

    def _body(self, body: Sequence[ir.Statement], batches: list[Batch], depth: int, live: frozenset[str]) -> Ran:
        """Run statements on batches: those that go on, and those whose procedure has returned."""
        returned: list[Batch] = []
        later: list[frozenset[str]] = [live]
        for s in reversed(body[1:]):
            later.append(self.known.before(s, later[-1]))
        going = batches
        for s in body:
            alive = later.pop()
            after: list[Batch] = []
            for b in going:
                on, back = self._statement(s, b, depth, alive)
                after += on
                returned += back
            for b in after:
                self._forget(b, depth, alive)
            going = self._join(after, id(s)) if len(after) > 1 else after
            if not going:
                break
        return going, returned

    @staticmethod
    def _forget(batch: Batch, depth: int, live: frozenset[str]) -> None:
        """Drop the locals that nobody will read."""
        batch.drop([k for k in batch.data if type(k[0]) is int and k[0] == depth and k[1] not in live])

    def _statement(self, s: ir.Statement, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        self.work.spend(STATEMENT + batch.n * ROW)
        method = _WAYS.get(type(s), _UNKNOWN)
        if method is _UNKNOWN:
            method = _WAYS[type(s)] = getattr(Columns, "_do_" + type(s).__name__.lower(), None)
        ran: Ran = self._as_step(s, batch, depth) if method is None else method(self, s, batch, depth, live)
        return ran

    def _prepared(
        self, s: ir.IrNode, e: ir.Expr, batch: Batch, depth: int, live: frozenset[str]
    ) -> tuple[list[Batch], ir.Expr]:
        """Make the throws and calls in an expression: batches in which only a pure expression is left."""
        acts, rest = self.known.plan(e)
        batches = [batch]
        if not acts:
            return batches, rest
        after = live | self.known.reads_of(rest)
        if isinstance(s, ir.PutField):
            after |= self.known.reads_of(s.of)
        for i, (name, act) in enumerate(acts):
            needed = after.union(*(self.known.reads_of(a) for _, a in acts[i + 1 :]))
            done: list[Batch] = []
            for b in batches:
                done += self._act(name, act, b, depth, needed)
            for b in done:
                self._forget(b, depth, needed | {name})
            batches = self._join(done) if len(done) > 1 else done
        return batches, rest

    def _act(self, name: str, act: ir.Expr, batch: Batch, depth: int, needed: frozenset[str]) -> list[Batch]:
        """One throw or call; its result becomes a local."""
        if isinstance(act, ir.HowMany) and self._each_for_itself(act.name, batch):
            return self._how_many(name, act, self._merged(batch, id(act)), depth)
        if isinstance(act, ir.CallProcedure) and (
            self.known.is_followed_into(act.name) or self.known.only_computes(act.name)
        ):
            return self._call(name, act, batch, depth, needed)
        step = self._step(act)
        return self._apply(step, batch, depth, lambda r: {name: r})

    def _each_for_itself(self, name: str, batch: Batch) -> bool:
        """Whether many dice of a roll are no more than as many single ones: nobody looks at them together."""
        self.steps.enter(batch.structure)
        self.steps.rest()
        return not self.battle.throws.is_watched(name)

    def _call(
        self, name: str, act: ir.CallProcedure, batch: Batch, depth: int, needed: frozenset[str]
    ) -> list[Batch]:
        """Follow a procedure; rows that speak of different things go separate ways in it."""
        f = self.program.procedures[act.name]
        args = [self.value(a, batch, depth) for a in act.args]
        inner = [batch.having(_frame(f.params, args, depth + 1))]
        self._forget(inner[0], depth, needed)
        for p in f.params:
            parted: list[Batch] = []
            for b in inner:
                value = b.data[(depth + 1, p.name)]
                if not isinstance(value, np.ndarray) or value.dtype != np.int32:
                    parted.append(b)
                    continue
                for one, part in b.by_value(value, self.interner):
                    part.data[(depth + 1, p.name)] = one
                    parted.append(part)
            inner = parted
        found: list[Batch] = []
        for b in inner:
            done = self._by_kind.followed(f, b, depth) if self.lots is None else None
            found += self.whole(f, b, depth + 1) if done is None else done
        for b in found:
            b.data[(depth, name)] = b.data.pop((depth, _RESULT))
        return found

    # the statements that are followed over columns

    def _do_setlocal(self, s: ir.SetLocal, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if self.known.is_in_vain(s, live):
            return [batch], []

        def put(b: Batch, value: Any) -> list[Batch]:
            b.data[(depth, s.name)] = value
            return [b]

        return self._with_value(s, s.value, batch, depth, live - {s.name}, put)

    def _do_do(self, s: ir.Do, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        return self._with_value(s, s.value, batch, depth, live, lambda b, value: [b])

    def _do_return(self, s: ir.Return, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if s.value is None:
            batch.data[(depth, _RESULT)] = None
            return [], [batch]

        def put(b: Batch, value: Any) -> list[Batch]:
            b.data[(depth, _RESULT)] = value
            self._forget(b, depth, frozenset((_RESULT,)))
            return [b]

        going, returned = self._with_value(s, s.value, batch, depth, live, put)
        return [], [*going, *returned]

    def _do_putfield(self, s: ir.PutField, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if self.known.is_structural(s):
            return self._as_step(s, batch, depth)

        def put(b: Batch, value: Any) -> list[Batch]:
            try:
                of = self.value(s.of, b, depth)
                if of is None or isinstance(of, np.ndarray):
                    raise NotInColumnsError
                self._put(of, attribute(s.field), s.op, value, b)
                return [b]
            except NotInColumnsError:
                b.data[(depth, _VALUE)] = value
                done = self._apply(self._step(self._variant(s)), b, depth, lambda r: {})
                for one in done:
                    one.drop([(depth, _VALUE)])
                return done

        return self._with_value(s, s.value, batch, depth, live, put)

    def _variant(self, s: ir.PutField) -> ir.PutField:
        """The same putting, of a value that stands in a local."""
        puts = self.known.puts
        if id(s) not in puts:
            puts[id(s)] = ir.PutField(s.of, s.field, s.op, ir.Local(_VALUE, type=s.value.type), pos=s.pos)
            self.known.kept.append(s)
        return puts[id(s)]

    def _put(self, thing: Any, name: str, op: str, value: Any, batch: Batch) -> None:
        """Write a field of one thing in every row, within its limits."""
        key = (thing, name)
        if key not in self.steps.base:
            self.steps.enter(batch.structure)
            self.steps.base[key] = getattr(thing, name)
        if op != "=":
            if self._read is not None:
                self._read.add(key)
            if key not in batch.data:
                self.steps.needed.add(key)
            now = batch.data.get(key, self.steps.base[key])
            if self.is_lost(now):
                raise RememberedError(key)
            value = _plus(now, value, 1 if op == "+=" else -1)
        low, high = self.battle.writes.limits_of(thing, name)
        if value is not None and (low is not None or high is not None):
            value = _within(value, low, high)
        batch.data[key] = value

    def _do_ifelse(self, s: ir.IfElse, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if not self.known.is_followed(s) and not self.known.is_pure(s.condition):
            return self._as_step(s, batch, depth)
        try:
            inside = self.known.before_all(s.body, live) | self.known.before_all(s.otherwise, live)
            batches, condition = self._prepared(s, s.condition, batch, depth, inside)
        except NotInColumnsError:
            return self._as_step(s, batch, depth)
        going: list[Batch] = []
        returned: list[Batch] = []
        for b in batches:
            for part, body in zip(self._parted(self.value(condition, b, depth), b), (s.body, s.otherwise), strict=True):
                if part is None:
                    continue
                on, back = self._body(body, [part], depth, live) if body else ([part], [])
                going += on
                returned += back
        return going, returned

    def _parted(self, mask: Any, batch: Batch) -> tuple[Batch | None, Batch | None]:
        """The rows for which a condition holds, and the others."""
        held = self.interner.truth(mask)
        if isinstance(held, np.ndarray):
            return batch.split(held)
        return (batch, None) if held else (None, batch)

    def _do_foreach(self, s: ir.ForEach, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        inside = self.known.through(s.body, live, None)
        try:
            if s.order_by is not None or s.chooser is not None:
                raise NotInColumnsError
            masks = self._fitting(s.items, batch, depth)
        except NotInColumnsError:
            return self._list_by_list(s, batch, depth, inside)
        return self._item_by_item(s, masks, batch, depth, inside)

    def _list_by_list(self, s: ir.ForEach, batch: Batch, depth: int, inside: frozenset[str]) -> Ran:
        """A loop over lists that need not be the same in all rows."""
        items_of = self._items_step(s)
        going: list[Batch] = []
        returned: list[Batch] = []
        for b in self._apply(items_of, batch, depth, lambda r: {"_items": r}):
            for items, part in self._by_value((depth, "_items"), b):
                part.drop([(depth, "_items")])
                now = [part]
                for item in items:
                    for one in now:
                        one.data[(depth, s.var)] = item
                    now, back = self._body(s.body, now, depth, inside)
                    returned += back
                going += now
        return going, returned

    def _item_by_item(
        self, s: ir.ForEach, masks: list[tuple[Any, Any]], batch: Batch, depth: int, inside: frozenset[str]
    ) -> Ran:
        """A loop over those of a list that fit, where the list is the same in all rows: each with the rows it is in."""
        number = self.known.number_of(s)
        marks = [f"_in{number}_{i}" for i in range(len(masks))]
        for mark, (_, here) in zip(marks, masks, strict=True):
            batch.data[(depth, mark)] = here
        inside |= frozenset(marks)
        going, returned = [batch], []
        for mark, (item, _) in zip(marks, masks, strict=True):
            after: list[Batch] = []
            for b in going:
                within, without = self._parted(b.data.pop((depth, mark)), b)
                after += [without] if without is not None else []
                if within is not None:
                    within.data[(depth, s.var)] = item
                    on, back = self._body(s.body, [within], depth, inside)
                    after += on
                    returned += back
            going = self._join(after) if len(after) > 1 else after
        return going, returned

    def _fitting(self, e: ir.Expr | None, batch: Batch, depth: int) -> list[tuple[Any, Any]]:
        """The items of a list that is the same in all rows, each with the rows in which it fits (or True or False)."""
        if not isinstance(e, ir.Query) or e.kind != "all":
            raise NotInColumnsError
        source = self._columnwise(e.source, batch, depth)
        if isinstance(source, np.ndarray) or len(source) > MOST_ITEMS:
            raise NotInColumnsError
        masks: list[tuple[Any, Any]] = []
        for item in source:
            here: Any = True
            for w in e.where:
                value = self._columnwise(w, batch.having({(depth, e.var): item}), depth)
                here = value if here is True else here & value
                if not isinstance(here, np.ndarray) and not here:
                    break
            masks.append((item, here))
        return masks

    def _do_choose(self, s: ir.Choose, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        """A choice among those of a list that fit: nobody is asked where there is only one, or none."""
        try:
            if s.or_none or s.up_to is not None:
                raise NotInColumnsError
            masks = self._fitting(s.items, batch, depth)
        except NotInColumnsError:
            return self._as_step(s, batch, depth)
        code = np.zeros(batch.n, dtype=np.int64)
        for i, (_, here) in enumerate(masks):
            code += (1 << i) * here.astype(np.int64) if isinstance(here, np.ndarray) else (1 << i) * bool(here)
        going: list[Batch] = []
        for bits, part in batch.by_value(code, self.interner):
            fit = [item for i, (item, _) in enumerate(masks) if bits >> i & 1]
            if len(fit) > 1:
                going += self._as_step(s, part, depth)[0]
            else:
                part.data[(depth, s.var)] = fit[0] if fit else None
                going.append(part)
        return going, []

    def _by_value(self, key: Key, batch: Batch) -> list[tuple[Any, Batch]]:
        value = batch.data[key]
        if isinstance(value, np.ndarray):
            return batch.by_value(value, self.interner)
        return [(value, batch)]

    def _items_step(self, s: ir.ForEach) -> RememberedStep:
        """The items of a loop in their order, as a list."""
        return self._made_by(("items", id(s)), s, lambda: self._items_recipe(s))

    def _items_recipe(self, s: ir.ForEach) -> Recipe:
        nodes: list[ir.IrNode] = [s.items]
        nodes += [e for e in (s.chooser,) if e is not None]
        names = set(free_names(nodes, self.program))
        if s.order_by is not None:
            names |= free_names([s.order_by], self.program) - {s.var}
        inputs = sorted(names)
        params = [ir.Param(n, ANY) for n in inputs]
        items_of = self.code.function(ir.Routine("items", "a loop", params, value=s.items))
        order = s.order_by and self.code.function(
            ir.Routine("order", "a loop", [*params, ir.Param(s.var, ANY)], value=s.order_by)
        )
        chooser = s.chooser and self.code.function(ir.Routine("chooser", "a loop", params, value=s.chooser))
        reverse, var = s.highest_first, s.var

        def run(rt: Any, *args: Any) -> list[Any]:
            found = list(items_of(rt, *args))
            if order:
                found.sort(key=lambda item: order(rt, *_inserted(inputs, args, var, item)), reverse=reverse)
            if chooser:
                found = rt.ordered_by(chooser(rt, *args), var, found)
            return found

        return Recipe(run, tuple(inputs), False, f"a loop over {s.var}")

    def _made_by(self, key: Any, node: ir.IrNode, recipe: Callable[[], Recipe]) -> RememberedStep:
        """The step of a key, which is made for a node; how, is found out once for a program."""
        step = self._made.get(key)
        if step is None:
            recipes = self.known.recipes
            if key not in recipes:
                recipes[key] = recipe()
                self.known.kept.append(node)
            found = recipes[key]
            like = self._saying.get(found.says) if found.says is not None else None
            step = self._made[key] = RememberedStep(found, like)
            self._saying.setdefault(found.says, step)
        return step

    def _do_repeat(self, s: ir.Repeat, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if not self.known.is_followed(s):
            return self._as_step(s, batch, depth)
        times_name = f"_times{self.known.number_of(s)}"
        inside = self.known.through(s.body, live, s.until) | {times_name}
        try:
            batches, times = self._prepared(s, s.times, batch, depth, inside)
        except NotInColumnsError:
            return self._as_step(s, batch, depth)
        for b in batches:
            b.data[(depth, times_name)] = self.value(times, b, depth)
        lots: Any = self.lots.bit_generator.state if self.lots is not None else None
        while True:
            # How often it goes on at most would tell rows apart. Mostly something else ends it soon: then it is enough
            # to know of larger numbers that they are large.
            most = self._turns.get(id(s), SOON) if s.until is not None else math.inf
            try:
                return self._turn_by_turn(s, batches, times_name, most, depth, live, inside)
            except _MoreTurnsError as error:
                if error.of is not s:
                    raise
                self._turns[id(s)] = 8 * most
                if self.lots is not None:
                    self.lots.bit_generator.state = lots

    def _turn_by_turn(
        self, s: ir.Repeat, batches: Sequence[Batch], times: str, most: float, depth: int, live: frozenset[str],
        inside: frozenset[str],
    ) -> Ran:  # fmt: skip
        """A loop. times: the local with how often it goes on, of which more than `most` is not told apart.

        Raises _MoreTurnsError when some rows go on for `most` turns.
        """
        now: list[Batch] = []
        shortened = False
        for b in batches:
            number = b.data[(depth, times)]
            if isinstance(number, np.ndarray) and most < math.inf and number.max() > most:
                number, shortened = np.minimum(number, int(most)), True
            now += self._join([b.having({(depth, times): number})])
        done: list[Batch] = []
        returned: list[Batch] = []

        def ended(over: Batch | None) -> None:
            if over is not None:
                over.drop([(depth, times)])
                self._forget(over, depth, live)
                done.extend(self._join([over]))

        turn = 0
        while now:
            if turn > MOST_LOOPS:
                raise OutOfReachError(f"a loop of more than {MOST_LOOPS:,} rounds ({s.pos.file}:{s.pos.line})")
            if shortened and turn >= most:
                raise _MoreTurnsError(s)
            active: list[Batch] = []
            for b in now:
                left = b.data[(depth, times)]
                more, over = self._parted(left > turn if isinstance(left, np.ndarray) else int(left) > turn, b)
                ended(over)
                active += [more] if more is not None else []
            turn += 1
            now, back = self._body(s.body, active, depth, inside) if active else ([], [])
            returned += back
            if s.until is not None:
                still: list[Batch] = []
                for b in now:
                    over, more = self._parted(self.value(s.until, b, depth), b)
                    ended(over)
                    still += [more] if more is not None else []
                now = self._join(still)
        return done, returned

    def _do_according(self, s: ir.According, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if not self.known.is_followed(s) or any(c.roll_again for c in s.cases):
            return self._as_step(s, batch, depth)
        inside = live | frozenset((s.var,)).union(
            *(self.known.reads_of(x) for c in s.cases for x in (*c.body, *([c.test] if c.test is not None else [])))
        )
        try:
            batches, subject = self._prepared(s, s.subject, batch, depth, inside)
        except NotInColumnsError:
            return self._as_step(s, batch, depth)
        going: list[Batch] = []
        returned: list[Batch] = []
        for b in batches:
            b.data[(depth, s.var)] = self.value(subject, b, depth)
            left: Batch | None = b
            for c in s.cases:
                if left is None:
                    break
                hit: Batch | None
                hit, left = (left, None) if c.test is None else self._parted(self.value(c.test, left, depth), left)
                if hit is not None:
                    on, back = self._body(c.body, [hit], depth, live)
                    going += on
                    returned += back
            going += [left] if left is not None else []
        return going, returned

    def _do_emit(self, s: ir.Emit, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if any(self.known.is_followed(a) and not self.known.is_pure(a) for a in s.args):
            try:
                return self._after_its_arguments(s, batch, depth, live)
            except NotInColumnsError:
                return self._as_step(s, batch, depth)
        if s.event not in self.known.silent:
            return self._with_listeners(s, batch, depth, live)
        if self.known.is_unheard(s):
            return [batch], []
        if not all(self.known.is_pure(a) for a in s.args):
            return self._as_step(s, batch, depth)
        return self._happens(s, batch, depth, live)

    def _after_its_arguments(self, s: ir.Emit, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        """An event whose arguments throw dice: these come first, one after the other, and are locals then."""
        late = self.known.with_locals(s)
        plans = [self.known.plan(a) for a in s.args]  # raises NotInColumnsError before anything has been done
        names = [a.name for a in late.args if isinstance(a, ir.Local)]
        inside = live | self.known.reads_of(late)
        batches = [batch]
        for i, (name, argument) in enumerate(zip(names, s.args, strict=True)):
            needed = inside.union(names[:i], *(self.known.reads_of(a) for a in s.args[i + 1 :]))
            done: list[Batch] = []
            for b in batches:
                made, rest = self._prepared(s, argument, b, depth, needed) if plans[i][0] else ([b], argument)
                for one in made:
                    one.data[(depth, name)] = self.value(rest, one, depth)
                    self._forget(one, depth, needed | {name})
                done += made
            batches = self._join(done) if len(done) > 1 else done
        going: list[Batch] = []
        returned: list[Batch] = []
        for b in batches:
            on, back = self._do_emit(late, b, depth, live)
            going += on
            returned += back
        return going, returned

    def _with_listeners(self, s: ir.Emit, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        """An event that somebody may answer: where nobody does it just happens, else it is one step."""
        body = s.body or ()
        late = self.known.is_answered_late(s.event)
        if late or not any(map(self.known.is_followed, body)) or not all(self.known.is_pure(a) for a in s.args):
            return self._as_step(s, batch, depth)
        answered = self._given(self._listeners(s), batch, depth)
        busy, quiet = self._parted(answered, batch)
        going, returned = self._happens(s, quiet, depth, live) if quiet is not None else ([], [])
        if busy is not None:
            on, back = self._as_step(s, busy, depth)
            going, returned = [*going, *on], [*returned, *back]
        return going, returned

    def _listeners(self, s: ir.Emit) -> RememberedStep:
        """Whether anybody would answer an event, as a step."""
        return self._made_by(("listeners", id(s)), s, lambda: self._listeners_recipe(s))

    def _listeners_recipe(self, s: ir.Emit) -> Recipe:
        inputs = sorted(set().union(*(self.known.reads_of(a) for a in s.args)))
        params = [ir.Param(n, ANY) for n in inputs]
        args_of = self.code.function(
            ir.Routine("args", "an event", params, value=ir.CallFunction("list of", list(s.args)))
        )
        event = self.program.events[s.event]

        def run(rt: Any, *values: Any) -> bool:
            return bool(rt.events.would_answer(event, args_of(rt, *values)))

        return Recipe(run, tuple(inputs), False, f"who answers {s.event}")

    def _happens(self, s: ir.Emit, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        """What an event brings about, to which nobody answers."""
        params = [p.name for p in self.program.events[s.event].params]
        values = [self.value(a, batch, depth) for a in s.args]
        number = self.known.number_of(s)
        saved = {p: f"_outer{number}_{p}" for p in params if (depth, p) in batch.data}
        for p, name in saved.items():
            batch.data[(depth, name)] = batch.data[(depth, p)]
        batch.data.update({(depth, p): v for p, v in zip(params, values, strict=True)})
        going, returned = self._body(s.body or [], [batch], depth, live | frozenset(saved.values()))
        done = [*going, *returned]
        for b in done:
            b.drop([(depth, p) for p in params] + [(depth, _RESULT)])
            for p, name in saved.items():
                b.data[(depth, p)] = b.data.pop((depth, name), UNSET)
        return done, []

    def _do_choosecourse(self, s: ir.ChooseCourse, batch: Batch, depth: int, live: frozenset[str]) -> Ran:
        if not self.known.is_followed(s):
            return self._as_step(s, batch, depth)
        if id(s) not in self.known.courses:
            empty = [
                ir.Course(c.label, c.when, c.rated, [ir.SetLocal("_course", ir.Const(c.label))]) for c in s.courses
            ]
            self.known.courses[id(s)] = ir.ChooseCourse(s.decision, s.chooser, empty, None)
            self.known.kept.append(s)
        going: list[Batch] = []
        returned: list[Batch] = []
        chosen, _ = self._as_step(self.known.courses[id(s)], batch, depth)
        for b in chosen:
            for label, part in self._by_value((depth, "_course"), b):
                part.drop([(depth, "_course")])
                for c in s.courses:
                    if c.label == label:
                        on, back = self._body(c.body, [part], depth, live)
                        going += on
                        returned += back
                        break
                else:
                    going.append(part)
        return going, returned

    def _with_value(
        self, s: ir.Statement, e: ir.Expr, batch: Batch, depth: int, live: frozenset[str],
        put: Callable[[Batch, Any], list[Batch]],
    ) -> Ran:  # fmt: skip
        """Make the throws in an expression, and hand its value on for each batch that comes of it."""
        try:
            batches, rest = self._prepared(s, e, batch, depth, live)
        except NotInColumnsError:
            return self._as_step(s, batch, depth)
        acts, _ = self.known.plan(e)
        done: list[Batch] = []
        for b in batches:
            value = self.value(rest, b, depth)
            if acts:
                b.drop([(depth, name) for name, _ in acts])
            done += put(b, value)
        return done, []

    # -- steps -----------------------------------------------------------------------------------------

    def _as_step(self, s: ir.Statement, batch: Batch, depth: int) -> Ran:
        """A statement as one step, run for each distinct thing it looks at."""
        if isinstance(s, ir.Together) and self.known.is_followed(s):
            raise OutOfReachError(f"many dice are thrown at one moment (`together`, {s.pos.file}:{s.pos.line})")
        given = self.known.given_by(s)
        known = frozenset(k[1] for k in batch.data if type(k[0]) is int and k[0] == depth)
        key = ("statement", id(s), known & (given | self.known.reads_of(s)))
        step = self._made_by(key, s, lambda: self._statement_recipe(s, given, known))
        names = sorted(given)
        done = self._apply(step, batch, depth, lambda r: _unpacked(names, r))
        going: list[Batch] = []
        returned: list[Batch] = []
        for b in done:
            result = b.data.pop((depth, "_ends"))
            parts = b.by_value(result, self.interner) if isinstance(result, np.ndarray) else [(result, b)]
            for ends, part in parts:
                (returned if ends else going).append(part)
        return going, returned

    def _statement_recipe(self, s: ir.Statement, given: frozenset[str], known: frozenset[str]) -> Recipe:
        reads = self.known.reads_of(s)
        inputs = sorted(n for n in known if n in reads or n in given)
        start: list[ir.Statement] = [ir.SetLocal(n, ir.Const(None)) for n in sorted(given - set(inputs))]
        end = ir.Return(ir.CallFunction("list of", [ir.Const(False), *(ir.Local(n) for n in sorted(given))]))
        f = ir.Routine(
            "step", "a step", [ir.Param(n, ANY) for n in inputs], body=[*start, _ending_with_marks(s), end], pos=s.pos
        )
        return Recipe(self.code.function(f), tuple(inputs), self.known.is_structural(s), f"{s.pos.file}:{s.pos.line}")

    def _step(self, node: ir.IrNode) -> RememberedStep:
        """An expression (or a putting of a value) as a step that gives its value."""
        return self._made_by(("expression", id(node)), node, lambda: self._expression_recipe(node))

    def _expression_recipe(self, node: ir.IrNode) -> Recipe:
        inputs = sorted(self.known.reads_of(node))
        params = [ir.Param(n, ANY) for n in inputs]
        if isinstance(node, ir.Expr):
            f = ir.Routine("step", "a step", params, value=node, pos=node.pos)
        else:
            f = ir.Routine("step", "a step", params, body=[node], pos=node.pos)  # type: ignore[list-item]
        where = f"{node.pos.file}:{node.pos.line}"
        try:
            says = said_by(node)
        except TypeError:
            says = None
        return Recipe(self.code.function(f), tuple(inputs), self.known.is_structural(node), where, says)

    def _apply(
        self, step: RememberedStep, batch: Batch, depth: int, locals_of: Callable[[Any], dict[str, Any]]
    ) -> list[Batch]:
        """Run a step on every row and carry out how it fell out there."""
        batch = self._merged(batch, id(step.run))
        back, leaves = self.steps.outcomes(step, batch, depth)
        flat = [o for leaf in leaves for o in leaf]
        widths = np.array([len(leaf) for leaf in leaves])
        offsets = _starts(widths)
        if (widths == 1).all():
            made, which = Batch(dict(batch.data), batch.weights, batch.structure), back
        else:
            chances = np.array([o.chance for o in flat])
            rows, which, weights = self.spread(batch.weights, back, widths, offsets, chances)
            made = batch.take(rows, weights)
            made.told = None
        if not made.n:  # so unlikely that nothing was left of it
            return []
        self._carry_out(made, which, flat, depth, [locals_of(o.result) for o in flat])
        parts = self._restructured(made, which, flat)
        return [part for p in parts for part in self._join([p], id(step))] if (widths > 1).any() else parts

    def spread(
        self, weights: Column, back: Column, widths: Column, offsets: Column, chances: Column
    ) -> tuple[Column, Column, Column]:
        """Rows, outcomes and weights after chance: every outcome of every row, or those on which trials fell."""
        if self.lots is None:
            each = widths.take(back)
            count = int(each.sum())
            self.work.spend(count * ROW)
            if count > MOST_ROWS:
                _too_many_rows()
            rows = np.arange(len(back)).repeat(each)
            place = np.arange(len(rows)) - (each.cumsum() - each).repeat(each)
            which = offsets.take(back).take(rows) + place
            spread = weights.take(rows) * chances.take(which)
            least = _negligible(spread)
            if least > 0:
                keep = spread >= least
                rows, which, spread = rows[keep], which[keep], spread[keep]
            return rows, which, spread
        parts = _of_like_width(widths, len(back))
        if parts is None:
            return _cast(self.lots, weights, back, widths, chances)
        found = []
        for of in parts:
            mine = of[back].nonzero()[0]
            if mine.size:
                here = of.nonzero()[0]
                number = np.zeros(len(widths), dtype=np.int64)
                number[here] = np.arange(len(here))
                own = chances[of.repeat(widths)]
                rows, which, drawn = _cast(self.lots, weights[mine], number[back[mine]], widths[here], own)
                kind = here[number[back[mine]][rows]]
                found.append((mine[rows], which + (offsets[kind] - _starts(widths[here])[number[kind]]), drawn))
        return tuple(np.concatenate(part) for part in zip(*found, strict=True))  # type: ignore[return-value]

    def _carry_out(
        self, made: Batch, which: Column, flat: list[StepOutcome], depth: int, results: list[dict[str, Any]]
    ) -> None:
        keys: dict[Key, None] = dict.fromkeys(k for o in flat for k in o.writes)
        for key in keys:
            now = made.data.get(key, self.steps.base.get(key, UNSET))
            made.data[key] = self._blend([o.writes.get(key, UNSET) for o in flat], which, now, made.n)
        names: dict[str, None] = dict.fromkeys(n for r in results for n in r)
        for name in names:
            now = made.data.get((depth, name), UNSET)
            made.data[(depth, name)] = self._blend([r.get(name, UNSET) for r in results], which, now, made.n)

    def _blend(self, values: list[Any], which: Column, now: Any, n: int) -> Any:
        """A column of the outcomes' values; where an outcome has none, what was there."""
        if len(values) == 1:
            return values[0] if values[0] is not UNSET else now
        missing = [v is UNSET for v in values]
        if not any(missing):
            column = self.interner.column(values)
            return column.take(which)
        filler = next(v for v in values if v is not UNSET)
        fresh = self.interner.column([filler if m else v for v, m in zip(values, missing, strict=True)]).take(which)
        fresh, old = self.interner.alike([fresh, self.interner.full(now, n)])
        return np.where(np.array(missing).take(which), old, fresh)

    def _restructured(self, made: Batch, which: Column, flat: list[StepOutcome]) -> list[Batch]:
        """The batch by the structure that the outcomes lead to."""
        if all(o.structure is None for o in flat):
            return [made]
        structures = [o.structure if o.structure is not None else made.structure for o in flat]
        kinds = {id(structure): structure for structure in structures}
        numbers = {key: i for i, key in enumerate(kinds)}
        number = np.array([numbers[id(structure)] for structure in structures]).take(which)
        found = []
        for i, structure in enumerate(kinds.values()):
            mask = number == i
            if mask.any():
                part = made.take(mask)
                part.structure = structure
                found.append(part)
        return found

    def scattered(self, rest: Any, mask: Column, changed: Any) -> Column:
        """The changed values where the mask is true, the rest elsewhere."""
        whole, part = self.interner.full(rest, len(mask)), self.interner.full(changed, int(mask.sum()))
        old, new = self.interner.alike([whole, part])
        made = old.copy()
        made[mask] = new
        return made

    def _how_many(self, name: str, act: ir.HowMany, batch: Batch, depth: int) -> list[Batch]:
        """So many dice of a test at once: a binomial number of them passes."""
        one = self._single(act)
        back, leaves = self.steps.outcomes(self._step(one), batch, depth)
        if any(o.writes or o.structure is not None for leaf in leaves for o in leaf):
            return self._apply(self._step(act), batch, depth, lambda r: {name: r})
        chance = np.array([min(sum(o.chance for o in leaf if bool(o.result) == act.passing), 1.0) for leaf in leaves])
        count = self.value(act.count, batch, depth)
        counts = count if isinstance(count, np.ndarray) else np.full(batch.n, int(count), dtype=np.int64)
        if counts.dtype != np.int64:
            raise OutOfReachError("a number of dice that is not whole")
        counts = np.maximum(counts, 0)
        firsts, kind = kinds((counts, back), batch.n)
        pairs = zip(counts[firsts].tolist(), chance[back[firsts]].tolist(), strict=True)
        tables = [binomial(dice, each) for dice, each in pairs]
        widths = np.array([len(t) for t in tables])
        offsets = _starts(widths)
        rows, which, weights = self.spread(batch.weights, kind, widths, offsets, np.concatenate(tables))
        made = batch.take(rows, weights)
        passed = which - offsets.take(kind.take(rows))
        made.data[(depth, name)] = passed
        if made.told is not None:
            made.told = (*made.told, passed)
        return [made] if made.n else []

    def _single(self, act: ir.HowMany) -> ir.MakeRoll:
        singles = self.known.singles
        if id(act) not in singles:
            singles[id(act)] = ir.MakeRoll(act.name, act.args, type=act.type, pos=act.pos)
            self.known.kept.append(act)
        return singles[id(act)]

    # -- expressions -------------------------------------------------------------------------------------

    def value(self, e: ir.Expr, batch: Batch, depth: int) -> Any:
        """A pure expression for every row: a plain value or a column."""
        try:
            return self._columnwise(e, batch, depth)
        except NotInColumnsError:
            return self._asked(e, batch, depth)

    def _asked(self, e: ir.Expr, batch: Batch, depth: int) -> Any:
        """A pure expression, computed once for each distinct thing it looks at."""
        return self._given(self._step(e), batch, depth)

    def _given(self, step: RememberedStep, batch: Batch, depth: int) -> Any:
        """What a step gives that throws nothing and changes nothing, for every row."""
        back, leaves = self.steps.outcomes(step, batch, depth)
        if any(len(leaf) != 1 or leaf[0].writes or leaf[0].structure is not None for leaf in leaves):
            raise OutOfReachError(f"{step.title} is not the same each time")
        if len(leaves) == 1:
            return leaves[0][0].result
        return self.interner.column([leaf[0].result for leaf in leaves]).take(back)

    def _columnwise(self, e: ir.Expr, batch: Batch, depth: int) -> Any:
        method = _WAYS.get(type(e), _UNKNOWN)
        if method is _UNKNOWN:
            method = _WAYS[type(e)] = getattr(Columns, "_of_" + type(e).__name__.lower(), None)
        return self._asked(e, batch, depth) if method is None else method(self, e, batch, depth)

    def _of_const(self, e: ir.Const, batch: Batch, depth: int) -> Any:
        return e.value

    def _of_local(self, e: ir.Local, batch: Batch, depth: int) -> Any:
        value = batch.data.get((depth, e.name), UNSET)
        if value is UNSET:
            raise RuleFault(f'"{e.name}" has no value yet')
        return value

    def _of_singleton(self, e: ir.Singleton, batch: Batch, depth: int) -> Any:
        return getattr(self.battle, e.name)

    def _of_definitionref(self, e: ir.DefinitionRef, batch: Batch, depth: int) -> Any:
        return self.battle.definition(e.kind, e.title)

    def _of_getfield(self, e: ir.GetField, batch: Batch, depth: int) -> Any:
        of = self._columnwise(e.of, batch, depth)
        if of is None or isinstance(of, np.ndarray):
            raise NotInColumnsError
        key = (of, attribute(e.field))
        if self._read is not None:
            self._read.add(key)
        if key in batch.data:
            value = batch.data[key]
            if self.is_lost(value):
                raise RememberedError(key)
            return value
        return self.steps.value_of(batch, key, 0)

    def _of_arith(self, e: ir.Arith, batch: Batch, depth: int) -> Any:
        left, right = self._columnwise(e.left, batch, depth), self._columnwise(e.right, batch, depth)
        if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
            return _ARITH[e.op](left, right)
        if not (_is_whole(left) and _is_whole(right)):
            raise NotInColumnsError
        if e.op == "/":
            return self._divided(left, right, batch.n)
        made = {"+": np.add, "-": np.subtract, "*": np.multiply}[e.op](left, right)
        if made.size and (np.maximum.reduce(made) > _LARGE or np.minimum.reduce(made) < -_LARGE):
            raise NotInColumnsError
        return made

    def _divided(self, left: Any, right: Any, n: int) -> Column:
        """A division of whole numbers: fractions are made once for each pair of them."""
        top, under = self.interner.full(left, n), self.interner.full(right, n)
        if not under.all():
            raise NotInColumnsError
        firsts, back = kinds((top, under), n)
        pairs = zip(top[firsts].tolist(), under[firsts].tolist(), strict=True)
        return self.interner.column([support.divide(a, b) for a, b in pairs]).take(back)

    def _of_negate(self, e: ir.Negate, batch: Batch, depth: int) -> Any:
        value = self._columnwise(e.operand, batch, depth)
        if isinstance(value, np.ndarray) and not _is_whole(value):
            raise NotInColumnsError
        return -value

    def _of_not(self, e: ir.Not, batch: Batch, depth: int) -> Any:
        value = self._columnwise(e.operand, batch, depth)
        if isinstance(value, np.ndarray):
            if value.dtype != bool:
                raise NotInColumnsError
            return ~value
        return not value

    def _of_compare(self, e: ir.Compare, batch: Batch, depth: int) -> Any:
        left, right = self._columnwise(e.left, batch, depth), self._columnwise(e.right, batch, depth)
        if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
            return bool(_COMPARE_PLAIN[e.op](left, right))
        if not (_is_whole(left) and _is_whole(right)):
            raise NotInColumnsError
        return _COMPARE[e.op](left, right)

    def _of_both(self, e: ir.Both, batch: Batch, depth: int) -> Any:
        """Plain operands decide as they do in a battle; a column is combined with what may be asked of all rows."""
        so_far: Any = None
        for operand in e.operands:
            if so_far is None:
                value = self._columnwise(operand, batch, depth)
                if not isinstance(value, np.ndarray):
                    if bool(value) != e.every:
                        return bool(value)
                    continue
            else:
                value = self._guarded(operand, so_far if e.every else ~so_far, batch, depth)
            if isinstance(value, np.ndarray):
                if value.dtype != bool:
                    raise NotInColumnsError
                so_far = value if so_far is None else (so_far & value if e.every else so_far | value)
            elif bool(value) != e.every:
                return bool(value)
        return e.every if so_far is None else so_far

    def _guarded(self, e: ir.Expr, mask: Column, batch: Batch, depth: int) -> Any:
        """An operand asked only of the rows on which it matters, or of all where that is quicker and does no harm."""
        there = np.count_nonzero(mask)
        if there == len(mask):
            return self._columnwise(e, batch, depth)
        if self.known.may_be_asked_of_all(e):
            with suppress(NotInColumnsError, RememberedError):
                return self._columnwise(e, batch, depth)
        made = np.ones(batch.n, dtype=bool)
        if there:
            made[mask] = self.interner.truth(self.value(e, batch.take(mask), depth))
        return made

    def _of_same(self, e: ir.Same, batch: Batch, depth: int) -> Any:
        left, right = self._columnwise(e.left, batch, depth), self._columnwise(e.right, batch, depth)
        if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
            if support.by_identity(e.left.type.kind, e.right.type.kind):
                return left is right
            return bool(left == right)
        columns = [self.interner.full(v, batch.n) for v in (left, right)]
        first, second = self.interner.alike(columns)
        return first == second

    def _of_evaluate(self, e: ir.Evaluate, batch: Batch, depth: int) -> Any:
        """A number whose lines always hold, line by line over columns; all others are asked as they stand."""
        n = self.program.numbers[e.name]
        if not self._always_the_same(n):
            raise NotInColumnsError
        _not_too_deep(depth)
        if cost := self.program.costs.get(n.name):
            self._pay(n, cost * COLUMN)
        args = [self._columnwise(a, batch, depth) for a in e.args]
        self.steps.enter(batch.structure)
        if self._something_borne(n, args):
            raise NotInColumnsError
        inner = batch.having(_frame(n.params, args, depth + 1))
        assert n.base.value is not None
        lines = _NumberLines(self, inner, depth + 1, self._columnwise(n.base.value, inner, depth + 1))
        for t in self.known.lines_of(n):
            lines.apply(t)
        return lines.result()

    def _pay(self, n: ir.Number, steps: int) -> None:
        """Take the steps of a dear number off the budget of the phase."""
        try:
            self.battle.spend(steps)
        except RuleFault as fault:
            raise RuleFault(fault.message, n.name, n.pos.file, n.pos.line) from None

    def _always_the_same(self, n: ir.Number) -> bool:
        """Whether the lines of a number stand one after the other, each for itself."""
        return self.known.verdict("plain", n, lambda: is_plain(n) and not any(t.each_time for t in n.templates))

    def _something_borne(self, n: ir.Number, args: Sequence[Any]) -> bool:
        """Whether anything that is not always in force may change a number now."""
        bit = self.code.bit(n.name)
        if self.battle.loose_mask & bit:
            return True
        for place, path in self.known.pins(n.name):
            who = args[place]
            if path:
                self.steps.rest()
            for step in path:
                who = getattr(who, step, None)
            if isinstance(who, np.ndarray) or (who is not None and mask_of(who) & bit):
                return True
        return False

    def _of_isnoun(self, e: ir.IsNoun, batch: Batch, depth: int) -> Any:
        of = self._columnwise(e.of, batch, depth)
        if isinstance(of, np.ndarray):
            raise NotInColumnsError
        if of is None:
            return False
        chain: list[ir.Routine] = []
        at: str | None = e.noun
        while at is not None:
            noun = self.program.nouns[at]
            if noun.where is not None:
                chain.insert(0, noun.where)
            at = noun.is_a
        so_far: Any = True
        for where in chain:
            assert where.value is not None
            value = self._columnwise(where.value, batch.having({(depth + 1, where.params[0].name): of}), depth + 1)
            if not isinstance(value, np.ndarray) and not value:
                return False
            so_far = value if so_far is True else so_far & value
        return so_far

    def _of_bears(self, e: ir.Bears, batch: Batch, depth: int) -> Any:
        of = self._columnwise(e.of, batch, depth)
        if of is None or isinstance(of, np.ndarray):
            raise NotInColumnsError
        self.steps.enter(batch.structure)
        return e.title in titles_of(of) if e.title else self.battle.bears_kind(of, e.kind)

    def _of_allof(self, e: ir.AllOf, batch: Batch, depth: int) -> Any:
        self.steps.enter(batch.structure)
        return list(self.battle.everyone[e.noun])

    def _of_query(self, e: ir.Query, batch: Batch, depth: int) -> Any:
        """Questions about a list that is the same in all rows: item by item over columns."""
        if e.kind not in _QUERIES or e.counting:
            raise NotInColumnsError
        fitting = self._fitting(ir.Query("all", e.source, e.var, e.where), batch, depth)
        fitting = [(item, here) for item, here in fitting if isinstance(here, np.ndarray) or here]
        if e.kind == "any":
            found: Any = False
            for _, here in fitting:
                found = here if found is False else found | here
            return found if isinstance(found, np.ndarray) else bool(found)
        so_far: Any = None
        has: Any = False
        best = _QUERIES[e.kind]
        for item, here in fitting:
            with_item = batch.having({(depth, e.var): item})
            value = 1 if e.kind == "number" else self._columnwise_of(e.value, with_item, depth)
            if not _is_whole(value):
                raise NotInColumnsError
            if best is np.add:
                counted = value * here.astype(np.int64) if isinstance(here, np.ndarray) else value
                so_far = counted if so_far is None else so_far + counted
            elif so_far is None:
                so_far, has = value, here
            else:
                column = np.where(has, np.where(here, best(so_far, value), so_far), value)
                so_far, has = column if column.ndim else column.item(), has | here
        if so_far is None:
            return 0
        return np.where(has, so_far, 0) if isinstance(has, np.ndarray) else so_far

    def _columnwise_of(self, e: ir.Expr | None, batch: Batch, depth: int) -> Any:
        assert e is not None
        return self._columnwise(e, batch, depth)

    def _of_callfunction(self, e: ir.CallFunction, batch: Batch, depth: int) -> Any:
        if e.name in self.program.natives or e.name not in _COLUMNWISE:
            return self._asked(e, batch, depth)
        if e.name in ("floor", "ceiling") and isinstance(e.args[0], ir.Arith) and e.args[0].op == "/":
            top, under = (self._columnwise(x, batch, depth) for x in (e.args[0].left, e.args[0].right))
            if not (_is_whole(top) and _is_whole(under) and np.all(under)):
                return self._asked(e, batch, depth)
            return top // under if e.name == "floor" else -(-top // under)
        if e.name in ("floor", "ceiling") or len(e.args) != 2:
            return self._asked(e, batch, depth)
        values = [self._columnwise(a, batch, depth) for a in e.args]
        if not any(isinstance(v, np.ndarray) for v in values):
            return _COLUMNWISE[e.name][0](*values)
        if not all(_is_whole(v) for v in values):
            return self._asked(e, batch, depth)
        return _COLUMNWISE[e.name][1](*values)


class _NumberLines:
    """The lines of a number applied one after the other; the value is a whole number over a common divisor."""

    def __init__(self, columns: Columns, batch: Batch, depth: int, value: Any) -> None:
        self.columns, self.batch, self.depth, self.value, self.under = columns, batch, depth, value, 1

    def apply(self, t: ir.Template) -> None:
        """Apply one line to the rows for which it holds."""
        mask = self._mask(t)
        if mask is None:
            self.value = self._changed(t, self.value, self._line(t, self.batch))
        elif np.count_nonzero(mask):
            if t.op == "round":
                raise NotInColumnsError
            rest, under = self.value, self.under
            now = rest[mask] if isinstance(rest, np.ndarray) else rest
            changed = self._changed(t, now, self._line(t, self.batch.take(mask)))
            if self.under != under:
                rest = rest * (self.under // under)
            self.value = self.columns.scattered(rest, mask, changed)

    def _mask(self, t: ir.Template) -> Column | None:
        """The rows for which a line holds; None for all."""
        if t.when is None:
            return None
        assert t.when.value is not None
        found = self.columns.interner.truth(self.columns.value(t.when.value, self.batch, self.depth))
        if not isinstance(found, np.ndarray):
            return None if found else np.zeros(self.batch.n, dtype=bool)
        return None if np.count_nonzero(found) == len(found) else found

    def _line(self, t: ir.Template, batch: Batch) -> Any:
        """What a line gives, for the rows for which it holds."""
        if t.value is None or t.value.value is None:
            return None
        return self.columns.value(t.value.value, batch, self.depth)

    def _changed(self, t: ir.Template, now: Any, line: Any) -> Any:
        op = t.op
        if op in ("yes", "no", "allow", "forbid"):
            return op in ("yes", "allow")
        if op == "set":
            self._undivided()
            return line
        if not _is_whole(now):
            if isinstance(now, np.ndarray) or isinstance(line, np.ndarray) or self.under != 1:
                raise NotInColumnsError
            return step_of(t).apply(now, line)
        if op == "round":
            return self._rounded(t.rounding, now)
        if op == "multiply" and isinstance(line, Fraction):
            self.under *= line.denominator
            return now * line.numerator
        if not _is_whole(line):
            raise NotInColumnsError
        if op == "add":
            return now + line * self.under
        if op == "multiply":
            return now * line
        self._undivided()
        if isinstance(now, np.ndarray) or isinstance(line, np.ndarray):
            return np.maximum(now, line) if op == "floor" else np.minimum(now, line)
        return max(now, line) if op == "floor" else min(now, line)

    def _rounded(self, way: str, now: Any) -> Any:
        under, self.under = self.under, 1
        if way == "down":
            return now // under
        if way == "up":
            return -(-now // under)
        return (2 * now + under) // (2 * under)

    def _undivided(self) -> None:
        if self.under != 1:
            raise NotInColumnsError

    def result(self) -> Any:
        if self.under == 1:
            return self.value
        if isinstance(self.value, np.ndarray):
            raise NotInColumnsError
        made = Fraction(self.value, self.under)
        return made.numerator if made.denominator == 1 else made


_QUERIES: dict[str, Any] = {"any": None, "number": np.add, "total": np.add, "highest": np.maximum, "lowest": np.minimum}
_ARITH: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": support.multiply, "/": support.divide,
}  # fmt: skip
_COMPARE_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b, ">": lambda a, b: a > b,
}  # fmt: skip
_COLUMNWISE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "lower_of": (min, np.minimum), "higher_of": (max, np.maximum), "floor": (support.floor, np.floor),
    "ceiling": (support.ceiling, np.ceil),
}  # fmt: skip


def _frame(params: Sequence[ir.Param], args: Sequence[Any], depth: int) -> dict[Key, Any]:
    """The locals of a call."""
    return {(depth, p.name): value for p, value in zip(params, args, strict=True)}


def _of_like_width(widths: Column, n: int) -> list[Column] | None:
    """Which kinds of rows are drawn for together, their chances side by side in one table: all (None), or those whose
    tables are of one size within a factor of two.
    """
    if n * int(widths.max()) <= MOST_CELLS:
        return None
    size = np.frexp(widths - 0.5)[1]
    return [size == one for one in np.unique(size)]


def _starts(widths: Column) -> Column:
    """Where the entries of each kind begin when those of all kinds stand one after the other."""
    found: Column = widths.cumsum() - widths
    return found


def _cast(
    lots: np.random.Generator, weights: Column, kind: Column, widths: Column, chances: Column
) -> tuple[Column, Column, Column]:
    """How many of each row's trials fall out which way: rows, ways and numbers, where any do.

    kind: of each row; widths: how many ways there are for each kind; chances: of all ways, those of one kind after
    those of another.
    """
    kinds_there, most, n = len(widths), int(widths.max()), len(weights)
    starts = _starts(widths)
    blank = most - widths  # in front, where nothing can fall: what is left of a row's trials falls at the end
    table = np.zeros((kinds_there, most))
    room = np.arange(0, kinds_there * most, most) + blank
    table.ravel()[np.arange(len(chances)) + (room - starts).repeat(widths)] = chances
    table /= table.sum(axis=1, keepdims=True)
    if kinds_there > 1 and int(weights.sum()) < EACH_ALONE * n * most:
        # All trials of a kind are drawn together, and dealt out to its rows in random order.
        order = kind.argsort(kind="stable")
        in_all = np.bincount(kind, weights=weights, minlength=kinds_there).astype(np.int64)
        fallen = np.tile(np.arange(most), kinds_there).repeat(lots.multinomial(in_all, table).ravel())
        begin = 0
        for end in in_all.cumsum().tolist():
            if end > begin + 1:
                lots.shuffle(fallen[begin:end])
            begin = end
        drawn = np.bincount((order * most).repeat(weights.take(order)) + fallen, minlength=n * most)
    else:
        drawn = lots.multinomial(weights, table.take(kind, axis=0)).ravel()
    there = (drawn != 0).nonzero()[0]  # thrice as fast as of whole numbers
    rows = there // most
    way = there + ((starts - blank).take(kind) - np.arange(0, n * most, most)).take(rows)
    return rows, way, drawn.take(there)


def _negligible(weights: Column) -> float:
    """A bound below which weights may be left out: together they stay below NEGLIGIBLE."""
    if len(weights) < 500:
        return 0.0
    size = np.frexp(weights)[1]
    lowest = int(size.min())
    mass = np.cumsum(np.bincount(size - lowest, weights=weights))
    fitting = int(np.searchsorted(mass, NEGLIGIBLE))
    return float(np.ldexp(0.5, lowest + fitting)) if fitting else 0.0


def _is_whole(value: Any) -> bool:
    """Whole numbers, as a column or plain."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype == np.int64)
    return type(value) is int


def _not_too_deep(depth: int) -> None:
    if depth > MOST_DEEP:
        raise OutOfReachError(f"rules that call each other more than {MOST_DEEP} times")


def _too_many_rows() -> NoReturn:
    raise OutOfReachError(f"more than {MOST_ROWS:,} different courses of the fight")


def _plus(now: Any, more: Any, sign: int) -> Any:
    if not isinstance(now, np.ndarray) and not isinstance(more, np.ndarray):
        return now + more if sign > 0 else now - more
    if not (_is_whole(now) and _is_whole(more)):
        raise NotInColumnsError
    return now + more if sign > 0 else now - more


def _within(value: Any, low: Any, high: Any) -> Any:
    if not isinstance(value, np.ndarray):
        if low is not None and value < low:
            return low
        return high if high is not None and value > high else value
    if value.dtype != np.int64 or not all(b is None or type(b) is int for b in (low, high)):
        raise NotInColumnsError
    return np.clip(value, low, high)


def _inserted(inputs: Sequence[str], args: Iterable[Any], var: str, item: Any) -> list[Any]:
    """The arguments of a function of a loop's item."""
    return [*(item if n == var else a for n, a in zip(inputs, args, strict=True)), item]


def _unpacked(names: Sequence[str], result: list[Any]) -> dict[str, Any]:
    """What a statement's step gives: whether it ended the procedure, then its locals or the result."""
    if result[0]:
        return {"_ends": True, _RESULT: result[1]}
    return {"_ends": False, **dict(zip(names, result[1:], strict=True))}


def _ending_with_marks(s: Any) -> Any:
    """A copy of a statement in which `result` and `stop` say that they ended the procedure."""
    if isinstance(s, ir.Return):
        value = s.value if s.value is not None else ir.Const(None)
        return ir.Return(ir.CallFunction("list of", [ir.Const(True), value]), pos=s.pos)
    if isinstance(s, ir.IfElse):
        bodies = ([_ending_with_marks(x) for x in body] for body in (s.body, s.otherwise))
        return ir.IfElse(s.condition, *bodies, pos=s.pos)
    if isinstance(s, ir.ForEach | ir.Repeat | ir.Together):
        made = copy.copy(s)
        made.body = [_ending_with_marks(x) for x in s.body]
        return made
    if isinstance(s, ir.According):
        cases = [ir.Case(c.test, [_ending_with_marks(x) for x in c.body], c.roll_again, pos=c.pos) for c in s.cases]
        return ir.According(s.subject, s.var, cases, pos=s.pos)
    if isinstance(s, ir.ChooseCourse):
        courses = [
            ir.Course(c.label, c.when, c.rated, [_ending_with_marks(x) for x in c.body], pos=c.pos) for c in s.courses
        ]
        return ir.ChooseCourse(s.decision, s.chooser, courses, s.says, pos=s.pos)
    return s


