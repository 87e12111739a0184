"""Results of pairings as they come, in a file: what was played once need not be played again.

One row for each pairing, under the digest of everything on which it depends (`Task.key`). A pairing is in the file
whole or not at all, however the program ends.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType

from warhost.errors import UsageError
from warhost.output_safety import refuse_foreign
from warhost_odds.pairings import PairingResult, Task

_MARK = 0x57484F44
"""In the header of the file: that it is one of ours."""

_PATIENCE = 60.0
"""Seconds to wait for another command that writes into the same file."""

_TABLE = """
CREATE TABLE IF NOT EXISTS pairing (
    key TEXT PRIMARY KEY,  -- digest of the ruleset, the house rules, both sides, the trials, the seed, the version
    task TEXT NOT NULL,    -- the same in full, as JSON
    result TEXT NOT NULL   -- as JSON
) WITHOUT ROWID
"""


class ResultsFile:
    """A file of results; path None: they are forgotten when the program ends. Raises UsageError."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        name = str(path) if path is not None else ":memory:"
        if path is not None:
            refuse_foreign(path, "the table of results")
        try:
            self._file = sqlite3.connect(name, timeout=_PATIENCE, isolation_level=None)
            self._open()
        except sqlite3.Error as error:
            raise UsageError(f"the results cannot be kept in {name} ({error})") from error

    def _open(self) -> None:
        mark = self._file.execute("PRAGMA application_id").fetchone()[0]
        empty = not self._file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if mark != _MARK and not empty:
            raise UsageError(f"{self.path} is a database of something else; give another name")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = NORMAL")
        if empty:
            self._file.execute(f"PRAGMA application_id = {_MARK}")
        self._file.execute(_TABLE)

    def get(self, task: Task) -> PairingResult | None:
        """What came of a pairing, if it was played before."""
        try:
            row = self._file.execute("SELECT result FROM pairing WHERE key = ?", (task.key,)).fetchone()
        except sqlite3.Error as error:
            raise UsageError(f"the results in {self.path} cannot be read ({error})") from error
        with suppress(ValueError, TypeError):
            return PairingResult.from_dict(json.loads(row[0])) if row else None
        return None

    def put(self, task: Task, played: PairingResult) -> None:
        """Keep what came of a pairing. Raises UsageError when the disk is full, say."""
        row = (task.key, json.dumps(asdict(task)), json.dumps(played.as_dict()))
        try:
            self._file.execute("INSERT OR REPLACE INTO pairing VALUES (?, ?, ?)", row)
        except sqlite3.Error as error:
            raise UsageError(f"the results cannot be kept in {self.path} ({error})") from error

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Each pairing's key, what was asked and what came of it, as JSON."""
        return self._file.execute("SELECT key, task, result FROM pairing")

    def take_in(self, path: Path) -> int:
        """Copy what another such file has and this one has not: how many pairings. Raises UsageError."""
        if not path.is_file():
            raise UsageError(f"there is no file of results {path}")
        before = len(self)
        with ResultsFile(path) as other:
            try:
                for row in other.rows():
                    self._file.execute("INSERT OR IGNORE INTO pairing VALUES (?, ?, ?)", row)
            except sqlite3.Error as error:
                raise UsageError(f"the results in {path} cannot be taken over ({error})") from error
        return len(self) - before

    def __len__(self) -> int:
        return int(self._file.execute("SELECT count(*) FROM pairing").fetchone()[0])

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def usual_file() -> Path | None:
    """Where results are kept when no file is named; None when there is no folder that is safe to use."""
    from warhost.packs import cache

    folder = cache.folder()
    return folder / "balance.sqlite" if folder is not None else None
