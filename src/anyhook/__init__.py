"""One lifecycle-hook engine for every coding agent.

The public names are resolved on first use (PEP 562), so ``import anyhook`` costs next to nothing.
"""

TYPE_CHECKING = False  # type checkers know the name; importing typing for it would cost more than all the rest

__version__ = "0.2.0"

__all__ = [
    "__version__",
    # the engine
    "Engine",
    "load",
    "parse",
    "merge",
    "Outcome",
    "Effect",
    "Run",
    "Status",
    "Cause",
    "CauseKind",
    # an agent's session
    "Session",
    "Subagent",
    "PromptResult",
    "ToolResult",
    "ToolQuestion",
    "PermissionDecision",
    "StopResult",
    "CompactResult",
    "TaskResult",
    "PendingContext",
    # hooks
    "HookSet",
    "Rule",
    "Command",
    "Callback",
    "HookMatcher",
    "Problem",
    # what hooks receive
    "Payload",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Notification",
    "Setup",
    "TeammateIdle",
    "TaskCompleted",
    # what hooks answer
    "SyncOutput",
    "AsyncOutput",
    "PreToolUseOutput",
    "PostToolUseOutput",
    "PostToolUseFailureOutput",
    "PermissionRequestOutput",
    "PermissionDeniedOutput",
    "SessionStartOutput",
    "SetupOutput",
    "UserPromptSubmitOutput",
    "UserPromptExpansionOutput",
    "NotificationOutput",
    "StopOutput",
    "SubagentStartOutput",
    "SubagentStopOutput",
    "PostToolBatchOutput",
    "MessageDisplayOutput",
    "CwdChangedOutput",
    "FileChangedOutput",
    "WorktreeCreateOutput",
    "ElicitationOutput",
    "ElicitationResultOutput",
    "BeforeModelOutput",
    "AfterModelOutput",
    "BeforeToolSelectionOutput",
    "HookOutput",
    "HookAnswer",
    "Reply",
    "Decision",
    # hooks as Python functions
    "hook",
    "allow",
    "deny",
    "ask",
    "rewrite",
    "context",
    "stop",
    "environment",
    "FunctionHost",
]

if TYPE_CHECKING:
    from anyhook.engine.engine import Engine
    from anyhook.engine.functions.function_host import FunctionHost
    from anyhook.engine.functions.host_hooks import HookMatcher, merge, parse
    from anyhook.engine.session.agent_loop import Subagent
    from anyhook.engine.session.results import (
        CompactResult,
        PendingContext,
        PromptResult,
        StopResult,
        TaskResult,
        ToolQuestion,
        ToolResult,
    )
    from anyhook.engine.session.session import Session
    from anyhook.model.cause import Cause, CauseKind
    from anyhook.model.functions import allow, ask, context, deny, environment, hook, rewrite, stop
    from anyhook.model.hooks import Callback, Command, HookSet, Rule
    from anyhook.model.outcome import Effect, Outcome, Run, Status
    from anyhook.model.output import (
        AfterModelOutput,
        AsyncOutput,
        BeforeModelOutput,
        BeforeToolSelectionOutput,
        CwdChangedOutput,
        Decision,
        ElicitationOutput,
        ElicitationResultOutput,
        FileChangedOutput,
        HookAnswer,
        HookOutput,
        MessageDisplayOutput,
        NotificationOutput,
        PermissionDecision,
        PermissionDeniedOutput,
        PermissionRequestOutput,
        PostToolBatchOutput,
        PostToolUseFailureOutput,
        PostToolUseOutput,
        PreToolUseOutput,
        Reply,
        SessionStartOutput,
        SetupOutput,
        StopOutput,
        SubagentStartOutput,
        SubagentStopOutput,
        SyncOutput,
        UserPromptExpansionOutput,
        UserPromptSubmitOutput,
        WorktreeCreateOutput,
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
    from anyhook.model.payload_base import Payload
    from anyhook.model.problems import Problem
    from anyhook.project.load import load

_MODULES = {
    "anyhook.engine.engine": ("Engine",),
    "anyhook.engine.session.agent_loop": ("Subagent",),
    "anyhook.engine.functions.function_host": ("FunctionHost",),
    "anyhook.engine.session.session": ("Session",),
    "anyhook.engine.session.results": (
        "PromptResult",
        "ToolResult",
        "ToolQuestion",
        "StopResult",
        "CompactResult",
        "TaskResult",
        "PendingContext",
    ),
    "anyhook.engine.functions.host_hooks": ("HookMatcher", "parse", "merge"),
    "anyhook.project.load": ("load",),
    "anyhook.model.outcome": ("Outcome", "Effect", "Run", "Status"),
    "anyhook.model.cause": ("Cause", "CauseKind"),
    "anyhook.model.functions": ("hook", "allow", "deny", "ask", "rewrite", "context", "stop", "environment"),
    "anyhook.model.hooks": ("HookSet", "Rule", "Command", "Callback"),
    "anyhook.model.problems": ("Problem",),
    "anyhook.model.payload_base": ("Payload",),
    "anyhook.model.payload": (
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionRequest",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "Notification",
        "Setup",
        "TeammateIdle",
        "TaskCompleted",
    ),
    "anyhook.model.output": (
        "SyncOutput",
        "AsyncOutput",
        "Reply",
        "Decision",
        "PermissionDecision",
        "PreToolUseOutput",
        "PostToolUseOutput",
        "PostToolUseFailureOutput",
        "PermissionRequestOutput",
        "PermissionDeniedOutput",
        "SessionStartOutput",
        "SetupOutput",
        "UserPromptSubmitOutput",
        "UserPromptExpansionOutput",
        "NotificationOutput",
        "StopOutput",
        "SubagentStartOutput",
        "SubagentStopOutput",
        "PostToolBatchOutput",
        "MessageDisplayOutput",
        "CwdChangedOutput",
        "FileChangedOutput",
        "WorktreeCreateOutput",
        "ElicitationOutput",
        "ElicitationResultOutput",
        "BeforeModelOutput",
        "AfterModelOutput",
        "BeforeToolSelectionOutput",
        "HookOutput",
        "HookAnswer",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
"""Public name -> the module that defines it. Must agree with the imports above; a test compares the two."""

if not TYPE_CHECKING:  # a type checker must see exactly the names above, not "anything"

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(home), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
