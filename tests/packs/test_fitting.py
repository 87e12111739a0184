"""Whether data fit a schema is answered as jsonschema answers it, for data that do and that do not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from warhost.packs import schemas
from warhost.packs.fitting import UnsureError, fitting
from warhost.packs.yaml_events import read_yaml

DESTINY = Path(__file__).parents[2] / "rulesets" / "destiny"
FOLDERS = {"profiles": "data", "army": "armies", "scenario": "scenarios", "examples": "examples", "house": "house"}
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2.0, 2.5, Fraction(1, 2), "", "a", "Ab-1", "x y", [], ["a", "a"], ["a", 1, True], {},
    {"a": 1}, {"max": 1}, "list", "army",
)  # fmt: skip
KEYS = ("zz", "id", "kind", "extends", "amend", "remove", "when", "max", "Q Q")


def plain(value: Any) -> Any:
    """A copy without places."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value in some data, as what holds it and under which key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def changed(data: Any, chance: random.Random) -> Any:
    """The data with another value, one fewer or one more."""
    data = plain(data)
    holder, key = chance.choice(list(places(data)))
    way = chance.random()
    if way < 0.5:
        holder[key] = deepcopy(chance.choice(VALUES))
    elif way < 0.75:
        del holder[key]
    elif isinstance(holder, dict):
        holder[chance.choice(KEYS)] = deepcopy(chance.choice(VALUES))
    else:
        holder.append(deepcopy(chance.choice(VALUES)))
    return data


@pytest.mark.parametrize("name", FOLDERS)
def test_the_answer_is_that_of_jsonschema(name: str) -> None:
    full, fits = Draft202012Validator(schemas.whole(name)), fitting(schemas.whole(name))
    texts = [path.read_text("utf-8") for path in sorted((DESTINY / FOLDERS[name]).rglob("*.yaml"))]
    chance, answers = random.Random(7), set()
    for data in (read_yaml(min(texts, key=len), "f.yaml")[0] for _ in range(60)):
        for one in (plain(data), changed(data, chance)):
            answers.add(fits(one))
            assert fits(one) == full.is_valid(one), one
    assert answers == {True, False}


@pytest.mark.parametrize("name", schemas.NAMES)
def test_every_keyword_of_the_schemas_is_known(name: str) -> None:
    assert fitting(schemas.whole(name))(7) is False


def test_a_keyword_that_is_not_known_is_left_to_jsonschema() -> None:
    with pytest.raises(UnsureError):
        fitting({"type": "array", "contains": {"type": "string"}})
    with pytest.raises(UnsureError):
        fitting({"type": "array", "uniqueItems": True})([1, True])
