"""LangChain and LangGraph: ``create_agent(model, tools, middleware=[AnyhookMiddleware(session)])``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelResponse, hook_config
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.types import interrupt

from anyhook.engine.session.results import PromptResult, ToolQuestion, ToolResult
from anyhook.engine.session.session import Session
from anyhook.engine.session.sync_session import SyncSession
from anyhook.frameworks.framework_hooks import FrameworkHooks

Update = dict[str, Any] | None


async def ask_by_interrupt(question: ToolQuestion) -> bool:
    """For ``engine.session(ask=...)``: the graph is interrupted, and ``Command(resume=True)`` allows the call."""
    return bool(interrupt({"tool": question.name, "input": dict(question.input), "reason": question.reason}))


class AnyhookMiddleware(AgentMiddleware):
    """The hooks of a session around an agent."""

    def __init__(self, session: Session | SyncSession) -> None:
        super().__init__()
        self._hooks = FrameworkHooks(session)

    # --- the prompt

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: Any, runtime: Any) -> Update:
        last = state["messages"][-1]
        return self._prompted(last, await self._hooks.session.prompt(str(last.text))) if _is_prompt(last) else None

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: Any, runtime: Any) -> Update:
        last = state["messages"][-1]
        return self._prompted(last, self._sync.prompt(str(last.text))) if _is_prompt(last) else None

    def _prompted(self, message: AnyMessage, prompt: PromptResult) -> Update:
        if not prompt.allowed:
            return {"messages": [AIMessage(prompt.reason)], "jump_to": "end"}
        return {"messages": [HumanMessage(self._hooks.prompt_text(prompt), id=message.id)]}

    # --- tools

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        call, answer = request.tool_call, _Answer()

        async def run(tool_input: dict[str, Any]) -> Any:
            answer.message = await handler(request.override(tool_call={**call, "args": tool_input}))
            return answer.content

        result = await self._hooks.session.tool(call["name"], call["args"], run, tool_use_id=call["id"])
        return self._answered(call, answer, result)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        call, answer = request.tool_call, _Answer()

        def run(tool_input: dict[str, Any]) -> Any:
            answer.message = handler(request.override(tool_call={**call, "args": tool_input}))
            return answer.content

        return self._answered(call, answer, self._sync.tool(call["name"], call["args"], run, tool_use_id=call["id"]))

    def _answered(self, call: Any, answer: _Answer, result: ToolResult) -> Any:
        text = self._hooks.tool_text(result)
        if answer.message is not None and not isinstance(answer.message, ToolMessage):
            return answer.message  # a Command, which changes the state of the graph
        if answer.message is not None and result.output is answer.content and not result.context:
            return answer.message
        status = "success" if result.status == "ran" else "error"
        if answer.message is not None:
            return answer.message.model_copy(update={"content": text, "status": status})
        return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status=status)

    # --- the model, around which the end is: nodes of the graph would cost more than all hooks

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        said = _Said(request, self._hooks.session.turn_ended)
        while said.request is not None:
            last = said.add(await handler(said.request))
            said.go_on(self._hooks.stop_text(await self._hooks.session.stop(last)) if last is not None else "")
        return said.response

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        said = _Said(request, self._hooks.session.turn_ended)
        while said.request is not None:
            last = said.add(handler(said.request))
            said.go_on(self._hooks.stop_text(self._sync.stop(last)) if last is not None else "")
        return said.response

    @property
    def _sync(self) -> SyncSession:
        if self._hooks.sync is None:
            raise RuntimeError("this session is async: use `with engine.session()`, or ainvoke and astream")
        return self._hooks.sync


class _Said:
    """What the model and hooks have said since the request."""

    def __init__(self, request: Any, turn_ended: str | None) -> None:
        self.request: Any = None if turn_ended is not None else request
        """What to ask the model next; None: nothing."""
        self.response: Any = ModelResponse(result=[] if turn_ended is None else [AIMessage(turn_ended)])

    def add(self, response: Any) -> str | None:
        """Its last message, if it is the end; None: the model calls tools."""
        self.response.result += response.result
        self.response.structured_response = response.structured_response
        last = response.result[-1]
        return None if getattr(last, "tool_calls", None) else str(last.text)

    def go_on(self, text: str) -> None:
        """Tell the model to go on with this; empty: it has ended."""
        if text:
            messages = [*self.request.messages, self.response.result[-1], HumanMessage(text)]
            self.response.result.append(messages[-1])
            self.request = self.request.override(messages=messages)
        else:
            self.request = None


class _Answer:
    """What the tool has answered; None: it has not run."""

    message: Any = None

    @property
    def content(self) -> Any:
        if isinstance(self.message, ToolMessage) and self.message.status == "error":
            raise ToolError(self.message.text)
        return self.message.content if isinstance(self.message, ToolMessage) else None


class ToolError(Exception):
    """A tool has failed, and LangChain has made a message of it."""


def _is_prompt(message: AnyMessage) -> bool:
    return isinstance(message, HumanMessage)
