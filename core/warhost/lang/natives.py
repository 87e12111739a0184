"""The functions and the kind that every ruleset has, whatever its plugins. The functions only call the battle."""

from __future__ import annotations

from typing import Any

from warhost.vocabulary import Function, Kind
from warhost.vocabulary import function as _function

#: The kind of block that the core itself has: modifiers and handlers that are always in force.
RULE = Kind("rule", "rules", "modifiers and handlers that are always in force", bearer="")


def _units_gone(battle: Any, side: Any) -> Any:
    return [u for u in battle.by_id.values() if u._noun == "unit" and u._gone and u.side is side]


def _one_of(battle: Any, items: list[Any]) -> Any:
    return items[battle.dice.pick(len(items))] if items else None


def _targets_of(battle: Any, definition: Any, by: Any) -> list[Any]:
    targets = definition.definition.targets
    return [] if targets is None else list(battle.code.function(targets)(battle, None, by))


def _keep_secret(battle: Any, thing: Any, side: Any = None) -> None:
    battle.hide(thing, *([side] if side is not None else []))


def _show_to(battle: Any, thing: Any, side: Any) -> None:
    for one in thing if isinstance(thing, list) else [thing]:
        battle.show(one, side)


FUNCTIONS: tuple[Function, ...] = (
    _function(
        "units_of", "side: side", "list of unit", lambda battle, side: list(side.units),
        "the side's units on the table", asks=(),
    ),
    _function(
        "units_gone", "side: side", "list of unit", _units_gone,
        "the side's units that were taken off for good, in order of creation", asks=(),
    ),
    _function(
        "on_table", "unit: unit", "yes_no", lambda battle, unit: not unit._gone and unit._placed,
        "whether a unit is on the table", asks=(),
    ),
    _function(
        "destroy", "unit: thing", "any", lambda battle, unit: battle.remove(unit),
        "take something off the table for good", "writes",
    ),
    _function(
        "bring_back", "unit: thing", "any", lambda battle, unit: battle.things.put_back(unit),
        "return something that was taken off", "writes",
    ),
    _function(
        "random_side", "", "side", lambda battle: _one_of(battle, battle.sides),
        "one of the sides, by a die", "rolls",
    ),
    _function("random_of", "items: any", "any", _one_of, "one of a list, by a die", "rolls"),
    _function(
        "opposes", "a: any, b: any", "yes_no",
        lambda battle, a, b: getattr(a, "side", None) is not getattr(b, "side", None),
        "whether two things are of different sides", asks=(),
    ),
    _function(
        "is_enemy", "a: any, b: any", "yes_no", lambda battle, a, b: a.side is not b.side,
        "whether two things are of different sides", asks=(),
    ),
    _function(
        "is_friendly", "a: any, b: any", "yes_no", lambda battle, a, b: a.side is b.side,
        "whether two things are of one side", asks=(),
    ),
    _function(
        "end_battle", "winner: side or none, reason: text", "any",
        lambda battle, winner, reason: battle.end(winner, reason),
        "the battle is over after this step", "writes",
    ),
    _function(
        "period_begins", "what: text, whose?: any", "any",
        lambda battle, what, whose=None: battle.in_force.moment("start", what, whose),
        "a period of the ruleset's own begins (a round, an activation)", "writes", names={"what": "period"},
    ),
    _function(
        "period_ends", "what: text, whose?: any", "any",
        lambda battle, what, whose=None: battle.in_force.moment("end", what, whose),
        "a period of the ruleset's own ends: what lasts `until end of` it is over", "writes", names={"what": "period"},
    ),
    _function(
        "reroll_dice", "throw: throw, dice?: list of die", "any",
        lambda battle, throw, dice=None: battle.throws.reroll_throw(throw, dice),
        "throw the dice of a throw again: all, or those of a list; each at most once", "rolls",
    ),
    _function(
        "add_dice", "throw: throw, count: number", "any",
        lambda battle, throw, count: battle.throws.add_dice(throw, count),
        "so many more dice (fewer, if negative) in a throw that is about to be made", "writes",
    ),
    _function(
        "swap_die", "throw: throw, die: die, sides: number, highest: number", "any",
        lambda battle, throw, *new: battle.throws.swap_die(throw, *new),
        "another die in the place of one that has not fallen; what it shows above the highest counts as that", "writes",
    ),
    _function(
        "set_need", "throw: throw, need: number", "any",
        lambda battle, throw, need: battle.throws.set_need(throw, need),
        "what a throw is held against from now on", "writes",
    ),
    _function(
        "targets_of", "what: definition, by: any", "list of any", _targets_of,
        "what a definition's `targets` line lets somebody aim it at",
    ),
    _function(
        "muster", "profile: text, side: side, size: number", "unit",
        lambda battle, profile, side, size: battle.reinforcements.muster_unit(profile, side, size),
        "a new unit of a profile, which has no place yet", "writes", names={"profile": "profile"},
    ),
    _function(
        "offered", "side: side, field: text", "list of text",
        lambda battle, side, field: battle.reinforcements.offered(side, field),
        "the profiles of a side's army list for which a yes_no field of `profile of unit` says yes", asks=(),
    ),
    _function(
        "most_offered", "side: side, profile: text", "number",
        lambda battle, side, profile: battle.reinforcements.most_offered(side, profile),
        "how many units of a profile a side's army list allows; 9999: as many as one likes", asks=(),
        names={"profile": "profile"},
    ),
    _function(
        "add_part", "whole: unit, into: text, profile: text, name: text", "any",
        lambda battle, whole, *part: battle.reinforcements.add_part(whole, *part),
        "give a unit one more part: the one of that name among those of a profile", "writes",
        names={"profile": "profile"},
    ),
    _function(
        "go_over", "unit: unit, side: side", "any",
        lambda battle, unit, side: battle.reinforcements.go_over(unit, side),
        "a unit is another side's from now on (its owner stays)", "writes",
    ),
    _function(
        "bear_alike", "who: thing, other: thing", "any",
        lambda battle, who, other: battle.in_force.bear_alike(who, other),
        "let something bear what another bears for the whole battle, and nothing else so long",
        "writes",
    ),
    _function(
        "parts_to_lose", "unit: unit", "list of any",
        lambda battle, unit: battle.reinforcements.lose_order(unit),
        "the parts that a unit has, in the order in which it loses them: those that are lost first, the youngest first",
    ),
    _function(
        "drop_part", "part: thing", "any", lambda battle, part: battle.reinforcements.drop_part(part),
        "take a part from its whole for good", "writes",
    ),
    _function(
        "keep_secret", "thing: any, side?: side or none", "any", _keep_secret,
        "only that side knows a thing from now on (without a side: nobody)", "writes",
    ),
    _function(
        "show_to", "thing: any, side: side", "any", _show_to,
        "a side knows a hidden thing (or several) from now on, too", "writes",
    ),
    _function(
        "known_to", "thing: any, side: side", "yes_no", lambda battle, thing, side: bool(battle.knows(side, thing)),
        "whether a side may know a thing", asks=(),
    ),
    _function(
        "perform_phase", "phase: text", "any", lambda battle, phase: battle.turns.perform_phase(phase),
        "run a phase by name (for examples)", "writes", "rolls", names={"phase": "phase"},
    ),
    # what no author can call: a question of odds is made of them (warhost_odds/rounds.py)
    _function(
        "turn begins", "side: side or none", "any", lambda battle, side: battle.turns.begin_turn(side),
        "what a turn begins with", "writes",
    ),
    _function(
        "turn ends", "side: side or none", "any", lambda battle, side: battle.turns.end_turn(side),
        "what a turn ends with", "writes",
    ),
    _function(
        "phase begins", "phase: text", "any", lambda battle, phase: battle.turns.begin_phase(phase),
        "what a phase begins with", "writes",
    ),
    _function(
        "phase ends", "phase: text", "any", lambda battle, phase: battle.turns.end_phase(phase),
        "what a phase ends with", "writes",
    ),
)  # fmt: skip
