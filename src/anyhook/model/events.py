"""Every lifecycle event there is, in one table: what a matcher sees, whether it can block, how answers are folded.

Names are the PascalCase ones of the Agent SDK hooks spec where it has the event, else those of the client that has it.
What a client calls an event, and what it does differently, is in its profile (:mod:`anyhook.dialects.profile`).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from msgspec import Struct


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
    MCP_TOOL = "MCP server/tool"
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


class Event(Struct, frozen=True):
    name: str
    subject: Subject
    fold: FoldRule
    can_block: bool = False

    @property
    def precedes_tool(self) -> bool:
        """Whether a tool call waits for it."""
        return self.fold is FoldRule.DECISION


_NONE, _TOOL = Subject.NOTHING, Subject.TOOL
_DECISION, _GATE, _FEEDBACK = FoldRule.DECISION, FoldRule.GATE, FoldRule.FEEDBACK
_CONTINUE, _SAY, _REPLACE, _OBSERVE = (
    FoldRule.CONTINUATION,
    FoldRule.CONTEXT,
    FoldRule.REPLACEMENT,
    FoldRule.OBSERVE,
)

EVENTS: tuple[Event, ...] = (
    # --- the session
    Event("SessionStart", Subject.SOURCE, _SAY),
    Event("SessionEnd", Subject.REASON, _OBSERVE),
    Event("Setup", Subject.TRIGGER, _SAY),
    Event("SessionDelete", _NONE, _OBSERVE),
    Event("WorkspaceOpen", _NONE, _REPLACE),
    # --- what the user says
    Event("UserPromptSubmit", _NONE, _GATE, can_block=True),
    Event("UserPromptExpansion", Subject.COMMAND_NAME, _GATE, can_block=True),
    Event("UserPromptTransformed", _NONE, _REPLACE),
    # --- tools
    Event("PreToolUse", _TOOL, _DECISION, can_block=True),
    Event("PostToolUse", _TOOL, _FEEDBACK),
    Event("PostToolUseFailure", _TOOL, _FEEDBACK),
    Event("PostToolBatch", _NONE, _GATE, can_block=True),
    Event("PermissionRequest", _TOOL, _DECISION, can_block=True),
    Event("PermissionDenied", _TOOL, _OBSERVE),
    # --- shell, MCP and files, for clients that have their own events beside or instead of the tool events
    Event("BeforeShellExecution", Subject.COMMAND, _DECISION, can_block=True),
    Event("AfterShellExecution", Subject.COMMAND, _OBSERVE),
    Event("BeforeMCPExecution", _TOOL, _DECISION, can_block=True),
    Event("AfterMCPExecution", _TOOL, _OBSERVE),
    Event("PreMcpToolCall", Subject.MCP_TOOL, _REPLACE),
    Event("BeforeReadFile", Subject.FILE_PATH, _DECISION, can_block=True),
    Event("AfterReadFile", Subject.FILE_PATH, _OBSERVE),
    Event("BeforeFileEdit", Subject.FILE_PATH, _DECISION, can_block=True),
    Event("AfterFileEdit", Subject.FILE_PATH, _OBSERVE),
    Event("BeforeTabFileRead", Subject.FILE_PATH, _DECISION, can_block=True),
    Event("AfterTabFileEdit", Subject.FILE_PATH, _OBSERVE),
    Event("PostFileCreate", Subject.FILE_PATH, _OBSERVE),
    Event("PostFileSave", Subject.FILE_PATH, _OBSERVE),
    Event("PostFileDelete", Subject.FILE_PATH, _OBSERVE),
    Event("FileChanged", Subject.FILE_NAME, _OBSERVE),
    # --- the model
    Event("BeforeModel", _NONE, _REPLACE, can_block=True),
    Event("AfterModel", _NONE, _REPLACE, can_block=True),
    Event("BeforeToolSelection", _NONE, _REPLACE),
    Event("PreModelSwitch", Subject.MODEL, _GATE, can_block=True),
    Event("PostModelSwitch", Subject.MODEL, _OBSERVE),
    Event("PreInvocation", _NONE, _OBSERVE),
    Event("PostInvocation", _NONE, _OBSERVE),
    # --- what the agent says
    Event("MessageDisplay", _NONE, _REPLACE),
    Event("AfterAgentResponse", _NONE, _OBSERVE),
    Event("AfterAgentThought", _NONE, _OBSERVE),
    # --- stopping
    Event("Stop", _NONE, _CONTINUE, can_block=True),
    Event("StopFailure", Subject.ERROR, _OBSERVE),
    Event("SubagentStart", Subject.AGENT_TYPE, _SAY),
    Event("SubagentStop", Subject.AGENT_TYPE, _CONTINUE, can_block=True),
    Event("TeammateIdle", _NONE, _CONTINUE, can_block=True),
    # --- tasks
    Event("TaskCreated", _NONE, _GATE, can_block=True),
    Event("TaskCompleted", _NONE, _GATE, can_block=True),
    Event("TodoCreated", _NONE, _GATE, can_block=True),
    Event("TodoCompleted", _NONE, _GATE, can_block=True),
    Event("PreTaskExec", _NONE, _GATE, can_block=True),
    Event("PostTaskExec", _NONE, _OBSERVE),
    Event("ManualTrigger", _NONE, _OBSERVE),
    # --- context
    Event("PreCompact", Subject.TRIGGER, _GATE, can_block=True),
    Event("PostCompact", Subject.TRIGGER, _OBSERVE),
    Event("InstructionsLoaded", Subject.LOAD_REASON, _OBSERVE),
    # --- the surroundings
    Event("Notification", Subject.NOTIFICATION, _OBSERVE),
    Event("ConfigChange", Subject.SOURCE, _GATE, can_block=True),
    Event("CwdChanged", _NONE, _OBSERVE),
    Event("DirectoryAdded", Subject.SOURCE, _OBSERVE),
    Event("WorktreeCreate", _NONE, _GATE, can_block=True),
    Event("WorktreeRemove", _NONE, _OBSERVE),
    Event("PostSetupWorktree", _NONE, _OBSERVE),
    Event("Elicitation", Subject.MCP_SERVER, _GATE, can_block=True),
    Event("ElicitationResult", Subject.MCP_SERVER, _GATE, can_block=True),
)

BY_NAME: Mapping[str, Event] = {event.name: event for event in EVENTS}
