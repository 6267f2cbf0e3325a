"""Factory Droid: its documents (``conformance/fact-sheets/factory-droid.md``: FD, RS, SRV)."""

from __future__ import annotations

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import CLAUDE_ANSWERS, SPECIFIC_NAME
from anyhook.dialects.contract import Exits, Stopping, WireFormat
from anyhook.dialects.places import FileKind, Writing, plugin, project, user
from anyhook.dialects.profile import Execution, Invalid, Layout, Matching, MatchMode, Profile, Switch, Timeouts
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import DOUBLE_UNDERSCORE, Tools, event_names, tool

_ANSWERS = structs.replace(
    CLAUDE_ANSWERS,
    bad_value="ignored",  # what a mistake costs is not documented
    null_is_absent=True,
    event_names=(SPECIFIC_NAME,),
    text_is_context_on=frozenset({"SessionStart", "UserPromptSubmit"}),
    context_cap=None,
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
    release="docs.factory.ai/harness/hooks, 2026-09",
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
        mcp=DOUBLE_UNDERSCORE,
    ),
    recognition=Recognition(words=("factory", "droid"), variables=("DROID_PLUGIN_ROOT", "FACTORY_PROJECT_DIR")),
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
        bare_map=True,  # FD shows it for plugins, RS and SRV for hooks.json; the wrapped form is in FD, too
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
        exports_payload=True,
        cwd="session",  # it moves with Droid
        project_variable="FACTORY_PROJECT_DIR",
        exports=("FACTORY_PROJECT_DIR",),
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
)

DIALECT = ProfiledDialect(PROFILE)
