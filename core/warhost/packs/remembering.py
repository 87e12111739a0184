"""What was worked out of things that never change (blocks, files, examples), so that one reading after another need not
work it out again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")


class Remembered:
    """Answers by the very thing that they are about. Those that nobody has asked for between one `begin_again` and the
    next but one are forgotten.
    """

    def __init__(self) -> None:
        self._used: dict[tuple[int, Any], tuple[Any, Any]] = {}
        self._before: dict[tuple[int, Any], tuple[Any, Any]] = {}

    def of(self, thing: Any, work: Callable[..., R], *given: Any) -> R:
        """What `work(thing, *given)` gives, worked out once. given: what is the same whenever the thing is; work: a
        function that depends on nothing else.
        """
        key = id(thing), work
        found = self._used.get(key)
        if found is None or found[0] is not thing:
            found = self._before.get(key)
            if found is None or found[0] is not thing:
                found = thing, work(thing, *given)
            self._used[key] = found  # it holds the thing: no other can have its id
        answer: R = found[1]
        return answer

    def begin_again(self) -> None:
        """Before everything is read once more."""
        self._before, self._used = self._used, {}
