"""The scenario in LangChain, with a scripted chat model, async and not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.frameworks.scenario import Script, Turn, calls, engine_with_hooks, run_example

pytest.importorskip("langchain.agents.middleware")

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from anyhook.frameworks.langchain import AnyhookMiddleware, ask_by_interrupt

pytestmark = pytest.mark.filterwarnings("ignore")  # what the framework does is its own affair

PROMPTS = ["Work.", "Forbidden.", "Endless."]
ANSWERS = ["Tested again.", "No such prompts.", "More."]


class Scripted(BaseChatModel):
    script: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        spoken = max((n for n, message in enumerate(messages) if isinstance(message, AIMessage)), default=-1)
        says = self.script.answer("\n".join(str(message.content) for message in messages[spoken + 1 :]))
        message = (
            AIMessage(says)
            if isinstance(says, str)
            else AIMessage(
                "",
                tool_calls=[
                    {"name": "shell", "args": {"cmd": command}, "id": f"c{len(messages)}-{n}"}
                    for n, command in enumerate(says.commands)
                ],
            )
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def agent_of(script: Script, session: Any = None, **more: Any) -> Any:
    middleware = [AnyhookMiddleware(session)] if session else []
    return create_agent(Scripted(script=script), [tool("shell")(script.shell)], middleware=middleware, **more)


async def play(script: Any, session: Any) -> None:
    """One run of the agent, with hooks or without."""
    await agent_of(script, session).ainvoke({"messages": [HumanMessage("Go.")]}, {"recursion_limit": 1000})


def test_the_scenario() -> None:
    engine, fired = engine_with_hooks()
    script = Script()

    async def main() -> list[str]:
        async with engine.session() as s:
            agent = agent_of(script, s)
            states = [await agent.ainvoke({"messages": [HumanMessage(prompt)]}) for prompt in PROMPTS]
            return [state["messages"][-1].text for state in states]

    assert asyncio.run(main()) == ANSWERS
    script.check_end(fired)


def test_it_without_async() -> None:
    engine, fired = engine_with_hooks()
    script = Script()
    with engine.session() as s:
        agent = agent_of(script, s)
        states = [agent.invoke({"messages": [HumanMessage(prompt)]}) for prompt in PROMPTS]
    assert [state["messages"][-1].text for state in states] == ANSWERS
    script.check_end(fired)


@pytest.mark.parametrize(("answer", "read"), [(True, "ran ask me"), (False, "The user did not allow shell.")])
def test_the_graph_is_interrupted_to_ask(answer: bool, read: str) -> None:
    engine, _ = engine_with_hooks()
    script = Script()
    script.turns = [Turn(calls("ask me")), Turn("Asked.", reads=(read,)), Turn("Asked."), Turn("Asked.")]
    config = {"configurable": {"thread_id": "t"}}

    async def main() -> None:
        async with engine.session(ask=ask_by_interrupt) as s:
            agent = agent_of(script, s, checkpointer=InMemorySaver())
            first = await agent.ainvoke({"messages": [HumanMessage("Ask.")]}, config)
            [question] = first["__interrupt__"]
            assert question.value["reason"] == "Is it safe?"
            await agent.ainvoke(Command(resume=answer), config)

    asyncio.run(main())
    assert script.ran == (["ask me"] if answer else [])


def test_the_answer_is_streamed() -> None:
    engine, _ = engine_with_hooks()
    script = Script()
    script.turns = [Turn(calls("rm all")), Turn("Done.", reads=("No rm.",)), Turn("Done."), Turn("Done.")]
    with engine.session() as s:
        stream = agent_of(script, s).stream({"messages": [HumanMessage("Go.")]}, stream_mode="updates")
        nodes = [node for update in stream for node in update]
    assert nodes.count("tools") == 1
    assert nodes.count("model") == 2


def test_the_example_of_the_page_runs() -> None:
    run_example("langchain")
