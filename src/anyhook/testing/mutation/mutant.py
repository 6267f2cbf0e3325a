"""One change of one file, and the case that would notice it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.model.lazyjson import dump_json


class Mutant(Struct, frozen=True):
    """One change of one file."""

    file: Path
    line: int
    what: str
    """What is changed, to be read after the place."""
    missing: str
    """A case that would notice it."""
    text: str
    """The whole file, changed."""


EFFECT = "the hook's effect"
"""What a case expects where the change does not tell which."""


def missing_case(event: str, given: Mapping[str, Any], expected: str, also: str = "") -> str:
    """A case in words: its event, what is in its fixture, what it expects."""
    with_input = f" with {dump_json(given).decode()}" if given else ""
    end = f", which expects {expected}" if expected == EFFECT else f", and {expected}"
    return f"a case on {event}{with_input}{f' {also}' if also else ''}{end}"
