"""Which repository a folder belongs to: a record of trust holds for all of its worktrees and clones."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from anyhook.lazy_pattern import LazyPattern
from anyhook.sources import disk
from anyhook.sources.state import find_outside, login_home

_MAX_FILE_BYTES = 256 * 1024
_SECONDS = 5.0
"""That git may take: a client waits, though only once for each clone."""
_VARIABLES = (
    "PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "USERPROFILE",
    "SYSTEMROOT",
)  # fmt: skip
"""With what git finds its user's settings, which may allow a folder of another owner (``safe.directory``). GIT_DIR and
others would lead it to another repository, and a client's settings in a repository can set them."""
_LINES = r"\s*$(?P<lines>(?:\n(?!\s*\[).*)*)"
_ORIGIN = LazyPattern(rf"(?im)^\s*\[remote\s+\"origin\"\]{_LINES}")
_CORE = LazyPattern(rf"(?im)^\s*\[core\]{_LINES}")
_URL = LazyPattern(r"(?im)^\s*url\s*=\s*(?P<value>.+?)\s*$")
_WORKTREE = LazyPattern(r"(?im)^\s*worktree\s*=\s*(?P<value>.+?)\s*$")
_SCHEME = LazyPattern(r"^[a-z][a-z0-9+.-]*://(?:[^/@]*@)?", re.IGNORECASE)
_LOCAL = LazyPattern(r"[/.~\\]|[A-Za-z]:")
_SCP = LazyPattern(r"^(?:[^/@:]+@)?(?P<host>[^/:]{2,}):(?!//)(?P<path>.+)$")


class Repository(Struct, frozen=True):
    """The repository that a folder is in; without git, the folder itself."""

    folder: Path
    """Git's common folder, which all worktrees share; without git, the folder that was asked about."""
    top: Path
    """The folder of the working tree."""
    origin: str = ""
    """Where it was cloned from, without scheme, user and ``.git``; empty: nowhere, or there is no git."""
    is_git: bool = False
    is_shallow: bool = False
    """Its history is cut off, so that its first commits are not known."""
    branch: str = ""
    """What is checked out; empty: no branch."""


def repository_of(folder: Path) -> Repository:
    """The repository of a folder, told from git's files alone: no program is started."""
    folder = disk.resolve(folder)
    for top in (folder, *folder.parents):
        # Everybody can make a .git in a shared folder; a home folder under git holds many projects.
        if disk.is_shared(top) or top == _home():
            break
        if (folders := _git_folders(top)) is not None:
            own, common = folders
            return Repository(
                common,
                top,
                origin=_origin(common),
                is_git=True,
                is_shallow=disk.exists(common / "shallow"),
                branch=_text(own / "HEAD").partition("ref: refs/heads/")[2].strip(),
            )
    return Repository(folder, folder)


def first_commits(repository: Repository, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The commits without parents that the working tree's history begins with; the oldest comes last."""
    if not repository.is_git or repository.is_shallow:
        return ()
    from anyhook.guards.repository import ask_git  # asyncio and subprocess take longer to import than most events

    program = find_outside("git", environment.get("PATH", os.defpath).split(os.pathsep), repository.top)
    variables = {name: environment[name] for name in _VARIABLES if name in environment}
    words = ("rev-list", "--max-parents=0", "HEAD")
    found = ask_git(repository.top, variables, _SECONDS, *words, program=program) if program else None
    return tuple((found or b"").decode("ascii", "replace").split())


def identity_of(repository: Repository, environment: Mapping[str, str]) -> str:
    """What all clones and worktrees of a repository have in common: its origin, else its first commit.

    Before the first commit it is git's common folder, which the worktrees share. Empty: there is no git.
    """
    return next(iter(names_of(repository, environment)), "")


def names_of(repository: Repository, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The identity of a repository, then what it was before there was an origin or a commit."""
    if not repository.is_git:
        return ()
    # A path is no origin here: it means something on one machine alone.
    has_origin = repository.origin and not _LOCAL.match(repository.origin)
    found = (repository.origin,) if has_origin else first_commits(repository, environment)[-1:]
    return (*found, str(repository.folder))


def begins_with(repository: Repository, root: str, environment: Mapping[str, str]) -> bool:
    """True if the history begins with a commit; the history of a shallow clone, as CI makes them, cannot tell."""
    return repository.is_shallow or (bool(root) and root in first_commits(repository, environment))


def _home() -> Path | None:
    home = login_home()
    return None if home is None else disk.resolve(home)


def _git_folders(top: Path) -> tuple[Path, Path] | None:
    """Git's own folder of a working tree, and the common one; None: none, or a file pretends to be another's."""
    git = top / ".git"
    if disk.is_dir(git):
        own = disk.resolve(git)
        return (own, own) if disk.exists(git / "HEAD") else None
    text = _text(git)
    if not text.startswith("gitdir:"):
        return None
    own = disk.resolve(top / text.removeprefix("gitdir:").strip())
    common = _text(own / "commondir").strip()
    # Git writes both ends of the link of a worktree or submodule. A .git file that somebody sends along has only one.
    if common:
        back = _text(own / "gitdir").strip()
        return (own, disk.resolve(own / common)) if back and disk.resolve(own / back) == disk.resolve(git) else None
    back = _setting(own, _CORE, _WORKTREE)
    return (own, own) if back and disk.resolve(own / back) == top and disk.exists(own / "HEAD") else None


def _origin(common: Path) -> str:
    return normal_origin(_setting(common, _ORIGIN, _URL))


def _setting(folder: Path, section: LazyPattern, setting: LazyPattern) -> str:
    """A value in git's ``config``; empty: there is none."""
    found = section.search(_text(folder / "config"))
    value = setting.search(found["lines"]) if found else None
    return value["value"].strip('"') if value else ""


def normal_origin(url: str) -> str:
    """One text for the addresses by which git reaches the same repository, such as ssh and https."""
    scp = None if "://" in url else _SCP.match(url)
    text = f"{scp['host']}/{scp['path'].lstrip('/')}" if scp else _SCHEME.sub("", url)
    host, slash, path = text.rstrip("/").removesuffix(".git").rstrip("/").partition("/")
    return f"{host.lower()}{slash}{path}"


def _text(file: Path) -> str:
    content = disk.read_small_file(file, _MAX_FILE_BYTES)
    return "" if content is None else os.fsdecode(content)
