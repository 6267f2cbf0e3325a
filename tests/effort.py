"""How much a test plays: a share in ``make test``, more in ``make test-long``, all of it in ``make explore``."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

PROFILE = os.environ.get("ANYHOOK_PROPERTIES", "anyhook")
IS_EXPLORING = PROFILE == "explore"


def examples(number: int) -> int:
    """How many examples of a property to try, of those that ``make test-long`` tries."""
    return number // 4 if PROFILE == "anyhook" else number


def share(items: Sequence[T], every: int, always: Callable[[T], bool] | None = None) -> list[T]:
    """Every so-many-th item, and those that are always played."""
    return [
        item
        for place, item in enumerate(items)
        if IS_EXPLORING or place % every == 0 or (always is not None and always(item))
    ]


def mostly_long(values: Iterable[Any], *, short: Container[Any]) -> list[Any]:
    """The values of a parameter: ``make test`` plays those that are ``short``, ``make test-long`` the others."""
    return [value if value in short else pytest.param(value, marks=pytest.mark.long) for value in values]
