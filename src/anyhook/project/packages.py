"""The packages in and around a project: found, each read once, and which of their hooks may run.

An event of a deployed entry needs no more of a project than this: so what recognises entries is imported only for a
hook that may call anyhook.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects.clients import OWN
from anyhook.model.hooks import Action, Command, HookSet, Http
from anyhook.project.package_hooks import PACKAGE_FILE, PackageHooks
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.sources.load import Loader
from anyhook.trust.decide import ProjectTrust, Trust, hooks_in_force
from anyhook.trust.records import KnownHook


class JudgedPackage(Struct, frozen=True, dict=True):
    """The hooks that one client has in a package, entries of anyhook left out, and which of them may run."""

    hooks: HookSet
    trust: Trust
    judge: ProjectTrust

    @property
    def in_force(self) -> HookSet:
        """The hooks, those that may not run with the state *untrusted*."""
        return hooks_in_force(self.hooks, self.trust)

    @cached_property
    def former_guards(self) -> HookSet | None:
        """The guards that were removed or changed without a person's approval: they go on judging."""
        return self.judge.former_guards(self.trust)

    @property
    def missing(self) -> Iterator[KnownHook]:
        """What else was removed or changed without a person's approval."""
        guards = self.former_guards
        judging = {rule.origin for rule in guards.rules} if guards else set()
        root = self.judge.roots.project
        return (hook for hook in self.trust.missing if hook.rule_in(root).origin not in judging)


class Packages:
    """The packages that belong to a project, wherever they are."""

    def __init__(self, roots: Roots, loader: Loader | None = None, started_in: Path | None = None) -> None:
        """``started_in``: the folder of the session, where it may be another than the project's."""
        self.roots, self.loader = roots, loader or Loader()
        self._started_in = started_in
        self._packages: dict[Path, PackageHooks] = {}
        self._above: dict[tuple[Path, str], Path] = {}
        self._trust: dict[Path, ProjectTrust] = {}

    def at(self, folder: Path) -> PackageHooks:
        """The hooks of a package in this very folder, whether there are any or not."""
        if folder not in self._packages:
            self._packages[folder] = PackageHooks(folder, self.loader)
        return self._packages[folder]

    def trust(self, folder: Path) -> ProjectTrust:
        if folder not in self._trust:
            roots = structs.replace(self.roots, project=folder)
            self._trust[folder] = ProjectTrust(roots, self.loader, self._started_in)
        return self._trust[folder]

    def above(self, start: Path, source: str = "") -> Path:
        """The nearest folder, from here upwards, with hooks of this client, by default with hooks of a package.

        A file that cannot be read counts, too: it must not be skipped as if it did not exist.
        """
        key = (start, source)
        if key not in self._above:
            folders = (start, *start.parents)
            self._above[key] = next((folder for folder in folders if self._has_hooks(folder, source)), start)
        return self._above[key]

    def above_of_any_client(self, start: Path) -> PackageHooks | None:
        """The package in the nearest folder, from here upwards, that has a hook file of a package or of any client.

        Above, the files of clients in the home folder are the user's, not those of a package.
        """
        for folder in (start, *start.parents):
            package = self.at(folder)
            if self._has_hooks(folder, "") or ((folder == start or folder != self.roots.home) and package.clients()):
                return package
        return None

    def _has_hooks(self, folder: Path, source: str) -> bool:
        if not source:
            return disk.is_file(folder / PACKAGE_FILE) or self.at(folder).has_own_hooks()
        hooks = self.at(folder).of(source)
        return bool(hooks.rules or hooks.problems)

    def judged(self, folder: Path, source: str | None = None) -> JudgedPackage:
        """The hooks of a package for one client, by default for the one that it is written for."""
        package, judge = self.at(folder), self.trust(folder)
        hooks = without_entries(package.of(source or package.owner() or OWN), self.roots.environment.get("PATH"))
        return JudgedPackage(hooks, judge.judge(hooks, owner=None if source else hooks.dialect), judge)


def without_entries(hooks: HookSet, path: str | None) -> HookSet:
    """The hooks without entries that call anyhook. The modules that recognise these are imported only if needed."""
    if not any(_may_call_anyhook(action) for rule in hooks.rules for action in rule.actions):
        return hooks
    from anyhook.entries.anyhook_entries import without_own_calls

    return without_own_calls(hooks, path)


def _may_call_anyhook(action: Action) -> bool:
    if isinstance(action, Command):
        return any("anyhook" in text for text in action.commands())
    return isinstance(action, Http)
