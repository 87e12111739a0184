"""Paths as users write them."""

from __future__ import annotations

from pathlib import Path


def at_home(path: str | Path) -> Path:
    """A path with `~` replaced; as it is, if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)
