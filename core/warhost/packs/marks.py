"""Marks of what was found to be in order, so that it need not be looked at again."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warhost.lang.incremental import Changed


class SoundMark:
    """Stands for data that were found in order: these very ones, not equal ones, and under the same other texts (the
    hash of these). said: the words of an example; unsure: names in it that would be misspelt if something nearly so
    were there.
    """

    __slots__ = ("data", "said", "texts", "unsure")

    def __init__(
        self, data: Any, texts: str = "", said: frozenset[str] | None = None, unsure: Collection[str] = ()
    ) -> None:
        self.data, self.texts, self.said, self.unsure = data, texts, said, unsure

    def concerned(self, changed: Changed) -> bool:
        """Whether it is to be looked at again."""
        return changed.data_too if self.said is None else changed.concerns(self.said, self.unsure)

    def __hash__(self) -> int:
        return id(self.data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoundMark) and self.data is other.data and self.texts == other.texts


def words_in(data: Any) -> frozenset[str]:
    """The words of an example."""
    from warhost.lang.nodes import words_of

    return words_of(repr(data).replace("\\n", " "))
