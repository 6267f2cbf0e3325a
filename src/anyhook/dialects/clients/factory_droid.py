"""Factory Droid: its documents and recordings of 0.225.2 (``fact-sheets/factory-droid.md``: FD, RS, SRV, REC)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import (
    CLAUDE_ANSWERS,
    compaction_gets_text,
    context_keeps_going,
    initial_message_is_told,
    output_needs_its_type,
)
from anyhook.dialects.contract import Exits, Stopping, WireFormat
from anyhook.dialects.files.reading import EventMap, FileReader
from anyhook.dialects.overrides import Overrides
from anyhook.dialects.places import FileKind, Writing, plugin, project, user
from anyhook.dialects.profile import Execution, Invalid, Layout, Matching, MatchMode, Profile, Switch, Timeouts
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import DOUBLE_UNDERSCORE, PATCH, Tools, event_names, tool
from anyhook.model.document import Document
from anyhook.model.hooks import Fate, FateState, HookFile, Rule
from anyhook.model.origin import Scope

_ANSWERS = structs.replace(
    CLAUDE_ANSWERS,
    null_is_absent=True,
    text_is_context_on=frozenset({"SessionStart", "UserPromptSubmit", "PreCompact"}),
)
_WIRE = WireFormat(
    renames_on={
        "SubagentStop": {"task_name": "task", "task_result": "last_assistant_message"},
        "SessionEnd": {"session_duration_ms": "duration_ms"},
        "PreCompact": {"estimated_tokens": "context_tokens"},
    },
)

PROFILE = Profile(
    name="factory-droid",
    title="Factory Droid",
    release="0.225.2",
    basis="documented",
    nicknames=(
        "factory",
        "droid",
    ),
    events=event_names(
        "SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse Stop SubagentStop PreCompact Notification",
    ),
    tools=Tools(
        kinds={
            "shell": tool("Execute"),
            "read": tool("Read"),
            "write": tool("Create"),
            "edit": tool("Edit ApplyPatch"),
            "glob": tool("Glob"),
            "grep": tool("Grep"),
            "list": tool("LS"),
            "web fetch": tool("FetchUrl"),
            "web search": tool("WebSearch"),
            "subagent": tool("Task"),
            "todo": tool("TodoWrite"),
            "ask": tool("AskUser"),
        },
        many_files={"ApplyPatch": PATCH},
        mcp=DOUBLE_UNDERSCORE,
    ),
    recognition=Recognition(
        words=("factory", "droid"),
        variables=("DROID_PLUGIN_ROOT", "DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"),
        wrong_places={
            ".factory/hooks/settings.json": ".factory/settings.json",
            ".factory-plugin/hooks/*.json": "hooks/hooks.json, beside .factory-plugin",
            ".factory-plugin/hooks.json": "hooks/hooks.json, beside .factory-plugin",
        },
    ),
    # In each scope the first file that exists is the only one: hooks.json, the place before it, then the settings (FD).
    # Older documents had settings.local.json too; where the organisation's settings are is not documented.
    sources=(
        user(".factory/hooks.json", only_first=True, writing=Writing.PREFERRED),
        user(".factory/hooks/hooks.json", only_first=True, writing=Writing.IF_USED),
        user(".factory/settings.json", FileKind.SETTINGS, only_first=True, writing=Writing.IF_USED),
        project(".factory/hooks.json", only_first=True, writing=Writing.PREFERRED),
        project(".factory/hooks/hooks.json", only_first=True, writing=Writing.IF_USED),
        project(".factory/settings.json", FileKind.SETTINGS, only_first=True, writing=Writing.IF_USED),
        plugin("hooks/hooks.json", ".factory-plugin"),
    ),
    layout=Layout(
        bare_map=True,  # in hooks.json it must be: REC, and see DroidReader
        group_keys=frozenset({"matcher", "hooks", "commandRegex"}),
        common_keys={"timeout": "timeout"},
        action_keys={"command": {"command": "command"}},
        refused_types={"prompt": "only command hooks run", "agent": "only command hooks run"},
    ),
    matching=Matching(
        # "Exact string or case-sensitive regex": a plain name is taken as exact, as Claude Code does it.
        mode=MatchMode(exact=r"[A-Za-z0-9_|]*", invalid=Invalid.NEVER),
        values={"PreCompact": frozenset({"manual", "auto"})},
    ),
    timeouts=Timeouts(default_ms=60_000),
    execution=Execution(
        exports_payload=True,  # every scalar of the payload, under its own name (REC)
        cwd="session",  # it moves with Droid
        project_variable="FACTORY_PROJECT_DIR",
        exports=("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"),
        event_exports={"CLAUDE_ENV_FILE": frozenset({"SessionStart"})},
        # Outside plugins these are "/PLUGIN_ROOT_NOT_EXPANDED_ERROR" (REC).
        plugin_exports=("DROID_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"),
        substituted=("DROID_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"),
    ),
    exits=Exits(ignored_on=frozenset({"Notification", "PreCompact", "SessionStart", "SessionEnd"})),
    stopping=Stopping(cap=None),
    cannot_block=frozenset({"PreCompact"}),
    effects={"PostToolUse": "the model is told; the result stays"},
    switches=(Switch(("allowManagedHooksOnly",), reach="unmanaged"),),
    setup=("start droid anew: it reads hooks at the start; or accept the change in /hooks",),
    wire=_WIRE,
    answers=_ANSWERS,
    overrides=Overrides(
        weigh=(output_needs_its_type,),
        fold=(context_keeps_going, initial_message_is_told),
        interpret=(compaction_gets_text,),
    ),
)


class DroidReader(FileReader):
    """A file of hooks alone is an object of events; ``{"hooks": ...}`` in it is ignored without a word (REC)."""

    @property
    def expected(self) -> str:
        is_bare = self.kind is FileKind.HOOKS
        return '{EVENT: [{"hooks": [...]}]}, without "hooks" around it' if is_bare else super().expected

    def event_maps(self, data: Any) -> Iterator[EventMap]:
        if self.kind is not FileKind.HOOKS or not isinstance(data, dict) or not isinstance(data.get("hooks"), dict):
            yield from super().event_maps(data)
            return
        why = f'{self.profile.title} reads events at the top level of this file, not under "hooks"'
        self.report("S001", ("hooks",), why, 'remove the "hooks" around the events')
        lost = Fate(FateState.DROPPED, why)
        yield EventMap(data["hooks"], ("hooks",), lost)
        # What it makes of events beside the wrapper is not recorded.
        yield EventMap({key: value for key, value in data.items() if self.accepts(key)}, (), lost)


class FactoryDroid(ProfiledDialect):
    def read(self, document: Document, kind: FileKind, scope: Scope) -> HookFile:
        return DroidReader(self.profile, document, kind, scope).read()

    def write(self, rules: Sequence[Rule]) -> dict[str, Any]:
        events: dict[str, Any] = super().write(rules)["hooks"]
        return events

    def schema(self) -> dict[str, Any]:
        made = super().schema()
        made["properties"] = made["properties"]["hooks"]["properties"]
        return made


DIALECT = FactoryDroid(PROFILE)
