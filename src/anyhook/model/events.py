"""Every lifecycle event there is, in one table.

Canonical names are the PascalCase ones of seed 003 where it has the event, else those of the client that has it. A
dialect supports an event when it has an alias here; its first alias is the one it writes. What a dialect does
differently from the canonical facts (another matcher subject, an event that cannot block there) is in its profile.
Sources: seeds 000 to 004, ``shared/dialects/MATRIX.md`` table 1 and the recordings.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from anyhook.model.wording import close_matches, join_or


class Subject(enum.StrEnum):
    """What a matcher is compared with."""

    NOTHING = "nothing"
    TOOL = "tool name"
    FILE_PATH = "file path"
    FILE_NAME = "file name"
    COMMAND = "command line"
    SOURCE = "source"
    REASON = "reason"
    TRIGGER = "trigger"
    AGENT_TYPE = "agent type"
    NOTIFICATION = "notification type"
    ERROR = "error kind"
    LOAD_REASON = "load reason"
    COMMAND_NAME = "slash command"
    MCP_SERVER = "MCP server"
    MODEL = "model"


class FoldRule(enum.StrEnum):
    """How the answers of several hooks become one outcome."""

    DECISION = "decision"  # allow, deny, ask or defer a tool call
    GATE = "gate"  # block the thing or let it pass
    FEEDBACK = "feedback"  # the thing has happened; tell the model
    CONTINUATION = "continuation"  # keep an agent going that wants to stop
    CONTEXT = "context"  # text for the model
    REPLACEMENT = "replacement"  # the last value given is used
    OBSERVE = "observe"  # nothing a hook says has an effect


class Answer(enum.StrEnum):
    """What a hook may say on an event."""

    PERMISSION = "permission"  # allow, deny, ask, defer
    BLOCK = "block"
    INPUT = "input"  # another tool input
    OUTPUT = "output"  # another tool output or text
    CONTEXT = "context"
    MESSAGE = "message"  # text for the user
    STOP = "stop"  # continue: false
    RETRY = "retry"
    CONTENT = "content"  # an answer in place of the user's
    PATHS = "paths"  # files to watch


class Event(Struct, frozen=True):
    name: str
    subject: Subject
    can_block: bool
    fold: FoldRule
    answers: frozenset[Answer]
    aliases: Mapping[str, tuple[str, ...]]


_TEXT = frozenset({Answer.MESSAGE, Answer.STOP})
_NONE, _TOOL = Subject.NOTHING, Subject.TOOL
_PERMISSION, _BLOCK, _INPUT, _OUTPUT = Answer.PERMISSION, Answer.BLOCK, Answer.INPUT, Answer.OUTPUT
_CONTEXT, _RETRY, _CONTENT, _PATHS = Answer.CONTEXT, Answer.RETRY, Answer.CONTENT, Answer.PATHS


def _event(
    name: str,
    subject: Subject,
    fold: FoldRule,
    *answers: Answer,
    can_block: bool = False,
    same: str = "",
    **aliases: str,
) -> Event:
    """``same`` lists the dialects that use the canonical name; the others state their names, best first."""
    by_dialect: dict[str, tuple[str, ...]] = dict.fromkeys(same.split(), (name,))
    by_dialect |= {dialect.replace("_", "-"): tuple(names.split()) for dialect, names in aliases.items()}
    return Event(name, subject, can_block, fold, _TEXT | frozenset(answers), by_dialect)


_DECISION, _GATE, _FEEDBACK = FoldRule.DECISION, FoldRule.GATE, FoldRule.FEEDBACK
_CONTINUE, _SAY, _REPLACE, _OBSERVE = (
    FoldRule.CONTINUATION,
    FoldRule.CONTEXT,
    FoldRule.REPLACEMENT,
    FoldRule.OBSERVE,
)

EVENTS: tuple[Event, ...] = (
    # --- the session
    _event(
        "SessionStart", Subject.SOURCE, _SAY, _CONTEXT, _PATHS,
        same="claude-code codex gemini-cli qwen-code factory-droid open-plugins agent-sdk code-agent",
        universal="session-start", copilot_vscode="SessionStart sessionStart", copilot_cli="sessionStart SessionStart",
        cursor="sessionStart", antigravity="SessionStart",
        kiro="SessionStart agentSpawn", openhands="SessionStart session_start",
        rulesync="sessionStart",
    ),
    _event(
        "SessionEnd", Subject.REASON, _OBSERVE,
        same="claude-code codex gemini-cli qwen-code factory-droid open-plugins agent-sdk code-agent",
        universal="session-end", copilot_cli="sessionEnd SessionEnd", cursor="sessionEnd",
        openhands="SessionEnd session_end", rulesync="sessionEnd",
    ),
    _event("Setup", Subject.TRIGGER, _SAY, _CONTEXT, same="claude-code agent-sdk code-agent", rulesync="setup"),
    _event("SessionDelete", _NONE, _OBSERVE, same="qwen-code", rulesync="sessionDelete"),
    _event("WorkspaceOpen", _NONE, _REPLACE, _PATHS, cursor="workspaceOpen", rulesync="workspaceOpen"),
    # --- what the user says
    _event(
        "UserPromptSubmit", _NONE, _GATE, _BLOCK, _CONTEXT, can_block=True,
        same="claude-code codex qwen-code factory-droid open-plugins agent-sdk code-agent",
        universal="pre-prompt", copilot_vscode="UserPromptSubmit userPromptSubmitted",
        copilot_cli="userPromptSubmitted UserPromptSubmit", cursor="beforeSubmitPrompt", gemini_cli="BeforeAgent",
        windsurf="pre_user_prompt", kiro="UserPromptSubmit userPromptSubmit promptSubmit",
        openhands="UserPromptSubmit user_prompt_submit", rulesync="beforeSubmitPrompt",
    ),
    _event(
        "UserPromptExpansion", Subject.COMMAND_NAME, _GATE, _BLOCK, _CONTEXT, can_block=True,
        same="claude-code qwen-code", rulesync="userPromptExpansion",
    ),
    _event("UserPromptTransformed", _NONE, _REPLACE, _OUTPUT, copilot_cli="userPromptTransformed"),
    # --- tools
    _event(
        "PreToolUse", _TOOL, _DECISION, _PERMISSION, _BLOCK, _INPUT, _CONTEXT, can_block=True,
        same="claude-code codex qwen-code factory-droid open-plugins agent-sdk code-agent antigravity",
        universal="pre-tool-use", copilot_vscode="PreToolUse preToolUse", copilot_cli="preToolUse PreToolUse",
        cursor="preToolUse", gemini_cli="BeforeTool", kiro="PreToolUse preToolUse",
        openhands="PreToolUse pre_tool_use", rulesync="preToolUse",
    ),
    _event(
        "PostToolUse", _TOOL, _FEEDBACK, _BLOCK, _OUTPUT, _CONTEXT,
        same="claude-code codex qwen-code factory-droid open-plugins agent-sdk code-agent antigravity",
        universal="post-tool-use", copilot_vscode="PostToolUse postToolUse", copilot_cli="postToolUse PostToolUse",
        cursor="postToolUse", gemini_cli="AfterTool", kiro="PostToolUse postToolUse",
        openhands="PostToolUse post_tool_use", rulesync="postToolUse",
    ),
    _event(
        "PostToolUseFailure", _TOOL, _FEEDBACK, _BLOCK, _CONTEXT,
        same="claude-code qwen-code open-plugins agent-sdk code-agent",
        copilot_cli="postToolUseFailure PostToolUseFailure", cursor="postToolUseFailure", rulesync="postToolUseFailure",
    ),
    _event(
        "PostToolBatch", _NONE, _GATE, _BLOCK, _CONTEXT, can_block=True,
        same="claude-code qwen-code", rulesync="postToolBatch",
    ),
    _event(
        "PermissionRequest", _TOOL, _DECISION, _PERMISSION, _INPUT, can_block=True,
        same="claude-code codex qwen-code agent-sdk",
        universal="permission-request", copilot_cli="permissionRequest PermissionRequest",
        rulesync="permissionRequest",
    ),
    _event("PermissionDenied", _TOOL, _OBSERVE, _RETRY, same="claude-code qwen-code", rulesync="permissionDenied"),
    # --- shell, MCP and files, for clients that have their own events beside or instead of the tool events
    _event(
        "BeforeShellExecution", Subject.COMMAND, _DECISION, _PERMISSION, _BLOCK, can_block=True,
        same="open-plugins", cursor="beforeShellExecution", windsurf="pre_run_command", rulesync="beforeShellExecution",
    ),
    _event(
        "AfterShellExecution", Subject.COMMAND, _OBSERVE,
        same="open-plugins", cursor="afterShellExecution", windsurf="post_run_command", rulesync="afterShellExecution",
    ),
    _event(
        "BeforeMCPExecution", _TOOL, _DECISION, _PERMISSION, _BLOCK, can_block=True,
        cursor="beforeMCPExecution", windsurf="pre_mcp_tool_use", rulesync="beforeMCPExecution",
    ),
    _event(
        "AfterMCPExecution", _TOOL, _OBSERVE,
        cursor="afterMCPExecution", windsurf="post_mcp_tool_use", rulesync="afterMCPExecution",
    ),
    _event("PreMcpToolCall", _TOOL, _REPLACE, copilot_cli="preMcpToolCall PreMcpToolCall"),
    _event(
        "BeforeReadFile", Subject.FILE_PATH, _DECISION, _PERMISSION, _BLOCK, can_block=True,
        same="open-plugins", cursor="beforeReadFile", windsurf="pre_read_code", rulesync="beforeReadFile",
    ),
    _event("AfterReadFile", Subject.FILE_PATH, _OBSERVE, windsurf="post_read_code"),
    _event("BeforeFileEdit", Subject.FILE_PATH, _DECISION, _BLOCK, can_block=True, windsurf="pre_write_code"),
    _event(
        "AfterFileEdit", Subject.FILE_PATH, _OBSERVE,
        same="open-plugins", cursor="afterFileEdit", windsurf="post_write_code", rulesync="afterFileEdit",
    ),
    _event(
        "BeforeTabFileRead", Subject.FILE_PATH, _DECISION, _PERMISSION, can_block=True,
        cursor="beforeTabFileRead", rulesync="beforeTabFileRead",
    ),
    _event("AfterTabFileEdit", Subject.FILE_PATH, _OBSERVE, cursor="afterTabFileEdit", rulesync="afterTabFileEdit"),
    _event("PostFileCreate", Subject.FILE_PATH, _OBSERVE, kiro="PostFileCreate fileCreated"),
    _event("PostFileSave", Subject.FILE_PATH, _OBSERVE, kiro="PostFileSave fileEdited fileSaved"),
    _event("PostFileDelete", Subject.FILE_PATH, _OBSERVE, kiro="PostFileDelete fileDeleted"),
    _event("FileChanged", Subject.FILE_NAME, _OBSERVE, _PATHS, same="claude-code", rulesync="fileChanged"),
    # --- the model
    _event("BeforeModel", _NONE, _REPLACE, _BLOCK, _INPUT, _OUTPUT, can_block=True, same="gemini-cli"),
    _event("AfterModel", _NONE, _REPLACE, _BLOCK, _OUTPUT, can_block=True, same="gemini-cli"),
    _event("BeforeToolSelection", _NONE, _REPLACE, _INPUT, same="gemini-cli", rulesync="beforeToolSelection"),
    _event("PreModelSwitch", Subject.MODEL, _OBSERVE, same="claude-code"),
    _event("PostModelSwitch", Subject.MODEL, _OBSERVE, same="claude-code"),
    _event("PreInvocation", _NONE, _OBSERVE, same="antigravity", rulesync="preModelInvocation"),
    _event("PostInvocation", _NONE, _OBSERVE, same="antigravity", rulesync="postModelInvocation"),
    # --- what the agent says
    _event("MessageDisplay", _NONE, _REPLACE, _OUTPUT, same="claude-code qwen-code", rulesync="messageDisplay"),
    _event(
        "AfterAgentResponse", _NONE, _OBSERVE,
        cursor="afterAgentResponse",
        windsurf="post_cascade_response post_cascade_response_with_transcript", rulesync="afterAgentResponse",
    ),
    _event("AfterAgentThought", _NONE, _OBSERVE, cursor="afterAgentThought", rulesync="afterAgentThought"),
    # --- stopping
    _event(
        "Stop", _NONE, _CONTINUE, _BLOCK, _CONTEXT, can_block=True,
        same="claude-code codex qwen-code factory-droid open-plugins agent-sdk code-agent antigravity",
        universal="stop", copilot_vscode="Stop agentStop", copilot_cli="agentStop Stop", cursor="stop",
        gemini_cli="AfterAgent", kiro="Stop stop agentStop", openhands="Stop stop", rulesync="stop",
    ),
    _event(
        "StopFailure", Subject.ERROR, _OBSERVE,
        same="claude-code qwen-code", copilot_cli="errorOccurred ErrorOccurred", rulesync="afterError stopFailure",
    ),
    _event(
        "SubagentStart", Subject.AGENT_TYPE, _SAY, _CONTEXT,
        same="claude-code codex qwen-code open-plugins agent-sdk",
        copilot_vscode="SubagentStart subagentStart", copilot_cli="subagentStart SubagentStart",
        cursor="subagentStart", rulesync="subagentStart",
    ),
    _event(
        "SubagentStop", Subject.AGENT_TYPE, _CONTINUE, _BLOCK, _OUTPUT, _CONTEXT, can_block=True,
        same="claude-code codex qwen-code factory-droid open-plugins agent-sdk code-agent",
        universal="sub-agent-end", copilot_vscode="SubagentStop subagentStop", copilot_cli="subagentStop SubagentStop",
        cursor="subagentStop", rulesync="subagentStop",
    ),
    _event(
        "TeammateIdle", _NONE, _CONTINUE, _BLOCK, can_block=True,
        same="claude-code agent-sdk", rulesync="teammateIdle",
    ),
    # --- tasks
    _event("TaskCreated", _NONE, _GATE, _BLOCK, can_block=True, same="claude-code", rulesync="taskCreated"),
    _event(
        "TaskCompleted", _NONE, _GATE, _BLOCK, can_block=True,
        same="claude-code agent-sdk", rulesync="taskCompleted",
    ),
    _event("TodoCreated", _NONE, _GATE, _BLOCK, can_block=True, same="qwen-code", rulesync="todoCreated"),
    _event("TodoCompleted", _NONE, _GATE, _BLOCK, can_block=True, same="qwen-code", rulesync="todoCompleted"),
    _event("PreTaskExec", _NONE, _GATE, _BLOCK, can_block=True, kiro="PreTaskExec preTaskExecution"),
    _event("PostTaskExec", _NONE, _OBSERVE, kiro="PostTaskExec postTaskExecution"),
    _event("ManualTrigger", _NONE, _OBSERVE, kiro="Manual manual userTriggered"),
    # --- context
    _event(
        "PreCompact", Subject.TRIGGER, _GATE, _BLOCK, can_block=True,
        same="claude-code codex qwen-code factory-droid agent-sdk code-agent",
        universal="pre-compact", copilot_vscode="PreCompact preCompact", copilot_cli="preCompact PreCompact",
        cursor="preCompact", gemini_cli="PreCompress", rulesync="preCompact",
    ),
    _event("PostCompact", Subject.TRIGGER, _OBSERVE, same="claude-code codex qwen-code", rulesync="postCompact"),
    _event(
        "InstructionsLoaded", Subject.LOAD_REASON, _OBSERVE,
        same="claude-code qwen-code", rulesync="instructionsLoaded",
    ),
    # --- the surroundings
    _event(
        "Notification", Subject.NOTIFICATION, _OBSERVE, _CONTEXT,
        same="claude-code gemini-cli qwen-code factory-droid agent-sdk code-agent",
        universal="notification", copilot_cli="notification Notification", rulesync="notification",
    ),
    _event("ConfigChange", Subject.SOURCE, _GATE, _BLOCK, can_block=True, same="claude-code", rulesync="configChange"),
    _event("CwdChanged", _NONE, _OBSERVE, _PATHS, same="claude-code", rulesync="cwdChanged"),
    _event("DirectoryAdded", Subject.SOURCE, _OBSERVE, same="claude-code", rulesync="directoryAdded"),
    _event("WorktreeCreate", _NONE, _GATE, _OUTPUT, can_block=True, same="claude-code", rulesync="worktreeCreate"),
    _event("WorktreeRemove", _NONE, _OBSERVE, same="claude-code", rulesync="worktreeRemove"),
    _event("PostSetupWorktree", _NONE, _OBSERVE, windsurf="post_setup_worktree"),
    _event(
        "Elicitation", Subject.MCP_SERVER, _GATE, _BLOCK, _CONTENT, can_block=True,
        same="claude-code", rulesync="elicitation",
    ),
    _event(
        "ElicitationResult", Subject.MCP_SERVER, _GATE, _BLOCK, _CONTENT, can_block=True,
        same="claude-code", rulesync="elicitationResult",
    ),
)  # fmt: skip

BY_NAME: Mapping[str, Event] = {event.name: event for event in EVENTS}

FORMER_NAMES: Mapping[str, str] = {
    # Names of seed 000 that no release of Cursor ever documented (SEED-CONFLICTS row 17).
    "beforeShellCommand": "BeforeShellExecution",
    "beforeMcpCall": "BeforeMCPExecution",
    # Gemini's own migrator and early tutorials.
    "SubAgentStop": "SubagentStop",
    "UserPromptSubmitted": "UserPromptSubmit",
}

_WELL_FORMED = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_:.-][A-Za-z0-9]+)*")


@cache
def native_names(dialect: str) -> Mapping[str, Event]:
    """Every event name that a dialect accepts, with the event it means."""
    return {name: event for event in EVENTS for name in event.aliases.get(dialect, ())}


@cache
def _spellings() -> Mapping[str, Event]:
    """All names of all dialects without case and separators; the canonical reading of a clash wins."""
    table: dict[str, Event] = {}
    for event in EVENTS:
        for names in event.aliases.values():
            for name in names:
                table.setdefault(fold_spelling(name), event)
    for former, canonical in FORMER_NAMES.items():
        table.setdefault(fold_spelling(former), BY_NAME[canonical])
    table |= {fold_spelling(event.name): event for event in EVENTS}
    return table


def fold_spelling(name: str) -> str:
    """A name without case and separators: ``pre-tool-use``, ``preToolUse`` and ``pre_tool_use`` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_well_formed(name: str) -> bool:
    """Whether a name looks like an event at all, so that an unknown one can be passed through."""
    return _WELL_FORMED.fullmatch(name) is not None


def find_event(name: str, dialect: str = "") -> Event | None:
    """The event of this name: as the dialect spells it, or as anybody spells it."""
    if dialect and (event := native_names(dialect).get(name)):
        return event
    return BY_NAME.get(name) or _spellings().get(fold_spelling(name))


def owners(name: str) -> tuple[str, ...]:
    """The dialects that have an event of exactly this name."""
    return tuple(sorted({dialect for e in EVENTS for dialect, names in e.aliases.items() if name in names}))


def native_name(event: str, dialect: str) -> str | None:
    """How a dialect writes a canonical event; None when it does not have it."""
    known = BY_NAME.get(event)
    names = known.aliases.get(dialect) if known else None
    return names[0] if names else None


def unknown_event_text(name: str) -> str:
    """The message that no client has an event of this name, with those that are spelled like it."""
    names = {alias for event in EVENTS for aliases in event.aliases.values() for alias in aliases}
    close = close_matches(name, sorted(names | BY_NAME.keys()), limit=3)
    hint = f"Did you mean {join_or(close)}?" if close else "See: anyhook dialects NAME."
    return f"no client has an event called {name!r}. {hint}"
