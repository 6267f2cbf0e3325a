"""What a hook may reply: the typed outputs of the Agent SDK hooks spec, and the flat reply of all dialects.

A callback returns a :class:`SyncOutput` or an :class:`AsyncOutput`. Every client has its own JSON for the same things;
:mod:`anyhook.dialects.wire.replies` reads it into a :class:`Reply` and writes a reply in it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from anyhook.model.cause import Cause


class SpecificOutput(
    Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    rename="camel",
    tag_field="hookEventName",
    tag=lambda name: name.removesuffix("Output"),
):
    """``hookSpecificOutput``: the part of a reply that only one event has."""


class ContextOutput(SpecificOutput, frozen=True, kw_only=True):
    additional_context: str | None = None


# --- Agent SDK hooks spec, section 4.3


class PreToolUseOutput(ContextOutput, frozen=True, kw_only=True):
    permission_decision: Literal["allow", "deny", "ask", "defer"] | None = None
    permission_decision_reason: str | None = None
    updated_input: Mapping[str, Any] | None = None


class PostToolUseOutput(ContextOutput, frozen=True, kw_only=True):
    updated_mcp_tool_output: Any = field(default=None, name="updatedMCPToolOutput")
    updated_tool_output: Any = None
    classifier_context: str | None = None


class PostToolUseFailureOutput(ContextOutput, frozen=True, kw_only=True):
    pass


class SessionStartOutput(ContextOutput, frozen=True, kw_only=True):
    initial_user_message: str | None = None
    session_title: str | None = None
    watch_paths: tuple[str, ...] | None = None
    reload_skills: bool | None = None


class SubagentStartOutput(ContextOutput, frozen=True, kw_only=True):
    pass


class SetupOutput(ContextOutput, frozen=True, kw_only=True):
    pass


class NotificationOutput(ContextOutput, frozen=True, kw_only=True):
    pass


class UserPromptSubmitOutput(ContextOutput, frozen=True, kw_only=True):
    session_title: str | None = None
    suppress_original_prompt: bool | None = None


class PermissionDecision(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The decision of a PermissionRequest hook. ``message`` and ``interrupt`` go with deny, the updates with allow."""

    behavior: Literal["allow", "deny"]
    updated_input: Mapping[str, Any] | None = None
    updated_permissions: tuple[Mapping[str, Any], ...] | None = None
    message: str | None = None
    interrupt: bool | None = None


class PermissionRequestOutput(SpecificOutput, frozen=True, kw_only=True):
    decision: PermissionDecision


# --- what the clients have besides (``conformance/fact-sheets``)


class StopOutput(ContextOutput, frozen=True, kw_only=True):
    decision: Literal["block"] | None = None
    """VS Code reads it here; the others want it at the top level."""
    reason: str | None = None


class SubagentStopOutput(ContextOutput, frozen=True, kw_only=True):
    decision: Literal["block"] | None = None
    reason: str | None = None


class UserPromptExpansionOutput(ContextOutput, frozen=True, kw_only=True):
    pass


class PostToolBatchOutput(ContextOutput, frozen=True, kw_only=True):
    pass


class PermissionDeniedOutput(SpecificOutput, frozen=True, kw_only=True):
    retry: bool | None = None


class MessageDisplayOutput(SpecificOutput, frozen=True, kw_only=True):
    display_content: str | None = None


class CwdChangedOutput(SpecificOutput, frozen=True, kw_only=True):
    watch_paths: tuple[str, ...] | None = None


class FileChangedOutput(SpecificOutput, frozen=True, kw_only=True):
    watch_paths: tuple[str, ...] | None = None


class WorktreeCreateOutput(SpecificOutput, frozen=True, kw_only=True):
    worktree_path: str | None = None


class ElicitationOutput(SpecificOutput, frozen=True, kw_only=True):
    action: Literal["accept", "decline", "cancel"] | None = None
    content: Mapping[str, Any] | None = None


class ElicitationResultOutput(SpecificOutput, frozen=True, kw_only=True):
    action: Literal["accept", "decline", "cancel"] | None = None
    content: Mapping[str, Any] | None = None


class BeforeModelOutput(SpecificOutput, frozen=True, kw_only=True):
    llm_request: Mapping[str, Any] | None = field(default=None, name="llm_request")
    llm_response: Mapping[str, Any] | None = field(default=None, name="llm_response")


class AfterModelOutput(SpecificOutput, frozen=True, kw_only=True):
    llm_response: Mapping[str, Any] | None = field(default=None, name="llm_response")


class BeforeToolSelectionOutput(SpecificOutput, frozen=True, kw_only=True):
    tool_config: Mapping[str, Any] | None = None


AnySpecificOutput = (
    PreToolUseOutput
    | PostToolUseOutput
    | PostToolUseFailureOutput
    | SessionStartOutput
    | SubagentStartOutput
    | SetupOutput
    | NotificationOutput
    | UserPromptSubmitOutput
    | PermissionRequestOutput
    | StopOutput
    | SubagentStopOutput
    | UserPromptExpansionOutput
    | PostToolBatchOutput
    | PermissionDeniedOutput
    | MessageDisplayOutput
    | CwdChangedOutput
    | FileChangedOutput
    | WorktreeCreateOutput
    | ElicitationOutput
    | ElicitationResultOutput
    | BeforeModelOutput
    | AfterModelOutput
    | BeforeToolSelectionOutput
)


class SyncOutput(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A reply that is complete when the hook returns. An empty one is no opinion."""

    continue_: bool | None = field(default=None, name="continue")
    suppress_output: bool | None = None
    stop_reason: str | None = None
    decision: Literal["approve", "block"] | None = None
    system_message: str | None = None
    reason: str | None = None
    terminal_sequence: str | None = None
    hook_specific: AnySpecificOutput | None = field(default=None, name="hookSpecificOutput")


class AsyncOutput(Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The hook goes on in the background; nothing waits for it and it cannot decide anything."""

    async_: Literal[True] = field(default_factory=lambda: True, name="async")  # a plain default would not be written
    async_timeout: float | None = None
    """Seconds, as in the JSON of the Agent SDK hooks spec."""

    def to_reply(self) -> Reply:
        """The same as the reply of all dialects."""
        limit = self.async_timeout
        return Reply(async_=True, async_timeout_ms=None if limit is None else round(limit * 1000))


HookOutput = SyncOutput | AsyncOutput


def to_json(output: HookOutput) -> dict[str, Any]:
    """The answer as a command hook would print it. A value that JSON cannot hold, such as an exception, is its text."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(output, enc_hook=str))
    return plain


# --- the neutral form


class Decision(enum.StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    """On events that ask for permission."""
    ASK = "ask"
    DEFER = "defer"
    BLOCK = "block"
    """On all other events: stop the prompt, tell the model, keep the agent going."""

    @property
    def is_refusal(self) -> bool:
        return self in (Decision.DENY, Decision.BLOCK)


class Reply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hook's reply, whatever client it was written for."""

    decision: Decision | None = None
    reason: str | None = None
    updated_input: Any = None
    updated_output: Any = None
    context: str | None = None
    """Text for the model."""
    message: str | None = None
    """Text for the user."""
    stop: bool | None = None
    """True for ``continue: false``, False for ``continue: true``, None when nothing was said."""
    stop_reason: str | None = None
    suppress: bool = False
    async_: bool = False
    async_timeout_ms: int | None = None
    other: Mapping[str, Any] = {}
    """What only one event or client has, by the name that the dialect gives it."""
    read: Mapping[str, Cause] = {}
    """The parts that the client reads, each with its JSON pointer and, where only some are known, its value."""
    unread: tuple[Cause, ...] = ()
    """What the client does not read of it, each with its JSON pointer."""
    invalid: Cause | None = None
    """Why the client discards the whole reply; the parts are then empty."""


Word = Literal["allow", "approve", "deny", "block", "ask", "continue"]
HookAnswer = HookOutput | Reply | Mapping[str, Any] | Word | None
"""What a function that is a hook may return."""

DECISION_OF_WORD: Mapping[str, Decision | None] = {
    "allow": Decision.ALLOW,
    "approve": Decision.ALLOW,
    "deny": Decision.DENY,
    "block": Decision.DENY,
    "ask": Decision.ASK,
    "continue": None,
}


def reply_of_word(word: str) -> Reply:
    """The reply that is a decision alone, such as "block". Raises ValueError for any other text."""
    if word not in DECISION_OF_WORD:
        raise ValueError(f"{word!r} is not a decision; known are {', '.join(DECISION_OF_WORD)}")
    return Reply(decision=DECISION_OF_WORD[word])
