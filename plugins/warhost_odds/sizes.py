"""Who takes part in a table, and how many models so many points buy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warhost.armies.legality import mustered
from warhost.armies.roster import Army
from warhost.errors import UsageError, did_you_mean
from warhost.lang.python_backend import attribute
from warhost.packs.user_paths import at_home
from warhost_odds.answer import plain
from warhost_odds.asking import shown
from warhost_odds.questions import MOST_MODELS, UnitSpec

if TYPE_CHECKING:
    from warhost.engine.entities import Entity
    from warhost.packs import Ruleset

ALL_OF = "all-of"
EVERY_LIST = "all"
USUAL_MODELS = 20
"""How many models of the cheapest unit the usual number of points buys."""


@dataclass(frozen=True, slots=True)
class Sized:
    """A unit as large as the points allow. price: of one model alone; worth: of all of them; note: what the army list
    says against such a size.
    """

    spec: UnitSpec
    name: str
    price: float
    worth: float
    note: str = ""

    @property
    def count(self) -> int:
        return self.spec.count


def alone(spec: UnitSpec, rules: Ruleset) -> Entity:
    """A unit with all that it bears, in a battle of its own that has no board."""
    unit: dict[str, Any] = {"id": "one", "profile": spec.profile, "size": spec.count, "options": list(spec.options)}
    data = {"id": "priced", "name": "Priced", "list": spec.list, "units": [unit]}
    battle = mustered(Army.from_data(data, rules), rules).battle
    found: Entity = battle.sides[0].units[0]
    return found


def worth_of(spec: UnitSpec, rules: Ruleset) -> float:
    """The points of a unit by the ruleset's own rules and army list."""
    return float(alone(spec, rules).cost or 0)


def named(given: Iterable[str], rules: Ruleset, where: Mapping[str, str] | None = None) -> list[UnitSpec]:
    """The units that were named, each once: `NAME[+option..]`, or `all-of LIST` for every row of an army list (`all-of
    all`: of every list).

    where: only those whose profile says so (`field: value`). Raises UsageError.
    """
    found: dict[str, UnitSpec] = {}
    for one in given:
        for spec in _named(one.strip(), rules):
            if _fits(spec, rules, where or {}):
                found.setdefault(str(spec), spec)
    return list(found.values())


def _named(one: str, rules: Ruleset) -> list[UnitSpec]:
    word, _, rest = one.replace(":", " ", 1).partition(" ")
    if word == ALL_OF:
        return _all_of(rest.strip(), rules)
    name, *options = one.split("+")
    if ":" in name:
        only = name.partition(":")[0]
        raise UsageError(f'"{one}" names a number of models, but the points say how many there are: write {only}')
    return [UnitSpec.parse(",".join([f"{name.strip()}:1", *options]), rules)]


def _all_of(list_id: str, rules: Ruleset) -> list[UnitSpec]:
    if list_id == EVERY_LIST and list_id not in rules.lists:
        return [spec for one in rules.lists for spec in _all_of(one, rules)]
    element = rules.lists.get(list_id)
    if element is None:
        hint = did_you_mean(list_id, rules.lists) or f"there is {', '.join(rules.lists) or 'none'}"
        raise UsageError(f'{rules.id} has no army list "{list_id}"; {hint}')
    return [UnitSpec.parse(f"{row['profile']}:1", rules) for row in element.data.get("units", ())]


def _fits(spec: UnitSpec, rules: Ruleset, where: Mapping[str, str]) -> bool:
    if not where:
        return True
    known = rules.program.nouns["unit"].fields
    for name in where:
        if name not in known:
            raise UsageError(f'no unit says its "{name}"; {did_you_mean(name, known) or ", ".join(known)}')
    unit = alone(spec, rules)
    said = ((plain(getattr(unit, attribute(name), None)), value.strip()) for name, value in where.items())
    return all(is_said.lower() == wanted.lower() for is_said, wanted in said)


def usual_points(specs: Iterable[UnitSpec], rules: Ruleset) -> int:
    """Points that buy each unit at least once, and the cheapest one twenty times."""
    prices = [worth_of(spec.with_count(1), rules) for spec in specs]
    return -int(-max(max(prices), USUAL_MODELS * min(prices)) // 1)


def sized(spec: UnitSpec, points: float, rules: Ruleset) -> Sized:
    """The largest number of models whose price fits the points. Raises UsageError when not one does."""
    name = shown(spec, rules)
    price = worth_of(spec.with_count(1), rules)
    if price <= 0:
        raise UsageError(f"{name} costs nothing, so no number of them is worth {points:g} points")
    if price > points:
        raise UsageError(f"{name} costs {price:g} points: more than {points:g}")
    if worth_of(spec.with_count(2), rules) <= price:
        where = "where one fights one the question in ruleset.yaml says `one_each: yes`"
        raise UsageError(f"two {name} cost no more than one, so points do not say how many there are; {where}")
    low, high = 1, 2
    while high <= MOST_MODELS and worth_of(spec.with_count(high), rules) <= points:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        fits = middle <= MOST_MODELS and worth_of(spec.with_count(middle), rules) <= points
        low, high = (middle, high) if fits else (low, middle)
    chosen = spec.with_count(low)
    return Sized(chosen, name, price, worth_of(chosen, rules), _against(chosen, rules))


def one_of(spec: UnitSpec, points: float | None, rules: Ruleset) -> Sized:
    """One model, where one fights one. Raises UsageError when it costs more than the points, if any are given."""
    name, price = shown(spec, rules), worth_of(spec, rules)
    if points is not None and price > points:
        raise UsageError(f"{name} costs {price:g} points: more than {points:g}")
    return Sized(spec, name, price, price)


def without_price(specs: Iterable[UnitSpec], given: Iterable[str], rules: Ruleset) -> list[UnitSpec]:
    """Those that cost nothing, as far as whole lists brought them in: no number of them is worth any points."""
    by_name = {str(spec) for one in given if not one.strip().startswith(ALL_OF) for spec in named([one], rules)}
    return [spec for spec in specs if str(spec) not in by_name and worth_of(spec, rules) <= 0]


def _against(spec: UnitSpec, rules: Ruleset) -> str:
    """What the army list says of such a size, "" when it allows it."""
    element = rules.lists.get(spec.list)
    rows = element.data.get("units", ()) if element is not None else ()
    row = next((r for r in rows if r.get("profile") == spec.profile), None)
    size = (row or {}).get("size")
    if size is None:
        return ""
    least, most = (size.get("min", 1), size.get("max")) if isinstance(size, Mapping) else (size, size)
    if spec.count < least:
        return f"the list asks for {least} or more"
    return f"the list allows {most}" if most is not None and spec.count > most else ""


def army_of(name: str, rules: Ruleset) -> Army:
    """A ready army by its id, or an army file. Raises UsageError and ContentError."""
    path = at_home(name)
    if name not in rules.armies and (path.exists() or path.suffix in (".yaml", ".yml")):
        return Army.from_file(path, rules)
    return Army.ready(name.removeprefix(f"{rules.id}@{rules.edition}:").removeprefix(f"{rules.id}:"), rules)
