"""Rulesync: a source format from which hook files of some thirty clients are generated.

Facts are from ``src/types/hooks.ts`` and ``docs/reference/file-formats.md`` of dyoshikawa/rulesync, 2026-08-18. Hooks
under "hooks" are for every client; those under a client's name, ``{"cursor": {"hooks": {...}}}``, are for that client
alone and take the place of the shared ones of the same event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import BORROWED_TOOLS
from anyhook.dialects.events import is_well_formed, native_name, native_names
from anyhook.dialects.files.actions import BadEntryError, write_action
from anyhook.dialects.files.entries import describe
from anyhook.dialects.files.reading import EventMap, FileReader
from anyhook.dialects.places import FileKind, project
from anyhook.dialects.profile import Layout, LossScope, Matching, MatchMode, Otherwise, Profile, Shape, Timeouts
from anyhook.dialects.vocabulary import event_names
from anyhook.model.document import Document, Pointer
from anyhook.model.events import Event
from anyhook.model.hooks import Action, Fate, FateState, HookFile, Rule
from anyhook.model.origin import Scope

SECTIONS: Mapping[str, str] = {
    "amp": "",
    "antigravity-cli": "antigravity",
    "antigravity-ide": "antigravity",
    "augmentcode": "",
    "claudecode": "claude-code",
    "codexcli": "codex",
    "copilot": "copilot-cli",
    "copilotcli": "copilot-cli",
    "cursor": "cursor",
    "deepagents": "",
    "devin": "",
    "factorydroid": "factory-droid",
    "goose": "",
    "grokcli": "",
    "hermesagent": "",
    "junie": "",
    "kilo": "",
    "kimi-code": "",
    "kiro": "kiro",
    "opencode": "",
    "pi": "",
    "qwencode": "qwen-code",
    "reasonix": "",
    "vibe": "",
}
"""Sections that rulesync reads, with the dialect whose own event names are allowed there; empty: anyhook has none."""

DEAD_SECTIONS: Mapping[str, str] = {
    "geminicli": "rulesync no longer generates anything for Gemini CLI",
    "kiro-cli": 'rulesync reads the "kiro" section for every Kiro',
    "kiro-ide": 'rulesync reads the "kiro" section for every Kiro',
}

NAMELESS_EVENTS = frozenset({"contextOffload", "beforeAgentResponse", "stopCancelled"})
"""Events that rulesync has and none of our dialects."""

SINGLE_LINE_KEYS = ("command", "prompt", "matcher", "url", "name", "description", "statusMessage", "model")
"""Texts that end up in generated code, so that a line break or NUL in one rejects the file."""

_LINE_BREAKS = frozenset("\n\r\0")

_COMMON = {
    "timeout": "timeout",
    "name": "name",
    "if": "condition",
    "statusMessage": "status_message",
    "once": "once",
    "failClosed": "fail_closed",
    "description": "note",
    "enabled": "note",  # only Kiro's file can say it; everywhere else the hook is generated switched on
    "loop_limit": "note",
    "cacheTtl": "note",
    "commandRegex": "note",
    "sequential": "note",
    "metadata": "note",
}

PROFILE = Profile(
    name="rulesync",
    title="rulesync",
    release="2026-08-18",
    basis="documented",
    events=event_names(
        SessionStart="sessionStart",
        SessionEnd="sessionEnd",
        Setup="setup",
        SessionDelete="sessionDelete",
        WorkspaceOpen="workspaceOpen",
        UserPromptSubmit="beforeSubmitPrompt",
        UserPromptExpansion="userPromptExpansion",
        PreToolUse="preToolUse",
        PostToolUse="postToolUse",
        PostToolUseFailure="postToolUseFailure",
        PostToolBatch="postToolBatch",
        PermissionRequest="permissionRequest",
        PermissionDenied="permissionDenied",
        BeforeShellExecution="beforeShellExecution",
        AfterShellExecution="afterShellExecution",
        BeforeMCPExecution="beforeMCPExecution",
        AfterMCPExecution="afterMCPExecution",
        BeforeReadFile="beforeReadFile",
        AfterFileEdit="afterFileEdit",
        BeforeTabFileRead="beforeTabFileRead",
        AfterTabFileEdit="afterTabFileEdit",
        FileChanged="fileChanged",
        BeforeToolSelection="beforeToolSelection",
        PreInvocation="preModelInvocation",
        PostInvocation="postModelInvocation",
        MessageDisplay="messageDisplay",
        AfterAgentResponse="afterAgentResponse",
        AfterAgentThought="afterAgentThought",
        Stop="stop",
        StopFailure="afterError stopFailure",
        SubagentStart="subagentStart",
        SubagentStop="subagentStop",
        TeammateIdle="teammateIdle",
        TaskCreated="taskCreated",
        TaskCompleted="taskCompleted",
        TodoCreated="todoCreated",
        TodoCompleted="todoCompleted",
        PreCompact="preCompact",
        PostCompact="postCompact",
        InstructionsLoaded="instructionsLoaded",
        Notification="notification",
        ConfigChange="configChange",
        CwdChanged="cwdChanged",
        DirectoryAdded="directoryAdded",
        WorktreeCreate="worktreeCreate",
        WorktreeRemove="worktreeRemove",
        Elicitation="elicitation",
        ElicitationResult="elicitationResult",
    ),
    tools=BORROWED_TOOLS,
    runs_hooks=False,
    sources=(
        project(".rulesync/hooks.jsonc", only_first=True),
        project(".rulesync/hooks.json", only_first=True),
    ),
    layout=Layout(
        shape=Shape.FLAT,
        version=1,
        common_keys=_COMMON,
        action_keys={
            "command": {
                "command": "command",
                "commandWindows": "by_os.windows",
                "args": "args",
                "shell": "shell",
                "env": "env",
                "async": "is_async",
                "asyncRewake": "rewakes",
                "additionalContextLimit": "context_limit",
                "continueOnBlock": "note",
            },
            "prompt": {"prompt": "prompt", "model": "model", "continueOnBlock": "continue_on_block"},
            "agent": {"prompt": "prompt", "model": "model"},
            "http": {"url": "url", "headers": "headers", "allowedEnvVars": "allowed_env"},
            "mcp_tool": {"server": "server", "tool": "tool", "input": "input"},
        },
        refused_types={"function": "no client can be given a function hook by a file"},
        default_type="command",
        comments=True,
        trailing_commas=True,
        # The schema is checked when the file is parsed, the names of the shared events included.
        on_bad_entry=LossScope.FILE,
        on_bad_event=LossScope.FILE,
        unknown_event=LossScope.FILE,
        sections=SECTIONS,
        many_hosts=True,
    ),
    matching=Matching(mode=MatchMode(otherwise=Otherwise.SEARCH)),  # in truth that of each client it is written for
    timeouts=Timeouts(default_ms=None),
)


class RulesyncReader(FileReader):
    # The schema wants neither: such an entry is passed over when a client's file is written.
    harmless = frozenset({"K006", "S004"})

    def event_maps(self, data: Any) -> Iterator[EventMap]:
        yield from super().event_maps(data)
        if not isinstance(data, dict):
            return
        if not isinstance(data.get("hooks"), dict):
            self.lose("", LossScope.FILE, 'it has no object "hooks"', ())
        for key, section in data.items():
            if not isinstance(section, dict) or "hooks" not in section or key == "hooks":
                continue
            hooks, pointer = section["hooks"], (key, "hooks")
            if not isinstance(hooks, dict):
                self.lose_everything("S008", pointer, f'"hooks" of {key} is {describe(hooks)}, not an object', hooks)
                self.lose(key, LossScope.FILE, f'"hooks" of {key} is not an object', pointer)
            elif key in SECTIONS:
                yield EventMap(hooks, pointer, name=key)
            else:
                why = DEAD_SECTIONS.get(key, f"rulesync generates hooks for no client called {key}")
                self.report("K008", (key,), f"{why}, so the hooks here are never used", "move or remove them")
                yield EventMap(hooks, pointer, Fate(FateState.DROPPED, why), key)

    def event_of(self, native: str) -> Event | None:
        event = super().event_of(native)
        client = SECTIONS.get(self.map_name)
        return event or (native_names(client).get(native) if client else None)

    def accepts(self, native: str) -> bool:
        if self.event_of(native) or native in NAMELESS_EVENTS:
            return True
        # A section hands the client's own names on; those of a client we do not describe cannot be judged.
        is_section = bool(self.map_name)
        return is_section and not SECTIONS.get(self.map_name) and is_well_formed(native)

    def unknown_event(self, native: str, pointer: Pointer, fate: Fate) -> Fate:
        if self.map_name:  # only the shared hooks are checked; a section is handed on as it is
            fate = Fate(FateState.DROPPED, f"{native} is not an event of {self.map_name}")
        return super().unknown_event(native, pointer, fate)

    def prepared(self, entry: Any) -> Any:
        for key in SINGLE_LINE_KEYS:
            value = entry.get(key) if isinstance(entry, dict) else None
            if isinstance(value, str) and not _LINE_BREAKS.isdisjoint(value):
                raise BadEntryError("K007", f'"{key}" has a line break', "put the lines into a script", key)
        return entry

    def add_rule(self, native: str, pointer: Pointer, actions: Sequence[Action], **more: Any) -> None:
        if self.map_name:
            more["extra"] = {**more.get("extra", {}), "section": self.map_name}
        super().add_rule(native, pointer, actions, **more)


class Rulesync(ProfiledDialect):
    """Reads and writes the shared hooks and those of each client's section, which ``Rule.extra`` remembers."""

    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        return RulesyncReader(self.profile, document, kind, scope).read()

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        content: dict[str, Any] = {"version": PROFILE.layout.version, "hooks": {}}
        for rule in rules:
            section = _section(rule)
            event = _event_key(rule) if section is None else rule.native_event
            actions = [write_action(PROFILE, action) for action in rule.actions if action.is_loaded]
            if event is None or not actions:
                continue
            target = content if section is None else content.setdefault(section, {"hooks": {}})
            matcher = {} if rule.matcher is None else {"matcher": rule.matcher}
            target["hooks"].setdefault(event, []).extend({**matcher, **action} for action in actions)
        return content

    def schema(self) -> dict[str, Any]:
        made = super().schema()
        hooks = {"type": "array", "items": {"$ref": "#/$defs/hook"}}
        section = {"type": "object", "properties": {"hooks": {"type": "object", "additionalProperties": hooks}}}
        made["properties"]["hooks"]["properties"] |= dict.fromkeys(sorted(NAMELESS_EVENTS), hooks)
        made["properties"] |= dict.fromkeys(SECTIONS, section)
        return made


def _section(rule: Rule) -> str | None:
    section = rule.extra.get("section")
    return section if isinstance(section, str) and section in SECTIONS else None


def _event_key(rule: Rule) -> str | None:
    """The name to write a shared rule under: as it was spelled if rulesync knows that name."""
    if rule.native_event in NAMELESS_EVENTS or rule.native_event in native_names(PROFILE.name):
        return rule.native_event
    return native_name(rule.event, PROFILE.name)


DIALECT = Rulesync(PROFILE)
