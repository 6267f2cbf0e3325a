"""The three formats of Kiro's hooks: reading and writing them. What Kiro does with the hooks is in :mod:`kiro`.

v1 (IDE 1, CLI 3): ``.kiro/hooks/*.json`` with a list of {name, trigger, matcher, action}. CLI 2: the "hooks" of an
agent in ``.kiro/agents/*.json``, an object of events. IDE 0: one hook a ``.kiro.hook`` file, {when, then}.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from anyhook.dialects.events import native_name
from anyhook.dialects.files.actions import BadEntryError, write_action
from anyhook.dialects.files.entries import describe
from anyhook.dialects.files.reading import FileReader
from anyhook.dialects.profile import Profile
from anyhook.model.document import Pointer
from anyhook.model.events import Event
from anyhook.model.hooks import ACTIVE, Action, Fate, FateState, Rule

CLI_EVENTS = frozenset(
    {"agentSpawn", "userPromptSubmit", "preToolUse", "postToolUse", "fileEdited", "fileCreated", "stop", "agentStop"}
)
"""CLI 2, as the migration guide to 3 lists them (RS)."""
TOOL_EVENTS = frozenset({"preToolUse", "postToolUse"})
FILE_EVENTS = frozenset({"fileEdited", "fileCreated", "fileDeleted", "fileSaved"})
IDE_EVENTS = (
    FILE_EVENTS
    | TOOL_EVENTS
    | {"promptSubmit", "agentStop", "preTaskExecution", "postTaskExecution", "userTriggered", "manual"}
)
V1_EVENTS = frozenset(
    {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostFileCreate",
        "PostFileSave",
        "PostFileDelete",
        "PreTaskExec",
        "PostTaskExec",
        "Stop",
        "Manual",
        "manual",  # KD; KV3 writes Manual
    }
)

V1_TYPES = {"command": "command", "agent": "prompt"}
"""An agent action puts its prompt into the conversation; no model is asked for a verdict (KD)."""
IDE_TYPES = {"runCommand": "command", "shellCommand": "command", "askAgent": "prompt"}

V1_INNER = ("command", "prompt")
IDE_INNER = ("command", "prompt", "timeout")
"""Keys of what runs that are inside "action" and "then"."""

NO_LIMIT_S = 86_400
"""``"timeout": 0`` in v1 means without limit; a day is that in practice."""

_OFF = Fate(FateState.DISABLED, '"enabled" is false')


class KiroReader(FileReader):
    """The "hooks" of an agent, and what the other formats share: hooks that are objects of their own."""

    events = CLI_EVENTS

    def event_of(self, native: str) -> Event | None:
        return super().event_of(native) if native in self.events else None

    def unknown_event(self, native: str, pointer: Pointer, fate: Fate) -> Fate:
        meant = super().event_of(native)
        if meant is None:
            return super().unknown_event(native, pointer, fate)
        text = f"{native} is an event of another format of Kiro's; in this one it never fires"
        own = [name for name in sorted(self.events) if super(KiroReader, self).event_of(name) is meant]
        self.report("E002", pointer, text, f"write {own[0]}" if own else "move the hook to .kiro/hooks/NAME.json")
        return Fate(FateState.DROPPED, text)

    def read_one(self, native: Any, entry: Mapping[str, Any], pointer: Pointer, at: Pointer) -> None:
        """One hook that is an object of its own. ``native`` is its event, which is at ``at``."""
        if not isinstance(native, str):
            key = ".".join(map(str, at[len(pointer) :]))
            given = "is missing" if native is None else f"is {describe(native)}"
            text = f'"{key}" {given}; Kiro wants the event there, as text'
            self.bad_entry("?", entry, pointer, ACTIVE, "K006", text, f"Kiro wants {self.expected}")
            return
        fate = _OFF if entry.get("enabled") is False else ACTIVE
        if not self.accepts(native):
            fate = self.unknown_event(native, at, fate)
        action, matcher = self.read_action(native, entry, pointer, fate)
        extra = {"when": entry["when"]} if "when" in entry else {}
        text_matcher = matcher if isinstance(matcher, str) else None
        self.add_rule(native, pointer, [action], matcher=text_matcher, is_nested=False, extra=extra)
        if action.is_loaded:
            self.report_unread(entry, pointer)

    def report_unread(self, entry: Mapping[str, Any], pointer: Pointer) -> None:
        """Report keys where Kiro does not look for them."""

    def _report_key(self, key: str, where: str, pointer: Pointer, fix: str) -> None:
        code = "T003" if "timeout" in key.lower() else "K008" if key in {"patterns", "toolTypes"} else "K002"
        self.report(code, pointer, f'Kiro does not read "{key}" {where}', fix)


class V1Reader(KiroReader):
    events = V1_EVENTS
    expected = '{"version": "v1", "hooks": [{"name": ..., "trigger": ..., "action": {"type": "command", ...}}]}'

    def read_hooks(self, data: Any) -> None:
        if not isinstance(data, dict):
            self.lose_everything("S008", (), f"the file holds {describe(data)}, not an object", data)
            return
        self.check_file_keys(data)
        hooks = data.get("hooks")
        if isinstance(hooks, list):
            for index, entry in enumerate(hooks):
                self._read_item(entry, ("hooks", index))
        elif isinstance(hooks, dict):
            text = '"hooks" is an object of events; Kiro wants a list of hooks'
            self.report("S008", ("hooks",), text, f"Kiro wants {self.expected}")
            for native, value in hooks.items():
                self.read_event(native, value, ("hooks", native), Fate(FateState.DROPPED, text))
        elif "when" in data or "then" in data:
            text = "this is the format of IDE 0, which Kiro reads from .kiro.hook files only"
            self.report("S008", (), text, f"Kiro wants {self.expected}")
            self.add_rule(_event_of_when(data), (), [self.unreadable(data, (), Fate(FateState.DROPPED, text))])
        else:
            self.lose_everything("S008", ("hooks",), 'there is no list "hooks"', data)

    def _read_item(self, entry: Any, pointer: Pointer) -> None:
        if isinstance(entry, dict):
            self.read_one(entry.get("trigger"), entry, pointer, (*pointer, "trigger"))
        else:
            text = f"{describe(entry)} in the list of hooks"
            self.bad_entry("?", entry, pointer, ACTIVE, "S008", text, f"Kiro wants {self.expected}")

    def prepared(self, entry: Any) -> Any:
        flat = _flattened(entry, "action", V1_TYPES, V1_INNER)
        if not isinstance(entry.get("name"), str) or not entry["name"]:
            raise BadEntryError("K006", 'no "name"; every hook needs one', "give it a name", "name")
        if not isinstance(entry.get("matcher", ""), str | None):
            raise BadEntryError("S008", "the matcher is not text", "write a regular expression as text", "matcher")
        if flat["type"] == "command" and flat.get("timeout") == 0 and flat["timeout"] is not False:
            flat["timeout"] = NO_LIMIT_S
        return flat

    def report_unread(self, entry: Mapping[str, Any], pointer: Pointer) -> None:
        for key in entry["action"]:
            if key not in {"type", *V1_INNER}:  # APM writes the timeout there
                self._report_key(key, 'inside "action"', (*pointer, "action", key), 'move it beside "action"')
        for key in ("type", *V1_INNER):
            if key in entry:
                self._report_key(key, "here", (*pointer, key), 'move it into "action"')


class IdeReader(KiroReader):
    events = IDE_EVENTS
    expected = '{"name": ..., "when": {"type": EVENT, ...}, "then": {"type": "askAgent", "prompt": ...}}'

    def read_hooks(self, data: Any) -> None:
        if isinstance(data, dict) and isinstance(data.get("when"), dict):
            self.read_one(data["when"].get("type"), data, (), ("when", "type"))
        else:
            self.lose_everything("S008", (), 'there is no object "when" that names an event', data)

    def prepared(self, entry: Any) -> Any:
        flat = _flattened(entry, "then", IDE_TYPES, IDE_INNER)
        when = flat.pop("when")
        key = _filter_key(when["type"])
        if key in when:
            filters = when[key]
            if not isinstance(filters, list) or not all(isinstance(item, str) for item in filters):
                raise BadEntryError("K007", f'"{key}" must be a list of texts', "", "when")
            flat["matcher"] = path_pattern(filters) if key == "patterns" else "|".join(filters)
        return flat

    def report_unread(self, entry: Mapping[str, Any], pointer: Pointer) -> None:
        when, known = entry["when"], _filter_key(entry["when"]["type"])
        for key in when:
            if key not in {"type", known}:
                fix = f"write {known}" if known else "remove it"
                self._report_key(key, f"on {when['type']}", ("when", key), fix)
        for key in entry["then"]:
            if key not in {"type", *IDE_INNER}:
                self._report_key(key, 'inside "then"', ("then", key), "remove it")


def _filter_key(native: str) -> str:
    """The key of "when" that says what an event must be about."""
    return "patterns" if native in FILE_EVENTS else "toolTypes" if native in TOOL_EVENTS else ""


def _event_of_when(data: Mapping[str, Any]) -> str:
    when = data.get("when")
    native = when.get("type") if isinstance(when, dict) else None
    return native if isinstance(native, str) else "?"


def _flattened(entry: Any, part: str, types: Mapping[str, str], inner_keys: Sequence[str]) -> dict[str, Any]:
    """A hook as one object: what runs is taken out of ``part``, which keeps what is left in it."""
    inner = entry.get(part) if isinstance(entry, dict) else None
    if not isinstance(inner, dict):
        raise BadEntryError("K006", f'no object "{part}"; there is nothing to run', f'add "{part}": {{...}}', part)
    kind = inner.get("type")
    if not isinstance(kind, str) or kind not in types:
        raise BadEntryError("K005", f"Kiro runs no action of type {kind!r}", f"it runs: {', '.join(types)}", part)
    if not isinstance(entry.get("enabled", True), bool):
        raise BadEntryError("K007", '"enabled" must be true or false', "write true or false", "enabled")
    outer = {key: value for key, value in entry.items() if key not in {"trigger", "type", *inner_keys}}
    taken = {key: inner[key] for key in inner_keys if key in inner}
    left = {key: value for key, value in inner.items() if key not in taken}
    return {**outer, **taken, "type": types[kind], part: left}


_GLOB_PART = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|\{[^{}]*\}|.", re.DOTALL)


def path_pattern(globs: Sequence[str]) -> str:
    """The regular expression for a list of globs, because that is what a matcher on a path is in v1."""
    return "|".join(f"(?:^|/){_translated(glob.removeprefix('./'))}$" for glob in globs)


def _translated(glob: str) -> str:
    return "".join(_GLOB_MEANING.get(part) or _translated_part(part) for part in _GLOB_PART.findall(glob))


_GLOB_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _translated_part(part: str) -> str:
    if len(part) > 1 and part[0] == "[":
        return part.replace("[!", "[^", 1)
    if len(part) > 1 and part[0] == "{":
        return "(?:" + "|".join(_translated(choice) for choice in part[1:-1].split(",")) + ")"
    return re.escape(part)


def write_ide_hook(profile: Profile, rule: Rule) -> dict[str, Any]:
    """The file of one hook that was read from such a file."""
    flat = write_action(profile, next(action for action in rule.actions if action.is_loaded))
    then = {**flat["then"], **{key: flat[key] for key in IDE_INNER if key in flat}}
    rest = {key: value for key, value in flat.items() if key not in {"type", *IDE_INNER}}
    return {**rest, "when": rule.extra["when"], "then": then}


def write_v1(profile: Profile, rules: Sequence[Rule]) -> dict[str, Any]:
    """Rules of any format as a v1 file; those of older formats get the newer names of their events."""
    entries = [_v1_entry(profile, rule, action) for rule in rules for action in rule.actions if action.is_loaded]
    return {"version": profile.layout.version, "hooks": [entry for entry in entries if entry]}


def _v1_entry(profile: Profile, rule: Rule, action: Action) -> dict[str, Any] | None:
    is_v1 = rule.native_event in V1_EVENTS
    trigger = rule.native_event if is_v1 else native_name(rule.event, profile.name)
    if trigger is None or action.kind not in profile.layout.action_keys:
        return None
    flat = write_action(profile, action)
    inner = {"type": "agent" if action.kind == "prompt" else "command"}
    inner |= flat.get("action", {}) if is_v1 else {}
    inner |= {key: flat[key] for key in V1_INNER if key in flat}
    entry: dict[str, Any] = {"name": action.name or trigger, "trigger": trigger}
    if rule.matcher is not None and (is_v1 or rule.matcher != "*"):  # "*" is no expression, and none is needed
        entry["matcher"] = rule.matcher
    entry["action"] = inner
    kept = [key for key in flat if is_v1 or key in ("timeout", "description")]
    entry |= {key: flat[key] for key in kept if key not in {"type", *V1_INNER, *entry}}
    if action.timeout_ms == NO_LIMIT_S * 1000:
        entry["timeout"] = 0
    if action.fate.state is FateState.DISABLED:
        entry["enabled"] = False
    return entry


def v1_schema(profile: Profile, made: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a v1 file, with the title of one that was ``made`` from the profile."""
    text, number = {"type": "string"}, {"type": "number", "minimum": 0, "description": "In seconds; 0: no limit."}
    actions = [
        {"properties": {"type": {"const": kind}, key: text}, "required": ["type", key]}
        for kind, key in (("command", "command"), ("agent", "prompt"))
    ]
    hook = {
        "type": "object",
        "properties": {
            "name": text,
            "description": text,
            "trigger": {"enum": sorted(V1_EVENTS)},
            "matcher": text,
            "action": {"type": "object", "anyOf": actions},
            "timeout": number,
            "enabled": {"type": "boolean"},
            "confirm": {"type": "object"},
        },
        "required": ["name", "trigger", "action"],
    }
    return {
        "$schema": made["$schema"],
        "title": made["title"],
        "type": "object",
        "properties": {
            "version": {"const": profile.layout.version},
            "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
        },
        "required": ["hooks", "version"],
        "$defs": {"hook": hook},
    }
