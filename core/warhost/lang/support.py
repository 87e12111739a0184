"""What generated code calls for arithmetic: exact, bounded, and with the language's own errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from warhost.errors import RuleFault

#: No number of a game is larger; what is, is a rule that runs away.
LARGEST = 10**15
#: No list of a game is longer.
LONGEST = 100_000
#: No text of a story is longer.
LONGEST_TEXT = 20_000


def multiply(a: Any, b: Any) -> Any:
    """a times b; a product that is whole is an int."""
    return settled(a * b)


def settled(result: Any) -> Any:
    """A product: whole if it can be, and within bounds."""
    if type(result) is Fraction and result.denominator == 1:
        result = result.numerator
    if result > LARGEST or result < -LARGEST:
        raise RuleFault("a number grew beyond all bounds")
    return result


def divide(a: Any, b: Any) -> Any:
    """a divided by b, exactly unless one of them is measured on the table."""
    if not b:
        raise RuleFault("a division by zero")
    if type(a) is float or type(b) is float:
        return a / b
    if type(a) is int and type(b) is int:
        return Fraction(a, b) if a % b else a // b
    exact = type(a) is Fraction or type(b) is Fraction
    result = a / b if exact else Fraction(a) / Fraction(b)
    return result.numerator if result.denominator == 1 else result


def floor_of(a: Any, b: Any) -> int:
    """a / b, rounded down."""
    if type(a) is int and type(b) is int and b:
        return a // b
    return math.floor(divide(a, b))  # type: ignore[no-any-return]


def ceiling_of(a: Any, b: Any) -> int:
    """a / b, rounded up."""
    if type(a) is int and type(b) is int and b:
        return -(-a // b)
    return math.ceil(divide(a, b))  # type: ignore[no-any-return]


def floor(x: Any) -> int:
    """The next whole number below, or the number itself."""
    return math.floor(x)  # type: ignore[no-any-return]


def ceiling(x: Any) -> int:
    """The next whole number above, or the number itself."""
    return math.ceil(x)  # type: ignore[no-any-return]


def nearest(x: Any) -> int:
    """The nearest whole number; halves go up."""
    return math.floor(x + Fraction(1, 2)) if type(x) is not float else math.floor(x + 0.5)


def remainder(a: Any, b: Any) -> Any:
    """What is left of a when b is taken away as often as it fits. Raises RuleFault when b is 0."""
    if not b:
        raise RuleFault("a division by zero")
    return a % b


def bounded(x: Any) -> Any:
    """Refuse values that grow without bound in a loop."""
    kind = type(x)
    if kind is int and not -LARGEST <= x <= LARGEST:
        raise RuleFault("a number grew beyond all bounds")
    if kind is list and len(x) > LONGEST:
        raise RuleFault("a list grew beyond all bounds")
    if kind is str and len(x) > LONGEST_TEXT:
        raise RuleFault("a text grew beyond all bounds")
    return x


def joined(items: list[Any], more: Any) -> list[Any]:
    """A list with one more item, or with those of another list. Raises RuleFault when it grows beyond all bounds."""
    return bounded([*items, *more] if isinstance(more, list) else [*items, more])  # type: ignore[no-any-return]


def without(items: list[Any], one: Any) -> list[Any]:
    """A list without an item, or without those of another list, however often they are in it."""
    gone = one if isinstance(one, list) else [one]
    return [i for i in items if i not in gone]


def least(items: Sequence[Any], measure: Callable[[Any], Any]) -> Any:
    """The first item with the lowest measure, or None."""
    return min(items, key=measure) if items else None


def greatest(items: Sequence[Any], measure: Callable[[Any], Any]) -> Any:
    """The first item with the highest measure, or None."""
    return max(items, key=measure) if items else None


def text(x: Any) -> str:
    """A value as a reader sees it in the story."""
    if x is None:
        return "none"
    if x is True:
        return "yes"
    if x is False:
        return "no"
    if isinstance(x, float):
        return f"{x:.1f}".removesuffix(".0")
    if isinstance(x, Fraction):
        return str(int(x)) if x.denominator == 1 else f"{float(x):.2f}".rstrip("0")
    if isinstance(x, list):
        return ", ".join(text(i) for i in x)
    return str(x)


class Narrowed(list[Any]):
    """Offered answers that pass a condition; one of the answerer's own must pass it, too."""

    def __init__(self, values: Sequence[Any], passes: Callable[[Any], Any]) -> None:
        super().__init__(v for v in values if passes(v))
        self._whole, self._passes = values, passes

    def free(self, answer: Any) -> Any:
        """The value of an answer that is not offered. Raises RuleFault when there is none, or it does not pass."""
        found = self._whole.free(answer)  # type: ignore[attr-defined]
        if not self._passes(found):
            raise RuleFault(f"{text(found)} is not among what may be chosen here")
        return found


def narrowed(values: Sequence[Any], passes: Callable[[Any], Any]) -> list[Any]:
    """What of a function's list may be chosen; where it takes answers that it does not offer, so does the rest.

    Of a list of which nothing passes nobody is asked for an answer of his own.
    """
    found = Narrowed(values, passes) if hasattr(values, "free") else [v for v in values if passes(v)]
    return found or []


def counted(x: Any, forms: Sequence[str]) -> str:
    """The form that fits a count: (one, more) or (none, one, more), `#` replaced by the count."""
    none, one, more = forms if len(forms) == 3 else (forms[1], *forms)
    form = none if x == 0 else one if x == 1 else more
    return form.replace("#", text(x))


def by_identity(a: str, b: str) -> bool:
    """Whether values of two kinds of type are the same only when they are one thing."""
    kinds = {a, b}
    return bool(kinds & {"noun", "none", "yes_no"}) and not kinds & {"word", "text", "number", "any"}


def mishap(error: BaseException) -> str:
    """An error of Python in words that fit a rule."""
    if isinstance(error, RecursionError):
        return "the rules call each other without end"
    if isinstance(error, AttributeError) and "NoneType" in str(error):
        return "something that is none is used as if it were there"
    return str(error)


def how_often(x: Any) -> int:
    """A whole, bounded count for a loop or a pool."""
    n = int(x)
    if n > LONGEST:
        raise RuleFault(f"{n} times is more than any game needs")
    return max(n, 0)


#: The functions of the language that are not of any plugin, by name.
BUILT_IN_CALLS: dict[str, Callable[..., Any]] = {
    "floor": floor,
    "ceiling": ceiling,
    "whole": nearest,
    "round": nearest,
    "absolute": abs,
    "lower_of": min,
    "higher_of": max,
    "lowest_of": min,
    "highest_of": max,
    "remainder": remainder,
    "count_of": lambda x, items: items.count(x),
    "size_of": len,
    "first": lambda items: items[0] if items else None,
    "last": lambda items: items[-1] if items else None,
    "empty_list": list,
    "joined": joined,
    "without": without,
    "list of": lambda *items: list(items),
    "as_number": lambda x: x,
    "as_distance": lambda x: x,
}
