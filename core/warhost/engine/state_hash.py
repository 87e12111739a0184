"""A digest of a battle's state: equal states, equal digests, on every machine."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from warhost.lang.python_backend import attribute

if TYPE_CHECKING:
    from warhost.engine.entities import Effect
    from warhost.engine.state import State
    from warhost.lang.program import Noun


def plain_state(battle: State) -> dict[str, Any]:
    """The whole state as plain data: clock, dice thrown, and every thing with its fields and what it bears."""
    things = []
    fields_of = {noun: _fields(info) for noun, info in battle.program.nouns.items()}
    for entity in battle.by_id.values():
        fields = {n: plain(getattr(entity, at, None)) for n, at in fields_of.get(entity._noun, ())}
        borne = [_effect(e) for e in entity._borne]
        things.append([entity._noun, entity.id, entity._gone, fields, borne])
    clock = {n: plain(getattr(battle.battle, at, None)) for n, at in fields_of["battle"]}
    hidden = {id: plain(knowing) for id, knowing in battle.hidden.items()}
    return {
        **({"hidden": hidden} if hidden else {}),
        "turn": battle.battle.turn, "phase": battle.battle.phase, "dice": battle.dice.thrown,
        "over": battle.over, "battle": clock, "things": things,
        "in force": [[d.template.key, plain(d.captured), plain(d.pins), _until(d.until)] for d in battle.dynamics],
        "waiting": [[shot.when[0], shot.when[1], plain(shot.when[2]), shot.skip] for shot in battle.one_shots],
    }  # fmt: skip


def _fields(noun: Noun) -> list[tuple[str, str]]:
    """The fields of a noun in order, each with its Python attribute."""
    return [(name, attribute(name)) for name in sorted(noun.fields)]


def _effect(e: Effect) -> list[Any]:
    """An effect in force: what it is, of whom, with what, and until when."""
    names = [p.name for p in e.definition.params] + sorted(e.definition.keeps)
    values = [plain(getattr(e, attribute(n), None)) for n in names]
    return [e.kind, e.name, plain(e.giver), plain(getattr(e, "target", None)), values, _until(e.until)]


def _until(until: Any) -> list[Any]:
    """A deadline without the functions that a `while` carries."""
    return [plain(part) for part in until if not callable(part)]


def plain(value: Any) -> Any:
    """A value without identity: things by id, measures rounded to a thousandth of a thousandth."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return round(value, 6) + 0.0
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return getattr(value, "id", None) or str(value)


def state_hash(battle: State) -> str:
    """Hexadecimal SHA-256 of the state."""
    text = json.dumps(plain_state(battle), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
