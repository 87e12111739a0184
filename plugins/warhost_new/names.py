"""What a person calls a thing, and the id and the title that come of it."""

from __future__ import annotations

import json
import keyword
import re
import unicodedata
from dataclasses import dataclass

from warhost.errors import UsageError

_ALLOWED = re.compile(r"[\w .,'&-]{1,60}")
_WORDS = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class GivenName:
    """id: small letters, digits and underscores; title: for people."""

    id: str
    title: str


def name_of(given: str) -> GivenName:
    """`Marsh Folk` and `marsh_folk` are both (marsh_folk, Marsh Folk). Raises UsageError."""
    text = " ".join(given.split())
    if not _ALLOWED.fullmatch(text):
        raise UsageError(f'"{given}" is no name: at most 60 letters, digits, spaces and any of .,\'&-')
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower().replace("'", "")
    id_ = "_".join(_WORDS.findall(plain))
    if not id_[:1].isalpha() or keyword.iskeyword(id_):
        raise UsageError(f'"{given}" gives no id: a name begins with a letter from a to z and is no word of Python')
    written_as_id = text == id_ or not any(c.isupper() or c == " " for c in text)
    title = text.replace("_", " ").replace("-", " ") if written_as_id else text
    return GivenName(id_, title[:1].upper() + title[1:])


def quoted(text: str) -> str:
    """A text for YAML."""
    return json.dumps(text, ensure_ascii=False)
