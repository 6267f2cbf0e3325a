"""Where a call happens, and what a path is as seen from there."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from stat import S_ISLNK

from msgspec import Struct

from anyhook.guards.effects.git_facts import GitFacts
from anyhook.guards.effects.model import Place, Zone
from anyhook.guards.effects.names import HARMLESS_DEVICE, SYSTEM, TEMPORARY, protected_name
from anyhook.lazy_pattern import LazyPattern
from anyhook.shell.paths import join

_GLOB = LazyPattern(r"[*?\[]")
_HOMES = LazyPattern(r"(?:/home/[^/$*]+|/Users/[^/$*]+|/root|/var/root)(?=/|$)", re.IGNORECASE)
_USER = LazyPattern(r"~([\w-]+)")
_GIT = LazyPattern(r"(?:^|/)\.git(?:/|$)")
_ALL = LazyPattern(r"(?:\.{0,2}\*+|\.\[!\.\]\*|\.\?\?\*|\*\.\*)")
_UNKNOWN = ("$", "`", "<(", ">(")
_MAX_LINKS = 8


class Where(Struct, frozen=True, kw_only=True):
    """The folders of a call. A path is resolved against them once, so that every guard sees the same one."""

    folder: str
    """The payload's folder, in which the line starts."""
    project: str
    """The project's root; that of a worktree, if the call happens in one."""
    home: str = "/home/me"
    git: GitFacts | None = None
    """None: there is no git, and names alone decide."""
    own_folders: tuple[str, ...] = ()
    """Folders of anyhook that variables name."""

    def resolve(self, text: str, folder: str | None = ".", *, follow: bool = False) -> Place:
        """A path as it is used in a folder (as the reader of command lines tells it; None: it is not known).

        ``follow``: also a symbolic link of this very name, as a program does that writes to it.
        """
        seen = join(folder, text)
        if seen.startswith(_UNKNOWN):
            return Place(None, Zone.UNKNOWN, seen, text)
        if seen[:1] == "%":
            return Place(None, Zone.OUTSIDE, seen, text)
        path = self._absolute(seen)
        if _GLOB.search(path) is not None:
            path = protected_name(path, self.project, self.home)
        return self._place(_followed(path, (f"{self.project}/", f"{self.home}/"), follow=follow), text)

    def _absolute(self, seen: str) -> str:
        if seen[:1] == "~":
            user = _USER.match(seen)
            if user is not None:
                seen = f"{posixpath.dirname(self.home)}/{user[1]}{seen[user.end() :]}"
            else:
                seen = self.home + seen[1:]
        elif seen[:1] != "/":
            seen = self.folder if seen == "." else f"{self.folder}/{seen}"
        return posixpath.normpath(seen) if "/." in seen or "//" in seen else seen

    def _place(self, path: str, text: str) -> Place:
        roots: tuple[str, ...] = (self.project,)
        if not path.startswith(self.project):
            roots = (self.project, _real_path(self.project))
        if self.home.startswith(f"{self.project}/") and (path == self.home or path.startswith(f"{self.home}/")):
            roots = ()  # a home folder in the project is a home folder all the same
        for root in roots:
            if path == root:
                return Place(self.project, Zone.ROOT, ".", text)
            if path.startswith(f"{root}/"):
                shown = path[len(root) + 1 :]
                path = f"{self.project}/{shown}"
                if _ALL.fullmatch(shown):
                    return Place(path, Zone.ROOT, shown, text)
                return Place(path, Zone.GIT if _GIT.search(shown) else Zone.PROJECT, shown, text)
        shown = path
        if path == self.home or path.startswith(f"{self.home}/"):
            shown = "~" + path[len(self.home) :]
        elif (home := _HOMES.match(path)) is not None:
            shown = "~" + path[home.end() :]
        zone = Zone.ABOVE if self._is_above(path) else _zone(path, shown)
        return Place(path, zone, shown, text)

    def _is_above(self, path: str) -> bool:
        """Whether the project is in this folder: also if all in it is meant."""
        folder = path.rstrip("*").rstrip("/")
        return self.project.startswith(f"{folder}/")


@lru_cache(maxsize=64)
def _real_path(project: str) -> str:
    """The project's root as its own links name it, for tools that use that name."""
    return os.path.realpath(project)


def _zone(path: str, shown: str) -> Zone:
    if shown[:1] == "~":
        return Zone.HOME
    if TEMPORARY.match(path):
        return Zone.TEMPORARY
    if path.startswith("/dev/"):
        return Zone.DEVICE if HARMLESS_DEVICE.match(path) is None else Zone.TEMPORARY
    return Zone.SYSTEM if path == "/" or SYSTEM.match(path) else Zone.OUTSIDE


def _followed(path: str, known: Sequence[str], *, follow: bool) -> str:
    """The path with the symbolic links of its folders followed, as far as they exist."""
    for _ in range(_MAX_LINKS):
        start = next((len(root) for root in known if path.startswith(root)), None)
        if start is None and TEMPORARY.match(path) is None:
            break  # the links of the system itself, and of devices
        changed = _one_link(path, start or 1, follow=follow)
        if changed is None:
            break
        path = changed
    return path


def _one_link(path: str, start: int, *, follow: bool) -> str | None:
    end = path.find("/", start)
    while end > 0 or follow:
        part = path if end < 0 else path[:end]
        try:
            if S_ISLNK(os.lstat(part).st_mode):
                target = posixpath.join(posixpath.dirname(part), str(Path(part).readlink()))
                return posixpath.normpath(target + path[len(part) :])
        except (OSError, ValueError):  # there is none, or the name has a null byte
            return None
        if end < 0:
            break
        end = path.find("/", end + 1)
    return None
