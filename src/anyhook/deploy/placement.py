"""Which file of a client gets our entries: the one it uses already, or else the one that its profile prefers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.places import FileKind, Source, Writing
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources.discover import Found, Roots, anchor, find_for_project
from anyhook.sources.load import Loader


class Placement(Struct, frozen=True):
    """A file that entries can be put into, and how its client reads it."""

    client: str
    source: Source
    path: Path
    base: Path
    """The folder that the profile's path starts from; folders below it are made and removed with the file."""

    @property
    def kind(self) -> FileKind:
        return self.source.kind

    @property
    def scope(self) -> Scope:
        return self.source.scope

    @property
    def name(self) -> str:
        """The file as people know it and as it is called on every machine."""
        return self.path.relative_to(self.base).as_posix()


def placements(client: str, roots: Roots, scope: Scope) -> tuple[Placement, ...]:
    """Every file of this scope that entries may be put into, in the client's order; AnyhookError when there is none."""
    found = tuple(_placements(client, roots, scope))
    if not found:
        title = profile(client).title
        others = sorted({s.scope for s in profile(client).sources if s.writing is not Writing.NEVER})
        remedy = f"it has one for: {', '.join(others)}" if others else "convert the hooks to the client that you use"
        raise AnyhookError(f"{title} has no hook file of its own for the scope {scope}\n{remedy}")
    return found


def choose(client: str, roots: Roots, scope: Scope, holds_ours: Callable[[Placement], bool]) -> Placement:
    """The file with entries of ours, or any hooks, so that none is hidden or doubled; or else the preferred one."""
    found = placements(client, roots, scope)
    preferred = next(place for place in found if place.source.writing is Writing.PREFERRED)
    if not any(place.path.exists() for place in found if place != preferred):
        return preferred
    loader = Loader()
    used = [place for place in found if _holds_hooks(loader, place)]
    read = [place for place in used if not place.source.only_first or place is used[0]]
    return next(filter(holds_ours, read), read[0] if read else preferred)


def hidden_by(place: Placement, roots: Roots) -> tuple[Path, ...]:
    """Files whose hooks the client no longer reads once there is one at this place."""
    if not place.source.only_first:
        return ()
    merges_scopes, order = profile(place.client).merges_scopes, profile(place.client).sources.index(place.source)
    loader = Loader()
    return tuple(
        file.path
        for file in find_for_project(place.client, roots)
        if file.source.only_first and file.rank[0] > order and file.path != place.path
        if file.source.scope is place.scope or not merges_scopes
        if loader.load(file).rules
    )


def _placements(client: str, roots: Roots, scope: Scope) -> Iterator[Placement]:
    for source in profile(client).sources:
        if source.scope is scope and source.writing is not Writing.NEVER:
            base, name = anchor(source, source.own_file or source.pattern, roots)
            yield Placement(client, source, base / name, base)


def _holds_hooks(loader: Loader, place: Placement) -> bool:
    found = Found(place.client, place.source, place.path, place.base, (0, 0))
    return place.path.exists() and bool(loader.load(found).rules)
