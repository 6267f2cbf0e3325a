"""The scenario in OpenAI Agents, with a scripted model; and its other kinds of tools."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from anyhook.engine.engine import Engine
from anyhook.model.functions import deny
from anyhook.model.hooks import HookSet
from anyhook.model.output import Reply
from anyhook.model.payload import PreToolUse
from tests.frameworks.scenario import Script, engine_with_hooks, run_example

pytest.importorskip("agents.editor")

from agents import Agent, ApplyPatchTool, ModelResponse, Runner, ShellTool, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from anyhook.frameworks.openai_agents import HookedRunner

pytestmark = pytest.mark.filterwarnings("ignore")  # what the framework does is its own affair

set_tracing_disabled(True)


def said(text: str) -> Any:
    content: Any = [ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])]
    return ResponseOutputMessage(id="m", type="message", role="assistant", content=content, status="completed")


def called(name: str, tool_input: dict[str, Any], call_id: str) -> Any:
    return ResponseFunctionToolCall(
        id="f", call_id=call_id, type="function_call", name=name, arguments=json.dumps(tool_input)
    )


class Scripted(Model):
    """Asks a function what to say, and gives it what the model reads."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.numbers = iter(range(1000))

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        items = [{"role": "user", "content": input}] if isinstance(input, str) else input
        own = [item.get("role") == "assistant" or item.get("type") == "function_call" for item in items]
        spoken = max((n for n, is_own in enumerate(own) if is_own), default=-1)
        read = "\n".join(str(item.get("output") or item.get("content")) for item in items[spoken + 1 :])
        return ModelResponse(output=self.outputs(self.answer(read)), usage=Usage(), response_id=None)

    def outputs(self, says: Any) -> list[Any]:
        if isinstance(says, str):
            return [said(says)]
        if isinstance(says, list):
            return says
        return [called("shell", {"cmd": command}, f"c{next(self.numbers)}") for command in says.commands]

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def play(script: Any, session: Any) -> None:
    """One run of the agent, with hooks or without."""
    agent = agent_of(script)
    run = Runner.run if session is None else HookedRunner(session).run
    await run(agent, "Go.", max_turns=1000)


def agent_of(script: Any) -> Agent[Any]:
    shell = function_tool(script.shell, name_override="shell")
    return Agent(name="worker", model=Scripted(script.answer), tools=[shell])


def test_the_scenario() -> None:
    engine, fired = engine_with_hooks()
    script = Script()

    async def main() -> list[str]:
        async with engine.session() as s:
            agent = agent_of(script)
            runner = HookedRunner(s)
            results = [await runner.run(agent, prompt) for prompt in ("Work.", "Forbidden.", "Endless.")]
            return [result if isinstance(result, str) else result.final_output for result in results]

    assert asyncio.run(main()) == ["Tested again.", "No such prompts.", "More."]
    script.check_end(fired)


def test_a_handoff_is_a_subagent() -> None:
    engine = Engine(HookSet(dialect="claude-code"))
    seen: list[Any] = []
    for name in ("SubagentStart", "PreToolUse", "SubagentStop", "Stop"):
        engine.register(name, lambda event: seen.append((event.event, event.agent_type)))
    helper_says = iter([[called("shell", {"cmd": "ls"}, "c1")], "Found."])
    helper = Agent(
        name="helper",
        model=Scripted(lambda read: next(helper_says)),
        tools=[function_tool(lambda cmd: "files", name_override="shell", strict_mode=False)],
    )
    main_agent = Agent(
        name="main", model=Scripted(lambda read: [called("transfer_to_helper", {}, "h1")]), handoffs=[helper]
    )

    async def main() -> str:
        async with engine.session() as s:
            return str((await HookedRunner(s).run(main_agent, "Find it.")).final_output)

    assert asyncio.run(main()) == "Found."
    assert seen == [("SubagentStart", "helper"), ("PreToolUse", "helper"), ("SubagentStop", "helper"), ("Stop", None)]


def test_shell_and_patch_tools() -> None:
    engine = Engine(HookSet(dialect="claude-code"))

    @engine.on(PreToolUse, matcher="Bash|Edit|Write")
    async def guard(event: PreToolUse) -> Reply | None:
        return deny(f"not {event.tool_name}") if "bad" in str(event.tool_input.value) else None

    class Editor:
        def update_file(self, operation: Any) -> str:
            return f"changed {operation.path}"

        create_file = delete_file = update_file

    from agents.editor import ApplyPatchOperation
    from agents.tool import ShellActionRequest, ShellCallData, ShellCommandRequest

    agent = Agent(
        name="main",
        tools=[ShellTool(lambda request: " ".join(request.data.action.commands)), ApplyPatchTool(Editor())],
    )

    async def main() -> list[Any]:
        async with engine.session() as s:
            shell, patch = HookedRunner(s).hooked(agent).tools
            outputs = []
            for command in ("ls", "bad"):
                data = ShellCallData("c", ShellActionRequest(commands=[command]))
                outputs.append(await shell.executor(ShellCommandRequest(None, data)))
            for path in ("good.py", "bad.py"):
                operation = ApplyPatchOperation(type="update_file", path=path, diff="-a\n+b")
                outputs.append(await patch.editor.update_file(operation))
            return outputs

    *texts, refused = asyncio.run(main())
    assert texts == ["ls", "not Bash", "changed good.py"]
    assert (refused.status, refused.output) == ("failed", "not Edit")


def test_the_example_of_the_page_runs() -> None:
    run_example("openai-agents")
