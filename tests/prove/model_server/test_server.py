"""The scripted model over HTTP, in each API: streamed and whole, tool calls, results, asides, failures."""

from __future__ import annotations

import gzip
import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from anyhook.prove.clients import driver
from anyhook.prove.model_server.scripted_model import ScriptedModel
from anyhook.prove.model_server.server import ModelServer
from anyhook.prove.script import FailStep, ShellStep, TextStep

SCRIPT = ((TextStep("I look."), ShellStep("touch RAN")), (TextStep("finished"),), (FailStep(529, "overloaded"),))
TOOLS = [{"name": "Bash"}]


class Api:
    """How a client calls one of the APIs."""

    def __init__(self, path: str, first: Any, result: str) -> None:
        self.path, self.first, self.result = path, first, result

    def body(self, call_id: str | None = None, **more: Any) -> dict[str, Any]:
        key = {"/v1/responses": "input", GEMINI: "contents"}.get(self.path, "messages")
        messages = [self.first]
        if call_id is not None:
            messages.append(json.loads(self.result.replace("CALL", call_id)))
        return {key: messages, "tools": TOOLS, **more}


GEMINI = "/v1beta/models/gemini-2.5-pro:generateContent"
USER = {"role": "user", "content": "run it"}
TOOL_RESULT = '{"type": "tool_result", "tool_use_id": "CALL", "content": "hello"}'
APIS = {
    "anthropic": Api("/v1/messages", USER, f'{{"role": "user", "content": [{TOOL_RESULT}]}}'),
    "chat": Api("/v1/chat/completions", USER, '{"role": "tool", "tool_call_id": "CALL", "content": "hello"}'),
    "responses": Api("/v1/responses", USER, '{"type": "function_call_output", "call_id": "CALL", "output": "hello"}'),
    "gemini": Api(
        GEMINI,
        {"role": "user", "parts": [{"text": "run it"}]},
        '{"role": "user", "parts": [{"functionResponse": {"id": "CALL", "response": {"output": "hello"}}}]}',
    ),
}


@pytest.fixture
def model(tmp_path: Path) -> ScriptedModel:
    return ScriptedModel(SCRIPT, driver("claude-code"), tmp_path)


@pytest.fixture
def url(model: ScriptedModel) -> Iterator[str]:
    server = ModelServer()
    server.start(model)
    yield server.url
    server.close()


def post(url: str, path: str, body: Any, *, compress: bool = False) -> tuple[int, str]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    if compress:
        data, headers["content-encoding"] = gzip.compress(data), "gzip"
    connection.request("POST", path, data, headers)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


@pytest.mark.parametrize("name", APIS)
def test_a_conversation(name: str, model: ScriptedModel, url: str, tmp_path: Path) -> None:
    api = APIS[name]
    status, first = post(url, api.path, api.body(), compress=True)
    assert (status, "touch RAN" in first, "I look." in first) == (200, True, True)
    (tmp_path / "RAN").touch()
    _, second = post(url, api.path, api.body("call_1"))
    assert "finished" in second
    status, failed = post(url, api.path, api.body("call_1"))
    assert (status, "overloaded" in failed) == (529, True)
    _, after = post(url, api.path, api.body("call_1"))
    assert "done" in after

    report = model.report()
    [result] = report.tool_results
    assert (result.tool, result.ran, result.model_saw) == ("Bash", True, "hello")
    assert report.files_made == {"RAN": True}
    assert [message.text for message in report.model_saw[0]] == ["run it"]
    assert [message.text for message in report.model_saw[1]] == ["hello"]
    assert report.turns_left == 0


@pytest.mark.parametrize("name", APIS)
def test_a_stream_has_the_same_content(name: str, url: str) -> None:
    api = APIS[name]
    path = api.path.replace(":generateContent", ":streamGenerateContent")
    _, text = post(url, path, api.body(stream=True))
    events = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    whole = "".join(json.dumps(json.loads(event)) for event in events if event != "[DONE]")
    assert "call_1" in whole
    assert "Bash" in whole
    assert "I l" in whole
    if name != "gemini":
        assert len(events) > 3


def test_requests_without_tools_take_no_turn(model: ScriptedModel, url: str) -> None:
    _, title = post(url, "/v1/messages", {"messages": [USER]})
    assert json.loads(title)["content"][0]["text"] == "ok"
    assert (model.report().turns_left, len(model.report().asides)) == (3, 1)


def test_requests_of_the_memory_agent_take_no_turn(tmp_path: Path) -> None:
    model = ScriptedModel(SCRIPT, driver("qwen-code"), tmp_path)
    server = ModelServer()
    server.start(model)
    system = {"role": "system", "content": "You are now acting as the managed memory extraction subagent for an AI"}
    post(server.url, "/v1/chat/completions", {"messages": [system, USER], "tools": TOOLS})
    server.close()
    assert model.report().turns_left == 3


def test_a_call_without_result_is_judged_at_the_end(model: ScriptedModel, url: str) -> None:
    post(url, "/v1/messages", APIS["anthropic"].body())
    [result] = model.report().tool_results
    assert (result.ran, result.model_saw) == (False, None)


def test_further_requests(url: str) -> None:
    assert post(url, "/v1/messages/count_tokens", {})[0] == 200
    assert post(url, "/v1/unknown", {})[0] == 404
