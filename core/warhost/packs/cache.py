"""What has been worked out once and need not be again: a folder of small files, each under the hash of its cause.

A file is a mark, the SHA-256 of what follows, and a pickle. A file that is cut off, changed or unreadable
counts as absent and is made anew; nothing here ever raises because of the disk.

Pickle is used because trees are large and it is quick. Two things keep that safe: the folder must belong to
the user alone (made with mode 0700; one that others can write to is not used), and unpickling makes nothing
but the plain classes named in `_CLASSES`, so even a forged file cannot run anything. Entries that come with the package
(prepared.py) lie beside its code; they are read as carefully, and never written.
"""

from __future__ import annotations

import copyreg
import hashlib
import io
import os
import pickle
import re
import stat
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from warhost.errors import UsageError
from warhost.lang.pickling import Foldable
from warhost.packs import prepared
from warhost.packs.user_paths import at_home

MARK = b"warhost-cache-1\n"
KEEP = 50
MAX_ENTRY = 200_000_000

#: Bytes of an entry before what is kept in it: the mark and the hash of the rest.
_HEAD = len(MARK) + 32

_KEY = re.compile(r"[0-9a-zA-Z_-]{1,100}")
_CLASSES = {
    "warhost.lang.place": None,
    "warhost.lang.tree": None,  # None: every class that the module defines
    "warhost.lang.ir": None,
    "warhost.lang.types": None,
    "warhost.lang.program": frozenset(
        {"Program", "Constraint", "NamedChoice", "FieldInfo", "Noun", "Definition", "Table"}
    ),
    "warhost.lang.notes": None,
    "warhost.lang.incremental": frozenset({"KeptCheck", "Changed", "RulesDifference"}),
    "warhost.vocabulary": frozenset({"Kind", "Field"}),
    "warhost.errors": frozenset({"Problem"}),
    "warhost.packs.cache": frozenset({"Rest"}),
    "warhost.packs.contents": frozenset({"Example", "RulesData"}),
    "warhost.packs.data": frozenset({"Bearing", "DataTable", "Element", "Profile"}),
    "warhost.packs.layers": frozenset({"Layer", "LayerChange"}),
    "warhost.packs.independence": frozenset({"RulesetStep"}),
    "warhost.packs.readings": frozenset({"Beside"}),
    "warhost.packs.marks": frozenset({"SoundMark"}),
    "warhost.packs.yaml_source": frozenset({"Map", "Seq"}),
    "warhost.packs.parsed": frozenset({"ParsedRules", "ParsedData"}),
    "fractions": frozenset({"Fraction"}),
    "pathlib": frozenset({"PosixPath", "WindowsPath"}),
    "builtins": frozenset({"frozenset", "set"}),
}


def key_of(*parts: str | bytes) -> str:
    """A key for whatever the parts determine, wherever the package lies."""
    sha = hashlib.sha256()
    for part in parts:
        raw = prepared.without_home(part).encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        sha.update(len(raw).to_bytes(8, "big") + raw)
    return sha.hexdigest()


@cache
def code_stamp() -> str:
    """The hash of the code that reads files, so that a changed grammar or reader forgets what it read before."""
    here = Path(__file__).resolve().parent
    sources = [
        *here.glob("*.py"),
        *(here.parent / "lang").glob("*.py"),
        *(here.parent / "lang").glob("*.lark"),
        *(here.parent / "lang").glob("*.rules"),
    ]
    schemas = [*here.parents[2].glob("schemas/*.json"), *here.parent.glob("_data/schemas/*.json")]
    return files_stamp([*sources, *schemas])


def files_stamp(paths: Iterable[Path]) -> str:
    """The hash of files: their names and what they say, wherever they lie. Those that cannot be read do not count."""
    found: list[tuple[bytes, bytes]] = []
    for path in paths:
        try:
            found.append((path.name.encode(), path.read_bytes()))
        except OSError:
            continue
    return key_of(*(part for one in sorted(found) for part in one))


def folder() -> Path | None:
    """Where the cache is (WARHOST_CACHE, or the user's cache folder); None when there is none that is safe to use."""
    given = os.environ.get("WARHOST_CACHE")
    if given:
        path = at_home(given)
    else:
        import platformdirs

        path = Path(platformdirs.user_cache_dir("warhost", appauthor=False))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = path.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return None
    return path


def get(key: str) -> Any | None:
    """What was put under the key, or came under it with the package, or None."""
    raw = _users_own(key)
    if raw is None:
        raw = _if_whole(prepared.entry(key))
    try:
        return unfolded(raw, _HEAD) if raw is not None else None
    except UsageError:  # a strange pickle: it counts as absent
        return None


def _users_own(key: str) -> bytes | None:
    """An entry of the user's cache with its head, if there is one and it is whole."""
    path = _path(key)
    if path is None:
        return None
    try:
        if not stat.S_ISREG(path.lstat().st_mode):  # a link could lead to what never ends
            return None
        with path.open("rb") as file:
            raw = file.read(MAX_ENTRY)
        os.utime(path)
    except OSError:
        return None
    return _if_whole(raw)


def _if_whole(raw: bytes | None) -> bytes | None:
    """An entry, if it is as it was written."""
    if raw is None:
        return None
    body = memoryview(raw)[_HEAD:]  # entries are large: no copy
    return raw if raw[:_HEAD] == MARK + hashlib.sha256(body).digest() else None


def put(key: str, value: object, folding: bool = True) -> bool:
    """Keep a value under a key. False when that was not possible. folding: parts of it that are foldable are unfolded
    only when somebody looks at them; else all of it is there at once, which is quicker if most of it is looked at.
    """
    from warhost.output_safety import put_whole

    path = _path(key)
    if path is None:
        return False
    try:
        body = _pickled(value, folding)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return False
    if prepared.making() and os.fsencode(prepared.home().name) in body:
        return False  # such as code that names its file: it would be wrong elsewhere
    try:
        put_whole(path, MARK + hashlib.sha256(body).digest() + body)
        _keep_newest(path.parent)
    except OSError:
        return False
    return True


def folded(value: object) -> bytes:
    """A value as it is kept, itself or inside another, to be unfolded when somebody looks at it."""
    return _pickled(value, True)


def _pickled(value: object, folding: bool) -> bytes:
    pickler: type[pickle.Pickler]
    if prepared.making():
        pickler = _PortableFolding if folding else prepared.PortablePickler
    else:
        pickler = _Folding if folding else pickle.Pickler
    made = io.BytesIO()
    pickler(made, protocol=5).dump(value)
    return made.getvalue()


def unfolded(raw: bytes, begin: int = 0) -> Any:
    """What was folded, from so many bytes on. Raises UsageError for what has no place in the cache."""
    try:
        source = io.BytesIO(raw)
        source.seek(begin)
        return _Careful(source).load()
    except Exception as error:
        raise UsageError(f"the cache holds what cannot be read ({error}); remove {folder()}") from None


def _path(key: str) -> Path | None:
    if not _KEY.fullmatch(key):
        raise ValueError(f"a key is made of letters, digits, - and _, not {key!r}")
    where = folder()
    return where / f"{key}{prepared.spelling()}.bin" if where else None


def _keep_newest(where: Path) -> None:
    entries: list[tuple[float, Path]] = []
    for path in where.glob("*.bin"):
        try:
            entries.append((path.stat().st_mtime, path))
        except OSError:
            continue
    for _, path in sorted(entries)[:-KEEP]:
        path.unlink(missing_ok=True)
    for path in where.glob("*.part"):  # left behind by a process that was killed
        if path.stat().st_mtime < time.time() - 3600:
            path.unlink(missing_ok=True)


class Rest:
    """What of a thing is kept folded until somebody calls for it."""

    __slots__ = ("raw",)

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def __reduce__(self) -> tuple[Any, ...]:
        return Rest, (self.raw,)

    def __call__(self) -> Any:
        return unfolded(self.raw)


class _Folding(pickle.Pickler):
    """Folds the parts of things that are foldable, each for itself."""

    def reducer_override(self, what: Any) -> Any:
        if not isinstance(what, Foldable):
            return NotImplemented
        rest = what.still_folded()
        if not isinstance(rest, Rest):  # else nobody has looked at it since it was read
            rest = Rest(folded(what.folding()))
        return copyreg.__newobj__, (type(what),), (what.shown(), rest)  # type: ignore[attr-defined]


class _PortableFolding(_Folding, prepared.PortablePickler):
    """Both."""


class _Careful(pickle.Unpickler):
    """Makes only what the cache is meant to hold."""

    _placed: dict[str, str | Path] | None = None

    def persistent_load(self, pid: Any) -> str | Path:
        known = self._placed
        if known is None:
            known = self._placed = prepared.placed_here()
        found = known.get(pid)
        if found is None:
            found = known[pid] = prepared.placed(pid)
        return found

    def find_class(self, module: str, name: str) -> Any:
        found = _FOUND.get((module, name))
        if found is not None:
            return found
        allowed = _CLASSES.get(module, frozenset())
        if allowed is None or name in allowed:
            found = super().find_class(module, name) if "." not in name else None
            if isinstance(found, type) and found.__module__ == module:
                _FOUND[module, name] = found
                return found
        raise pickle.UnpicklingError(f"{module}.{name} has no place in the cache")


#: The classes that were looked for, and have a place in the cache.
_FOUND: dict[tuple[str, str], type] = {}
