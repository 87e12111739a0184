"""A moment of a battle that can come back: everything that rules and plugins can change, kept and put back.

    before = Checkpoint(battle)
    ...                        # anything: fights, deaths, units that come and go, effects
    before.restore()

What a checkpoint leaves alone is chance (the source of the dice: give the battle one), the players, the compiled rules
and the rules' own caches. The battle's version never goes back, so that nobody takes an old answer for a new one.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from warhost.engine.entities import DefinitionValue, Effect, Entity, Record
from warhost.engine.state import KEPT, Dynamic, OneShot, State
from warhost.lang import ir
from warhost.lang.program import Definition

#: What counts for the identity of things but not for what may become of them.
_NOT_IN_KEYS = frozenset({"_index", "_mask", "_live", "_titles", "_place"})

#: Counters and tables of the battle itself that follow from the rest, or only count what has happened.
_NOT_IN_OWN_KEY = frozenset(
    {
        "steps", "things_made", "effects_made", "decisions_made", "loose_mask", "by_id", "everyone", "faces",
        "live_handlers", "live_reactions", "live_narrowings", "live_rights", "live_moments", "loose",
    }
)  # fmt: skip


_UNKNOWN = object()
#: How values of a class are kept, by class: as a thing with fields, one of the containers, or one with slots; None: a
#: value that does not change, or nothing of the battle.
_KINDS: dict[type, Any] = {}
_CONTAINERS = (list, dict, set)
#: What most values are, and what others may be of (a union would be made anew for each value).
_PLAIN = frozenset((type(None), bool, int, str))
_NUMBERS_AND_TEXTS = (int, str, float, Fraction)


def _kind_of(of: type) -> type | None:
    for kind in (Entity, Record, list, dict, tuple, Dynamic, OneShot, set):
        if issubclass(of, kind):
            return {Record: Entity, OneShot: Dynamic}.get(kind, kind)
    return None


class Checkpoint:
    """A battle as it is now. Any number of restores, in any order among several checkpoints of one battle."""

    def __init__(self, battle: State) -> None:
        self.battle = battle
        self._own: dict[str, Any] = {name: getattr(battle, name) for name in KEPT}
        self._things: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._slotted: dict[int, tuple[Any, tuple[tuple[str, Any], ...]]] = {}
        #: Lists, tables and sets with what is in them, and those (most of them) in which there is nothing.
        self._filled: dict[int, tuple[Any, Any]] = {}
        self._empty: dict[int, Any] = {}
        self._dice = (battle.dice, battle.dice.thrown)
        self._log = list(battle.log)
        self._walk(list(self._own.values()))
        self._kept = [k for k in battle.rules.plugins.call("warhost_kept", battle=battle) if k is not None]

    # -- keeping -----------------------------------------------------------------------------------

    def _walk(self, pending: list[Any]) -> None:
        """Keep everything that can be reached and can change. Most of what is met is plain values: they go first."""
        while pending:
            value = pending.pop()
            kind = _KINDS.get(type(value), _UNKNOWN)
            if kind is None:
                continue
            if kind is _UNKNOWN:
                kind = _KINDS[type(value)] = _kind_of(type(value))
                pending.append(value)
            elif kind is tuple:
                pending.extend(value)
            elif kind is Entity:
                if id(value) not in self._things:
                    held = vars(value).copy()
                    self._things[id(value)] = (value, held)
                    pending.extend(held.values())
            elif kind in _CONTAINERS:
                if not value:
                    self._empty[id(value)] = value
                elif id(value) not in self._filled:
                    self._filled[id(value)] = (value, value.copy())
                    pending.extend(value.values() if kind is dict else value)
            elif id(value) not in self._slotted:
                row = tuple((name, getattr(value, name)) for name in value.__slots__)
                self._slotted[id(value)] = (value, row)
                pending.extend(held for _, held in row)

    # -- putting back ------------------------------------------------------------------------------

    def restore(self) -> None:
        """The battle is again as it was."""
        battle = self.battle
        for thing, held in self._things.values():
            now = thing.__dict__
            now.update(held)
            if len(now) != len(held):
                for name in [name for name in now if name not in held]:
                    del now[name]
        for container in self._empty.values():
            container.clear()
        for container, before in self._filled.values():
            if type(before) is list:
                container[:] = before
            else:
                container.clear()
                container.update(before)
        for one, row in self._slotted.values():
            for name, value in row:
                setattr(one, name, value)
        for name, value in self._own.items():
            setattr(battle, name, value)
        battle.dice, battle.dice.thrown = self._dice
        battle.log[:] = self._log
        for kept in self._kept:
            kept.put_back()
        battle.version += 1

    # -- comparing ---------------------------------------------------------------------------------

    def key(self) -> Hashable:
        """Equal for moments of one battle from which equal dice lead to the same: the state without what it is called
        and how it came about (dice thrown so far, numbers of effects). Steps that wait for later are told apart by
        identity.
        """
        return _Key(self).made(tuple(kept.key for kept in self._kept))


class _Key:
    """Makes the key of a checkpoint from what it holds. Things with an id of their own keep it, others are numbered."""

    def __init__(self, kept: Checkpoint) -> None:
        self.kept = kept
        self.numbers: dict[int, int] = {}
        self.waiting: list[Any] = []

    def made(self, of_plugins: tuple[Hashable, ...]) -> Hashable:
        own = self.kept._own
        by_id: dict[str, Any] = self.held(own["by_id"])
        rows = [self.row(thing) for thing in by_id.values()]
        mine = tuple((name, self.plain(own[name])) for name in sorted(own) if name not in _NOT_IN_OWN_KEY)
        while self.waiting:
            rows.append(self.row(self.waiting.pop(0)))
        return (tuple(rows), mine, of_plugins)

    def row(self, thing: Any) -> Hashable:
        fields = self.kept._things[id(thing)][1]
        nameless = isinstance(thing, Effect)
        return tuple(
            (name, self.plain(fields[name]))
            for name in sorted(fields)
            if name not in _NOT_IN_KEYS and not (nameless and name == "id")
        )

    def held(self, container: Any) -> Any:
        """What was in a list, table or set."""
        found = self.kept._filled.get(id(container))
        return found[1] if found is not None else type(container)()

    def plain(self, value: Any) -> Hashable:
        """A value without identity."""
        if type(value) in _PLAIN or isinstance(value, _NUMBERS_AND_TEXTS):
            return value  # type: ignore[no-any-return]
        if isinstance(value, Effect | Record):
            return ("thing", self.numbered(value))
        if isinstance(value, Entity):
            return ("thing", value.id)
        if isinstance(value, list):
            return ("list", *map(self.plain, self.held(value)))
        if isinstance(value, tuple):
            return tuple(map(self.plain, value))
        if isinstance(value, dict):
            rows = self.held(value).items()
            return ("table", *sorted(((repr(self.plain(k)), self.plain(v)) for k, v in rows), key=_first))
        if isinstance(value, set):
            return ("set", *sorted(repr(self.plain(v)) for v in self.held(value)))
        if isinstance(value, Dynamic | OneShot):
            return tuple(self.plain(held) for _, held in self.kept._slotted[id(value)][1])
        if isinstance(value, DefinitionValue):
            return ("definition", value.kind, value.name)
        if isinstance(value, Definition):
            return ("definition", value.kind, value.title)
        if isinstance(value, ir.Template):
            return ("template", value.key)
        return ("object", id(value))

    def numbered(self, thing: Any) -> int:
        number = self.numbers.get(id(thing))
        if number is None:
            number = self.numbers[id(thing)] = len(self.numbers)
            self.waiting.append(thing)
        return number


def _first(row: tuple[str, Hashable]) -> str:
    return row[0]
