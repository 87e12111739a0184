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
from warhost.lang.symbols import Definition

#: What counts for the identity of things but not for what may become of them.
_NOT_IN_KEYS = frozenset({"_index", "_mask", "_live", "_titles", "_place"})

#: Counters and tables of the battle itself that follow from the rest, or only count what has happened.
_NOT_IN_OWN_KEY = frozenset(
    {
        "steps", "things_made", "effects_made", "decisions_made", "loose_mask", "by_id", "everyone", "faces",
        "live_handlers", "live_reactions", "live_narrowings", "live_rights", "live_moments", "loose",
    }
)  # fmt: skip


class Checkpoint:
    """A battle as it is now. Any number of restores, in any order among several checkpoints of one battle."""

    def __init__(self, battle: State) -> None:
        self.battle = battle
        self._own: dict[str, Any] = {name: getattr(battle, name) for name in KEPT}
        self._things: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._slotted: dict[int, tuple[Any, tuple[tuple[str, Any], ...]]] = {}
        self._lists: dict[int, tuple[list[Any], list[Any]]] = {}
        self._dicts: dict[int, tuple[dict[Any, Any], dict[Any, Any]]] = {}
        self._sets: dict[int, tuple[set[Any], set[Any]]] = {}
        self._dice = (battle.dice, battle.dice.thrown)
        self._log = list(battle.log)
        self._walk(list(self._own.values()))
        self._kept = [k for k in battle.rules.plugins.call("warhost_kept", battle=battle) if k is not None]

    # -- keeping -----------------------------------------------------------------------------------

    def _walk(self, pending: list[Any]) -> None:
        """Keep everything that can be reached and can change."""
        while pending:
            value = pending.pop()
            if isinstance(value, Entity | Record):
                if id(value) not in self._things:
                    held = dict(vars(value))
                    self._things[id(value)] = (value, held)
                    pending.extend(held.values())
            elif isinstance(value, list):
                if id(value) not in self._lists:
                    self._lists[id(value)] = (value, list(value))
                    pending.extend(value)
            elif isinstance(value, dict):
                if id(value) not in self._dicts:
                    self._dicts[id(value)] = (value, dict(value))
                    pending.extend(value.values())
            elif isinstance(value, tuple):
                pending.extend(value)
            elif isinstance(value, Dynamic | OneShot):
                if id(value) not in self._slotted:
                    row = tuple((name, getattr(value, name)) for name in value.__slots__)
                    self._slotted[id(value)] = (value, row)
                    pending.extend(held for _, held in row)
            elif isinstance(value, set) and id(value) not in self._sets:
                self._sets[id(value)] = (value, set(value))

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
        for items, before in self._lists.values():
            items[:] = before
        for table, rows in self._dicts.values():
            if table.keys() != rows.keys():
                table.clear()
            table.update(rows)
        for known, members in self._sets.values():
            known.clear()
            known.update(members)
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
        by_id: dict[str, Any] = self.kept._dicts[id(own["by_id"])][1]
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

    def plain(self, value: Any) -> Hashable:
        """A value without identity."""
        if value is None or isinstance(value, bool | int | str | float | Fraction):
            return value
        if isinstance(value, Effect | Record):
            return ("thing", self.numbered(value))
        if isinstance(value, Entity):
            return ("thing", value.id)
        if isinstance(value, list):
            return ("list", *map(self.plain, self.kept._lists[id(value)][1]))
        if isinstance(value, tuple):
            return tuple(map(self.plain, value))
        if isinstance(value, dict):
            rows = self.kept._dicts[id(value)][1]
            return ("table", *sorted(((repr(self.plain(k)), self.plain(v)) for k, v in rows.items()), key=_first))
        if isinstance(value, set):
            return ("set", *sorted(repr(self.plain(v)) for v in self.kept._sets[id(value)][1]))
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
