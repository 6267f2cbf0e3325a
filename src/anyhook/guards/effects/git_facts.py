"""What git knows of paths: whether to lose them would lose work. Asked once for a call, and only if it decides."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

SECONDS = 0.02
"""How long git may take; without an answer, everything counts as work that would be lost."""
_FLAGGED = frozenset("SMRCK?hsmrck")
"""Marks of ``git ls-files -v``: skip-worktree, assume-unchanged and unmerged. Git says nothing of their changes."""
_SUBMODULE = "160000"
_RISKY = (b"filter", b"include")
"""Words of settings that name programs of the project, or other files of settings."""


class PathFacts(Struct, frozen=True):
    """What git knows of a path and of all that is below it."""

    is_known: bool = False
    """False: git did not answer, or cannot tell."""
    is_found: bool = False
    """There is something, as far as git knows."""
    lost: tuple[str, ...] = ()
    """Changed and untracked files: work that nothing brings back."""
    ignored: tuple[str, ...] = ()


class GitFacts(Protocol):
    """Answers what would be lost with paths. The paths are absolute, and below one repository."""

    def ask(self, paths: Sequence[str]) -> Mapping[str, PathFacts] | None:
        """The facts of every path; None: this is no repository, so that names decide."""


class Git:
    """Asks the git of this machine, at most once for a path."""

    def __init__(self, project: str, environment: Mapping[str, str], seconds: float = SECONDS) -> None:
        self._project, self._seconds, self._environment = project, seconds, environment
        self._known: dict[str, PathFacts] = {}

    def ask(self, paths: Sequence[str]) -> Mapping[str, PathFacts] | None:
        root = repository_of(self._project)
        if root is None:
            return None
        asked = [path for path in dict.fromkeys(paths) if path not in self._known]
        if asked:
            self._known |= self._asked(root, asked)
        return {path: self._known[path] for path in paths}

    def _asked(self, root: str, paths: Sequence[str]) -> Mapping[str, PathFacts]:
        inside = [path for path in paths if path.startswith(f"{root}/") and not _is_in_other(root, path)]
        names = {path: path[len(root) + 1 :] for path in inside}
        found = dict.fromkeys(paths, PathFacts())
        answers = self._answers(root, list(names.values())) if names else None
        if answers is not None:
            found |= {path: _facts(root, name, *answers) for path, name in names.items()}
        return found

    def _answers(self, root: str, names: Sequence[str]) -> tuple[str, str] | None:
        """What ``git status`` and ``git ls-files`` print of these paths, and of the files that say what is ignored."""
        from anyhook.guards.repository import ask_together  # it starts processes, which few calls need

        settings = _settings(root)
        if settings is None or self._seconds <= 0:
            return None
        specs = [f"./{name}" for name in (*names, *_ignoring([f"{name}/x" for name in names]))]
        status = ("status", "--porcelain", "-z", "--ignored", "--no-renames", "--ignore-submodules=dirty", "--", *specs)
        listing = ("ls-files", "-s", "-v", "-z", "--", *specs)
        has_filters = any(word in settings.lower() for word in _RISKY)
        environment = {name: value for name, value in self._environment.items() if not name.startswith("GIT_")}
        texts = ask_together(root, environment, self._seconds, status, listing, has_filters=has_filters)
        return None if texts is None else (texts[0], texts[1])


def repository_of(folder: str) -> str | None:
    """The root of the work tree in which a folder is."""
    while not os.path.lexists(f"{folder}/.git"):
        parent = posixpath.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _is_in_other(root: str, path: str) -> bool:
    """Whether a path is in a repository of its own, of which this one knows nothing."""
    return repository_of(path) not in (root, None)


def _settings(root: str) -> bytes | None:
    git = Path(root, ".git")
    try:
        if git.is_file():  # a worktree or a submodule
            git = Path(root, git.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
        common = git / "commondir"
        shared = Path(git, common.read_text(encoding="utf-8").strip()) if common.is_file() else git
        files = [path for path in (shared / "config", git / "config.worktree") if path.is_file()]
        return b"".join([path.read_bytes() for path in files])
    except (OSError, ValueError):
        return None


def _ignoring(names: Sequence[str]) -> list[str]:
    """The files that may say that these paths are ignored."""
    parents = {parent for name in names for parent in _parents(name)}
    return sorted(f"{parent}.gitignore" for parent in parents)


def _parents(name: str) -> Iterator[str]:
    parts = name.split("/")
    return ("".join([f"{part}/" for part in parts[:number]]) for number in range(len(parts)))


def _is_uncommitted(
    root: str, path: str, entries: Sequence[tuple[str, str]], listed: Sequence[tuple[str, str, str]]
) -> bool:
    """Whether a file that is there is changed, or not in the index."""
    if any(path == changed for _, changed in entries):
        return True
    return all(path != known for _, _, known in listed) and Path(root, path).exists()


def _facts(root: str, name: str, status: str, listing: str) -> PathFacts:
    entries = [(entry[:2], entry[3:]) for entry in status.split("\0") if len(entry) > 3]
    listed = [entry.partition("\t") for entry in listing.split("\0") if entry]
    own = [(mark, path) for mark, path in entries if _belongs(path, name)]
    ignored = [path for mark, path in own if mark == "!!"]
    lost = [path for mark, path in own if mark not in ("!!", " D", "D ")]
    if ignored and any(_is_uncommitted(root, path, entries, listed) for path in _ignoring([f"{name}/x"])):
        lost += ignored  # nobody has agreed to ignore it
    known = [(head.split(), path) for head, _, path in listed if _belongs(path, name)]
    hidden = [path for head, path in known if head[0] in _FLAGGED or head[1] == _SUBMODULE]
    return PathFacts(True, bool(own or known), (*lost, *hidden), tuple(ignored))


def _belongs(entry: str, name: str) -> bool:
    """Whether an entry is what is asked about, below it, or a folder around it."""
    plain = entry.rstrip("/")
    if any(sign in name for sign in "*?["):
        return not plain.endswith(".gitignore")  # git has compared it
    return plain == name or plain.startswith(f"{name}/") or name.startswith(f"{plain}/") or name == ""
