"""Finds the files that hooks use: scripts, what those start, source or import, and so on.

Every reference is searched for in every folder that it may mean, so more is found than will run. The number of file
accesses is limited; beyond that :class:`TooMuchError` is raised.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Literal

from msgspec import Struct

from anyhook.sources import disk
from anyhook.sources.discover import PRUNED
from anyhook.trust.seen_files import SeenFiles, TooMuchError

Language = Literal["python", "node", "package", "shell", "make", "data", "other"]

RULES = 3
"""Changes with what counts as a reference: those that an older anyhook has recorded are not used then."""
MAX_LOOKUPS = 200_000
MAX_SEARCHED_BYTES = 8 * 1024 * 1024
_MAX_DEPTH = 20

_LANGUAGES: Mapping[str, Language] = {
    **dict.fromkeys((".py", ".pyw"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), "node"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh", ".fish"), "shell"),
    ".mk": "make",
    **dict.fromkeys((".rb", ".pl", ".pm", ".php", ".lua", ".awk", ".jq", ".ps1", ".psm1", ".bat", ".cmd"), "other"),
}
_MAKEFILES = frozenset({"makefile", "gnumakefile", "justfile", ".justfile"})
_BINARY_CODE = frozenset({".exe", ".so", ".pyd", ".pyc", ".dll", ".dylib", ".wasm", ".jar"})
_MODULE_SUFFIXES = (".py", ".pyc", ".pyd", ".so")
_NODE_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".json")
_PYTHON_FOLDERS = ("", "src", "lib")
_OWN_PACKAGES = (".local/lib/python*/site-packages", ".pyenv/versions/*/lib/python*/site-packages")
_PROJECTS_PACKAGES = tuple(
    f"{name}/{lib}/site-packages" for name in (".venv", "venv", "env") for lib in ("lib/python*", "Lib")
)
_SYSTEMS_PACKAGES = (
    "usr/lib/python*/dist-packages",
    "usr/lib/python*/site-packages",
    "usr/local/lib/python*/dist-packages",
    "usr/local/lib/python*/site-packages",
    "opt/homebrew/lib/python*/site-packages",
)
_STANDARD_MODULES = sys.stdlib_module_names | {"sitecustomize", "usercustomize"}


class Reference(Struct, frozen=True, array_like=True):
    """A file as a text names it.

    script: it is started or sourced, so it matters even if it does not exist. file: it counts if it exists. path: it
    counts if it exists; of a folder, all that is below it; it may be a pattern. word: it counts if it exists and looks
    like code. python: a module's dotted name. beside: every module in the project folder that could take the place of
    one of Python's own. node: a relative module of Node. folder: the other paths of the text may start there. doubt:
    not a file, but why one cannot be found.
    """

    kind: Literal["script", "file", "path", "word", "python", "beside", "node", "folder", "doubt"]
    text: str
    is_rooted: bool = False
    """It follows a variable or a command's output that names the folder where it starts."""


class FileFinder:
    """Finds the files that the hooks of one project use, and reads each once."""

    def __init__(
        self,
        project: Path,
        home: Path,
        started_in: Path | None,
        known: Mapping[str, tuple[Reference, ...]],
        *,
        only_known: bool = False,
    ) -> None:
        self.seen = SeenFiles(project)
        self.project = self.seen.project
        self.references: dict[str, tuple[Reference, ...]] = {}
        """By language and hash of a text, so that no text is searched twice."""
        self.unresolved: dict[str, None] = {}
        """Why something that is run cannot be found."""
        self._home = home
        self._started_in = started_in
        self._known = known
        self._only_known = only_known
        self.has_unknown = False
        """Whether a text was not searched because its references were not known and only those count."""
        self._used_by: dict[str, frozenset[str]] = {}
        self._doubts: dict[str, frozenset[str]] = {}
        self._names: dict[Path, dict[str, list[str]]] = {}
        self._above: dict[Path, list[Path]] = {}
        self._lookups = self._searched = 0

    def used_by_hook(self, references: Iterable[Reference], near: Path, folder: str | None) -> frozenset[str]:
        """The files that a hook of the hook file ``near`` names, without those that they use in turn."""
        folders = self._folders_above(near.parent)
        if folder:
            folders += [above / folder for above in folders]
        return self._find(references, near, folders)

    def whole_folder(self, folder: Path) -> frozenset[str]:
        """All code below a folder; links to other folders are noted, not entered."""
        return frozenset(name for path in self._code_below(folder) for name in self.seen.add(path))

    def with_all_they_use(self, names: Iterable[str]) -> frozenset[str]:
        """These files and everything that they start, source or import, and so on."""
        reached: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += self._used_by_file(name)
        return frozenset(reached)

    def doubts_of(self, references: Iterable[Reference], names: Iterable[str]) -> tuple[str, ...]:
        """Why not all that a hook runs can be found: its own references, and those of all files that it uses."""
        own = {reference.text for reference in references if reference.kind == "doubt"}
        return tuple(sorted(own.union(*(self._doubts.get(name, ()) for name in self.with_all_they_use(names)))))

    # ------------------------------------------------------------------------------------------------------- references

    def _used_by_file(self, name: str) -> frozenset[str]:
        if name not in self._used_by:
            self._used_by[name] = frozenset()
            if name in self.seen.texts:
                path, content = self.seen.texts.pop(name)
                language = _language(path, content)
                references = self._references(language, name, content)
                self._doubts[name] = frozenset(found.text for found in references if found.kind == "doubt")
                self._used_by[name] = self._find(references, path, self._folders_above(path.parent))
                if language == "python" and "__init__" not in self._names_in(path.parent):
                    self._used_by[name] |= self._beside(path.parent)
        return self._used_by[name]

    def references_for(self, key: str, search: Callable[[], tuple[Reference, ...]]) -> tuple[Reference, ...]:
        """The references of the text with this key: known ones, else those that a search finds."""
        if key not in self.references:
            found = self._known.get(key)
            if found is None and self._only_known:
                self.has_unknown = True
                return ()
            self.references[key] = search() if found is None else found
        return self.references[key]

    def _references(self, language: Language, name: str, content: bytes) -> tuple[Reference, ...]:
        def search() -> tuple[Reference, ...]:
            self._searched += len(content)
            if self._searched > MAX_SEARCHED_BYTES:
                raise TooMuchError(f"the scripts of the hooks have more than {MAX_SEARCHED_BYTES // 2**20} MB")
            from anyhook.trust.references import references_of_code  # only for a text never seen: it costs time

            return references_of_code(language, content.decode("utf-8", "replace"))

        return self.references_for(f"{RULES}:{language}:{self.seen.by_name[name].sha256}", search)

    def _folders_above(self, folder: Path) -> list[Path]:
        """The folders that a name in a file may start from: those around the file, the project, the session's."""
        if folder not in self._above:
            around = [folder]
            if folder.is_relative_to(self.project):
                depth = len(folder.parts) - len(self.project.parts)
                around += [*folder.parents][:depth]
            session = [self._started_in] if self._started_in else []
            self._above[folder] = list(dict.fromkeys([*around, self.project, *session]))
        return [*self._above[folder]]

    def _find(self, references: Iterable[Reference], near: Path, folders: list[Path]) -> frozenset[str]:
        references = tuple(references)
        for reference in references:
            if reference.kind == "folder":
                candidates = self._candidates(reference, folders)
                self._spend(len(candidates))
                folders += [path for path in candidates if disk.is_dir(path)]
        folders = list(dict.fromkeys(folders))
        python_path = [folder / inner for folder in folders for inner in _PYTHON_FOLDERS]
        names: set[str] = set()
        for reference in references:
            match reference.kind:
                case "python":
                    paths = self._python_module(reference.text, near, python_path)
                case "node":  # relative to the script, or for a piece of code to where it runs
                    bases = dict.fromkeys((near.parent, self.project))
                    paths = (path for base in bases for path in self._node_module(base / reference.text))
                case "beside":
                    names |= self._beside(self.project)
                    continue
                case "doubt":
                    self.unresolved[reference.text] = None
                    continue
                case "folder":
                    continue
                case "path":
                    paths = self._below(reference, folders)
                case _:
                    paths = self._named(reference, folders)
            for path in paths:
                names |= self.seen.add(path)
        return frozenset(names)

    def _named(self, reference: Reference, folders: list[Path]) -> Iterator[Path]:
        """The files that a path may mean; a script that is nowhere counts as missing in the project."""
        found = [path for path in self._candidates(reference, folders) if self._counts(path, reference.kind)]
        if not found and reference.kind == "script":
            found = [self._candidates(reference, [self.project])[0]]
        yield from found

    def _below(self, reference: Reference, folders: list[Path]) -> Iterator[Path]:
        """The files that a path or pattern means, and everything in a folder that it means."""
        if any(sign in reference.text for sign in "*?["):
            yield from self._matching(reference, folders)
            return
        for path in self._candidates(reference, folders):
            if self._counts(path, "file"):
                yield path
            elif disk.is_dir(path):
                yield from self._all_below(path)

    def _matching(self, reference: Reference, folders: list[Path]) -> Iterator[Path]:
        """What a pattern matches: in the project's own folder its files, else all below where the pattern starts."""
        parts = reference.text.split("/")
        fixed = next(index for index, part in enumerate(parts) if any(sign in part for sign in "*?["))
        start = Reference("path", "/".join(parts[:fixed]), reference.is_rooted)
        for folder in self._candidates(start, folders):
            if self._is_whole_project(folder):
                for entry in self._entries(folder):
                    if fnmatchcase(entry.name, parts[fixed]) and self._counts(folder / entry.name, "file"):
                        yield folder / entry.name
            else:
                yield from self._all_below(folder)

    def _all_below(self, folder: Path, depth: int = 0) -> Iterator[Path]:
        if not depth and self._is_whole_project(folder):
            return
        for entry in sorted(self._entries(folder), key=lambda entry: entry.name):
            path = folder / entry.name
            try:
                if entry.is_dir() and not entry.is_symlink():
                    if entry.name not in PRUNED and depth < _MAX_DEPTH:
                        yield from self._all_below(path, depth + 1)
                elif entry.is_symlink() or entry.is_file():
                    yield path
            except OSError:
                continue

    def _is_whole_project(self, folder: Path) -> bool:
        """Whether a folder has the project in it, or is not of the project: all below it would be too much."""
        folder = disk.resolve(folder)
        return self.project.is_relative_to(folder) or not folder.is_relative_to(self.project)

    def _beside(self, folder: Path) -> frozenset[str]:
        """Modules that Python finds first because they are in a script's folder; in the project's own folder only those
        with names of Python's own modules, which its modules import, or of installed ones."""
        names: set[str] = set()
        for stem, entries in self._names_in(folder).items():
            if folder == self.project and stem not in _STANDARD_MODULES and stem not in self._installed:
                continue
            for path in self._modules(folder, stem):
                names |= self.seen.add(path)
            if stem in entries:
                for path in self._modules(folder / stem, "__init__"):
                    names |= self.seen.add(path)
        return frozenset(names)

    def _candidates(self, reference: Reference, folders: list[Path]) -> list[Path]:
        if reference.text.startswith("~/"):
            return [self._home / reference.text[2:]]
        if reference.is_rooted:
            folders = [*folders, *self._checkout, self._home]
        return list(dict.fromkeys(folder / reference.text for folder in folders))

    def _counts(self, path: Path, kind: str) -> bool:
        self._spend(1)
        mode = disk.accessible_mode(path)
        if not mode:
            return kind != "word" and disk.is_link(path)
        if stat.S_ISDIR(mode):
            return False
        return kind != "word" or (stat.S_ISREG(mode) and _looks_like_code(path, mode))

    @cached_property
    def _checkout(self) -> tuple[Path, ...]:
        """The folder of the git checkout, when the project is a part of one."""
        return next(((folder,) for folder in (self.project, *self.project.parents) if disk.exists(folder / ".git")), ())

    @cached_property
    def _installed(self) -> frozenset[str]:
        """Names of modules that are installed for some Python. PATH does not matter: a client may have another one."""
        places = [(self._home, pattern) for pattern in _OWN_PACKAGES]
        places += [(self.project, pattern) for pattern in _PROJECTS_PACKAGES]
        places += [(Path("/"), pattern) for pattern in _SYSTEMS_PACKAGES]
        folders = {folder for base, pattern in places for folder in self._folders_like(base, pattern.split("/"))}
        return frozenset(stem for folder in folders for stem in self._names_in(folder))

    def _folders_like(self, folder: Path, parts: list[str]) -> Iterator[Path]:
        """Folders below one, where a part may end with ``*``."""
        if not parts:
            yield folder
            return
        first, *rest = parts
        if not first.endswith("*"):
            if disk.is_dir(folder / first):
                yield from self._folders_like(folder / first, rest)
            return
        for entry in self._entries(folder):
            if entry.name.startswith(first[:-1]):
                yield from self._folders_like(folder / entry.name, rest)

    def _python_module(self, dotted: str, near: Path, bases: list[Path]) -> Iterator[Path]:
        """Everything that Python may load for a name: packages on the way, sources, compiled and native modules."""
        name = dotted.lstrip(".")
        level = len(dotted) - len(name)
        if level:
            bases = [base for base in [*near.parents][level - 1 : level] if base.is_relative_to(self.project)]
        for base in bases:
            folder = base
            if level:
                yield from self._modules(folder, "__init__")
            for part in filter(None, name.split(".")):
                self._spend(1)
                yield from self._modules(folder, part)
                if part not in self._names_in(folder).get(part, ()):
                    break
                folder = folder / part
                yield from self._modules(folder, "__init__")

    def _modules(self, folder: Path, stem: str) -> Iterator[Path]:
        for name in self._names_in(folder).get(stem, ()):
            if name.endswith(_MODULE_SUFFIXES):
                yield folder / name

    def _node_module(self, path: Path) -> Iterator[Path]:
        path = Path(os.path.normpath(path))
        wanted = {f"{path.name}{ending}" for ending in _NODE_ENDINGS} | {f"{path.stem}.ts", f"{path.stem}.mts"}
        for folder, names in ((path.parent, wanted), (path, {f"index{ending}" for ending in _NODE_ENDINGS})):
            stems = self._names_in(folder)
            for name in sorted(names | ({"package.json"} if folder == path else set())):
                if name in stems.get(name.partition(".")[0], ()):
                    yield folder / name

    def _names_in(self, folder: Path) -> dict[str, list[str]]:
        """What is in a folder, by the name up to the first dot."""
        if folder not in self._names:
            names: dict[str, list[str]] = {}
            for entry in self._entries(folder):
                names.setdefault(entry.name.partition(".")[0], []).append(entry.name)
            self._names[folder] = names
        return self._names[folder]

    # ---------------------------------------------------------------------------------------------------------- folders

    def _code_below(self, folder: Path, depth: int = 0) -> Iterator[Path]:
        for entry in sorted(self._entries(folder), key=lambda entry: entry.name):
            path = folder / entry.name
            try:
                if entry.is_symlink():
                    if disk.is_dir(path) or self._counts(path, "word"):
                        yield path
                elif entry.is_dir():
                    if entry.name not in PRUNED and depth < _MAX_DEPTH:
                        yield from self._code_below(path, depth + 1)
                elif entry.is_file() and _looks_like_code(path, disk.mode_of(path)):
                    yield path
            except OSError:
                continue

    def _entries(self, folder: Path) -> list[os.DirEntry[str]]:
        self._spend(1)
        try:
            found = disk.entries_of(folder)
        except (OSError, ValueError):
            return []
        self._spend(len(found))
        return found

    def _spend(self, lookups: int) -> None:
        self._lookups += lookups
        if self._lookups > MAX_LOOKUPS:
            raise TooMuchError(f"following the hooks' scripts took more than {MAX_LOOKUPS:,} file accesses")


def _looks_like_code(path: Path, mode: int) -> bool:
    """Whether a file can be started, or has a name that scripts and modules have."""
    suffix = path.suffix.lower()
    if suffix in _LANGUAGES or suffix in _BINARY_CODE:
        return True
    return os.name == "posix" and bool(mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH))


def _language(path: Path, content: bytes) -> Language:
    if path.name == "package.json":
        return "package"
    if path.name.lower() in _MAKEFILES:
        return "make"
    if known := _LANGUAGES.get(path.suffix.lower()):
        return known
    first = content.partition(b"\n")[0]
    if first.startswith(b"#!"):
        if b"python" in first:
            return "python"
        if any(name in first for name in (b"node", b"deno", b"bun")):
            return "node"
        if any(name in first for name in (b"ruby", b"perl", b"php", b"lua", b"awk")):
            return "other"
    return "shell"
