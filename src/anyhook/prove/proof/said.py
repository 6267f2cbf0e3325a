"""What a hook says without deciding anything, and whether that reached the model or the user. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.prove.report import HookCall, RunReport

_REQUESTS_BEFORE = {"SessionStart": 0, "UserPromptSubmit": 0, "PreToolUse": 1, "PostToolUse": 1, "Stop": 1}
"""How many requests the model gets before a hook of an event is called; text of the hook can be in a later one."""


class Said(Struct, frozen=True):
    """A text of a hook."""

    text: str
    to_model: bool
    """Else it is for the user."""


def said_by(call: HookCall, client: str, event: str) -> tuple[Said, ...]:
    """The context and the messages of a hook, by any client's rule for replies; plain text by the client's own."""
    if call.exit_status != 0:
        return ()
    try:
        reply = json.loads(call.stdout)
    except ValueError:
        return tuple(_plain(call.stdout.strip(), client, event))
    return tuple(_in_reply(reply)) if isinstance(reply, dict) else ()


def _in_reply(reply: dict[str, Any]) -> Iterator[Said]:
    specific = reply.get("hookSpecificOutput")
    for part in (specific if isinstance(specific, dict) else {}, reply):
        if isinstance(text := part.get("additionalContext"), str) and text.strip():
            yield Said(text, to_model=True)
    if isinstance(text := reply.get("systemMessage"), str) and text.strip():
        yield Said(text, to_model=False)


def _plain(text: str, client: str, event: str) -> Iterator[Said]:
    answers = profile(client).answers
    if text and (event in answers.text_is_context_on or answers.text_to_user):
        yield Said(text, to_model=event in answers.text_is_context_on)


def has_reached(said: Said, report: RunReport, event: str) -> bool | None:
    """Whether a text came to where it should; None: that cannot be seen.

    The model sees every request. What is for the user only shows where a client prints it without a terminal.
    """
    if report.saw(said.text) or (not said.to_model and report.showed(said.text)):
        return True
    before = _REQUESTS_BEFORE.get(event)
    if not said.to_model or before is None or len(report.model_saw) <= before:
        return None
    return False
