"""The hooks of one client as its files have them: in a project folder, or in one file."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from msgspec import Struct

from anyhook.dialects import NAMES
from anyhook.dialects.places import FileKind
from anyhook.model.hooks import HookFile, HookSet
from anyhook.sources.discover import Found, Roots, find_for_project
from anyhook.sources.load import Loader
from anyhook.sources.merge import merge
from anyhook.sources.recognise import readers_of, without_other_formats


class ClientHooks(Struct, frozen=True):
    """The hooks of one client for one project folder."""

    base: Path
    hooks: HookSet
    found: tuple[Found, ...]

    @property
    def dialect(self) -> str:
        return self.hooks.dialect

    @property
    def owns_a_file(self) -> bool:
        """Whether a file here is this client's own, not another client's that it also reads."""
        return any(not file.source.shared for file in self.found)


def clients_of(found: Iterable[Found], loader: Loader, *, as_written: bool = True) -> tuple[ClientHooks, ...]:
    """The hooks of each client in each folder, of files in the order of clients and folders.

    ``as_written``: without the files that their content shows to be another client's.
    """
    files = tuple(found)
    groups = groupby(
        without_other_formats(files, loader) if as_written else files, key=lambda file: (file.dialect, file.base)
    )
    clients = (_client_hooks(loader, base, tuple(group)) for (_, base), group in groups)
    return tuple(client for client in clients if client.hooks.rules or client.hooks.problems)


def owners_in(roots: Roots, loader: Loader) -> tuple[str, ...]:
    """The clients that have a hook file of their own for the project folder."""
    found = tuple(file for name in NAMES for file in find_for_project(name, roots))
    owned = {file.dialect for file in without_other_formats(found, loader) if not file.source.shared}
    return tuple(name for name in NAMES if name in owned)


def hooks_for_project(name: str, roots: Roots, loader: Loader | None = None) -> HookSet:
    """The hooks that one client has when it is started in the project folder."""
    return started_client(name, roots, loader or Loader()).hooks


def started_client(name: str, roots: Roots, loader: Loader) -> ClientHooks:
    """One client as it is when it is started in the project folder."""
    return _client_hooks(loader, roots.project, find_for_project(name, roots), name)


def hooks_of_file(path: Path, name: str | None, loader: Loader) -> tuple[ClientHooks, ...]:
    """One file as the named client reads it, or as every client that would find it there, best guess first."""
    return tuple(_client_hooks(loader, file.base, (file,)) for file in readers_of(path, loader, name))


def _client_hooks(loader: Loader, base: Path, found: tuple[Found, ...], name: str = "") -> ClientHooks:
    files: list[HookFile] = []
    origins: list[Found] = []
    for file in found:
        loaded = [loader.load(file)]
        if file.source.kind is FileKind.MANIFEST:
            loaded += loader.load_manifest_targets(file)
        files += loaded
        origins += [file] * len(loaded)
    return ClientHooks(base, merge(name or found[0].dialect, files, origins), found)
