"""Whose hooks answer a client's event: those of the organisation, and those of a package if they may run."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from anyhook.deploy.own_calls import without_own_calls
from anyhook.model.hooks import HookFile, HookSet, State
from anyhook.model.problems import Severity
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import NOWHERE, UNIVERSAL, PackageHooks, find_hooks_above
from anyhook.sources.trust import check_trust


class Side(Struct, frozen=True):
    """Hooks that are asked together, under the rules of one dialect."""

    hooks: HookSet
    root: Path
    """The folder that the hooks belong to."""
    refusal: str = ""
    """Why they cannot be asked; empty: they can."""
    distrust: str = ""
    """Why none of them may run; empty: they may. An event that none of them is for does not need that."""


def find_sides(
    roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path, loader: Loader | None = None
) -> tuple[Side, ...]:
    """The hooks to ask, the organisation's first: nothing that a user or a project does has a say in those.

    ``roots.project`` is the client's project; the hooks are those of ``package``, else of the nearest folder above it.
    """
    loader = loader or Loader()
    managed = _managed_side(roots, loader)
    root = package or find_hooks_above(roots.project, dialect, loader)
    own = _package_side(roots, PackageHooks(root, loader), dialect, started_in)
    return (own,) if managed is None else (managed, own)


def _managed_side(roots: Roots, loader: Loader) -> Side | None:
    hooks = hooks_for_project(UNIVERSAL, Roots(project=NOWHERE, home=NOWHERE, system=roots.system), loader)
    if not hooks.files:
        return None
    return Side(hooks, Path(hooks.files[0].path).parent, _unusable(hooks))


def _package_side(roots: Roots, package: PackageHooks, dialect: str | None, started_in: Path) -> Side:
    root = package.root
    hooks = without_own_calls(package.of(dialect or package.owner() or UNIVERSAL))
    if not hooks.files:
        return Side(hooks, root, f"there are no hooks in {root}; say where with --package")
    if why := _unusable(hooks):
        return Side(hooks, root, why)
    own = Roots(project=root, home=roots.home, system=roots.system, environment=roots.environment)
    return Side(hooks, root, distrust=check_trust(own, (hooks,), started_in=started_in).reason)


def _unusable(hooks: HookSet) -> str:
    """Why a file says nothing at all, though there is one: a guard in it would be gone without a word."""
    for file in hooks.files:
        error = next((found for found in file.problems if found.severity is Severity.ERROR), None)
        if error is not None and not _is_in_use(file):
            return f"{error.origin.file}:{error.origin.line}: {error.text}; see: anyhook check"
    return ""


def _is_in_use(file: HookFile) -> bool:
    return any(action.fate.state is not State.DROPPED for rule in file.rules for action in rule.actions)
