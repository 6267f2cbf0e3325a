"""OpenAI's Chat Completions API: ``POST /v1/chat/completions``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from anyhook.prove.model_server.messages import Body, Message, ModelReply, halves, plain

_CHARACTERS_A_TOKEN = 4


class ChatCompletions:
    paths = ("/chat/completions",)

    def messages(self, body: Body) -> list[Message]:
        return [
            Message(message["role"], plain(message.get("content")), message.get("tool_call_id"))
            for message in body["messages"]
            if message["role"] != "assistant"
        ]

    def response(self, reply: ModelReply, body: Body) -> dict[str, Any]:
        message = {"role": "assistant", "content": reply.text or None, **_calls(reply)}
        choice = {"index": 0, "message": message, "finish_reason": _reason(reply)}
        return {**_head("chat.completion", reply, body), "choices": [choice], "usage": _usage(body)}

    def events(self, reply: ModelReply, body: Body) -> Iterator[dict[str, Any] | str]:
        head = _head("chat.completion.chunk", reply, body)
        deltas: list[dict[str, Any]] = [{"content": part} for part in halves(reply.text)]
        deltas += [_calls(reply)] if reply.calls else []
        for delta in deltas or [{"content": ""}]:
            yield {**head, "choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}]}
        yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _reason(reply)}]}
        yield {**head, "choices": [], "usage": _usage(body)}
        yield "[DONE]"


def _usage(body: Body) -> dict[str, int]:
    """Counted: Qwen Code compares before and after when it makes a conversation shorter."""
    asked = len(json.dumps(body["messages"])) // _CHARACTERS_A_TOKEN
    return {"prompt_tokens": asked, "completion_tokens": 5, "total_tokens": asked + 5}


def _head(kind: str, reply: ModelReply, body: Body) -> dict[str, Any]:
    return {"id": f"chatcmpl_{reply.id}", "object": kind, "created": 1, "model": body.get("model")}


def _reason(reply: ModelReply) -> str:
    return "tool_calls" if reply.calls else "stop"


def _calls(reply: ModelReply) -> dict[str, Any]:
    calls = [
        {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.tool.name, "arguments": json.dumps(call.tool.input)},
        }
        for index, call in enumerate(reply.calls)
    ]
    return {"tool_calls": calls} if calls else {}
