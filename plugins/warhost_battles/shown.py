"""What a ruleset has shown of its units and of the battle as a whole: `picture` in its manifest.

    picture: {strength: hull, start: timbers, marks: state_of, battle: weather}

Every list of units, map, heading and report shows it, whichever board plugin draws the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warhost.engine.battle import Battle


def strength_of(battle: Battle, unit: Any) -> tuple[int, int]:
    """How strong a unit is and was at the start: as the ruleset says, else its figures or models, and its size."""
    size = getattr(unit, "size", 1)
    usual = {"strength": getattr(unit, "figures", getattr(unit, "models", size)), "start": size}
    found = usual | {key: value for key in usual if (value := _asked(battle, key, unit)) is not None}
    return int(found["strength"]), int(found["start"])


def marks_said(battle: Battle, unit: Any) -> list[str] | None:
    """What the ruleset's own value says of a unit, at the commas; None without one."""
    text = _asked(battle, "marks", unit)
    return None if text is None else [mark.strip() for mark in str(text).split(",") if mark.strip()]


def state_of(battle: Battle) -> str:
    """What the ruleset's own value says of the battle as a whole; "" without one."""
    name = _wished(battle).get("battle")
    return str(battle.ask(name)).strip() if name is not None and name in battle.program.numbers else ""


def said_of(battle: Battle, row: Mapping[str, Any]) -> dict[str, Any]:
    """A unit's row of a picture as the ruleset wants it.

    Behind the ruleset's marks stay those of the row that are state which is reset anyway: reports do not draw them.
    """
    unit, found = battle.by_id.get(str(row.get("id"))), dict(row)
    wished = _wished(battle)
    if unit is None or not wished:
        return found
    strengths = dict(zip(("strength", "start"), strength_of(battle, unit), strict=True))
    found |= {key: value for key, value in strengths.items() if key in wished}
    said = marks_said(battle, unit)
    if said is not None:
        fields = battle.program.nouns["unit"].fields
        passing = {name.replace("_", " ") for name, field in fields.items() if field.resets is not None}
        found["marks"] = [*said, *(mark for mark in row.get("marks") or () if mark in passing)]
    aimed_at = getattr(getattr(unit, str(wished.get("aims")), None), "id", None)
    if aimed_at is not None:
        found["aims"] = aimed_at
    pips = _asked(battle, "pips", unit)
    if pips is not None:
        found["pips"] = int(pips)
    return found


def _asked(battle: Battle, key: str, unit: Any) -> Any:
    """A field of a unit, or a number or value of it, that `picture` names; None where it names none."""
    name = _wished(battle).get(key)
    if name is None:
        return None
    if name in battle.program.numbers:
        return battle.ask(name, unit)
    return getattr(unit, name) if name in battle.program.nouns["unit"].fields else None


def _wished(battle: Battle) -> Mapping[str, str]:
    found = battle.rules.manifest.get("picture")
    return found if isinstance(found, Mapping) else {}
