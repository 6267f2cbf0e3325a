"""The Gemini API: ``POST /v1beta/models/NAME:streamGenerateContent`` and ``:generateContent``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anyhook.prove.model_server.messages import Body, Message, ModelReply, plain

STREAMED = ":streamGenerateContent"


class Gemini:
    paths = (STREAMED, ":generateContent")

    def messages(self, body: Body) -> list[Message]:
        found = [Message("system", plain((body.get("systemInstruction") or {}).get("parts")))]
        for content in body["contents"]:
            for part in content["parts"]:
                if "functionResponse" in part:
                    answer = part["functionResponse"]
                    found.append(Message("tool", plain(list(answer["response"].values())), answer.get("id")))
                elif "text" in part and content.get("role") != "model":
                    found.append(Message(content.get("role", "user"), part["text"]))
        return found

    def response(self, reply: ModelReply, body: Body) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
        parts += [
            {"functionCall": {"id": call.id, "name": call.tool.name, "args": call.tool.input}} for call in reply.calls
        ]
        return {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
            "modelVersion": body.get("model", "mock"),
        }

    def events(self, reply: ModelReply, body: Body) -> Iterator[dict[str, Any] | str]:
        yield self.response(reply, body)  # one chunk: hooks on model events run once for each
