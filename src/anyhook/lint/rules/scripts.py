"""Rules about the files that commands start: are they there, can they be run, does their path hold everywhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from anyhook.lint.checked_file import CommandLine, Hook, Shell
from anyhook.lint.roots import has_drive, is_template, is_whole_project, project_variable, resolve, start_folder
from anyhook.model.codes import Severity
from anyhook.model.hooks import Command
from anyhook.model.origin import Scope
from anyhook.model.problems import Problem
from anyhook.shell.programs import POSIX_SHELLS
from anyhook.shell.scripts import Script, script_of_words
from anyhook.shell.written import UNKNOWN, read_text

_BUILT = frozenset({"dist", "build", "out", "target", "node_modules", ".venv", "venv", "bin", "lib"})
"""Folders that a build or an installation fills."""


def scripts_of(line: CommandLine) -> tuple[Script, ...]:
    """The scripts that one command line starts."""
    match line.shell:
        case Shell.POSIX:
            return tuple(dict.fromkeys(read_text(line.text).scripts()))
        case Shell.NONE if isinstance(line.hook.action, Command):
            found = script_of_words([line.text, *(line.hook.action.args or ())])
            return (found,) if found else ()
        case _:
            return ()


def script_files(hook: Hook) -> Iterator[tuple[CommandLine, Path]]:
    """The scripts of a hook that are really there."""
    for line in hook.commands():
        for script in scripts_of(line):
            path = resolve(hook, script.path)
            if path is not None and hook.file.disk.is_file(path):
                yield line, path


def check_scripts(hook: Hook) -> Iterator[Problem]:
    """C002, C003, C004, C005, C012 and C018, at most one of them for one script."""
    if is_template(hook.file):
        return
    for line in hook.commands():
        if line.shell is Shell.POSIX and read_text(line.text).changes_folder():
            continue
        found = scripts_of(line)
        rooted = {script.path.rpartition("/")[2] for script in found if not _is_relative(script)}
        for script in found:
            if not (_is_relative(script) and script.path.rpartition("/")[2] in rooted):  # else tried elsewhere, too
                yield from _check_script(hook, line, script)


def _check_script(hook: Hook, line: CommandLine, script: Script) -> Iterator[Problem]:
    path = resolve(hook, script.path)
    disk = hook.file.disk
    if path is not None and disk.is_file(path):
        if broken := _windows_line_ends(hook, line, script, path):
            yield broken
            return
        yield from _check_start(hook, line, script, path)
        yield from relative_script(hook, line, script)
    elif found := _elsewhere(hook, script):
        yield from _wrong_folder(hook, line, script, found)
    elif path is not None and _is_missing(hook, line, script, path):
        yield _missing(hook, line, script, path)
    else:
        yield from relative_script(hook, line, script)


def _check_start(hook: Hook, line: CommandLine, script: Script, path: Path) -> Iterator[Problem]:
    file = hook.file
    if script.interpreter:
        return
    if not file.disk.is_executable(path):
        text, severity = f"{script.path} is started directly but is not executable", None
        if file.profile.execution.makes_executable:
            text += f"; {file.profile.title} changes the mode of the file and runs it"
            severity = Severity.NOTE
        fix = f"chmod +x {path.name} and commit the mode, or start it with its interpreter"
        yield file.problem("C003", line.pointer, text, fix, severity=severity)
        return
    text_of_script = file.disk.text(path)
    is_batch = path.suffix.lower() in {".cmd", ".bat"}  # a file that is a batch file, too, cannot start with #!
    if text_of_script is not None and not text_of_script.startswith("#!") and not is_batch:
        text = f"{script.path} is started directly but does not say on its first line what runs it"
        yield file.problem("C004", line.pointer, text, "add a first line such as #!/usr/bin/env bash")


def has_windows_line_ends(text: str) -> bool:
    """Whether every line of a script ends with a carriage return, which belongs to the line's last word then."""
    lines = text.splitlines(keepends=True)
    return bool(lines) and all(line.endswith("\r\n") for line in lines[:-1] or lines)


def _windows_line_ends(hook: Hook, line: CommandLine, script: Script, path: Path) -> Problem | None:
    """C018: of a script that a shell reads, or that the system starts by its first line."""
    content = hook.file.disk.text(path) or ""
    is_concerned = script.interpreter in POSIX_SHELLS if script.interpreter else content.startswith("#!")
    if not is_concerned or not has_windows_line_ends(content):
        return None
    interpreter = script.interpreter or content.splitlines()[0][2:].strip()
    what = "looks for commands" if script.interpreter else "is not found: the system looks for a program"
    text = f"{script.path} has the line ends of Windows; {interpreter} {what} with a carriage return in the name"
    fix = f'save it with the line ends of Unix, and add "{path.name} text eol=lf" to .gitattributes'
    return hook.file.problem("C018", line.pointer, text, fix)


def _elsewhere(hook: Hook, script: Script) -> Path | None:
    """The folder from which a relative path is right: the file's or the plugin's, not the one where hooks start."""
    if not _is_relative(script) or "$" in _own_folder(hook):
        return None
    start = start_folder(hook)
    if start is not None and not start.is_relative_to(hook.file.base):
        return None  # a folder of another machine, where the same project may be
    folders = [folder for folder in (hook.file.path.parent, hook.file.base) if folder != start]
    return next((folder for folder in folders if hook.file.disk.is_file(folder / script.path)), None)


def _own_folder(hook: Hook) -> str:
    """The folder that the hook itself asks for; empty: none."""
    return (hook.action.cwd or "") if isinstance(hook.action, Command) else ""


def _wrong_folder(hook: Hook, line: CommandLine, script: Script, found: Path) -> Iterator[Problem]:
    title, base, right = hook.profile.title, hook.file.base, found / script.path
    # Most documents do not say in which folder the hooks of a plugin start, and releases differ.
    is_sure = not hook.file.is_in_plugin or hook.profile.basis != "documented"
    if found != base:
        where = f"below {found.name}/"
    else:
        where = "in the plugin" if hook.file.is_in_plugin else "in the project folder"
    if own := _own_folder(hook):
        text = f"{script.path} exists {where}, but the hook starts in {own}"
    else:
        starts = "starts" if is_sure else "may start"
        text = f"{script.path} exists {where}, but {title} {starts} hooks in {_STARTS[hook.profile.execution.cwd]}"
    shown = right.relative_to(base) if right.is_relative_to(base) else right
    path = _rooted(hook, str(shown))
    start = start_folder(hook)
    if start not in (None, base) and not path.startswith('"$'):
        path = os.path.relpath(right, start)
    severity = None if is_sure else Severity.NOTE
    yield hook.file.problem("C012", line.pointer, text, f"write {path}", severity=severity)


_STARTS = {
    "session": "the folder the session is in",
    "project": "the project folder",
    "file's folder": "the folder of the file",
}


def _is_missing(hook: Hook, line: CommandLine, script: Script, path: Path) -> bool:
    file = hook.file
    if _is_relative(script) and not file.is_certain:
        return False  # a file of a catalogue: the path starts from the project that it is copied to
    if not path.is_relative_to(file.base) or not is_whole_project(file):
        return False
    if line.shell is not Shell.POSIX:
        return True
    text = read_text(line.text)
    has_fallback = any(command.before == "||" for command in text.all_commands())
    return text.is_complete and not has_fallback and not text.looks_for_files()


def _missing(hook: Hook, line: CommandLine, script: Script, path: Path) -> Problem:
    """An error when its neighbours are there; less when the whole folder may come from a build or an installer."""
    file = hook.file
    severity, hint = None, ""
    if not file.disk.is_folder(path.parent):
        severity, hint = Severity.WARNING, f", nor does the folder {path.parent.name}/"
    if _BUILT.intersection(path.relative_to(file.base).parts[:-1]):
        severity, hint = Severity.NOTE, "; it may come from a build"
    text = f"{script.path} does not exist{hint}, so the hook fails every time"
    twins = (path.with_suffix(end) for end in (".ps1", ".cmd", ".bat"))
    if twin := next(filter(file.disk.is_file, twins), None):
        severity = Severity.WARNING  # the project may be for Windows alone
        text = f"{script.path} does not exist, only {twin.name}, so the hook fails every time outside Windows"
    return file.problem("C002", line.pointer, text, "add the script, or correct the path", severity=severity)


def relative_script(hook: Hook, line: CommandLine, script: Script) -> Iterator[Problem]:
    """C005: a path that leads elsewhere as soon as the session is in another folder."""
    if hook.profile.execution.cwd != "session" or not _is_relative(script) or "/" not in script.path:
        return
    profile = hook.profile
    if not profile.runs_hooks:
        return
    changes = ", which changes with cd" if profile.execution.cwd_follows else ""
    text = f"{script.path} is relative, and {profile.title} runs hooks in the folder the session is in{changes}"
    severity = Severity.WARNING if project_variable(profile) else Severity.NOTE
    yield hook.file.problem("C005", line.pointer, text, f"write {_rooted(hook, script.path)}", severity=severity)


def _rooted(hook: Hook, path: str) -> str:
    """A path as it should be written so that it leads to the same file from everywhere."""
    path = path.removeprefix("./")
    is_plugin = hook.file.hooks.scope == Scope.PLUGIN and hook.file.path.parent.name == "hooks"
    if is_plugin and not path.startswith("."):
        root = next(iter(hook.profile.execution.plugin_exports), "")
        return f'"${{{root}}}/{path}"' if root else path
    variable = project_variable(hook.profile)
    if hook.profile.execution.cwd == "project":
        return path
    return f'"${variable}/{path}"' if variable else f'"$(git rev-parse --show-toplevel)/{path}"'


def _is_relative(script: Script) -> bool:
    """Whether a path surely starts from the current folder: no variable, placeholder or drive letter in it."""
    is_from_top = script.path.startswith(("/", "~")) or has_drive(script.path)
    return not is_from_top and not any(sign in script.path for sign in ("$", "{", "\\", UNKNOWN))
