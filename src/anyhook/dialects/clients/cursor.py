"""Cursor: documents of 2026-08-24, a report on release 3.9.16 (``fact-sheets/cursor.md``: CUR, CUR3, OBS)."""

from __future__ import annotations

from msgspec import structs

from anyhook.dialects.base import ProfiledDialect
from anyhook.dialects.claude_family import EXACT_LIST
from anyhook.dialects.contract import Answers, Exits, Field, Folding, Stopping, WireFormat
from anyhook.dialects.places import FileKind, Writing, local, managed, plugin, project, user
from anyhook.dialects.profile import Execution, Layout, Matching, MatchMode, Order, Otherwise, Profile, Shape, Timeouts
from anyhook.dialects.recognition import Recognition
from anyhook.dialects.vocabulary import McpForm, Tools, event_names, names, tool
from anyhook.model.events import Subject

# What a matcher is compared with, where it is not what the event is about elsewhere (CUR). Native hooks see Cursor's
# own tool types (Shell, Read, Write, Grep, Delete, Task, MCP:<tool>); Claude's names count in Claude's files only.
SUBJECTS = {
    "BeforeReadFile": Subject.TOOL,
    "AfterFileEdit": Subject.TOOL,
    "SessionStart": Subject.NOTHING,
    "SessionEnd": Subject.NOTHING,
    "PreCompact": Subject.NOTHING,
    "BeforeTabFileRead": Subject.NOTHING,
    "AfterTabFileEdit": Subject.NOTHING,
}
# Subagent types (generalPurpose, explore, shell) are open: a project can define its own.
VALUES = {
    "BeforeReadFile": frozenset({"Read", "TabRead"}),
    "AfterFileEdit": frozenset({"Write", "TabWrite"}),
    # These four send a constant, so their matcher only ever says "always" or "never".
    "UserPromptSubmit": frozenset({"UserPromptSubmit"}),
    "Stop": frozenset({"Stop"}),
    "AfterAgentResponse": frozenset({"AgentResponse"}),
    "AfterAgentThought": frozenset({"AgentThought"}),
}

# OBS: the model saw user_message, not agent_message as CUR says, so a reason is written to both.
_REASON = (Field("reason", ("user_message",)), Field("reason", ("agent_message",), mirror=True))
_MESSAGE = Field("message", ("user_message",))
_CONTEXT = Field("context", ("additional_context",))
_FOLLOW_UP = (Field("reason", ("followup_message",), implies="block"),)


def _permission(ask: str) -> tuple[Field, ...]:
    return (Field("decision", ("permission",), {"allow": "allow", "deny": "deny", "ask": ask}), *_REASON)


_ANSWERS = Answers(
    on={
        "PreToolUse": (*_permission(ask=""), Field("input", ("updated_input",)), _MESSAGE),
        **dict.fromkeys(("BeforeShellExecution", "BeforeMCPExecution"), (*_permission(ask="ask"), _MESSAGE)),
        **dict.fromkeys(("BeforeReadFile", "BeforeTabFileRead"), (*_permission(ask=""), _MESSAGE)),
        "SubagentStart": (*_permission(ask="deny"), _MESSAGE),
        "UserPromptSubmit": (
            Field("decision", ("continue",), {"false": "block", "true": ""}),
            Field("reason", ("user_message",)),
            _MESSAGE,
        ),
        "PostToolUse": (_CONTEXT, Field("output", ("updated_mcp_tool_output",))),
        "SessionStart": (_CONTEXT, Field("environment", ("env",)), Field("continue", ("continue",)), _MESSAGE),
        **dict.fromkeys(("Stop", "SubagentStop"), _FOLLOW_UP),
        "PreCompact": (_MESSAGE,),
        "WorkspaceOpen": (Field("plugin_paths", ("pluginPaths",)),),
    },
)
_DURATION = {"duration": "duration_ms"}
_WIRE = WireFormat(
    renames={
        "conversation_id": "session_id",
        "session_id": "session_id",
        "generation_id": "turn_id",
    },
    renames_on={
        "SessionStart": {"session_id": "session_id"},
        "SessionEnd": {"session_id": "session_id"},
        "PostToolUse": {"tool_output": "tool_response", **_DURATION},
        "PostToolUseFailure": {"error_message": "error", **_DURATION},
        "AfterShellExecution": _DURATION,
        "BeforeMCPExecution": {"command": "server_command"},
        "AfterMCPExecution": {"result_json": "tool_response", **_DURATION},
        "SubagentStart": {"subagent_id": "agent_id", "subagent_type": "agent_type"},
        "SubagentStop": {"subagent_type": "agent_type"},
    },
    text_fields={
        "PostToolUse": frozenset({"tool_response"}),
        "BeforeMCPExecution": frozenset({"tool_input"}),
        "AfterMCPExecution": frozenset({"tool_input", "tool_response"}),
    },
    copies={"session_id": "session_id", "conversation_id": "session_id"},  # OBS: both are on every event
)

_OWN = Profile(
    name="cursor",
    title="Cursor",
    release="3.9.16",
    basis="documented",
    events=event_names(
        SessionStart="sessionStart",
        SessionEnd="sessionEnd",
        WorkspaceOpen="workspaceOpen",
        UserPromptSubmit="beforeSubmitPrompt",
        PreToolUse="preToolUse",
        PostToolUse="postToolUse",
        PostToolUseFailure="postToolUseFailure",
        BeforeShellExecution="beforeShellExecution",
        AfterShellExecution="afterShellExecution",
        BeforeMCPExecution="beforeMCPExecution",
        AfterMCPExecution="afterMCPExecution",
        BeforeReadFile="beforeReadFile",
        AfterFileEdit="afterFileEdit",
        BeforeTabFileRead="beforeTabFileRead",
        AfterTabFileEdit="afterTabFileEdit",
        AfterAgentResponse="afterAgentResponse",
        AfterAgentThought="afterAgentThought",
        Stop="stop",
        SubagentStart="subagentStart",
        SubagentStop="subagentStop",
        PreCompact="preCompact",
    ),
    # Names of the universal hooks spec that no release of Cursor ever documented (SEED-CONFLICTS row 17).
    former_events={"beforeShellCommand": "BeforeShellExecution", "beforeMcpCall": "BeforeMCPExecution"},
    tools=Tools(
        kinds={
            "shell": tool("Shell"),
            "read": tool("Read"),
            "write": tool("Write", "write and edit are one tool here"),
            "edit": tool("Write", "write and edit are one tool here"),
            "notebook": tool("EditNotebook"),
            "grep": tool("Grep"),
            "web fetch": tool("WebFetch"),
            "web search": tool("WebSearch"),
            "subagent": tool("Task"),
        },
        # Seen by users in the field beside the documented ones (shared/corpus, section 10 rule T6).
        others=names(
            "CallMcpTool Delete FetchMcpResource Glob ReadLints SemanticSearch StrReplace Subagent TabRead",
            "TabWrite TodoWrite",
        ),
        mcp=McpForm("MCP:", ""),
    ),
    recognition=Recognition(
        words=("cursor",),
        variables=("CURSOR_PLUGIN_ROOT", "CURSOR_PROJECT_DIR"),
        caller_keys=("cursor_version",),  # on every event (CUR)
        release_variable="CURSOR_VERSION",
    ),
    # From the highest priority to the lowest; all of them run (CUR, CUR3). The team's hooks come from the dashboard and
    # have no file. Claude's files are read unless a setting, on by default, is switched off.
    sources=(
        managed("etc/cursor/hooks.json"),
        managed("Library/Application Support/Cursor/hooks.json"),
        managed("ProgramData/Cursor/hooks.json"),
        project(".cursor/hooks.json", writing=Writing.PREFERRED),
        user(".cursor/hooks.json", writing=Writing.PREFERRED),
        local(".claude/settings.local.json", shared=True, written_in="claude-code"),
        project(".claude/settings.json", FileKind.SETTINGS, shared=True, written_in="claude-code"),
        user(".claude/settings.json", FileKind.SETTINGS, shared=True, written_in="claude-code"),
        plugin("hooks/hooks.json", ".cursor-plugin"),
        plugin("hooks/*cursor*.json", ".cursor-plugin"),  # hooks-cursor.json beside Claude's hooks.json
        plugin(".cursor-plugin/plugin.json", ".cursor-plugin", FileKind.MANIFEST),
    ),
    layout=Layout(
        shape=Shape.FLAT,
        version=1,
        version_required=True,
        common_keys={"timeout": "timeout", "failClosed": "fail_closed", "loop_limit": "note"},
        action_keys={
            "command": {"command": "command"},
            "prompt": {"prompt": "prompt", "model": "model"},
        },
        default_type="command",
    ),
    matching=Matching(
        # "Regex patterns", shown unanchored (`curl|wget|nc `); case and anchoring are not documented.
        mode=MatchMode(otherwise=Otherwise.SEARCH),
        subjects=SUBJECTS,
        values=VALUES,
    ),
    timeouts=Timeouts(default_ms=60_000),  # the real one is a undisclosed "platform default"
    execution=Execution(
        order=Order.PARALLEL,  # not documented
        cwd="project",  # hooks of the user run in ~/.cursor, those of the enterprise in their own folder
        project_variable="CURSOR_PROJECT_DIR",
        exports=(
            "CURSOR_PROJECT_DIR",
            "CURSOR_VERSION",
            "CURSOR_USER_EMAIL",
            "CURSOR_TRANSCRIPT_PATH",
            "CURSOR_CODE_REMOTE",
            "CLAUDE_PROJECT_DIR",
        ),
        plugin_exports=("CURSOR_PLUGIN_ROOT",),
        substituted=("CURSOR_PLUGIN_ROOT",),
    ),
    exits=Exits(
        json="zero and two",
        keeps_reply=True,
        ignored_on=frozenset({"Stop", "SubagentStop"}),  # a follow-up message goes on; nothing vetoes a stop
    ),
    folding=Folding(decisions={"*": "source priority"}),
    stopping=Stopping(
        cap=5,  # loop_limit; hooks from Claude's files have none
        continue_false="ignored",
        continue_false_on={"UserPromptSubmit": "blocks"},
    ),
    cannot_block=frozenset({"PreCompact"}),
    can_block_too=frozenset({"SubagentStart"}),
    effects={
        "PreToolUse": "ask is accepted and not enforced",
        "SubagentStart": "ask is deny",
        "Stop": "the follow-up message is submitted as a new prompt",
        "SubagentStop": "the follow-up message is submitted when the subagent has completed",
    },
    setup=("trust the workspace; if the hooks do not show up in Cursor's settings, restart it",),
    wire=_WIRE,
    answers=_ANSWERS,
)

# Hooks from Claude's files keep Claude's names for events and tools, which Cursor translates (CUR3).
_FROM_CLAUDE = structs.replace(
    _OWN,
    matching=Matching(
        mode=structs.replace(EXACT_LIST, pattern_sees_aliases=True),
        subjects=SUBJECTS,
        tool_aliases={"Shell": frozenset({"Bash"}), "Write": frozenset({"Write", "Edit"})},
    ),
    stopping=structs.replace(_OWN.stopping, cap=None),
)
PROFILE = structs.replace(_OWN, variants={r"[A-Z].*": _FROM_CLAUDE})

DIALECT = ProfiledDialect(PROFILE)
