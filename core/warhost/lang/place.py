"""Places in source text."""

from __future__ import annotations

from dataclasses import dataclass

from warhost.lang.pickling import pickled_quickly


@pickled_quickly
@dataclass(frozen=True, slots=True)
class Pos:
    """A stretch of source text. Lines and columns count from 1; the end is exclusive in columns."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Pos("", 0, 0, 0, 0)
