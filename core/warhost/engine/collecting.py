"""Python's garbage collector while a battle goes on, or while something is reckoned."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: How many times as seldom young, middle-aged and all things are looked through.
AS_SELDOM = (4, 1, 5)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Garbage is collected less often: a full collection looks through all the rules, which stay.

    When this is over it is as often as before, so that many battles one after the other leave no more behind. What
    begins inside of this changes nothing.
    """
    before = gc.get_threshold()
    if before in _seldom:
        yield
        return
    young, middle, full = (n * times for n, times in zip(before, AS_SELDOM, strict=True))
    now = young, middle, full
    _seldom.add(now)
    gc.set_threshold(*now)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        _seldom.discard(now)


@contextmanager
def without_collecting() -> Iterator[None]:
    """No garbage is collected: what is made stays until the end of it, and looking through that and the rules takes up
    to a fifth of the time. Afterwards it is as before.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


#: Thresholds that have been set here and not yet been put back.
_seldom: set[tuple[int, int, int]] = set()
