"""Code objects of compiled rules, kept between runs in the user's cache folder."""

from __future__ import annotations

import atexit
import marshal
import sys
from types import CodeType

from warhost.packs import cache

_kept: dict[str, tuple[dict[bytes, CodeType], int]] = {}


def cached_codes(digest: str) -> dict[bytes, CodeType]:
    """The code objects of a ruleset by what they were made of; new ones are written when the program ends."""
    if digest not in _kept:
        if not _kept:
            atexit.register(_write)
        codes = _read(_key(digest))
        _kept[digest] = (codes, len(codes))
    return _kept[digest][0]


def _key(digest: str) -> str:
    return cache.key_of("code", digest, cache.code_stamp(), sys.version, str(marshal.version))


def _read(key: str) -> dict[bytes, CodeType]:
    raw = cache.get(key)
    if not isinstance(raw, bytes):
        return {}
    try:
        found = marshal.loads(raw)
    except (ValueError, EOFError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _write() -> None:
    for digest, (codes, before) in _kept.items():
        if len(codes) > before:
            cache.put(_key(digest), marshal.dumps(codes))
