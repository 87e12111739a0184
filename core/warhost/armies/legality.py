"""Whether an army may take the field: the army list's limits and the ruleset's constraints.

Every reason is a sentence that a player understands, and says what would mend it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from warhost.armies.requirements import Member, unmet
from warhost.errors import RuleFault, WarhostError, did_you_mean
from warhost.lang import ir
from warhost.packs.entries import UnitEntry

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.forces import Force
    from warhost.lang.program import Constraint
    from warhost.packs import Ruleset


@dataclass(frozen=True, slots=True)
class Violation:
    """One reason why an army is illegal.

    constraint: the name of the ruleset's constraint, or a word for a limit of the army list (`size`, `limit`,
    `option`, `option-limit`, `not-in-list`, `unknown-list`, `requirement`, `same-id`, `points`). ref: ids of the
    rules of the book. remedy: what would mend it, "" when the message says so already. unit: the id of the unit
    that is meant, as in Mustered.army; None for the army as a whole.
    """

    constraint: str
    ref: tuple[str, ...]
    message: str
    remedy: str = ""
    unit: str | None = None

    def to_json(self) -> dict[str, object]:
        """The object that `--json` prints."""
        return {
            "constraint": self.constraint, "ref": list(self.ref), "message": self.message, "remedy": self.remedy,
            "unit": self.unit,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mustered:
    """An army laid out by itself, without a board and allies. costs: points by position in the army's units.

    army: with an id of its own for every unit, even if the army as written has one twice.
    """

    army: Force
    battle: Battle
    costs: tuple[int, ...]

    @property
    def points(self) -> int:
        """What the units cost together."""
        return sum(self.costs)


def check(army: Force, rules: Ruleset) -> list[Violation]:
    """Everything that is illegal about an army; empty when it is legal. Raises RuleFault when a rule goes wrong.

    Allies are armies by themselves: what is illegal about them begins with their name.
    """
    return check_mustered(army, rules, mustered(army, rules))


def check_mustered(army: Force, rules: Ruleset, laid_out: Mustered) -> list[Violation]:
    """The same for an army that has been laid out."""
    found = [
        *_same_ids(army), *_list_limits(laid_out.army, rules), *_requirements(laid_out, rules),
        *_constraints(rules, laid_out),
    ]  # fmt: skip
    if not any(_speaks_of_points(c, rules) for c in rules.program.constraints):
        found += _over_limit(army, laid_out.points)
    for ally in army.allies:
        found += [replace(v, message=f"{ally.name}: {v.message}", unit=None) for v in check(ally, rules)]
    return found


def mustered(army: Force, rules: Ruleset) -> Mustered:
    """The units of an army with everything they bear, in a battle of their own that has no board."""
    from warhost.engine.battle import Battle
    from warhost.plugins import Active

    alone = replace(rules, plugins=Active())
    distinct = with_distinct_ids(army)
    battle = Battle(alone, [distinct], scenario={"id": "muster", "name": "Muster"}, log=False)
    battle.sides[0].army.allies = len(army.allies)  # how many it has is its own affair, if not what they are
    costs = tuple(int(unit.cost or 0) for unit in battle.sides[0].units)
    return Mustered(distinct, battle, costs)


def with_distinct_ids(army: Force) -> Force:
    """The army with an id of its own for every unit, so that it can be laid out whatever is wrong with it."""
    taken: set[str] = set()
    units: list[UnitEntry] = []
    for i, unit in enumerate(army.units):
        id_ = unit.id if unit.id not in taken and not unit.id.startswith("side_") else f"{unit.id}.{i + 1}"
        taken.add(id_)
        units.append(replace(unit, id=id_))
    return replace(army, units=tuple(units), allies=())  # type: ignore[type-var]  # whatever an army is


# -- the ruleset's constraints -----------------------------------------------------------------


def _constraints(rules: Ruleset, laid_out: Mustered) -> Iterator[Violation]:
    battle = laid_out.battle
    record, without_limit = battle.sides[0].army, False
    for constraint in rules.program.constraints:
        if constraint.when is not None and not _asked(battle, constraint, constraint.when, record):
            continue
        if not _asked(battle, constraint, constraint.require, record):
            if not laid_out.army.limit and _speaks_of_points(constraint, rules):  # whatever it then says is of 0 points
                if not without_limit:
                    message = "The army does not say how many points it may cost."
                    remedy = f"Add `limit: ..`; it costs {laid_out.points}."
                    yield Violation(constraint.name, tuple(constraint.ref), message, remedy)
                without_limit = True
                continue
            message = str(_asked(battle, constraint, constraint.message, record))
            yield Violation(constraint.name, tuple(constraint.ref), message)


def _asked(battle: Battle, constraint: Constraint, function: ir.Routine, record: Any) -> Any:
    """A function of a constraint, with errors that name it."""
    from warhost.lang.support import mishap

    try:
        return battle.code.function(function)(battle, record)
    except (WarhostError, ArithmeticError, AttributeError, TypeError, ValueError, LookupError) as error:
        pos = constraint.pos
        raise RuleFault(mishap(error), f"constraint {constraint.name}", pos.file, pos.line) from error


def _speaks_of_points(constraint: Constraint, rules: Ruleset) -> bool:
    """Whether a constraint compares the army with its limit itself, or by numbers that it asks of the army."""
    fields: set[str] = set()
    seen: set[str] = set()
    pending = [constraint.require]
    while pending:
        for node in ir.walk(pending.pop()):
            if isinstance(node, ir.GetField) and isinstance(node.of, ir.Local):
                fields.add(node.field)
            elif isinstance(node, ir.Evaluate) and node.name not in seen and _of_army(node):
                seen.add(node.name)
                number = rules.program.numbers.get(node.name)
                pending += [] if number is None else [number.base]
    return {"points", "limit"} <= fields


def _of_army(node: ir.Evaluate) -> bool:
    return len(node.args) == 1 and isinstance(node.args[0], ir.Local) and node.args[0].type.name == "army"


def _over_limit(army: Force, points: int) -> Iterator[Violation]:
    if 0 < army.limit < points:
        yield Violation(
            "points", (), f"The army costs {points} points; the limit is {army.limit}.",
            f"Leave out {points - army.limit} points' worth.",
        )  # fmt: skip


# -- the list's own limits ----------------------------------------------------------------------

Row = Mapping[str, Any]


def _same_ids(army: Force) -> Iterator[Violation]:
    counts = Counter(unit.id for unit in army.units)
    for id_, n in counts.items():
        if n > 1:
            names = ", ".join(unit.name for unit in army.units if unit.id == id_)
            message = f'{n} units have the id "{id_}": {names}.'
            yield Violation("same-id", (), message, "Give each of them an id of its own.", id_)


def _list_limits(army: Force, rules: Ruleset) -> Iterator[Violation]:
    element = rules.lists.get(army.list)
    if element is None:
        if army.list:
            hint = did_you_mean(army.list, rules.lists) or f"Choose one of: {', '.join(rules.lists) or 'none'}."
            yield Violation("unknown-list", (), f'There is no army list "{army.list}".', hint)
        return
    rows: dict[str, list[Row]] = {}
    for row in element.data.get("units", ()):
        rows.setdefault(str(row["profile"]), []).append(row)
    for unit in army.units:
        yield from _unit(unit, rows.get(unit.profile), rules, element.name, element.ref)
    for profile, offered in rows.items():
        yield from _how_many(profile, offered, army, rules, element.ref)


def _requirements(laid_out: Mustered, rules: Ruleset) -> Iterator[Violation]:
    """What the list requires of the army as a whole."""
    element = rules.lists.get(laid_out.army.list)
    units = laid_out.battle.sides[0].units
    members = [Member(entry, unit) for entry, unit in zip(laid_out.army.units, units, strict=True)]
    for requirement in element.data.get("require", ()) if element is not None else ():
        found = unmet(requirement, members, rules)
        if found is not None:
            ref = refs_of_row(requirement) or (element.ref if element is not None else ())
            yield Violation("requirement", ref, found.message, found.remedy, found.unit)


def _unit(
    unit: UnitEntry, rows: Sequence[Row] | None, rules: Ruleset, list_name: str, list_ref: tuple[str, ...]
) -> Iterator[Violation]:
    if rows is None:
        kind = rules.profiles[unit.profile].name
        message = f"{_called(unit, rules)}: the army list {list_name} has no {kind}."
        yield Violation("not-in-list", list_ref, message, "Leave them out or choose another list.", unit.id)
        return
    ref = refs_of_row(rows[0]) or list_ref
    yield from _size(unit, rows, rules, ref)
    yield from _options(unit, rows, rules, ref)


def _size(unit: UnitEntry, rows: Sequence[Row], rules: Ruleset, ref: tuple[str, ...]) -> Iterator[Violation]:
    sizes = [size_of_row(row) for row in rows]
    if any(low <= unit.size <= (high or unit.size) for low, high in sizes):
        return
    low = min(low for low, _ in sizes)
    called = _called(unit, rules)
    if unit.size < low:
        message = f"{called} has {_models(unit.size)}; the list wants at least {low}."
        yield Violation("size", ref, message, f"Add {low - unit.size}.", unit.id)
        return
    high = max((high or 0) for _, high in sizes)
    if unit.size > high:
        message = f"{called} has {_models(unit.size)}; the list allows at most {high}."
        yield Violation("size", ref, message, f"Take away {unit.size - high} or make two units of them.", unit.id)
        return
    spans = " or ".join(f"{low} to {high}" for low, high in sizes)
    yield Violation("size", ref, f"{called} has {_models(unit.size)}; the list allows {spans}.", "", unit.id)


def _models(n: int) -> str:
    return "1 model" if n == 1 else f"{n} models"


def _options(unit: UnitEntry, rows: Sequence[Row], rules: Ruleset, ref: tuple[str, ...]) -> Iterator[Violation]:
    known = {str(o["id"]): o for row in rows for o in row.get("options", ())}
    called = _called(unit, rules)
    for option, n in Counter(unit.options).items():
        if option not in known:
            may = f"It may take: {', '.join(known)}." if known else "It may take nothing besides."
            hint = did_you_mean(option, known) or may
            yield Violation("option", ref, f'{called} may not take "{option}".', hint, unit.id)
        elif n > 1:
            name = str(known[option].get("name", option))
            message = f"{called} takes {name} {n} times."
            yield Violation("option", ref, message, "Take it once.", unit.id)


def _how_many(
    profile: str, rows: Sequence[Row], army: Force, rules: Ruleset, list_ref: tuple[str, ...]
) -> Iterator[Violation]:
    """How many such units, and how many of each option, the army has."""
    mine = [unit for unit in army.units if unit.profile == profile]
    kind = str(rows[0].get("name") or rules.profiles[profile].name)
    ref = refs_of_row(rows[0]) or list_ref
    least = sum(int(row.get("limit", {}).get("min", 0)) for row in rows)
    most = [row.get("limit", {}).get("max") for row in rows]
    if len(mine) < least:
        message = f"The army needs at least {_units(least)} of {kind}; it has {len(mine)}."
        yield Violation("limit", ref, message, f"Add {least - len(mine)}.")
    if None not in most and len(mine) > sum(map(int, most)):
        top = sum(map(int, most))
        message = f"The army may have at most {_units(top)} of {kind}; it has {len(mine)}."
        yield Violation("limit", ref, message, f"Leave out {len(mine) - top}.", mine[-1].id if mine else None)
    for row in rows:
        for option in row.get("options", ()):
            yield from _option_limit(option, mine, kind, refs_of_row(option) or ref)


def _option_limit(option: Row, mine: Sequence[UnitEntry], kind: str, ref: tuple[str, ...]) -> Iterator[Violation]:
    id_, name = str(option["id"]), str(option.get("name", option["id"]))
    takers = [unit for unit in mine if id_ in unit.options]
    limit = option.get("limit", {})
    least, most = int(limit.get("min", 0)), limit.get("max")
    if len(takers) < least:
        message = f"{name} must be taken by at least {_units(least)} of {kind}; {len(takers)} take it."
        yield Violation("option-limit", ref, message, f"Give it to {least - len(takers)} more.")
    if most is not None and len(takers) > int(most):
        message = f"{name} may be taken by at most {_units(int(most))} of {kind}; {len(takers)} take it."
        yield Violation("option-limit", ref, message, f"Take it from {len(takers) - int(most)}.", takers[-1].id)


def _units(n: int) -> str:
    return "1 unit" if n == 1 else f"{n} units"


def _called(unit: UnitEntry, rules: Ruleset) -> str:
    """A unit by its name, with what it is when the name does not tell."""
    kind = rules.profiles[unit.profile].name
    return unit.name if unit.name == kind else f"{unit.name} ({kind})"


# -- rows of a list ----------------------------------------------------------------------------


def size_of_row(row: Row) -> tuple[int, int | None]:
    """The least and the greatest number of models (None: no end) that a line of a list allows."""
    size = row.get("size")
    if isinstance(size, int):
        return size, size
    if isinstance(size, Mapping):
        high = size.get("max")
        return int(size.get("min", 1)), int(high) if high is not None else None
    return 1, None


def refs_of_row(row: Row) -> tuple[str, ...]:
    """The ids under `ref`."""
    given = row.get("ref")
    return (given,) if isinstance(given, str) else tuple(str(one) for one in given or ())
