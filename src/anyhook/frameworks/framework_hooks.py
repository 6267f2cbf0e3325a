"""What the adapters of all frameworks have in common: a session, and texts with all that hooks tell the model."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from anyhook.engine.session.results import PromptResult, StopResult, ToolResult, joined
from anyhook.engine.session.session import Session
from anyhook.engine.session.sync_session import SyncSession


class FrameworkHooks:
    """A session around a framework's agent. Agents that are not async take that of ``with engine.session()``."""

    def __init__(self, session: Session | SyncSession) -> None:
        self.sync = session if isinstance(session, SyncSession) else None
        self.session = session.session if isinstance(session, SyncSession) else session

    def prompt_text(self, prompt: PromptResult) -> str:
        """What the model should read as the user's prompt."""
        return joined(self.session.pending_context().text, prompt.text)

    def tool_text(self, result: ToolResult) -> str:
        """What the model should read as the result of a tool."""
        return joined(result.text, self.session.pending_context().text)

    def stop_text(self, stop: StopResult) -> str:
        """What an agent that is kept going should read; empty: it stops."""
        return joined(stop.text, self.session.pending_context().text) if stop.keep_going else ""


in_tool: ContextVar[Any] = ContextVar("the framework's context of the tool call")
"""For an ``ask`` that passes a question on to the framework."""
