"""Writes what a client reads: the replies of all packages as one answer, or the fail mode's answer in their place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import UNSET, structs

from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.answers import ProcessAnswer, encode_reply
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.output import Decision, Reply
from anyhook.model.payload_base import Payload

FailMode = Literal["open", "closed"]
"""What happens when hooks cannot run: the event proceeds and the user reads why (open), or it is blocked (closed)."""

_STRICTNESS = (Decision.DENY, Decision.BLOCK, Decision.ASK, Decision.DEFER, Decision.ALLOW, None)


def fallback(
    client: Profile, native_event: str, fail: FailMode, text: str, *, is_process: bool = True
) -> ProcessAnswer:
    """The fail mode's answer to an event, whatever its payload."""
    client_payload, _ = decode_payload(client, b"{}", native_event)
    reply = fail_reply(client, client_payload.event, fail, text)
    return write_answer(client, client_payload, reply, is_process=is_process)


def fail_reply(client: Profile, event: str, fail: FailMode, text: str) -> Reply:
    """The reply in place of hooks that cannot run; ``text`` says why."""
    known = BY_NAME.get(event)
    # Not on Stop: an agent that is kept going because of a missing program would never end.
    can_block = known is not None and known.fold in (FoldRule.DECISION, FoldRule.GATE) and client.blocks(event)
    return Reply(decision=Decision.DENY, reason=text) if fail == "closed" and can_block else Reply(message=text)


def write_answer(client: Profile, client_payload: Payload, reply: Reply, *, is_process: bool = True) -> ProcessAnswer:
    """A reply in the client's format. A message for the user goes to stderr where the format has no field for it."""
    answer = _encode(client, client_payload, reply, is_process=is_process)
    if reply.updated_input is UNSET or "input" not in answer.lost:
        return answer
    text = f"a hook gave the tool another input, but {client.title} does not let hooks do that"
    return _encode(client, client_payload, join_replies((reply, Reply(message=text))), is_process=is_process)


def _encode(client: Profile, client_payload: Payload, reply: Reply, *, is_process: bool) -> ProcessAnswer:
    answer = encode_reply(client, client_payload.event, client_payload.native_event, reply, is_process=is_process)
    if reply.message and "message" in answer.lost and not answer.stderr:
        return structs.replace(answer, stderr=reply.message.encode(errors="replace"))
    return answer


def join_replies(replies: Iterable[Reply]) -> Reply:
    """One reply of several: the strictest decision with its reason, and the context and messages of all."""
    first, *others = sorted(replies, key=lambda reply: -1 if reply.stop else _STRICTNESS.index(reply.decision))
    for other in others:
        first = structs.replace(
            first,
            stop_reason=first.stop_reason or other.stop_reason,
            updated_input=other.updated_input if first.updated_input is UNSET else first.updated_input,
            updated_output=other.updated_output if first.updated_output is UNSET else first.updated_output,
            context="\n\n".join(filter(None, (first.context, other.context))) or None,
            message="\n\n".join(filter(None, (first.message, other.message))) or None,
        )
    return first
