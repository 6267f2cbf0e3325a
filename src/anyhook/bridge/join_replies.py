"""Joins what all packages reply to one event: their client takes one answer."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from anyhook.model.outcome import strictness
from anyhook.model.output import Reply


def join_replies(replies: Iterable[Reply]) -> Reply:
    """One reply of several: the strictest decision with its reason, and the context and messages of all."""
    first, *others = sorted(replies, key=_weight, reverse=True)
    for other in others:
        first = structs.replace(
            first,
            stop=first.stop or other.stop,  # beside a decision: to end the turn may be to run the tool first
            stop_reason=first.stop_reason or other.stop_reason,
            updated_input=other.updated_input if first.updated_input is None else first.updated_input,
            updated_output=other.updated_output if first.updated_output is None else first.updated_output,
            context="\n\n".join(filter(None, (first.context, other.context))) or None,
            message="\n\n".join(filter(None, (first.message, other.message))) or None,
        )
    return first


def _weight(reply: Reply) -> tuple[bool, int, bool]:
    """A reply that decides outweighs one that does not, whatever it decides."""
    return reply.decision is not None, strictness(reply.decision), bool(reply.stop)
