"""The one diagnostic type, and the two exceptions that may reach a command."""

from __future__ import annotations

from msgspec import Struct

from anyhook.model.codes import CODES, Severity
from anyhook.model.origin import Origin


class Edit(Struct, frozen=True):
    """A safe repair: replace ``text[start:end]`` of the file the problem is in."""

    start: int
    end: int
    replacement: str


class Problem(Struct, frozen=True):
    """Something wrong, where it is, and what to do about it."""

    code: str
    severity: Severity
    origin: Origin
    text: str
    fix: str = ""
    edits: tuple[Edit, ...] = ()


def problem(
    code: str,
    origin: Origin,
    text: str,
    fix: str = "",
    *,
    severity: Severity | None = None,
    edits: tuple[Edit, ...] = (),
) -> Problem:
    """Make a problem with the severity that its code has in the catalogue, unless told otherwise."""
    return Problem(code, severity or CODES[code].severity, origin, text, fix, edits)


class AnyhookError(Exception):
    """Something a person must change before the command can work; shown as one message, never a traceback."""


class UsageError(AnyhookError):
    """The command was called with something that does not exist or cannot be read."""
