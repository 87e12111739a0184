"""Dataclasses that are defined quickly: each of their methods is made when somebody first asks for it.

For every dataclass the standard library writes and compiles the source of its methods where it is defined. A command
imports some two hundred of them and calls few of these methods: that took a tenth of its time. Here it is still the
standard library that makes each method, of the same fields, but only when it is first looked up.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, fields, make_dataclass
from dataclasses import dataclass as made_at_once
from typing import TYPE_CHECKING, Any

#: What is asked of `dataclass` for one method alone.
_NONE = {"init": False, "repr": False, "eq": False}
_ALONE: Mapping[str, Mapping[str, bool]] = {
    "__init__": {**_NONE, "init": True},
    "__repr__": {**_NONE, "repr": True},
    "__eq__": {**_NONE, "eq": True},
    "__hash__": {**_NONE, "eq": True, "unsafe_hash": True},
}
#: What else may be asked here; a class that asks for more is made at once.
_KNOWN = frozenset(("init", "repr", "eq", "frozen", "slots", "kw_only"))


class _Later:
    """A method of a dataclass until somebody asks for it; then it is made and takes this one's place."""

    __slots__ = ("cls", "frozen", "name")

    def __init__(self, cls: type, name: str, frozen: bool) -> None:
        self.cls, self.name, self.frozen = cls, name, frozen

    def __get__(self, one: object, owner: type | None = None) -> Any:
        cls, name = self.cls, self.name
        namespace: dict[str, Any] = {"__doc__": name}  # without one its signature is worked out to make it
        if hasattr(cls, "__post_init__"):
            namespace["__post_init__"] = cls.__post_init__
        alike = [(f.name, f.type, copy.copy(f)) for f in fields(cls)]
        asked: dict[str, Any] = {**_ALONE[name], "frozen": self.frozen and name == "__init__"}
        method = make_dataclass(cls.__name__, alike, namespace=namespace, **asked).__dict__[name]
        method.__module__, method.__qualname__ = cls.__module__, f"{cls.__qualname__}.{name}"
        if cls.__dict__.get(name) is self:
            setattr(cls, name, method)
        return method.__get__(one, owner)


def _quickly(cls: Any, **options: bool) -> Any:
    if not options.keys() <= _KNOWN:
        return made_at_once(**options)(cls)
    frozen, slots = options.get("frozen", False), options.get("slots", False)
    wanted = [name for name in ("__init__", "__repr__", "__eq__") if options.get(name.strip("_"), True)]
    if frozen and "__eq__" in wanted:
        wanted.append("__hash__")
    wanted = [name for name in wanted if name not in cls.__dict__]
    cls.__doc__ = cls.__doc__ or cls.__name__
    below = any(_is_frozen(base) for base in cls.__mro__[1:])
    made = made_at_once(**_NONE, frozen=below, slots=slots, kw_only=options.get("kw_only", False))(cls)
    for name in wanted:
        setattr(made, name, _Later(made, name, frozen))
    if frozen:
        made.__dataclass_params__.frozen = True  # for those that stand on it
        _freeze(made, slots)
    elif "__eq__" in wanted and "__hash__" not in cls.__dict__:
        made.__hash__ = None  # type: ignore[assignment]
    return made


def _is_frozen(base: type) -> bool:
    about = getattr(base, "__dataclass_params__", None)
    return about is not None and bool(about.frozen)


def _freeze(made: Any, slots: bool) -> None:
    """Nobody may set or delete a field; what has slots is pickled and copied all the same."""
    names = frozenset(f.name for f in fields(made))

    def setting(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def deleting(self: Any, name: str) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    made.__setattr__, made.__delattr__ = setting, deleting
    if slots and "__getstate__" not in made.__dict__:
        made.__getstate__ = _state
    if slots and "__setstate__" not in made.__dict__:
        made.__setstate__ = _restored


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in fields(self)]


def _restored(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """As `dataclasses.dataclass`, with the same options."""
        made: Callable[[type], Any] = lambda cls: _quickly(cls, **options)  # noqa: E731
        return made if cls is None else made(cls)


__all__ = ["dataclass"]
