"""The scenario in Strands, with a scripted model, async and not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.frameworks.scenario import Script, engine_with_hooks, run_example

pytest.importorskip("strands.hooks")

from strands import Agent, tool
from strands.models.model import Model

from anyhook.frameworks.strands import AnyhookHooks

pytestmark = pytest.mark.filterwarnings("ignore")  # what the framework does is its own affair

PROMPTS = ["Work.", "Forbidden.", "Endless."]
ANSWERS = ["Tested again.", "No such prompts.", "More."]


class Scripted(Model):
    def __init__(self, script: Script) -> None:
        self.script = script

    def get_config(self) -> Any:
        return {}

    def update_config(self, **_: Any) -> None:
        pass

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        says = self.script.answer("\n".join(_texts(messages[-1]["content"])))
        yield {"messageStart": {"role": "assistant"}}
        for number, said in enumerate([says] if isinstance(says, str) else says.commands):
            start: Any = {}
            delta: Any = {"text": said}
            if not isinstance(says, str):
                start = {"toolUse": {"name": "shell", "toolUseId": f"t{len(messages)}-{number}"}}
                delta = {"toolUse": {"input": json.dumps({"cmd": said})}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": delta}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(says, str) else "tool_use"}}


def _texts(content: Any) -> list[str]:
    results = [block["toolResult"]["content"] for block in content if "toolResult" in block]
    return [block["text"] for block in content if "text" in block] + [text for each in results for text in _texts(each)]


def agent_of(script: Script, session: Any = None) -> Agent:
    shell = tool(name="shell")(script.shell)
    hooks = [AnyhookHooks(session)] if session else []
    return Agent(model=Scripted(script), tools=[shell], hooks=hooks, callback_handler=None)


async def play(script: Any, session: Any) -> None:
    """One run of the agent, with hooks or without."""
    await agent_of(script, session).invoke_async("Go.")


def test_the_scenario() -> None:
    engine, fired = engine_with_hooks()
    script = Script()

    async def main() -> list[str]:
        async with engine.session() as s:
            agent = agent_of(script, s)
            return [str(await agent.invoke_async(prompt)).strip() for prompt in PROMPTS]

    assert asyncio.run(main()) == ANSWERS
    script.check_end(fired)


def test_it_without_async() -> None:
    engine, fired = engine_with_hooks()
    script = Script()
    with engine.session() as s:
        agent = agent_of(script, s)
        assert [str(agent(prompt)).strip() for prompt in PROMPTS] == ANSWERS
    script.check_end(fired)


def test_the_example_of_the_page_runs() -> None:
    run_example("strands")
