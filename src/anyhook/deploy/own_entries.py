"""Entries of a hook file: which are there, which are ours, and what makes them those that are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct, structs

from anyhook.deploy.edit_file import Changes, edit
from anyhook.deploy.placement import Placement
from anyhook.dialects import dialect
from anyhook.dialects.events import native_names
from anyhook.dialects.places import FileKind
from anyhook.model.codes import Severity
from anyhook.model.document import Document, Pointer, QuirkKind, parse_pointer, value_at
from anyhook.model.hooks import Action, HookFile, Rule
from anyhook.model.problems import AnyhookError, Problem
from anyhook.sources.editing.json_style import Style
from anyhook.sources.load import Loader, parse


class FileEntry(Struct, frozen=True):
    """An element of a list in a hook file: a hook, or a group of hooks."""

    pointer: Pointer
    value: Any
    rule: Rule

    @property
    def place(self) -> Pointer:
        """Where the list is that it stands in."""
        return self.pointer[:-1]


class HookText(Struct, frozen=True):
    """The text of a hook file and what its client makes of it."""

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


def parse_hook_text(text: str, place: Placement) -> HookText:
    """AnyhookError when the text cannot be parsed."""
    document = parse(text, Loader.format_of(place.path), str(place.path))
    for quirk in document.quirks:
        if quirk.kind is QuirkKind.BROKEN:
            line, _ = document.line_column(quirk.offset)
            raise AnyhookError(f"{place.path}:{line}: {quirk.text}\ncorrect the syntax at this place, then try again")
    return read_document(document, place)


def read_document(document: Document, place: Placement) -> HookText:
    return HookText(document, dialect(place.client).read(document, place.kind, place.scope))


class Wanted(Struct, frozen=True):
    """The entries that a file should have, as the client's own writer makes them."""

    entries: tuple[tuple[Pointer, Any], ...]
    """For each entry the list that it belongs to."""
    content: dict[str, Any]
    """A whole file with them."""

    @property
    def head(self) -> dict[str, Any]:
        return {key: value for key, value in self.content.items() if not isinstance(value, dict | list)}


def wanted_entries(place: Placement, rules: Sequence[Rule], there: HookText | None) -> Wanted:
    """The entries for these rules, under the names and at the level at which the file has its events."""
    writer, layout = dialect(place.client), dialect(place.client).profile.layout
    if there is not None and layout.one_spelling:
        names = {rule.event: rule.native_event for rule in there.hooks.rules}
        rules = [structs.replace(rule, native_event=names.get(rule.event, rule.native_event)) for rule in rules]
    for rule in rules:
        if not any(_listed(writer.write([rule]), ())):
            text = f"{writer.profile.title} cannot be given a hook on {rule.native_event}"
            raise AnyhookError(f"{text}\nit has: {', '.join(sorted(native_names(place.client)))}")
    content = writer.write(rules)
    entries = tuple(_listed(content, ()))
    if there is not None and layout.bare_map and place.kind is FileKind.HOOKS and _is_bare_map(there):
        entries = tuple((pointer[1:], value) for pointer, value in entries)
    return Wanted(entries, content)


def _is_bare_map(there: HookText) -> bool:
    return bool(there.hooks.rules) and "hooks" not in there.document.data


def _listed(content: Any, pointer: Pointer) -> Iterator[tuple[Pointer, Any]]:
    if isinstance(content, list):
        yield from ((pointer, entry) for entry in content)
    elif isinstance(content, dict):
        for key, value in content.items():
            yield from _listed(value, (*pointer, key))


class Ours(Struct, frozen=True):
    """What of a file is ours: whole entries, and single hooks in groups that are somebody else's."""

    whole: tuple[FileEntry, ...] = ()
    parts: tuple[Pointer, ...] = ()


def find_ours(
    there: HookText, recognises: Callable[[Action], bool] | None, is_marked: Callable[[FileEntry], bool]
) -> Ours:
    """Entries whose every hook is recognised or that are marked, and the recognised hooks of other entries."""
    whole, parts = [], []
    for entry in there.entries():
        own = [action for action in entry.rule.actions if recognises is not None and recognises(action)]
        if is_marked(entry) or (own and len(own) == len(entry.rule.actions)):
            whole.append(entry)
        else:
            parts += [parse_pointer(there.document.data, action.origin.pointer) for action in own]
    return Ours(tuple(whole), tuple(parts))


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


def match_entries(there: HookText | None, ours: Ours, wanted: Wanted) -> EntryChanges:
    """Wanted entries that are there are kept, even a stranger's; others take the place of ours in the same list."""
    missing = list(wanted.entries)
    kept: list[FileEntry] = []
    left: list[FileEntry] = []
    for is_ours, entries in ((True, ours.whole), (False, there.entries() if there else ())):
        for entry in entries:
            if (entry.place, entry.value) in missing and entry not in kept:
                missing.remove((entry.place, entry.value))
                kept.append(entry)
            elif is_ours:
                left.append(entry)
    updated: list[tuple[FileEntry, Any]] = []
    for entry in tuple(left):
        new = next((wish for wish in missing if wish[0] == entry.place), None)
        if new is not None:
            missing.remove(new)
            left.remove(entry)
            updated.append((entry, new[1]))
    return EntryChanges(tuple(missing), tuple(updated), tuple(left), tuple(kept), ours.parts)


def carried_out(plan: EntryChanges, there: HookText | None, wanted: Wanted, place: Placement) -> HookText:
    """The file as planned."""
    if there is None:
        return parse_hook_text(Style().write(wanted.content, "", is_inline=False) + "\n", place)
    if not plan.is_needed:
        return there
    return read_document(edit(there.document, plan.changes({} if there.document.data else wanted.head)), place)


def refuse_unless_loaded(result: HookText, wanted: Wanted, there: HookText | None) -> None:
    """AnyhookError when the client would not load one of the wanted entries from the file as it would be."""
    found = rules_of(result, wanted.entries)
    lost = next((action for rule in found for action in rule.actions if not action.is_loaded), None)
    if lost is not None or len(found) < len(wanted.entries):
        raise _not_loaded(result, lost, there)


def rules_of(there: HookText, entries: Sequence[tuple[Pointer, Any]]) -> tuple[Rule, ...]:
    """What the client makes of these entries, each given with the list that it stands in."""
    rules, missing = [], list(entries)
    for entry in there.entries() if missing else ():
        if (entry.place, entry.value) in missing:
            missing.remove((entry.place, entry.value))
            rules.append(entry.rule)
    return tuple(rules)


def _not_loaded(result: HookText, lost: Action | None, there: HookText | None) -> AnyhookError:
    title = dialect(result.hooks.dialect).profile.title
    why = lost.fate.why if lost else "it does not find them where they would stand"
    # The line of a mistake that is there already is the one in the file as it is.
    problems = (*(there.hooks.problems if there else ()), *result.hooks.problems)
    cause = next((found for found in problems if _explains(found, why)), None)
    if cause is None:
        return AnyhookError(f"{result.document.path}: {title} would not load the new hooks: {why}")
    remedy = cause.fix or "correct it"
    return AnyhookError(f"{cause.origin}: {title} would not load the new hooks: {cause.text}\n{remedy}, then try again")


def _explains(found: Problem, why: str) -> bool:
    """Whether a problem is what a fate tells of; a fate may name the line, too."""
    return found.severity is Severity.ERROR and all(part in why for part in found.text.split(": "))


def is_bare(there: HookText) -> bool:
    """Whether a file holds nothing but what a hook file without hooks has."""
    bare = dialect(there.hooks.dialect).write(())
    has_comment = any(quirk.kind is QuirkKind.COMMENT for quirk in there.document.quirks)
    return not has_comment and all(key in bare and value == bare[key] for key, value in there.document.data.items())
