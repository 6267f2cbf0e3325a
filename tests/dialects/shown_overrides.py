"""Overrides that no recorded vector needs, each with a situation that comes out differently without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anyhook.dialects.bound_event import BoundEvent, bind_event
from anyhook.dialects.events import native_names
from anyhook.dialects.overrides import overridden
from anyhook.dialects.profile import Profile
from anyhook.dialects.stages import Called, FinishedRun, Posted, Verdict, interpreter_for
from anyhook.dialects.wire.answers import encode_reply
from anyhook.dialects.wire.replies import decode_reply
from anyhook.engine.fold import fold
from anyhook.engine.interpret import interpret
from anyhook.engine.models.verdicts import reply_for
from anyhook.engine.raw import RawResult
from anyhook.model.hooks import Command, Prompt
from anyhook.model.lazyjson import dump_json
from anyhook.model.output import Decision, Reply
from anyhook.model.payload_base import Payload

Shown = Callable[[Profile], object]


def bound(known: Profile, native: str) -> BoundEvent:
    return bind_event(known, native_names(known.name)[native].name, native)


def outcome(native: str, printed: bytes = b"", code: int = 0, stderr: bytes = b"") -> Shown:
    """What comes of one command that prints this."""

    def shown(known: Profile) -> object:
        it = bound(known, native)
        run = interpret(it, Command(command="x"), RawResult(exit_code=code, stdout=printed, stderr=stderr))
        found = fold(it, Payload(event=it.event, native_event=native), [FinishedRun(run, 0, 0)])
        return run.status, run.reply, found.effect, found.reason, found.to_model, found.to_user

    return shown


def said(native: str, **answer: Any) -> Shown:
    return outcome(native, dump_json(answer))


def judged(event: str) -> Shown:
    return lambda known: reply_for(
        known.overrides, event, Prompt(prompt="?"), Verdict(decision=Decision.DENY, reason="no")
    )


RESPONSE: dict[str, Any] = {"hookSpecificOutput": {"llm_response": {"candidates": []}}}
SHOWN: Mapping[tuple[str, str], Shown] = {
    ("claude-code", "refusal_ends_the_turn"): judged("PreToolUse"),
    ("claude-code", "verdicts_on_permissions_have_no_effect"): judged("PermissionRequest"),
    ("claude-code", "stderr_is_shown_at_the_end"): outcome("Stop", code=1, stderr=b"no"),
    ("codex", "lists_fail"): outcome("PreToolUse", b"[1]"),
    ("codex", "approve_needs_a_decision"): said("PreToolUse", decision="approve"),
    ("codex", "input_with_allow"): lambda known: encode_reply(
        bound(known, "PreToolUse"), Reply(updated_input={"command": "ls"})
    ),
    ("gemini-cli", "other_json_is_silence"): outcome("BeforeTool", b"[1]", code=2),
    ("gemini-cli", "response_needs_a_block"): lambda known: (
        decode_reply(bound(known, "BeforeModel"), RESPONSE).updated_output is None
    ),
    ("gemini-cli", "reply_before_status"): outcome("BeforeTool", b'{"decision": "allow"}', code=2),
    ("gemini-cli", "stop_reason_is_the_reason"): said("BeforeModel", decision="block", reason="a", stopReason="b"),
    ("gemini-cli", "suppressed_message_is_hidden"): said("BeforeTool", suppressOutput=True, systemMessage="m"),
    ("copilot-cli", "stderr_is_shown_with_status_2"): outcome("sessionStart", code=1, stderr=b"no"),
    ("copilot-cli", "other_machines_by_https"): lambda known: overridden(
        known.overrides.why_not_called, Called(known, "http", is_loopback=False), lambda _: ""
    ),
    ("copilot-cli", "text_is_passed_over"): lambda known: overridden(
        known.overrides.read_http, Called(known, "", is_loopback=True, body=b"text"), lambda _: None
    ),
    ("qwen-code", "powershell_needs_powershell"): lambda known: interpreter_for(known, "powershell"),
    ("qwen-code", "variables_in_urls"): lambda known: overridden(
        known.overrides.url, Posted(known, "http://$HOST", lambda text: text.lower()), lambda given: given.url
    ),
    ("qwen-code", "text_is_a_message"): lambda known: overridden(
        known.overrides.read_http, Called(known, "", is_loopback=True, body=b"text"), lambda _: None
    ),
    ("qwen-code", "stderr_alone_with_status_2"): outcome(
        "PreToolUse", b'{"decision": "allow"}', 2, b'{"decision": "ask"}'
    ),
    ("qwen-code", "reply_on_stderr_before_status"): outcome("PreToolUse", b"", 2, b'{"decision": "allow"}'),
    ("qwen-code", "stop_reason_is_the_reason"): said("Stop", decision="block", reason="a", stopReason="b"),
    ("qwen-code", "stop_has_a_reason"): said("Stop", **{"continue": False}),
    ("qwen-code", "context_is_escaped"): said("UserPromptSubmit", hookSpecificOutput={"additionalContext": "<b>"}),
}
"""By client and name of the override: what the client does, by a profile with it or without."""
