"""Ways to give several prompts to one start of a client."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from anyhook.prove.driver import Conversation


def stream_json(prompts: Sequence[str]) -> Conversation:
    """One JSON message a line on stdin; the line of type "result" ends a turn (Claude Code, Qwen Code)."""
    for prompt in prompts:
        message = {"role": "user", "content": [{"type": "text", "text": prompt}]}
        line = yield msgspec.json.encode({"type": "user", "message": message, "session_id": ""}) + b"\n"
        while _kind(line) != "result":
            line = yield b""


def _kind(line: bytes) -> str:
    try:
        value = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return ""
    return str(value.get("type", "")) if isinstance(value, dict) else ""
