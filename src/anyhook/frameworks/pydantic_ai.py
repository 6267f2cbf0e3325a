"""Pydantic AI: ``Agent(model, capabilities=[AnyhookCapability(session)])``."""

from __future__ import annotations

from typing import Any

from pydantic_ai import DeferredToolRequests, ModelRequestNode, UserPromptNode
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.result import FinalResult
from pydantic_graph import End

from anyhook.engine.session.results import ToolQuestion
from anyhook.engine.session.session import Session
from anyhook.engine.session.sync_session import SyncSession
from anyhook.frameworks.framework_hooks import FrameworkHooks, in_tool


async def ask_by_approval(question: ToolQuestion) -> bool:
    """For ``engine.session(ask=...)``: the run ends with DeferredToolRequests until the call is approved."""
    if in_tool.get().tool_call_approved:
        return True
    raise ApprovalRequired({"reason": question.reason})


class AnyhookCapability(AbstractCapability[Any]):
    """The hooks of a session around an agent."""

    def __init__(self, session: Session | SyncSession) -> None:
        self._hooks = FrameworkHooks(session)

    async def wrap_node_run(self, ctx: Any, *, node: Any, handler: Any) -> Any:
        session = self._hooks.session
        if isinstance(node, UserPromptNode) and isinstance(node.user_prompt, str):
            prompt = await session.prompt(node.user_prompt)
            if not prompt.allowed:
                return End(FinalResult(prompt.reason))
            node.user_prompt = self._hooks.prompt_text(prompt)
        return await handler(node)

    async def after_node_run(self, ctx: Any, *, node: Any, result: Any) -> Any:
        session = self._hooks.session
        if isinstance(result, End):
            if isinstance(node, UserPromptNode) or isinstance(result.data.output, DeferredToolRequests):
                return result  # blocked, or waiting for an answer
            stop = await session.stop(str(result.data.output))
            if text := self._hooks.stop_text(stop):
                return ModelRequestNode(ModelRequest(parts=[UserPromptPart(text)]))
        elif isinstance(result, ModelRequestNode) and session.turn_ended is not None:
            return End(FinalResult(session.turn_ended))
        return result

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        given = in_tool.set(ctx)
        try:
            result = await self._hooks.session.tool(call.tool_name, dict(args), handler, tool_use_id=call.tool_call_id)
        finally:
            in_tool.reset(given)
        text = self._hooks.tool_text(result)
        is_plain = result.status == "ran" and text == result.text and not result.context
        return result.output if is_plain else text
