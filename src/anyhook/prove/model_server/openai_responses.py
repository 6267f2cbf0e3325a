"""OpenAI's Responses API: ``POST /v1/responses``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from anyhook.prove.model_server.messages import Body, Message, ModelCall, ModelReply, halves, plain

_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": None,
    "output_tokens": 5,
    "output_tokens_details": None,
    "total_tokens": 15,
}


class OpenaiResponses:
    paths = ("/responses",)

    def messages(self, body: Body) -> list[Message]:
        found = [Message("system", body.get("instructions") or "")]
        given = body["input"]
        for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
            kind = item.get("type", "message")
            if kind in ("function_call_output", "custom_tool_call_output"):
                found.append(Message("tool", plain(item["output"]), item["call_id"]))
            elif kind == "message" and item.get("role") != "assistant":
                found.append(Message(item["role"], plain(item["content"])))
        return found

    def response(self, reply: ModelReply, body: Body) -> dict[str, Any]:
        said = {"type": "message", "id": f"msg_{reply.id}", "role": "assistant"}
        output: list[dict[str, Any]] = []
        if reply.text:
            output.append({**said, "content": [{"type": "output_text", "text": reply.text}]})
        return {
            "id": f"resp_{reply.id}",
            "object": "response",
            "status": "completed",
            "model": body.get("model"),
            "output": [*output, *map(_call, reply.calls)],
            "usage": _USAGE,
        }

    def events(self, reply: ModelReply, body: Body) -> Iterator[dict[str, Any] | str]:
        whole = self.response(reply, body)
        yield {"type": "response.created", "response": {"id": whole["id"]}}
        for index, item in enumerate(whole["output"]):
            yield {"type": "response.output_item.added", "output_index": index, "item": item}
            if item["type"] == "message":
                place = {"item_id": item["id"], "output_index": index, "content_index": 0}
                for part in halves(reply.text):
                    yield {"type": "response.output_text.delta", **place, "delta": part}
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield {"type": "response.completed", "response": whole}


def _call(call: ModelCall) -> dict[str, Any]:
    """Text as input is for a freeform tool. A tool in a namespace is only found with it (Codex: spawn_agent)."""
    tool = call.tool
    if isinstance(tool.input, str):
        return {"type": "custom_tool_call", "call_id": call.id, "name": tool.name, "input": tool.input}
    called = {"type": "function_call", "call_id": call.id, "name": tool.name, "arguments": json.dumps(tool.input)}
    return {**called, "namespace": tool.namespace} if tool.namespace else called
