"""Regular expressions that are compiled when they are first used.

A guard has hundreds of patterns and a command line needs a few of them; to compile all of them takes longer than to
answer the event.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LazyPattern:
    """What ``re.compile`` takes, and the methods of what it returns."""

    search: Callable[..., re.Match[str] | None]
    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    findall: Callable[..., list[Any]]
    split: Callable[..., list[Any]]
    sub: Callable[..., str]

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled pattern, kept here so that later calls are as fast as those of that pattern."""
        method = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, method)
        return method
