"""Gives memory of large events and outputs back to the system, so that a daemon is small again after them."""

from __future__ import annotations

import sys
from contextlib import suppress

LARGE_BYTES = 256 * 1024
"""A block of this size is given back as soon as it is free."""
_M_MMAP_THRESHOLD = -3


def give_large_blocks_back() -> None:
    """Fix the size from which glibc takes a block from the system and returns it.

    By default it raises that size, up to 32 MB, whenever it returns a block: from then on blocks of that size come from
    a heap in which they leave holes. Other C libraries do not do so.
    """
    if sys.platform == "linux":
        import ctypes

        with suppress(AttributeError, OSError):  # no glibc
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
