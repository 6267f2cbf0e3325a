"""Hooks as Python functions: the decorator that marks them, and the replies that they return.

Imports happen on use, because loading a file of hooks must cost next to nothing.
"""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, Literal, Protocol, TypeVar, overload

    from anyhook.model import payload
    from anyhook.model.lazyjson import LazyJson
    from anyhook.model.output import HookAnswer, Reply
    from anyhook.model.payload_base import Payload

    ToolKind = Literal["shell", "edit", "read", "search", "fetch", "mcp", "any"]
    E = TypeVar("E", bound=Payload)
    A = TypeVar("A", bound=HookAnswer | Awaitable[HookAnswer])

    class Marks(Protocol[E]):
        """Takes a function of this event and returns it."""

        def __call__(self, function: Callable[[E], A], /) -> Callable[[E], A]: ...

    @overload
    def hook(
        event: Literal["SessionStart", "session-start"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.SessionStart]: ...
    @overload
    def hook(
        event: Literal["SessionEnd", "session-end"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.SessionEnd]: ...
    @overload
    def hook(
        event: Literal["UserPromptSubmit", "pre-prompt"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.UserPromptSubmit]: ...
    @overload
    def hook(
        event: Literal["PreToolUse", "pre-tool-use"],
        *,
        matcher: str | None = None,
        kind: ToolKind | Sequence[ToolKind] | None = None,
        timeout: float | None = None,
    ) -> Marks[payload.PreToolUse]: ...
    @overload
    def hook(
        event: Literal["PostToolUse", "post-tool-use"],
        *,
        matcher: str | None = None,
        kind: ToolKind | Sequence[ToolKind] | None = None,
        timeout: float | None = None,
    ) -> Marks[payload.PostToolUse]: ...
    @overload
    def hook(
        event: Literal["PermissionRequest", "permission-request"],
        *,
        matcher: str | None = None,
        kind: ToolKind | Sequence[ToolKind] | None = None,
        timeout: float | None = None,
    ) -> Marks[payload.PermissionRequest]: ...
    @overload
    def hook(
        event: Literal["Stop", "stop"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.Stop]: ...
    @overload
    def hook(
        event: Literal["SubagentStop", "sub-agent-end"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.SubagentStop]: ...
    @overload
    def hook(
        event: Literal["PreCompact", "pre-compact"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.PreCompact]: ...
    @overload
    def hook(
        event: Literal["Notification", "notification"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.Notification]: ...
    def hook(
        event: str,
        *,
        matcher: str | None = None,
        kind: ToolKind | Sequence[ToolKind] | None = None,
        timeout: float | None = None,
    ) -> Marks[Any]:
        """Mark a function as a hook: ``@hook("PreToolUse", matcher="Bash", timeout=5)``.

        ``matcher`` is written as in a hook file, ``kind`` is what the tool does, whatever it is called, ``timeout`` is
        in seconds.
        """
        raise NotImplementedError

else:

    def hook(event, **settings):
        """Mark a function as a hook: ``@hook("PreToolUse", matcher="Bash", timeout=5)``.

        Returns the function unchanged. anyhook reads the decorator from the text of the file and never runs it, so a
        mistake costs only this one hook; ``anyhook check`` and type checkers report it.
        """
        return lambda function: function


variables: ContextVar[Mapping[str, str]] = ContextVar("variables of the event")
"""Set by a host that calls functions in its own process, where ``os.environ`` is not that of the client."""


def environment() -> Mapping[str, str]:
    """The environment that a command hook would get for this event; ``os.environ`` may be that of the host."""
    import os

    return variables.get(os.environ)


def allow(reason: str | None = None) -> Reply:
    """Allow the action without asking the user."""
    from anyhook.model.output import Decision, Reply

    return Reply(decision=Decision.ALLOW, reason=reason)


def deny(reason: str) -> Reply:
    """Block the action and tell the model why; on Stop, keep the agent going."""
    from anyhook.model.output import Decision, Reply

    return Reply(decision=Decision.DENY, reason=reason)


def ask(reason: str | None = None) -> Reply:
    """Let the user decide."""
    from anyhook.model.output import Decision, Reply

    return Reply(decision=Decision.ASK, reason=reason)


def rewrite(value: Mapping[str, Any] | LazyJson | str) -> Reply:
    """Replace the input of the tool, which decides nothing about whether it runs; on PostToolUse, its output."""
    from anyhook.model.output import Reply

    return Reply(updated_input=value)


def context(text: str) -> Reply:
    """Add text to the context of the model."""
    from anyhook.model.output import Reply

    return Reply(context=text)


def stop(reason: str) -> Reply:
    """End the turn of the agent and tell the user why."""
    from anyhook.model.output import Reply

    return Reply(stop=True, stop_reason=reason)
