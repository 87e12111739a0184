"""A battle as one side may know it: its records as JSON Lines, and how it ended.

Nothing in it leads to what is hidden: no seed and no digest of the state (both would let somebody try out hands until
one fits), no decision of another side, no numbers that count what the side may not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from warhost_battles.journal import header_of

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.entities import Side
    from warhost.engine.state import State

FORMAT = 1

#: Seeds below this can be tried out by whoever has the rules, the armies and some dice of the battle.
GUESSED = 2**64

#: Keys of a record that nobody but the umpire reads.
_UMPIRES = frozenset({"why", "views"})
#: What of a journal's header a side may know.
_OPEN = ("warhost", "ruleset", "armies", "names", "scenario")
#: What of a battle's result a side may not know: they count what happened to hidden things, or are digests of them.
_HIDDEN = ("seed", "decisions", "rolls", "state_hash")


def seen_by(record: Mapping[str, Any], side: Side) -> dict[str, Any] | None:
    """A record of the log as a side may read it, or None when it is not for that side."""
    if record["kind"] == "decision" and record["side"] != side.name:
        return None
    seen = {key: value for key, value in record.items() if key not in _UMPIRES}
    for key, value in record.get("views", {}).get(side.id, {}).items():
        if value is None:
            del seen[key]
        else:
            seen[key] = value
    return None if seen["kind"] == "say" and "text" not in seen else seen


def view_of(records: Iterable[Mapping[str, Any]], side: Side) -> Iterator[dict[str, Any]]:
    """The records that a side may read, as they come; their numbers are those of the whole log."""
    for record in records:
        seen = seen_by(record, side)
        if seen is not None:
            yield seen


def seen_picture(battle: State, picture: Mapping[str, Any], side: Side) -> dict[str, Any]:
    """The table as a side may see it: what is drawn of things that it does not know is left out."""
    unknown = {id for id, knowing in battle.hidden.items() if side not in knowing}
    return {key: _without(value, unknown) for key, value in picture.items()} if unknown else dict(picture)


def _without(value: Any, unknown: set[str]) -> Any:
    if isinstance(value, list | tuple):
        return [_without(one, unknown) for one in value if not _is_of(one, unknown)]
    if isinstance(value, Mapping):
        return {key: _without(one, unknown) for key, one in value.items()}
    return value


def _is_of(value: Any, unknown: set[str]) -> bool:
    return isinstance(value, Mapping) and value.get("id") in unknown


def view_lines(battle: Battle, side: Side, records: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The lines of a view: a header, then the records that the side may read, numbered anew."""
    header = header_of(battle, ())
    yield {"view": FORMAT, "side": side.name, **{key: header[key] for key in _OPEN}}
    for n, record in enumerate(view_of(records, side)):
        yield {**record, "n": n}


def seen_result(side: Side, result: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a battle as a side may know it."""
    return {"view": side.name, **{key: value for key, value in result.items() if key not in _HIDDEN}}


__all__ = ["FORMAT", "GUESSED", "seen_result", "view_lines"]
