"""How much of a long list a test plays: a share of it in ``make test``, all of it in ``make explore``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

IS_EXPLORING = os.environ.get("ANYHOOK_PROPERTIES") == "explore"


def share(items: Sequence[T], every: int, always: Callable[[T], bool] | None = None) -> list[T]:
    """Every so-many-th item, and those that are always played."""
    return [
        item
        for place, item in enumerate(items)
        if IS_EXPLORING or place % every == 0 or (always is not None and always(item))
    ]
