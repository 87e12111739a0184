"""Which keys may stand where in a file of YAML, as its JSON Schema says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from warhost.packs import schemas


def properties(name: str, path: Sequence[str]) -> list[tuple[str, Mapping[str, Any]]]:
    """The keys, with their schemas, that a mapping may have below a path of keys in a file; lists are stepped into."""
    levels: list[Mapping[str, Any]] = [schemas.whole(name)]
    for step in path:
        levels = [inner for level in levels for inner in _below(level, step)]
    found: dict[str, Mapping[str, Any]] = {}
    for level in levels:
        for one in _alternatives(level):
            for key, schema in one.get("properties", {}).items():
                found.setdefault(key, schema)
    return list(found.items())


def _below(schema: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    for one in _alternatives(schema):
        inner = one.get("properties", {}).get(key, one.get("additionalProperties"))
        if isinstance(inner, Mapping):
            yield inner


def _alternatives(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a value may be: the schema itself, those that it chooses from, and the items of a list."""
    yield schema
    for word in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(word, ()):
            yield from _alternatives(one)
    for word in ("then", "else", "items"):
        if isinstance(schema.get(word), Mapping):
            yield from _alternatives(schema[word])
