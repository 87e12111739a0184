"""Watching a battle and writing down what was seen."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.engine.audience import seen_picture
from warhost.engine.story import picture_of
from warhost.errors import WarhostError
from warhost.report.frames import Taken

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.entities import Side


class Report:
    """Takes a picture of a battle after every phase. Attach it before the battle is played.

    side: the report is for that side and shows only what it may know.
    """

    def __init__(self, battle: Battle, side: Side | None = None) -> None:
        self._battle = battle
        self._side = side
        self._taken: list[Taken] = []
        self._before: Callable[[Battle], None] | None = battle.on_phase
        battle.on_phase = self.take

    def take(self, battle: Battle) -> None:
        """Take a picture now; the battle calls this after every phase."""
        picture = picture_of(battle) or {}
        if self._side is not None:
            picture = seen_picture(battle, picture, self._side)
        self._taken.append(Taken(battle.battle.turn, battle.battle.phase, len(battle.log), picture))
        if self._before is not None:
            self._before(battle)

    def html(self) -> str:
        """The report as one HTML document that needs nothing else."""
        from warhost.report.frames import frames_of
        from warhost.report.page import page

        return page(self._battle, frames_of(self._battle, self._taken, self._side), self._side)

    def write(self, path: str | Path) -> None:
        """Write the report; the file is there whole or not at all. Raises WarhostError if it cannot be written."""
        write_whole(Path(path), self.html())


def write_whole(path: Path, text: str) -> None:
    """Write a file beside its place first, then move it there."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise WarhostError(f"the report cannot be written to {path}: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
