"""Sessions whose every event is written down, as the JSON that a hook would get."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.events import native_names
from anyhook.dialects.wire.payloads import encode_payload
from anyhook.engine.engine import Engine
from anyhook.model.hooks import Command, HookSet, Rule
from anyhook.model.payload_base import Payload

Fired = list[dict[str, Any]]


def engine_of(client: str, *rules: Rule, project: Path | str = ".") -> Engine:
    return Engine(HookSet(dialect=client, rules=rules), project=project)


def command_rule(event: str, command: str, **more: Any) -> Rule:
    return Rule(event=event, native_event=event, actions=(Command(command=command, **more),))


def record(engine: Engine) -> Fired:
    """Every event from now on, in order."""
    fired: Fired = []

    def note(payload: Payload) -> None:
        fired.append(encode_payload(bind_payload(engine.profile, payload), payload))

    for event in native_names(engine.profile.name):
        engine.register(event, note)
    return fired


def names(fired: Fired) -> list[str]:
    return [event["hook_event_name"] for event in fired]


def answer(engine: Engine, event: str, output: Any, **options: Any) -> str:
    """Register a hook that always answers the same; a function is asked for its answer."""

    def hook(payload: Payload) -> Any:
        return output(payload) if callable(output) else output

    return engine.register(event, hook, **options)


def returns(value: Any) -> Callable[[Any], Any]:
    """A tool that always gives the same."""
    return lambda tool_input: value


def allow() -> dict[str, Any]:
    return decide("allow")


def decide(decision: str, reason: str = "", **more: Any) -> dict[str, Any]:
    """What a PreToolUse hook answers in Claude's JSON."""
    specific = {"hookEventName": "PreToolUse", "permissionDecision": decision, **more}
    return {"hookSpecificOutput": specific | ({"permissionDecisionReason": reason} if reason else {})}


def add(event: str, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}
