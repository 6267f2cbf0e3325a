"""Keeps what a process has to say apart from what functions of hook files print that run in it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO


def take_output(descriptor: int, others: int) -> BinaryIO:
    """A stream to where a descriptor leads, for the caller alone.

    Whatever anybody else writes there, child processes too, goes to the descriptor ``others`` from now on.
    """
    try:
        own = os.dup(descriptor)
    except OSError:  # it is closed, so nobody listens
        own = os.open(os.devnull, os.O_WRONLY)
    os.dup2(others, descriptor)
    return os.fdopen(own, "wb")
