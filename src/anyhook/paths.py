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
    first, *others = (glob.removeprefix("./") + ("**" if glob.endswith("/") else "")).split("**/")
    middle = "".join(map(_in_any_folder, others[:-1]))
    return re.compile(_regex(first) + middle + "".join(f"(?:.*/)?{_regex(last)}" for last in others[-1:]), re.DOTALL)


def _in_any_folder(part: str) -> str:
    """``**/`` and the whole folders after it. Their first place will do: to try all takes very long in a long path."""
    text = _regex(part)
    return f"(?>(?:.*?/)??{text})" if part.endswith("/") and "**" not in part else f"(?:.*/)?{text}"


def _regex(part: str) -> str:
    signs = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(signs.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*|\*|\?)", part))
