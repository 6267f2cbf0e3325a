"""Finds hook files: those that a client reads in one project, or those of all projects below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath

from msgspec import Struct, structs

from anyhook.dialects import NAMES, dialect, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.places import Root, Source
from anyhook.model.hooks import ACTIVE, Fate
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem, problem
from anyhook.sources import disk
from anyhook.sources.installed_extensions import extension_files

PRUNED = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache",
        ".ruff_cache", ".pytest_cache", ".hypothesis", ".cache", ".next", ".gradle", ".terraform", "site-packages",
    }
)  # fmt: skip
"""Folders that hold generated or installed files, which are not searched."""
MAX_FOLDERS = 200_000
MAX_DEPTH = 40


class Roots(Struct, frozen=True):
    """The folders in which clients search; tests and ``--home`` pass their own."""

    project: Path
    home: Path
    system: Path = Path("/")
    environment: Mapping[str, str] = {}


def roots_for(project: Path, home: Path | None = None, environment: Mapping[str, str] | None = None) -> Roots:
    """The folders of this machine; with another home folder the environment of this process is not used."""
    if environment is None:
        environment = dict(os.environ) if home is None else {}
    return Roots(
        project=project.absolute(),
        home=Path.home() if home is None else home.absolute(),
        system=Path(os.environ.get("SYSTEMDRIVE", "C:") + "\\") if os.name == "nt" else Path("/"),
        environment=environment,
    )


class Found(Struct, frozen=True):
    """A file that a client reads, and why."""

    dialect: str
    source: Source
    path: Path
    base: Path
    """The project, plugin or home folder that it belongs to."""
    rank: tuple[int, int]
    """Its place in the client's order: source, then file."""
    fate: Fate = ACTIVE
    """What becomes of all its hooks, where that is known without reading it."""
    no_start: str = ""
    """Why the client does not start with it; empty: it does."""


class Survey(Struct, frozen=True):
    """What a search found, how many folders it searched, and whether it stopped early."""

    files: tuple[Found, ...]
    folders: int
    stopped_early: bool = False
    misplaced: tuple[Path, ...] = ()
    """Files whose path looks right for a client's hooks to people, but not to the client."""


def find_for_project(name: str, roots: Roots) -> tuple[Found, ...]:
    """The files one client reads when it is started in the project folder, in its own order."""
    inside = _inside(name, roots.project, _names_in(name, roots.project))
    # A hooks.json without a plugin around it is loaded only after it was installed.
    installed = [file for file in inside if not (file.source.sniffed and file.source.root is Root.PLUGIN)]
    return in_client_order(_outside(name, roots) + installed)


def find_below(roots: Roots, names: Iterable[str] = NAMES) -> Survey:
    """The files of all these clients for the project folder, the home folder, and every project below."""
    names = tuple(names)
    found = [file for name in names for file in _outside(name, roots)]
    wrong = tuple({pattern for name in names for pattern in profile(name).recognition.wrong_places})
    misplaced: list[Path] = []
    folders = 0
    for folder, entries in _walk(roots.project):
        folders += 1
        misplaced += _misplaced(folder, entries, wrong)
        if folder != roots.home or folder == roots.project:
            found += [file for name in names for file in _inside(name, folder, entries)]
        if folders >= MAX_FOLDERS:
            return Survey(in_client_order(found), folders, stopped_early=True, misplaced=tuple(misplaced))
    return Survey(in_client_order(found), folders, misplaced=tuple(misplaced))


def _misplaced(folder: Path, entries: frozenset[str], patterns: Iterable[str]) -> list[Path]:
    split = (pattern.rpartition("/") for pattern in patterns)
    here = [name for parent, _, name in split if not parent or folder.match(parent)]
    return [folder / name for name in sorted(entries) if any(fnmatchcase(name, pattern) for pattern in here)]


def find_in_package(folder: Path, names: Iterable[str] = NAMES) -> tuple[Found, ...]:
    """The files in the folder ``hooks`` of a package, for each client that may have been meant, and its guards."""
    inside = (file for name in names for file in _inside(name, folder, _names_in(name, folder)))
    return in_client_order([file for file in inside if file.dialect == OWN or file.path.parent == folder / "hooks"])


@cache
def config_folders() -> frozenset[str]:
    """Folders such as .claude, in which a client keeps what it reads in a project."""
    sources = (source for name in NAMES for source in profile(name).sources if source.root is Root.PROJECT)
    folders = (source.pattern.partition("/")[0] for source in sources)
    return frozenset(folder for folder in folders if folder.startswith("."))


def wrong_kinds(project: Path, names: Iterable[str]) -> tuple[Problem, ...]:
    """A file in the project in place of a folder such as .claude, and a folder in place of a hook file."""
    found: dict[Path, Problem] = {}
    for name in sorted(names, key=lambda each: each != OWN):
        known = profile(name)
        for source in known.sources:
            parts = PurePosixPath(source.pattern).parts
            if source.root is not Root.PROJECT or any(sign in source.pattern for sign in "*?["):
                continue
            folder, path = project / parts[0], project / source.pattern
            if len(parts) > 1 and parts[0].startswith(".") and disk.is_file(folder):
                text = f"it is a file, and {known.title} looks for {source.pattern} in a folder of this name"
                origin = Origin(name, Scope.PROJECT, str(folder))
                found.setdefault(folder, problem("F005", origin, text, "rename it, or remove it"))
            elif disk.is_dir(path):
                text = f"it is a folder, and {known.title} looks for a file of this name"
                origin = Origin(name, Scope.PROJECT, str(path))
                found.setdefault(path, problem("F005", origin, text, "put a plain file here"))
    return tuple(found.values())


def places(name: str, roots: Roots) -> Iterator[str]:
    """Where a client searches, for people: one line per source."""
    for source in profile(name).sources:
        match source.root:
            case Root.HOME:
                yield f"~/{source.pattern}"
            case Root.SYSTEM:
                yield str(roots.system / source.pattern)
            case _:
                yield source.pattern


def in_client_order(found: Iterable[Found]) -> tuple[Found, ...]:
    """By client and folder, in the order in which each client reads its files; no file twice for a client."""
    seen: set[tuple[str, Path]] = set()
    files = []
    for file in sorted(found, key=lambda f: (NAMES.index(f.dialect.partition("@")[0]), f.base, f.rank)):
        if (file.dialect, file.path) not in seen:
            seen.add((file.dialect, file.path))
            files.append(file)
    return tuple(files)


def _outside(name: str, roots: Roots) -> list[Found]:
    """Files of the home folder and the system, which every project has."""
    found = []
    for rank, source in enumerate(profile(name).sources):
        if source.root in (Root.HOME, Root.SYSTEM):
            base, pattern = anchor(source, source.pattern, roots)
            if source.scope is Scope.PLUGIN and (demands := dialect(name).extensions):
                folder = base / pattern.partition("/*")[0]
                files = extension_files(folder, dialect(name), demands, roots.project)
                for index, file in enumerate(files):
                    kind = structs.replace(source, kind=file.kind)
                    where = (rank, index)
                    found.append(Found(name, kind, file.path, roots.project, where, file.fate, file.no_start))
                continue
            found += _expand(name, source, rank, base, pattern, roots.project)
    return found


def anchor(source: Source, pattern: str, roots: Roots) -> tuple[Path, str]:
    """The folder that a pattern of this source starts from on this machine, and what is left of the pattern."""
    moved = roots.environment.get(source.home_variable) if source.home_variable else None
    if source.root is Root.HOME and moved:
        return Path(moved), pattern.partition("/")[2]
    return {Root.HOME: roots.home, Root.SYSTEM: roots.system}.get(source.root, roots.project), pattern


def _names_in(name: str, folder: Path) -> frozenset[str]:
    """The names in a folder, of those that a client's files and markers start with.

    A folder such as /tmp is not listed: it changes all the time, and what was read for a cache would never be current.
    """
    if not disk.is_shared(folder):
        return disk.names_in(folder)
    paths = (path for source in profile(name).sources for path in (source.pattern, source.marker) if path)
    firsts = {path.partition("/")[0] for path in paths}
    return frozenset(first for first in firsts if disk.accessible_mode(folder / first, disk.own_mode))


def _inside(name: str, folder: Path, entries: frozenset[str]) -> list[Found]:
    """Files of this folder itself, as a project or as a plugin."""
    found = []
    is_config_folder = folder.name.startswith(".") and folder.name in config_folders()
    for rank, source in enumerate(profile(name).sources):
        if is_config_folder and source.root is Root.PLUGIN:
            continue  # .cursor/hooks.json is Cursor's, not a plugin whose root happens to be .cursor
        first = source.pattern.partition("/")[0]
        if source.root not in (Root.PROJECT, Root.PLUGIN) or first not in entries:
            continue
        if source.marker and source.marker.partition("/")[0] not in entries:
            continue
        if source.marker and not disk.exists(folder / source.marker):
            continue
        found += _expand(name, source, rank, folder, source.pattern, folder)
    return found


def _expand(name: str, source: Source, rank: int, base: Path, pattern: str, owner: Path) -> list[Found]:
    paths = list(files_below(base, pattern, hidden=not source.globbed, linked_folders=source.globbed))
    if source.globbed:
        paths.sort(key=os.fsencode, reverse=True)
        paths.sort(key=lambda path: len(path.parts))
        by_file: dict[Path, Path] = {}
        for path in paths:
            by_file.setdefault(disk.resolve(path), path)
        paths = list(by_file.values())
    return [Found(name, source, path, owner, (rank, index)) for index, path in enumerate(paths)]


def files_below(folder: Path, pattern: str, hidden: bool = True, linked_folders: bool = False) -> tuple[Path, ...]:
    """The files below a folder that match a pattern, in a stable order.

    ``hidden``: ``*`` and ``**`` also match names that start with a dot. ``linked_folders``: ``**`` also matches a link
    to a folder; the files in it are listed, what is deeper is not.
    """
    return tuple(sorted(_glob(folder, pattern.split("/"), hidden, linked_folders), key=os.fsencode))


def _may_be_file(path: Path) -> bool:
    try:
        return disk.own_mode(path) != 0 and not disk.is_dir(path)
    except OSError:  # in a folder that may not be searched: reading it says so
        return True


def _glob(folder: Path, parts: list[str], hidden: bool, linked_folders: bool, depth: int = 0) -> Iterator[Path]:
    """Files below a folder that match a pattern. Links to folders are followed, but no deeper than MAX_DEPTH."""
    first, rest = parts[0], parts[1:]
    if not any(sign in first for sign in "*?["):
        path = folder / first
        if rest:
            yield from _glob(path, rest, hidden, linked_folders, depth + 1)
        elif _may_be_file(path):
            yield path
        return
    names = sorted(name for name in disk.names_in(folder) if hidden or not name.startswith("."))
    if first == "**":
        yield from _glob(folder, rest, hidden, linked_folders, depth)
        for path in (folder / name for name in names if depth < MAX_DEPTH):
            if not disk.is_dir(path):
                continue
            if not disk.is_link(path):
                yield from _glob(path, parts, hidden, linked_folders, depth + 1)
            elif linked_folders:  # a link could lead back up, so what is below it is not searched
                yield from _glob(path, rest, hidden, linked_folders, depth + 1)
        return
    for name in names:
        if fnmatchcase(name, first):
            if rest:
                yield from _glob(folder / name, rest, hidden, linked_folders, depth + 1)
            elif not disk.is_dir(folder / name):
                yield folder / name


def _walk(top: Path) -> Iterator[tuple[Path, frozenset[str]]]:
    """Folders from the top down, in a stable order, without following links and without the pruned ones."""
    stack = [(top, 0)]
    while stack:
        folder, depth = stack.pop()
        try:
            entries = disk.entries_of(folder)
        except OSError:
            continue
        yield folder, frozenset(entry.name for entry in entries)
        if depth < MAX_DEPTH:
            below = (entry.name for entry in entries if entry.name not in PRUNED and _is_real_folder(entry))
            stack += [(folder / name, depth + 1) for name in sorted(below, reverse=True)]


def _is_real_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
