"""Where the faces of dice come from: one seeded source for a battle, or a list for an example."""

from __future__ import annotations

import random
from typing import Any, Protocol, runtime_checkable

from warhost.errors import RuleFault

#: No game throws more dice at once, or dice of more sides.
MOST_DICE = 10_000
MOST_SIDES = 1_000_000


class DiceSource(Protocol):
    """thrown counts the dice so far."""

    thrown: int

    def pool(self, count: int, sides: int) -> list[int]:
        """Faces from 1 to sides, in the order thrown. Raises RuleFault for dice that nobody can throw."""

    def pick(self, count: int) -> int:
        """A position from 0 to count - 1, for a choice that chance makes."""


@runtime_checkable
class RepeatableDice(DiceSource, Protocol):
    """Dice that can go back: what `state` gives, `set_state` takes, and the same faces come once more."""

    def state(self) -> Any:
        """Where the dice stand, to be handed to `set_state` unchanged."""

    def set_state(self, state: Any) -> None:
        """Go back to where the dice stood."""


def check_pool(count: int, sides: int) -> None:
    """Raises RuleFault for dice that nobody can throw."""
    if sides < 1 or sides > MOST_SIDES:
        raise RuleFault(f"there is no die with {sides} sides")
    if count > MOST_DICE:
        raise RuleFault(f"{count} dice are more than any game throws at once")


class SeededDice:
    """Uniform faces from a Mersenne Twister, drawn bit by bit so that every Python gives the same."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        self._bits = self._source.getrandbits
        self.thrown = 0

    def pool(self, count: int, sides: int) -> list[int]:
        """Faces 1 to sides, in the order thrown."""
        if count <= 0:
            return []
        check_pool(count, sides)
        self.thrown += count
        bits, width = self._bits, (sides - 1).bit_length()
        if width == 0:
            return [1] * count
        faces: list[int] = []
        while len(faces) < count:
            face = bits(width)
            if face < sides:
                faces.append(face + 1)
        return faces

    def pick(self, count: int) -> int:
        """A position from 0 to count - 1, for a choice that chance makes."""
        return self.pool(1, count)[0] - 1

    def state(self) -> Any:
        """The state of the generator, and how many dice it has thrown."""
        return self._source.getstate(), self.thrown

    def set_state(self, state: Any) -> None:
        """Go back to what `state` gave."""
        source, self.thrown = state
        self._source.setstate(source)
