"""Python's garbage collector while a battle goes on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: How many times as seldom everything that there is is looked through.
AS_SELDOM = 5


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Full collections come less often: each looks through all the rules, which stay.

    Young things are looked through as ever, and a full collection that has been put off comes when this is over, so
    that many battles one after the other leave no more behind. What begins inside of this changes nothing.
    """
    young, middle, old = before = gc.get_threshold()
    if before in _seldom:
        yield
        return
    now = young, middle, old * AS_SELDOM
    _seldom.add(now)
    gc.set_threshold(*now)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        _seldom.discard(now)


#: Thresholds that have been set here and not yet been put back.
_seldom: set[tuple[int, int, int]] = set()
