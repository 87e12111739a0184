"""The duel of duel.rules written by hand: what somebody would write who needs these rules, and these only.

The same dice in the same order, the same modifiers, no framework: plain classes and functions.
"""

from __future__ import annotations

from dataclasses import dataclass

from warhost.engine.dice import DiceSource


@dataclass(slots=True)
class Unit:
    """The figures of a profile, what it bears, and its state."""

    size: int
    attacks: int
    armour: int
    close_combat: int
    wounds: int = 1
    mounted: bool = False
    on_chariots: bool = False
    on_foot: bool = True
    hero: bool = False
    monstrous: bool = False
    archer: bool = False
    spears: bool = False
    tests_morale: bool = True
    single: bool = False
    in_column: bool = False
    bases: int = 0
    disorder: int = 0
    attacked_from: str = "front"
    figures: int = 0
    wounds_taken: int = 0
    wounds_noted: int = 0
    lost_this_turn: int = 0
    rounds_fought: int = 0
    charged: bool = False
    routing: bool = False

    def stand_up(self, charged: bool) -> None:
        """As before the duel."""
        self.figures = self.bases = self.size
        self.wounds_taken = self.wounds_noted = self.lost_this_turn = self.rounds_fought = 0
        self.charged, self.routing = charged, False


def attack_bonus(unit: Unit) -> int:
    bonus = 0
    if unit.on_foot and not unit.hero:
        bonus += 1
    if unit.mounted and not unit.hero:
        bonus += 2
    if unit.on_chariots:
        bonus += 2
    if unit.hero or unit.monstrous:
        bonus += 2
    return bonus


def close_combat_skill(attacker: Unit, target: Unit) -> int:
    skill = attacker.close_combat
    if attacker.archer:
        skill -= 1
    if attacker.charged:
        skill += attack_bonus(attacker)
    if attacker.spears and (target.mounted or target.on_chariots):
        skill += 1
    return skill


def frontage(unit: Unit) -> int:
    wide = -(-unit.bases // 2)
    if unit.in_column:
        wide = 2
    if unit.single:
        wide = 1
    return max(wide, 1)


def figures_striking(unit: Unit) -> int:
    figures = unit.figures
    if unit.in_column:
        figures = min(figures, 2 * frontage(unit))
    if unit.routing or unit.disorder >= 1 or unit.attacked_from == "rear":
        figures = 0
    if unit.attacked_from == "flank":
        figures //= 2
    return figures


def blows(unit: Unit) -> int:
    return figures_striking(unit) * unit.attacks


def passes(face: int, need: int) -> bool:
    """A test to roll equal or under; a 1 always succeeds, a 6 always fails."""
    if face == 1:
        return True
    if face == 6:
        return False
    return face <= need


def how_many_pass(dice: DiceSource, count: int, need: int) -> int:
    return sum([1 for face in dice.pool(count, 6) if passes(face, need)])


def wounds_left(unit: Unit) -> int:
    return max(unit.figures * unit.wounds - unit.wounds_taken - unit.wounds_noted, 0)


def bear(dice: DiceSource, unit: Unit, hits: int) -> None:
    batch = min(hits, wounds_left(unit))
    saved = how_many_pass(dice, batch, unit.armour)
    unit.wounds_noted += batch - saved
    unit.rounds_fought += 1
    unit.charged = False


def remove_the_dead(unit: Unit) -> None:
    suffered = unit.wounds_taken + unit.wounds_noted
    dead = min(suffered // unit.wounds, unit.figures)
    unit.wounds_noted = 0
    unit.wounds_taken = suffered - dead * unit.wounds
    unit.figures -= dead
    unit.lost_this_turn += dead


def must_test(unit: Unit) -> bool:
    if not unit.tests_morale or unit.figures < 1 or unit.routing or unit.lost_this_turn < 1:
        return False
    return (unit.size - unit.figures) * 2 >= unit.size


def hold_or_break(dice: DiceSource, unit: Unit) -> None:
    if must_test(unit) and not dice.pool(1, unit.size)[0] < unit.figures:
        unit.routing = True


def may_go_on(unit: Unit) -> bool:
    return unit.figures >= 1 and not unit.routing


def exchange(dice: DiceSource, one: Unit, other: Unit) -> None:
    one.lost_this_turn = 0
    other.lost_this_turn = 0
    by_one = how_many_pass(dice, blows(one), close_combat_skill(one, other))
    by_other = how_many_pass(dice, blows(other), close_combat_skill(other, one))
    bear(dice, other, by_one)
    bear(dice, one, by_other)
    remove_the_dead(one)
    remove_the_dead(other)
    hold_or_break(dice, one)
    hold_or_break(dice, other)


def duel(dice: DiceSource, one: Unit, other: Unit) -> int:
    """The number of rounds until one of them is gone or runs."""
    rounds = 0
    for _ in range(200):
        exchange(dice, one, other)
        rounds += 1
        if not may_go_on(one) or not may_go_on(other):
            break
    return rounds
