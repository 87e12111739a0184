"""An army as it is written: who is in it, with which options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.errors import ContentError, Problem, UsageError, did_you_mean
from warhost.lang.types import Type
from warhost.limits import too_many
from warhost.packs import schemas
from warhost.packs.data import bearing_of

UNIT = Type("noun", "unit")

if TYPE_CHECKING:
    from warhost.armies.legality import Violation
    from warhost.packs import Ruleset


def numbered(names: Sequence[str]) -> list[str]:
    """Names that tell everybody apart: a name that several share is followed by a number, in the order given.

    If it ends in a number already (Spears 1 in both armies), all who bear it with whatever number are numbered anew.
    """
    shared = Counter(names)
    stems = [_stem(name) for name in names]
    doubled = {_stem(name) for name, count in shared.items() if count > 1}
    seen: Counter[str] = Counter()
    found = []
    for name, stem in zip(names, stems, strict=True):
        seen[stem] += 1
        found.append(f"{stem} {seen[stem]}" if stem in doubled else name)
    return found


def _stem(name: str) -> str:
    """A name without the number behind it."""
    words, _, last = name.rpartition(" ")
    return words if words and last.isdecimal() else name


@dataclass(frozen=True, slots=True)
class UnitEntry:
    """One unit of an army: a profile, how many figures, and what it takes besides.

    bears: further definitions by kind's plural, from its options (`traits: [Banner]`). points: what list and options
    make it cost when the ruleset has no number `points`; None when the list is silent too. links: other units of the
    army, by the field of its state that begins with them. fields: what its list or its options put in the place of
    fields of its profile. free: it costs nothing in this list. instead: titles, by plural, that it bears with the
    values of its list in the place of its profile's.
    """

    id: str
    name: str
    profile: str
    size: int
    options: tuple[str, ...] = ()
    bears: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    points: Any = None
    state: Mapping[str, Any] = field(default_factory=dict)
    place: Mapping[str, Any] | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    free: bool = False
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Army:
    """data: the army as plain data, as a journal keeps it. allies: armies that fight on the same side."""

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
        """A ready-made army of the ruleset by its id; raises UsageError with the nearest name."""
        element = rules.armies.get(name)
        if element is None:
            hint = did_you_mean(name, rules.armies) or f"there are: {', '.join(rules.armies)}"
            raise UsageError(f'{rules.id} has no army "{name}"; {hint}')
        return cls.from_data(element.data, rules, element.data.here.file)

    @classmethod
    def from_file(cls, path: str | Path, rules: Ruleset) -> Army:
        """An army from a YAML file; raises ContentError with every problem of the file."""
        from warhost.armies.reading import read_army

        data, problems = read_army(Path(path), rules)
        if problems or data is None:
            raise ContentError(problems, str(path))
        return cls.from_data(data, rules, str(path))

    @classmethod
    def from_data(cls, data: Mapping[str, Any], rules: Ruleset, file: str = "") -> Army:
        """An army from plain data as the army schema has it; keys that it does not know are left alone.

        Raises ContentError for values of a wrong kind, unknown profiles and unknown options.
        """
        misfits = size_problems(data, file) or list(_misfits(data, file))
        if misfits:
            raise ContentError(misfits, file)
        list_id = str(data.get("list", ""))
        offered = _offered(rules, list_id)
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
            entry = _entry(raw, profile, i, rules, row, file, pos, problems)
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


def size_problems(data: Any, file: str) -> list[Problem]:
    """What is wrong with data of an army that have more units or models than any army has, before all else."""
    units = data.get("units") if isinstance(data, Mapping) else None
    if not isinstance(units, list | tuple):
        return []
    sizes = (raw.get("size") for raw in units if isinstance(raw, Mapping))
    models = sum(size for size in sizes if isinstance(size, int))
    counted = (("units", len(units)), ("models", models))
    return [
        Problem(file, 1, 1, "too-large", message)
        for name, count in counted
        if (message := too_many("this army", count, name))
    ]


def _misfits(data: Any, file: str) -> Iterator[Problem]:
    """What of an army's data is of a wrong kind, or lacks what cannot be guessed."""
    shaped: Any = data
    allies = data.get("allies") if isinstance(data, Mapping) else None
    if isinstance(allies, list) and any(isinstance(ally, Mapping) for ally in allies):  # each is checked by itself
        shaped = {key: value for key, value in data.items() if key != "allies"}
    for problem in schemas.check("army", shaped, file):
        if problem.code == "wrong-type":
            yield problem
    units = data.get("units", ()) if isinstance(data, Mapping) else ()
    for i, raw in enumerate(units if isinstance(units, list | tuple) else ()):
        if isinstance(raw, Mapping) and "profile" not in raw:
            yield Problem(file, _line(data, i), 1, "missing-property", f'unit {i + 1} lacks "profile"')


def _allies(data: Any, rules: Ruleset, file: str, problems: list[Problem]) -> tuple[Army, ...]:
    """The armies under `allies`: ready ones by id, files seen from this one, or (in journals) written out."""
    found = []
    for one in data.get("allies", ()):
        try:
            ally = _ally(one, rules, file)
        except (ContentError, UsageError) as error:
            problems.append(Problem(file, _line_of(data, "allies"), 1, "unknown-ally", str(error)))
            continue
        if ally.allies:
            message = f"{ally.name} has allies of its own: name them all in one army"
            problems.append(Problem(file, _line_of(data, "allies"), 1, "allied-ally", message))
        found.append(ally)
    return tuple(found)


def _ally(one: Any, rules: Ruleset, file: str) -> Army:
    if isinstance(one, Mapping):
        return Army.from_data(one, rules, file)
    path = Path(file).parent / str(one)
    if str(one) not in rules.armies and path.is_file():
        return Army.from_file(path, rules)
    return Army.ready(str(one), rules)


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


def _offered(rules: Ruleset, list_id: str) -> dict[str, Mapping[str, Any]]:
    """The rows of an army list by profile."""
    element = rules.lists.get(list_id)
    rows = element.data.get("units", ()) if element is not None else ()
    return {str(r["profile"]): r for r in rows}


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
            hint = did_you_mean(str(option), known) or "see the army list for what this unit may take"
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


def given_by_row(
    rules: Ruleset, row: Mapping[str, Any] | None
) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """What every unit of a row of an army list bears besides its profile, by plural, and the fields that it sets."""
    if row is None:
        return {}, {}
    plurals = (kind.plural for kind in rules.vocabulary.kinds.values())
    bears = {plural: [str(one) for one in row[plural]] for plural in plurals if plural in row}
    return bears, to_plain(row.get("fields", {}))


def titles_with_values(given: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The titles of what a row gives with values, `Steady(2)`: a profile's own with that title has other values."""
    found = {plural: tuple(b.name for b in map(bearing_of, titles) if b and b.args) for plural, titles in given.items()}
    return {plural: titles for plural, titles in found.items() if titles}


def row_for(rules: Ruleset, list_id: str, profile: str) -> Mapping[str, Any] | None:
    """The row of an army list that offers a profile; None when it does not."""
    return _offered(rules, list_id).get(profile)


def _strange_links(units: Sequence[UnitEntry], data: Any, rules: Ruleset, file: str) -> Iterator[Problem]:
    """Links to units that the army has not, or from fields that hold no unit."""
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


def to_plain(value: Any) -> Any:
    """Plain dicts and lists, without positions."""
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(v) for v in value]
    return value
