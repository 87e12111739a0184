"""Watching a battle and writing down what was seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.output_safety import write_whole
from warhost.things import noun_of
from warhost_battles.shown import marks_said, state_of
from warhost_battles.story import count, picture_of
from warhost_battles.views import seen_picture
from warhost_report.frames import Taken
from warhost_report.page import GENERATOR

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
        self._mustered = frozenset(id for id, e in battle.by_id.items() if noun_of(e) == "unit")
        self._before: Callable[[Battle], None] | None = battle.on_phase
        battle.on_phase = self.take

    def take(self, battle: Battle) -> None:
        """Take a picture now; the battle calls this after every phase."""
        picture = picture_of(battle) or _bare(battle)
        if self._side is not None:
            picture = seen_picture(battle, picture, self._side)
        self._taken.append(Taken(battle.battle.turn, battle.battle.phase, len(battle.log), picture))
        if self._before is not None:
            self._before(battle)

    def html(self) -> str:
        """The report as one HTML document that needs nothing else."""
        from warhost_report.frames import frames_of
        from warhost_report.page import page

        return page(self._battle, frames_of(self._battle, self._taken, self._side, self._mustered), self._side)

    def write(self, path: str | Path, force: bool = False) -> None:
        """Write the report; the file is there whole or not at all.

        force: replace a file that is no report. Raises UsageError if it cannot be written, or may not.
        """
        write_whole(Path(path), self.html(), "the report", self.is_ours, force)

    @staticmethod
    def is_ours(head: bytes) -> bool:
        """Whether a file that begins so is a report."""
        return GENERATOR.encode() in head


def _bare(battle: Battle) -> dict[str, Any]:
    """The units of a game without a table, for the rosters and the plot: there is nowhere to draw them."""
    units = [
        {"id": u.id, "name": u.name, "side": u.side, "strength": u.strength, "start": u.start,
         "marks": marks_said(battle, battle.by_id[u.id]) or []}
        for u in count(battle, None)
    ]
    return {"bare": True, "units": units, "state": state_of(battle)}
