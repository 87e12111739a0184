"""What a unit of an army list and its options cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warhost.armies.legality import mustered, size_of_row
from warhost.armies.roster import Army
from warhost.errors import RuleFault

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost.packs.data import Element

Row = Mapping[str, Any]


def price_of_unit(rules: Ruleset, list_id: str, profile: str, size: int, options: Sequence[str] = ()) -> int:
    """What one unit of an army list costs, in points, with the options of these ids, none of it for nothing."""
    unit = {"id": "a", "profile": profile, "size": size, "options": list(options)}
    army = Army.from_data({"id": "priced", "name": "", "list": list_id, "units": [unit]}, rules)
    return mustered(replace(army, units=(replace(army.units[0], free=False),)), rules).points


def paid_for_options(element: Element, rules: Ruleset) -> Iterator[tuple[Row, Row, int | RuleFault]]:
    """What is paid for the options of a list whose rows have no price, if they have one: row, option, and what the
    ruleset's own number `points(unit)` makes of a unit of the least size with it more than without it; why not, where
    it makes nothing of it.

    Raises ContentError as the laying out of an army does.
    """
    priced = [
        (row, option) for row in element.data.get("units", ()) if "points" not in row
        for option in row.get("options", ()) if option.get("points")
    ]  # fmt: skip
    if not priced or not own_prices(rules):
        return
    try:  # all in one army: to lay out a battle for each takes long
        paid = _differences(priced, element, rules)
        yield from ((row, option, sum_) for (row, option), sum_ in zip(priced, paid, strict=True))
    except RuleFault:
        for row, option in priced:
            try:
                yield row, option, _differences([(row, option)], element, rules)[0]
            except RuleFault as error:
                yield row, option, error


def _differences(priced: Sequence[tuple[Row, Row]], element: Element, rules: Ruleset) -> list[int]:
    """What units of the least size cost more with an option of their row than without."""
    units = [
        {"profile": str(row["profile"]), "size": max(size_of_row(row)[0], 1), "options": taken}
        for row, option in priced for taken in ([], [str(option["id"])])
    ]  # fmt: skip
    army = Army.from_data({"id": "priced", "name": "", "list": element.id, "units": units}, rules)
    costs = mustered(replace(army, units=tuple(replace(unit, free=False) for unit in army.units)), rules).costs
    return [with_it - bare for bare, with_it in zip(costs[::2], costs[1::2], strict=True)]


def own_prices(rules: Ruleset) -> bool:
    """Whether the ruleset has a number `points(unit)`, which prices what the rows of army lists do not."""
    number = rules.program.numbers.get("points")
    return number is not None and len(number.params) == 1
