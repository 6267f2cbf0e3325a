"""Converts the command of a hook: operating systems, arguments, folders, variables. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping

from msgspec import Struct, structs

from anyhook.dialects.profile import Execution, Profile
from anyhook.model.codes import Severity
from anyhook.model.hooks import Command, OsCommands
from anyhook.model.losses import loss
from anyhook.model.problems import Problem
from anyhook.model.wording import join_and


class Stage(Struct, frozen=True, kw_only=True):
    """The two clients and the two events between which an action is converted."""

    source: Profile
    target: Profile
    """The variants that the names of the two events select."""
    event: str
    new_event: str
    fields: frozenset[str]
    """The fields of such an action that the target's file has keys for."""
    kinds: frozenset[str] | None = None
    """The kinds of tools that the hook is about; None: any, or none."""


def convert_command(action: Command, stage: Stage, remarks: list[Problem]) -> Command | None:
    """The same command for the target client; None when it has nothing to run there."""
    converted = _one_shell(action, stage, remarks)
    converted = _with_prelude(converted, stage, remarks)
    chosen = _for_systems(converted, stage, remarks)
    if chosen is None:
        return None

    def renamed(text: str) -> str:
        return _with_variables(text, stage, remarks)

    return _each_text(chosen, renamed)


def _each_text(action: Command, change: Callable[[str], str]) -> Command:
    by_os = action.by_os

    def changed(text: str | None) -> str | None:
        return None if text is None else change(text)

    return structs.replace(
        action,
        command=change(action.command),
        args=None if action.args is None else tuple(change(argument) for argument in action.args),
        by_os=OsCommands(changed(by_os.windows), changed(by_os.linux), changed(by_os.macos)),
    )


# ------------------------------------------------------------------------------------------------- shells and arguments


def _one_shell(action: Command, stage: Stage, remarks: list[Problem]) -> Command:
    """The command without what the target has no key for: a list of arguments, a shell of its own."""
    needs_text = action.args is not None and ("args" not in stage.fields or _prelude(action, stage))
    if action.args is not None and needs_text:
        text = " ".join(_quoted(word) for word in (action.command, *action.args))
        why = f"{stage.target.title} has no list of arguments"
        remarks.append(loss("L010", "the command and its arguments are one line for a shell", why))
        action = structs.replace(action, command=text, args=None)
    if action.shell is not None and "shell" not in stage.fields:
        own = stage.target.execution.shell[0]
        if action.shell in own:
            remarks.append(loss("L010", "the shell is not named", f"{stage.target.title} uses {own} anyway"))
        else:
            what = f"the command runs in {own}, not in {action.shell}"
            why = f"{stage.target.title} has no setting for the shell of a hook"
            remarks.append(loss("L004", what, why, f"start {action.shell} in the command itself"))
        action = structs.replace(action, shell=None)
    return action


def _quoted(word: str) -> str:
    """A word for a shell; variables in it are still filled in."""
    if "$" not in word:
        return shlex.quote(word)
    return '"' + re.sub(r'(["\\`])', r"\\\1", word) + '"'


def _prelude(action: Command, stage: Stage) -> list[str]:
    """What a shell must do before the command, where the target has no key for it."""
    lines = []
    if action.env and "env" not in stage.fields:
        lines += [f"export {name}={_quoted(value)}" for name, value in action.env.items()]
    if action.cwd is not None and "cwd" not in stage.fields:
        lines.append(f"cd {_quoted(_below_project(action.cwd, stage.target))} || exit 1")
    return lines


def _below_project(folder: str, target: Profile) -> str:
    """A folder of the project as the target's hooks can reach it."""
    if target.execution.cwd == "project" or folder.startswith(("/", "~", "$")):
        return folder
    variable = variable_for(_is_project, target.execution)
    return f"${{{variable}}}/{folder}" if variable else folder


def _with_prelude(action: Command, stage: Stage, remarks: list[Problem]) -> Command:
    lines = _prelude(action, stage)
    if not lines:
        return action
    what = join_and(filter(None, ("variables" if action.env else "", "the folder" if action.cwd else "")))
    why = f"{stage.target.title} has no key for it"
    remarks.append(loss("L010", f"{what} of the hook are set in its command", why))
    if action.by_os.windows is not None:
        remarks.append(loss("L004", f"{what} of the hook are gone on Windows", why, severity=Severity.WARNING))

    def prefixed(text: str) -> str:
        return "; ".join([*lines, text]) if text else text

    by_os = action.by_os
    return structs.replace(
        action,
        command=prefixed(action.command),
        by_os=OsCommands(by_os.windows, by_os.linux and prefixed(by_os.linux), by_os.macos and prefixed(by_os.macos)),
        env=action.env if "env" in stage.fields else {},
        cwd=action.cwd if "cwd" in stage.fields else None,
    )


# ---------------------------------------------------------------------------------------------------- operating systems


def _for_systems(action: Command, stage: Stage, remarks: list[Problem]) -> Command | None:
    """The variants for operating systems as far as the target has keys for them."""
    by_os, title = action.by_os, stage.target.title
    if by_os == OsCommands():
        return action
    can_name_windows = "by_os.windows" in stage.fields
    can_name_posix = {"by_os.linux", "by_os.macos"} <= stage.fields or (
        "by_os.posix" in stage.fields and by_os.linux == by_os.macos
    )
    command, windows = action.command, by_os.windows
    linux, macos = by_os.linux or command, by_os.macos or command
    if not can_name_posix and (by_os.linux or by_os.macos):
        windows = windows or command or None
        command = linux or macos
        if linux != macos:
            what = "macOS runs the command that was for Linux" if linux else "Linux runs the command that was for macOS"
            remarks.append(loss("L004", what, f"{title} has one command for both"))
        by_os = OsCommands(windows=windows)
    if windows and not can_name_windows:
        if not command and not by_os.linux:
            why = f"{title} has no command for Windows alone"
            remarks.append(loss("L001", "the hook is left out", why, "give it a command for every system"))
            return None
        remarks.append(
            loss("L004", "Windows runs the command of the other systems", f"{title} has one command for all")
        )
        windows = None
    elif not windows and not action.command and command:
        remarks.append(loss("L010", "the command is tried on Windows too", f"{title} has one command for all systems"))
    return structs.replace(action, command=command, by_os=OsCommands(windows, by_os.linux, by_os.macos))


# ------------------------------------------------------------------------------------------------------------ variables

_VARIABLE = re.compile(r"(?P<open>\$\{|\$env:|\$|%)(?P<name>[A-Za-z_]\w*)(?P<rest>:[-=?+][^}]*)?(?P<close>\}|%)?")


def _is_project(name: str) -> bool:
    return name.endswith(("PROJECT_DIR", "PACKAGE_ROOT"))


def _is_plugin(name: str) -> bool:
    return name.endswith(("PLUGIN_ROOT", "PACKAGE_ROOT", "extensionPath"))


def _is_folder_of_hooks(name: str) -> bool:
    return _is_project(name) or _is_plugin(name)


_MEANINGS: tuple[Callable[[str], bool], ...] = (
    _is_plugin,
    lambda name: name.endswith("PLUGIN_DATA"),
    lambda name: name.endswith("SESSION_ID"),
    lambda name: name.endswith("_CWD"),
    lambda name: name.endswith("HOOK_DIR"),
)
"""What a variable means, by its name; in another client the same meaning has another name."""


def variables_of(execution: Execution, event: str) -> tuple[str, ...]:
    """Every variable that a client sets or fills in for a hook on an event, its own names first."""
    on_event = (name for name, events in execution.event_exports.items() if event in events)
    names = (*execution.exports, *execution.plugin_exports, *execution.substituted, *on_event)
    return tuple(dict.fromkeys((*names, *execution.payload_exports)))


def variable_for(means: Callable[[str], bool], execution: Execution) -> str | None:
    names = (*execution.exports, *execution.plugin_exports, *execution.substituted)
    return next(filter(means, names), None)


def _with_variables(text: str, stage: Stage, remarks: list[Problem]) -> str:
    """The text with the target's names for the variables that the source sets."""
    own = set(variables_of(stage.source.execution, stage.event))
    theirs = set(variables_of(stage.target.execution, stage.new_event))

    def replaced(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in own or name in theirs or found["rest"]:
            return found[0]
        return _replacement(found, stage, remarks)

    return _VARIABLE.sub(replaced, text)


def _replacement(found: re.Match[str], stage: Stage, remarks: list[Problem]) -> str:
    name, target = found["name"], stage.target
    if other := _same_meaning(name, stage):
        is_filled_in = other not in (*target.execution.exports, *target.execution.plugin_exports)
        return f"${{{other}}}" if is_filled_in else f"{found['open']}{other}{found['close'] or ''}"
    if _is_project(name) and target.execution.cwd in ("project", "session"):
        severity = None if target.execution.cwd == "project" else Severity.WARNING
        where = {"project": "the project", "session": "the folder that the agent is in"}[target.execution.cwd]
        why = f"{target.title} sets no such variable; it starts hooks in {where}"
        remarks.append(loss("L010", f"{name} is written as a dot", why, severity=severity))
        return "."
    why = f"{target.title} sets no variable for it"
    remarks.append(
        loss("L004", f"{name} is empty, so the command may not work", why, "write the path or the value itself")
    )
    return found[0]


def _same_meaning(name: str, stage: Stage) -> str | None:
    execution: Execution = stage.target.execution
    if _is_project(name):  # a variable of plugins does not count: the file will be a project's
        return next(filter(_is_folder_of_hooks, execution.exports), None)
    for means in _MEANINGS:
        if means(name) and (other := variable_for(means, execution)):
            return other
    payload: Mapping[str, str] = stage.source.execution.payload_exports
    if name in payload:
        return next((other for other, path in execution.payload_exports.items() if path == payload[name]), None)
    return None
