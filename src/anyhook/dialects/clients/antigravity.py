"""Google Antigravity: ``conformance/fact-sheets/others.md`` (RS, APM) and measurements of ``agy`` 1.1 (AGY, below).

A ``hooks.json`` is an object of hook names, each with its own events: ``{"my-guard": {"PreToolUse": [...]}}``. AGY is
what others measured: the rule antigravity-hooks-valid of skillsaw (1.1.25), and logs such as "loaded 1 named hooks".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import REASON
from anyhook.dialects.contract import Answers, Field, Folding, WireFormat
from anyhook.dialects.events import find_event, native_names
from anyhook.dialects.files.actions import BadEntryError, write_action
from anyhook.dialects.files.entries import describe
from anyhook.dialects.files.reading import EventMap, FileReader
from anyhook.dialects.files.schema import json_schema
from anyhook.dialects.places import FileKind, Writing, plugin, project, user
from anyhook.dialects.profile import (
    Execution,
    Layout,
    LossScope,
    Matching,
    MatchMode,
    Otherwise,
    Profile,
    Shape,
    Timeouts,
)
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import Tools, event_names, tool
from anyhook.model.document import Document, Pointer
from anyhook.model.events import Event
from anyhook.model.hooks import ACTIVE, Action, Fate, FateState, HookFile, Rule
from anyhook.model.origin import Scope

TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse"})
"""Written as groups with a matcher; all others are flat lists (RS, AGY)."""
FOREIGN_KEYS = {"command": ("prompt", "model"), "prompt": ("command",)}
"""For each hook type the keys of the other one, which make it invalid (AGY)."""
DEFAULT_NAME = "anyhook"
_OFF = Fate(FateState.DISABLED, '"enabled" is false')

# Measured with agy 1.0.5 and 1.1.2 (github websentry-ai/setup #104; docs.rs safe-chains, targets/agy): the payload does
# not name its event, force_ask asks even what the user always allows, and no decision at all is a refusal.
_WIRE = WireFormat(
    event_key="",
    case="camel",
    container="toolCall",
    renames={
        "conversationId": "session_id",
        "workspacePaths": "workspace_roots",
        "name": "tool_name",
        "args": "tool_input",
    },
)
_ANSWERS = Answers(
    on={
        "PreToolUse": (
            Field("decision", ("decision",), {"deny": "deny", "force_ask": "ask", "ask": "ask", "allow": "allow"}),
            REASON,
        ),
    },
    silence_blocks_on=frozenset({"PreToolUse"}),
)

PROFILE = Profile(
    name="antigravity",
    title="Antigravity",
    release="1.1.25",
    basis="documented",
    events=event_names(
        "SessionStart PreToolUse PostToolUse PreInvocation PostInvocation Stop",
    ),
    tools=Tools(
        kinds={
            "shell": tool("run_command", command="CommandLine"),
            "read": tool("view_file", file_path="AbsolutePath"),
            "write": tool("write_to_file", file_path="TargetFile", content="CodeContent"),
            "edit": tool("replace_file_content multi_replace_file_content", file_path="TargetFile"),
            "glob": tool("find_by_name", pattern="Pattern"),
            "grep": tool("grep_search", pattern="Query"),
            "list": tool("list_dir"),
        },
    ),
    recognition=Recognition(words=("antigravity",), hooks_by_name=True),
    sources=(
        project(".agents/hooks.json", writing=Writing.PREFERRED),
        user(".gemini/config/hooks.json", writing=Writing.PREFERRED),
        plugin("hooks.json", ".antigravity-plugin"),
    ),
    layout=Layout(
        enabled_at="name",
        common_keys={"timeout": "timeout"},
        action_keys={"command": {"command": "command"}, "prompt": {"prompt": "prompt", "model": "model"}},
        default_type="command",
        submits_prompts=True,
        # AGY: whatever is refused, the whole file goes, with one line in the debug log.
        on_bad_entry=LossScope.FILE,
        on_bad_event=LossScope.FILE,
        flat_entry="ignored",  # AGY: a group whose keys it does not know, with no hooks in it
        event_settings=frozenset({"description", "name", "version"}),
    ),
    matching=Matching(mode=MatchMode(otherwise=Otherwise.SEARCH, flavour="re2")),  # a Go program; "" and "*" are all
    timeouts=Timeouts(default_ms=30_000, whole_numbers=True, zero="default"),
    execution=Execution(cwd="file's folder"),
    folding=Folding(rewrite="none"),
    wire=_WIRE,
    answers=_ANSWERS,
)


class AntigravityReader(FileReader):
    """Every top-level key is the name of a hook, even "hooks": an event map wrapped in that is one hook (AGY)."""

    expected = "{NAME: {EVENT: [...]}}, where NAME is any name for the hook"
    # AGY: a hook without a command loads and runs nothing, and so does a group in a flat list, whose keys are unknown.
    harmless = frozenset({"K006", "S004"})

    def event_maps(self, data: Any) -> Iterator[EventMap]:
        if not isinstance(data, dict):
            self.lose_everything("S008", (), f"the file holds {describe(data)}, not an object of named hooks", data)
            return
        for name, hook in data.items():
            if not isinstance(hook, dict):
                yield from self._not_a_hook(name, hook)
                continue
            enabled = hook.get("enabled", True)
            if not isinstance(enabled, bool):
                self.report("K007", (name, "enabled"), '"enabled" must be true or false', "write true or false")
                self.lose(name, LossScope.FILE, '"enabled" is not true or false', (name, "enabled"))
            events = {key: value for key, value in hook.items() if key != "enabled"}
            yield EventMap(events, (name,), _OFF if enabled is False else ACTIVE, name)

    def _not_a_hook(self, name: str, value: Any) -> Iterator[EventMap]:
        """A top-level value that is not an object loses the file; the hooks in it are kept as lost ones."""
        why = f'"{name}" holds {describe(value)}; a hook\'s name must hold an object of events'
        if isinstance(value, list) and find_event(name):
            self.report("S001", (name,), why, f'wrap the events: {{"my-hooks": {{"{name}": ...}}}}')
            yield EventMap({name: value}, (), Fate(FateState.DROPPED, why))
        else:
            self.lose_everything("S008", (name,), why, value)
        self.lose(name, LossScope.FILE, why, (name,))

    def event_of(self, native: str) -> Event | None:
        return _events().get(native.lower())

    def shape_of(self, native: str) -> Shape:
        event = self.event_of(native)
        return Shape.GROUPS if event and event.name in TOOL_EVENTS else Shape.FLAT

    def prepared(self, entry: Any) -> Any:
        if isinstance(entry, dict):
            kind, timeout = entry.get("type", "command"), entry.get("timeout")
            for key in FOREIGN_KEYS.get(kind, ()) if isinstance(kind, str) else ():
                if key in entry:
                    raise BadEntryError("K007", f'"{key}" on a {kind} hook is refused', "remove it", key)
            if timeout is not None and not _is_32_bit(timeout):
                text = '"timeout" must be a whole number of seconds'
                raise BadEntryError("K007", text, "write it without quotes and decimal point", "timeout")
        return entry

    def read_action(self, native: str, entry: Any, pointer: Pointer, fate: Fate) -> tuple[Action, Any]:
        action, matcher = super().read_action(native, entry, pointer, fate)
        return structs.replace(action, name=self.map_name), matcher


def _is_32_bit(value: Any) -> bool:
    """AGY: 5.0 and "5" are refused, 0 and negative numbers are not."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31


@cache
def _events() -> Mapping[str, Event]:
    """AGY: names of events are compared without case."""
    return {name.lower(): event for name, event in native_names(PROFILE.name).items()}


def _event_key(rule: Rule) -> str | None:
    """The name to write a rule under: as it was spelled if Antigravity knows that name."""
    if rule.native_event.lower() in _events():
        return rule.native_event
    return rule.event if rule.event.lower() in _events() else None


class Antigravity(ProfiledDialect):
    """Reads and writes named hooks. A hook's name is the name of every action in it."""

    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        return AntigravityReader(self.profile, document, kind, scope).read()

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        content: dict[str, dict[str, Any]] = {}
        for rule in rules:
            event = _event_key(rule)
            loaded = [action for action in rule.actions if action.is_loaded]
            if event is None:
                continue
            for (name, is_off), actions in groupby(loaded, _name_and_switch):
                _hook(content, name, is_off).setdefault(event, []).extend(_entries(rule, actions))
        return content

    def schema(self) -> dict[str, Any]:
        made = json_schema(structs.replace(PROFILE, layout=structs.replace(PROFILE.layout, shape=Shape.EITHER)))
        events = {
            name: {**event, "items": {"$ref": "#/$defs/group" if name in TOOL_EVENTS else "#/$defs/hook"}}
            for name, event in made["properties"]["hooks"]["properties"].items()
        }
        hook = {"type": "object", "properties": {"enabled": {"type": "boolean"}, **events}}
        return {**made, "properties": {}, "additionalProperties": hook}


def _name_and_switch(action: Action) -> tuple[str, bool]:
    return DEFAULT_NAME if action.name is None else action.name, action.fate.state is FateState.DISABLED


def _hook(content: dict[str, dict[str, Any]], name: str, is_off: bool) -> dict[str, Any]:
    """The named hook to write into. One that is switched off never shares a name with one that is not."""
    while name in content and ("enabled" in content[name]) is not is_off:
        name += "-off" if is_off else "-on"
    return content.setdefault(name, {"enabled": False} if is_off else {})


def _entries(rule: Rule, actions: Iterable[Action]) -> list[dict[str, Any]]:
    matcher = {} if rule.matcher is None else {"matcher": rule.matcher}
    entries = [write_action(PROFILE, action) for action in actions]
    if rule.event in TOOL_EVENTS:
        return [{**matcher, "hooks": entries, **rule.extra}]
    return [{**matcher, **entry} for entry in entries]


DIALECT = Antigravity(PROFILE)
