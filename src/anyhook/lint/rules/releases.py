"""Rules on releases: a hook that the client does not treat like this in the release that is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anyhook.dialects import dialect
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import ReleaseChange
from anyhook.dialects.releases import release_order
from anyhook.lint.checked_file import CheckedFile
from anyhook.model.hooks import Action
from anyhook.model.origin import Scope
from anyhook.model.problems import Problem, problem


def needs_newer_release(file: CheckedFile, release: str) -> Iterator[Problem]:
    """The hooks that a release does not load, reads or treats differently, while the recorded release does not."""
    newer = [change for change in file.profile.changes if release_order(release) < release_order(change.since)]
    if not newer:
        return
    title = f"{file.profile.title} {release}"
    then = _actions(file, release)
    for rule in file.hooks.rules:
        for action in rule.actions:
            old = then.get(action.origin.pointer)
            if not action.is_loaded:
                continue
            if old is None or not old.is_loaded:
                why = f": {old.fate.why.removeprefix(f'{title}: ')}" if old else ""
                text = f"{title} does not load this hook{why}"
                yield problem("X003", action.origin, text, _remedy(file, _same_since(file, action, newer)))
            elif not _is_same(action, old):
                since = _same_since(file, action, newer)
                what = " and ".join(change.what for change in newer if change.since == since)
                text = f"{title} reads this hook differently: a later release {what}"
                yield problem("X003", action.origin, text, _remedy(file, since))
            for change in newer:
                if rule.event in change.hooks_of and old is not None and old.is_loaded:
                    text = f"{title} treats this hook differently: a later release {change.what}"
                    yield problem("X003", action.origin, text, _remedy(file, change.since))


def _remedy(file: CheckedFile, since: str) -> str:
    return f"update {file.profile.title} to {since} or later"


def _actions(file: CheckedFile, release: str) -> Mapping[str, Action]:
    """The actions of the file as a release reads it, by their places."""
    reader = dialect(f"{file.profile.name}@{release}")
    hooks = reader.read(file.document, FileKind(file.hooks.kind), Scope(file.hooks.scope))
    return {action.origin.pointer: action for rule in hooks.rules for action in rule.actions}


def _is_same(one: Action, other: Action) -> bool:
    """Whether two readings of a hook are one action, wherever the keys that are not read are kept."""
    ignored = {"origin", "fate", "extra"}
    fields = [name for name in one.__struct_fields__ if name not in ignored]
    return type(one) is type(other) and all(getattr(one, name) == getattr(other, name) for name in fields)


def _same_since(file: CheckedFile, action: Action, newer: Sequence[ReleaseChange]) -> str:
    """The first release that loads the hook as the recorded one does."""
    for change in reversed(newer):
        found = _actions(file, change.since).get(action.origin.pointer)
        if found is not None and found.is_loaded and _is_same(action, found):
            return change.since
    return file.profile.release
