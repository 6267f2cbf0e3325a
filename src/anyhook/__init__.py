"""One lifecycle-hook engine for every coding agent.

The public names are resolved on first use (PEP 562), so ``import anyhook`` costs next to nothing.
"""

TYPE_CHECKING = False  # type checkers know the name; importing typing for it would cost more than all the rest

__version__ = "0.2.0"

__all__ = [
    "__version__",
    # a project's hooks
    "load",
    "parse",
    "merge",
    "HookSet",
    "Problem",
    # the engine, and an agent's session
    "Engine",
    "Outcome",
    "Session",
    "SyncSession",
    "ToolQuestion",
    "ToolResult",
    # what hooks receive; anyhook.agent_sdk has the other events
    "Payload",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "Stop",
    # hooks as Python functions, and what they answer
    "hook",
    "Reply",
    "deny",
    "ask",
    "allow",
    "rewrite",
    "context",
    "stop",
    "environment",
]

if TYPE_CHECKING:
    from anyhook.engine.engine import Engine
    from anyhook.engine.functions.host_hooks import merge, parse
    from anyhook.engine.session.results import ToolQuestion, ToolResult
    from anyhook.engine.session.session import Session
    from anyhook.engine.session.sync_session import SyncSession
    from anyhook.model.functions import allow, ask, context, deny, environment, hook, rewrite, stop
    from anyhook.model.hooks import HookSet
    from anyhook.model.outcome import Outcome
    from anyhook.model.output import Reply
    from anyhook.model.payload import (
        PermissionRequest,
        PostToolUse,
        PostToolUseFailure,
        PreToolUse,
        SessionEnd,
        SessionStart,
        Stop,
        UserPromptSubmit,
    )
    from anyhook.model.payload_base import Payload
    from anyhook.model.problems import Problem
    from anyhook.project.load import load

_MODULES = {
    "anyhook.engine.engine": ("Engine",),
    "anyhook.engine.functions.host_hooks": ("parse", "merge"),
    "anyhook.engine.session.results": ("ToolQuestion", "ToolResult"),
    "anyhook.engine.session.session": ("Session",),
    "anyhook.engine.session.sync_session": ("SyncSession",),
    "anyhook.model.functions": ("hook", "allow", "deny", "ask", "rewrite", "context", "stop", "environment"),
    "anyhook.model.hooks": ("HookSet",),
    "anyhook.model.outcome": ("Outcome",),
    "anyhook.model.output": ("Reply",),
    "anyhook.model.payload": (
        "SessionStart",
        "SessionEnd",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionRequest",
        "Stop",
    ),
    "anyhook.model.payload_base": ("Payload",),
    "anyhook.model.problems": ("Problem",),
    "anyhook.project.load": ("load",),
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
