"""The plugin: the kinds `trait`, `condition` and `army_rule`, and the library of rules `rallying`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warhost.hookspecs import hookimpl
from warhost.vocabulary import Field, Kind, RulesLibrary

TRAIT = Kind(
    "trait",
    "traits",
    "a lasting quality of a figure or unit",
    bearer="unit",
    fields=(Field("class", "text", "the group of traits it belongs to", default=""),),
)

CONDITION = Kind(
    "condition",
    "conditions",
    "something that comes over a figure or unit and passes",
    bearer="unit",
    fields=(Field("class", "text", "the group of conditions it belongs to", default=""),),
)

ARMY_RULE = Kind(
    "army_rule",
    "army_rules",
    "what distinguishes an army as a whole",
    bearer="side",
    fields=(Field("class", "text", "the group of army rules it belongs to", default=""),),
)


RALLYING = RulesLibrary(
    "rallying",
    Path(__file__).with_name("rallying.rules"),
    "`rally_step()`: each unit that may rally throws for it.",
    needs=("flag may_rally(unit)", "roll rallies(unit)", "procedure stand_again(unit)"),
)


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    """`trait Brave` comes with a unit's profile, `condition Shaken` with `give` and goes with `take`, `army_rule Swift`
    comes with the army list of a side.
    """
    return (TRAIT, CONDITION, ARMY_RULE)


@hookimpl
def warhost_libraries() -> Iterable[RulesLibrary]:
    """`libraries: [rallying]`."""
    return (RALLYING,)
