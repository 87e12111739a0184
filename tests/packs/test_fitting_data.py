"""What is said to fit a schema at once fits it as jsonschema sees it, for data that do and that do not."""

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
def test_what_fits_at_once_fits_for_jsonschema(name: str) -> None:
    full = Draft202012Validator(schemas.whole(name))
    texts = [path.read_text("utf-8") for path in sorted((DESTINY / FOLDERS[name]).rglob("*.yaml"))]
    chance, answers = random.Random(7), set()
    for data in (read_yaml(min(texts, key=len), "f.yaml")[0] for _ in range(60)):
        for one in (plain(data), changed(data, chance)):
            fits = schemas.fits(name, one)
            answers.add(fits)
            assert not fits or full.is_valid(one), one
    assert answers == {True, False}


@pytest.mark.parametrize("name", FOLDERS)
def test_all_data_of_a_ruleset_fit_at_once(name: str) -> None:
    for path in sorted((DESTINY / FOLDERS[name]).rglob("*.yaml")):
        assert schemas.check(name, read_yaml(path.read_text("utf-8"), path.name)[0], path.name) == []
        assert schemas.fits(name, read_yaml(path.read_text("utf-8"), path.name)[0]), path


def test_exact_fractions_are_left_to_jsonschema() -> None:
    army = "kind: army\nid: reds\nname: Reds\nlist: reds\nlimit: 100.5\nunits: [{profile: man, size: 1}]\n"
    data = read_yaml(army, "f.yaml")[0]
    assert not schemas.fits("army", data)
    assert schemas.check("army", data, "f.yaml") == []
