"""Puts entries into the hook file of a client and takes them out again; nothing else in the file changes.

    change = plan_install("codex", rules, roots, Scope.PROJECT, owner)   # reads, writes nothing
    change.file                                                          # for --dry-run and --check
    apply(change)                                                        # lock, read again, replace in one step
    for change in plan_removal("codex", roots, Scope.PROJECT, owner):
        apply(change)

anyhook knows its entries by their content or, where that does not identify them, by a ledger. It updates them in their
place; a second install changes nothing. A removal restores the original file byte for byte if nothing else changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, structs

from anyhook.deploy.file_entries import (
    OwnEntries,
    apply_changes,
    find_own_entries,
    is_empty_hook_file,
    match_entries,
    read_hook_file,
    refuse_unless_loaded,
    required_entries,
    rules_of,
)
from anyhook.deploy.ledger import (
    OriginalFile,
    entry_hash,
    folders_made_for_neighbours,
    forget,
    ledger_path,
    read_ledger,
    recall,
    record_entries,
    remember,
)
from anyhook.deploy.target_files import TargetFile, choose_target, files_hidden_by, target_files
from anyhook.model.hooks import Action, Rule
from anyhook.model.origin import Scope
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import (
    FileChange,
    missing_folders,
    read_content,
    refuse_elsewhere,
    refuse_unwritable,
    write,
)
from anyhook.sources.editing.file_lock import locked
from anyhook.sources.editing.replace_file import refuse_links
from anyhook.sources.load import Loader


class Owner(Struct, frozen=True):
    """The part of anyhook that owns entries. The entries of one owner are updated and removed together."""

    name: str
    """Such as "record", "bridge" or "native"."""
    recognises: Callable[[Action], bool] | None = None
    """Whether a hook belongs to this owner, by its content alone. None: only the ledger knows."""


class InstallRequest(Struct, frozen=True):
    """What an install or a removal was asked to do, so that it can be planned again."""

    client: str
    rules: tuple[Rule, ...]
    roots: Roots
    scope: Scope
    owner: Owner


class EntryChange(Struct, frozen=True):
    """What is to be done to the entries in one file of a client."""

    request: InstallRequest
    target: TargetFile
    file: FileChange
    """It is removed where it held nothing but the owner's entries."""
    added: tuple[Rule, ...] = ()
    updated: tuple[Rule, ...] = ()
    """As they will be."""
    removed: tuple[Rule, ...] = ()
    kept: tuple[Rule, ...] = ()
    hides: tuple[Path, ...] = ()
    """Files whose hooks the client no longer reads once this one exists."""
    entry_hashes: frozenset[str] = frozenset()
    """The hashes under which the ledger keeps the owner's entries."""


def plan_install(
    client: str, rules: Sequence[Rule], roots: Roots, scope: Scope, owner: Owner, loader: Loader | None = None
) -> EntryChange:
    """What must change so that the client has exactly these rules of the owner: none twice, none left over.

    ``rules`` are in the client's own terms: its names of events and tools, its types of hooks. ``scope`` is PROJECT or
    USER. AnyhookError: the client has no file for this scope, or the file cannot be read or parsed, or the client would
    not load the entries from it; the message names file, line and remedy.
    """
    request, loader = InstallRequest(client, tuple(rules), roots, scope, owner), loader or Loader()
    target = choose_target(client, roots, scope, lambda target: bool(_own_entries(request, target, loader)), loader)
    return _plan(request, target, loader)


def plan_removal(
    client: str, roots: Roots, scope: Scope, owner: Owner, loader: Loader | None = None
) -> tuple[EntryChange, ...]:
    """What must change so that no entry of the owner is left in any file of the scope; empty: nothing must."""
    request, loader = InstallRequest(client, (), roots, scope, owner), loader or Loader()
    plans = (_plan(request, target, loader) for target in target_files(client, roots, scope))
    return tuple(change for change in plans if change.file.is_needed)


def find_installed(
    client: str, roots: Roots, scope: Scope, owner: Owner, loader: Loader
) -> Iterator[tuple[TargetFile, tuple[Rule, ...]]]:
    """The files of the scope that have entries of the owner, each with the rules that are its alone."""
    request = InstallRequest(client, (), roots, scope, owner)
    for target in target_files(client, roots, scope):
        if own := _own_entries(request, target, loader):
            yield target, tuple(entry.rule for entry in own.whole)


def apply(change: EntryChange) -> EntryChange:
    """Change the file and return what was done; under the lock the change is planned again if the file has changed."""
    with locked(change.file.written_path):
        if read_content(change.file.path) != change.file.before:
            change = _plan(change.request, change.target, Loader())
        if change.file.is_needed:
            refuse_unwritable(change.file)
            _write(change)
    return change


# ------------------------------------------------------------------------------------------------------------- planning


def _plan(request: InstallRequest, target: TargetFile, loader: Loader) -> EntryChange:
    change = _planned(request, target, loader)
    if change.file.is_needed:
        refuse_elsewhere(change.file)
        if target.scope is Scope.PROJECT and request.owner.recognises is None:  # before anything is written
            refuse_links(request.roots.project, ledger_path(target, request.roots.project))
    return change


def _planned(request: InstallRequest, target: TargetFile, loader: Loader) -> EntryChange:
    before = loader.content(target.path)
    current = read_hook_file(target, loader)
    if current is None and not request.rules:
        return EntryChange(request, target, _file_change(request, target, before, before))
    required = required_entries(target, request.rules, current)
    own = _own_entries(request, target, loader)
    plan = match_entries(current, own, required)
    result = apply_changes(plan, current, required, target)
    refuse_unless_loaded(result, required, current)
    after: bytes | None = result.document.text.encode()
    if not request.rules and after != before:
        original = recall(target.path.resolve(), before)
        if original is not None and original.owners == {request.owner.name}:
            after = original.content
        elif is_empty_hook_file(result) and not target.path.is_symlink():
            after = None
    updated = [(entry.list_pointer, value) for entry, value in plan.updated]
    kept = [(entry.list_pointer, entry.value) for entry in plan.kept if entry in own.whole]
    return EntryChange(
        request=request,
        target=target,
        file=_file_change(request, target, before, after),
        added=rules_of(result, plan.added),
        updated=rules_of(result, updated),
        removed=tuple(entry.rule for entry in plan.removed),
        kept=tuple(entry.rule for entry in plan.kept),
        hides=files_hidden_by(target, request.roots, loader) if before is None else (),
        entry_hashes=frozenset(entry_hash(*entry) for entry in (*plan.added, *updated, *kept)),
    )


def _file_change(request: InstallRequest, target: TargetFile, before: bytes | None, after: bytes | None) -> FileChange:
    is_projects = target.scope is Scope.PROJECT
    return FileChange(
        path=target.path,
        before=before,
        after=after,
        project=request.roots.project if is_projects else None,
        otherwise=f", or deploy for {'the user: --scope user' if is_projects else 'a project: --scope project'}",
    )


def _own_entries(request: InstallRequest, target: TargetFile, loader: Loader) -> OwnEntries:
    current = read_hook_file(target, loader)
    if current is None:
        return OwnEntries()
    hashes = _ledger_hashes(request, target, loader)
    is_in_ledger = (
        (lambda entry: entry_hash(entry.list_pointer, entry.value) in hashes) if hashes else (lambda entry: False)
    )
    return find_own_entries(current, request.owner.recognises, is_in_ledger)


def _ledger_hashes(request: InstallRequest, target: TargetFile, loader: Loader) -> frozenset[str]:
    """The entries of a file that the ledger says are the owner's."""
    if request.owner.recognises is not None:
        return frozenset()
    ledger = read_ledger(ledger_path(target, request.roots.project), loader)
    return frozenset(ledger.files.get(target.name, {}).get(request.owner.name, ()))


# --------------------------------------------------------------------------------------------------------- carrying out


def _write(change: EntryChange) -> None:
    """Replace the file. What an undo needs is kept first, so that a crash does not lose it."""
    request, file, path = change.request, change.file, change.file.written_path
    original = _original(change)
    remember(path, original, file.before, file.after)
    _record_entries(change, change.entry_hashes | _ledger_hashes(request, change.target, Loader()))
    write(structs.replace(file, folders=original.folders))
    _record_entries(change, change.entry_hashes)
    if not request.rules:
        others = original.owners - {request.owner.name}
        if others:
            remember(path, structs.replace(original, owners=others), file.before, file.after)
        else:
            forget(path)


def _original(change: EntryChange) -> OriginalFile:
    """The file without the entries of this owner, and of earlier owners if nothing else has changed it."""
    name, path = change.request.owner.name, change.file.written_path
    known = recall(path, change.file.before)
    if known is None:
        folders = dict.fromkeys((*folders_made_for_neighbours(path), *missing_folders(path)))
        return OriginalFile(_without_own_entries(change, change.file.before), frozenset({name}), tuple(folders))
    if name in known.owners:
        return known
    return OriginalFile(_without_own_entries(change, known.content), known.owners | {name}, known.folders)


def _without_own_entries(change: EntryChange, content: bytes | None) -> bytes | None:
    if content is None:
        return None
    loader = Loader({change.target.path: content.decode()})
    current = read_hook_file(change.target, loader)
    own = _own_entries(change.request, change.target, loader)
    if current is None or not own:
        return content
    nothing = required_entries(change.target, (), current)
    result = apply_changes(match_entries(current, own, nothing), current, nothing, change.target)
    return result.document.text.encode()


def _record_entries(change: EntryChange, hashes: frozenset[str]) -> None:
    """Record which entries are the owner's, where their content does not show it."""
    request, target = change.request, change.target
    if request.owner.recognises is None:
        record_entries(ledger_path(target, request.roots.project), target, request.owner.name, hashes)
