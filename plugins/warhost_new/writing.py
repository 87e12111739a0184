"""Files that are written all or not at all, and never over others."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from warhost.errors import UsageError

_PART = ".warhost-new-"


def write_all(folder: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder that is made if it is not there.

    files: texts by their paths from the folder. They are written beside their place first. A new folder then comes
    there in one step; into a folder that is there already each file is linked, and all are taken back when one cannot
    be. Raises UsageError when anything is there already or cannot be written.
    """
    try:
        for name in files:
            if os.path.lexists(folder / name):
                raise UsageError(f"{folder / name} exists already; nothing was written. Choose another name or --in")
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = folder if folder.is_dir() else folder.parent
        with tempfile.TemporaryDirectory(prefix=_PART, dir=beside) as made:
            stage = Path(made) / "all"
            lay_down(stage, files)
            if not os.path.lexists(folder):
                stage.rename(folder)
            else:
                _link(stage, folder, files)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{folder} cannot be written ({reason}); nothing was written") from error


def lay_down(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder that is nobody else's."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _link(stage: Path, folder: Path, files: Mapping[str, str]) -> None:
    """The files of a stage into a folder that is there; a file that appeared meanwhile is left as it is."""
    done: list[Path] = []
    made: list[Path] = []
    try:
        for name in files:
            target = folder / name
            made += _folders(target.parent)
            _take(stage / name, target)
            done.append(target)
    except BaseException:
        for path in done:
            path.unlink(missing_ok=True)
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()
        raise


def _take(source: Path, target: Path) -> None:
    """A file to its place, unless something is there. Where files cannot have two names it is copied."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        with target.open("xb") as file, source.open("rb") as given:
            shutil.copyfileobj(given, file)


def _folders(folder: Path) -> list[Path]:
    """Make a folder and those around it; which of them are new, the outermost first."""
    new = []
    while not folder.is_dir():
        new.append(folder)
        folder = folder.parent
    for one in reversed(new):
        one.mkdir()
    return list(reversed(new))
