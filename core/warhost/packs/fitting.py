"""Whether data fit a schema: yes or no, and nothing of what is wrong. jsonschema tells that, ten times as slowly, and
is asked where the answer is no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from numbers import Number
from typing import Any, TypeAlias

Fits: TypeAlias = Callable[[Any], bool]

#: Keywords that say nothing about data.
_FOR_PEOPLE = frozenset({"$schema", "$id", "title", "description"})


class UnsureError(Exception):
    """A schema, or data, of which nothing is said here: jsonschema is to be asked."""


def fitting(schema: Any) -> Fits:
    """The question whether data fit a schema without `$ref`s, as jsonschema answers it.

    Raises UnsureError for a keyword that is not known here; the question itself raises it for data of which it is not
    known.
    """
    if isinstance(schema, bool):
        return lambda value: schema
    known = (_FOR_PEOPLE, _FOR_ALL, {"type", "then", "else"}, *_FOR_KINDS.values())
    if not schema.keys() <= frozenset().union(*known):
        raise UnsureError(", ".join(schema))
    of_all = [_FOR_ALL[key](schema) for key in schema if key in _FOR_ALL]
    tests: dict[str, list[Fits]] = {}
    for kind in _allowed(schema.get("type")):
        tests[kind] = [*of_all]
        for keys, make in _MAKERS.get(kind, ()):
            if not schema.keys().isdisjoint(keys):
                tests[kind].append(make(schema))
    if "integer" in tests and "float" not in tests:
        tests["float"] = [float.is_integer, *tests["integer"]]

    def fits(value: Any) -> bool:
        some = tests.get(_KINDS.get(value.__class__) or _kind(value.__class__))
        if some is None:
            return False
        for test in some:  # noqa: SIM110  # a generator takes twice as long
            if not test(value):
                return False
        return True

    return fits


_KINDS: dict[type, str] = {str: "string", bool: "boolean", int: "integer", float: "float", Fraction: "number"}

#: What a word of `type` takes in, of the kinds that are told apart here.
_OF_TYPES: Mapping[str, Sequence[str]] = {
    "string": ("string",), "boolean": ("boolean",), "null": ("null",), "object": ("object",), "array": ("array",),
    "integer": ("integer",), "number": ("integer", "float", "number"),
}  # fmt: skip


def _kind(cls: type) -> str:
    pairs = ((str, "string"), (dict, "object"), (list, "array"), (type(None), "null"), (Number, "number"))
    found = _KINDS[cls] = next((kind for base, kind in pairs if issubclass(cls, base)), "other")
    return found


def _allowed(types: Any) -> Sequence[str]:
    if types is None:
        return ("string", "boolean", "null", "object", "array", "integer", "float", "number", "other")
    named = [types] if isinstance(types, str) else types
    return [kind for name in named for kind in _OF_TYPES[name]]


# -- keywords for whatever value -------------------------------------------------------------------


def _one_of_words(words: Sequence[Any]) -> Fits:
    if not all(isinstance(word, str) for word in words):
        raise UnsureError("a word that is no text")
    there = frozenset(words)
    return lambda value: isinstance(value, str) and value in there


def _any_of(schema: Mapping[str, Any]) -> Fits:
    several = [fitting(one) for one in schema["anyOf"]]
    return lambda value: any(fits(value) for fits in several)


def _one_of(schema: Mapping[str, Any]) -> Fits:
    several = [fitting(one) for one in schema["oneOf"]]
    return lambda value: sum(fits(value) for fits in several) == 1


def _if(schema: Mapping[str, Any]) -> Fits:
    asked, then, otherwise = (fitting(schema.get(key, True)) for key in ("if", "then", "else"))
    return lambda value: then(value) if asked(value) else otherwise(value)


_FOR_ALL: Mapping[str, Callable[[Mapping[str, Any]], Fits]] = {
    "enum": lambda schema: _one_of_words(schema["enum"]),
    "const": lambda schema: _one_of_words([schema["const"]]),
    "anyOf": _any_of, "oneOf": _one_of, "if": _if,
}  # fmt: skip


# -- keywords for values of a kind -----------------------------------------------------------------


def _pattern(schema: Mapping[str, Any]) -> Fits:
    found = re.compile(schema["pattern"]).search
    return lambda value: found(value) is not None


def _longer(schema: Mapping[str, Any]) -> Fits:
    least = schema["minLength"]
    return lambda value: len(value) >= least


def _at_least(schema: Mapping[str, Any]) -> Fits:
    least = schema["minimum"]
    return lambda value: bool(value >= least)


def _so_many(schema: Mapping[str, Any]) -> Fits:
    low, high = schema.get("minItems", 0), schema.get("maxItems")
    return lambda value: low <= len(value) and (high is None or len(value) <= high)


def _items(schema: Mapping[str, Any]) -> Fits:
    fits = fitting(schema["items"])
    return lambda value: all(map(fits, value))


def _unlike(schema: Mapping[str, Any]) -> Fits:
    wanted = schema["uniqueItems"]

    def fits(value: Any) -> bool:
        if not all(isinstance(one, str) for one in value):
            raise UnsureError("which of these are the same")
        return not wanted or len(set(value)) == len(value)

    return fits


def _properties(schema: Mapping[str, Any]) -> Fits:
    own = {key: fitting(one) for key, one in schema.get("properties", {}).items()}
    others = fitting(schema.get("additionalProperties", True))

    def fits(value: Any) -> bool:
        for key, one in value.items():  # noqa: SIM110
            if not own.get(key, others)(one):
                return False
        return True

    return fits


def _names(schema: Mapping[str, Any]) -> Fits:
    fits = fitting(schema["propertyNames"])
    return lambda value: all(map(fits, value))


def _required(schema: Mapping[str, Any]) -> Fits:
    needed = schema["required"]
    return lambda value: all(key in value for key in needed)


def _filled(schema: Mapping[str, Any]) -> Fits:
    least = schema["minProperties"]
    return lambda value: len(value) >= least


_Maker: TypeAlias = Callable[[Mapping[str, Any]], Fits]
_OF_NUMBERS: Sequence[tuple[Sequence[str], _Maker]] = ((("minimum",), _at_least),)
_MAKERS: Mapping[str, Sequence[tuple[Sequence[str], _Maker]]] = {
    "string": ((("minLength",), _longer), (("pattern",), _pattern)),
    "integer": _OF_NUMBERS, "float": _OF_NUMBERS, "number": _OF_NUMBERS,
    "array": ((("minItems", "maxItems"), _so_many), (("items",), _items), (("uniqueItems",), _unlike)),
    "object": (
        (("required",), _required), (("minProperties",), _filled), (("propertyNames",), _names),
        (("properties", "additionalProperties"), _properties),
    ),
}  # fmt: skip
_FOR_KINDS = {kind: frozenset(key for keys, _ in makers for key in keys) for kind, makers in _MAKERS.items()}
