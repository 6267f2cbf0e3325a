"""A profile with one wrong field, in the place of the right one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from msgspec import structs

from anyhook.dialects import dialect
from anyhook.dialects.profile import Profile


def flipped(known: Profile, part: str, field: str, value: Any) -> Profile:
    return structs.replace(known, **{part: structs.replace(getattr(known, part), **{field: value})})


@contextmanager
def planted(wrong: Profile) -> Iterator[None]:
    """The engine plays the client by this profile."""
    module = import_module(f"anyhook.dialects.clients.{wrong.name.replace('-', '_')}")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "DIALECT", module.DIALECT.with_profile(wrong))
        dialect.cache_clear()
        try:
            yield
        finally:
            patched.undo()
            dialect.cache_clear()
