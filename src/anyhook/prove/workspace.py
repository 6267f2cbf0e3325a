"""The temporary folder of one run: project, home, and what is recorded there."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from anyhook.prove import recorder
from anyhook.prove.namespace import mount_over
from anyhook.prove.script import ScriptError
from anyhook.prove.situation import Situation, WrittenFile, decode_situation, encode_situation
from anyhook.testing.sandbox import LINKED

_RECORD, _PROJECT, _HOME = "@RECORD@", "@PROJECT@", "@HOME@"
STATE = ".local/state/anyhook"
"""The folder of anyhook's state in a home folder."""
_LARGEST_FILLED_FILE = 1_000_000


class Workspace(Struct, frozen=True):
    """The folders of a run, all below one."""

    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def state(self) -> Path:
        """Where the anyhook of deployed entries keeps its state."""
        return self.home / STATE

    @property
    def tmp(self) -> Path:
        return self.root / "tmp"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def calls(self) -> Path:
        """Where the recorder writes."""
        return self.root / "calls"


def lay_out(workspace: Workspace, situation: Situation) -> Situation:
    """Make the folders and files of a situation, and return it with its placeholders replaced."""
    words = _placeholders(workspace, situation)
    for start, folder in ((situation.project, workspace.project), (situation.home, workspace.home)):
        if start is not None:
            copy_folder(start, folder)
            _fill_in_files(folder, words)
    for name in situation.without:
        _own_place(workspace.project, name).unlink(missing_ok=True)
    for folder in (workspace.project, workspace.home, workspace.tmp, workspace.logs, workspace.calls):
        folder.mkdir(exist_ok=True)
    filled = decode_situation(msgspec.json.encode(_filled(msgspec.json.decode(encode_situation(situation)), words)))
    for folder, files in ((workspace.project, filled.files), (workspace.home, filled.home_files)):
        for name, file in files.items():
            write_file(_own_place(folder, name), file)
    if workspace.state.is_dir():
        workspace.state.chmod(0o700)  # else anyhook would not use it
    record = shlex.join([sys.executable, "-I", recorder.__file__, str(workspace.calls)])
    write_file(workspace.root / "record", WrittenFile(f'#!/bin/sh\nexec {record} "$@"\n', 0o755))
    (workspace.calls / "hooks.json").write_bytes(msgspec.json.encode(filled.hooks))
    return filled


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder with its links and modes; installed packages are linked, for they are large and only read.

    Sockets, pipes and devices are left out.
    """

    def left_out(folder: str, names: list[str]) -> set[str]:
        linked = LINKED if Path(folder) == source else ()
        return {name for name in names if name in linked or not _can_be_copied(Path(folder, name))}

    shutil.copytree(source, target, symlinks=True, ignore=left_out)
    for name in LINKED:
        if (source / name).is_dir():
            (target / name).symlink_to(source / name, target_is_directory=True)


def _can_be_copied(path: Path) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)


def mount_linked(source: Path, copy: Path) -> tuple[Path, ...]:
    """Mount what the copy of a project links to in the project, which the copy will hide; returns these places."""
    mounted = []
    for name in sorted(LINKED):
        place = copy / name
        if not place.is_symlink() or place.readlink() != source / name:
            continue
        place.unlink()
        place.mkdir()
        if mount_over(source / name, place):
            mounted.append(place)
        else:
            place.rmdir()
            place.symlink_to(source / name, target_is_directory=True)
    return tuple(mounted)


def _own_place(folder: Path, name: str) -> Path:
    """Where a file of a situation is written: below the folder, also where the project has links to elsewhere.

    Raises ScriptError for a name that leaves the folder.
    """
    path = Path(os.path.normpath(folder / name))
    if not path.is_relative_to(folder) or path == folder:
        raise ScriptError(f"{name}: this file is not in the project")
    for parent in [*reversed(path.parents), path]:
        if parent.is_relative_to(folder) and parent != folder and parent.is_symlink():
            _replace_link(parent, is_folder=parent != path)
    return path


def _replace_link(link: Path, *, is_folder: bool) -> None:
    """Put a folder with the same content in place of a link, or nothing in place of a link to a file."""
    target = link.resolve()
    content = list(target.iterdir()) if is_folder and target.is_dir() else []
    link.unlink()
    if is_folder:
        link.mkdir()
    for path in content:
        (link / path.name).symlink_to(path)


def write_file(path: Path, file: WrittenFile) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if file.link:
        path.symlink_to(file.link)
        return
    path.write_text(file.text, encoding="utf-8", errors="surrogateescape", newline="")
    if file.mode is not None:
        path.chmod(file.mode)


def _placeholders(workspace: Workspace, situation: Situation) -> Mapping[str, str]:
    project = situation.project if situation.keeps_path and situation.project else workspace.project
    return {
        _RECORD: shlex.quote(str(workspace.root / "record")),
        _PROJECT: str(project),
        _HOME: str(workspace.home),
    }


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    """A value with the placeholders replaced in every text."""
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace(word, text)
        return value
    if isinstance(value, list | tuple):
        return [_filled(item, words) for item in value]
    if isinstance(value, dict):
        return {_filled(key, words): _filled(item, words) for key, item in value.items()}
    return value


def _fill_in_files(folder: Path, words: Mapping[str, str]) -> None:
    """Let the files of a copied folder use the recorder."""
    for parent, _, names in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST_FILLED_FILE:
                continue
            data = path.read_bytes()
            if _RECORD.encode() in data:
                path.write_bytes(os.fsencode(_filled(os.fsdecode(data), words)))
