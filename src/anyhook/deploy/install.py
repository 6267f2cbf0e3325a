"""Puts entries into the hook file of a client and takes them out again; nothing else in the file changes.

    change = plan_install("codex", rules, roots, Scope.PROJECT, owner)   # reads, writes nothing
    change.is_needed, change.path, change.before, change.after           # for --dry-run and --check
    apply(change)                                                        # lock, read again, replace in one step
    for change in plan_removal("codex", roots, Scope.PROJECT, owner):
        apply(change)

anyhook knows its entries by their content or, where that does not identify them, by a ledger. It updates them in their
place; a second install changes nothing. A removal restores the original file byte for byte if nothing else changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct, structs

from anyhook.deploy.file_entries import (
    HookText,
    OwnEntries,
    apply_changes,
    find_own_entries,
    is_empty_hook_file,
    match_entries,
    parse_hook_text,
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
    locked,
    read_ledger,
    recall,
    record_entries,
    remember,
)
from anyhook.deploy.leftovers import remove_unfinished
from anyhook.deploy.target_files import TargetFile, choose_target, files_hidden_by, target_files
from anyhook.deploy.write_file import (
    missing_folders,
    read_content,
    refuse_outside,
    refuse_read_only,
    unwritable,
    write_content,
)
from anyhook.model.document import BYTE_ORDER_MARK
from anyhook.model.hooks import Action, Rule
from anyhook.model.origin import Scope
from anyhook.sources.discover import Roots
from anyhook.sources.editing.replace_file import refuse_links


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


class FileChange(Struct, frozen=True):
    """What is to be done to one file."""

    request: InstallRequest
    target: TargetFile
    before: bytes | None
    """None: the file does not exist."""
    after: bytes | None
    """None: the file is removed, because it held nothing but the owner's entries."""
    added: tuple[Rule, ...] = ()
    updated: tuple[Rule, ...] = ()
    """As they will be."""
    removed: tuple[Rule, ...] = ()
    kept: tuple[Rule, ...] = ()
    hides: tuple[Path, ...] = ()
    """Files whose hooks the client no longer reads once this one exists."""
    entry_hashes: frozenset[str] = frozenset()
    """The hashes under which the ledger keeps the owner's entries."""

    @property
    def path(self) -> Path:
        """The file that the client reads."""
        return self.target.path

    @property
    def written_path(self) -> Path:
        """The file that is written: where the client's is a symbolic link, what that leads to."""
        return self.path.resolve()

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


def plan_install(client: str, rules: Sequence[Rule], roots: Roots, scope: Scope, owner: Owner) -> FileChange:
    """What must change so that the client has exactly these rules of the owner: none twice, none left over.

    ``rules`` are in the client's own terms: its names of events and tools, its types of hooks. ``scope`` is PROJECT or
    USER. AnyhookError: the client has no file for this scope, or the file cannot be read or parsed, or the client would
    not load the entries from it; the message names file, line and remedy.
    """
    request = InstallRequest(client, tuple(rules), roots, scope, owner)
    target = choose_target(client, roots, scope, lambda target: _has_own_entries(request, target))
    return _plan(request, target)


def plan_removal(client: str, roots: Roots, scope: Scope, owner: Owner) -> tuple[FileChange, ...]:
    """What must change so that no entry of the owner is left in any file of the scope; empty: nothing must."""
    request = InstallRequest(client, (), roots, scope, owner)
    plans = (_plan(request, target) for target in target_files(client, roots, scope))
    return tuple(change for change in plans if change.is_needed)


def apply(change: FileChange) -> FileChange:
    """Change the file and return what was done; under the lock the change is planned again if the file has changed."""
    with locked(change.written_path):
        if read_content(change.path) != change.before:
            change = _plan(change.request, change.target)
        if change.is_needed:
            refuse_read_only(change.written_path)
            try:
                _write(change)
            except OSError as error:
                raise unwritable(change.written_path, error) from None
    return change


# ------------------------------------------------------------------------------------------------------------- planning


def _plan(request: InstallRequest, target: TargetFile) -> FileChange:
    change = _planned(request, target)
    if change.is_needed:
        _refuse_outside(change)
    return change


def _refuse_outside(change: FileChange) -> None:
    if change.target.scope is not Scope.PROJECT:
        return
    refuse_outside(change.path, change.request.roots.project)
    if change.request.owner.recognises is None:  # before anything is written
        ledger = ledger_path(change.target, change.request.roots.project)
        refuse_links(change.request.roots.project, ledger)


def _planned(request: InstallRequest, target: TargetFile) -> FileChange:
    before = read_content(target.path)
    current = _parse(target, before)
    if current is None and not request.rules:
        return FileChange(request, target, before, before)
    required = required_entries(target, request.rules, current)
    own = _own_entries(request, target, current)
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
    return FileChange(
        request=request,
        target=target,
        before=before,
        after=after,
        added=rules_of(result, plan.added),
        updated=rules_of(result, updated),
        removed=tuple(entry.rule for entry in plan.removed),
        kept=tuple(entry.rule for entry in plan.kept),
        hides=files_hidden_by(target, request.roots) if before is None else (),
        entry_hashes=frozenset(entry_hash(*entry) for entry in (*plan.added, *updated, *kept)),
    )


def _parse(target: TargetFile, content: bytes | None) -> HookText | None:
    """The content of the file; None when it is empty."""
    text = "" if content is None else content.decode()
    return parse_hook_text(text, target) if text.removeprefix(BYTE_ORDER_MARK).strip() else None


def _own_entries(request: InstallRequest, target: TargetFile, current: HookText | None) -> OwnEntries:
    if current is None:
        return OwnEntries()
    hashes = _ledger_hashes(request, target)
    is_in_ledger = (
        (lambda entry: entry_hash(entry.list_pointer, entry.value) in hashes) if hashes else (lambda entry: False)
    )
    return find_own_entries(current, request.owner.recognises, is_in_ledger)


def _ledger_hashes(request: InstallRequest, target: TargetFile) -> frozenset[str]:
    """The entries of a file that the ledger says are the owner's."""
    if request.owner.recognises is not None:
        return frozenset()
    ledger = read_ledger(ledger_path(target, request.roots.project))
    return frozenset(ledger.files.get(target.name, {}).get(request.owner.name, ()))


def _has_own_entries(request: InstallRequest, target: TargetFile) -> bool:
    own = _own_entries(request, target, _parse(target, read_content(target.path)))
    return bool(own.whole or own.parts)


# --------------------------------------------------------------------------------------------------------- carrying out


def _write(change: FileChange) -> None:
    """Replace the file. What an undo needs is kept first, so that a crash does not lose it."""
    request, path = change.request, change.written_path
    original = _original(change)
    remember(path, original, change.before, change.after)
    _record_entries(change, change.entry_hashes | _ledger_hashes(request, change.target))
    remove_unfinished(path)
    write_content(path, change.after, original.folders)
    _record_entries(change, change.entry_hashes)
    if not request.rules:
        others = original.owners - {request.owner.name}
        if others:
            remember(path, structs.replace(original, owners=others), change.before, change.after)
        else:
            forget(path)


def _original(change: FileChange) -> OriginalFile:
    """The file without the entries of this owner, and of earlier owners if nothing else has changed it."""
    name, known = change.request.owner.name, recall(change.written_path, change.before)
    if known is None:
        path = change.written_path
        folders = dict.fromkeys((*folders_made_for_neighbours(path), *missing_folders(path)))
        return OriginalFile(_without_own_entries(change, change.before), frozenset({name}), tuple(folders))
    if name in known.owners:
        return known
    return OriginalFile(_without_own_entries(change, known.content), known.owners | {name}, known.folders)


def _without_own_entries(change: FileChange, content: bytes | None) -> bytes | None:
    current = _parse(change.target, content)
    own = _own_entries(change.request, change.target, current)
    if current is None or not (own.whole or own.parts):
        return content
    nothing = required_entries(change.target, (), current)
    result = apply_changes(match_entries(current, own, nothing), current, nothing, change.target)
    return result.document.text.encode()


def _record_entries(change: FileChange, hashes: frozenset[str]) -> None:
    """Record which entries are the owner's, where their content does not show it."""
    request, target = change.request, change.target
    if request.owner.recognises is None:
        record_entries(ledger_path(target, request.roots.project), target, request.owner.name, hashes)
