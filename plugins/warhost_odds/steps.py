"""Single steps of the rules, run once for each distinct thing that they look at and remembered.

A step is a piece of compiled rules. It is run on the battle itself, with the fields of one row put in place; what it
reads of the declared state, what it writes and how its dice may fall are watched, so that the answer serves every row
that agrees in what was read. No rule is written a second time for it: what runs is what a battle runs.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import is_, itemgetter
from typing import Any, TypeVar

import numpy as np

from warhost.engine.battle import Battle
from warhost.engine.checkpoint import Checkpoint
from warhost.engine.dice import DiceSource
from warhost.engine.entities import Entity
from warhost.errors import RuleFault, WarhostError
from warhost.lang.python_backend import attribute
from warhost.things import noun_of
from warhost_odds.chance import MOST_PATHS, OutOfReachError, PathDice, Work, explore
from warhost_odds.rows import FORGOTTEN, UNSET, Batch, Column, Interner, Key, RememberedError, identity, kinds

Result = TypeVar("Result")

#: Along so many paths of the dice a step may be run in any case.
FEWEST_PATHS = 100
#: What running a step once costs (see `Work`), and one that may change more than declared state.
STEP, STRUCTURAL_STEP = 300, 3_000
#: The columns of so few rows are laid out as lists when some of the rows are put in place.
FEW_ROWS = 1_000
#: A step that has to be run for more distinct rows than this is no use: the worlds do not come together.
MOST_LEAVES = 200_000


_NOTHING: Any = object()

#: The field of the battle that counts its turns.
TURN = "turn"


@dataclass(slots=True)
class StepOutcome:
    """One way that a step may fall out: what it gives, what it wrote, and the structure after it (None: as before)."""

    chance: float
    result: Any
    writes: dict[Key, Any]
    structure: Structure | None = None


@dataclass(slots=True)
class Structure:
    """All of a battle besides the declared state that steps have written: places, effects, who is gone."""

    snapshot: Checkpoint


@dataclass(slots=True)
class _Node:
    """Where a remembered step looks at something: the key, and what follows for each value."""

    key: Key
    then: dict[Any, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Rest:
    """What one run has looked at besides, with the values: most ways are gone once, and need no node for each step."""

    reads: list[tuple[Key, Any]]
    outcomes: list[StepOutcome]

    def parted(self, number: int, here: Any) -> tuple[Any, _Node]:
        """Nodes for so many steps that another has in common with it, and one for the step where that one's value is
        `here`: the first of them, and the last, from which the other goes on.
        """
        key, value = self.reads[number]
        last = _Node(key, {identity(value): _Rest(self.reads[number + 1 :], self.outcomes)})
        last.then[here] = None
        first = last
        for key, value in reversed(self.reads[:number]):
            first = _Node(key, {identity(value): first})
        return first, last


@dataclass(frozen=True, slots=True)
class Recipe:
    """A callable of the battle and some values, named by inputs. structural: it may change more than declared state.

    says: equal for recipes that ask the same at several places; None where that is not known.
    """

    run: Callable[..., Any]
    inputs: tuple[str, ...]
    structural: bool
    title: str
    says: Hashable = None


class RememberedStep:
    """A recipe with what is remembered of it, for one battle. like: a step that says the same at another place, with
    which it shares what they remember.
    """

    def __init__(self, recipe: Recipe, like: RememberedStep | None = None) -> None:
        self.run, self.inputs, self.structural, self.title = recipe.run, recipe.inputs, recipe.structural, recipe.title
        self.shapes: dict[Hashable, dict[Key, None]] = like.shapes if like else {}
        self.roots: dict[Hashable, Any] = like.roots if like else {}
        self.known: dict[tuple[Any, ...], dict[bytes, list[StepOutcome]]] = like.known if like else {}
        self.leaves = 0


class _Watch:
    """What the things of a battle note while a step runs."""

    __slots__ = ("met", "on", "reads", "written")

    def __init__(self) -> None:
        self.begin()
        self.on = False

    def begin(self) -> None:
        """From now on they note. met: the fields that need not be noted again when they are read."""
        self.met: set[Key] = set()
        self.reads: dict[Key, Any] = {}
        self.written: dict[Key, Any] = {}
        self.on = True


def _watched_class(base: type, fields: frozenset[str], watch: _Watch) -> type:
    """A class of things that note which of their declared fields are read and written. All else of them is looked up as
    ever.
    """
    return type(base.__name__, (base,), {name: _watched_field(base, name, watch) for name in fields})


def _watched_field(base: type, name: str, watch: _Watch) -> property:
    """A declared field of things of a class, which stands in each of them or is a property of that class."""
    own: property | None = getattr(base, name, None)

    def value_of(thing: Any) -> Any:
        if own is not None:
            return own.__get__(thing)
        try:
            return thing.__dict__[name]
        except KeyError:
            raise AttributeError(name) from None

    def reading(thing: Any) -> Any:
        try:
            value = thing.__dict__[name]
        except KeyError:
            value = value_of(thing)
        if watch.on:
            key = (thing, name)
            if key not in watch.met:
                if value is FORGOTTEN:
                    raise RememberedError(key)
                watch.met.add(key)
                watch.reads[key] = list(value) if type(value) is list else value
        return value

    def writing(thing: Any, value: Any) -> None:
        if watch.on:
            key = (thing, name)
            if key not in watch.written:
                watch.met.add(key)
                watch.written[key] = value_of(thing)
        if own is not None:
            own.__set__(thing, value)
        else:
            thing.__dict__[name] = value

    return property(reading, writing)


class _Attributes:
    """What a thing held at some moment, besides some fields: which objects, and what was in those that are lists."""

    __slots__ = ("held", "lists", "looked_at", "size", "values")

    def __init__(self, thing: Any, without: Container[str]) -> None:
        self.held: dict[str, Any] = thing.__dict__
        self.size = len(self.held)
        names = [name for name in self.held if name not in without]
        self.looked_at = itemgetter(*names, *names[:1]) if names else lambda held: ()  # always gives a tuple
        self.values: tuple[Any, ...] = self.looked_at(self.held)
        self.lists = [(value, tuple(value)) for value in self.values if type(value) is list]

    def has_changed(self) -> bool:
        held = self.held
        try:
            if len(held) != self.size or not all(map(is_, self.looked_at(held), self.values)):
                return True
        except KeyError:
            return True
        return any(len(value) != len(items) or not all(map(is_, value, items)) for value, items in self.lists)


class _Stamp:
    """All of a battle but declared state, by identity, so that a look is quick. What it names stays alive meanwhile:
    the structure's checkpoint holds it.
    """

    def __init__(self, battle: Battle, fields: Mapping[str, frozenset[str]]) -> None:
        self.battle = battle
        self.marks: list[_Attributes] = []
        for thing in (*battle.by_id.values(), battle.battle):
            self.marks.append(_Attributes(thing, fields.get(noun_of(thing), ())))
            self.marks += [_Attributes(effect, ()) for effect in getattr(thing, "effects", ())]
        self.rest = self._rest()

    def _rest(self) -> list[Any]:
        battle = self.battle
        rows: list[Any] = [battle.over, len(battle.used), len(battle.dynamics), len(battle.timed)]
        rows += map(id, battle.by_id.values())
        rows += [(id(shot), shot.skip) for shot in battle.one_shots]
        rows += [(id(e), e.until[4][0] if len(e.until) > 4 else 0) for e in battle.timed]
        rows += [(id(d), d.until[4][0] if len(d.until) > 4 else 0) for d in battle.dynamics]
        rows += [k.key for k in battle.rules.plugins.call("warhost_kept", battle=battle) if k is not None]
        return rows

    def has_changed(self) -> bool:
        """Whether anything is otherwise than it was."""
        return any(mark.has_changed() for mark in self.marks) or self._rest() != self.rest


class Steps:
    """Runs steps for whole batches.

    While it is at work the battle's things are of watched classes; `at_work` sees to it that they, and the whole state
    of the battle, are afterwards as they were.
    """

    def __init__(self, battle: Battle, interner: Interner, work: Work, most: float) -> None:
        """work: what may be done at all, most: with one step in one situation."""
        self.battle, self.interner, self.work, self.most = battle, interner, work, most
        self.base: dict[Key, Any] = {}
        self._watch = _Watch()
        self._classes: dict[tuple[type, str], type] = {}
        self._fields = {
            noun.name: frozenset(attribute(f.name) for f in noun.fields.values() if f.writable)
            for noun in battle.program.nouns.values()
        }
        # Turns and phases go on all the time, so they are no part of the structure: who reads them is watched.
        self._fields["battle"] |= {TURN, "phase"}
        self._structures: dict[Any, Structure] = {}
        self._stamps: dict[int, _Stamp] = {}
        self._current: Structure | None = None
        self.start: Structure | None = None
        #: The fields that stand in the battle as some row has them; the batch of the row, with its columns.
        self._placed: dict[Key, Any] = {}
        self._placing: tuple[Batch, list[tuple[Key, Column | list[Any]]]] | None = None
        self._fields_in: dict[Any, dict[str, Any]] = {}
        self._moment = battle.version
        #: Fields that somebody read before anything had been written to them.
        self.needed: set[Key] = set()
        #: Where somebody wants to know, the fields that are looked at.
        self.read: set[Key] | None = None

    # -- the battle as a place to try things -------------------------------------------------------

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The battle is ours inside, and as it was afterwards."""
        battle = self.battle
        whole = Checkpoint(battle)
        before = (battle.dice, battle.keeps_log)
        battle.keeps_log = False
        things = [*battle.by_id.values(), battle.battle, battle.scenario]
        classes = [(t, type(t)) for t in things]
        try:
            for thing in things:
                self._dress(thing)
            self.start = self._current = Structure(whole)
            yield
        finally:
            self._watch.on = False
            for thing, was in classes:
                thing.__class__ = was
            whole.restore()
            battle.version = self._moment + 1
            battle.dice, battle.keeps_log = before

    def _dress(self, thing: Any) -> None:
        noun = noun_of(thing)
        fields = self._fields.get(noun)
        if fields is None:
            return
        kind = (type(thing), noun)
        if kind not in self._classes:
            self._classes[kind] = _watched_class(kind[0], fields, self._watch)
        thing.__class__ = self._classes[kind]

    def _structure(self) -> Structure:
        """The structure as the battle stands, with every written field put back to what it was at first."""
        self._unplaced()
        snapshot = Checkpoint(self.battle)
        if not self._structures and self.start is not None:
            self._structures[self.start.snapshot.key()] = self.start
        return self._structures.setdefault(snapshot.key(), Structure(snapshot))

    def _stamp_before(self) -> _Stamp:
        """The stamp of the structure in which the battle is, before anything is run in it."""
        key = id(self._current)
        found = self._stamps.get(key)
        if found is None:
            found = self._stamps[key] = _Stamp(self.battle, self._fields)
        return found

    def enter(self, structure: Structure) -> None:
        """Put the battle into a structure."""
        if self._current is not structure:
            structure.snapshot.restore()
            self._unplaced()
            self._current = structure

    # -- one row -----------------------------------------------------------------------------------

    def value_of(self, batch: Batch, key: Key, row: int) -> Any:
        """A field or local in a row."""
        value = batch.data.get(key, _NOTHING)
        if value is not _NOTHING:
            return self.interner.item(value, row) if type(value) is np.ndarray else value
        if isinstance(key[0], int):
            return UNSET
        self.needed.add(key)
        if key in self.base:
            return self.base[key]
        self.enter(batch.structure)
        return getattr(key[0], key[1])

    @staticmethod
    def _root(step: RememberedStep, batch: Batch, depth: int) -> Hashable:
        """Where what is remembered of a step begins: by the structure, and by the things that it is about, as far as
        these are the same in all rows. What it looks at differs with them.
        """
        about = [batch.data.get((depth, name), UNSET) for name in step.inputs]
        return (id(batch.structure), *(id(one) if isinstance(one, Entity) else None for one in about))

    def _leaf(self, step: RememberedStep, root: Hashable, batch: Batch, depth: int, row: int) -> list[StepOutcome]:
        """How the step falls out in a row; run if it has not been run for one like it.

        The outcomes hang at the end of the way that the values read lead to. What is looked at on that way counts as
        read, too: a plugin that keeps answers may have looked at less this time.
        """
        above: dict[Any, Any] = step.roots
        way: Any = root
        passed: set[Key] = set()
        while True:
            at = above.get(way)
            if type(at) is _Node:
                passed.add(at.key)
                above, way = at.then, identity(self.value_of(batch, _here(at.key, depth), row))
                continue
            if at is None:
                break
            for number, (key, value) in enumerate(at.reads):
                here = identity(self.value_of(batch, _here(key, depth), row))
                passed.add(key)
                if here != identity(value):
                    above[way], last = at.parted(number, here)
                    above, way = last.then, here
                    break
            else:
                return at.outcomes  # type: ignore[no-any-return]
        step.leaves += 1
        if step.leaves > MOST_LEAVES:
            raise OutOfReachError(f"{step.title} meets more than {MOST_LEAVES:,} different situations")
        reads, outcomes = self._run(step, batch, depth, row)
        step.shapes.setdefault(root, {}).update(dict.fromkeys(reads))
        above[way] = _Rest([(key, value) for key, value in reads.items() if key not in passed], outcomes)
        return outcomes

    def _run(
        self, step: RememberedStep, batch: Batch, depth: int, row: int
    ) -> tuple[dict[Key, Any], list[StepOutcome]]:
        """Run a step in a row, along every path of its dice."""
        self.enter(batch.structure)
        battle, watch = self.battle, self._watch
        self._place(batch, row)
        args = [self.value_of(batch, (depth, name), row) for name in step.inputs]
        reads: dict[Key, Any] = {(0, name): value for name, value in zip(step.inputs, args, strict=True)}

        cost = STRUCTURAL_STEP if step.structural else STEP

        def once(dice: PathDice) -> tuple[Any, dict[Key, Any], Structure | None]:
            self.work.spend(cost)
            if self._placing is None:
                self._place(batch, row)
            battle.dice = dice
            battle.budget.reset()
            self._moment += 1
            battle.version = self._moment
            stamp = self._stamp_before() if step.structural else None
            watch.begin()
            try:
                result = battle.guarded(lambda: step.run(battle, *args))
            except Exception:
                self._undo(step.structural)
                raise
            finally:
                watch.on = False
            reads.update(watch.reads)  # the same on every path, which all begin alike
            self.needed |= watch.reads.keys() - batch.data.keys()
            return self._harvest(stamp, result)

        found = explore(once, int(min(MOST_PATHS, max(FEWEST_PATHS, self.most / cost))), step.title)
        self._moment += 1
        battle.version = self._moment
        return reads, _told_apart(found)

    def _place(self, batch: Batch, row: int) -> None:
        """Put the fields of a row into the battle. What all rows share stays there for the rows that follow."""
        interner = self.interner
        if self._placing is None or self._placing[0] is not batch:
            data = {k: v for k, v in batch.data.items() if type(k[0]) is not int}
            for key in [k for k in self._placed if k not in data]:
                self._put(key, self.base[key])
                del self._placed[key]
            varied: list[tuple[Key, Column | list[Any]]] = []
            for key, value in data.items():
                if type(value) is np.ndarray:
                    varied.append((key, interner.items(value, batch.n) if batch.n <= FEW_ROWS else value))
                elif key not in self._placed or self._placed[key] is not value or type(value) is list:
                    self._put(key, value)
                    self._placed[key] = value
            self._placing = (batch, varied)
        for key, column in self._placing[1]:
            value = column[row] if type(column) is list else interner.item(column, row)
            self._put(key, value)
            self._placed[key] = value

    def _put(self, key: Key, value: Any) -> None:
        """A declared field, as it stands in a thing itself: nobody is told."""
        fields = self._fields_in.get(key[0])
        if fields is None:
            fields = self._fields_in[key[0]] = key[0].__dict__
        fields[key[1]] = list(value) if type(value) is list else value

    def rest(self) -> None:
        """The battle as it was at first, besides its structure: for those who look at it themselves."""
        if self._placed:
            for key in self._placed:
                self._put(key, self.base[key])
            self._placed.clear()
            self._moment += 1
            self.battle.version = self._moment
        self._placing = None

    def _undo(self, structural: bool) -> None:
        """Put the battle back after a run of which nothing is kept. structural: it may have changed anything."""
        self._watch.on = False
        for key, before in self._watch.written.items():
            self._put(key, before)
        self._unplaced()
        entered = self._current
        if structural and entered is not None:
            self._current = None
            self.enter(entered)

    def played(self, batch: Batch, row: int, dice: DiceSource, structural: bool, play: Callable[[], Result]) -> Result:
        """What is found when the battle is played on from a row with such dice; afterwards it is put back.

        structural: play may change more than declared state. Raises RememberedError as a step does.
        """
        self.enter(batch.structure)
        self._place(batch, row)
        self.battle.dice = dice
        self.battle.version = self._moment = self._moment + 1
        watch = self._watch
        watch.begin()
        try:
            return play()
        finally:
            self.needed.update(k for k in watch.reads if k not in batch.data)
            self._moment = self.battle.version
            self._undo(structural)

    def _harvest(self, stamp: _Stamp | None, result: Any) -> tuple[Any, dict[Key, Any], Structure | None]:
        """What a run wrote, and the structure after it if that has changed; the battle is put back."""
        written = self._watch.written
        writes = {}
        for (thing, name), before in written.items():
            value = getattr(thing, name)
            self.base.setdefault((thing, name), before)
            writes[(thing, name)] = list(value) if type(value) is list else value
        structure: Structure | None = None
        if stamp is not None and stamp.has_changed():
            entered = self._current
            assert entered is not None
            after = self._structure()
            self._current = None
            self.enter(entered)
            structure = None if after is entered else after
        else:
            for key, before in written.items():
                self._put(key, before)
        return result, writes, structure

    def _unplaced(self) -> None:
        """Every field that was ever written is as it was at first."""
        for key, value in self.base.items():
            self._put(key, value)
        self._placed.clear()
        self._placing = None
        self._moment += 1
        self.battle.version = self._moment

    # -- all rows ------------------------------------------------------------------------------------

    def outcomes(self, step: RememberedStep, batch: Batch, depth: int) -> tuple[Column, list[list[StepOutcome]]]:
        """For each row the number of its kind, and how the step falls out for each kind."""
        data, root = batch.data, self._root(step, batch, depth)
        self._placing = None
        shape = step.shapes.get(root)
        if shape is None:
            shape = step.shapes[root] = {(0, name): None for name in step.inputs}
        while True:
            width = len(shape)
            columns: list[Column] = []
            form: list[Any] = [root]
            for key in shape:
                value = data.get(_here(key, depth), UNSET)
                if isinstance(value, np.ndarray):
                    columns.append(value)
                    form.append(value.dtype.char)
                else:
                    form.append(identity(value))
            first, back = kinds(columns, batch.n)
            known = step.known.setdefault(tuple(form), {})
            leaves: list[list[StepOutcome]] = []
            for row, name in zip(first.tolist(), _names(columns, first), strict=True):
                leaf = known.get(name)
                if leaf is None:
                    leaf = self._leaf(step, root, batch, depth, row)
                    if len(shape) > width:
                        break
                    known[name] = leaf
                leaves.append(leaf)
            if len(shape) == width:
                if self.read is not None:
                    self.read.update(k for k in shape if not isinstance(k[0], int))
                return back, leaves


def _names(columns: Sequence[Column], rows: Column) -> list[bytes]:
    """What tells the rows named from others, for each of them."""
    if not columns:
        return [b""] * len(rows)
    table = np.empty((len(rows), len(columns)), dtype=np.int64)
    for i, column in enumerate(columns):
        table[:, i] = column.take(rows)
    return [row.tobytes() for row in table]


def _told_apart(found: Sequence[tuple[float, tuple[Any, dict[Key, Any], Structure | None]]]) -> list[StepOutcome]:
    """The outcomes of all paths; those that come to the same are one."""
    if len(found) == 1:
        return [StepOutcome(chance, *outcome) for chance, outcome in found]
    outcomes: dict[Any, StepOutcome] = {}
    for chance, (result, writes, structure) in found:
        key = (
            identity(result), id(structure),
            frozenset((id(thing), name, identity(value)) for (thing, name), value in writes.items()),
        )  # fmt: skip
        if key in outcomes:
            outcomes[key].chance += chance
        else:
            outcomes[key] = StepOutcome(chance, result, writes, structure)
    return list(outcomes.values())


def _here(key: Key, depth: int) -> Key:
    """A key of a step's shape at some depth: its locals are remembered at depth 0."""
    return (depth, key[1]) if type(key[0]) is int else key


__all__ = ["Recipe", "RememberedStep", "RuleFault", "StepOutcome", "Steps", "Structure", "WarhostError"]
