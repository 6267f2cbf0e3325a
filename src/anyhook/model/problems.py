"""The diagnostic type, and the two exceptions that may reach a command."""

from __future__ import annotations

from msgspec import Struct

from anyhook.model.codes import CODES, Severity
from anyhook.model.origin import Origin


class Edit(Struct, frozen=True):
    """A safe repair: replace ``text[start:end]`` in the file that has the problem."""

    start: int
    end: int
    replacement: str


class Problem(Struct, frozen=True):
    """What is wrong, where, and what to do about it."""

    code: str
    severity: Severity
    origin: Origin
    text: str
    fix: str = ""
    edits: tuple[Edit, ...] = ()
    about: str = ""
    """The hook at this place in words, where the text can be true of several."""

    @property
    def is_minor(self) -> bool:
        """Whether it is worth a look only to those who ask for everything."""
        return self.severity is Severity.NOTE and CODES[self.code].is_minor


def problem(
    code: str,
    origin: Origin,
    text: str,
    fix: str = "",
    *,
    severity: Severity | None = None,
    edits: tuple[Edit, ...] = (),
    about: str = "",
) -> Problem:
    """A problem; its severity is that of its code unless given."""
    return Problem(code, severity or CODES[code].severity, origin, text, fix, edits, about)


def missing_part(error: BaseException) -> str:
    """What an error means that is about a module of anyhook itself; empty: it is about something else."""
    name = getattr(error, "name", None) or ""
    if not isinstance(error, ImportError) or name.partition(".")[0] != "anyhook":
        return ""
    return f"{name} is missing: anyhook is being upgraded; try again, and reinstall it if that persists"


class AnyhookError(Exception):
    """The command cannot work until the user changes something; shown as one message, never as a traceback."""


class UsageError(AnyhookError):
    """An argument of the command names something that does not exist or cannot be read."""


def describe_bug(error: Exception) -> str:
    """What to tell a client when an error kept hooks from being asked."""
    if upgrade := missing_part(error):
        return f"{upgrade}; its hooks were not asked"
    return f"{type(error).__name__}: {error}. This is a bug in anyhook; its hooks were not asked"
