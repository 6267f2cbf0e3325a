"""What differs between the hooks that were trusted and those of now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec
from msgspec import Struct

from anyhook.model.hooks import HookSet, Rule, Unreadable
from anyhook.sources import disk
from anyhook.sources.discover import Roots
from anyhook.trust.fingerprint import Fingerprint, Group
from anyhook.trust.records import kept_texts, read_record, text_of
from anyhook.trust.seen_files import UsedFile


class Change(Struct, frozen=True):
    """One thing that is not as it was when it was trusted."""

    path: str
    """A file of the project, or the hook file whose definitions changed."""
    text: str
    """What happened to it, to be read after the path."""
    is_definition: bool = False


class TextChange(Struct, frozen=True):
    """The texts before and after a change; None: it did or does not exist, or its text was not kept."""

    change: Change
    before: str | None
    after: str | None


def compare(old: Fingerprint, new: Fingerprint, clients: Collection[str]) -> Iterator[Change]:
    """What changed in the hooks of these clients."""
    before, after = _groups_of(old, clients), _groups_of(new, clients)
    changes: dict[tuple[str, bool], Change] = {}
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key), after.get(key)
        if was is None or now is None or _texts_of(was) != _texts_of(now):
            text = "has new hooks" if was is None else "lost its hooks" if now is None else "has other hooks"
            changes[key[1], True] = Change(key[1], text, is_definition=True)
        for path in sorted({*(was.uses if was else ()), *(now.uses if now else ())}):
            had = old.files.get(path) if was and path in was.uses else None
            has = new.files.get(path) if now and path in now.uses else None
            if had != has:
                changes.setdefault((path, False), Change(path, _what_happened(had, has)))
    yield from changes.values()


def trusted_rules(fingerprint: Fingerprint, clients: Collection[str]) -> tuple[HookSet, ...]:
    """The events and matchers of the hooks that were trusted, to tell which events they were for; none can be run."""
    found: dict[str, list[Rule]] = {}
    for group in fingerprint.groups:
        for hook in group.definitions if group.client in clients else ():
            action = Unreadable(text=hook.summary, is_async=hook.is_async)
            if hook.is_active:
                rule = Rule(
                    event=hook.canonical_event,
                    native_event=hook.event,
                    matcher=hook.matcher,
                    kinds=hook.kinds,
                    actions=(action,),
                )
                found.setdefault(group.client, []).append(rule)
    return tuple(HookSet(dialect=client, rules=tuple(rules)) for client, rules in found.items())


def with_texts(changes: Iterable[Change], new: Fingerprint, roots: Roots) -> Iterator[TextChange]:
    """These changes, which led to ``new``, with the texts that are known."""
    record = read_record(roots)
    if record is None:
        return
    project, old = disk.resolve(roots.project), record.fingerprint
    kept = kept_texts(project)
    for change in changes:
        if change.is_definition:
            yield TextChange(change, _definitions(old, change.path), _definitions(new, change.path))
        else:
            before, after = old.files.get(change.path), new.files.get(change.path)
            text = None if after is None else text_of(project, after)
            yield TextChange(change, None if before is None else kept.get(before.sha256), text)


def _groups_of(fingerprint: Fingerprint, clients: Collection[str]) -> dict[tuple[str, str], Group]:
    return {(group.client, group.file): group for group in fingerprint.groups if group.client in clients}


def _texts_of(group: Group) -> list[str]:
    return [definition.text for definition in group.definitions]


def _what_happened(had: UsedFile | None, has: UsedFile | None) -> str:
    if had is None or had.kind == "missing":
        return "is new"
    if has is None:
        return "is not used any more"
    if has.kind == "missing":
        return "is gone"
    if had.kind != has.kind:
        return f"was a {had.kind} and is a {has.kind}" if has.kind in ("file", "link") else f"is {has.kind}"
    if had.target != has.target:
        return f"leads to {has.target} instead of {had.target}"
    if had.sha256 != has.sha256:
        return "changed"
    return f"has mode {has.mode:03o} instead of {had.mode:03o}"


def _definitions(fingerprint: Fingerprint, file: str) -> str | None:
    """The definitions of a file as text, one key to a line; those that several clients read alike once."""
    texts: dict[str, list[str]] = {}
    for group in fingerprint.groups:
        if group.file == file:
            whole = "\n".join(_indented(definition.text) for definition in group.definitions)
            texts.setdefault(whole, []).append(group.client)
    return "\n".join(f"as {', '.join(clients)} read it:\n{text}" for text, clients in texts.items()) or None


def _indented(text: str) -> str:
    try:
        return msgspec.json.format(text, indent=2)
    except msgspec.MsgspecError:
        return text
