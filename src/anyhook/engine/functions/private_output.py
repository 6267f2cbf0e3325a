"""Separates a process's own output from what functions of hook files print in it."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def take_over_output(descriptor: int, others: int) -> BinaryIO:
    """A stream to the target of a descriptor, for the caller alone.

    From now on, what any other code or child process writes there goes to the descriptor ``others``.
    """
    try:
        own = os.dup(descriptor)
    except OSError as error:
        if error.errno != errno.EBADF:  # it is not closed: there is no descriptor left
            raise
        own = os.open(os.devnull, os.O_WRONLY)
    os.dup2(others, descriptor)
    return os.fdopen(own, "wb")
