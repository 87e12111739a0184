"""What comes to be in the middle of a battle: new units, and parts that a unit gains and loses."""

from __future__ import annotations

from typing import Any

from warhost.engine.entities import Entity
from warhost.engine.setup import SetupBattle, muster, part_noun, part_of
from warhost.errors import RuleFault, did_you_mean
from warhost.lang.python_backend import attribute
from warhost.packs.entries import UnitEntry, given_by_row, row_for, titles_with_values

#: Parts of one unit that may be added at most.
MOST_PARTS = 200
#: What `most_offered` says when a list sets no limit.
NO_LIMIT = 9999


class Reinforcements:
    """Lets units come, grow and change sides."""

    __slots__ = ("table",)

    def __init__(self, table: SetupBattle) -> None:
        self.table = table

    def muster_unit(self, profile: str, side: Any, size: Any) -> Entity:
        """A new unit of a profile, with what the side's army list gives such units. It has no place yet: the board's
        own steps give it one.
        """
        known = self.table.rules.profiles
        if profile not in known:
            raise RuleFault(f'there is no profile "{profile}" to muster; {did_you_mean(profile, known) or "see data/"}')
        count = 1
        while f"{profile}_{count}" in self.table.by_id:
            count += 1
        name = self._free_name(str(known[profile].name))
        row = row_for(self.table.rules, side.army.list, profile)
        given, fields = given_by_row(self.table.rules, row)
        bears = {plural: tuple(titles) for plural, titles in given.items()}
        entry = UnitEntry(
            f"{profile}_{count}", name, profile, max(int(size), 1), bears=bears, fields=fields,
            instead=titles_with_values(given),
        )  # fmt: skip
        unit = muster(self.table, side, entry)
        unit._placed = False
        unit._unborn = True
        self.table.version += 1
        return unit

    def _free_name(self, wanted: str) -> str:
        """The name of a unit that comes later: with the next number if units of that name are there already."""
        taken = {u.name for u in self.table.by_id.values() if u._noun == "unit" and not (u._gone and u._unborn)}
        if wanted not in taken and f"{wanted} 1" not in taken:
            return wanted
        number = 2
        while f"{wanted} {number}" in taken:
            number += 1
        return f"{wanted} {number}"

    def offered(self, side: Any, field: str) -> list[str]:
        """The profiles of a side's army list for which a field says yes, in the order of the list."""
        element = self.table.rules.lists.get(side.army.list)
        declared = self.table.program.nouns["unit"].fields
        if field not in declared or declared[field].type.kind != "yes_no":
            raise RuleFault(f'units have no field "{field}" that says yes or no; {did_you_mean(field, declared) or ""}')
        found = []
        for row in element.data.get("units", ()) if element is not None else ():
            profile = str(row["profile"])
            value = {**self.table.rules.profiles[profile].fields, **row.get("fields", {})}.get(field)
            if value in ("yes", True) and profile not in found:
                found.append(profile)
        return found

    def most_offered(self, side: Any, profile: str) -> int:
        """How many units of a profile the army list of a side allows: NO_LIMIT without end, 0 when it has none."""
        element = self.table.rules.lists.get(side.army.list)
        rows = element.data.get("units", ()) if element is not None else ()
        most = [row.get("limit", {}).get("max") for row in rows if row["profile"] == profile]
        return NO_LIMIT if None in most else sum(map(int, most))

    def go_over(self, unit: Any, side: Any) -> None:
        """A unit is of another side from now on; whose it was at first stays in its `owner`."""
        if unit.side is side or self.table.writes.waits(lambda: self.go_over(unit, side)):
            return
        if unit in unit.side.units:
            unit.side.units.remove(unit)
            side.units.append(unit)
            side.units.sort(key=lambda u: u._index)
        unit.side = side
        self.table.version += 1

    def add_part(self, whole: Any, into: str, profile: str, name: str) -> Entity:
        """One more part in a field of a unit's profile: the record of that name in the same field of another one."""
        fields = self.table.program.nouns["unit"].fields
        noun = part_noun(fields[into].type, self.table.program.nouns) if into in fields else None
        if noun is None:
            raise RuleFault(f'a unit has no parts called "{into}"')
        described = self.table.rules.profiles.get(profile)
        records = described.fields.get(into, ()) if described is not None else ()
        record = next((r for r in records if r.get("name") == name), None)
        if record is None:
            raise RuleFault(f'the profile "{profile}" has no "{name}" among its {into}')
        part = part_of(self.table, whole, noun, into, self._free_number(whole, into), record)
        getattr(whole, attribute(into)).append(part)
        self.table.version += 1
        return part

    def make_parts(self, effect: Any, line: Any) -> None:
        """The parts that an instance of a kind gives its bearer, by one `part` line of the kind."""
        whole = effect.bearer
        count = int(self.table.code.function(line.low)(self.table, effect, whole))
        if line.high is not None:
            count = max(
                count, min(int(whole.size), int(self.table.code.function(line.high)(self.table, effect, whole)))
            )
        if count > MOST_PARTS:
            raise RuleFault(f"{whole} has more than {MOST_PARTS} parts called {line.into}")
        items = getattr(whole, attribute(line.into))
        for _ in range(count):
            part = part_of(self.table, whole, line.noun, line.into, self._free_number(whole, line.into), {})
            if line.lost_first:
                part.lost_first = True
            items.append(part)
            effect._made.append(part)
        self.table.version += 1

    @staticmethod
    def lose_order(unit: Any) -> list[Entity]:
        """The parts that a unit still has, in the order in which they are lost: the youngest first, as far as no part
        says that it goes before others.
        """
        return sorted((p for p in unit._parts if not p._gone), key=lambda p: (not p.lost_first, -p._index))

    def drop_part(self, part: Any) -> None:
        """Take a part from its whole for good."""
        _, items = self._list_with(part)
        items[:] = [p for p in items if p is not part]
        whole = part._whole
        whole._parts[:] = [p for p in whole._parts if p is not part]
        self.table.things.remove(part)

    def _list_with(self, part: Any) -> tuple[str, list[Any]]:
        """The field of its whole that has a part."""
        whole = getattr(part, "_whole", None)
        if whole is not None:
            for name, info in self.table.program.nouns["unit"].fields.items():
                if part_noun(info.type, self.table.program.nouns) is None:
                    continue
                items: list[Any] = getattr(whole, attribute(name))
                if any(p is part for p in items):
                    return name, items
        raise RuleFault(f"{part} is no part of a unit")

    def _free_number(self, whole: Any, into: str) -> int:
        """The first number with which a new part's id is free."""
        for number in range(len(getattr(whole, attribute(into))), MOST_PARTS):
            if f"{whole.id}.{into}.{number + 1}" not in self.table.by_id:
                return number
        raise RuleFault(f"{whole} has had more than {MOST_PARTS} parts called {into}")
