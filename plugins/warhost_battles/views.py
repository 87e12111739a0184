"""A battle as one side may know it: its records as JSON Lines, and how it ended.

Nothing in it leads to what is hidden: no seed and no digest of the state (both would let somebody try out hands until
one fits), no decision of another side, no numbers that count what the side may not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from warhost.engine.audience import view_of
from warhost_battles.journal import header_of

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.entities import Side

FORMAT = 1

#: Seeds below this can be tried out by whoever has the rules, the armies and some dice of the battle.
GUESSED = 2**64

#: What of a journal's header a side may know.
_OPEN = ("warhost", "ruleset", "armies", "names", "scenario")
#: What of a battle's result a side may not know: they count what happened to hidden things, or are digests of them.
_HIDDEN = ("seed", "decisions", "rolls", "state_hash")


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
