"""A project: every hook file in and around a folder, read once, and what becomes of each hook in each client."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from msgspec import structs

from anyhook.dialects import NAMES
from anyhook.dialects.clients import OWN
from anyhook.model.problems import Problem
from anyhook.model.wording import join_and
from anyhook.project.hook import ResolvedHook, WrittenHook, readings_of, written_in
from anyhook.project.inventory import clients_of, hooks_of_file, owners_in, started_client
from anyhook.project.package_hooks import PackageHooks
from anyhook.project.packages import Packages
from anyhook.project.resolve import ProjectClient, Resolver
from anyhook.sources.discover import (
    Found,
    Roots,
    Survey,
    find_below,
    find_for_project,
    find_in_package,
    roots_for,
    wrong_kinds,
)
from anyhook.sources.load import Loader


class Project:
    """The hooks of a folder, of the projects below it, of the package around it, and of the home folder.

    What no caller asks for is not worked out: a command that reads files only resolves no hook.
    """

    def __init__(self, roots: Roots, clients: Iterable[str] = (), loader: Loader | None = None) -> None:
        """``clients``: only these, whether a file here is their own or not; none: every client."""
        self.roots = roots
        self.loader = loader or Loader()
        self.chosen = tuple(clients)
        self.packages = Packages(roots, self.loader)
        """The packages that belong to the project, and which of their hooks may run."""
        self._resolver = Resolver(self.packages)
        self._started: dict[str, ProjectClient] = {}

    @classmethod
    def open(cls, path: Path | str, *, home: Path | str | None = None) -> Project:
        """The project in a folder, on this machine or with another home folder."""
        return cls(roots_for(Path(path), None if home is None else Path(home)))

    @property
    def folder(self) -> Path:
        return self.roots.project

    @cached_property
    def package(self) -> PackageHooks:
        """The hooks of the nearest folder from here upwards that has hooks of a package."""
        return self.packages.at(self.packages.above(self.folder))

    @property
    def own_package(self) -> PackageHooks:
        """The hooks of a package in the folder itself, whether there are any or not."""
        return self.packages.at(self.folder)

    def around(self, source: str | None = None) -> Project:
        """The project in the nearest folder from here upwards that has hooks of a package, or hooks of this client."""
        folder = self.packages.above(self.folder, source or "")
        here = folder == self.folder
        return self if here else Project(structs.replace(self.roots, project=folder), self.chosen, self.loader)

    @cached_property
    def survey(self) -> Survey:
        """What was searched, and every file that was found."""
        names = self.chosen or NAMES
        survey = find_below(self.roots, names)
        above = find_in_package(self.package.root, names) if self.package.root != self.folder else ()
        return structs.replace(survey, files=(*survey.files, *above))

    def found(self, name: str) -> tuple[Found, ...]:
        """The files that a client finds when it is started in the folder itself; none of them is read."""
        return find_for_project(name, self.roots)

    @cached_property
    def wrong_kinds(self) -> tuple[Problem, ...]:
        """Files in place of folders that clients read, and folders in place of files."""
        return wrong_kinds(self.folder, self.chosen or NAMES)

    @cached_property
    def readers(self) -> tuple[ProjectClient, ...]:
        """Every client that reads a file with hooks here, in each folder."""
        # With one client named, show how that client reads the file, whichever client it was written for.
        found = clients_of(self.survey.files, self.loader, as_written=len(self.chosen) != 1)
        return tuple(map(self._resolver.client, found))

    def readers_of(self, file: Path) -> tuple[ProjectClient, ...]:
        """One file, wherever it is, as the clients read it that were asked for; none: all that would find it there."""
        read = (each for name in self.chosen or (None,) for each in hooks_of_file(file, name, self.loader))
        return tuple(map(self._resolver.client, read))

    @cached_property
    def clients(self) -> tuple[ProjectClient, ...]:
        """The readers that a file here is for: those with one of their own, or those that were asked for."""
        return self.readers if self.chosen else tuple(reader for reader in self.readers if reader.owns_a_file)

    @cached_property
    def hooks(self) -> tuple[ResolvedHook, ...]:
        """Every hook of each of these clients."""
        return tuple(hook for client in self.clients for hook in client.hooks)

    @cached_property
    def written(self) -> tuple[WrittenHook, ...]:
        """Every hook once, however many clients have it; entries of anyhook are none, what they ask is."""
        return written_in(readings_of(self.hooks))

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What was found while the files were read; the linter finds more."""
        return (*(found for client in self.clients for found in client.problems), *self.wrong_kinds)

    @cached_property
    def unread(self) -> tuple[str, ...]:
        """The files of the package that cannot be parsed: where and why, and which guards judge in their place."""
        if (owner := self.package.owner()) is None:
            return ()
        broken = [found for found in self.package.of(owner).problems if found.code == "F001"]
        if not broken:
            return ()
        former = self.packages.judged(self.package.root).former_guards
        names = [action.name or action.summary() for rule in former.rules for action in rule.actions] if former else []
        instead = f"these go on judging as they were: {join_and(names)}" if names else "none of its hooks runs"
        return tuple(
            f"{found.origin.file}:{found.origin.line}: {found.text}. Until that is corrected, {instead}."
            for found in broken
        )

    def started(self, name: str) -> ProjectClient:
        """A client, or one of its releases, that is started in the folder itself: without what is in folders below.

        A package is also found from the folders below it, as when it is deployed.
        """
        if name not in self._started:
            folder = self.package.root if name == OWN else self.folder
            roots = structs.replace(self.roots, project=folder)
            self._started[name] = self._resolver.client(started_client(name, roots, self.loader))
        return self._started[name]

    @cached_property
    def started_here(self) -> tuple[str, ...]:
        """The clients with a file of their own in the folder itself or the home folder, and who reads the package."""
        here = {*self.owners, self.package.owner()}
        return tuple(name for name in NAMES if name in here)

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """The clients with a file of their own in the folder itself or the home folder."""
        return owners_in(self.roots, self.loader)
