"""The files in which a client's new hook can be written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from msgspec import Struct

from anyhook.deploy.target_files import TargetFile
from anyhook.dialects import profile
from anyhook.dialects.places import FileKind, Root, Source, Writing
from anyhook.model.document import Format
from anyhook.model.origin import Scope
from anyhook.project.project import Project
from anyhook.sources.discover import Found, Roots, anchor
from anyhook.sources.load import Loader

_SCOPES = (Scope.PROJECT, Scope.LOCAL, Scope.USER)
_KINDS = (FileKind.HOOKS, FileKind.SETTINGS, FileKind.TOML)


class HookFileChoice(Struct, frozen=True):
    target: TargetFile
    exists: bool
    has_hooks: bool


def hook_file_choices(client: str, roots: Roots) -> tuple[HookFileChoice, ...]:
    """Those with hooks first, then those that deploy would make, the project's before the user's."""
    project = Project(roots)
    found = project.found(client)
    rules = {file.path: bool(project.loader.load(file).rules) for file in found}
    targets: dict[str, TargetFile] = {}
    for target in (*_found(found, rules), *_fixed(client, roots)):
        targets.setdefault(str(target.path), target)
    choices = (HookFileChoice(each, each.path.exists(), rules.get(each.path, False)) for each in targets.values())
    return tuple(sorted(choices, key=lambda one: (_SCOPES.index(one.target.scope), not one.has_hooks)))


def new_file_patterns(client: str, roots: Roots) -> tuple[Path, ...]:
    """Patterns whose last part names the files that the client reads in a folder: a new one may have any such name."""
    return tuple(pattern for _, pattern in _new_files(client, roots))


def hook_file_at(client: str, path: Path, roots: Roots) -> TargetFile | None:
    """The file as one that a hook can be written to; None: the client reads no hooks there."""
    for choice in hook_file_choices(client, roots):
        if choice.target.path == path:
            return choice.target
    return next((new.target(path) for new, pattern in _new_files(client, roots) if is_named_by(path, pattern)), None)


def is_named_by(path: Path, pattern: Path) -> bool:
    return path.parent == pattern.parent and fnmatch(path.name, pattern.name)


class _NewFile(Struct, frozen=True):
    client: str
    source: Source
    base: Path

    def target(self, path: Path) -> TargetFile:
        return TargetFile(self.client, self.source, path, self.base)


def _new_files(client: str, roots: Roots) -> Iterator[tuple[_NewFile, Path]]:
    for source in profile(client).sources:
        base, pattern = anchor(source, source.pattern, roots)
        folder, _, name = pattern.rpartition("/")
        if source.writing is Writing.PREFERRED and "*" in name and "*" not in folder:
            yield _NewFile(client, source, base), base / pattern


def _found(files: Iterable[Found], rules: dict[Path, bool]) -> Iterator[TargetFile]:
    """Files with hooks that the client reads already."""
    for found in files:
        if (
            rules[found.path]
            and _is_written(found.source)
            and Loader.format_of(found.path) in (Format.JSON, Format.TOML)
        ):
            yield TargetFile(found.dialect, found.source, found.path, found.base)


def _fixed(client: str, roots: Roots) -> Iterator[TargetFile]:
    """Files that may be made: those that deploy makes, those of the user for this project alone, and the package's."""
    for source in profile(client).sources:
        is_package = source.sniffed and source.root is Root.PROJECT
        name = source.own_file or source.pattern
        base, path = anchor(source, name, roots)
        if source.writing is Writing.PREFERRED or (
            (is_package or source.scope is Scope.LOCAL)
            and _is_written(source)
            and not any(char in name for char in "*[?")
            and Loader.format_of(base / path) is Format.JSON
        ):
            yield TargetFile(client, source, base / path, base)


def _is_written(source: Source) -> bool:
    return (
        source.scope in _SCOPES and source.kind in _KINDS and not (source.shared or source.written_in or source.ignored)
    )
