"""A server on this machine that speaks OpenAI's chat completions and Anthropic's messages, streamed and not.

It plays a script, one step for each request, and remembers what it was sent.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec


class Step(msgspec.Struct):
    """What one request is answered with."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Tools that the model wants to use."""
    status: int = 200
    headers: Mapping[str, str] = {}
    body: bytes | None = None
    """Sent as it is, in place of a well-formed answer."""
    delay: float = 0.0
    tokens: int = 10


class Request(msgspec.Struct):
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        """The system text, whichever format the request is in."""
        if "system" in self.body:
            return _joined(self.body["system"])
        return _joined(next(m["content"] for m in self.body["messages"] if m["role"] == "system"))

    @property
    def user(self) -> str:
        return _joined(next(m["content"] for m in self.body["messages"] if m["role"] == "user"))

    @property
    def tool_results(self) -> list[str]:
        results = [_joined(m["content"]) for m in self.body["messages"] if m["role"] == "tool"]
        for message in self.body["messages"]:
            parts = message["content"] if isinstance(message["content"], list) else []
            results += [_joined(part["content"]) for part in parts if part["type"] == "tool_result"]
        return results

    @property
    def tool_names(self) -> list[str]:
        return [tool.get("function", tool)["name"] for tool in self.body.get("tools", ())]


def _joined(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


class ModelServer:
    def __init__(self) -> None:
        self.script: list[Step] = []
        self.requests: list[Request] = []
        self.open_now = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # the other side hung up, as some tests want it to

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.listener.server_address[1]}"
        threading.Thread(target=self.listener.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        self.listener.shutdown()
        self.listener.server_close()

    def environment(self, provider: str = "openai") -> dict[str, str]:
        """Variables under which anyhook asks this server."""
        base_url = f"{self.address}/v1" if provider == "openai" else self.address
        return {
            "ANYHOOK_MODEL": f"{provider}:test-model",
            "ANYHOOK_BASE_URL": base_url,
            f"{provider.upper()}_API_KEY": "key-of-the-user",
        }

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = msgspec.json.decode(handler.rfile.read(int(handler.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            self.requests.append(Request(handler.path, headers, body))
            step = self.script.pop(0) if len(self.script) > 1 else self.script[0]  # the last one is repeated
            self.open_now += 1
            self.most_at_once = max(self.most_at_once, self.open_now)
        try:
            self._closing.wait(step.delay)
            self._send(handler, step, body)
        finally:
            with self._lock:
                self.open_now -= 1

    def _send(self, handler: BaseHTTPRequestHandler, step: Step, body: dict[str, Any]) -> None:
        is_stream = bool(body.get("stream")) and step.status == 200 and step.body is None
        speaks = _Anthropic if handler.path.endswith("/messages") else _OpenAi
        if step.body is not None:
            data = step.body
        elif step.status != 200:
            data = msgspec.json.encode({"type": "error", "error": {"type": "error", "message": f"no {step.status}"}})
        elif is_stream:
            data = b"".join(speaks.pieces(step))
        else:
            data = msgspec.json.encode(speaks.whole(step))
        handler.send_response(step.status)
        handler.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        handler.send_header("Content-Length", str(len(data)))
        for name, value in step.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)


class _OpenAi:
    @staticmethod
    def whole(step: Step) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
        if step.calls:
            message["tool_calls"] = _OpenAi._calls(step)
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if step.calls else "stop"}
        return _OpenAi._frame("chat.completion", [choice], step)

    @staticmethod
    def pieces(step: Step) -> Iterator[bytes]:
        deltas: list[dict[str, Any]] = [{"role": "assistant"}]
        deltas += [{"content": piece} for piece in _cut(step.text)]
        deltas += [{"tool_calls": [{"index": n, **call}]} for n, call in enumerate(_OpenAi._calls(step))]
        for delta in deltas:
            chunk = {"index": 0, "delta": delta, "finish_reason": None}
            yield _event(_OpenAi._frame("chat.completion.chunk", [chunk]))
        end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if step.calls else "stop"}
        yield _event(_OpenAi._frame("chat.completion.chunk", [end]))
        yield _event(_OpenAi._frame("chat.completion.chunk", [], step))
        yield b"data: [DONE]\n\n"

    @staticmethod
    def _calls(step: Step) -> list[dict[str, Any]]:
        return [
            {
                "id": f"call_{n}",
                "type": "function",
                "function": {"name": name, "arguments": msgspec.json.encode(arguments).decode()},
            }
            for n, (name, arguments) in enumerate(step.calls)
        ]

    @staticmethod
    def _frame(kind: str, choices: list[Any], step: Step | None = None) -> dict[str, Any]:
        frame = {"id": "c1", "object": kind, "created": 1, "model": "test-model", "choices": choices}
        if step is not None:
            half = step.tokens // 2
            frame["usage"] = {
                "prompt_tokens": step.tokens - half,
                "completion_tokens": half,
                "total_tokens": step.tokens,
            }
        return frame


class _Anthropic:
    @staticmethod
    def whole(step: Step) -> dict[str, Any]:
        return {
            **_Anthropic._frame(step),
            "content": list(_Anthropic._blocks(step)),
            "stop_reason": _Anthropic._end(step),
        }

    @staticmethod
    def pieces(step: Step) -> Iterator[bytes]:
        yield _event({"type": "message_start", "message": {**_Anthropic._frame(step), "content": []}}, "message_start")
        for index, block in enumerate(_Anthropic._blocks(step)):
            is_text = block["type"] == "text"
            start = {**block, "text": ""} if is_text else {**block, "input": {}}
            whole = step.text if is_text else msgspec.json.encode(block["input"]).decode()
            kind, key = ("text_delta", "text") if is_text else ("input_json_delta", "partial_json")
            yield _event({"type": "content_block_start", "index": index, "content_block": start}, "content_block_start")
            for piece in _cut(whole):
                delta = {"type": kind, key: piece}
                yield _event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            yield _event({"type": "content_block_stop", "index": index}, "content_block_stop")
        end = {"stop_reason": _Anthropic._end(step), "stop_sequence": None}
        usage = {"output_tokens": step.tokens // 2}
        yield _event({"type": "message_delta", "delta": end, "usage": usage}, "message_delta")
        yield _event({"type": "message_stop"}, "message_stop")

    @staticmethod
    def _blocks(step: Step) -> Iterable[dict[str, Any]]:
        if step.text:
            yield {"type": "text", "text": step.text}
        for n, (name, arguments) in enumerate(step.calls):
            yield {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": arguments}

    @staticmethod
    def _end(step: Step) -> str:
        return "tool_use" if step.calls else "end_turn"

    @staticmethod
    def _frame(step: Step) -> dict[str, Any]:
        half = step.tokens // 2
        usage = {"input_tokens": step.tokens - half, "output_tokens": half}
        return {
            "id": "m1",
            "type": "message",
            "role": "assistant",
            "model": "test-model",
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }


def _cut(text: str) -> list[str]:
    """Pieces of a text, as a stream brings them."""
    return [text[at : at + 5] for at in range(0, len(text), 5)]


def _event(data: dict[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + msgspec.json.encode(data) + b"\n\n"
