"""What a process is that a function of a hook file forks: a copy of this one, which must answer nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ends_forked_children() -> Iterator[None]:
    """End a forked child where it would leave this block: only the process that has entered it may go on.

    Such a child has one thread of several, and shares the event loop's files with its parent.
    """
    here = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != here:
            os._exit(0)


def close_in_children(close: Callable[[], None]) -> None:
    """Call this in every child that is forked from now on: a pipe that it holds has no end for who reads it."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=close)
