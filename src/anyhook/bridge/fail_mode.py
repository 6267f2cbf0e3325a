"""What a client is told in place of hooks that cannot be asked."""

from __future__ import annotations

from typing import Literal

from msgspec import structs

from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.answers import ProcessAnswer, encode_reply
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.output import Decision, Reply
from anyhook.model.payload_base import Payload

FailMode = Literal["open", "closed"]
"""What becomes of the thing that an event is about: it goes ahead and the user is told why, or it does not."""


def fallback(
    client: Profile, native_event: str, fail: FailMode, text: str, *, is_process: bool = True
) -> ProcessAnswer:
    """What a client is told about an event, whatever its payload."""
    client_payload, _ = decode_payload(client, b"{}", native_event)
    return send(client, client_payload, unasked(client, client_payload.event, fail, text), is_process=is_process)


def unasked(client: Profile, event: str, fail: FailMode, text: str) -> Reply:
    known = BY_NAME.get(event)
    # Not on Stop: an agent that is kept going because of a missing program would never end.
    can_close = known is not None and known.fold in (FoldRule.DECISION, FoldRule.GATE) and client.blocks(event)
    return Reply(decision=Decision.DENY, reason=text) if fail == "closed" and can_close else Reply(message=text)


def send(client: Profile, client_payload: Payload, reply: Reply, *, is_process: bool = True) -> ProcessAnswer:
    """A reply as the client hears it; what the user has to know goes to stderr where there is no better way."""
    sent = encode_reply(client, client_payload.event, client_payload.native_event, reply, is_process=is_process)
    if reply.message and "message" in sent.lost and not sent.stderr:
        return structs.replace(sent, stderr=reply.message.encode(errors="replace"))
    return sent
