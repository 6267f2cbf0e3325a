"""What a session tells its host: small frozen results, each with the ``text`` that the model should read."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Literal

import msgspec
from msgspec import Struct

from anyhook.model.lazyjson import as_plain, dump_json
from anyhook.model.outcome import Outcome


class PromptResult(Struct, frozen=True, kw_only=True):
    """What hooks decide about a prompt of the user."""

    allowed: bool
    prompt: str
    reason: str = ""
    """Why it was blocked."""
    context: tuple[str, ...] = ()
    """What hooks tell the model besides the prompt."""
    outcome: Outcome

    @property
    def text(self) -> str:
        """What the model should read: the prompt and what hooks add to it; nothing when it was blocked."""
        return joined(self.prompt, *self.context) if self.allowed else ""


class ToolQuestion(Struct, frozen=True, kw_only=True):
    """A tool call that needs permission: the argument of the host's ``ask``."""

    name: str
    input: Mapping[str, Any]
    reason: str = ""
    """Why a hook wants the user to be asked; empty: no hook decided."""
    tool_use_id: str = ""
    agent_id: str | None = None
    """The subagent that wants to use the tool; None: the main agent."""


class ToolResult(Struct, frozen=True, kw_only=True):
    """What came of a tool call."""

    status: Literal["ran", "failed", "denied", "deferred"]
    """Deferred: a hook leaves the call to the host, for later; the turn ends."""
    name: str
    input: Mapping[str, Any]
    """The input of the tool, after hooks have rewritten it."""
    output: Any = None
    """What the tool returned, or what a hook put in its place."""
    error: str = ""
    """What a tool that failed has raised."""
    reason: str = ""
    """Why the call was denied or deferred."""
    feedback: str = ""
    """What a hook finds wrong with what the tool did."""
    context: tuple[str, ...] = ()
    """Everything that hooks tell the model about this call, reason and feedback included."""
    outcomes: tuple[Outcome, ...] = ()
    """Of every event that was fired for the call, in order."""
    tool_use_id: str = ""

    @property
    def text(self) -> str:
        """What the model should read as the tool's result."""
        match self.status:
            case "ran":
                return joined(as_text(self.output), *self.context)
            case "failed":
                return joined(self.error, *self.context)
            case _:
                return joined(*self.context) or f"{self.name} was not run."


class StopResult(Struct, frozen=True, kw_only=True):
    """Whether the agent may stop."""

    keep_going: bool
    reason: str = ""
    """What a hook still wants done."""
    context: tuple[str, ...] = ()
    outcome: Outcome | None = None
    """None: the turn had ended already, so that no hook was run."""

    @property
    def text(self) -> str:
        """What an agent that is kept going should read."""
        return (joined(*self.context) or "A hook wants you to go on.") if self.keep_going else ""


class CompactResult(Struct, frozen=True, kw_only=True):
    """Whether the conversation was made shorter."""

    compacted: bool
    reason: str = ""
    """Why a hook did not allow it."""
    summary: Any = None
    """What the host's ``run`` returned."""


class TaskResult(Struct, frozen=True, kw_only=True):
    """Whether a task counts as completed."""

    accepted: bool
    reason: str = ""
    context: tuple[str, ...] = ()
    outcome: Outcome


class PendingContext(Struct, frozen=True):
    """What hooks have left for the model and for the user, in order."""

    for_model: tuple[str, ...] = ()
    for_user: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What the model should read, as one text."""
        return joined(*self.for_model)


def joined(*texts: str) -> str:
    """The texts as paragraphs, without empty ones and repetitions."""
    return "\n\n".join(dict.fromkeys(filter(None, texts)))


def as_text(value: Any) -> str:
    """A tool's output as text: as it is, or as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else dump_json(as_json_value(value)).decode()


def as_json_value(value: Any) -> Any:
    """A tool's output as JSON can hold it; a value that JSON cannot hold becomes its text."""
    with suppress(Exception):  # a model may raise anything
        return as_plain(value)
    with suppress(Exception):
        return msgspec.to_builtins(value, str_keys=True, enc_hook=str)
    return repr(value)
