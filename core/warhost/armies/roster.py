"""An army as it is written: who is in it, with which options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.armies.reading import read_army, size_problems
from warhost.errors import ContentError, Problem, UsageError, did_you_mean
from warhost.lang.types import Type
from warhost.packs import schemas
from warhost.packs.entries import UnitEntry, given_by_row, rows_of, titles_with_values, to_plain

UNIT = Type("noun", "unit")

if TYPE_CHECKING:
    from warhost.armies.legality import Violation
    from warhost.packs import Ruleset


@dataclass(frozen=True, slots=True)
class Army:
    """An army as it is written: the units of one side of a battle.

    list: the id of the army list that it is of. limit: the points that it may cost. data: the army as plain data, as a
    journal keeps it. file: where it was read from. allies: armies that fight on the same side.

    >>> import warhost
    >>> rules = warhost.load("small_fantasy")
    >>> elves = warhost.Army.ready("elves", rules)
    >>> elves.name, elves.limit, [(unit.name, unit.size) for unit in elves.units[:2]]
    ('The Silver Host', 600, [('Silver Spears', 12), ('River Guard', 12)])
    >>> elves.check(rules)                # everything that is illegal about it
    []
    """

    id: str
    name: str
    list: str
    limit: int
    units: tuple[UnitEntry, ...]
    data: Mapping[str, Any]
    file: str = ""
    allies: tuple[Army, ...] = ()

    @classmethod
    def ready(cls, name: str, rules: Ruleset) -> Army:
        """A ready-made army of the ruleset by its id. Raises UsageError, with the nearest name, if there is none."""
        return cls.from_data(*_ready(name, rules))

    @classmethod
    def from_file(cls, path: str | Path, rules: Ruleset) -> Army:
        """An army from a YAML file. Raises ContentError with every problem of the file."""
        return cls.from_data(*_of_file(path, rules))

    @classmethod
    def from_data(cls, data: Mapping[str, Any], rules: Ruleset, file: str = "") -> Army:
        """An army from plain data in the form of the army schema; unknown keys are ignored.

        file: the name that problems give as their place. Raises ContentError for values of a wrong type, unknown
        profiles and unknown options.
        """
        misfits = size_problems(data, file) or list(_misfits(data, file))
        if misfits:
            raise ContentError(misfits, file)
        list_id = str(data.get("list", ""))
        offered = rows_of(rules, list_id)
        problems: list[Problem] = []
        units: list[UnitEntry] = []
        for i, raw in enumerate(data.get("units", ())):
            pos = _line(data, i)
            profile = str(raw["profile"])
            if profile not in rules.profiles:
                problems.append(
                    Problem(
                        file, pos, 1, "unknown-profile", f'{rules.id} has no profile "{profile}"',
                        did_you_mean(profile, rules.profiles),
                    )
                )
                continue
            row = offered.get(profile)
            told: list[Problem] = []
            entry = _entry(raw, profile, i, rules, row, file, pos, told)
            if row is not None or not offered:  # a list without such a row is told by `check`, whatever its options
                problems += told
            before = sum(unit.profile == profile for unit in units)
            units.append(replace(entry, free=row is not None and before < int(row.get("free", 0))))
        problems.extend(_strange_links(units, data, rules, file))
        allies = _allies(data, rules, file, problems)
        if problems:
            raise ContentError(problems, file)
        plain = to_plain(data)
        if allies:
            plain["allies"] = [ally.data for ally in allies]
        return cls(
            str(data.get("id", "army")), str(data.get("name", data.get("id", "Army"))), list_id,
            int(data.get("limit", 0)), tuple(units), plain, file, allies,
        )  # fmt: skip

    def check(self, rules: Ruleset) -> Sequence[Violation]:
        """What is illegal about the army under a ruleset; empty when it is legal. See warhost.armies.legality."""
        from warhost.armies.legality import check

        return check(self, rules)


#: Fields of an army and of its units that programs write, and of what type they are.
_ARMY_FIELDS: dict[str, type] = {"kind": str, "id": str, "name": str, "list": str, "units": list}
_UNIT_FIELDS: dict[str, type] = {"id": str, "profile": str, "size": int, "options": list}


def _evidently_fits(data: Any) -> bool:
    """Whether data is so plain that the schema need not be asked: reading it takes longer than setting up two units."""
    if type(data) is not dict or any(type(value) is not _ARMY_FIELDS.get(key) for key, value in data.items()):
        return False
    return all(
        type(unit) is dict
        and "profile" in unit
        and all(type(value) is _UNIT_FIELDS.get(key) for key, value in unit.items())
        and all(type(option) is str for option in unit.get("options", ()))
        for unit in data.get("units", ())
    )


def _misfits(data: Any, file: str) -> Iterator[Problem]:
    """Values of a wrong type in an army's data, and units without a profile."""
    if _evidently_fits(data):
        return
    shaped: Any = data
    allies = data.get("allies") if isinstance(data, Mapping) else None
    if isinstance(allies, list) and any(isinstance(ally, Mapping) for ally in allies):  # each is checked by itself
        shaped = {key: value for key, value in data.items() if key != "allies"}
    if isinstance(shaped, Mapping) and "kind" not in shaped:  # what files must say programs need not
        shaped = {"kind": "army", **shaped}
    for problem in schemas.check("army", shaped, file):
        if problem.code == "wrong-type":
            yield problem
    units = data.get("units", ()) if isinstance(data, Mapping) else ()
    for i, raw in enumerate(units if isinstance(units, list | tuple) else ()):
        if isinstance(raw, Mapping) and "profile" not in raw:
            yield Problem(file, _line(data, i), 1, "missing-property", f'unit {i + 1} lacks "profile"')


_Source = tuple[Mapping[str, Any], "Ruleset", str]
"""What an army is made of: its data, the ruleset, and the name of its file."""


MOST_NAMED = 12
"""Ready armies that a message names of many."""


def _ready(name: str, rules: Ruleset) -> _Source:
    element = rules.armies.get(name)
    if element is None:
        named = f'{rules.id}@{rules.edition} has no army "{name}"'
        left_out = rules.superseded.get("armies", {})
        if name in left_out:
            why = f" ({left_out[name]})" if left_out[name] else ""
            raise UsageError(f"{named}; this edition has superseded it{why}: name one of another edition")
        some = list(rules.armies)
        more = f" and {len(some) - MOST_NAMED} more" if len(some) > MOST_NAMED else ""
        hint = did_you_mean(name, some) or f"there are: {', '.join(some[:MOST_NAMED])}{more}"
        raise UsageError(f"{named}; {hint}")
    return element.data, rules, element.data.here.file


def _of_file(path: str | Path, rules: Ruleset) -> _Source:
    data, problems = read_army(Path(path), rules)
    if problems or data is None:
        raise ContentError(problems, str(path))
    return data, rules, str(path)


def _allies(data: Any, rules: Ruleset, file: str, problems: list[Problem]) -> tuple[Army, ...]:
    """The armies under `allies`: ready ones by id, files seen from this one, or (in journals) written out.

    One with allies of its own is not gone into: they may lead back here.
    """
    found = []
    for one in data.get("allies", ()):
        try:
            source = _ally(one, rules, file)
            own = source[0].get("allies") if isinstance(source[0], Mapping) else None
            if not (own and isinstance(own, list)):
                found.append(Army.from_data(*source))
                continue
        except (ContentError, UsageError) as error:
            problems.append(Problem(file, _line_of(data, "allies"), 1, "unknown-ally", str(error)))
            continue
        name = source[0].get("name") or source[0].get("id") or "an ally"
        message, hint = f"{name} has allies of its own: name them all in one army", None
        if source[0] is data or (file and source[2] == file and not isinstance(one, Mapping)):
            message, hint = f"{name} is its own ally", "name another army, or leave this one out"
        problems.append(Problem(file, _line_of(data, "allies"), 1, "allied-ally", message, hint))
    return tuple(found)


def _ally(one: Any, rules: Ruleset, file: str) -> _Source:
    if isinstance(one, Mapping):
        return one, rules, file
    path = Path(file).parent / str(one)
    if str(one) not in rules.armies and path.is_file():
        return _of_file(path, rules)
    return _ready(str(one), rules)


def _line_of(data: Any, key: str) -> int:
    """The line of a key in its file, 0 when it is not known."""
    try:
        return int(data.pos(key).line)
    except (AttributeError, KeyError, TypeError):
        return 0


def _line(data: Any, i: int) -> int:
    """The line of a unit in its file, 0 when it is not known."""
    try:
        return int(data["units"].pos(i).line)
    except (AttributeError, KeyError, TypeError):
        return 0


def _entry(
    raw: Mapping[str, Any], profile: str, i: int, rules: Ruleset, row: Mapping[str, Any] | None, file: str, line: int,
    problems: list[Problem],
) -> UnitEntry:  # fmt: skip
    known = {str(o["id"]): o for o in (row or {}).get("options", ())}
    size = _size(raw, row)
    given, fields = given_by_row(rules, row)
    bears = {plural: list(titles) for plural, titles in given.items()}
    points: Any = row["points"] * size if row is not None and "points" in row else None
    for option in raw.get("options", ()):
        chosen = known.get(str(option))
        if chosen is None:
            if row is None:
                hint = "options are those of an army list: name it (`list: ..`)"
            else:
                hint = did_you_mean(str(option), known) or f"it may take {', '.join(known) or 'none'}"
            problems.append(Problem(file, line, 1, "unknown-option", f'{profile} has no option "{option}"', hint))
            continue
        for plural in rules.vocabulary.kinds.values():
            bears.setdefault(plural.plural, []).extend(str(t) for t in chosen.get(plural.plural, ()))
        fields |= to_plain(chosen.get("fields", {}))
        if points is not None:
            points += chosen.get("points", 0) * (1 if chosen.get("flat") else size)
    default_name = rules.profiles[profile].name
    return UnitEntry(
        str(raw.get("id", f"{profile}_{i + 1}")), str(raw.get("name", default_name)), profile, size,
        tuple(str(o) for o in raw.get("options", ())), {k: tuple(v) for k, v in bears.items() if v}, points,
        dict(raw.get("state", {})), {k: raw[k] for k in ("at", "facing", "files") if k in raw} or None,
        {str(k): str(v) for k, v in raw.get("links", {}).items()}, fields, instead=titles_with_values(given),
    )  # fmt: skip


def _strange_links(units: Sequence[UnitEntry], data: Any, rules: Ruleset, file: str) -> Iterator[Problem]:
    """Links to units that are not in the army, or from fields that do not hold a unit."""
    declared = rules.program.nouns["unit"].fields
    known = [unit.id for unit in units]
    holding = [name for name, info in declared.items() if info.writable and info.type.certain == UNIT]
    for unit in units:
        line = next((_line(data, i) for i, raw in enumerate(data["units"]) if raw.get("id") == unit.id), 0)
        for name, target in unit.links.items():
            if name not in holding:
                hint = did_you_mean(name, holding) or "declare it in `state of unit`"
                message = f'a unit has no state "{name}" that holds a unit'
                yield Problem(file, line, 1, "unknown-link", message, hint)
            elif target not in known:
                hint = did_you_mean(target, known) or "give the id of a unit of this army"
                yield Problem(file, line, 1, "unknown-unit", f'the army has no unit "{target}"', hint)


def _size(raw: Mapping[str, Any], row: Mapping[str, Any] | None) -> int:
    """The figures of a unit: as written, else what its list begins with, else one."""
    if "size" in raw:
        return int(raw["size"])
    offered = (row or {}).get("size", 1)
    if isinstance(offered, Mapping):
        return int(offered.get("default", offered.get("min", 1)))
    return int(offered)
