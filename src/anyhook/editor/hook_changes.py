"""Deletes, disables and enables one hook, in the way that its client has for it.

Every plan is read back as the client would read it; one that does not have the intended effect is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from anyhook.deploy.edit_entries import Changes, edit
from anyhook.dialects import profile
from anyhook.dialects.profile import Switch
from anyhook.entries.anyhook_entries import asking_of
from anyhook.guards.catalogue import GUARDS
from anyhook.guards.options import LEVEL
from anyhook.model.document import Document, Format, Pointer, parse_pointer, value_at
from anyhook.model.hooks import Action, FateState, Guard, HookFile
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.project.hook import ResolvedHook
from anyhook.project.resolve import ProjectClient
from anyhook.sources.discover import Found
from anyhook.sources.editing.file_change import FileChange, read_content
from anyhook.sources.editing.guard_tables import with_guard, without_guard
from anyhook.sources.load import Loader, parse, unbroken
from anyhook.sources.merge import named_key

_EDITED = (Format.JSON, Format.TOML)
"""Formats in which single entries are changed. In the others a hook is text or code, which its author changes."""


class Alternative(Struct, frozen=True):
    """Something that can be done in place of disabling one hook."""

    text: str
    change: FileChange


def plan_deletion(hook: ResolvedHook) -> FileChange:
    """The file without the hook. AnyhookError: it cannot be taken out, and why."""
    what = f"delete the hook on {hook.native_event}"
    if guard := _guard_of(hook):
        return _changed(hook, what, without_guard(_text(hook), guard, hook.file))
    document = _document(hook)
    pointer = _pointer_to_remove(document, hook)
    if not pointer:  # the file is the hook
        return _planned(hook, what, None, notes=("the file holds nothing but this hook, so it is removed",))
    return _changed(hook, what, edit(document, Changes(removed=(pointer,))).text)


def _pointer_to_remove(document: Document, hook: ResolvedHook) -> Pointer:
    origin = hook.rule.origin if len(hook.rule.actions) == 1 else hook.action.origin
    return parse_pointer(document.data, origin.pointer)


# ------------------------------------------------------------------------------------------------ disabling one hook


def plan_disabling(hook: ResolvedHook, client: ProjectClient) -> FileChange | None:
    """The file in which the hook is switched off; None: its client cannot switch off a single hook."""
    what = f"disable the hook on {hook.native_event}"
    if guard := _guard_of(hook):
        return _changed(hook, what, with_guard(_text(hook), guard, "off", hook.file))
    _refuse_own_call(hook.action, hook.client)
    if _format_of(hook) not in _EDITED or hook.found is None:
        return None
    for changes in _single_switches(hook):
        document = _document(hook)
        text = edit(document, changes).text
        after = _read_again(hook.found, text)
        if _is_off(hook, after):
            return _changed(hook, what, text, notes=tuple(_shared_names(hook, client, after)))
    return None


def _single_switches(hook: ResolvedHook) -> Iterator[Changes]:
    """The ways in which the client's profile says that one hook is switched off."""
    facts, document = profile(hook.client), _document(hook)
    pointer = parse_pointer(document.data, hook.action.origin.pointer)
    if facts.layout.enabled_at:
        at = pointer if facts.layout.enabled_at == "hook" else pointer[:1]
        yield Changes(members={(*at, "enabled"): False})
    for switch in facts.switches:
        if switch.reach == "named":
            yield Changes(added=((switch.path, hook.action.name or hook.action.summary()),))


def _is_off(hook: ResolvedHook, file: HookFile) -> bool:
    found = [action for rule in file.rules for action in rule.actions if action.origin.pointer == hook.origin.pointer]
    return any(
        action.fate.state is FateState.DISABLED or named_key(action, file.switches.named) is not None
        for action in found
    )


def _shared_names(hook: ResolvedHook, client: ProjectClient, after: HookFile) -> Iterator[str]:
    """Which other hooks the change switches off, too."""
    before = hook.found and next((file for file in client.files if file.path == hook.file), None)
    names = after.switches.named - (before.switches.named if before else frozenset())
    others = [each for each in client.hooks if each.key != hook.key]
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
            if each.file == hook.file and each.origin.pointer in off and each.state != FateState.DISABLED
        ]
    for each in also:
        yield f"this also disables the hook on {each.native_event}: {each.text()}"


def plan_enabling(hook: ResolvedHook, client: ProjectClient) -> FileChange:
    """The file in which the hook is no longer switched off. AnyhookError: the reason is elsewhere, and what it is."""
    what = f"enable the hook on {hook.native_event}"
    if guard := _guard_of(hook):
        options = GUARDS[guard].options
        usual = next(option.usual for option in options if option.name == LEVEL.name)
        return _changed(hook, what, with_guard(_text(hook), guard, str(usual), hook.file))
    for path, changes in _switches_that_hold(hook, client):
        document = _parsed(path)
        found = next((found for found in client.found if found.path == path), None)
        return FileChange(
            path=path,
            before=document.text.encode(),
            after=edit(document, changes).text.encode(),
            what=what,
            project=_project_of(found, client.base),
        )
    raise AnyhookError(f"{hook.file}: nothing that anyhook can change switches this hook off: {hook.why}")


def _switches_that_hold(hook: ResolvedHook, client: ProjectClient) -> Iterator[tuple[Path, Changes]]:
    facts = profile(hook.client)
    own = Path(hook.file)
    if facts.layout.enabled_at and _format_of(hook) is Format.JSON:
        document = _parsed(own)
        pointer = parse_pointer(document.data, hook.action.origin.pointer)
        member = (*(pointer if facts.layout.enabled_at == "hook" else pointer[:1]), "enabled")
        if value_at(document.data, member) is False:
            yield own, Changes(removed=(member,))
    for file in client.files:
        path = Path(file.path)
        if Loader.format_of(path) is not Format.JSON or not (file.switches.named or file.switches.off):
            continue
        data = _parsed(path).data
        for switch in facts.switches:
            value = value_at(data, switch.path)
            if switch.reach == "named" and isinstance(value, list) and named_key(hook.action, file.switches.named):
                key = named_key(hook.action, file.switches.named)
                yield path, Changes(removed=tuple((*switch.path, at) for at, name in enumerate(value) if name == key))
            elif switch.reach in ("all", "file") and value is switch.value:
                yield path, Changes(removed=(switch.path,))


def other_ways(hook: ResolvedHook, client: ProjectClient) -> tuple[Alternative, ...]:
    """What exists for a hook that cannot be disabled alone: deleting it, or switching off all hooks."""
    ways = []
    with suppress(AnyhookError):
        ways.append(Alternative("Delete the hook. Undo (u) brings it back.", plan_deletion(hook)))
    return (*ways, *_switches_of_all(hook, client))


def _switches_of_all(hook: ResolvedHook, client: ProjectClient) -> Iterator[Alternative]:
    if hook.found is None or _format_of(hook) is not Format.JSON:
        return
    facts = profile(hook.client)
    for switch in facts.switches:
        if switch.reach in ("all", "file") and hook.file.endswith(switch.file):
            document = _document(hook)
            text = edit(document, Changes(members={switch.path: switch.value})).text
            if _read_again(hook.found, text).switches.off:
                setting = f"{'.'.join(switch.path)}: {str(switch.value).lower()}"
                reach = _reach_text(switch, client)
                yield Alternative(f"Switch off {reach}: {setting}", _changed(hook, f"switch off {reach}", text))


def _reach_text(switch: Switch, client: ProjectClient) -> str:
    return "all hooks of this file" if switch.reach == "file" else f"all hooks of {client.title}"


# -------------------------------------------------------------------------------------------------------------- files


def _guard_of(hook: ResolvedHook) -> str:
    """The name of a guard that a table of ``anyhook.toml`` switches on; empty: the hook is none."""
    is_table = _format_of(hook) is Format.GUARDS and hook.action.kind == "guard"
    return hook.action.guard if is_table and isinstance(hook.action, Guard) else ""


def _format_of(hook: ResolvedHook) -> Format:
    return Loader.format_of(Path(hook.file))


def _document(hook: ResolvedHook) -> Document:
    _refuse_own_call(hook.action, hook.client)
    if _format_of(hook) not in _EDITED:
        text = f"{hook.file}:{hook.line}: this hook is written in {_format_of(hook).value}"
        raise AnyhookError(f"{text}\nchange it in the editor (e)")
    document = _parsed(Path(hook.file))
    _refuse_stale(hook)
    return document


def _refuse_stale(hook: ResolvedHook) -> None:
    """The place of a hook counts only as long as the hook is still there."""
    file = Loader().load(hook.found) if hook.found else None
    actions = [action for rule in file.rules for action in rule.actions] if file else [hook.action]
    if not any((each.origin, each.summary()) == (hook.action.origin, hook.summary) for each in actions):
        text = f"{hook.file}: the file has changed since it was read"
        raise AnyhookError(f"{text}\nread it again (r), then try again")


def _refuse_own_call(action: Action, client: str) -> None:
    if asking_of(action) is not None:
        text = f"{action.origin}: anyhook deploy wrote this entry"
        remedy = f"remove it with: anyhook undeploy --client {client}; or change the hooks that it asks"
        raise AnyhookError(f"{text}\n{remedy}")


def _parsed(path: Path) -> Document:
    content = read_content(path)
    return unbroken(parse("" if content is None else content.decode(), Loader.format_of(path), str(path)))


def _text(hook: ResolvedHook) -> str:
    content = read_content(Path(hook.file))
    return "" if content is None else content.decode()


def _read_again(found: Found, text: str) -> HookFile:
    """The file with this text, as its client reads it."""
    return Loader({found.path: text}).load(found)


def _changed(hook: ResolvedHook, what: str, text: str, notes: tuple[str, ...] = ()) -> FileChange:
    return _planned(hook, what, text.encode(), notes)


def _planned(hook: ResolvedHook, what: str, after: bytes | None, notes: tuple[str, ...] = ()) -> FileChange:
    path = Path(hook.file)
    if hook.found is not None and hook.found.source.shared:
        notes = (*notes, "the file belongs to another client, which loses the hook, too")
    return FileChange(
        path=path,
        before=read_content(path),
        after=after,
        what=what,
        notes=notes,
        project=_project_of(hook.found, hook.base),
    )


def _project_of(found: Found | None, base: Path) -> Path | None:
    """The folder that the file must be in; None: it belongs to the user."""
    is_projects = found is not None and found.source.scope in (Scope.PROJECT, Scope.LOCAL)
    return base if is_projects else None
