"""The scenario in Google ADK, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.frameworks.scenario import Script, engine_with_hooks, run_example

pytest.importorskip("google.adk.plugins")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from anyhook.frameworks.google_adk import AnyhookPlugin

pytestmark = pytest.mark.filterwarnings("ignore")  # what the framework does is its own affair


class Scripted(BaseLlm):
    script: Any

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        contents = llm_request.contents
        spoken = max((n for n, content in enumerate(contents) if content.role == "model"), default=-1)
        parts = [part for content in contents[spoken + 1 :] for part in content.parts]
        read = [part.text or str(part.function_response.response) for part in parts]
        says = self.script.answer("\n".join(read))
        said = (
            [types.Part(text=says)]
            if isinstance(says, str)
            else [_called(command, f"c{len(contents)}-{n}") for n, command in enumerate(says.commands)]
        )
        yield LlmResponse(content=types.Content(role="model", parts=said))


def _called(command: str, call_id: str) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name="shell", args={"cmd": command}, id=call_id))


async def play(script: Any, session: Any, *prompts: str) -> list[str]:
    """What the agent says at the end of its answers, with hooks or without."""
    plugins = [AnyhookPlugin(session)] if session else []
    agent = LlmAgent(name="worker", model=Scripted(model="scripted", script=script), tools=[script.shell])
    runner = InMemoryRunner(app=App(name="scenario", root_agent=agent, plugins=list(plugins)))
    where = await runner.session_service.create_session(app_name="scenario", user_id="u")
    given: dict[str, Any] = {"user_id": "u", "session_id": where.id, "run_config": RunConfig(max_llm_calls=1000)}
    answers = []
    for prompt in prompts or ("Go.",):
        message = types.Content(role="user", parts=[types.Part(text=prompt)])
        run = plugins[0].run_async(runner, new_message=message, **given) if plugins else None
        texts = [
            part.text
            async for event in run or runner.run_async(new_message=message, **given)
            for part in (event.content.parts if event.content else None) or ()
            if part.text
        ]
        answers.append(texts[-1])
    return answers


def test_the_scenario() -> None:
    engine, fired = engine_with_hooks()
    script = Script()

    async def main() -> list[str]:
        async with engine.session() as s:
            return await play(script, s, "Work.", "Forbidden.", "Endless.")

    assert asyncio.run(main()) == ["Tested again.", "No such prompts.", "More."]
    script.check_end(fired)


def test_the_example_of_the_page_runs() -> None:
    run_example("google-adk")
