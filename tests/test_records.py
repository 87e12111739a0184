"""`warhost.records.dataclass` makes what `dataclasses.dataclass` makes, only later."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import dataclass as made_at_once
from dataclasses import field
from typing import Any

import pytest

from warhost import records


class Plain:
    x: int
    y: list[int] = field(default_factory=list)
    z: int = field(default=3, repr=False, compare=False, kw_only=True)


class After:
    x: int
    twice: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.x)


class Own:
    x: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self))

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "mine"


OPTIONS: list[dict[str, bool]] = [
    {}, {"slots": True}, {"frozen": True}, {"frozen": True, "slots": True}, {"eq": False}, {"repr": False},
    {"kw_only": True, "slots": True}, {"order": True, "frozen": True}, {"unsafe_hash": True},
]  # fmt: skip


def both(shape: type, options: dict[str, bool]) -> list[Any]:
    """A class of that shape made by either decorator."""
    made: list[Any] = []
    for decorate in (made_at_once, records.dataclass):
        body = {k: copy.copy(v) for k, v in vars(shape).items() if k not in ("__dict__", "__weakref__")}
        made.append(decorate(**options)(type("Made", (), body)))
    return made


def told(of: Any) -> Any:
    """What it gives, or the error that it raises."""
    try:
        return of()
    except (TypeError, AttributeError) as error:  # FrozenInstanceError is an AttributeError
        return type(error), str(error)


def _set(one: Any) -> Any:
    one.x = 9
    return one.x


def _delete(one: Any) -> Any:
    del one.x
    return hasattr(one, "x")


@pytest.mark.parametrize(
    ("shape", "options"),
    [(shape, o) for shape in (Plain, After, Own) for o in OPTIONS if shape is not Own or "unsafe_hash" not in o],
    ids=str,
)
def test_it_is_what_the_standard_library_makes(shape: type, options: dict[str, bool]) -> None:
    def seen(cls: Any) -> list[Any]:
        one, same, other = cls(x=1), cls(x=1), cls(x=2)
        return [
            str(inspect.signature(cls)), [f.name for f in dataclasses.fields(cls)], cls.__match_args__,
            repr(one).partition(" at 0x")[0],
            one == same, one == other, told(lambda: {one, same} == {one}), hasattr(one, "__dict__"),
            dataclasses.asdict(dataclasses.replace(one, x=5)), dataclasses.asdict(copy.copy(other)),
            dataclasses.asdict(copy.deepcopy(other)), told(lambda: cls(1, 2, 3, 4)), told(cls), told(lambda: _set(one)),
            told(lambda: _delete(other)), isinstance(told(lambda: setattr(other, "new", 1)), tuple),
            told(lambda: cls(x=1) < cls(x=2)),
        ]  # fmt: skip

    at_once, later = (seen(cls) for cls in both(shape, options))
    if "y" in at_once[1]:  # a list has no hash in either
        at_once[6] = later[6] = at_once[6] == later[6]
    assert later == at_once


@records.dataclass(frozen=True, slots=True)
class Base:
    x: int


@records.dataclass(frozen=True, slots=True)
class Heir(Base):
    y: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Stranger(Heir):
    z: int = 0


def test_heirs_are_frozen_pickled_and_compared_like_those_they_stand_on() -> None:
    for one in (Base(1), Heir(1, (2,)), Stranger(1, (2,), 3)):
        assert pickle.loads(pickle.dumps(one)) == one
        assert hash(one) == hash(copy.copy(one))
        assert dataclasses.replace(one, x=5).x == 5
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
            one.x = 2  # type: ignore[misc]
    assert Heir(1) != Base(1)
    assert repr(Stranger(1)) == "Stranger(x=1, y=(), z=0)"


def test_who_is_not_frozen_may_not_stand_on_who_is() -> None:
    with pytest.raises(TypeError, match="cannot inherit"):
        made_at_once(type("Loose", (Base,), {"__annotations__": {"y": "int"}}))


def test_a_method_is_made_when_somebody_asks_for_it() -> None:
    cls = both(Plain, {"frozen": True})[1]
    assert not inspect.isfunction(vars(cls)["__init__"])
    assert repr(cls(1)) == "Made(x=1, y=[])"
    assert inspect.isfunction(vars(cls)["__init__"])
    assert not inspect.isfunction(vars(cls)["__hash__"])
