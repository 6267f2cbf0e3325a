"""The HTTP server of the scripted model, on a free port of loopback."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from anyhook.prove.model_server.anthropic_messages import AnthropicMessages
from anyhook.prove.model_server.chat_completions import ChatCompletions
from anyhook.prove.model_server.gemini import STREAMED, Gemini
from anyhook.prove.model_server.messages import ModelApi
from anyhook.prove.model_server.openai_responses import OpenaiResponses
from anyhook.prove.model_server.scripted_model import ScriptedModel

_APIS: tuple[ModelApi, ...] = (AnthropicMessages(), ChatCompletions(), OpenaiResponses(), Gemini())
_MODELS = {"object": "list", "data": [{"id": "mock-model", "object": "model", "type": "model"}], "models": []}
_COUNT = {"input_tokens": 10, "totalTokens": 10}


class ModelServer:
    """Serves one scripted model from ``start`` until ``close``."""

    def __init__(self) -> None:
        self._http = _Http()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def start(self, model: ScriptedModel) -> None:
        self._http.model = model
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    model: ScriptedModel

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed closes its connections: that is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_GET(self) -> None:
        self._send_json(_MODELS)

    def do_POST(self) -> None:
        path, body = self.path.partition("?")[0], json.loads(self._read_body() or b"{}")
        if path.endswith(("/count_tokens", ":countTokens")):
            return self._send_json(_COUNT)
        api = next((known for known in _APIS if path.endswith(known.paths)), None)
        if api is None:
            return self._send_json({"error": {"type": "not_found", "message": path}}, status=404)
        reply = self.server.model.answer(api.messages(body), offers_tools=bool(body.get("tools")))
        if reply.failure is not None:
            error = {"type": "api_error", "message": reply.failure.message, "code": reply.failure.status}
            return self._send_json({"type": "error", "error": error}, status=reply.failure.status)
        if body.get("stream") or path.endswith(STREAMED):
            return self._stream(api.events(reply, body))
        return self._send_json(api.response(reply, body))

    def _read_body(self) -> bytes:
        if "chunked" in self.headers.get("transfer-encoding", ""):
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw

    def _send_json(self, value: object, status: int = 200) -> None:
        self._send(json.dumps(value).encode(), status)

    def _send(self, data: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterable[dict[str, Any] | str]) -> None:
        """Server-sent events, each in a chunk of its own."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            for event in events:
                self._write_chunk(_event_text(event).encode())
            self._write_chunk(b"")

    def _write_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def _event_text(event: dict[str, Any] | str) -> str:
    if isinstance(event, str):
        return f"data: {event}\n\n"
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"
