"""Names as people type them: capitals, underscores and hyphens do not matter, nor whether one is meant or many."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from warhost.packs.ruleset import Ruleset

_BETWEEN = re.compile(r"[\s_-]+")
_ENDINGS = (("men", "man"), ("ves", "f"), ("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"))


@lru_cache(maxsize=8192)
def simplified(name: str) -> str:
    """A name in small letters with single blanks."""
    return _BETWEEN.sub(" ", name.strip()).lower()


@lru_cache(maxsize=8192)
def singular(name: str) -> str:
    """The same, each word in the singular as far as its end tells."""
    return " ".join(map(_singular, simplified(name).split()))


def _singular(word: str) -> str:
    for many, one in _ENDINGS:
        if word.endswith(many):
            return word.removesuffix(many) + one
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


def profiles_named(rules: Ruleset, name: str) -> list[str]:
    """The ids of the profiles that a name means: by id, else by id or printed name, else in the other number."""
    if name in rules.profiles:
        return [name]
    for form in (simplified, singular):
        wanted = form(name)
        found = [p.id for p in rules.profiles.values() if wanted in (form(p.id), form(p.name))]
        if found:
            return found
    return []
