"""Finds files by which a project could set a variable for the client that reads them, and so for anyhook.

Their bytes are searched, not what a parser makes of them: tools differ in what they accept, keep one of two equal keys,
or read what is no UTF-8. What cannot be read counts as a file that sets the variable.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import structs

from anyhook.dialects import NAMES
from anyhook.dialects.places import Root
from anyhook.sources import disk
from anyhook.sources.discover import Roots, config_folders, find_for_project
from anyhook.sources.load import MAX_FILE_BYTES
from anyhook.sources.state import folders_of_others

_FILES = (
    ".env", ".env.local", ".envrc", "mise.toml", "mise.local.toml", ".mise.toml", ".mise.local.toml",
    ".devcontainer.json", "devbox.json", "devenv.nix", "flake.nix", "shell.nix", "pixi.toml",
)  # fmt: skip
"""Files that tools read by name, also in a folder that cannot be listed."""
_PATTERNS = (
    ("", (".env*", "*.code-workspace", "mise*.toml", ".mise*.toml")),
    (".config", ("mise*.toml",)),
    *((folder, ("*.toml",)) for folder in (".config/mise", ".mise", "mise")),
    (".devcontainer", ("*",)),
    (".vscode", ("*.json",)),
    (".zed", ("*.json",)),
)
"""In lower case: names in these folders."""
_CLIENTS_PATTERNS = (".env*", "*.json", "*.jsonc", "*.toml", "*.yaml", "*.yml")
_ESCAPE = re.compile(rb"\\(?:(?:u\{?0{0,6}|x)([0-9a-f]{2})\}?|([0-7]{3}))", re.IGNORECASE)
"""A character of ASCII in JSON, TOML, YAML or a shell."""
_IGNORED = re.compile(rb"\\\r?\n[ \t]*|[\0\"'\\]")
"""Continued lines, quotes inside a word, and every second byte of UTF-16."""


def find_setter(roots: Roots, variable: str, started_in: Path | None) -> str:
    """The first file that mentions the variable or cannot be read, and which of both; empty: there is none.

    A client may have been started in any folder from the package or the session upwards, except in those that hold the
    user's own settings.
    """
    for folder in folders_of_others(*filter(None, (roots.project, started_in))):
        for path in _files_in(structs.replace(roots, project=folder)):
            if what := _mention(path, variable.encode()):
                return f"{path.relative_to(folder).as_posix()} of the project itself {what}"
    return ""


def _files_in(roots: Roots) -> Iterator[Path]:
    project = roots.project
    yield from (project / name for name in _FILES)
    patterns = (*_PATTERNS, *((folder, _CLIENTS_PATTERNS) for folder in sorted(config_folders())))
    for below, names in patterns:
        yield from _matching(project / below, names, is_top=not below)
    containers = project / ".devcontainer"
    for name in sorted(disk.names_in(containers)):
        if _mode(containers / name) is None or disk.is_dir(containers / name):
            yield from _matching(containers / name, ("*",))
    found = {file.path for name in NAMES for file in find_for_project(name, roots) if file.source.root is Root.PROJECT}
    yield from sorted(found)


def _matching(folder: Path, patterns: tuple[str, ...], *, is_top: bool = False) -> Iterator[Path]:
    """Files with such names. A folder that cannot be listed is given back itself: a tool may know the names in it.

    A folder such as /tmp, where every user makes files, is not a project's: only files of fixed names count in it.
    """
    if is_top and disk.is_shared(folder):
        return
    try:
        names = sorted(entry.name for entry in disk.entries_of(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        names = []
        if not is_top:
            yield folder / "*"
    for name in names:
        if any(fnmatchcase(name.lower(), pattern) for pattern in patterns):
            yield folder / name


def _mention(path: Path, variable: bytes) -> str:
    mode = _mode(path)
    if mode is None or path.name == "*":
        return "cannot be read"
    if not mode or stat.S_ISDIR(mode):
        return ""
    content = disk.read_small_file(path, MAX_FILE_BYTES)
    if content is None:
        return "cannot be read"
    resolved = _IGNORED.sub(b"", _ESCAPE.sub(_character, content))
    return "mentions it" if variable in resolved.upper() else ""


def _character(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 16) if escape[1] else int(escape[2], 8) & 0xFF])


def _mode(path: Path) -> int | None:
    """0: it does not exist; None: that cannot be known."""
    try:
        return disk.mode_of(path)
    except OSError:
        return None
