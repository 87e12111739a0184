"""The functions and the kind that every ruleset has, whatever its plugins. They only pass on to the battle."""

from __future__ import annotations

from typing import Any

from warhost.vocabulary import Function, Kind
from warhost.vocabulary import function as _function

#: The kind of block that the core itself has: modifiers and handlers that are always in force.
RULE = Kind("rule", "rules", "modifiers and handlers that are always in force", bearer="")


def _units_of(battle: Any, side: Any) -> Any:
    return list(side.units)


def _units_gone(battle: Any, side: Any) -> Any:
    return [u for u in battle.by_id.values() if u._noun == "unit" and u._gone and u.side is side]


def _on_table(battle: Any, unit: Any) -> bool:
    return not unit._gone and unit._placed


def _destroy(battle: Any, unit: Any) -> None:
    battle.remove(unit)


def _put_back(battle: Any, unit: Any) -> None:
    battle.things.put_back(unit)


def _random_side(battle: Any) -> Any:
    return battle.sides[battle.dice.pick(len(battle.sides))]


def _random_of(battle: Any, items: list[Any]) -> Any:
    return items[battle.dice.pick(len(items))] if items else None


def _opposes(battle: Any, a: Any, b: Any) -> bool:
    return getattr(a, "side", None) is not getattr(b, "side", None)


def _is_enemy(battle: Any, a: Any, b: Any) -> bool:
    return a.side is not b.side


def _is_friendly(battle: Any, a: Any, b: Any) -> bool:
    return a.side is b.side


def _end_battle(battle: Any, winner: Any, reason: str) -> None:
    battle.end(winner, reason)


def _period(edge: str) -> Any:
    def mark(battle: Any, what: str, whose: Any = None) -> None:
        battle.in_force.moment(edge, what, whose)

    return mark


def _reroll(battle: Any, throw: Any, dice: Any = None) -> None:
    battle.throws.reroll_throw(throw, dice)


def _add_dice(battle: Any, throw: Any, count: int) -> None:
    battle.throws.add_dice(throw, count)


def _swap_die(battle: Any, throw: Any, die: Any, sides: int, highest: int) -> None:
    battle.throws.swap_die(throw, die, sides, highest)


def _set_need(battle: Any, throw: Any, need: Any) -> None:
    battle.throws.set_need(throw, need)


def _perform(battle: Any, phase: str) -> None:
    battle.turns.perform_phase(phase)


def _turn_begins(battle: Any, side: Any) -> None:
    battle.turns.begin_turn(side)


def _turn_ends(battle: Any, side: Any) -> None:
    battle.turns.end_turn(side)


def _phase_begins(battle: Any, phase: str) -> None:
    battle.turns.begin_phase(phase)


def _phase_ends(battle: Any, phase: str) -> None:
    battle.turns.end_phase(phase)


def _targets_of(battle: Any, definition: Any, by: Any) -> list[Any]:
    targets = definition.definition.targets
    return [] if targets is None else list(battle.code.function(targets)(battle, None, by))


def _muster(battle: Any, profile: str, side: Any, size: int) -> Any:
    return battle.reinforcements.muster_unit(profile, side, size)


def _offered(battle: Any, side: Any, field: str) -> list[str]:
    return battle.reinforcements.offered(side, field)  # type: ignore[no-any-return]


def _most_offered(battle: Any, side: Any, profile: str) -> Any:
    return battle.reinforcements.most_offered(side, profile)


def _add_part(battle: Any, whole: Any, into: str, profile: str, name: str) -> Any:
    return battle.reinforcements.add_part(whole, into, profile, name)


def _parts_to_lose(battle: Any, unit: Any) -> list[Any]:
    return battle.reinforcements.lose_order(unit)  # type: ignore[no-any-return]


def _drop_part(battle: Any, part: Any) -> None:
    battle.reinforcements.drop_part(part)


def _go_over(battle: Any, unit: Any, side: Any) -> None:
    battle.reinforcements.go_over(unit, side)


def _keep_secret(battle: Any, thing: Any, side: Any = None) -> None:
    battle.hide(thing, *([side] if side is not None else []))


def _show_to(battle: Any, thing: Any, side: Any) -> None:
    for one in thing if isinstance(thing, list) else [thing]:
        battle.show(one, side)


def _known_to(battle: Any, thing: Any, side: Any) -> bool:
    return bool(battle.knows(side, thing))


FUNCTIONS: tuple[Function, ...] = (
    _function("units_of", "side: side", "list of unit", _units_of, "the side's units on the table"),
    _function(
        "units_gone", "side: side", "list of unit", _units_gone,
        "the side's units that were taken off for good, in order of creation",
    ),
    _function("on_table", "unit: unit", "yes_no", _on_table, "whether a unit is on the table"),
    _function("destroy", "unit: any", "any", _destroy, "take something off the table for good", "writes"),
    _function("bring_back", "unit: any", "any", _put_back, "return something that was taken off", "writes"),
    _function("random_side", "", "side", _random_side, "one of the sides, by a die", "rolls"),
    _function("random_of", "items: any", "any", _random_of, "one of a list, by a die", "rolls"),
    _function("opposes", "a: any, b: any", "yes_no", _opposes, "whether two things are of different sides"),
    _function("is_enemy", "a: any, b: any", "yes_no", _is_enemy, "whether two things are of different sides"),
    _function("is_friendly", "a: any, b: any", "yes_no", _is_friendly, "whether two things are of one side"),
    _function(
        "end_battle", "winner: side or none, reason: text", "any", _end_battle,
        "the battle is over after this step", "writes",
    ),
    _function(
        "period_begins", "what: text, whose?: any", "any", _period("start"),
        "a period of the ruleset's own begins (a round, an activation)", "writes",
    ),
    _function(
        "period_ends", "what: text, whose?: any", "any", _period("end"),
        "a period of the ruleset's own ends: what lasts `until end of` it is over", "writes",
    ),
    _function(
        "reroll_dice", "throw: throw, dice?: list of die", "any", _reroll,
        "throw the dice of a throw again: all, or those of a list; each at most once", "rolls",
    ),
    _function(
        "add_dice", "throw: throw, count: number", "any", _add_dice,
        "so many more dice (fewer, if negative) in a throw that is about to be made", "writes",
    ),
    _function(
        "swap_die", "throw: throw, die: die, sides: number, highest: number", "any", _swap_die,
        "another die in the place of one that has not fallen; what it shows above the highest counts as that", "writes",
    ),
    _function(
        "set_need", "throw: throw, need: number", "any", _set_need,
        "what a throw is held against from now on", "writes",
    ),
    _function(
        "targets_of", "what: any, by: any", "list of any", _targets_of,
        "what a definition's `targets` line lets somebody aim it at",
    ),
    _function(
        "muster", "profile: text, side: side, size: number", "unit", _muster,
        "a new unit of a profile, which has no place yet", "writes",
    ),
    _function(
        "offered", "side: side, field: text", "list of text", _offered,
        "the profiles of a side's army list for which a yes_no field of `profile of unit` says yes",
    ),
    _function(
        "most_offered", "side: side, profile: text", "number", _most_offered,
        "how many units of a profile a side's army list allows; 9999: as many as one likes",
    ),
    _function(
        "add_part", "whole: unit, into: text, profile: text, name: text", "any", _add_part,
        "give a unit one more part: the one of that name among those of a profile", "writes",
    ),
    _function(
        "go_over", "unit: unit, side: side", "any", _go_over,
        "a unit is another side's from now on (its owner stays)", "writes",
    ),
    _function(
        "parts_to_lose", "unit: unit", "list of any", _parts_to_lose,
        "the parts that a unit has, in the order in which it loses them: those that are lost first, the youngest first",
    ),
    _function("drop_part", "part: any", "any", _drop_part, "take a part from its whole for good", "writes"),
    _function(
        "keep_secret", "thing: any, side?: side or none", "any", _keep_secret,
        "only that side knows a thing from now on (without a side: nobody)", "writes",
    ),
    _function(
        "show_to", "thing: any, side: side", "any", _show_to,
        "a side knows a hidden thing (or several) from now on, too", "writes",
    ),
    _function("known_to", "thing: any, side: side", "yes_no", _known_to, "whether a side may know a thing"),
    _function("perform_phase", "phase: text", "any", _perform, "run a phase by name (for examples)", "writes", "rolls"),
    # what no author can call: a question of odds is made of them (warhost_odds/rounds.py)
    _function("turn begins", "side: side or none", "any", _turn_begins, "what a turn begins with", "writes"),
    _function("turn ends", "side: side or none", "any", _turn_ends, "what a turn ends with", "writes"),
    _function("phase begins", "phase: text", "any", _phase_begins, "what a phase begins with", "writes"),
    _function("phase ends", "phase: text", "any", _phase_ends, "what a phase ends with", "writes"),
)  # fmt: skip
