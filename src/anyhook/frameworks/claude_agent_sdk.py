"""Claude Agent SDK: ``ClaudeAgentOptions(hooks=callbacks_of(engine))``.

The SDK's own CLI runs the hooks of settings files. These callbacks are for what it does not read: hooks that are Python
functions, rules, guards, and the hooks of other clients.
"""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import HookMatcher

from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.events import native_names
from anyhook.dialects.wire.answers import encode_reply, reply_of
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.engine.engine import Engine
from anyhook.model.lazyjson import load_json

CLIENT = "claude-code"
EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Notification",
    "PermissionRequest",
)
"""Those for which the SDK takes callbacks."""
SECONDS = 3600.0
"""The engine knows the time limit of each hook; the SDK goes on without an answer when its own is over."""


def callbacks_of(engine: Engine) -> dict[Any, list[HookMatcher]]:
    """The hooks of an engine as callbacks. Raises ValueError for one that does not go by the rules of Claude Code."""
    if engine.profile.name != CLIENT:
        raise ValueError(f"the engine has the rules of {engine.profile.title}; make it with profile({CLIENT!r})")

    async def callback(data: Any, *_: Any) -> Any:  # the id of the call and the SDK's context
        payload, _ = decode_payload(engine.profile, dict(data), data["hook_event_name"])
        reply = reply_of(await engine.fire(payload))
        answer = encode_reply(bind_payload(engine.profile, payload), reply, is_process=False)
        return load_json(answer.stdout) if answer.stdout else {}

    return {
        event: [HookMatcher(hooks=[callback], timeout=SECONDS)] for event in EVENTS if event in native_names(CLIENT)
    }
