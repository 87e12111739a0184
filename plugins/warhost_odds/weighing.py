"""Pools that are weighed: every total with its chance, without a throw and without an object for every die."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warhost.engine.throws import LARGEST_DIE, Die, Throw, Throws, Toss
from warhost.lang import ir

#: Draws what so many dice of so many sides come to, of what each may be worth with which chance.
Draw = Callable[[int, int, dict[int, float]], int]


class _DiceAskedError(Exception):
    """Somebody wants to know the dice of a throw that is not made yet."""


class _Unthrown(Throw):
    """A throw about which only what is known beforehand may be asked: by whom, against whom, what it needs."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("dice", "total", "succeeded", "failed"):
            raise _DiceAskedError
        return super().__getattribute__(name)


def total_of_pool(
    draw: Draw, throws: Throws, roll: ir.Roll, spec: ir.Spec, args: tuple[Any, ...], by: Any, against: Any,
    opposed: bool,
) -> int | None:
    """What a pool comes to when only its total matters; None when its dice must be thrown.

    Nobody may be about to look at the dice, and no natural face may bring an event. Re-rolls by right are made as the
    default player makes them: of all failing dice. opposed: the pool is one half of an opposed throw.
    """
    if spec.scores is not None or throws.state.recording:
        return None
    if any(n.emits or n.confirmed is not None for n in roll.naturals):
        return None
    toss = Toss(spec, throws.need_of(spec, args), spec.op, by)
    if not nobody_looks(throws, roll.name, by, against, toss):
        return None
    assert spec.count is not None
    assert spec.die_sides is not None
    code = throws.state.code
    n, sides = (int(code.function(f)(throws.rt, *args)) for f in (spec.count, spec.die_sides))
    if not 1 <= sides <= LARGEST_DIE:
        return None
    faces = _faces_after_rights(throws, roll, toss, args, opposed, sides)
    if faces is None:
        return None
    worth: dict[int, float] = {}
    each = code.function(spec.each_scores) if spec.each_scores is not None else None
    for face, chance in faces.items():
        value = int(each(throws.rt, *args, face)) if each else throws.die_counts(roll, toss, face, args)
        worth[value] = worth.get(value, 0.0) + chance
    return draw(n, sides, worth)


def nobody_looks(throws: Throws, name: str, by: Any, against: Any, toss: Toss) -> bool:
    """Whether it is certain before a throw that nobody will interfere, whatever the dice show. name: of the roll."""
    if throws.is_awaited("rolling", name):
        return False
    if not throws.is_awaited("rolled", name):
        return True
    unthrown = _Unthrown(name, by, against, toss, lambda: False)
    try:
        return not throws.events.would_answer(throws.state.program.events["rolled"], [unthrown])
    except _DiceAskedError:
        return False


def _faces_after_rights(
    throws: Throws, roll: ir.Roll, toss: Toss, args: tuple[Any, ...], opposed: bool, sides: int
) -> dict[int, float] | None:
    """The chance of each face of a die when the re-rolls by right are over; None when they use something up."""
    chances = {(face, False): 1.0 / sides for face in range(1, sides + 1)}
    for right, effect in throws.rights_in_order(roll, toss.by, args, opposed) if throws.has_rights(roll) else ():
        given = throws.right_given(right, effect, toss, args, toss.by)
        if given is None:
            continue
        if effect is not None and effect.until[0] == "used":
            return None
        again = 0.0
        for face, rerolled in [key for key in chances if not key[1]]:
            wanted = right.forced or not throws.face_passes(toss, face)
            if wanted and throws.may_be_rerolled(right, toss, Die(0, face, sides), given):
                again += chances.pop((face, rerolled))
        for face in range(1, sides + 1) if again else ():
            chances[face, True] = chances.get((face, True), 0.0) + again / sides
    found: dict[int, float] = {}
    for (face, _), chance in chances.items():
        found[face] = found.get(face, 0.0) + chance
    return found
