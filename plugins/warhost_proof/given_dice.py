"""Dice whose faces are given, for examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warhost.engine.dice import check_pool
from warhost.errors import RuleFault


class GivenDice:
    """Exactly these faces, in this order; asking for more is a fault."""

    def __init__(self, faces: Sequence[int]) -> None:
        self._faces = list(faces)
        self.thrown = 0

    @property
    def left(self) -> list[int]:
        """Faces that nobody has thrown yet."""
        return self._faces[self.thrown :]

    def pool(self, count: int, sides: int) -> list[int]:
        """The next faces of the list. Raises RuleFault when there are too few of them, or one that the die has not."""
        if count <= 0:
            return []
        check_pool(count, sides)
        faces = self._faces[self.thrown : self.thrown + count]
        if len(faces) < count:
            thrown, dice = ("a die is thrown", "die") if count == 1 else (f"{count} dice are thrown", "dice")
            left = "is left" if len(faces) == 1 else "are left"
            missing = f"only {len(faces)} {left}" if faces else "none is left"
            raise RuleFault(f"{thrown}, but {missing} of the {len(self._faces)} {dice} given: `dice` needs more faces")
        for face in faces:
            if not 1 <= face <= sides:
                raise RuleFault(f"a die with {sides} sides cannot show the {face} that is given")
        self.thrown += count
        return faces

    def pick(self, count: int) -> int:
        """A position from 0 to count - 1: the next face, less 1."""
        return self.pool(1, count)[0] - 1

    def state(self) -> Any:
        """How many dice have been thrown."""
        return self.thrown

    def set_state(self, state: Any) -> None:
        """Go back to what `state` gave."""
        self.thrown = state
