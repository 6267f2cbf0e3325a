"""Globs of files, as settings of guards and rules have them, on the places that a call is about.

A glob means the same for every tool, because a place is resolved once: ``src/**`` starts in the project's folder,
``/etc/**`` and ``~/**`` where they say, ``../**`` in the folder above the project. Without a slash it is the name of a
file, or of a folder around it. ``!`` takes out what the globs beside it match.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePath

from anyhook.paths import alternatives, matches_any

_ROOT = PurePath("/")
_ANCHORS = ("/", "~/", "./", "../")


def is_matched(path: str, globs: Iterable[str], project: PurePath, home: str, *, may_contain: bool = False) -> bool:
    """Whether globs mean a path. ``may_contain``: also if it is a folder in which there may be what they mean."""
    wanted, unwanted = split_negated(globs)
    means = any(_means(path, glob, project, home, may_contain=may_contain) for glob in wanted)
    if wanted and not means:
        return False
    return not any(_means(path, glob, project, home, may_contain=False) for glob in unwanted)


def split_negated(globs: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The globs of what is meant, and those with ``!`` of what is not."""
    given = tuple(globs)
    unwanted = tuple(glob[1:] for glob in given if glob.startswith("!"))
    return tuple(glob for glob in given if not glob.startswith("!")), unwanted


def _means(path: str, glob: str, project: PurePath, home: str, *, may_contain: bool) -> bool:
    root = project.as_posix()
    for each in alternatives(glob):
        if not each.startswith(_ANCHORS) and matches_any(path, (each,), project):
            return True
        whole = _absolute(each, root, home)
        if whole and (matches_any(path, (whole,), _ROOT) or (may_contain and _may_contain(path, whole))):
            return True
    return False


@lru_cache(maxsize=1024)
def _absolute(glob: str, root: str, home: str) -> str:
    """A glob as an absolute one; empty: it is a name, wherever it is."""
    if glob == "~" or glob.startswith("~/"):
        glob = home + glob[1:]
    elif glob.startswith("~") and "/" in glob:
        glob = f"{posixpath.dirname(home)}/{glob[1:]}"
    elif "/" not in glob.rstrip("/") and glob not in (".", ".."):
        return ""
    elif not glob.startswith("/"):
        glob = f"{root}/{glob}"
    return posixpath.normpath(glob) + ("/**" if glob.endswith("/") and glob != "/" else "")


def _may_contain(path: str, glob: str) -> bool:
    """Whether a folder, which may have signs of a shell's pattern, is one above what a glob means."""
    fixed = _fixed(glob)
    pattern = path.rstrip("/") or "/"
    return any(fnmatchcase(folder, pattern) for folder in fixed)


@lru_cache(maxsize=1024)
def _fixed(glob: str) -> tuple[str, ...]:
    """The folders above all that a glob means, and what it means itself if it has no wildcards."""
    parts: list[str] = []
    for part in glob.split("/")[1:]:
        if any(sign in part for sign in "*?["):
            break
        parts.append(part)
    return tuple("/" + "/".join(parts[:number]) for number in range(len(parts) + 1))
