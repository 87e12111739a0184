"""The things of a battle: made, taken off the table and put back; and definitions as values."""

from __future__ import annotations

from typing import Any

from warhost.engine.budget import THING, Budget
from warhost.engine.entities import DefinitionValue, Entity, Side
from warhost.engine.state import State
from warhost.engine.writes import Writes
from warhost.errors import RuleFault
from warhost.lang import ir
from warhost.lang.program import FieldInfo
from warhost.lang.python_backend import attribute
from warhost.lang.runtime import Runtime
from warhost.limits import how_to_raise, limit

_NOTHING: dict[str, Any] = {"number": 0, "fraction": 0, "distance": 0, "yes_no": False, "text": ""}


class _Start:
    """How a field begins: is_plain: with a value that is not computed."""

    __slots__ = ("attribute", "info", "is_list", "is_plain", "name", "nothing", "value")

    def __init__(self, info: FieldInfo) -> None:
        self.info, self.name, self.attribute = info, info.name, attribute(info.name)
        self.is_list, self.nothing = info.type.kind == "list", nothing(info)
        default = info.default.value if info.default is not None else None
        self.is_plain = isinstance(default, ir.Const)
        self.value = default.value if isinstance(default, ir.Const) else None


class Things:
    """Makes and removes things."""

    __slots__ = ("_definitions", "_fields", "budget", "rt", "state", "writes")

    def __init__(self, state: State, rt: Runtime, budget: Budget, writes: Writes) -> None:
        self.state, self.rt, self.budget, self.writes = state, rt, budget, writes
        self._definitions: dict[tuple[str, str], DefinitionValue] = {}
        self._fields: dict[str, list[_Start]] = {}

    def create(self, noun: str, id: str, name: str, **values: Any) -> Entity:
        """A new entity of a noun; values are read-only fields, state starts as declared."""
        state = self.state
        if id in state.by_id:
            raise RuleFault(f'there are two things called "{id}"')
        state.things_made += 1
        if state.things_made > limit("things"):
            raise RuleFault(f"too many things are made in one battle; {how_to_raise('things')}")
        self.budget.spend(THING + len(state.everyone.get(noun, ())))
        state.version += 1
        number = state.things_made
        entity = Side(id, name, number) if noun == "side" else Entity(noun, id, name, number)
        state.by_id[id] = entity
        state.everyone.setdefault(noun, []).append(entity)
        for key, value in values.items():
            setattr(entity, attribute(key), value)
        self.start_state(entity, noun, values)
        return entity

    def start_state(self, entity: Any, noun: str, given: Any = ()) -> None:
        """Give every declared field that is not given its default."""
        self.state.version += 1
        watched = self.state.code.watched
        fields = self._fields.get(noun)
        if fields is None:
            fields = self._fields[noun] = [_Start(info) for info in self.state.program.nouns[noun].fields.values()]
        for one in fields:
            if one.name not in given:
                setattr(entity, one.attribute, [] if one.is_list else one.nothing)
        for one in fields:
            if one.info.default is None or one.name in given:
                continue
            if one.is_plain and not watched:
                setattr(entity, one.attribute, one.value)
            else:
                self.start_field(entity, one.info, entity)

    def start_field(self, entity: Any, info: FieldInfo, *of: Any) -> None:
        """Give a field its default, which is computed of some things, or nothing if it has none."""
        code, default = self.state.code, info.default
        if default is None:
            value = nothing(info)
        elif isinstance(default.value, ir.Const) and not code.watched:
            value = default.value.value
        else:
            value = code.function(default)(self.rt, *of)
        setattr(entity, attribute(info.name), value)

    def remove(self, entity: Entity) -> None:
        """Take an entity off the table: it keeps its state but is no longer among its noun."""
        if entity._gone or self.writes.waits(lambda: self.remove(entity)):
            return
        entity._gone = True
        entity._unborn = entity._unborn and not entity._placed
        self.state.version += 1
        for part in entity._parts:
            self.remove(part)
        crowd = self.state.everyone[entity._noun]
        if entity in crowd:
            crowd.remove(entity)
        if isinstance(getattr(entity, "side", None), Side) and entity in entity.side.units:
            entity.side.units.remove(entity)

    def put_back(self, entity: Entity) -> None:
        """Return an entity that was taken off, at its old place in every order."""
        if not entity._gone or self.writes.waits(lambda: self.put_back(entity)):
            return
        entity._gone = False
        self.state.version += 1
        for part in entity._parts:
            self.put_back(part)
        crowds = [self.state.everyone[entity._noun]]
        if entity._whole is None and isinstance(getattr(entity, "side", None), Side):
            crowds.append(entity.side.units)
        for crowd in crowds:
            crowd.append(entity)
            crowd.sort(key=lambda e: e._index)

    def definition(self, kind: str, title: str) -> DefinitionValue:
        """A definition as a value."""
        key = (kind, title)
        found = self._definitions.get(key)
        if found is None:
            d = self.state.program.definitions[key]
            declared = self.state.program.kinds[kind]
            flags = {f: f in d.flags for f in declared.flags}
            values = {f.name: d.values.get(f.name, f.default) for f in declared.fields}
            found = self._definitions[key] = DefinitionValue(d, flags, values)
        return found

    def definitions_of(self, kind: str) -> list[DefinitionValue]:
        """All definitions of a kind, as values."""
        known = self.state.program.definitions
        return [self.definition(k, t) for (k, t), d in known.items() if k == kind and not d.variants]


def nothing(info: FieldInfo) -> Any:
    """The value of a field without a default."""
    if info.type.kind == "list":
        return []
    return None if info.type.optional else _NOTHING.get(info.type.kind)
