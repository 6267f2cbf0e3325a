"""The scenario in Pydantic AI, with its FunctionModel."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from anyhook.engine.session.session import Session
from tests.frameworks.scenario import Script, Turn, calls, engine_with_hooks, run_example

pytest.importorskip("pydantic_ai.capabilities")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from anyhook.frameworks.pydantic_ai import AnyhookCapability, ask_by_approval

pytestmark = pytest.mark.filterwarnings("ignore")  # what the framework does is its own affair


def agent_of(script: Script, session: Any = None) -> Agent[None, str]:
    numbers = iter(range(1000))

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        read = "\n".join(str(getattr(part, "content", "")) for part in messages[-1].parts)
        says = script.answer(read)
        if isinstance(says, str):
            return ModelResponse(parts=[TextPart(says)])
        return ModelResponse(
            parts=[ToolCallPart("shell", {"cmd": command}, f"c{next(numbers)}") for command in says.commands]
        )

    agent = Agent(FunctionModel(model), capabilities=[AnyhookCapability(session)] if session else [])
    agent.tool_plain(script.shell)
    return agent


async def play(script: Any, session: Any) -> None:
    """One run of the agent, with hooks or without."""
    await agent_of(script, session).run("Go.", usage_limits=UsageLimits(request_limit=None))


def test_the_scenario() -> None:
    engine, fired = engine_with_hooks()
    script = Script()

    async def play(s: Session) -> None:
        agent = agent_of(script, s)
        assert (await agent.run("Work.")).output == "Tested again."
        assert (await agent.run("Forbidden.")).output == "No such prompts."
        assert (await agent.run("Endless.")).output == "More."

    async def main() -> None:
        async with engine.session() as s:
            await play(s)

    asyncio.run(main())
    script.check_end(fired)


@pytest.fixture
def loop_of_the_thread() -> Iterator[None]:
    """``run_sync`` uses it, and leaves it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


@pytest.mark.usefixtures("loop_of_the_thread")
def test_it_without_async() -> None:
    engine, fired = engine_with_hooks()
    script = Script()
    with engine.session() as s:
        agent = agent_of(script, s)
        outputs = [agent.run_sync(prompt).output for prompt in ("Work.", "Forbidden.", "Endless.")]
    assert outputs == ["Tested again.", "No such prompts.", "More."]
    script.check_end(fired)


def test_the_framework_asks_for_approval() -> None:
    engine, _ = engine_with_hooks()
    script = Script()
    script.turns = [Turn(calls("ask me")), Turn("Asked.", reads=("ran ask me",)), Turn("Asked."), Turn("Asked.")]

    async def main() -> list[Any]:
        async with engine.session(ask=ask_by_approval) as s:
            agent = agent_of(script, s)
            first: Any = await agent.run("Ask.", output_type=[str, DeferredToolRequests])
            assert isinstance(first.output, DeferredToolRequests)
            approved = DeferredToolResults(approvals={call.tool_call_id: True for call in first.output.approvals})
            second: Any = await agent.run(
                message_history=first.all_messages(),
                deferred_tool_results=approved,
                output_type=[str, DeferredToolRequests],
            )
            return [second.output, script.ran]

    assert asyncio.run(main()) == ["Asked.", ["ask me"]]


def test_the_example_of_the_page_runs() -> None:
    run_example("pydantic-ai")
