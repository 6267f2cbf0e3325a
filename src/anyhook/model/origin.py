"""Where a hook or a problem comes from: client, scope, file, JSON pointer, line and column."""

from __future__ import annotations

import enum
from pathlib import PurePath

from msgspec import Struct


class Scope(enum.StrEnum):
    """The owner of a hook file, from the organisation down to the running process."""

    MANAGED = "managed"
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    PLUGIN = "plugin"
    COMPONENT = "component"  # front matter of a skill, agent or command
    RUNTIME = "runtime"  # registered in process, no file


class Origin(Struct, frozen=True):
    """The position of one value in one file. Lines and columns count from 1; 0 means unknown."""

    dialect: str = ""
    scope: Scope = Scope.RUNTIME
    file: str = ""
    pointer: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


def plugin_folder(file: PurePath) -> PurePath:
    """The folder of the plugin that a hook file belongs to: two up from hooks/hooks.json, else beside the file."""
    return file.parent.parent if file.parent.name in {"hooks", ".claude-plugin"} else file.parent
