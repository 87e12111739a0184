"""What army lists say that units and options cost, held against what is paid for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warhost.armies.legality import size_of_row
from warhost.armies.prices import own_prices, paid_for_options
from warhost.errors import Problem, RuleFault, WarhostError
from warhost.packs.yaml_source import Map, problem_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warhost.packs import Ruleset
    from warhost.packs.data import Element


def listed_prices(rules: Ruleset, lists: Iterable[Element]) -> list[Problem]:
    """Options with a price that nobody pays: the row has none, so the ruleset's own number `points(unit)` prices the
    unit with what the option gives it, and that is another sum. A warning at the price. And rows that cost nothing,
    among others that do, where nothing else prices them.
    """
    found: dict[tuple[str, int, int], Problem] = {}
    for element in lists:
        for problem in _of_list(element, rules):
            found.setdefault((problem.file, problem.line, problem.column), problem)  # lists share rows
    return list(found.values())


def _for_nothing(element: Element, rules: Ruleset) -> Iterator[Problem]:
    """Rows without a price in a ruleset that has no number `points(unit)`: whoever takes them pays nothing."""
    rows = [row for row in element.data.get("units", ()) if isinstance(row, Map) and "profile" in row]
    free = [row for row in rows if not row.get("points")]
    if own_prices(rules) or len(free) == len(rows):
        return
    for row in free:
        profile = rules.profiles.get(str(row["profile"]))
        if profile is not None and "points" not in row:
            message = f"{profile.name} costs nothing: its row has no price, and other rows of the list have one"
            hint = "write `points: ..` for each model; 0 if meant"
            yield problem_at(row.pos("profile"), "unpriced-row", message, hint)


def _of_list(element: Element, rules: Ruleset) -> Iterator[Problem]:
    yield from _for_nothing(element, rules)
    try:
        priced = list(paid_for_options(element, rules))
    except WarhostError:
        return  # what is wrong with the list is told elsewhere
    for row, option, paid in priced:
        assert isinstance(option, Map)
        if isinstance(paid, RuleFault):
            name, profile = option.get("name", option["id"]), rules.profiles[str(row["profile"])]
            message = f"{name} has no price for {profile.name}, so nobody can take it: {paid.message}"
            hint = "give the row a price (`points: ..` for each model): then what the list says is paid; or take the "
            yield problem_at(option.pos("points"), "no-price", message, f"{hint}option away")
            continue
        models = max(size_of_row(row)[0], 1)
        said = option["points"] * (1 if option.get("flat") else models)
        if paid != said:
            name, profile = option.get("name", option["id"]), rules.profiles[str(row["profile"])]
            size = f"{models} models" if models > 1 else "1 model"
            message = (
                f"{name} is listed at {said} points for {profile.name} of {size}, but {paid} are paid: "
                "the ruleset's own number points(unit) prices them"
            )
            hint = "give the row a price as well (`points: ..` for each model): then what the list says is paid; or "
            hint += "let a rule add to `points` for what the option gives"
            yield problem_at(option.pos("points"), "unpaid-option", message, hint)
