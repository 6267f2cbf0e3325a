"""Who is asked, how many at once, what is remembered."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from anyhook.engine.engine import Engine
from anyhook.engine.environment import HookContext
from anyhook.engine.models.models import ModelError, ModelRequest, Models, model_for, substitution_note
from anyhook.engine.models.pydantic_models import access_to
from anyhook.model.outcome import Effect, Status
from anyhook.model.payload import PreToolUse
from anyhook.sources.settings import ModelSettings
from tests.engine.models.model_hooks import ALLOW, BLOCK, CALL, engine_with, hooks_of, only_run, prompt
from tests.engine.models.model_server import ModelServer, Step

OWN = ModelSettings(provider="openai", base_url="http://localhost:8000/v1", api_key_env="MY_KEY")
SETTINGS = structs.replace(OWN, default="anthropic:claude", aliases={"haiku": "anthropic:claude-haiku"})


# ------------------------------------------------------------------------------------------------------- which model


@pytest.mark.parametrize(
    ("name", "model"),
    [
        (None, "anthropic:claude"),
        ("haiku", "anthropic:claude-haiku"),
        ("ollama:llama3:8b", "ollama:llama3:8b"),
        ("opus", "anthropic:claude"),
        ("other:model", "anthropic:claude"),
    ],
)
def test_a_hook_may_name_its_model(name: str | None, model: str) -> None:
    assert model_for(SETTINGS, name) == model


def test_a_name_that_nobody_knows_is_reported(server: ModelServer, tmp_path: Path) -> None:
    assert substitution_note(SETTINGS, "haiku") == ""
    server.script = [Step(text=ALLOW)]
    outcome = engine_with(prompt(model="opus"), tmp_path, environment=server.environment()).fire_sync(CALL)
    assert [problem.text for problem in outcome.problems] == [
        'the model "opus" is not known here, so openai:test-model is asked instead: add it under [models.aliases]'
    ]
    assert server.requests[0].body["model"] == "test-model"


def test_a_model_without_a_provider_is_one_of_the_users_own_server() -> None:
    assert model_for(structs.replace(OWN, default="llama3:8b"), None) == "openai:llama3:8b"
    with pytest.raises(ModelError, match='write "openai:gpt" or the like'):
        model_for(ModelSettings(default="gpt"), None)
    with pytest.raises(ModelError, match="no model is configured"):
        model_for(ModelSettings(), "haiku")


def test_a_key_goes_only_where_it_belongs() -> None:
    """The user's own server gets the key that is named for it; other providers get theirs, at their own address."""
    environment = {"MY_KEY": "mine", "OPENAI_API_KEY": "openai's", "ANTHROPIC_API_KEY": "anthropic's"}
    own = access_to("openai:m", SETTINGS, environment)
    assert (own.base_url, own.key) == (OWN.base_url, "mine")
    other = access_to("anthropic:m", SETTINGS, environment)
    assert (other.base_url, other.key) == ("", "anthropic's")
    assert access_to("openai:m", ModelSettings(), environment).key == "openai's"


def test_servers_of_ones_own_need_no_key() -> None:
    assert access_to("ollama:m", ModelSettings(), {}).base_url == "http://localhost:11434/v1"
    assert access_to("openai:m", SETTINGS, {}).key == "no-key"
    with pytest.raises(ModelError, match="no key for anthropic:m: set ANTHROPIC_API_KEY"):
        access_to("anthropic:m", SETTINGS, {})


def test_ollama_speaks_chat_completions(server: ModelServer, tmp_path: Path) -> None:
    server.script = [Step(text=BLOCK)]
    environment = {"ANYHOOK_MODEL": "ollama:llama3:8b", "ANYHOOK_BASE_URL": f"{server.address}/v1"}
    assert engine_with(prompt(), tmp_path, environment=environment).fire_sync(CALL).effect is Effect.STOP
    assert (server.requests[0].path, server.requests[0].body["model"]) == ("/v1/chat/completions", "llama3:8b")


@pytest.mark.parametrize("file", [".claude/settings.json", ".env", "mise.toml"])
def test_a_project_cannot_have_itself_asked(file: str, tmp_path: Path) -> None:
    """By the variables that its client's settings give to every program."""
    environment = {"ANYHOOK_MODEL": "openai:m", "ANYHOOK_BASE_URL": "http://evil.test/v1"}
    project, home, scratch = (tmp_path / name for name in ("shop", "home", "scratch"))
    context = HookContext(project=project, home=home, scratch=scratch, inherited=environment)
    path = project / file
    path.parent.mkdir(parents=True)
    assert Models(context).settings.models.base_url == "http://evil.test/v1"
    path.write_text('{"env": {"ANYHOOK_BASE_URL": "http://evil.test/v1"}}')
    found = Models(context).settings.models
    assert (found.default, found.base_url) == ("openai:m", "")


# ------------------------------------------------------------------------------------------------------------- hosts


def test_a_host_may_answer_itself(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def model(request: ModelRequest) -> dict[str, Any]:
        requests.append(request)
        return {"ok": False, "reason": "no"}

    outcome = engine_with(prompt(model="haiku"), tmp_path, model=model).fire_sync(CALL)
    assert (outcome.effect, outcome.reason, outcome.problems) == (Effect.STOP, "no", ())
    [request] = requests
    assert (request.kind, request.event, request.model) == ("prompt", "PreToolUse", "haiku")
    assert request.verdict["required"] == ["ok"]


@pytest.mark.parametrize("answer", [None, 3, ["ok"], b"{}"])
def test_what_is_no_answer_is_no_verdict(answer: Any, tmp_path: Path) -> None:
    run = only_run(engine_with(prompt(), tmp_path, model=lambda request: answer).fire_sync(CALL))
    assert run.status is Status.FAILED_OPEN
    assert run.reason.startswith("no verdict")


@pytest.mark.parametrize("error", [TimeoutError, ValueError, SystemExit, asyncio.CancelledError])
def test_a_host_that_raises_is_a_failed_hook(error: type[BaseException], tmp_path: Path) -> None:
    def model(request: ModelRequest) -> str:
        raise error("of its own")

    run = only_run(engine_with(prompt(), tmp_path, model=model).fire_sync(CALL))
    assert run.status is Status.FAILED_OPEN
    assert run.reason.startswith(f"{error.__name__}: ")


# ------------------------------------------------------------------------------------------------------ what it costs


def test_calls_at_the_same_time_are_bounded(server: ModelServer, tmp_path: Path) -> None:
    server.script = [Step(text=ALLOW, delay=0.05)]
    entries = [prompt(f"Is it safe? {number}") for number in range(12)]
    hooks = hooks_of("claude-code", "PreToolUse", *entries)
    engine = Engine(hooks, project=tmp_path, environment=server.environment())
    for _ in range(2):  # each in an event loop of its own
        assert len(engine.fire_sync(CALL).runs) == 12
    assert len(server.requests) == 24
    assert 1 < server.most_at_once <= 4


def answers(engine: Engine, *events: PreToolUse) -> None:
    async def run() -> None:
        for event in events:
            await engine.fire(event)

    asyncio.run(run())


class Counting:
    """A host that answers the same to everything, and counts."""

    def __init__(self, answer: str) -> None:
        self.answer, self.asked = answer, 0

    def __call__(self, request: ModelRequest) -> str:
        self.asked += 1
        return self.answer


def call(command: str = "ls", session: str = "s", tool_use_id: str = "1") -> PreToolUse:
    return PreToolUse(
        session_id=session, tool_name="Bash", tool_input={"command": command}, tool_use_id=tool_use_id, cwd="/"
    )


def test_a_hook_may_ask_the_same_only_once(tmp_path: Path) -> None:
    model = Counting(BLOCK)
    engine = engine_with(prompt(cache=True), tmp_path, model=model)
    answers(engine, call(), call(tool_use_id="2"), call())
    assert model.asked == 1
    assert engine.fire_sync(call()).effect is Effect.STOP
    answers(engine, call("rm"), call(session="t"))
    assert model.asked == 3


def test_other_hooks_ask_every_time(tmp_path: Path) -> None:
    model = Counting(ALLOW)
    for entry in (prompt(), prompt(cache=False), prompt(cache="yes")):
        answers(engine_with(entry, tmp_path, model=model), call(), call())
    assert model.asked == 6


def test_what_is_no_verdict_is_not_remembered(tmp_path: Path) -> None:
    model = Counting("hm")
    answers(engine_with(prompt(cache=True), tmp_path, model=model), call(), call())
    assert model.asked == 2


def test_the_budget_holds_for_prompts_too(server: ModelServer, tmp_path: Path) -> None:
    server.script = [Step(text=BLOCK, tokens=200_000)]
    run = only_run(engine_with(prompt(), tmp_path, environment=server.environment()).fire_sync(CALL))
    assert run.status is Status.FAILED_OPEN
    assert run.reason.startswith("used 200000 tokens, more than its budget of 100000")
