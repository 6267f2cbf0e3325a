"""What a guard is asked, as a tool call whose effects can be told, and where it happens."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from anyhook.dialects.translation.tool_kinds import call_kinds
from anyhook.guards.call import GuardCall
from anyhook.guards.effects.git_facts import Git
from anyhook.guards.effects.model import Effects, ToolCall
from anyhook.guards.effects.reading import effects_of
from anyhook.guards.effects.where import Where


def tool_call_of(call: GuardCall) -> ToolCall:
    tool = str(call.event.get("tool_name", ""))
    return ToolCall(tool, call.tool_input, call.commands, call_kinds(tool, call.tool_input, call.dialect))


def where_of(call: GuardCall) -> Where:
    """The payload's folder, the project around it, and the home folder that hooks inherit."""
    project = os.path.normpath(Path(Path.cwd(), call.project).as_posix())
    folder = call.event.cwd if isinstance(call.event.cwd, str) and call.event.cwd else project
    environment = call.environment or os.environ
    home = environment.get("HOME") or str(Path.home())
    root = _root(project, os.path.normpath(folder))
    git = Git(root, environment)
    aliases = () if (real := os.path.realpath(root)) == root else (real,)
    return Where(folder=os.path.normpath(folder), project=root, home=home.rstrip("/"), git=git, aliases=aliases)


def asked_effects(call: GuardCall) -> Effects:
    return effects_of(tool_call_of(call), where_of(call))


def _root(project: str, folder: str) -> str:
    """The project's root; that of its work tree elsewhere, if the call happens in one."""
    if folder == project or folder.startswith(f"{project}/"):
        return project
    while not Path(folder, ".git").is_file():
        parent = posixpath.dirname(folder)
        if parent == folder:
            return project
        folder = parent
    try:
        names = Path(folder, ".git").read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    except (OSError, UnicodeDecodeError):
        return project
    return folder if os.path.realpath(names).startswith(os.path.realpath(project) + "/.git/worktrees/") else project
