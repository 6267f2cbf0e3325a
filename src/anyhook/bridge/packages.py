"""Whose hooks answer a client's event: those of the organisation, and those of a package if they may run."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import profile
from anyhook.engine.index import IndexedHooks, index_hooks
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Command, FateState, HookFile, HookSet, Http
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import NOWHERE, UNIVERSAL, PackageHooks, find_hooks_above
from anyhook.trust.records import check_trust


class HookPackage(Struct, frozen=True, dict=True):
    """Hooks that are asked together, under the rules of one dialect."""

    hooks: HookSet
    root: Path
    """The folder that the hooks belong to."""
    refusal: str = ""
    """Why they cannot be asked; empty: they can."""
    distrust: str = ""
    """Why none of them may run; empty: they may. An event that none of them is for does not need that."""

    @cached_property
    def indexed(self) -> IndexedHooks:
        return index_hooks(self.hooks)

    @cached_property
    def in_foreground(self) -> IndexedHooks:
        """The hooks that are waited for."""
        return index_hooks(self._only(is_async=False))

    @cached_property
    def in_background(self) -> IndexedHooks:
        """The others, where the dialect has such; they are then hooks like all others."""
        return index_hooks(self._only(is_async=True))

    def _only(self, *, is_async: bool) -> HookSet:
        honours = profile(self.hooks.dialect).execution.honours_async
        rules = [
            structs.replace(
                rule, actions=tuple(_waited_for(a) for a in rule.actions if (honours and a.is_async) is is_async)
            )
            for rule in self.hooks.rules
        ]
        return structs.replace(self.hooks, rules=tuple(rule for rule in rules if rule.actions))


def _waited_for(action: Action) -> Action:
    return structs.replace(action, is_async=False) if action.is_async else action


def find_packages(
    roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
) -> tuple[HookPackage, ...]:
    """The hooks to ask, the organisation's first: nothing that a user or a project does has a say in those.

    ``roots.project`` is the client's project; the hooks are those of ``package``, else of the nearest folder above it.
    """
    loader = Loader()
    managed = _managed_side(roots, loader)
    root = package or find_hooks_above(roots.project, dialect, loader)
    own = _package_side(roots, PackageHooks(root, loader), dialect, started_in)
    return (own,) if managed is None else (managed, own)


def _managed_side(roots: Roots, loader: Loader) -> HookPackage | None:
    hooks = hooks_for_project(UNIVERSAL, Roots(project=NOWHERE, home=NOWHERE, system=roots.system), loader)
    if not hooks.files:
        return None
    return HookPackage(hooks, Path(hooks.files[0].path).parent, _unusable(hooks))


def _package_side(roots: Roots, package: PackageHooks, dialect: str | None, started_in: Path) -> HookPackage:
    root = package.root
    hooks = _without_own_calls(package.of(dialect or package.owner() or UNIVERSAL), roots.environment.get("PATH"))
    if not hooks.files:
        return HookPackage(hooks, root, f"there are no hooks in {root}; say where with --package")
    if why := _unusable(hooks):
        return HookPackage(hooks, root, why)
    own = Roots(project=root, home=roots.home, system=roots.system, environment=roots.environment)
    return HookPackage(hooks, root, distrust=check_trust(own, (hooks,), started_in=started_in).reason)


def _without_own_calls(hooks: HookSet, path: str | None) -> HookSet:
    """The hooks without the entries that call anyhook; to tell them needs modules that nobody else here does."""
    if not any(_may_be_ours(action) for rule in hooks.rules for action in rule.actions):
        return hooks
    from anyhook.bridge.entries.anyhook_entries import without_own_calls

    return without_own_calls(hooks, path)


def _may_be_ours(action: Action) -> bool:
    if isinstance(action, Command):
        return any("anyhook" in text for text in action.commands())
    return isinstance(action, Http)


def _unusable(hooks: HookSet) -> str:
    """Why a file says nothing at all, though there is one: a guard in it would be gone without a word."""
    for file in hooks.files:
        error = next((found for found in file.problems if found.severity is Severity.ERROR), None)
        if error is not None and not _is_in_use(file):
            return f"{error.origin.file}:{error.origin.line}: {error.text}; see: anyhook check"
    return ""


def _is_in_use(file: HookFile) -> bool:
    return any(action.fate.state is not FateState.DROPPED for rule in file.rules for action in rule.actions)
