"""Deletes, disables and enables one hook, in the way that its client has for it.

Every plan is read back as the client would read it; one that does not have the intended effect is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from anyhook.bridge.entries.anyhook_entries import asking_of
from anyhook.deploy.edit_entries import Changes, edit
from anyhook.deploy.write_file import read_content
from anyhook.dialects import profile
from anyhook.dialects.profile import Switch
from anyhook.editor.change import PlannedChange
from anyhook.editor.overview import ClientItem, HookItem
from anyhook.guards.catalogue import GUARDS
from anyhook.guards.options import LEVEL
from anyhook.model.document import Document, Format, Pointer, QuirkKind, parse_pointer, value_at
from anyhook.model.hooks import Action, FateState, Guard, HookFile
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.sources.discover import Found
from anyhook.sources.editing.guard_tables import with_guard, without_guard
from anyhook.sources.load import Loader, parse
from anyhook.sources.merge import named_key

_EDITED = (Format.JSON, Format.TOML)
"""Formats in which single entries are changed. In the others a hook is text or code, which its author changes."""


class Way(Struct, frozen=True):
    """Something that can be done in place of disabling one hook."""

    text: str
    change: PlannedChange


def plan_deletion(item: HookItem) -> PlannedChange:
    """The file without the hook. AnyhookError: it cannot be taken out, and why."""
    what = f"delete the hook on {item.row.native_event}"
    if isinstance(item.action, Guard) and _format_of(item) is Format.GUARDS and item.action.kind == "guard":
        return _changed(item, what, without_guard(_text(item), item.action.guard, item.row.file))
    document = _document(item)
    pointer = _pointer_to_remove(document, item)
    if not pointer:  # the file is the hook
        return _planned(item, what, None, notes=("the file holds nothing but this hook, so it is removed",))
    return _changed(item, what, edit(document, Changes(removed=(pointer,))).text)


def _pointer_to_remove(document: Document, item: HookItem) -> Pointer:
    origin = item.rule.origin if len(item.rule.actions) == 1 else item.action.origin
    return parse_pointer(document.data, origin.pointer)


# ------------------------------------------------------------------------------------------------ disabling one hook


def plan_disabling(item: HookItem, client: ClientItem) -> PlannedChange | None:
    """The file in which the hook is switched off; None: its client cannot switch off a single hook."""
    what = f"disable the hook on {item.row.native_event}"
    if isinstance(item.action, Guard) and _format_of(item) is Format.GUARDS and item.action.kind == "guard":
        return _changed(item, what, with_guard(_text(item), item.action.guard, "off", item.row.file))
    _refuse_own_call(item.action, item.row.client)
    if _format_of(item) not in _EDITED or item.found is None:
        return None
    for changes in _single_switches(item):
        document = _document(item)
        text = edit(document, changes).text
        after = _read_again(item.found, text)
        if _is_off(item, after):
            return _changed(item, what, text, notes=tuple(_shared_names(item, client, after)))
    return None


def _single_switches(item: HookItem) -> Iterator[Changes]:
    """The ways in which the client's profile says that one hook is switched off."""
    facts, document = profile(item.row.client), _document(item)
    pointer = parse_pointer(document.data, item.action.origin.pointer)
    if facts.layout.enabled_at:
        at = pointer if facts.layout.enabled_at == "hook" else pointer[:1]
        yield Changes(members={(*at, "enabled"): False})
    for switch in facts.switches:
        if switch.reach == "named":
            yield Changes(added=((switch.path, item.action.name or item.action.summary()),))


def _is_off(item: HookItem, file: HookFile) -> bool:
    found = [action for rule in file.rules for action in rule.actions if action.origin.pointer == item.row.pointer]
    return any(
        action.fate.state is FateState.DISABLED or named_key(action, file.switches.named) is not None
        for action in found
    )


def _shared_names(item: HookItem, client: ClientItem, after: HookFile) -> Iterator[str]:
    """Which other hooks the change switches off, too."""
    before = item.found and next((file for file in client.loaded.hooks.files if file.path == item.row.file), None)
    names = after.switches.named - (before.switches.named if before else frozenset())
    others = [each for each in client.hooks if each.key != item.key]
    if names:
        also = [each for each in others if named_key(each.action, names) is not None]
    else:
        off = {
            action.origin.pointer
            for rule in after.rules
            for action in rule.actions
            if action.fate.state is FateState.DISABLED
        }
        also = [
            each
            for each in others
            if each.row.file == item.row.file and each.row.pointer in off and each.row.state != FateState.DISABLED
        ]
    for each in also:
        yield f"this also disables the hook on {each.row.native_event}: {each.row.hook()}"


def plan_enabling(item: HookItem, client: ClientItem) -> PlannedChange:
    """The file in which the hook is no longer switched off. AnyhookError: the reason is elsewhere, and what it is."""
    what = f"enable the hook on {item.row.native_event}"
    if isinstance(item.action, Guard) and _format_of(item) is Format.GUARDS and item.action.kind == "guard":
        options = GUARDS[item.action.guard].options
        usual = next(option.usual for option in options if option.name == LEVEL.name)
        return _changed(item, what, with_guard(_text(item), item.action.guard, str(usual), item.row.file))
    for path, changes in _switches_that_hold(item, client):
        document = _parsed(path)
        found = next((found for found in client.loaded.found if found.path == path), None)
        return PlannedChange(
            path=path,
            before=document.text.encode(),
            after=edit(document, changes).text.encode(),
            what=what,
            project=_project_of(found, client.base),
        )
    raise AnyhookError(f"{item.row.file}: nothing that anyhook can change switches this hook off: {item.row.why}")


def _switches_that_hold(item: HookItem, client: ClientItem) -> Iterator[tuple[Path, Changes]]:
    facts = profile(item.row.client)
    own = Path(item.row.file)
    if facts.layout.enabled_at and _format_of(item) is Format.JSON:
        document = _parsed(own)
        pointer = parse_pointer(document.data, item.action.origin.pointer)
        member = (*(pointer if facts.layout.enabled_at == "hook" else pointer[:1]), "enabled")
        if value_at(document.data, member) is False:
            yield own, Changes(removed=(member,))
    for file in client.loaded.hooks.files:
        path = Path(file.path)
        if Loader.format_of(path) is not Format.JSON or not (file.switches.named or file.switches.off):
            continue
        data = _parsed(path).data
        for switch in facts.switches:
            value = value_at(data, switch.path)
            if switch.reach == "named" and isinstance(value, list) and named_key(item.action, file.switches.named):
                key = named_key(item.action, file.switches.named)
                yield path, Changes(removed=tuple((*switch.path, at) for at, name in enumerate(value) if name == key))
            elif switch.reach in ("all", "file") and value is switch.value:
                yield path, Changes(removed=(switch.path,))


def other_ways(item: HookItem, client: ClientItem) -> tuple[Way, ...]:
    """What exists for a hook that cannot be disabled alone: deleting it, or switching off all hooks."""
    ways = []
    with suppress(AnyhookError):
        ways.append(Way("Delete the hook. Undo (u) brings it back.", plan_deletion(item)))
    return (*ways, *_switches_of_all(item, client))


def _switches_of_all(item: HookItem, client: ClientItem) -> Iterator[Way]:
    if item.found is None or _format_of(item) is not Format.JSON:
        return
    facts = profile(item.row.client)
    for switch in facts.switches:
        if switch.reach in ("all", "file") and item.row.file.endswith(switch.file):
            document = _document(item)
            text = edit(document, Changes(members={switch.path: switch.value})).text
            if _read_again(item.found, text).switches.off:
                setting = f"{'.'.join(switch.path)}: {str(switch.value).lower()}"
                reach = _reach_text(switch, client)
                yield Way(f"Switch off {reach}: {setting}", _changed(item, f"switch off {reach}", text))


def _reach_text(switch: Switch, client: ClientItem) -> str:
    return "all hooks of this file" if switch.reach == "file" else f"all hooks of {client.title}"


# -------------------------------------------------------------------------------------------------------------- files


def _format_of(item: HookItem) -> Format:
    return Loader.format_of(Path(item.row.file))


def _document(item: HookItem) -> Document:
    _refuse_own_call(item.action, item.row.client)
    if _format_of(item) not in _EDITED:
        text = f"{item.row.file}:{item.row.line}: this hook is written in {_format_of(item).value}"
        raise AnyhookError(f"{text}\nchange it in the editor (e)")
    document = _parsed(Path(item.row.file))
    _refuse_stale(item)
    return document


def _refuse_stale(item: HookItem) -> None:
    """The place of a hook counts only as long as the hook is still there."""
    file = Loader().load(item.found) if item.found else None
    actions = [action for rule in file.rules for action in rule.actions] if file else [item.action]
    if not any((each.origin, each.summary()) == (item.action.origin, item.row.action) for each in actions):
        text = f"{item.row.file}: the file has changed since it was read"
        raise AnyhookError(f"{text}\nread it again (r), then try again")


def _refuse_own_call(action: Action, client: str) -> None:
    if asking_of(action) is not None:
        text = f"{action.origin}: anyhook deploy wrote this entry"
        raise AnyhookError(f"{text}\nremove it with: anyhook undeploy --to {client}; or change the hooks that it asks")


def _parsed(path: Path) -> Document:
    content = read_content(path)
    document = parse("" if content is None else content.decode(), Loader.format_of(path), str(path))
    for quirk in document.quirks:
        if quirk.kind is QuirkKind.BROKEN:
            line, _ = document.line_column(quirk.offset)
            raise AnyhookError(f"{path}:{line}: {quirk.text}\ncorrect the syntax there, then try again")
    return document


def _text(item: HookItem) -> str:
    content = read_content(Path(item.row.file))
    return "" if content is None else content.decode()


def _read_again(found: Found, text: str) -> HookFile:
    """The file with this text, as its client reads it."""
    return Loader({found.path: text}).load(found)


def _changed(item: HookItem, what: str, text: str, notes: tuple[str, ...] = ()) -> PlannedChange:
    return _planned(item, what, text.encode(), notes)


def _planned(item: HookItem, what: str, after: bytes | None, notes: tuple[str, ...] = ()) -> PlannedChange:
    path = Path(item.row.file)
    if item.found is not None and item.found.source.shared:
        notes = (*notes, "the file belongs to another client, which loses the hook, too")
    return PlannedChange(
        path=path,
        before=read_content(path),
        after=after,
        what=what,
        notes=notes,
        project=_project_of(item.found, item.row.base),
    )


def _project_of(found: Found | None, base: Path) -> Path | None:
    """The folder that the file must be in; None: it belongs to the user."""
    is_projects = found is not None and found.source.scope in (Scope.PROJECT, Scope.LOCAL)
    return base if is_projects else None
