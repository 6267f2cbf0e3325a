"""What Gemini CLI does and Qwen Code, which began as a copy of it, still does."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from anyhook.dialects.stages import Ended, FoundJson, Weighed, parse_json, refuses
from anyhook.model.cause import JsonUse
from anyhook.model.output import Reply


def json_on_stderr(ended: Ended, default: Callable[[Ended], FoundJson]) -> FoundJson:
    """JSON is looked for on stderr when stdout is empty."""
    return default(ended if ended.printed.stdout.strip() else ended.on_stderr())


def json_in_a_string(ended: Ended, default: Callable[[Ended], FoundJson]) -> FoundJson:
    """A JSON string that holds JSON is a reply, too."""
    text = parse_json(ended.text) if ended.text[:1] == '"' else None
    if not isinstance(text, str):
        return default(ended)
    found = default(structs.replace(ended, text=text))
    return FoundJson(JsonUse.NONE) if found.value is None else FoundJson(JsonUse.STRING, found.value)


def context_is_escaped(given: Weighed, default: Callable[[Weighed], Reply]) -> Reply:
    """In context, < and > reach the model as &lt; and &gt;."""
    if not given.reply.context:
        return default(given)
    escaped = given.reply.context.replace("<", "&lt;").replace(">", "&gt;")
    return default(structs.replace(given, reply=structs.replace(given.reply, context=escaped)))


def with_stop_reason(given: Weighed) -> Weighed:
    """A refusal whose reason is its stopReason, where it has one."""
    reply = given.reply
    if not refuses(reply) or not reply.stop_reason:
        return given
    return structs.replace(given, reply=structs.replace(reply, reason=reply.stop_reason))
