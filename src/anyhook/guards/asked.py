"""What a guard is asked, as a tool call with its effects, and where it happens."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from anyhook.dialects.translation.tool_kinds import call_kinds
from anyhook.guards.call import GuardCall
from anyhook.guards.effects.git_facts import Git
from anyhook.guards.effects.model import Effects, Place, ToolCall, Verb, Zone
from anyhook.guards.effects.reading import effects_of
from anyhook.guards.effects.where import Where
from anyhook.guards.hook_files import own_folders
from anyhook.shell.command import InputKind, Invocation
from anyhook.shell.programs import is_code_runner


def tool_call_of(call: GuardCall) -> ToolCall:
    tool = str(call.event.get("tool_name", ""))
    return ToolCall(tool, call.tool_input, call.commands, call_kinds(tool, call.tool_input, call.dialect))


def where_of(call: GuardCall) -> Where:
    """The payload's folder, the project around it, and the home folder that hooks inherit."""
    project = str(call.project)
    project = os.path.normpath(project if project.startswith("/") else (Path.cwd() / project).as_posix())
    folder = os.path.normpath(call.event.cwd) if isinstance(call.event.cwd, str) and call.event.cwd else project
    environment = call.environment or os.environ
    root = _root(project, folder)
    return Where(
        folder=folder,
        project=root,
        home=call.home,
        git=Git(root, environment),
        own_folders=own_folders(environment),
    )


def asked_effects(call: GuardCall) -> tuple[Effects, Where]:
    where = where_of(call)
    return effects_of(tool_call_of(call), where), where


def named_command(call: GuardCall, effects: Effects, where: Where, by: int | None) -> Invocation | None:
    """The command that an exception can name; None: there is none, or more happens with it than its words say."""
    if by is None and len(effects.commands) == 1 and tool_call_of(call).kinds <= {"shell"}:
        by = 0
    if by is None or not effects.is_readable:
        return None
    if any(_runs_its_input(each) for each in effects.commands):
        return None
    command = effects.commands[by]
    return command if runs_here(command, where) else None


def runs_here(command: Invocation, where: Where) -> bool:
    """Whether a command runs in a folder of the project, or where the call happens."""
    place = where.resolve(".", command.folder)
    return place.path == where.folder or place.zone in (Zone.PROJECT, Zone.ROOT)


def folder_of(effects: Effects, where: Where, by: int | None) -> str:
    """The folder in which a command runs, or a call happens."""
    return where.folder if by is None else where.resolve(".", effects.commands[by].folder).path or ""


def _runs_its_input(command: Invocation) -> bool:
    """Whether it may run what another command prints (``git push | sh``)."""
    return command.input is not None and command.input.kind is InputKind.PIPE and is_code_runner(command.name)


def paths_with(effects: Effects, *verbs: Verb) -> tuple[str, ...]:
    """The paths of effects, absolute where they are known."""
    places = (effect.target for effect in effects.effects if effect.verb in verbs)
    return tuple(dict.fromkeys(place.path or place.shown for place in places if isinstance(place, Place)))


def _root(project: str, folder: str) -> str:
    """The project's root; that of its work tree elsewhere, if the call happens in one."""
    if folder == project or folder.startswith(f"{project}/"):
        return project
    while not Path(folder, ".git").is_file():
        parent = posixpath.dirname(folder)
        if parent in (folder, ""):
            return project
        folder = parent
    try:
        names = Path(folder, ".git").read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    except (OSError, UnicodeDecodeError):
        return project
    is_ours = os.path.realpath(names).startswith(f"{os.path.realpath(project)}/.git/worktrees/")
    return folder if is_ours else project
