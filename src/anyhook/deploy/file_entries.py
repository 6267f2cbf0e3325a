"""Entries of a hook file: which it has, which anyhook owns, and what must change to get the required ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct, structs

from anyhook.deploy.edit_entries import Changes, edit
from anyhook.deploy.target_files import TargetFile
from anyhook.dialects import dialect
from anyhook.dialects.events import native_names
from anyhook.dialects.places import FileKind
from anyhook.model.codes import Severity
from anyhook.model.document import BYTE_ORDER_MARK, Document, Pointer, QuirkKind, parse_pointer, value_at
from anyhook.model.hooks import Action, HookFile, Rule
from anyhook.model.problems import AnyhookError, Problem
from anyhook.sources.editing.json_style import Style
from anyhook.sources.load import Loader, parse, unbroken


class FileEntry(Struct, frozen=True):
    """An element of a list in a hook file: a hook, or a group of hooks."""

    pointer: Pointer
    value: Any
    rule: Rule

    @property
    def list_pointer(self) -> Pointer:
        """The list that the entry is in."""
        return self.pointer[:-1]


class HookText(Struct, frozen=True):
    """The text of a hook file and the hooks that its client reads from it."""

    document: Document
    hooks: HookFile

    def entries(self) -> tuple[FileEntry, ...]:
        return tuple(self._entries())

    def _entries(self) -> Iterator[FileEntry]:
        for rule in self.hooks.rules:
            pointer = parse_pointer(self.document.data, rule.origin.pointer)
            value = value_at(self.document.data, pointer)
            if value is not None:
                yield FileEntry(pointer, value, rule)


def parse_hook_text(text: str, target: TargetFile) -> HookText:
    """AnyhookError when the text cannot be parsed."""
    return read_document(unbroken(parse(text, Loader.format_of(target.path), str(target.path))), target)


def read_hook_file(target: TargetFile, loader: Loader) -> HookText | None:
    """The entries of a file; None when it does not exist or is empty. AnyhookError when it cannot be read."""
    content = loader.content(target.path)
    if content is None or not content.decode().removeprefix(BYTE_ORDER_MARK).strip():
        return None
    document = loader.document(target.path, loader.format_of(target.path))
    assert isinstance(document, Document)
    return read_document(unbroken(document), target)


def read_document(document: Document, target: TargetFile) -> HookText:
    return HookText(document, dialect(target.client).read(document, target.kind, target.scope))


class RequiredEntries(Struct, frozen=True):
    """The entries that a file should have, as the client's dialect writes them."""

    entries: tuple[tuple[Pointer, Any], ...]
    """For each entry the list that it belongs to."""
    content: dict[str, Any]
    """A whole file with them."""

    @property
    def head(self) -> dict[str, Any]:
        return {key: value for key, value in self.content.items() if not isinstance(value, dict | list)}


def required_entries(target: TargetFile, rules: Sequence[Rule], current: HookText | None) -> RequiredEntries:
    """The entries for these rules, with the event names and the nesting that the file uses."""
    writer, layout = dialect(target.client), dialect(target.client).profile.layout
    if current is not None and layout.one_spelling:
        names = {rule.event: rule.native_event for rule in current.hooks.rules}
        rules = [structs.replace(rule, native_event=names.get(rule.event, rule.native_event)) for rule in rules]
    for rule in rules:
        if not any(_listed(writer.write([rule]), ())):
            text = f"{writer.profile.title} cannot have a hook on {rule.native_event}"
            raise AnyhookError(f"{text}\nit has: {', '.join(sorted(native_names(target.client)))}")
    content = writer.write(rules)
    if target.kind is FileKind.SETTINGS and "hooks" not in content:  # written as a file of hooks alone
        content = {"hooks": content}
    entries = tuple(_listed(content, ()))
    if current is not None and layout.bare_map and "hooks" in content and _is_bare_map(target, current):
        entries = tuple((pointer[1:], value) for pointer, value in entries)
    return RequiredEntries(entries, content)


def _is_bare_map(target: TargetFile, current: HookText) -> bool:
    return target.kind is FileKind.HOOKS and bool(current.hooks.rules) and "hooks" not in current.document.data


def _listed(content: Any, pointer: Pointer) -> Iterator[tuple[Pointer, Any]]:
    if isinstance(content, list):
        yield from ((pointer, entry) for entry in content)
    elif isinstance(content, dict):
        for key, value in content.items():
            yield from _listed(value, (*pointer, key))


class OwnEntries(Struct, frozen=True):
    """What an owner has in a file: whole entries, and single hooks in groups with other hooks."""

    whole: tuple[FileEntry, ...] = ()
    parts: tuple[Pointer, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.whole or self.parts)


def find_own_entries(
    current: HookText, recognises: Callable[[Action], bool] | None, is_in_ledger: Callable[[FileEntry], bool]
) -> OwnEntries:
    """Entries that are in the ledger or whose every hook is recognised, and the recognised hooks of other entries."""
    whole, parts = [], []
    for entry in current.entries():
        own = [action for action in entry.rule.actions if recognises is not None and recognises(action)]
        if is_in_ledger(entry) or (own and len(own) == len(entry.rule.actions)):
            whole.append(entry)
        else:
            parts += [parse_pointer(current.document.data, action.origin.pointer) for action in own]
    return OwnEntries(tuple(whole), tuple(parts))


class EntryChanges(Struct, frozen=True):
    """What becomes of which entry: added and updated as they will be, kept and removed as they are."""

    added: tuple[tuple[Pointer, Any], ...] = ()
    updated: tuple[tuple[FileEntry, Any], ...] = ()
    removed: tuple[FileEntry, ...] = ()
    kept: tuple[FileEntry, ...] = ()
    parts: tuple[Pointer, ...] = ()

    @property
    def is_needed(self) -> bool:
        return bool(self.added or self.updated or self.removed or self.parts)

    def changes(self, head: dict[str, Any]) -> Changes:
        return Changes(
            added=self.added,
            replaced={entry.pointer: value for entry, value in self.updated},
            removed=(*(entry.pointer for entry in self.removed), *self.parts),
            head=head,
        )


def match_entries(current: HookText | None, own: OwnEntries, required: RequiredEntries) -> EntryChanges:
    """Keep required entries that exist, whatever wrote them; the others replace own entries of the same list."""
    missing = list(required.entries)
    kept: list[FileEntry] = []
    left: list[FileEntry] = []
    for is_own, entries in ((True, own.whole), (False, current.entries() if current else ())):
        for entry in entries:
            if (entry.list_pointer, entry.value) in missing and entry not in kept:
                missing.remove((entry.list_pointer, entry.value))
                kept.append(entry)
            elif is_own:
                left.append(entry)
    updated: list[tuple[FileEntry, Any]] = []
    for entry in tuple(left):
        new = next((new for new in missing if new[0] == entry.list_pointer), None)
        if new is not None:
            missing.remove(new)
            left.remove(entry)
            updated.append((entry, new[1]))
    return EntryChanges(tuple(missing), tuple(updated), tuple(left), tuple(kept), own.parts)


def apply_changes(
    plan: EntryChanges, current: HookText | None, required: RequiredEntries, target: TargetFile
) -> HookText:
    """The file with the changes."""
    if current is None:
        return parse_hook_text(Style().write(required.content, "", is_inline=False) + "\n", target)
    if not plan.is_needed:
        return current
    return read_document(edit(current.document, plan.changes({} if current.document.data else required.head)), target)


def refuse_unless_loaded(result: HookText, required: RequiredEntries, current: HookText | None) -> None:
    """AnyhookError when the client would not load one of the required entries from the changed file."""
    found = rules_of(result, required.entries)
    lost = next((action for rule in found for action in rule.actions if not action.is_loaded), None)
    if lost is not None or len(found) < len(required.entries):
        raise _not_loaded(result, lost, current)


def rules_of(current: HookText, entries: Sequence[tuple[Pointer, Any]]) -> tuple[Rule, ...]:
    """The rules that the client reads from these entries, each given with its list."""
    rules, missing = [], list(entries)
    for entry in current.entries() if missing else ():
        if (entry.list_pointer, entry.value) in missing:
            missing.remove((entry.list_pointer, entry.value))
            rules.append(entry.rule)
    return tuple(rules)


def _not_loaded(result: HookText, lost: Action | None, current: HookText | None) -> AnyhookError:
    title = dialect(result.hooks.dialect).profile.title
    why = lost.fate.why if lost else "it does not find them there"
    # The line of a mistake that exists already is the one in the file as it is.
    problems = (*(current.hooks.problems if current else ()), *result.hooks.problems)
    cause = next((found for found in problems if _explains(found, why)), None)
    if cause is None:
        return AnyhookError(f"{result.document.path}: {title} would not load the new hooks: {why}")
    remedy = cause.fix or "correct it"
    return AnyhookError(f"{cause.origin}: {title} would not load the new hooks: {cause.text}\n{remedy}, then try again")


def _explains(found: Problem, why: str) -> bool:
    """Whether a problem is the reason of a fate; a fate may name the line, too."""
    return found.severity is Severity.ERROR and all(part in why for part in found.text.split(": "))


def is_empty_hook_file(current: HookText) -> bool:
    """Whether a file has nothing but what a hook file without hooks has."""
    bare = dialect(current.hooks.dialect).write(())
    has_comment = any(quirk.kind is QuirkKind.COMMENT for quirk in current.document.quirks)
    return not has_comment and all(key in bare and value == bare[key] for key, value in current.document.data.items())
