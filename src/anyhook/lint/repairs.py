"""The safe repair, if there is one, for problems that were found while the file was read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from anyhook.dialects.events import find_event
from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.profile import Unit
from anyhook.lint.checked_file import CheckedFile
from anyhook.model.document import Pointer, QuirkKind, value_at
from anyhook.model.problems import Edit, Problem
from anyhook.sources.editing.json_edits import (
    add_first_member,
    is_editable,
    remove_member,
    rename_key,
    replace_value,
    with_edits,
    wrap_members,
)

Repair = Callable[[CheckedFile, Pointer, Problem], tuple[Edit, ...]]


def with_repair(file: CheckedFile, found: Problem) -> Problem:
    """The problem, with the edits that repair it where that is certain."""
    repair = _REPAIRS.get(found.code)
    if repair is None or found.edits:
        return found
    pointer = file.pointer(found.origin)
    if found.code not in _TEXT_REPAIRS and not is_editable(file.document, pointer):
        return found
    edits = repair(file, pointer, found)
    return structs.replace(found, edits=edits) if edits else found


def _strict_json(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    """F002: without the comments, or the trailing commas, whichever the problem is about."""
    document = file.document
    place = (found.origin.line, found.origin.column)
    kind = next((quirk.kind for quirk in document.quirks if document.line_column(quirk.offset) == place), None)
    if document.data is None or kind not in (QuirkKind.COMMENT, QuirkKind.TRAILING_COMMA):
        return ()
    spans = [(quirk.offset, quirk.end) for quirk in document.quirks if quirk.kind is kind]
    if kind is QuirkKind.COMMENT:
        if any(_hook_in_comment(document.text[start:end]) for start, end in spans):
            return ()  # hooks that are switched off, or a list of events to fill in, would be lost
        spans = [_whole_comment(document.text, start, end) for start, end in spans]
    return tuple(Edit(start, end, "") for start, end in spans)


_hook_in_comment = re.compile(r'["\']?[A-Za-z_][\w-]*["\']?\s*:\s*["\'{\[]').search
"""A key with a value of JSON: what is commented out, not a remark."""


def _whole_comment(text: str, start: int, end: int) -> tuple[int, int]:
    """A comment with the blanks before it and, if it fills its lines, with their end."""
    line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    before = start - len(text[line_start:start]) + len(text[line_start:start].rstrip(" \t"))
    line_end = re.compile(r"[ \t]*(?:\r\n|\n|\r|\Z)").match(text, end)
    if line_end is None:
        return start, end
    if before == line_start:
        return line_start, line_end.end()
    return before, end


def _byte_order_mark(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    return (Edit(0, 1, ""),) if file.document.text.startswith("\ufeff") else ()


def _wrap_events(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    """S001: the events at the top level go under "hooks"."""
    data = file.document.data
    if not isinstance(data, dict) or "hooks" in data or pointer == ():
        return ()
    events = [key for key, value in data.items() if isinstance(value, list | dict) and find_event(key)]
    return wrap_members(file.document, [(key,) for key in events], "hooks") or () if events else ()


def _wrap_entry(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    """S003: a flat entry becomes a group with one hook; its matcher moves to the group."""
    entry = value_at(file.document.data, pointer)
    if not isinstance(entry, dict) or not _HOOK_KEYS & entry.keys() or "hooks" in entry:
        return ()
    span, text = file.document.spans[pointer], file.document.text
    members: list[str] = []
    moved: tuple[Edit, ...] = ()
    if "matcher" in entry:
        removed = remove_member(file.document, (*pointer, "matcher"))
        matcher = file.document.spans[(*pointer, "matcher")]
        if removed is None or not isinstance(entry["matcher"], str):
            return ()
        moved, members = removed, [f'"matcher": {text[matcher.start : matcher.end]}']
    inside = with_edits(text[span.start : span.end], [_moved(edit, -span.start) for edit in moved])
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    if "\n" not in inside or line.strip():
        members.append(f'"hooks": [{inside}]')
        return (Edit(span.start, span.end, "{" + ", ".join(members) + "}"),)
    step = _indent_of(inside, line)
    hook = inside.replace("\n", f"\n{step * 2}")
    members.append(f'"hooks": [\n{line}{step * 2}{hook}\n{line}{step}]')
    group = "{" + ",".join(f"\n{line}{step}{member}" for member in members) + f"\n{line}}}"
    return (Edit(span.start, span.end, group),)


def _moved(edit: Edit, by: int) -> Edit:
    return Edit(edit.start + by, edit.end + by, edit.replacement)


def _indent_of(entry: str, line: str) -> str:
    """What the lines of an entry have more at their start than its first one."""
    found = re.search(r"\n([ \t]+)\S", entry)
    inner = found[1] if found else ""
    return inner.removeprefix(line) if inner.startswith(line) and inner != line else "  "


_HOOK_KEYS = frozenset({"command", "prompt", "url"})


def _add_version(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    """S005, unless the file is lost for another reason, too."""
    data = file.document.data
    if not isinstance(data, dict) or "version" in data or _LOST.intersection(p.code for p in file.hooks.problems):
        return ()
    return add_first_member(file.document, (), "version", file.profile.layout.version)


_LOST = frozenset({"S002", "S006", "S008", "S009", "K003", "F001"})


def _remove_default_path(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    """S010: only when the default file is all that the key names."""
    return (remove_member(file.document, pointer) or ()) if pointer == ("hooks",) else ()


def _add_type(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    entry = value_at(file.document.data, pointer)
    if not isinstance(entry, dict) or "type" in entry or not isinstance(entry.get("command"), str):
        return ()
    return add_first_member(file.document, pointer, "type", "command")


_UNITS: Mapping[str, int] = {
    # Milliseconds in one unit of a timeout under this name, without case and underscores.
    "timeoutsec": 1000,
    "timeoutsecs": 1000,
    "timeoutseconds": 1000,
    "timeoutms": 1,
    "timeoutmillis": 1,
    "timeoutmilliseconds": 1,
}


def _rename_timeout(file: CheckedFile, pointer: Pointer, found: Problem) -> tuple[Edit, ...]:
    """T003: when the unread name says its unit, and the client's own name is still free."""
    key, entry = str(pointer[-1]), value_at(file.document.data, pointer[:-1])
    value: Any = entry.get(key) if isinstance(entry, dict) else None
    kind = entry.get("type", "command") if isinstance(entry, dict) else ""
    own = [name for name, field in keys_of(file.profile.layout, str(kind)).items() if field == "timeout"]
    factor = _UNITS.get(key.lower().replace("_", ""))
    if not own or factor is None or any(name in entry for name in own) or isinstance(value, bool):
        return ()
    if not isinstance(value, int | float) or not 0 < value < 1e9:
        return ()
    unit = file.profile.timeouts.unit_of(str(kind))
    milliseconds = value * factor
    converted = milliseconds if unit is Unit.MILLISECONDS else milliseconds / 1000
    if unit is Unit.EITHER or (file.profile.timeouts.whole_numbers and converted != int(converted)):
        return ()
    shown = int(converted) if converted == int(converted) else converted
    edits = rename_key(file.document, pointer, own[0])
    return edits if shown == value else (*edits, *replace_value(file.document, pointer, shown))


_REPAIRS: Mapping[str, Repair] = {
    "F002": _strict_json,
    "F004": _byte_order_mark,
    "S001": _wrap_events,
    "S003": _wrap_entry,
    "S005": _add_version,
    "S010": _remove_default_path,
    "K004": _add_type,
    "T003": _rename_timeout,
}
_TEXT_REPAIRS = frozenset({"F002", "F004"})
"""Repairs of the text itself, which need no value with a known place."""
