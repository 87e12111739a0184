"""The tally: how many units each side had left after every phase, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from warhost.output_safety import write_whole

HEAD = "turn,phase,side,units\n"


class Tally:
    """Counts after every phase. side: the one that may read it; what is counted is known to all."""

    def __init__(self, battle: Any, side: Any = None) -> None:
        self.lines = [HEAD]
        self._before = battle.on_phase
        battle.on_phase = self.count

    def count(self, battle: Any) -> None:
        """Called with the battle after every phase."""
        clock = battle.battle
        self.lines += [f"{clock.turn},{clock.phase},{side.name},{len(side.units)}\n" for side in battle.sides]
        if self._before is not None:
            self._before(battle)

    def write(self, path: str | Path, force: bool = False) -> None:
        """Write the table, whole or not at all."""
        write_whole(Path(path), "".join(self.lines), "the tally", self.is_ours, force)

    @staticmethod
    def is_ours(head: bytes) -> bool:
        return head.startswith(HEAD.encode())
