"""What a client is answered where its hooks cannot be asked: by anyhook, or by the entry itself without it."""

from __future__ import annotations

from typing import Literal

from msgspec import structs

from anyhook.dialects.bound_event import BoundEvent, bind_payload
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.answers import ProcessAnswer, encode_reply
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.model.events import FoldRule
from anyhook.model.output import Decision, Reply

FailMode = Literal["open", "guard", "closed"]
"""What happens when hooks cannot run: the event proceeds and the user reads why (open), or it is blocked (closed).

guard, the default: it is blocked if hooks that were trusted have changed, because otherwise an agent could switch off
its guards by editing one of them; else it proceeds.
"""


def fail_mode(text: str | None) -> FailMode:
    """The value of ``--fail``, or the default."""
    return "closed" if text == "closed" else "open" if text == "open" else "guard"


def fallback(
    client: Profile, native_event: str, fail: FailMode, text: str, *, is_process: bool = True
) -> ProcessAnswer:
    """The fail mode's answer to an event, whatever its payload."""
    client_payload, _ = decode_payload(client, b"{}", native_event)
    bound = bind_payload(client, client_payload)
    return write_answer(bound, fail_reply(bound, fail, text), is_process=is_process)


def fail_reply(bound: BoundEvent, fail: FailMode, text: str) -> Reply:
    """The reply in place of hooks that cannot run; ``text`` says why."""
    # Not on Stop: an agent that is kept going because of a missing program would never end.
    can_block = bound.fold_rule in (FoldRule.DECISION, FoldRule.GATE) and bound.can_block
    return Reply(decision=Decision.DENY, reason=text) if fail == "closed" and can_block else Reply(message=text)


def write_answer(bound: BoundEvent, reply: Reply, *, is_process: bool = True) -> ProcessAnswer:
    """A reply in the client's format. A message for the user goes to stderr where the format has no field for it."""
    note = f"a hook gave the tool another input, but {bound.title} does not let hooks do that"
    answer = encode_reply(bound, reply, is_process=is_process, lost_input_note=note)
    if answer.unsaid and not answer.stderr:
        return structs.replace(answer, stderr=answer.unsaid.encode(errors="replace"))
    return answer
