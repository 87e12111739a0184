"""Comparing two rulesets as they are played, house rules included: `compare(a, b)`.

    from warhost_diff.comparing import compare
    found = compare(warhost.load("my_game"), warhost.load("my_game", house=["rain"]))
    for change in found.changes:
        print(change.title, change.what)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from warhost.errors import ContentError, WarhostError
from warhost_diff.blocks import SECTIONS, TURN, ReadRules, changed_blocks
from warhost_diff.data import (
    ADOPTED,
    ARMIES,
    LISTS,
    SCENARIOS,
    UNITS,
    changed_elements,
    changed_manifest,
    changed_profiles,
    changed_tables,
)
from warhost_diff.difference import About, ArmyChange, ChangedThing, Difference, Judged
from warhost_diff.quoting import Sources
from warhost_diff.values import changed_values

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost_diff.difference import Odds


def compare(a: Ruleset, b: Ruleset, odds: tuple[Odds, ...] = ()) -> Difference:
    """Everything that is otherwise in b than in a. Both must be in order."""
    one, other = ReadRules(a, Sources()), ReadRules(b, Sources())
    changes = [
        *changed_manifest(one, other), *changed_blocks(one, other), *changed_profiles(one, other),
        *changed_tables(one, other), *changed_elements(one, other),
    ]  # fmt: skip
    changes.sort(key=lambda change: _rank(change.section))
    armies = tuple(_armies(a, b)) if changes else ()
    values = changed_values(one, other) if changes else ()
    superseded = b.left_out() if a.folder != b.folder else ()
    return Difference(_about(a), _about(b), tuple(changes), armies, odds, _examples(a, b), superseded, values)


_FIRST = ("The ruleset", ADOPTED, TURN, "Rules", "Legal armies")
_LAST = (
    *(section for section in SECTIONS.values() if section not in _FIRST), UNITS, LISTS, SCENARIOS, ARMIES,
    "Computer players", "House rules on offer", "The index of the book",
)  # fmt: skip


def _rank(section: str) -> tuple[int, int]:
    """Where a section is told: the turn and the rules first, then definitions, numbers, data."""
    if section in _FIRST:
        return 0, _FIRST.index(section)
    return (2, _LAST.index(section)) if section in _LAST else (1, 0)


def _about(rules: Ruleset) -> About:
    layers = {layer.id: layer for layer in rules.layers if layer.kind == "house"}
    house = tuple(
        (id_, rules.house_rules[id_].title, rules.house_rules[id_].reads) if id_ in rules.house_rules
        else (id_, layers[id_].title, layers[id_].reads)
        for id_ in rules.house
    )  # fmt: skip
    return About(rules.id, rules.edition, rules.title, rules.digest, str(rules.folder), house)


def _examples(a: Ruleset, b: Ruleset) -> dict[str, int]:
    was = {one.title: one for one in a.examples}
    now = {one.title: one for one in b.examples}
    changed = sum(was[title].data != one.data for title, one in now.items() if title in was)
    return {"added": len(now.keys() - was.keys()), "removed": len(was.keys() - now.keys()), "changed": changed}


# -- ready armies -----------------------------------------------------------------------------------


def _armies(a: Ruleset, b: Ruleset) -> Iterator[ArmyChange]:
    """The ready armies of both that become legal or illegal, or change price."""
    for id_, element in b.armies.items():
        if id_ in a.armies:
            before, after = judged(id_, a), judged(id_, b)
            if before != after:
                yield ArmyChange(id_, element.name, before, after)


def judged(id_: str, rules: Ruleset) -> Judged:
    """What a ready army costs under a ruleset, and why it is illegal."""
    from warhost.armies.legality import check_mustered, mustered
    from warhost.armies.roster import Army

    try:
        army = Army.ready(id_, rules)
        laid_out = mustered(army, rules)
        violations = check_mustered(army, rules, laid_out)
    except ContentError as error:
        return Judged(None, tuple(problem.message for problem in error.problems))
    except WarhostError as error:
        return Judged(None, (str(error),))
    return Judged(laid_out.points, tuple(violation.message for violation in violations))


__all__ = ["ChangedThing", "Difference", "compare", "judged"]
