"""Strands: ``Agent(model=..., tools=..., hooks=[AnyhookHooks(session)])``."""

from __future__ import annotations

from typing import Any

from strands.hooks import (
    AfterInvocationEvent,
    AfterToolCallEvent,
    BeforeInvocationEvent,
    BeforeToolCallEvent,
    HookProvider,
    HookRegistry,
)

from anyhook.engine.session.results import ToolQuestion
from anyhook.engine.session.session import Session
from anyhook.engine.session.sync_session import SyncSession
from anyhook.engine.session.tool_call import ToolCall
from anyhook.frameworks.framework_hooks import FrameworkHooks, in_tool


async def ask_by_interrupt(question: ToolQuestion) -> bool:
    """For ``engine.session(ask=...)``: the agent is interrupted, and a true response allows the call."""
    answer = in_tool.get().interrupt("anyhook", reason={"tool": question.name, "reason": question.reason})
    return answer in (True, "y", "yes")


class AnyhookHooks(HookProvider):
    """The hooks of a session around an agent."""

    def __init__(self, session: Session | SyncSession) -> None:
        self._hooks = FrameworkHooks(session)
        self._calls: dict[str, ToolCall] = {}
        """Those that run, by their id."""
        self._goes_on = False
        """The agent was kept going: what it is invoked with is no prompt of the user."""

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        registry.add_callback(BeforeInvocationEvent, self._prompt)
        registry.add_callback(BeforeToolCallEvent, self._before)
        registry.add_callback(AfterToolCallEvent, self._after)
        registry.add_callback(AfterInvocationEvent, self._stop)

    async def _prompt(self, event: BeforeInvocationEvent) -> None:
        goes_on, self._goes_on = self._goes_on, False
        content = event.messages[-1]["content"] if event.messages else []
        block = next((block for block in content if "text" in block), None)
        if block is None or goes_on:
            return
        prompt = await self._hooks.session.prompt(block["text"])
        if prompt.allowed:
            block["text"] = self._hooks.prompt_text(prompt)
        else:
            event.cancel = prompt.reason

    async def _before(self, event: BeforeToolCallEvent) -> None:
        use = event.tool_use
        call = self._hooks.session.tool_call(use["name"], use["input"], tool_use_id=use["toolUseId"])
        given = in_tool.set(event)
        try:
            refused = await call.before()
        finally:
            in_tool.reset(given)
        if refused is not None:
            event.cancel_tool = self._hooks.tool_text(refused)
            return
        self._calls[use["toolUseId"]] = call
        event.tool_use = {**use, "input": call.input}

    async def _after(self, event: AfterToolCallEvent) -> None:
        call = self._calls.pop(event.tool_use["toolUseId"], None)
        if call is None:
            return  # it was not allowed
        said = "\n".join(block["text"] for block in event.result["content"] if "text" in block)
        if event.result["status"] == "error":
            result = await call.failed(said)
        else:
            result = await call.ran(said)
        if (text := self._hooks.tool_text(result)) != said:
            others = [block for block in event.result["content"] if "text" not in block]
            event.result = {**event.result, "content": [{"text": text}, *others]}

    async def _stop(self, event: AfterInvocationEvent) -> None:
        if event.result is None or event.result.stop_reason == "interrupt":
            return
        stop = await self._hooks.session.stop(str(event.result).strip())
        if text := self._hooks.stop_text(stop):
            self._goes_on = True
            event.resume = text
