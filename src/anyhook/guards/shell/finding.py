"""What a judge of a command says."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from anyhook.shell.command import Invocation


class Family(StrEnum):
    """Kinds of dangerous commands; each can be set to block, ask, warn or off."""

    DELETES = "deletes"
    DISKS = "disks"
    GIT = "git"
    REMOTE_CODE = "remote-code"
    EXFILTRATION = "exfiltration"
    PERMISSIONS = "permissions"
    SYSTEM = "system"
    CONTAINERS = "containers"
    INFRASTRUCTURE = "infrastructure"
    DATABASES = "databases"
    PUBLISHING = "publishing"
    CODE = "code"
    PROTECTED_FILES = "protected-files"
    HOOKS = "hooks"


class Finding(Struct, frozen=True):
    family: Family
    what: str
    """What the command would do, to be put after ``This command``."""
    instead: str = ""
    """What the agent can do instead."""


Judge: TypeAlias = Callable[[Invocation], "Finding | None"]
