"""Anthropic's Messages API: ``POST /v1/messages``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from anyhook.prove.model_server.messages import Body, Message, ModelReply, halves, plain


class AnthropicMessages:
    paths = ("/messages",)

    def messages(self, body: Body) -> list[Message]:
        found = [Message("system", plain(body.get("system")))]
        for message in body["messages"]:
            content = message["content"]
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if block["type"] == "tool_result":
                    found.append(Message("tool", plain(block.get("content")), block["tool_use_id"]))
                elif block["type"] == "text" and message["role"] != "assistant":
                    found.append(Message(message["role"], block["text"]))
        return found

    def response(self, reply: ModelReply, body: Body) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
        content += [
            {"type": "tool_use", "id": call.id, "name": call.tool.name, "input": call.tool.input}
            for call in reply.calls
        ]
        return {
            "id": f"msg_{reply.id}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": content,
            "stop_reason": "tool_use" if reply.calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def events(self, reply: ModelReply, body: Body) -> Iterator[dict[str, Any] | str]:
        whole = self.response(reply, body)
        yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty: dict[str, Any] = {"text": ""}
                deltas = [{"type": "text_delta", "text": part} for part in halves(block["text"])]
            else:
                empty = {"input": {}}
                parts = halves(json.dumps(block["input"]))
                deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
            yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}}
        yield {"type": "message_stop"}
