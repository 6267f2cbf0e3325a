"""What a client is told in place of hooks that cannot be asked."""

from __future__ import annotations

from typing import Literal

from msgspec import structs

from anyhook.dialects.bound_event import BoundEvent, bind_payload
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.answers import ProcessAnswer, encode_reply
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.events import FoldRule
from anyhook.model.output import Decision, Reply

FailMode = Literal["open", "closed"]
"""What becomes of the thing that an event is about: it goes ahead and the user is told why, or it does not."""


def fallback(
    client: Profile, native_event: str, fail: FailMode, text: str, *, is_process: bool = True
) -> ProcessAnswer:
    """What a client is told about an event, whatever its payload."""
    client_payload, _ = decode_payload(client, b"{}", native_event)
    bound = bind_payload(client, client_payload)
    return send(bound, unasked(bound, fail, text), is_process=is_process)


def unasked(bound: BoundEvent, fail: FailMode, text: str) -> Reply:
    # Not on Stop: an agent that is kept going because of a missing program would never end.
    can_close = bound.fold_rule in (FoldRule.DECISION, FoldRule.GATE) and bound.can_block
    return Reply(decision=Decision.DENY, reason=text) if fail == "closed" and can_close else Reply(message=text)


def send(bound: BoundEvent, reply: Reply, *, is_process: bool = True) -> ProcessAnswer:
    """A reply as the client hears it; what the user has to know goes to stderr where there is no better way."""
    note = f"a hook gave the tool another input, but {bound.title} does not let hooks do that"
    sent = encode_reply(bound, reply, is_process=is_process, lost_input_note=note)
    if sent.unsaid and not sent.stderr:
        return structs.replace(sent, stderr=sent.unsaid.encode(errors="replace"))
    return sent
