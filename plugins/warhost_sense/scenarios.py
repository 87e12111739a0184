"""What scenarios say that the rules never ask for: zones that are nearly called what rules name, sides upside down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warhost.errors import Problem, is_a_slip
from warhost.lang import tree
from warhost.packs.data import Element
from warhost.packs.yaml_source import Map, Seq, problem_at


def problems_in(scenarios: Iterable[Element], modules: Iterable[tree.Module | None]) -> Iterator[Problem]:
    """What is wrong with scenarios. modules: all the rules, by their files."""
    said = {text for module in modules for text in texts_in(module)}
    for scenario in scenarios:
        board = scenario.data.get("board")
        zones = board.get("zones") if isinstance(board, Map) else None
        if isinstance(zones, Map):
            yield from _zones(zones, said)
        yield from _sides(scenario)


def _zones(zones: Map, said: set[str]) -> Iterator[Problem]:
    """A zone that is nearly called what the rules speak of, when no zone is called so."""
    known = [str(name) for name in zones]
    for name in known:
        near = next((text for text in sorted(said) if is_a_slip(name, text) and text not in known), None)
        if near is not None and name not in said:
            message = f'the rules speak of "{near}", and no zone is called so'
            yield problem_at(zones.key_pos(name), "unknown-name", message, f'did you mean "{near}"?')


def _sides(scenario: Element) -> Iterator[Problem]:
    """For how many sides a scenario is: from low to high."""
    given = scenario.data.get("sides")
    if isinstance(given, Seq) and len(given) == 2 and all(isinstance(n, int) for n in given):
        low, high = given
        if low > high:
            message = "sides go from the least to the most"
            yield problem_at(scenario.data.pos("sides"), "limits-cross", message, f"write [{high}, {low}]")


def texts_in(module: tree.Module | None) -> Iterator[str]:
    """The texts without braces that are given a field in the rules of a file: `side.zone = "first"`."""
    for block in module.blocks if module is not None else ():
        for node in tree.walk(block, tree.EXPRESSIONS):
            if isinstance(node, tree.Assign) and isinstance(node.value, tree.Text) and node.value.plain:
                yield node.value.plain
