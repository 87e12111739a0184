"""Who may know what: things that are hidden from some, and what the log tells to whom.

A thing (a card in a hand, a marker that lies face down) can be hidden: then only some sides know it, or nobody does.
The log holds everything. Where a record would tell a side what it may not know, the record carries under `views` what
that side has instead (warhost_battles/views.py reads it so). Of what the others were asked to decide a side reads
nothing: what they did is told by what happened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from warhost.engine.entities import Entity, Side
from warhost.engine.standing import KeptAnswers
from warhost.engine.state import State

#: What stands in a record for a thing that its reader may not know.
HIDDEN = "(hidden)"

#: Keys of a record that tell nothing of any thing, or (why) are in no view at all.
_PLAIN = frozenset({"n", "turn", "phase", "kind", "why"})


class Unseen(Exception):  # noqa: N818 (not an error of anybody)
    """A sentence asks for something that its reader may not know."""


class Veiled(Entity):
    """A hidden thing while a sentence is made for somebody who may not know it: only its open fields can be read."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        if name in ("name", "label"):
            return str(self)
        if name == "id":
            return HIDDEN
        if name in object.__getattribute__(self, "_open"):
            return object.__getattribute__(self, name)
        raise Unseen(name)

    def __str__(self) -> str:
        return f"a hidden {self._noun.replace('_', ' ')}"


# -- what the log tells to whom -----------------------------------------------------------------------------


def views(battle: State, record: Mapping[str, Any], told: Callable[[], str] | None) -> dict[str, Any]:
    """What sides have instead of a record: by side id, the keys that differ, None for what they do not have.

    told makes the record's text anew.
    """
    found: dict[str, Any] = {}
    hidden = battle.hidden
    told_of = {key: value for key, value in record.items() if key not in _PLAIN and _mentions(value, hidden)}
    if not told_of and told is None:
        return found
    for side in battle.sides:
        changed = {key: _masked(value, hidden, side) for key, value in told_of.items()}
        if told is not None:
            unknown = [battle.by_id[id] for id, knowing in hidden.items() if side not in knowing]
            changed["text"] = _retold(battle, unknown, told)
        changed = {key: value for key, value in changed.items() if value != record[key]}
        if changed:
            found[side.id] = changed
    return found


def told_to(battle: State, side: Side, told: Callable[[], str]) -> str:
    """A sentence as a side may read it, leaving no trace in the battle; "" when it cannot be told to that side."""
    unknown = [battle.by_id[id] for id, knowing in battle.hidden.items() if side not in knowing]
    return _retold(battle, unknown, told) or ""


def _mentions(value: Any, hidden: Mapping[str, Any]) -> bool:
    """Whether a value of a record has the id of a hidden thing anywhere."""
    if isinstance(value, str):
        return value in hidden
    if isinstance(value, list | tuple):
        return any(_mentions(one, hidden) for one in value)
    return isinstance(value, Mapping) and any(_mentions(one, hidden) for one in value.values())


def _masked(value: Any, hidden: Mapping[str, tuple[Side, ...]], side: Side) -> Any:
    """A value of a record without the things that a side does not know."""
    if isinstance(value, str):
        return HIDDEN if value in hidden and side not in hidden[value] else value
    if isinstance(value, list | tuple):
        return [_masked(one, hidden, side) for one in value]
    if isinstance(value, Mapping):
        return {key: _masked(one, hidden, side) for key, one in value.items()}
    return value


def _retold(battle: State, unknown: list[Entity], told: Callable[[], str]) -> str | None:
    """A sentence as it is for those who do not know some things; None when it cannot be told to them."""
    with _veiled(battle, unknown):
        try:
            return _counted(told(), battle)
        except Unseen:
            return None


def _counted(text: str, battle: State) -> str:
    """Hidden things named one after the other are counted."""

    def count(found: re.Match[str]) -> str:
        noun = found[1].replace(" ", "_")
        plural = battle.program.nouns[noun].plural if noun in battle.program.nouns else ""
        return f"{found[0].count(',') + 1} hidden {plural.replace('_', ' ') or found[1]}"

    return re.sub(r"a hidden ([a-z ]+)(?:, a hidden \1)+", count, text)


@contextmanager
def _veiled(battle: State, unknown: list[Entity]) -> Iterator[None]:
    """What is computed meanwhile sees of the things only what is open, and leaves no trace."""
    kept, trace, uses = battle.kept, battle.trace, battle.uses
    battle.kept, battle.trace, battle.uses = KeptAnswers(battle), [], None
    classes = [type(thing) for thing in unknown]
    for thing in unknown:
        object.__setattr__(thing, "__class__", Veiled)
    try:
        yield
    finally:
        for thing, before in zip(unknown, classes, strict=True):
            object.__setattr__(thing, "__class__", before)
        battle.kept, battle.trace, battle.uses = kept, trace, uses
