"""Google ADK: ``App(name=..., root_agent=agent, plugins=[plugin := AnyhookPlugin(session)])``, and in place of
``runner.run_async(...)`` ``plugin.run_async(runner, ...)``, because a plugin alone cannot keep an agent going."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from anyhook.engine.session.session import Session
from anyhook.engine.session.sync_session import SyncSession
from anyhook.engine.session.tool_call import ToolCall, failure_text
from anyhook.frameworks.framework_hooks import FrameworkHooks

HOOKS = "hooks"
"""The key of what hooks tell the model, in the result of a tool."""


class AnyhookPlugin(BasePlugin):
    """The hooks of a session around an agent."""

    def __init__(self, session: Session | SyncSession) -> None:
        super().__init__(name="anyhook")
        self._hooks = FrameworkHooks(session)
        self._calls: dict[str, ToolCall] = {}
        """Those that run, by their id."""
        self._blocked: str | None = None
        """Why the prompt is not passed on."""
        self._goes_on = False
        """The agent was kept going: the message is no prompt of the user."""

    async def run_async(self, runner: Any, *, new_message: types.Content, **where: Any) -> AsyncIterator[Any]:
        """As that of the runner, until hooks let the agent stop."""
        message: types.Content | None = new_message
        while message is not None:
            last = ""
            async for event in runner.run_async(new_message=message, **where):
                if event.is_final_response():
                    last = _text(event.content) or last
                yield event
            blocked, self._blocked = self._blocked, None
            text = "" if blocked is not None else self._hooks.stop_text(await self._hooks.session.stop(last))
            message = _content(text) if text else None
            self._goes_on = message is not None

    async def on_user_message_callback(self, *, invocation_context: Any, user_message: Any) -> types.Content | None:
        goes_on, self._goes_on = self._goes_on, False
        if goes_on or not (said := _text(user_message)):
            return None
        prompt = await self._hooks.session.prompt(said)
        self._blocked = None if prompt.allowed else prompt.reason
        others = [part for part in user_message.parts if not part.text]
        text = self._hooks.prompt_text(prompt) if prompt.allowed else prompt.reason
        return types.Content(role="user", parts=[types.Part(text=text), *others])

    async def before_run_callback(self, *, invocation_context: Any) -> types.Content | None:
        return None if self._blocked is None else _content(self._blocked, "model")

    async def before_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any) -> Any:
        call_id = tool_context.function_call_id
        call = self._hooks.session.tool_call(tool.name, tool_args, tool_use_id=call_id)
        if (refused := await call.before()) is not None:
            return {"error": self._hooks.tool_text(refused)}
        self._calls[call_id] = call
        tool_args.clear()
        tool_args.update(call.input)
        return None

    async def after_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any, result: Any) -> Any:
        call = self._calls.pop(tool_context.function_call_id, None)
        if call is None:
            return None  # it was not allowed
        ended = await call.ran(result)
        told = "\n\n".join((*ended.context, *filter(None, [self._hooks.session.pending_context().text])))
        output = ended.output if isinstance(ended.output, dict) else {"result": ended.output}
        return {**output, HOOKS: told} if told else output

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any, error: BaseException
    ) -> Any:
        call = self._calls.pop(tool_context.function_call_id, None)
        if call is None:
            return None
        is_interrupt = not isinstance(error, Exception)
        ended = await call.failed(failure_text(error), is_interrupt=is_interrupt)
        return None if is_interrupt else {"error": self._hooks.tool_text(ended)}


def _text(content: Any) -> str:
    return "\n".join(part.text for part in (content.parts if content else None) or () if part.text)


def _content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])
