"""Places in source text."""

from __future__ import annotations

from typing import NamedTuple


class Pos(NamedTuple):
    """A stretch of source text. Lines and columns count from 1; the end is exclusive in columns.

    Every node has one, so a ruleset has tens of thousands: a tuple is read back from the cache in a third of the time.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Pos("", 0, 0, 0, 0)
