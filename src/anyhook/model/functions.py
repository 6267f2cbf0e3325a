"""Hooks as Python functions: the decorator that marks them, and the answers that they give.

Nothing is imported here before it is used: a file of hooks must cost next to nothing when it is loaded.
"""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any, Literal, Protocol, TypeVar, overload

    from anyhook.model import payload
    from anyhook.model.lazyjson import LazyJson
    from anyhook.model.output import HookAnswer, Reply
    from anyhook.model.payload_base import Payload

    E = TypeVar("E", bound=Payload)
    A = TypeVar("A", bound=HookAnswer | Awaitable[HookAnswer])

    class Marks(Protocol[E]):
        """Takes a function of this event and gives it back."""

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
        event: Literal["PreToolUse", "pre-tool-use"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.PreToolUse]: ...
    @overload
    def hook(
        event: Literal["PostToolUse", "post-tool-use"], *, matcher: str | None = None, timeout: float | None = None
    ) -> Marks[payload.PostToolUse]: ...
    @overload
    def hook(
        event: Literal["PermissionRequest", "permission-request"],
        *,
        matcher: str | None = None,
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
    def hook(event: str, *, matcher: str | None = None, timeout: float | None = None) -> Marks[Any]:
        """Decorate a function that is a hook: ``@hook("PreToolUse", matcher="Bash", timeout=5)``.

        ``matcher`` is what a hook file would have, ``timeout`` is in seconds.
        """
        raise NotImplementedError

else:

    def hook(event, **settings):
        """Decorate a function that is a hook: ``@hook("PreToolUse", matcher="Bash", timeout=5)``.

        The function stays what it was. The decorator is read from the text of the file, never from its result, so a
        mistake in one costs no other hook of the file: ``anyhook check`` and type checkers tell about it.
        """
        return lambda function: function


variables: ContextVar[Mapping[str, str]] = ContextVar("variables of the event")
"""Set by whoever calls functions in a process of its own, where ``os.environ`` is not that of the client."""


def environment() -> Mapping[str, str]:
    """The environment that a command hook would get for the event; ``os.environ`` may be that of another process."""
    import os

    return variables.get(os.environ)


def allow(reason: str | None = None) -> Reply:
    """Let it happen without asking anybody."""
    from anyhook.model.output import Decision, Reply

    return Reply(decision=Decision.ALLOW, reason=reason)


def deny(reason: str) -> Reply:
    """Do not let it happen, and tell the model why; on Stop the agent is kept going."""
    from anyhook.model.output import Decision, Reply

    return Reply(decision=Decision.DENY, reason=reason)


def ask(reason: str | None = None) -> Reply:
    """Let the user decide."""
    from anyhook.model.output import Decision, Reply

    return Reply(decision=Decision.ASK, reason=reason)


def rewrite(tool_input: Mapping[str, Any] | LazyJson) -> Reply:
    """Give the tool this input in place of its own; whether it may run is decided by others."""
    from anyhook.model.output import Reply

    return Reply(updated_input=tool_input)


def context(text: str) -> Reply:
    """Tell the model something."""
    from anyhook.model.output import Reply

    return Reply(context=text)


def stop(reason: str) -> Reply:
    """End the turn of the agent, and tell the user why."""
    from anyhook.model.output import Reply

    return Reply(stop=True, stop_reason=reason)
