"""Paths of tool calls, for hooks that judge them: seen from the project's folder, and compared with globs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePath

_MAX_ALTERNATIVES = 256
_braces = re.compile(r"\{([^{}]*,[^{}]*)\}").search


def relative_path(path: str, project: PurePath) -> str:
    """A path from the project's folder, with ``..`` resolved; one outside of it stays absolute.

    Nothing is read from the disk: a symbolic link is not followed.
    """
    plain = path.replace("\\", "/")
    root = project.as_posix()
    whole = posixpath.normpath(plain if plain.startswith(("/", "~")) else f"{root}/{plain}")
    return whole.removeprefix(f"{root}/") if whole != root else "."


def matches_any(path: str, globs: Iterable[str], project: PurePath) -> bool:
    """Whether one of the globs matches a path.

    A glob without a slash matches the name of a file, or of a folder around it; one with a slash starts in the
    project's folder, and ``**`` matches any number of folders. ``{a,b}`` matches either.
    """
    inside = relative_path(path, project)
    return any(_matches(each, inside) for glob in globs for each in alternatives(glob))


@lru_cache(maxsize=1024)
def alternatives(glob: str) -> tuple[str, ...]:
    """``*.{js,ts}`` as ``*.js`` and ``*.ts``. A glob with very many of them is taken as it is written."""
    found, number = [glob], 0
    while number < len(found):
        braces = _braces(found[number])
        if braces is None:
            number += 1
            continue
        before, after = found[number][: braces.start()], found[number][braces.end() :]
        found[number : number + 1] = [f"{before}{part}{after}" for part in braces[1].split(",")]
        if len(found) > _MAX_ALTERNATIVES:
            return (glob,)
    return tuple(found)


def _matches(glob: str, path: str) -> bool:
    if "/" not in glob.rstrip("/"):
        *folders, name = path.split("/")
        return fnmatchcase(name, glob) or any(fnmatchcase(folder, glob.rstrip("/")) for folder in folders)
    return _pattern(glob).fullmatch(path) is not None


@lru_cache(maxsize=1024)
def _pattern(glob: str) -> re.Pattern[str]:
    """``**`` matches any number of folders, ``*`` and ``?`` stay in one."""
    text = glob.removeprefix("./") + ("**" if glob.endswith("/") else "")
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", text)
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(signs.get(part) or re.escape(part) for part in parts), re.DOTALL)
