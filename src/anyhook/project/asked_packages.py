"""Finds whose hooks answer a client's event: those of the organisation, and those of a package if they may run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects.clients import OWN
from anyhook.engine.index import IndexedHooks, index_hooks
from anyhook.model.codes import Severity
from anyhook.model.hooks import Action, Command, FateState, HookFile, HookSet, Rule, Unreadable
from anyhook.model.origin import Origin
from anyhook.model.problems import AnyhookError, describe_bug
from anyhook.project.inventory import hooks_for_project
from anyhook.project.package_hooks import NOWHERE
from anyhook.project.packages import Packages
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.trust.records import TrustStore, hooks_as_known, known_folders, known_hooks
from anyhook.trust.seen_files import name_of


class HookPackage(Struct, frozen=True, dict=True):
    """A folder's hooks, written in one dialect, which is also the dialect by whose rules they run.

    A project has one; an organisation's managed hooks are another. Several packages may be asked about one event.
    """

    hooks: HookSet
    root: Path
    """The folder that the hooks belong to."""
    refusal: str = ""
    """Why some or all of them cannot be asked, such as a broken file; empty: all can."""
    missing: tuple[HookSet, ...] = ()
    """Hooks that were removed or changed without a person's approval: their events answer by the fail mode."""
    words: Mapping[Origin, str] = {}
    """Whose word each hook runs on."""
    until: float | None = None
    """The time from which on the signature may count for something else; None: it never does by itself."""

    @cached_property
    def indexed(self) -> IndexedHooks:
        """The hooks that may run, ready to be matched; no pattern of the others is compiled."""
        rules = tuple(rule for rule in self.hooks.rules if not all(map(_is_untrusted, rule.actions)))
        return index_hooks(structs.replace(self.hooks, rules=rules))

    @cached_property
    def untrusted(self) -> tuple[Rule, ...]:
        """The rules with hooks that may not run, and those alone."""
        found = ((rule, tuple(filter(_is_untrusted, rule.actions))) for rule in self.hooks.rules)
        return tuple(structs.replace(rule, actions=actions) for rule, actions in found if actions)

    @property
    def can_be_asked(self) -> bool:
        """Whether any of them may run. A broken file does not keep the hooks of the others from being asked."""
        return not self.refusal or any(map(_is_in_use, self.hooks.files))

    @property
    def may_be_slow(self) -> bool:
        """Whether matching may take long: patterns are not compiled yet, or some of them backtrack."""
        if not self.can_be_asked:
            return False
        indexed: IndexedHooks | None = self.__dict__.get("indexed")
        return indexed is None or "rules" not in indexed.__dict__ or indexed.rules.backtracks

    @cached_property
    def indexed_missing(self) -> tuple[IndexedHooks, ...]:
        return tuple(index_hooks(hooks) for hooks in self.missing)


def find_packages(
    roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
) -> tuple[HookPackage, ...]:
    """The packages to ask. The organisation's comes first; nothing in a user's or a project's files changes it.

    ``roots.project`` is the client's project; the hooks are those of ``package``, else of the nearest folder above it.
    """
    packages = Packages(roots, started_in=started_in)
    managed = _managed_package(packages)
    try:
        folders = (package,) if package else _folders_to_ask(packages, dialect)
    except disk.OutOfFilesError:
        raise
    except Exception as error:
        upwards = (roots.project, *roots.project.parents)
        own: tuple[HookPackage, ...] = (_failed_package(roots, upwards, dialect, error),)
    else:
        own = tuple(found for folder in folders for found in _packages_of_folder(packages, folder, dialect))
    return own if managed is None else (managed, *own)


def _folders_to_ask(packages: Packages, dialect: str | None) -> tuple[Path, ...]:
    """The nearest folder with hooks, and those whose hooks are known, which no file below them may hide."""
    nearest = packages.above(packages.roots.project, dialect or "")
    return tuple(dict.fromkeys((nearest, *known_folders(packages.roots, dialect))))


def _managed_package(packages: Packages) -> HookPackage | None:
    roots = packages.roots
    hooks = hooks_for_project(OWN, Roots(project=NOWHERE, home=NOWHERE, system=roots.system), packages.loader)
    if not hooks.files:
        return None
    root = Path(hooks.files[0].path).parent
    return HookPackage(hooks, root, _unusable(hooks, root, roots.environment.get("PATH")))


def _packages_of_folder(packages: Packages, root: Path, dialect: str | None) -> tuple[HookPackage, ...]:
    """The hooks of a folder, and the guards that it had: those go on judging until a person approves the change.

    No file in it can keep other packages, such as the organisation's, from being asked.
    """
    try:
        found = packages.judged(root, dialect)
        found.judge.remember(found.trust, owner="" if dialect else found.hooks.dialect)
        refusal = _unusable(found.hooks, root, packages.roots.environment.get("PATH"))
    except disk.OutOfFilesError:
        raise
    except Exception as error:
        return (_failed_package(packages.roots, (root,), dialect, error),)
    guards, missing = found.former_guards, hooks_as_known(found.missing, root)
    if not found.hooks.files and not missing and guards is None:
        refusal = f"there are no hooks in {root}; say where with --package"
    words = {hook.content.action.origin: hook.word for hook in found.trust.hooks if hook.word}
    own = HookPackage(found.in_force, root, refusal, missing, words, found.judge.signatures.until)
    return (own,) if guards is None else (HookPackage(guards, root), own)


def _failed_package(roots: Roots, folders: tuple[Path, ...], dialect: str | None, error: Exception) -> HookPackage:
    """A package that could not be checked. What guards of it were trusted for is blocked, as after a change."""
    why = str(error) if isinstance(error, AnyhookError) else describe_bug(error)
    stores = (TrustStore(structs.replace(roots, project=folder)) for folder in folders)
    known = (hook for store in stores for hook in known_hooks(store, dialect))
    return HookPackage(HookSet(dialect=dialect or OWN), folders[0], why, hooks_as_known(known, folders[0]))


def _unusable(hooks: HookSet, root: Path, path: str | None) -> str:
    """Why a file has no usable hook although it exists: without this, a guard in it would vanish silently.

    The texts of problems quote the file, which may be a stranger's; the place and the code do not.
    """
    for file in hooks.files:
        error = next((found for found in file.problems if found.severity is Severity.ERROR), None)
        if error is not None and not _is_in_use(file) and not _is_for_another_client(file, path):
            place = name_of(Path(error.origin.file), root)
            return (
                f"{place}:{error.origin.line}: no hook of this file can run ({error.code}); see: anyhook check {root}"
            )
    return ""


def _is_for_another_client(file: HookFile, path: str | None) -> bool:
    """Whether a file has entries alone that anyhook wrote for another client, in a form that this one drops."""
    texts = [action.text if isinstance(action, Unreadable) else "" for rule in file.rules for action in rule.actions]
    if not texts or not all("anyhook" in text for text in texts):
        return False
    from anyhook.entries.anyhook_entries import is_own_call

    return all(is_own_call(Command(command=text), path) for text in texts)


def _is_untrusted(action: Action) -> bool:
    return action.fate.state is FateState.UNTRUSTED


def _is_in_use(file: HookFile) -> bool:
    return any(action.fate.state is not FateState.DROPPED for rule in file.rules for action in rule.actions)
