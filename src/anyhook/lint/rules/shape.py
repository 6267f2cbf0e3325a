"""Rules about a file as a whole and about its hooks as entries: versions, names of events, types, keys, duplicates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial

from msgspec import structs

from anyhook.dialects import real_clients
from anyhook.dialects.clients import OWN
from anyhook.dialects.events import find_event, native_name, native_names, owners, some_events
from anyhook.dialects.files.actions import keys_of
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Dedupe, Profile
from anyhook.engine.match import matcher_for
from anyhook.engine.plan import type_not_run
from anyhook.lint.checked_file import CheckedFile, Hook
from anyhook.lint.roots import is_template, is_whole_project
from anyhook.model.codes import Severity
from anyhook.model.document import Pointer, value_at
from anyhook.model.events import Subject
from anyhook.model.hooks import Action, Command, FateState, Guard, Rule, RuleCommand, Unreadable
from anyhook.model.problems import Problem
from anyhook.model.wording import join_or
from anyhook.sources.editing.json_edits import add_first_member, is_editable
from anyhook.sources.recognise import GENERIC_MANIFEST, is_of_unknown_client, recognise_content

_STYLES = {
    "PascalCase": re.compile(r"[A-Z][A-Za-z]*"),
    "camelCase": re.compile(r"[a-z]+[A-Z][A-Za-z]*"),
    "snake_case": re.compile(r"[a-z]+(?:_[a-z]+)+"),
    "kebab-case": re.compile(r"[a-z]+(?:-[a-z]+)+"),
}


def unknown_format(file: CheckedFile) -> tuple[Problem, ...]:
    """F013, in place of what a client has to say of a file that is nobody's, in a place that several use."""
    data, is_own = file.document.data, file.profile.name == OWN and file.source.sniffed
    if not (is_own or file.source.marker == GENERIC_MANIFEST) or file.document.format.is_own or not data:
        return ()
    allowed = file.profile.layout.file_keys or frozenset()
    is_universal = is_own and isinstance(data, dict) and data.keys() <= allowed and data.get("version") == 1
    if is_universal or recognise_content(file.path, file.document) is not None:
        return ()
    text = "this is not a hook file that anyhook knows, so nothing in it is checked"
    fix = "if it is for a client that anyhook knows, name it: --client"
    severity = Severity.NOTE if is_of_unknown_client(file.path) else None
    return (file.problem("F013", (), text, fix, severity=severity),)


def is_not_worth_saying(file: CheckedFile, found: Problem) -> bool:
    """Whether another problem says it better, or the file is alone, so that it cannot be known."""
    if found.code == "K003" and find_event(found.origin.pointer.strip("/")):
        return any(other.code == "S001" for other in file.hooks.problems)
    if found.code in _SHAPES and (event := _first_two(found.origin.pointer)):
        lost = {"E001", "E002"}  # an event that never happens is the first mistake; what is in it does not matter yet
        return any(other.code in lost and other.origin.pointer == event for other in file.hooks.problems)
    if found.code == "S005":  # in a file of another form the version is the least
        return any(other.code == "S008" and other.origin.pointer in ("", "/hooks") for other in file.hooks.problems)
    if found.code == "F002":
        return any(other.code == "F001" for other in file.hooks.problems)
    if found.code in {"S001", "F001", "F009"} and is_template(file):
        return found.code == "S001" or _template_sign(file.document.text) is not None
    if found.code == "S010" and is_whole_project(file):  # a file that does not exist is the mistake
        return any(p.code == "S012" and p.origin.pointer == found.origin.pointer for p in file.hooks.problems)
    return found.code == "S012" and not is_whole_project(file)


_SHAPES = frozenset({"S003", "S004", "S007", "S008", "K001", "K002", "T003"})
_template_sign = re.compile(r"\{\{|\{%|<%").search


def _first_two(pointer: str) -> str:
    """Where the event is of which a pointer names a part."""
    parts = pointer.split("/")
    return "/".join(parts[:3]) if len(parts) > 2 else ""


def join_losses(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """One mistake is one problem: that it costs the whole file is told with it, or in place of a mere note."""
    kept: list[Problem] = []
    for found in problems:
        mistake = next(filter(partial(_is_about_the_same, found), reversed(kept)), None)
        if found.code != "S009" or mistake is None:
            kept.append(found)
            continue
        code = mistake.code if mistake.severity is found.severity else found.code
        kept[kept.index(mistake)] = structs.replace(
            mistake,
            code=code,
            severity=found.severity,
            text=f"{mistake.text}; {found.text}",
            fix=mistake.fix or found.fix,
        )
    return tuple(kept)


def _is_about_the_same(one: Problem, other: Problem) -> bool:
    short, long = sorted((one.origin.pointer, other.origin.pointer), key=len)
    return long == short or (short != "" and long.startswith(f"{short}/"))


_MEANT_AS_MATCHER = frozenset({"tool_name", "toolName", "tool", "tools", "toolNames"})
_KEYS_THAT_MATTER = frozenset({"if", "args", "failClosed", "onFailure", "cwd", "env", "shell", "commandRegex"})


def weighed(file: CheckedFile, found: Problem) -> Problem:
    """A key that is not read is a note, unless the hook then does something else than it says."""
    pointer = file.pointer(found.origin)
    if found.code == "K006" and _is_remark(value_at(file.document.data, pointer)):
        return structs.replace(found, severity=Severity.NOTE, fix="remove it if the file is to be strict")
    if found.code not in {"K001", "K002"}:
        return found
    key, value = pointer[-1] if pointer else "", value_at(file.document.data, pointer)
    is_off = (key == "enabled" and value is False) or (key == "disabled" and value is True)
    if is_off:
        text = f"{found.text}, so the hook is not switched off"
        return structs.replace(found, severity=Severity.WARNING, text=text, fix="remove the hook to switch it off")
    if key in _MEANT_AS_MATCHER and not _has_matcher(file, pointer):
        text = f"{found.text}, so the hook runs on every tool"
        return structs.replace(found, severity=Severity.WARNING, text=text, fix='write it as "matcher"')
    if found.code == "K001" and keys_of(file.profile.layout, "command").get(str(key), "note") != "note":
        return structs.replace(found, severity=Severity.WARNING, fix="move it into the hook")
    if found.fix.startswith("did you mean"):
        return structs.replace(found, severity=Severity.WARNING)
    if key not in _KEYS_THAT_MATTER:
        return found
    readers = [known.title for known in real_clients() if _reads(known, str(key))]
    fix = f"{', '.join(readers)} would; here, do it inside the command" if readers else found.fix
    return structs.replace(found, severity=Severity.WARNING, fix=fix)


def _is_remark(entry: object) -> bool:
    """Whether an entry holds nothing but a comment for people."""
    return isinstance(entry, dict) and bool(entry) and all(key.startswith(("_", "//", "$")) for key in entry)


def _has_matcher(file: CheckedFile, pointer: Pointer) -> bool:
    """Whether the hook of a key, or the group around it, has a matcher, or is for an event without tools."""
    around = [value_at(file.document.data, pointer[:end]) for end in range(1, len(pointer))]
    events = (event for part in pointer if isinstance(part, str) and (event := find_event(part, file.profile.name)))
    has_tools = any(event.subject is Subject.TOOL for event in events)
    return not has_tools or any(isinstance(value, dict) and "matcher" in value for value in around)


def _reads(known: Profile, key: str) -> bool:
    return key in known.layout.group_keys or key in keys_of(known.layout, "command")


def check_version(file: CheckedFile) -> Iterator[Problem]:
    """S005, where the client loads the file without a version but its documents and its sister ask for one."""
    layout, data = file.profile.layout, file.document.data
    if file.hooks.kind != FileKind.HOOKS or layout.version is None or layout.version_required:
        return
    own_style = any(rule.native_event[:1].islower() for rule in file.hooks.rules)
    if not isinstance(data, dict) or "version" in data or not own_style:
        return
    text = f'no "version"; {file.profile.title} {file.profile.release} loads the file, but its documents ask for one'
    fix = f'add "version": {json.dumps(layout.version)}'
    edits = add_first_member(file.document, (), "version", layout.version) if is_editable(file.document, ()) else ()
    yield file.problem("S005", (), text, fix, severity=Severity.NOTE, edits=edits)


def check_event_names(file: CheckedFile) -> Iterator[Problem]:
    """E004, and E001 or E002 for events inside entries of a list.

    An event that the client never fires is E002, whatever its spelling; two styles matter where both are fired.
    """
    styles: dict[str, Rule] = {}
    known = native_names(file.profile.name)
    for rule in file.hooks.rules:
        style = next((name for name, pattern in _STYLES.items() if pattern.fullmatch(rule.native_event)), "")
        if style and rule.native_event in known:
            styles.setdefault(style, rule)
    if len(styles) > 1:
        (first, one), (second, other) = list(styles.items())[:2]
        text = f"{one.native_event} is {first}, {other.native_event} is {second}: one of them may not be what you think"
        pointer = file.pointer(other.origin)
        at = pointer[:-1] if pointer and isinstance(pointer[-1], int) else pointer
        yield file.problem("E004", at, text, some_events(file.profile.name))
    yield from _listed_events(file)


def _listed_events(file: CheckedFile) -> Iterator[Problem]:
    """Events that a list of hooks names, where the client wants an object of events."""
    data = file.document.data
    if not isinstance(data, dict) or not isinstance(data.get("hooks"), list):
        return
    title, known = file.profile.title, native_names(file.profile.name)
    for rule in file.hooks.rules:
        if rule.native_event in known or rule.native_event == "?":
            continue
        meant = find_event(rule.native_event)
        own = native_name(meant.name, file.profile.name) if meant else None
        fix = f"did you mean {own}?" if own else some_events(file.profile.name)
        whose = owners(rule.native_event)
        text = f"{title} has no event called {rule.native_event}"
        yield file.problem("E002" if whose else "E001", file.pointer(rule.origin), text, fix)


def check_type(hook: Hook) -> Iterator[Problem]:
    """K005: a hook type that the client runs, but not on this event. K008: keys that do nothing here."""
    action, client = hook.action, hook.profile
    if isinstance(action, Unreadable) or hook.event is None or native_name(hook.rule.event, client.name) is None:
        return
    allowed = client.types_on.get(hook.rule.event)
    if allowed is not None and action.kind not in allowed:
        text = type_not_run(client, hook.rule, action, matcher_for(hook.file.profile, hook.rule))
        yield hook.file.problem("K005", hook.at("type"), text, f"use {join_or(sorted(allowed))} here")
    elif action.condition is not None and (
        why := type_not_run(client, hook.rule, action, matcher_for(hook.file.profile, hook.rule))
    ):
        fix = 'remove "if", and test the event inside the hook'
        yield hook.file.problem("K008", hook.at("if"), why, fix, severity=Severity.ERROR)
    if action.once and client.layout.once_in_components_only and not hook.file.is_component:
        text = f'{client.title} acts on "once" only in the front matter of a skill; here the hook runs every time'
        yield hook.file.problem("K008", hook.at("once"), text, "remove it, or let the hook remember that it ran")


def check_unread_keys(hook: Hook) -> Iterator[Problem]:
    """T003 in entries that the client drops for another reason; in the others reading reports it.

    Other unread keys (K002) of such an entry are not worth a note before it is loaded at all.
    """
    if not isinstance(hook.action, Unreadable) or not _COMMAND_KEYS & hook.entry.keys():
        return
    layout, title = hook.profile.layout, hook.profile.title
    kind = hook.entry.get("type", "command")
    known = {**keys_of(layout, kind if isinstance(kind, str) else "command")}
    timeout = next((key for key, field in known.items() if field == "timeout"), "")
    for key in hook.entry:
        if "timeout" in key.lower() and key not in known and key not in layout.ignored_keys:
            fix = f'write it as "{timeout}"' if timeout else "remove it: this client has no timeout setting"
            yield hook.file.problem("T003", hook.at(key), f'{title} does not read "{key}" on a hook', fix)


_COMMAND_KEYS = frozenset({"command", "bash", "powershell", "prompt", "script"})


def check_duplicates(file: CheckedFile) -> Iterator[Problem]:
    """D001: the same hook twice under one event and matcher."""
    seen: dict[object, Hook] = {}
    runs_once = file.profile.execution.dedupe is not Dedupe.NOTHING
    for hook in file.all_hooks():
        key = _identity(hook)
        if key is None or hook.action.fate.state is FateState.DISABLED:
            continue
        first = seen.setdefault(key, hook)
        if first is hook:
            continue
        line = first.action.origin.line
        text = f"the same hook is in line {line} under the same event and matcher"
        text += "; it runs once" if runs_once else " and runs twice"
        severity = Severity.NOTE if runs_once else None
        yield file.problem("D001", hook.pointer, text, "remove one of them", severity=severity)


def _identity(hook: Hook) -> object | None:
    rule, action = hook.rule, hook.action
    what = action.summary()
    if not what or what.startswith("{"):
        return None
    variants = action.by_os if isinstance(action, Command) else None
    # Of an entry that the client does not load, any key may be what tells two hooks apart: "tool_name", "event".
    entry = "" if action.is_loaded else repr(hook.entry)
    matcher, section, surroundings = rule.matcher or "", rule.extra.get("section"), runs_in(action)
    where = (rule.native_event, matcher, rule.command_pattern, rule.kinds, section)
    given = action.settings if isinstance(action, Guard | RuleCommand) else {}
    settings = repr({key: value for key, value in given.items() if key != "log"})
    return *where, what, entry, action.condition, variants, surroundings, settings


def runs_in(action: Action) -> object:
    """The folder and the variables of a hook, by which two hooks with the same command differ."""
    return (action.cwd, tuple(sorted(action.env.items()))) if isinstance(action, Command) else None
