"""Hints for misspelt names, with an end to the time that they may take."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from warhost.errors import did_you_mean

MAX_COMPARISONS = 40_000
MAX_LENGTH = 80


@dataclass(slots=True)
class Guesses:
    """Finds near names until its budget of comparisons is spent: a ruleset of 5,000 wrong names must not take hours."""

    left: int = MAX_COMPARISONS

    def hint(self, word: str, known: Callable[[], Collection[str]]) -> str | None:
        """`did you mean ..?`, or None. known is called only when there is budget; ties go by the alphabet."""
        if self.left <= 0 or len(word) > MAX_LENGTH:
            return None
        names = sorted(name for name in known() if len(name) <= MAX_LENGTH)
        self.left -= len(names) + 1
        return did_you_mean(word, names)
