"""The hook files of a project with a recorder around every command, so that one sees which hook fired and what it did.

Only the commands are changed, in place: whatever else is right or wrong with a file stays as it is.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from msgspec import Struct
from tomlkit.exceptions import TOMLKitError

from anyhook.dialects import profile
from anyhook.model.document import Format
from anyhook.model.hooks import Action, Command, HookSet
from anyhook.model.problems import Problem
from anyhook.prove.situation import WrittenFile
from anyhook.shell.scripts import script_of_words
from anyhook.sources.editing.json_edits import replace_value, with_edits
from anyhook.sources.load import Loader


class RecordedHooks(Struct, frozen=True):
    """What is written in place of the project's hook files."""

    files: Mapping[str, WrittenFile]
    """By the path in the project."""
    behaviours: Mapping[str, Any]
    """For the recorder: each command under its name."""
    names: Mapping[str, str]
    """The recorder's name for each command."""

    def name_of(self, action: Action) -> str | None:
        """The recorder's name for an action; None: it is not recorded."""
        return self.names.get(action.line()) if isinstance(action, Command) and action.args is None else None


def record_hooks(hooks: HookSet, project: Path) -> RecordedHooks:
    """The hook files below a project folder, with recorded commands."""
    execution = profile(hooks.dialect).execution
    actions = [action for rule in hooks.rules for action in rule.actions]
    commands = dict.fromkeys(a.line() for a in actions if isinstance(a, Command) and a.args is None and a.line())
    names = {command: f"hook-{number}" for number, command in enumerate(commands, 1)}
    files: dict[str, WrittenFile] = {}
    for path in sorted({Path(os.path.normpath(action.origin.file)) for action in actions if action.origin.file}):
        if path.is_relative_to(project) and (text := _recorded(path, names)) is not None:
            files[path.relative_to(project).as_posix()] = WrittenFile(text)
    behaviours = {
        name: {
            "run": [*execution.shell, command],
            "executable": _script_started_by(command) if execution.makes_executable else "",
        }
        for command, name in names.items()
    }
    return RecordedHooks(files, behaviours, names)


def _script_started_by(command: str) -> str:
    """The file that a command starts directly: the client would make it executable; empty: there is none."""
    try:
        script = script_of_words(shlex.split(command))
    except ValueError:
        return ""
    return script.path if script and not script.interpreter else ""


def _recorded(path: Path, names: Mapping[str, str]) -> str | None:
    """The text of a file with its commands replaced; None: it is not one in which that can be done."""
    loader = Loader()
    form = loader.format_of(path)
    if form is Format.TOML:
        return _recorded_toml(path.read_text(encoding="utf-8"), names)
    if form is not Format.JSON:
        return None
    document = loader.document(path, form)
    if isinstance(document, Problem):
        return None
    edits = [
        edit
        for pointer, value in _texts(document.data, ())
        if value in names and pointer in document.spans
        for edit in replace_value(document, pointer, _recorder(names[value]))
    ]
    return with_edits(document.text, edits)


def _recorded_toml(text: str, names: Mapping[str, str]) -> str | None:
    try:
        data = tomlkit.parse(text)
    except TOMLKitError:
        return None
    for pointer, value in list(_texts(data.unwrap(), ())):
        if value in names:
            holder: Any = data
            for key in pointer[:-1]:
                holder = holder[key]
            holder[pointer[-1]] = _recorder(names[value])
    return tomlkit.dumps(data)


def _recorder(name: str) -> str:
    return f"@RECORD@ {name}"


def _texts(value: Any, pointer: tuple[str | int, ...]) -> Iterable[tuple[tuple[str | int, ...], str]]:
    """Every text in a value, with its pointer."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(item, (*pointer, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _texts(item, (*pointer, at))
