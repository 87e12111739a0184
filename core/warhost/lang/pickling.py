"""What the cache keeps is read back quickly: classes with slots that ask nobody for their fields each time."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

C = TypeVar("C", bound=type)


def pickled_quickly(cls: C) -> C:
    """Give a dataclass with slots its own way into a pickle and out of it."""
    slots = [getattr(cls, f.name) for f in fields(cls)]
    readers, writers = [s.__get__ for s in slots], [s.__set__ for s in slots]

    def state(self: object) -> list[object]:
        return [read(self) for read in readers]

    def restore(self: object, values: list[object]) -> None:
        for write, value in zip(writers, values, strict=True):
            write(self, value)

    cls.__getstate__ = state  # type: ignore[assignment]
    cls.__setstate__ = restore  # type: ignore[attr-defined]
    return cls


_NAMES: dict[type, tuple[tuple[str, ...], tuple[str, ...]]] = {}


def _names(cls: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a foldable class: those that are open, and the others."""
    found = _NAMES.get(cls)
    if found is None:
        names = [f.name for f in fields(cls)]
        shown, folded = (tuple(n for n in names if (n in cls.open_fields) is is_open) for is_open in (True, False))
        found = _NAMES[cls] = shown, folded
    return found


class Foldable:
    """Of dataclasses with slots, and one more, `_rest`, of which the cache keeps all but a few fields folded
    (`open_fields` are those few): a program has thousands of functions, and a question comes to some hundreds.

    What is folded is empty when it has been restored, and all of it is filled when somebody first looks at a part.
    """

    __slots__ = ()

    open_fields: ClassVar[frozenset[str]] = frozenset()

    def shown(self) -> list[Any]:
        """The values of the open fields."""
        return [getattr(self, name) for name in _names(type(self))[0]]

    def folding(self) -> list[Any]:
        """The values of the others."""
        return [getattr(self, name) for name in _names(type(self))[1]]

    def still_folded(self) -> Any:
        """What gives the values of the others, as long as nobody has looked at one; else None."""
        return getattr(self, "_rest", None)

    def __setstate__(self, state: tuple[Any, Any]) -> None:
        """state: the open fields, and what gives the values of the others; or nothing and all slots, for a copy."""
        shown, rest = state
        if shown is None:
            for name, value in rest.items():
                setattr(self, name, value)
            return
        for name, value in zip((*_names(type(self))[0], "_rest"), (*shown, rest), strict=True):
            setattr(self, name, value)

    if not TYPE_CHECKING:  # to a type checker every name would be known

        def __getattr__(self, name: str) -> Any:
            """A slot is empty, or there is none of that name."""
            rest = getattr(self, "_rest", None) if name != "_rest" else None
            if rest is not None:
                for folded, value in zip((*_names(type(self))[1], "_rest"), (*rest(), None), strict=True):
                    setattr(self, folded, value)
            return object.__getattribute__(self, name)
