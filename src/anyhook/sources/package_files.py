"""Which files of a package belong to its hooks, besides the one that defines a hook."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from anyhook.lazy_pattern import LazyPattern
from anyhook.model.problems import AnyhookError
from anyhook.paths import alternatives, matches_any
from anyhook.sources import disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from anyhook.sources.load import Loader

SETTINGS_FILE = "anyhook.toml"
FOLDERS = ("hooks", "scripts")
"""Folders of a package whose files belong to all of its hooks."""
MAX_FILES = 2000
"""That ``uses`` may name, and folders in which they are looked for: the daemon looks at each of them on every event."""
_NO_CODE = frozenset({".git", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".DS_Store"})
_TESTS = "tests"
_MENTIONS_USES = LazyPattern(r"(?m)^[ \t\ufeff]*[\"']?uses\b")


def package_of(file: Path) -> Path:
    """The package of a hook file: its folder, or the one around it if that is called hooks."""
    is_inside = file.name != SETTINGS_FILE and fnmatchcase(file.parent.name, "*hooks*")
    return file.parent.parent if is_inside else file.parent


def used_globs(package: Path, loader: Loader) -> tuple[str, ...]:
    """The globs under ``uses`` of a package's ``anyhook.toml``, without those that are wrong."""
    from anyhook.model.document import Document, Format  # few packages have such a file

    path = package / SETTINGS_FILE
    if not disk.is_file(path):
        return ()
    read = loader.document(path, Format.GUARDS)
    if not isinstance(read, Document) or not _MENTIONS_USES.search(read.text):
        return ()
    written = loader.document(path, Format.TOML)
    value = written.data.get("uses") if isinstance(written, Document) and isinstance(written.data, dict) else None
    return tuple(glob for glob in value if not why_unusable(glob)[0]) if isinstance(value, list) else ()


def why_unusable(glob: Any) -> tuple[str, str]:
    """What is wrong with a glob of ``uses``, and the remedy; empty: nothing."""
    if not isinstance(glob, str) or not glob.strip("./ "):
        return "it is not the glob of a file", 'write globs of files: uses = ["lib/**"]'
    if "\\" in glob:
        return "it has a backslash", f'write / between folders: "{glob.replace(chr(92), "/")}"'
    if glob.startswith(("/", "~")) or re.match(r"[A-Za-z]:", glob):
        return "it is an absolute path", "write the path from the folder of this file"
    if ".." in glob.split("/"):
        return "it leads out of the package", "name files below the folder of this file; copy there what hooks need"
    return "", ""


def files_of(package: Path, globs: Sequence[str]) -> list[Path]:
    """The files below a package that globs match, in a stable order; the name of a folder stands for all below it.

    Links to folders are not entered. Raises AnyhookError above ``MAX_FILES``.
    """
    wanted = [each for glob in globs for each in alternatives(glob.removeprefix("./").rstrip("/"))]
    anchored = [f"./{glob}{end}" for glob in wanted for end in (("",) if _is_pattern(glob) else ("", "/**"))]
    found: list[Path] = []
    waiting, folders = [PurePath()], 0
    while waiting:
        inside = waiting.pop()
        folders += 1
        for name, is_folder in _entries(package / inside):
            path = inside / name
            if is_folder and any(_may_hold(path.parts, glob.split("/")) for glob in wanted):
                waiting.append(path)
            elif not is_folder and matches_any(f"{package.as_posix()}/{path.as_posix()}", anchored, package):
                found += [package / path] if disk.is_file(package / path) else []
        if len(found) > MAX_FILES or folders > MAX_FILES:
            what = "files" if len(found) > MAX_FILES else "folders"
            raise AnyhookError(
                f"{package / SETTINGS_FILE}: uses reaches more than {MAX_FILES:,} {what}; name only what hooks need"
            )
    return sorted(found, key=os.fsencode)


def is_in_hook_folder(path: PurePath) -> bool:
    """Whether a path, seen from its package, is in a folder that belongs to all hooks, and is no test and no cache.

    Files that define hooks are there, too: each belongs to its own hooks alone (:func:`defines_hooks`).
    """
    *folders, name = path.parts
    if not folders or folders[0] not in FOLDERS or name.endswith(".pyc"):
        return False
    return not _NO_CODE.union((_TESTS,)).intersection(folders)


def code_below(folder: Path) -> Iterator[Path]:
    """Every file of a folder that belongs to all hooks, tests and caches left out; links to folders are not entered."""
    try:
        entries = sorted(disk.entries_of(folder), key=lambda entry: entry.name)
    except (OSError, ValueError):
        return
    for entry in entries:
        path = folder / entry.name
        if entry.name in _NO_CODE:
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield path
        elif entry.name != _TESTS:
            yield from code_below(path)


def defines_hooks(file: Path, loader: Loader) -> bool:
    """Whether a file in ``hooks/`` of a package is one whose functions are hooks."""
    from anyhook.model.document import Document, Format  # few hooks import such a file
    from anyhook.sources.load import may_define_hooks

    if file.parent.name != "hooks" or not fnmatchcase(file.name, "[!_]*.py"):
        return False
    document = loader.document(file, Format.PYTHON)
    if not isinstance(document, Document):
        return may_define_hooks(file)
    return document.data is not None or bool(document.quirks)


def _entries(folder: Path) -> Iterator[tuple[str, bool]]:
    """What a folder may hold, and whether each is a folder itself."""
    try:
        entries = disk.entries_of(folder)
    except (OSError, ValueError):
        return
    for entry in sorted(entries, key=lambda each: each.name):
        if entry.name not in _NO_CODE and not entry.name.endswith(".pyc"):
            yield entry.name, disk.is_dir(folder / entry.name) and not disk.is_link(folder / entry.name)


def _may_hold(folder: tuple[str, ...], glob: Sequence[str]) -> bool:
    """Whether a file that a glob matches may be below a folder."""
    for part, wanted in zip(folder, glob, strict=False):
        if "**" in wanted:
            return True
        if not fnmatchcase(part, wanted):
            return False
    return len(folder) < len(glob) or not _is_pattern("/".join(glob))


def _is_pattern(glob: str) -> bool:
    return "*" in glob or "?" in glob
