"""Paths as users write them, and as messages show them."""

from __future__ import annotations

from pathlib import Path


def at_home(path: str | Path) -> Path:
    """A path with `~` replaced; as it is, if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def shown(path: Path) -> str:
    """A path as messages show it: from the working folder if it is below it, else whole."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (ValueError, OSError):
        return str(path.absolute())
