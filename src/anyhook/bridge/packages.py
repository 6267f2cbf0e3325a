"""Finds whose hooks answer a client's event: those of the organisation, and those of a package if they may run."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from msgspec import Struct

from anyhook.dialects.clients import OWN
from anyhook.engine.index import IndexedHooks, index_hooks
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Command, FateState, HookFile, HookSet, Http, Unreadable
from anyhook.model.problems import AnyhookError, describe_bug
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import NOWHERE, PackageHooks, find_hooks_above
from anyhook.trust.changes import trusted_rules
from anyhook.trust.decide import check_trust
from anyhook.trust.records import is_known, read_record


class HookPackage(Struct, frozen=True, dict=True):
    """A folder's hooks, written in one dialect, which is also the dialect by whose rules they run.

    A project has one; an organisation's managed hooks are another. Several packages may be asked about one event.
    """

    hooks: HookSet
    root: Path
    """The folder that the hooks belong to."""
    refusal: str = ""
    """Why some or all of them cannot be asked, such as a broken file; empty: all can."""
    distrust: str = ""
    """Why none of them may run; empty: they may. Events that none of them matches are not affected."""
    trusted: tuple[HookSet, ...] = ()
    """The events and matchers that were trusted, if they have changed since: those events are affected, too."""

    @cached_property
    def indexed(self) -> IndexedHooks:
        return index_hooks(self.hooks)

    @property
    def can_be_asked(self) -> bool:
        """Whether any of them may run. A broken file does not keep the hooks of the others from being asked."""
        return not self.distrust and (not self.refusal or any(map(_is_in_use, self.hooks.files)))

    @property
    def may_be_slow(self) -> bool:
        """Whether matching may take long: patterns are not compiled yet, or some of them backtrack."""
        if not self.can_be_asked:
            return False
        indexed: IndexedHooks | None = self.__dict__.get("indexed")
        return indexed is None or "rules" not in indexed.__dict__ or indexed.rules.backtracks

    @cached_property
    def indexed_trusted(self) -> tuple[IndexedHooks, ...]:
        return tuple(index_hooks(hooks) for hooks in self.trusted)


def find_packages(
    roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
) -> tuple[HookPackage, ...]:
    """The packages to ask. The organisation's comes first; nothing in a user's or a project's files changes it.

    ``roots.project`` is the client's project; the hooks are those of ``package``, else of the nearest folder above it.
    """
    loader = Loader()
    managed = _managed_package(roots, loader)
    try:
        folders = (package,) if package else _folders_to_ask(roots, dialect, loader)
    except Exception as error:
        own: tuple[HookPackage, ...] = (
            _failed_package(roots, (roots.project, *roots.project.parents), dialect, error),
        )
    else:
        own = tuple(_package_of_folder(roots, PackageHooks(root, loader), dialect, started_in) for root in folders)
    return own if managed is None else (managed, *own)


def _folders_to_ask(roots: Roots, dialect: str | None, loader: Loader) -> tuple[Path, ...]:
    """The nearest folder with hooks, and the nearest whose hooks were trusted, which no file below it may hide."""
    nearest = find_hooks_above(roots.project, dialect, loader)
    above = (roots.project, *roots.project.parents)
    trusted = next((folder for folder in above if is_known(_roots_of(folder, roots), dialect)), nearest)
    if trusted in nearest.parents:
        return (nearest, trusted)
    return (trusted,)


def _roots_of(folder: Path, roots: Roots) -> Roots:
    return Roots(project=folder, home=roots.home, system=roots.system, environment=roots.environment)


def _managed_package(roots: Roots, loader: Loader) -> HookPackage | None:
    hooks = hooks_for_project(OWN, Roots(project=NOWHERE, home=NOWHERE, system=roots.system), loader)
    if not hooks.files:
        return None
    return HookPackage(hooks, Path(hooks.files[0].path).parent, _unusable(hooks, roots.environment.get("PATH")))


def _package_of_folder(roots: Roots, package: PackageHooks, dialect: str | None, started_in: Path) -> HookPackage:
    """The package of a folder. No file in it can keep other packages, such as the organisation's, from being asked."""
    try:
        return _checked_package(roots, package, dialect, started_in)
    except Exception as error:
        return _failed_package(roots, (package.root,), dialect, error)


def _failed_package(roots: Roots, folders: tuple[Path, ...], dialect: str | None, error: Exception) -> HookPackage:
    """A package that could not be checked. What guards of it were trusted for is blocked, as after a change."""
    why = str(error) if isinstance(error, AnyhookError) else describe_bug(error)
    records = (read_record(_roots_of(folder, roots)) for folder in folders)
    record = next((found for found in records if found is not None and not found.is_revoked), None)
    hooks, root = HookSet(dialect=dialect or OWN), folders[0]
    if record is None:
        return HookPackage(hooks, root, why)
    clients = {group.client for group in record.fingerprint.groups} if dialect is None else {dialect}
    return HookPackage(hooks, root, distrust=why, trusted=trusted_rules(record.fingerprint, clients))


def _checked_package(roots: Roots, package: PackageHooks, dialect: str | None, started_in: Path) -> HookPackage:
    root = package.root
    hooks = _without_own_calls(package.of(dialect or package.owner() or OWN), roots.environment.get("PATH"))
    owner = None if dialect else hooks.dialect
    trust = check_trust(_roots_of(root, roots), (hooks,), started_in=started_in, owner=owner, only_decides=True)
    if trust.trusted:  # before anything else: a guard that was trusted is not gone because its file is
        return HookPackage(hooks, root, distrust=trust.reason, trusted=trust.trusted)
    if not hooks.files:
        return HookPackage(hooks, root, f"there are no hooks in {root}; say where with --package")
    return HookPackage(hooks, root, _unusable(hooks, roots.environment.get("PATH")), distrust=trust.reason)


def _without_own_calls(hooks: HookSet, path: str | None) -> HookSet:
    """The hooks without entries that call anyhook. The modules that recognise these are imported only if needed."""
    if not any(_may_call_anyhook(action) for rule in hooks.rules for action in rule.actions):
        return hooks
    from anyhook.bridge.entries.anyhook_entries import without_own_calls

    return without_own_calls(hooks, path)


def _may_call_anyhook(action: Action) -> bool:
    if isinstance(action, Command):
        return any("anyhook" in text for text in action.commands())
    return isinstance(action, Http)


def _unusable(hooks: HookSet, path: str | None) -> str:
    """Why a file has no usable hook although it exists: without this, a guard in it would vanish silently."""
    for file in hooks.files:
        error = next((found for found in file.problems if found.severity is Severity.ERROR), None)
        if error is not None and not _is_in_use(file) and not _is_for_another_client(file, path):
            return f"{error.origin.file}:{error.origin.line}: {error.text}; see: anyhook check"
    return ""


def _is_for_another_client(file: HookFile, path: str | None) -> bool:
    """Whether a file has entries alone that anyhook wrote for another client, in a form that this one drops."""
    texts = [action.text if isinstance(action, Unreadable) else "" for rule in file.rules for action in rule.actions]
    if not texts or not all("anyhook" in text for text in texts):
        return False
    from anyhook.bridge.entries.anyhook_entries import is_own_call

    return all(is_own_call(Command(command=text), path) for text in texts)


def _is_in_use(file: HookFile) -> bool:
    return any(action.fate.state is not FateState.DROPPED for rule in file.rules for action in rule.actions)
