"""What was worked out of the shipped rulesets when the package was built: entries of the cache that come with it.

They hold wherever the package lies. So in them, and in every key, a path into the folder that holds the package is
written from that folder: in two ways, as messages show it and in full. A working copy has none of this; the hook that
makes them for a wheel is `.ci/hatch_build.py`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import zlib
from functools import cache, lru_cache
from pathlib import Path, PurePath
from typing import Any

from warhost.packs.user_paths import shown

#: Stand for the folder that holds the package, as messages show it and in full, with the slash behind it.
_SHOWN, _WHOLE = "\0", "\1"

#: What a persistent id of a pickle begins with: of a text with such a folder in it, and of a Path.
_TEXT, _PATH = "text ", "path "

_making = False


@cache
def home() -> Path:
    """The folder that holds the package."""
    return Path(__file__).resolve().parents[2]


@cache
def folder() -> Path | None:
    """Where the entries are that came with the package; None if none did."""
    found = home() / "warhost" / "_data" / "prepared"
    return found if found.is_dir() else None


def entry(key: str) -> bytes | None:
    """An entry that came with the package, as the cache writes it; None if there is none that can be read."""
    where = folder()
    try:
        return zlib.decompress((where / f"{key}.bin.z").read_bytes()) if where is not None else None
    except (OSError, zlib.error):
        return None


def making() -> bool:
    """Whether this process makes entries that will come with the package."""
    return _making


def spelled() -> tuple[str, str]:
    """The folder that holds the package, with a slash behind it: as messages show it, and in full."""
    try:
        return _spelled(os.getcwd())
    except OSError:  # the working folder is gone
        return _spelled("")


@lru_cache(maxsize=8)
def _spelled(working_folder: str) -> tuple[str, str]:
    return f"{shown(home())}/", f"{home().absolute()}/"


def without_home(text: str) -> str:
    """A text for a key, with no word of where the package lies."""
    if not _making and folder() is None:
        return text
    here, whole = spelled()
    return text.replace(whole, _SHOWN).replace(here, _SHOWN)


def spelling() -> str:
    """What is added to the names of the user's own entries: a key does not say where the package lies, but they do. ""
    where keys say it, too.
    """
    return "" if _making or folder() is None else "-" + hashlib.sha256(repr(spelled()).encode()).hexdigest()[:8]


class PortablePickler(pickle.Pickler):
    """Writes paths into the package from where it lies."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._shown, self._whole = spelled()
        self._ids: dict[str, str] = {}  # one text, one id: the pickle then says it once

    def persistent_id(self, what: Any) -> str | None:
        if type(what) is str:
            if self._shown not in what:  # it is in both
                return None
            found = self._ids.get(what)
            if found is None:
                without = what.replace(self._whole, _WHOLE).replace(self._shown, _SHOWN)
                found = self._ids[what] = _TEXT + without
            return found
        if isinstance(what, PurePath) and what.is_relative_to(home()):
            return _PATH + what.relative_to(home()).as_posix()
        return None


def placed_here() -> dict[str, str | Path]:
    """The paths that were made of ids so far, where the package lies now as seen from the working folder."""
    return _placed(*spelled())


@lru_cache(maxsize=8)
def _placed(here: str, whole: str) -> dict[str, str | Path]:
    return {}


def placed(pid: Any) -> str | Path:
    """The path of an id, where the package lies. Raises UnpicklingError for what is no id of ours."""
    here, whole = spelled()
    if isinstance(pid, str) and pid.startswith(_TEXT):
        return pid[len(_TEXT) :].replace(_WHOLE, whole).replace(_SHOWN, here)
    if isinstance(pid, str) and pid.startswith(_PATH):
        return home() / pid[len(_PATH) :]
    raise pickle.UnpicklingError("this is no path into the package")


def begin_making() -> None:
    """From now on this process makes entries (in WARHOST_CACHE) that can come with the package. The working folder must
    be the one around the folder that holds the package, so that its paths have two spellings.
    """
    global _making
    _making = True
