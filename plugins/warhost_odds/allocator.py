"""Memory that is given back is kept for what comes next.

Columns of some hundred kilobytes come and go thousands of times in an exact answer. The GNU C library fetches pieces of
that size from the system each time, which clears them, and that is a fifth of all the work.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

#: Parameters of mallopt(3): from what size on memory is fetched from the system, and when free memory is given back.
_TRIM, _FETCH = -1, -3
#: Bytes: pieces up to this size come from what the process has; so much may lie free.
_LARGE, _FREE = 1 << 25, 1 << 28


def keep_memory() -> None:
    """Have this process keep what it frees. For commands and their workers: a library does not decide that for others.

    Does nothing where the C library is another one.
    """
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            library = ctypes.CDLL(None)
            library.mallopt(_FETCH, _LARGE)
            library.mallopt(_TRIM, _FREE)


__all__ = ["keep_memory"]
