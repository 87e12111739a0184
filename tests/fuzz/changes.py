"""Data with anything in the place of anything."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

#: How many times as many examples as in CI are tried (`python -m tests.fuzz`).
TIMES = int(os.environ.get("WARHOST_FUZZ_TIMES", "1"))

#: What is put in the place of something else.
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.sampled_from([10**30, -(10**30), 0.5, 1e300]),
    st.text(max_size=6), st.sampled_from(["\x1b[2J", "\u202e", "../../etc", "tavern", "blues", "no", "__class__"]),
    st.lists(st.integers(0, 3), max_size=3),
    st.dictionaries(st.sampled_from(["id", "units", "x"]), st.none(), max_size=2),
)  # fmt: skip

#: Characters that must not reach a terminal.
FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def holes(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value within a value."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        yield from holes(below, (*at, key))


def changed(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    """The value with another in one place."""
    if not at:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[at[0]] = changed(copy[at[0]], at[1:], new)
    return copy


def broken(value: Any, drawing: st.DataObject, most: int = 2) -> Any:
    """The value with up to so many places changed."""
    for _ in range(drawing.draw(st.integers(1, most), label="changes")):
        at = drawing.draw(st.sampled_from(list(holes(value))), label="where")
        value = changed(value, at, drawing.draw(ODD, label="what"))
    return value
