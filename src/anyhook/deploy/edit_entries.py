"""Adds, replaces and removes entries of a hook file, and proves that nothing else has changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from anyhook.dialects.files.entries import describe
from anyhook.model.document import Document, Format, Pointer, QuirkKind, value_at
from anyhook.model.problems import AnyhookError, Edit
from anyhook.sources.editing.json_edits import add_elements, add_members, remove_children, rewrite_value, with_edits
from anyhook.sources.editing.toml_edits import append_tables, remove_table, replace_table
from anyhook.sources.load import parse


class Changes(Struct, frozen=True):
    """Changes to the lists of a file. An entry is an element of such a list."""

    added: tuple[tuple[Pointer, Any], ...] = ()
    """For each new entry its list, which is created if it does not exist, and the entry."""
    replaced: Mapping[Pointer, Any] = {}
    removed: tuple[Pointer, ...] = ()
    members: Mapping[Pointer, Any] = {}
    """Members of objects that get this value. Objects that do not exist are created."""
    head: Mapping[str, Any] = {}
    """Members that an empty file needs besides its lists."""


def edit(document: Document, changes: Changes) -> Document:
    """The file with the changes. AnyhookError when they cannot be made without touching anything else."""
    _refuse_duplicates(document, changes)
    editor = _edit_toml if document.format is Format.TOML else _edit_json
    result = parse(editor(document, changes), document.format, document.path)
    found, expected = result.data, changed(document.data, changes)
    if document.format is Format.TOML:  # a header such as [hooks] may be left behind
        found, expected = _without_empty(found), _without_empty(expected)
    if found != expected:
        raise AnyhookError(
            f"{document.path}: the entries cannot be changed without changing something else; nothing was written\n"
            "write the hooks in the usual form: in TOML as [[hooks.EVENT]] tables, in JSON without duplicate keys"
        )
    return result


def changed(data: Any, changes: Changes) -> Any:
    """The data with the changes, without the lists and objects that a removal leaves empty."""
    data = {**changes.head, **data} if changes.head else data
    for pointer, value in (*changes.replaced.items(), *changes.members.items()):
        data = _with(data, pointer, value)
    for pointer in sorted(changes.removed, key=_sort_key, reverse=True):
        data = _without(data, pointer)
    for pointer, value in changes.added:
        data = _with(data, pointer, [*(value_at(data, pointer) or ()), value])
    return data


def refusal(document: Document, pointer: Pointer, text: str, remedy: str) -> AnyhookError:
    line, _ = document.position(pointer)
    return AnyhookError(f"{document.path}:{line}: {text}\n{remedy}")


def _refuse_duplicates(document: Document, changes: Changes) -> None:
    """Refuse a file with a duplicate key on the way to a list: it is not known which one the client reads."""
    places = (*changes.replaced, *changes.removed, *changes.members)
    lists = [pointer for pointer, _ in changes.added] + [pointer[:-1] for pointer in places]
    for quirk in document.quirks:
        if quirk.kind is QuirkKind.DUPLICATE_KEY and any(at[: len(quirk.pointer)] == quirk.pointer for at in lists):
            line, _ = document.line_column(quirk.offset)
            text = f'{document.path}:{line}: "{quirk.text}" appears twice in this object'
            raise AnyhookError(f"{text}\nmerge the two into one, then try again")


# ------------------------------------------------------------------------------------------------------------ the texts


def _edit_json(document: Document, changes: Changes) -> str:
    edits = [e for pointer, value in changes.replaced.items() for e in rewrite_value(document, pointer, value)]
    edits += [e for pointer, value in changes.members.items() for e in _set_member(document, pointer, value)]
    for parent, keys in _topmost(document.data, changes.removed).items():
        edits += remove_children(document, parent, keys)
    text = with_edits(document.text, edits)
    if not changes.added:
        return text
    if edits:
        document = parse(text, document.format, document.path)
    additions: dict[str, Any] = dict(changes.head)
    for pointer, value in changes.added:
        found: dict[str, Any] = additions
        for key in pointer[:-1]:
            found = found.setdefault(str(key), {})
        found.setdefault(str(pointer[-1]), []).append(value)
    return with_edits(text, _insertions(document, (), additions))


def _set_member(document: Document, pointer: Pointer, value: Any) -> tuple[Edit, ...]:
    """Give a member its value, or add it to the innermost object that exists."""
    if pointer in document.spans:
        return rewrite_value(document, pointer, value)
    *_, key = pointer
    parent = pointer[:-1]
    found = value_at(document.data, parent)
    if found is None:
        return _set_member(document, parent, {key: value})
    if not isinstance(found, dict):
        raise _wrong_type(document, parent, found, "an object")
    return add_members(document, parent, [(str(key), value)])


def _insertions(document: Document, pointer: Pointer, additions: Mapping[str, Any]) -> Iterator[Edit]:
    """Add missing members at the end; descend into existing ones."""
    found = value_at(document.data, pointer)
    if not isinstance(found, dict):
        raise _wrong_type(document, pointer, found, "an object")
    if missing := [(key, value) for key, value in additions.items() if key not in found]:
        yield from add_members(document, pointer, missing)
    for key, value in additions.items():
        at = (*pointer, key)
        if key not in found:
            continue
        if isinstance(value, dict):
            yield from _insertions(document, at, value)
        elif isinstance(found[key], list):
            yield from add_elements(document, at, value)
        else:
            raise _wrong_type(document, at, found[key], "a list")


def _wrong_type(document: Document, pointer: Pointer, value: Any, expected: str) -> AnyhookError:
    what = f'"{pointer[-1]}"' if pointer else "the file"
    text = f"{what} holds {describe(value)}, but this can only be added to {expected}"
    return refusal(document, pointer, text, "correct it by hand, then try again")


def _topmost(data: Any, removed: tuple[Pointer, ...]) -> Mapping[Pointer, set[str | int]]:
    """What to remove from which value; a value that would become empty is itself removed."""
    gone: dict[Pointer, set[str | int]] = defaultdict(set)
    for pointer in removed:
        gone[pointer[:-1]].add(pointer[-1])
    for parent in sorted(gone, key=len, reverse=True):
        while parent in gone and parent and len(gone[parent]) == len(value_at(data, parent)):
            del gone[parent]
            parent, key = parent[:-1], parent[-1]
            gone[parent].add(key)
    return gone


def _edit_toml(document: Document, changes: Changes) -> str:
    if changes.members:
        pointer, value = next(iter(changes.members.items()))
        named = f"{'.'.join(map(str, pointer))} = {str(value).lower()}"
        raise refusal(document, pointer, "a setting in TOML is not changed by anyhook", f"write {named} yourself")
    for pointer in (*changes.replaced, *changes.removed):
        if pointer not in document.spans:
            remedy = "write them as [[hooks.EVENT]] tables, then try again"
            raise refusal(document, pointer, "these hooks are written in one line", remedy)
    edits = [e for pointer, value in changes.replaced.items() for e in replace_table(document, pointer, value)]
    edits += [e for pointer in changes.removed for e in remove_table(document, pointer)]
    if changes.added:
        edits += append_tables(document, list(changes.added))
    return with_edits(document.text, edits)


# ------------------------------------------------------------------------------------------------------------- the data


def _with(data: Any, pointer: Pointer, value: Any) -> Any:
    if not pointer:
        return value
    key, rest = pointer[0], pointer[1:]
    if isinstance(data, list) and isinstance(key, int):
        return [_with(part, rest, value) if at == key else part for at, part in enumerate(data)]
    members = data if isinstance(data, dict) else {}
    return {**members, str(key): _with(members.get(str(key)), rest, value)}


def _without(data: Any, pointer: Pointer) -> Any:
    key, rest = pointer[0], pointer[1:]
    part = _without(value_at(data, (key,)), rest) if rest else None
    if isinstance(data, list):
        kept = [[] if at == key else [other] for at, other in enumerate(data)]
        if part:
            kept[int(key)] = [part]
        return [other for others in kept for other in others]
    members = {name: other for name, other in data.items() if name != key}
    return {**members, str(key): part} if part else members


def _sort_key(pointer: Pointer) -> tuple[tuple[int, str | int], ...]:
    """Sorts list indexes and keys together."""
    return tuple((isinstance(part, str), part) for part in pointer)


def _without_empty(data: Any) -> Any:
    """The data without empty lists and objects."""
    if isinstance(data, dict):
        return {key: value for key, part in data.items() if (value := _without_empty(part)) not in ([], {})}
    return [_without_empty(part) for part in data] if isinstance(data, list) else data
