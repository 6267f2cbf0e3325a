"""Which file of a client gets the entries: the one that it uses already, or else the one that its profile prefers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from anyhook.dialects import NAMES, profile
from anyhook.dialects.places import FileKind, Root, Source, Writing
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.project.project import Project
from anyhook.sources.discover import Found, Roots, anchor
from anyhook.sources.load import Loader


class TargetFile(Struct, frozen=True):
    """A file that entries can be written to, and how its client reads it."""

    client: str
    source: Source
    path: Path
    base: Path
    """The folder that the profile's path starts from; folders below it are created and removed with the file."""

    @property
    def kind(self) -> FileKind:
        return self.source.kind

    @property
    def scope(self) -> Scope:
        return self.source.scope

    @property
    def name(self) -> str:
        """The file's path below the base, which is the same on every machine."""
        return self.path.relative_to(self.base).as_posix()


def writable_clients(scope: Scope) -> tuple[str, ...]:
    """The clients that have a hook file of this scope which entries can be written to."""
    return tuple(name for name in NAMES if any(_is_written(source, scope) for source in profile(name).sources))


def clients_in_use(project: Project, scope: Scope) -> tuple[str, ...]:
    """Those of them that have a hook file of their own in the project, or in the home folder."""
    root = Root.HOME if scope is Scope.USER else Root.PROJECT

    def owns(name: str) -> bool:
        sources = (file.source for file in project.found(name))
        return any(s.root is root and not s.shared and not s.sniffed for s in sources)

    return tuple(filter(owns, writable_clients(scope)))


def target_files(client: str, roots: Roots, scope: Scope) -> tuple[TargetFile, ...]:
    """The files of this scope that can get entries, in the client's order; AnyhookError when there is none."""
    found = tuple(_target_files(client, roots, scope))
    if not found:
        title = profile(client).title
        others = sorted({s.scope for s in profile(client).sources if s.writing is not Writing.NEVER})
        remedy = (
            f"it has one for: {', '.join(others)}"
            if others
            else "choose another one with --client; which there are: anyhook clients"
        )
        raise AnyhookError(f"{title} has no hook file of its own for the scope {scope}\n{remedy}")
    return found


def choose_target(
    client: str, roots: Roots, scope: Scope, has_own_entries: Callable[[TargetFile], bool], loader: Loader
) -> TargetFile:
    """The file that has own entries, or else any hooks, so that none is hidden or doubled; or the preferred one."""
    found = target_files(client, roots, scope)
    preferred = next(target for target in found if target.source.writing is Writing.PREFERRED)
    if not any(target.path.exists() for target in found if target != preferred):
        return preferred
    used = [target for target in found if _has_hooks(loader, target)]
    read = [target for target in used if not target.source.only_first or target is used[0]]
    return next(filter(has_own_entries, read), read[0] if read else preferred)


def files_hidden_by(target: TargetFile, roots: Roots, loader: Loader) -> tuple[Path, ...]:
    """Files whose hooks the client no longer reads once this one exists."""
    if not target.source.only_first:
        return ()
    merges_scopes, order = profile(target.client).merges_scopes, profile(target.client).sources.index(target.source)
    return tuple(
        file.path
        for file in Project(roots, loader=loader).found(target.client)
        if file.source.only_first and file.rank[0] > order and file.path != target.path
        if file.source.scope is target.scope or not merges_scopes
        if loader.load(file).rules
    )


def _target_files(client: str, roots: Roots, scope: Scope) -> Iterator[TargetFile]:
    for source in profile(client).sources:
        if _is_written(source, scope):
            base, name = anchor(source, source.own_file or source.pattern, roots)
            yield TargetFile(client, source, base / name, base)


def _is_written(source: Source, scope: Scope) -> bool:
    return source.scope is scope and source.writing is not Writing.NEVER


def _has_hooks(loader: Loader, target: TargetFile) -> bool:
    found = Found(target.client, target.source, target.path, target.base, (0, 0))
    return target.path.exists() and bool(loader.load(found).rules)
