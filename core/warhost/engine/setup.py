"""Laying out a battle: sides, units with their profiles and what they bear, the scenario and the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from warhost.engine.entities import Entity, Record, Side
from warhost.engine.things import Things
from warhost.engine.writes import Writes
from warhost.errors import RuleFault, UsageError, did_you_mean
from warhost.hookspecs import typed
from warhost.lang.program import Program
from warhost.lang.python_backend import attribute
from warhost.lang.types import Type
from warhost.packs.contents import seats_said
from warhost.packs.data import bearing_of, read_bearings
from warhost.packs.entries import UnitEntry, numbered, to_plain

if TYPE_CHECKING:
    from warhost.engine.forces import Force
    from warhost.packs.ruleset import Ruleset


class SetupBattle(Protocol):
    """What is asked of a battle by those who lay it out, and add to it later."""

    rules: Ruleset
    program: Program
    code: Any
    version: int
    by_id: dict[str, Entity]
    sides: list[Side]
    side_a: Any
    side_b: Any
    scenario: Record
    scenario_data: dict[str, Any]
    battle: Record

    @property
    def things(self) -> Things:
        """Makes the things of the battle."""

    @property
    def writes(self) -> Writes:
        """Writes their fields."""

    def give(self, kind: str, title: str, args: tuple[Any, ...], to: Any) -> Any:
        """Let something bear a definition from now on."""


def lay_out(
    battle: SetupBattle, forces: Sequence[Force], scenario: str | Mapping[str, Any] | None, names: Sequence[str]
) -> None:
    """Everything that stands before the set-up phases."""
    data = scenario_data(battle.rules, scenario, len(forces))
    battle.scenario = Record("scenario")
    _scenario_fields(battle, data)
    battle.scenario_data = data
    battle.battle.over, battle.battle.winner, battle.battle.reason = False, None, ""
    for i, army in enumerate(forces):
        name = names[i] if i < len(names) and names[i] else army.name
        if any(s.name == name for s in battle.sides):
            name = f"{name} ({i + 1})"
        side = battle.things.create("side", f"side_{i + 1}", name)
        assert isinstance(side, Side)
        side.index = i + 1
        battle.sides.append(side)
    if battle.sides:
        battle.side_a, battle.side_b = battle.sides[0], battle.sides[-1]
        battle.side_a.enemy, battle.side_b.enemy = battle.side_b, battle.side_a
    armies = [one for army in forces for one in (army, *army.allies)]
    titles = iter(numbered([entry.name for one in armies for entry in one.units]))
    for side, army in zip(battle.sides, forces, strict=True):
        for one in (army, *army.allies):
            mustered = {e.id: muster(battle, side, replace(e, name=next(titles))) for e in one.units}
            for entry in one.units:
                for name, target in entry.links.items():
                    battle.writes.put(mustered[entry.id], attribute(name), mustered.get(target))
        side.army = army_record(battle, side, army)
        _take_from_list(battle, side, army.list)
    battle.things.start_state(battle.battle, "battle", {"turn", "phase"})
    battle.rules.plugins.call("warhost_board", battle=battle, board=data.get("board", {}))


def _take_from_list(battle: SetupBattle, side: Side, list_id: str) -> None:
    """What an army list says of the whole side: fields that begin otherwise, and what the side bears."""
    element = battle.rules.lists.get(list_id)
    if element is None:
        return
    fields = battle.program.nouns["side"].fields
    for name, value in to_plain(element.data.get("side", {})).items():
        setattr(side, attribute(name), typed(value, fields[name].type))
    for kind in battle.program.kinds.values():
        for text in element.data.get(kind.plural, ()) if kind.bearer == "side" else ():
            bearing = bearing_of(str(text))
            _bear(battle, side, kind.name, (bearing.name, tuple(bearing.args)) if bearing else (str(text), ()))


def scenario_data(rules: Any, scenario: str | Mapping[str, Any] | None, sides: int = 2) -> dict[str, Any]:
    """A scenario by id, or as data; when none is named the ruleset's first one for so many sides, else its first."""
    if isinstance(scenario, Mapping):
        return dict(to_plain(scenario))
    if scenario is None:
        if not rules.scenarios:
            return {"id": "bare", "name": "A bare table"}
        fits = {name: seats(rules, found.data) for name, found in rules.scenarios.items()}
        fitting = [name for name, fit in fits.items() if fit is None or fit[0] <= sides <= fit[1]]
        scenario = next(iter(fitting or rules.scenarios))
    element = rules.scenarios.get(str(scenario))
    if element is None:
        hint = did_you_mean(str(scenario), rules.scenarios) or f"there are: {', '.join(rules.scenarios)}"
        raise UsageError(f'{rules.id} has no scenario "{scenario}"; {hint}')
    return dict(to_plain(element.data))


def seats(rules: Any, scenario: Mapping[str, Any]) -> tuple[int, int] | None:
    """For how many sides a scenario is, least and most, as it or the ruleset says; None when neither says."""
    return seats_said(scenario.get("sides", rules.manifest.get("sides")))


def sides_of(rules: Any, scenario: str) -> int:
    """With how many sides to play a scenario, by its id: the fewest that it allows, 2 if it says nothing."""
    wanted = seats(rules, rules.scenarios[scenario].data)
    return wanted[0] if wanted is not None else 2


def check_sides(rules: Any, scenario: Mapping[str, Any], count: int) -> None:
    """That a scenario is for so many sides, as it or the ruleset says. Raises UsageError."""
    wanted = seats(rules, scenario)
    if wanted is None or wanted[0] <= count <= wanted[1]:
        return
    least, most = wanted
    named = scenario.get("name") or scenario.get("id") or rules.title
    sides = f"{least} to {most} sides" if least < most else "1 side" if most == 1 else f"{most} sides"
    armies = "1 army was" if count == 1 else f"{count} armies were"
    raise UsageError(f'the scenario "{named}" is for {sides}; {armies} given')


def _scenario_fields(battle: SetupBattle, data: Mapping[str, Any]) -> None:
    """The scenario's settings are read-only fields; those that it leaves out have their defaults."""
    settings = dict(data.get("settings", {}))
    fields = battle.program.nouns["scenario"].fields
    battle.scenario.id, battle.scenario.name = data.get("id", ""), data.get("name", "")
    for key, value in settings.items():
        if key not in fields:
            hint = did_you_mean(key, fields) or "declare it in `profile of scenario`"
            raise UsageError(f'the scenario sets "{key}", which the rules do not know; {hint}')
        setattr(battle.scenario, attribute(key), typed(value, fields[key].type))
    battle.things.start_state(battle.scenario, "scenario", settings)


def muster(battle: SetupBattle, side: Side, entry: UnitEntry) -> Entity:
    """Create a unit with its profile's figures, its state and everything that it bears."""
    profile = battle.rules.profiles[entry.profile]
    declared = battle.program.nouns["unit"].fields
    values: dict[str, Any] = {"side": side, "owner": side, "size": entry.size, "profile": entry.profile, "cost": 0}
    parts: dict[str, tuple[str, Any]] = {}
    for name, value in {**profile.fields, **entry.fields}.items():
        noun = part_noun(declared[name].type, battle.program.nouns)
        if noun is not None:
            parts[name] = (noun, value)
            values[name] = []
        else:
            values[name] = typed(to_plain(value), declared[name].type)
    unit = battle.things.create("unit", _own_id(battle, side, entry.id), entry.name, **values)
    side.units.append(unit)
    for name, (noun, records) in parts.items():
        getattr(unit, attribute(name)).extend(part_of(battle, unit, noun, name, i, r) for i, r in enumerate(records))
    for bearing, kind in _bearings(battle, profile, entry):
        _bear(battle, unit, kind, bearing)
    for name, value in entry.state.items():
        if name not in declared:
            raise RuleFault(f'a unit has no state "{name}"')
        battle.writes.put(unit, attribute(name), _from_data(battle, value, declared[name]))
    unit.cost = _cost(battle, unit, entry)
    unit._place = entry.place
    return unit


def _own_id(battle: SetupBattle, side: Side, wanted: str) -> str:
    """The id of a unit: as it is written, with that of its side if another has it, and a number if allies have that."""
    if wanted not in battle.by_id:
        return wanted
    found, n = f"{side.id}.{wanted}", 2
    while found in battle.by_id:
        found, n = f"{side.id}.{wanted}.{n}", n + 1
    return found


def part_noun(wanted: Type, nouns: Mapping[str, Any]) -> str | None:
    """The noun whose entities a field of records makes, or None for a plain field."""
    item = wanted.item
    return item.name if item is not None and item.kind == "noun" and item.name in nouns else None


def part_of(battle: SetupBattle, unit: Entity, noun: str, field: str, i: int, record: Any) -> Entity:
    """A part of a unit from one record of its profile: what is asked of it and not its own is the unit's."""
    fields = battle.program.nouns[noun].fields
    plurals = {k.plural: k.name for k in battle.program.kinds.values()}
    values = {n: typed(to_plain(v), fields[n].type) for n, v in record.items() if n in fields}
    name = str(record.get("name") or f"{unit.name}, {noun} {i + 1}")
    part = battle.things.create(noun, f"{unit.id}.{field}.{i + 1}", name, **values)
    part._whole = unit
    part.whole = unit  # rules ask for it all the time, sooner found here than by the way of what is missing
    unit._parts.append(part)
    for plural, kind in plurals.items():
        if plural in record:
            for bearing in read_bearings(record[plural])[0]:
                _bear(battle, part, kind, (bearing.name, tuple(bearing.args)))
    return part


def _from_data(battle: SetupBattle, value: Any, info: Any) -> Any:
    """A value of the data as the rules see it: ids become things."""
    if info.type.kind == "noun" and isinstance(value, str):
        return battle.by_id.get(value)
    return typed(value, info.type)


def _bearings(battle: SetupBattle, profile: Any, entry: UnitEntry) -> list[tuple[tuple[str, tuple[Any, ...]], str]]:
    """What a unit bears by its profile and its army; what has no values once, however often it is named."""
    kinds = {k.plural: k.name for k in battle.program.kinds.values()}
    found = []
    for plural, rows in profile.bears.items():
        instead = entry.instead.get(plural, ())
        found += [((b.name, tuple(b.args)), kinds[plural]) for b in rows if b.name not in instead]
    for plural, names in entry.bears.items():
        for text in names:
            b = bearing_of(text)
            found.append(((b.name, tuple(b.args)) if b is not None else (text, ()), kinds[plural]))
    return [one for i, one in enumerate(found) if one[0][1] or one not in found[:i]]


def _bear(battle: SetupBattle, unit: Entity, kind: str, bearing: tuple[str, tuple[Any, ...]]) -> None:
    title, args = bearing
    if (kind, title) not in battle.program.definitions:
        raise RuleFault(f'there is no {kind} "{title}"')
    params = battle.program.definitions[(kind, title)].params
    if len(params) == len(args):
        args = tuple(typed(value, param.type) for value, param in zip(args, params, strict=True))
    battle.give(kind, title, args, unit)


def _cost(battle: SetupBattle, unit: Entity, entry: UnitEntry) -> Any:
    """Points as the row of the army list says, else by the ruleset's `points(unit)`; nothing for what is given away."""
    if entry.free:
        return 0
    if entry.points is not None:
        return entry.points
    number = battle.program.numbers.get("points")
    if number is not None and len(number.params) == 1:
        return battle.code.number("points")(battle, unit)
    return 0


def army_record(battle: SetupBattle, side: Side, army: Force) -> Record:
    """What constraints and rules see of an army."""
    record = Record(
        "army", units=list(side.units), limit=army.limit, points=sum(u.cost for u in side.units), list=army.list,
        side=side, name=army.name, id=army.id, allies=len(army.allies),
    )  # fmt: skip
    battle.things.start_state(record, "army", {"units", "limit", "points", "list", "side", "allies"})
    return record
