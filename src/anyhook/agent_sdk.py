"""The Agent SDK hooks spec in its own words: what its callbacks receive, what they return, and how they are grouped.

Hooks that are written for anyhook need none of these: they return ``deny``, ``ask``, ``allow``, ``rewrite``,
``context`` or ``stop``.
"""

from anyhook.engine.executors.callback import CallbackContext
from anyhook.engine.functions.host_hooks import HookMatcher
from anyhook.model.output import (
    AsyncOutput,
    HookOutput,
    NotificationOutput,
    PermissionDecision,
    PermissionRequestOutput,
    PostToolUseFailureOutput,
    PostToolUseOutput,
    PreToolUseOutput,
    SessionStartOutput,
    SetupOutput,
    StopOutput,
    SubagentStartOutput,
    SubagentStopOutput,
    SyncOutput,
    UserPromptSubmitOutput,
)
from anyhook.model.payload import (
    Notification,
    PermissionRequest,
    PostToolUse,
    PostToolUseFailure,
    PreCompact,
    PreToolUse,
    SessionEnd,
    SessionStart,
    Setup,
    Stop,
    SubagentStart,
    SubagentStop,
    TaskCompleted,
    TeammateIdle,
    UserPromptSubmit,
)

__all__ = [
    # what callbacks receive (section 3)
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PermissionRequest",
    "Setup",
    "TeammateIdle",
    "TaskCompleted",
    # what they return (section 4)
    "HookOutput",
    "SyncOutput",
    "AsyncOutput",
    "PreToolUseOutput",
    "PostToolUseOutput",
    "PostToolUseFailureOutput",
    "SessionStartOutput",
    "SubagentStartOutput",
    "SubagentStopOutput",
    "SetupOutput",
    "NotificationOutput",
    "UserPromptSubmitOutput",
    "PermissionRequestOutput",
    "PermissionDecision",
    "StopOutput",
    # how they are grouped, and their third argument (section 5)
    "HookMatcher",
    "CallbackContext",
]
