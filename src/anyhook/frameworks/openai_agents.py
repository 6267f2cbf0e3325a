"""OpenAI Agents: ``await HookedRunner(session).run(agent, "Fix it.")`` in place of ``Runner.run``.

The SDK's own hooks can rewrite nothing, so the tools of the agents are wrapped: functions, MCP servers, shell, patches.
An agent that is handed over to is a subagent.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from agents import Agent, ApplyPatchTool, FunctionTool, Handoff, Runner, ShellTool, default_tool_error_function, handoff

from anyhook.dialects.translation.tools import join_mcp_name
from anyhook.engine.session.agent_loop import AgentLoop, Subagent
from anyhook.engine.session.results import ToolResult
from anyhook.engine.session.session import Session
from anyhook.engine.session.sync_session import SyncSession
from anyhook.engine.session.tool_call import ToolFunction
from anyhook.frameworks.framework_hooks import FrameworkHooks
from anyhook.frameworks.openai_tools import HookedEditor, HookedServer, ToolError, hooked_shell


class HookedRunner:
    """Runs agents with the hooks of a session."""

    def __init__(self, session: Session | SyncSession) -> None:
        self._hooks = FrameworkHooks(session)
        self._loop: AgentLoop = self._hooks.session
        """Of the agent that has the conversation."""
        self._agents: dict[int, Agent[Any]] = {}
        """The wrapped agent by the identity of the original: agents may hand over to each other."""

    async def run(self, agent: Agent[Any], text: str, **options: Any) -> Any:
        """The result of the run; the reason, if a hook blocks the prompt."""
        prompt = await self._hooks.session.prompt(text)
        if not prompt.allowed:
            return prompt.reason
        agent, given = self.hooked(agent), self._hooks.prompt_text(prompt)
        result = await Runner.run(agent, given, **options)
        while more := await self.more(str(result.final_output)):
            items: Any = [*result.to_input_list(), {"role": "user", "content": more}]
            result = await Runner.run(result.last_agent, items, **options)
        return result

    async def more(self, last_message: str) -> str:
        """What an agent that wants to stop must still do; empty: it stops. For runs that are streamed."""
        more = self._hooks.stop_text(await self._loop.stop(last_message))
        if not more and isinstance(self._loop, Subagent):
            await self._loop.__aexit__(None, None, None)
            self._loop = self._hooks.session
            more = self._hooks.stop_text(await self._loop.stop(last_message))
        return more

    def hooked(self, agent: Agent[Any]) -> Agent[Any]:
        """A copy of the agent with wrapped tools and handoffs, for ``Runner.run_streamed`` and others."""
        if id(agent) not in self._agents:
            copy = self._agents[id(agent)] = agent.clone(tools=[self._tool(tool) for tool in agent.tools])
            self._agents[id(copy)] = copy
            copy.mcp_servers = [HookedServer(server, self) for server in agent.mcp_servers]  # type: ignore[misc]
            copy.handoffs = [self._handoff(other) for other in agent.handoffs]
        return self._agents[id(agent)]

    def _handoff(self, other: Agent[Any] | Handoff[Any, Any]) -> Handoff[Any, Any]:
        given = handoff(other) if isinstance(other, Agent) else other

        async def invoke(context: Any, arguments: str) -> Any:
            target = await given.on_invoke_handoff(context, arguments)
            if isinstance(self._loop, Subagent):
                await self._loop.__aexit__(None, None, None)
            self._loop = await self._hooks.session.subagent(target.name).__aenter__()
            return self.hooked(target)

        return dataclasses.replace(given, on_invoke_handoff=invoke)

    async def call(self, name: str, given: dict[str, Any], run: ToolFunction, **ids: Any) -> ToolResult:
        return await self._loop.tool(name, given, run, **ids)

    def mcp_name(self, server: str, tool: str) -> str:
        """What the client whose hooks run calls the tool of a server."""
        names = join_mcp_name(server, tool, self._hooks.session.session_context.engine.profile.name).names
        return names[0] if names else tool

    def text(self, result: ToolResult) -> str:
        return self._hooks.tool_text(result)

    def _tool(self, tool: Any) -> Any:
        if isinstance(tool, FunctionTool):
            return self._function(tool)
        if isinstance(tool, ShellTool) and tool.executor is not None:
            return dataclasses.replace(tool, executor=hooked_shell(tool.executor, self))
        if isinstance(tool, ApplyPatchTool):
            return dataclasses.replace(tool, editor=HookedEditor(tool.editor, self))
        return tool  # the model's server runs it

    def _function(self, tool: FunctionTool) -> FunctionTool:
        async def invoke(context: Any, arguments: str) -> Any:
            async def run(tool_input: dict[str, Any]) -> Any:
                output = await tool.on_invoke_tool(context, json.dumps(tool_input))
                if isinstance(output, str) and output.startswith(default_tool_error_function(context, Exception(""))):
                    raise ToolError(output)
                return output

            given = json.loads(arguments or "{}")
            result = await self.call(tool.name, given, run, tool_use_id=getattr(context, "tool_call_id", None))
            text = self.text(result)
            return result.output if result.status == "ran" and text == result.text and not result.context else text

        return dataclasses.replace(tool, on_invoke_tool=invoke)
