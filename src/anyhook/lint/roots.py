"""The variables that hold a folder in hook commands: which client sets which, and where they lead."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from anyhook.dialects import real_clients
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Profile
from anyhook.lint.checked_file import CheckedFile, Hook
from anyhook.model.hooks import Command
from anyhook.model.origin import Scope
from anyhook.shell.written import UNKNOWN

PLUGIN_ROOTS = frozenset(
    {
        "CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "COPILOT_PLUGIN_ROOT", "CURSOR_PLUGIN_ROOT", "DROID_PLUGIN_ROOT",
        "PACKAGE_ROOT", "extensionPath",
    }
)  # fmt: skip
_is_hook_file = re.compile(r".*hooks.*\.json|settings.*\.json|plugin\.json").fullmatch
_is_root = re.compile(
    r"(?:[A-Z]+_)*(?:PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA|SKILL_DIR|EXTENSION_DIR|PACKAGE_ROOT)|extensionPath"
).fullmatch
_expansion = re.compile(r"\$\{(?P<braced>\w+)(?P<default>:?-[^{}]*)?\}|\$(?P<plain>[A-Za-z_]\w*)")


_PROJECT_SCOPES = frozenset({Scope.PROJECT, Scope.LOCAL, Scope.COMPONENT})


def is_root_variable(name: str) -> bool:
    """Whether a variable holds the path of a project, plugin or skill."""
    return _is_root(name) is not None


def set_variables(hook: Hook) -> frozenset[str]:
    """Every variable that the client, the file or the hook itself sets for this hook."""
    execution = hook.profile.execution
    names = {*execution.exports, *execution.payload_exports}
    for_plugins = {*execution.plugin_exports, *execution.plugin_text}
    names |= {name for name in execution.substituted if name not in for_plugins}
    names |= {name for name, events in execution.event_exports.items() if hook.rule.event in events}
    if hook.file.hooks.scope in (Scope.PLUGIN, Scope.COMPONENT):
        names |= for_plugins
    if hook.file.is_component:
        names.add("CLAUDE_SKILL_DIR")
    if isinstance(hook.action, Command):
        names.update(hook.action.env)
    data = hook.file.document.data
    if hook.file.hooks.kind == FileKind.SETTINGS and isinstance(data, dict) and isinstance(data.get("env"), dict):
        names.update(data["env"])
    return frozenset(names)


@cache
def clients_that_set(name: str) -> tuple[str, ...]:
    """The titles of the clients that set a variable, for plugins or for every hook."""
    return tuple(known.title for known in real_clients() if name in _exported(known))


def _exported(known: Profile) -> frozenset[str]:
    execution = known.execution
    for_plugins = (*execution.plugin_exports, *execution.plugin_text)
    return frozenset({*execution.exports, *for_plugins, *execution.substituted, *execution.event_exports})


def start_folder(hook: Hook) -> Path | None:
    """The folder in which the client starts the hook; None when it is another one for every user."""
    file, policy = hook.file, hook.profile.execution.cwd
    if policy == "file's folder":
        return file.path.parent
    if file.is_in_plugin or file.hooks.scope not in _PROJECT_SCOPES:
        runs_in_plugin = file.profile.execution.plugins_run_at_home and file.is_in_plugin
        return file.base if runs_in_plugin else None
    return _below(file.base, hook.action.cwd if isinstance(hook.action, Command) else None)


def _below(base: Path, folder: str | None) -> Path | None:
    folder = re.sub(r"\A\$\{workspaceFolder\}/?", "", folder or "")
    if not folder:
        return base
    return None if "$" in folder or folder.startswith("~") else base / folder


def resolve(hook: Hook, written: str) -> Path | None:
    """The file that a path in a command leads to; None when that depends on something unknown."""
    file = hook.file
    if "\0" in written or written.startswith("~") or has_drive(written):
        return None
    found = _expansion.match(written)
    if found is None:
        if any(sign in written for sign in ("$", "{", "\\", UNKNOWN)):
            return None
        path = Path(written)
        start = Path("/") if path.is_absolute() else start_folder(hook)
        return None if start is None else start / path
    rest = written[found.end() :]
    folder = _folder_of(file, found["braced"] or found["plain"])
    if folder is None or not rest.startswith("/") or "$" in rest or UNKNOWN in rest:
        return None
    return folder / rest.lstrip("/")


has_drive = re.compile(r"[A-Za-z]:[\\/]").match
"""Whether a path starts with a drive of Windows."""


def _folder_of(file: CheckedFile, variable: str) -> Path | None:
    if variable in PLUGIN_ROOTS:
        is_set = variable in file.profile.execution.exports and file.hooks.scope == Scope.PROJECT
        return file.base if is_set or file.is_in_plugin else None
    if variable == "CLAUDE_SKILL_DIR":
        return file.path.parent if file.is_component else None
    if variable.endswith("_PROJECT_DIR"):
        return None if file.is_in_plugin or file.hooks.scope not in _PROJECT_SCOPES else file.base
    return None


def project_variable(known: Profile) -> str:
    """The variable that holds the project folder in this client; empty when it has none."""
    names = [name for name in known.execution.exports if name.endswith("PROJECT_DIR")]
    own = known.name.partition("-")[0].upper()
    return next((name for name in names if name.startswith(own)), names[0] if names else "")


def is_whole_project(file: CheckedFile) -> bool:
    """Whether the folder really is the project, so that a file that does not exist is a mistake.

    A hook file that was copied out of its project, or a template, is alone; its scripts are elsewhere. So
    the folder must be part of a git checkout, or hold a file of its own beside the hook file. The folder hooks of a
    package may also hold a folder.
    """
    if is_template(file):
        return False
    if any(".git" in file.disk.names(folder) for folder in (file.base, *file.base.parents)):
        return True
    names = (name for name in file.disk.names(file.base) if not _is_hook_file(name) and name != file.path.name)
    if any(file.disk.is_file(file.base / name) for name in names):
        return True
    folder = file.path.parent
    beside = file.disk.names(folder) if folder == file.base / "hooks" else ()
    return any(name != file.path.name and not _is_hook_file(name) for name in beside)


_TEMPLATE_FOLDERS = frozenset(
    {
        "template", "templates", "catalog", "catalogue", "components", "scaffold", "scaffolds", "boilerplate",
        "presets", "starter", "starters", "skeleton", "backup", "backups",
    }
)  # fmt: skip


def is_template(file: CheckedFile) -> bool:
    """Whether the file is kept to be copied elsewhere, so that paths in it start from a folder that is not here."""
    return not _TEMPLATE_FOLDERS.isdisjoint(part.lower() for part in _parts_in_checkout(file))


def _parts_in_checkout(file: CheckedFile) -> tuple[str, ...]:
    """The folders between the checkout, or else the folder around the project, and the file."""
    top = next((folder for folder in file.path.parents if ".git" in file.disk.names(folder)), None)
    return file.path.relative_to(top).parts[:-1] if top else file.path.parts[-6:-1]
