"""The types of effects: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct

from anyhook.shell.command import Invocation


class Verb(StrEnum):
    DELETES = "deletes"
    OVERWRITES = "overwrites"
    """What was there is lost: emptied, or put back to what git has."""
    WRITES = "writes"
    READS = "reads"
    """Its contents get to the model. Asking whether it exists is no reading."""
    RUNS = "runs"
    """Code that nobody has read: from the network, or decoded while it runs."""
    SENDS = "sends"
    """To another machine."""
    PUBLISHES = "publishes"
    PERMITS = "permits"
    """Changes permissions, users and protections."""
    MACHINE = "machine"
    """Changes this machine: power, services, processes, disks."""
    SHARED = "shared"
    """Changes what others use, or data: a remote, a cluster, a cloud, a database."""
    GUARDS = "guards"
    """Changes what guards the agent: hooks, approvals."""


class Zone(StrEnum):
    PROJECT = "project"
    ROOT = "root"
    """The project's folder itself, or all that is in it."""
    GIT = "git"
    """The repository's own files."""
    ABOVE = "above"
    """A folder around the project."""
    HOME = "home"
    TEMPORARY = "temporary"
    SYSTEM = "system"
    OUTSIDE = "outside"
    DEVICE = "device"
    UNKNOWN = "unknown"
    """Only known when the line runs."""


AWAY = frozenset({Zone.ABOVE, Zone.HOME, Zone.SYSTEM, Zone.OUTSIDE, Zone.DEVICE})
"""Neither in the project nor temporary."""


class Place(Struct, frozen=True):
    """A path, resolved against the folder in which it is used."""

    path: str | None
    """Absolute, with symbolic links of its folders followed; None: it is not known before the line runs."""
    zone: Zone
    shown: str
    """``src/a.py`` in the project, ``~/x`` in a home folder, ``/etc/x`` elsewhere, ``$DIR/x`` if it is not known."""
    written: str = ""
    """As it is written in the call."""


class Url(Struct, frozen=True):
    text: str
    host: str = ""


class Resource(Struct, frozen=True):
    """Something that has no path: a branch, a cluster, a table."""

    kind: str
    name: str = ""


Target: TypeAlias = Place | Url | Resource


class Effect(Struct, frozen=True):
    verb: Verb
    target: Target
    how: str = ""
    """A word for the way (``recursive``), or what is done, as a sentence goes on: ``overwrites history``."""
    by: int | None = None
    """The command of the line that has the effect; None: the tool itself."""
    is_sure: bool = True
    text: str = ""
    """What is written, if it is known."""


class Effects(Struct, frozen=True):
    """What a call would do."""

    commands: tuple[Invocation, ...] = ()
    effects: tuple[Effect, ...] = ()
    is_readable: bool = True
    """False: a line is too long or too deep to be read, so it may do anything."""
    lines: tuple[str, ...] = ()
    """The command lines that a shell would run; none: it is a tool of another kind."""


class ToolCall(Struct, frozen=True):
    """A call of a tool."""

    tool: str
    input: Mapping[str, Any] = {}
    lines: tuple[str, ...] = ()
    """The command lines that it would run."""
    kinds: frozenset[str] = frozenset()
    """What the tool does: shell, edit, read, fetch, mcp."""


def command_line(text: str) -> ToolCall:
    """The call of a shell with one command line."""
    return ToolCall("Bash", {"command": text}, (text,), frozenset({"shell"}))


def words(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())
