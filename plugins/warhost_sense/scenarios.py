"""What scenarios say that makes no sense: sides upside down, or too few for a battle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warhost.errors import Problem
from warhost.packs.data import Element
from warhost.packs.yaml_source import Seq, problem_at


def problems_in(scenarios: Iterable[Element]) -> Iterator[Problem]:
    """What is wrong with scenarios."""
    for scenario in scenarios:
        yield from _sides(scenario)


def _sides(scenario: Element) -> Iterator[Problem]:
    """For how many sides a scenario is: from low to high, and two of them at least."""
    given = scenario.data.get("sides")
    if given == 1 or (isinstance(given, Seq) and list(given) == [1, 1]):
        message = "nobody can play this scenario: a battle has two sides at least"
        yield problem_at(scenario.data.pos("sides"), "never", message, "write sides: 2, or leave it out")
    if isinstance(given, Seq) and len(given) == 2 and all(isinstance(n, int) for n in given):
        low, high = given
        if low > high:
            message = "sides go from the least to the most"
            yield problem_at(scenario.data.pos("sides"), "limits-cross", message, f"write [{high}, {low}]")
