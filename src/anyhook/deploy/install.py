"""Puts entries into the hook file of a client and takes them out again; nothing else in the file changes.

    change = plan_install("codex", rules, roots, Scope.PROJECT, owner)   # reads, writes nothing
    change.is_needed, change.path, change.before, change.after           # for --dry-run and --check
    apply(change)                                                        # lock, read again, replace in one step
    for change in plan_removal("codex", roots, Scope.PROJECT, owner):
        apply(change)

Entries of ours are told by their content or, where that says nothing, by a ledger. They are updated in their place; two
installs in a row change nothing. A removal gives back the former file byte for byte if nobody else has changed it.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, structs

from anyhook.deploy.ledger import (
    OriginalFile,
    forget,
    ledger_path,
    locked,
    mark,
    note_entries,
    read_ledger,
    recall,
    remember,
)
from anyhook.deploy.own_entries import (
    HookText,
    Ours,
    carried_out,
    find_ours,
    is_bare,
    match_entries,
    parse_hook_text,
    refuse_unless_loaded,
    rules_of,
    wanted_entries,
)
from anyhook.deploy.placement import Placement, choose, hidden_by, placements
from anyhook.model.document import BYTE_ORDER_MARK
from anyhook.model.hooks import Action, Rule
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError, Problem
from anyhook.sources.discover import Roots
from anyhook.sources.editing.replace_file import UNFINISHED, replace_file
from anyhook.sources.load import read_text


class Owner(Struct, frozen=True):
    """Whose entries they are. The entries of one owner are updated and removed together."""

    name: str
    """Such as "record", "bridge" or "native"."""
    recognises: Callable[[Action], bool] | None = None
    """Tells a hook of this owner by its content, whoever installed it. None: only the ledger knows them."""


class InstallRequest(Struct, frozen=True):
    """What somebody wants of the files of a client, so that it can be planned again."""

    client: str
    rules: tuple[Rule, ...]
    roots: Roots
    scope: Scope
    owner: Owner


class FileChange(Struct, frozen=True):
    """What is to be done to one file."""

    request: InstallRequest
    place: Placement
    before: bytes | None
    """None: the file is not there."""
    after: bytes | None
    """None: the file is removed, because nothing but entries of ours was in it."""
    added: tuple[Rule, ...] = ()
    updated: tuple[Rule, ...] = ()
    """As they will be."""
    removed: tuple[Rule, ...] = ()
    kept: tuple[Rule, ...] = ()
    hides: tuple[Path, ...] = ()
    """Files whose hooks the client no longer reads once this one is there."""
    marks: frozenset[str] = frozenset()
    """The hashes under which the ledger keeps the owner's entries."""

    @property
    def path(self) -> Path:
        """The file that the client reads."""
        return self.place.path

    @property
    def target(self) -> Path:
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
    place = choose(client, roots, scope, lambda place: _holds_ours(request, place))
    return _plan(request, place)


def plan_removal(client: str, roots: Roots, scope: Scope, owner: Owner) -> tuple[FileChange, ...]:
    """What must change so that no entry of the owner is left in any file of the scope; empty: nothing must."""
    request = InstallRequest(client, (), roots, scope, owner)
    plans = (_plan(request, place) for place in placements(client, roots, scope))
    return tuple(change for change in plans if change.is_needed)


def apply(change: FileChange) -> FileChange:
    """Do it and say what was done: it is planned anew under the lock if the file has changed since."""
    with locked(change.target):
        if _read(change.place) != change.before:
            change = _plan(change.request, change.place)
        if change.is_needed:
            _refuse_read_only(change)
            try:
                _carry_out(change)
            except OSError as error:
                why = error.strerror or str(error)
                remedy = "check the rights of the file and its folder, and the space on the disk"
                raise AnyhookError(f"{change.target}: it could not be written: {why}\n{remedy}") from None
    return change


# ------------------------------------------------------------------------------------------------------------- planning


def _plan(request: InstallRequest, place: Placement) -> FileChange:
    before = _read(place)
    there = _parse(place, before)
    if there is None and not request.rules:
        return FileChange(request, place, before, before)
    wanted = wanted_entries(place, request.rules, there)
    ours = _find_ours(request, place, there)
    plan = match_entries(there, ours, wanted)
    result = carried_out(plan, there, wanted, place)
    refuse_unless_loaded(result, wanted, there)
    after: bytes | None = result.document.text.encode()
    if not request.rules and after != before:
        former = recall(place.path.resolve(), before)
        if former is not None and former.owners == {request.owner.name}:
            after = former.content
        elif is_bare(result) and not place.path.is_symlink():
            after = None
    updated = [(entry.place, value) for entry, value in plan.updated]
    kept = [(entry.place, entry.value) for entry in plan.kept if entry in ours.whole]
    return FileChange(
        request=request,
        place=place,
        before=before,
        after=after,
        added=rules_of(result, plan.added),
        updated=rules_of(result, updated),
        removed=tuple(entry.rule for entry in plan.removed),
        kept=tuple(entry.rule for entry in plan.kept),
        hides=hidden_by(place, request.roots) if before is None else (),
        marks=frozenset(mark(*entry) for entry in (*plan.added, *updated, *kept)),
    )


def _read(place: Placement) -> bytes | None:
    text = read_text(place.path) if place.path.is_symlink() or place.path.exists() else None
    if isinstance(text, Problem):
        raise AnyhookError(f"{place.path}: {text.text}\n{text.fix}")
    return None if text is None else text.encode()


def _parse(place: Placement, content: bytes | None) -> HookText | None:
    """What is in the file; None when nothing is in it."""
    text = "" if content is None else content.decode()
    return parse_hook_text(text, place) if text.removeprefix(BYTE_ORDER_MARK).strip() else None


def _find_ours(request: InstallRequest, place: Placement, there: HookText | None) -> Ours:
    if there is None:
        return Ours()
    marks = _marks(request, place)
    is_marked = (lambda entry: mark(entry.place, entry.value) in marks) if marks else (lambda entry: False)
    return find_ours(there, request.owner.recognises, is_marked)


def _marks(request: InstallRequest, place: Placement) -> frozenset[str]:
    """The entries of a file that the ledger says are the owner's."""
    if request.owner.recognises is not None:
        return frozenset()
    ledger = read_ledger(ledger_path(place, request.roots.project))
    return frozenset(ledger.files.get(place.name, {}).get(request.owner.name, ()))


def _holds_ours(request: InstallRequest, place: Placement) -> bool:
    ours = _find_ours(request, place, _parse(place, _read(place)))
    return bool(ours.whole or ours.parts)


# --------------------------------------------------------------------------------------------------------- carrying out


def _refuse_read_only(change: FileChange) -> None:
    """A file whose rights say that nobody writes it is not replaced, though the folder's rights would allow that."""
    target = change.target
    if target.exists() and not target.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise AnyhookError(f"{target}: the file is read-only\nmake it writable (chmod u+w), or use another scope")


def _carry_out(change: FileChange) -> None:
    """Replace the file; what is needed to undo that is kept before, so that it is there whatever happens."""
    request, target = change.request, change.target
    former = _former(change)
    remember(target, former, change.before, change.after)
    _note(change, change.marks | _marks(request, change.place))
    _remove_unfinished(target)
    if change.after is None:
        target.unlink()
        for folder in reversed(former.folders):
            with suppress(OSError):  # something else is in it by now
                Path(folder).rmdir()
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, change.after)
    _note(change, change.marks)
    if not request.rules:
        others = former.owners - {request.owner.name}
        if others:
            remember(target, structs.replace(former, owners=others), change.before, change.after)
        else:
            forget(target)


def _former(change: FileChange) -> OriginalFile:
    """How the file was without the entries of this owner, and of those who came before if nobody else changed it."""
    name, known = change.request.owner.name, recall(change.target, change.before)
    if known is None:
        return OriginalFile(_without_ours(change, change.before), frozenset({name}), _missing_folders(change))
    if name in known.owners:
        return known
    return OriginalFile(_without_ours(change, known.content), known.owners | {name}, known.folders)


def _without_ours(change: FileChange, content: bytes | None) -> bytes | None:
    there = _parse(change.place, content)
    ours = _find_ours(change.request, change.place, there)
    if there is None or not (ours.whole or ours.parts):
        return content
    nothing = wanted_entries(change.place, (), there)
    result = carried_out(match_entries(there, ours, nothing), there, nothing, change.place)
    return result.document.text.encode()


def _missing_folders(change: FileChange) -> tuple[str, ...]:
    """The folders that must be made for the file, outermost first."""
    below = [folder for folder in change.target.parents if not folder.exists()]
    return tuple(str(folder) for folder in reversed(below))


def _note(change: FileChange, marks: frozenset[str]) -> None:
    """Write down which entries are the owner's, where their content does not say so."""
    request, place = change.request, change.place
    if request.owner.recognises is None:
        note_entries(ledger_path(place, request.roots.project), place, request.owner.name, marks)


def _remove_unfinished(target: Path) -> None:
    """What a killed anyhook left beside the file; nobody else is writing it now."""
    for leftover in target.parent.glob(f".{target.name}{UNFINISHED}*") if target.parent.is_dir() else ():
        with suppress(OSError):
            leftover.unlink()
