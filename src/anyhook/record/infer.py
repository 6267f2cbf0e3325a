"""What came of recorded events, concluded from the events after them; None where nothing is certain. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from anyhook.dialects import NAMES, profile
from anyhook.dialects.translation.subjects import matched_text
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.outcome import Effect
from anyhook.model.payload_base import Payload
from anyhook.record.recorded import Happened, RecordedEvent

_TOOL_ENDED = frozenset({"PostToolUse", "PostToolUseFailure"})
_MODEL_WORKED = frozenset(
    {"PreToolUse", "PostToolUse", "PostToolUseFailure", "BeforeModel", "AfterModel", "MessageDisplay", "Stop"}
)


class ReadEvent(Struct, frozen=True):
    """A recorded event with its payload in neutral words."""

    recorded: RecordedEvent
    payload: Payload

    @property
    def about(self) -> str:
        """What a matcher would see: the tool, the source, the trigger."""
        return matched_text(self.payload, profile(self.recorded.client))

    def is_of_session(self, other: ReadEvent) -> bool:
        """Whether both are of one agent's session."""
        return self.recorded.client == other.recorded.client and self.payload.session_id == other.payload.session_id


def read_payloads(events: Sequence[RecordedEvent]) -> tuple[ReadEvent, ...]:
    """The events with their payloads read as their client's; those of unknown clients are left out."""
    return tuple(
        ReadEvent(event, decode_payload(profile(event.client), plain_payload(event), event.event)[0])
        for event in events
        if event.client in NAMES
    )


def plain_payload(event: RecordedEvent) -> dict[str, Any]:
    """What the client sent; nothing when that was no JSON object."""
    return event.payload if isinstance(event.payload, dict) else {}


def conclude(events: Sequence[ReadEvent]) -> tuple[Happened | None, ...]:
    """For each event what came of it: as it was seen, or as what follows shows; None when it could be anything."""
    return tuple(event.recorded.outcome or _conclude_one(event, events[i + 1 :]) for i, event in enumerate(events))


def _conclude_one(event: ReadEvent, later: Sequence[ReadEvent]) -> Happened | None:
    following = [other for other in later if other.is_of_session(event)]
    match event.payload.event:
        case "PreToolUse":
            return _of_tool_call(event.payload, following)
        case "UserPromptSubmit":
            return _of_prompt(following)
        case name if name in BY_NAME and BY_NAME[name].fold is FoldRule.CONTINUATION:
            return _of_stop(event.payload, following)
        case _:
            return None


def _of_tool_call(call: Payload, following: Sequence[ReadEvent]) -> Happened | None:
    """A tool that ended was let through; if the user was asked on the way, it may have been the user who let it."""
    was_asked = False
    for other in following:
        if not _is_same_call(call, other.payload):
            continue
        if other.payload.event in _TOOL_ENDED:
            reason = f"{other.recorded.event} followed"
            return Happened(Effect.PROCEED, reason, is_concluded=True, may_have_asked=was_asked)
        if other.payload.event != "PermissionRequest":
            return None  # denied, or tried again
        was_asked = True
    return None


def _is_same_call(call: Payload, other: Payload) -> bool:
    """Whether two events are about one use of a tool: the same id, or where there is none the same tool and input."""
    ids = [getattr(payload, "tool_use_id", None) or None for payload in (call, other)]
    if all(isinstance(number, str) for number in ids):
        return ids[0] == ids[1]
    tools = [getattr(payload, "tool_name", None) for payload in (call, other)]
    inputs = [getattr(payload, "tool_input", None) for payload in (call, other)]
    return isinstance(tools[0], str) and tools[0] == tools[1] and inputs[0] == inputs[1]


def _of_prompt(following: Sequence[ReadEvent]) -> Happened | None:
    for other in following:
        if other.payload.event == "UserPromptSubmit":
            return None
        if other.payload.event in _MODEL_WORKED:
            return Happened(Effect.PROCEED, f"{other.recorded.event} followed", is_concluded=True)
    return None


def _of_stop(stop: Payload, following: Sequence[ReadEvent]) -> Happened | None:
    """An agent that stops again "because of a stop hook" was kept going; one that gets a new prompt had stopped."""
    for other in following:
        if other.payload.event == stop.event and other.payload.agent_id == stop.agent_id:
            was_kept_going = getattr(other.payload, "stop_hook_active", None) is True
            reason = f"another {other.recorded.event} followed, with stop_hook_active"
            return Happened(Effect.CONTINUE, reason, is_concluded=True) if was_kept_going else None
        if other.payload.event in ("UserPromptSubmit", "SessionEnd"):
            return Happened(Effect.PROCEED, f"{other.recorded.event} followed", is_concluded=True)
    return None
