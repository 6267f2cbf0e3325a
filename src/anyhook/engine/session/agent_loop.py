"""What the main agent of a session and its subagents have in common: tools, stopping, and what hooks leave for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec import structs

from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_name
from anyhook.engine.session.host_calls import finish_even_if_cancelled
from anyhook.engine.session.host_tools import HostTools, ToolNames
from anyhook.engine.session.results import PendingContext, StopResult, ToolQuestion, ToolResult
from anyhook.engine.session.tool_call import ToolCall, ToolFunction
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Reply
from anyhook.model.payload import Stop, StopPayload, SubagentStart, SubagentStop
from anyhook.model.payload_base import Payload

if TYPE_CHECKING:
    from anyhook.engine.engine import Engine

Permission = bool | Reply
Ask = Callable[[ToolQuestion], Permission | Awaitable[Permission]]
"""Asks the user whether a tool may be used; sync or async. ``rewrite`` allows it with another input, ``deny`` tells the
model why not, ``stop`` ends the turn."""
NeedsPermission = bool | Callable[[ToolQuestion], bool]
"""Which tool calls need permission when hooks leave it open."""


class SessionContext:
    """What the main agent of a session and its subagents share."""

    def __init__(
        self,
        engine: Engine,
        *,
        cwd: str,
        session_id: str,
        transcript_path: str,
        permission_mode: str,
        ask: Ask | None,
        needs_permission: NeedsPermission,
        tools: ToolNames,
    ) -> None:
        self.engine = engine
        self.tools = HostTools(engine, tools)
        self.cwd, self.session_id, self.transcript_path = cwd, session_id, transcript_path
        self.permission_mode = permission_mode
        self.ask = ask
        self._needs_permission = needs_permission
        self.one_question_at_a_time = asyncio.Lock()
        self.is_open = False
        self.refusal: Outcome | None = None
        """What Setup or SessionStart came to, if hooks do not allow the session."""
        self.late: list[str] = []
        """What background hooks tell the model."""
        self.for_user: list[str] = []

    @property
    def refused(self) -> str | None:
        return None if self.refusal is None else self.refusal.reason or "a hook did not allow the session"

    def needs_permission(self, question: ToolQuestion) -> bool:
        needs = self._needs_permission
        return needs if isinstance(needs, bool) else needs(question)


class AgentLoop:
    """One agent in its loop. A session is one, and every subagent."""

    agent_id: str | None = None
    """None: the main agent."""
    agent_type: str | None = None

    def __init__(self, session_context: SessionContext) -> None:
        self.session_context = session_context
        self._for_model: list[str] = []
        self._turn_ended: str | None = None
        self._was_kept_going = False

    # --- events

    async def fire(self, event: Payload, *, also_named: str = "") -> Outcome:
        """Fire any event with the ids of this session and agent.

        ``also_named``: another name of the event's tool, whose matchers match, too.

        What hooks tell the user waits in :meth:`pending_context`; what they tell the model is in the outcome.
        """
        session_context = self.session_context
        if not session_context.is_open:
            raise RuntimeError("the session is not open: use it inside `with` or `async with`")
        session_context.late += session_context.engine.take_late_context(session_context.session_id)
        native = native_name(event.event, session_context.engine.profile.name) or event.event
        outcome = await session_context.engine.fire(
            structs.replace(event, native_event=native, **self._ids()), also_named=also_named
        )
        session_context.for_user += outcome.to_user
        if (reason := self.why_turn_ends(outcome)) is not None:
            self.end_turn(reason)
        return outcome

    async def _fire_for_context(self, event: Payload) -> Outcome:
        """Fire an event that has no result of its own: its context waits for the model's next turn."""
        outcome = await self.fire(event)
        self._for_model += outcome.to_model
        return outcome

    def _ids(self) -> dict[str, Any]:
        session_context = self.session_context
        ids: dict[str, Any] = {
            "session_id": session_context.session_id,
            "transcript_path": session_context.transcript_path,
            "cwd": session_context.cwd,
            "permission_mode": session_context.permission_mode,
        }
        if form := session_context.engine.profile.wire.timestamps:  # a client that sends times
            now = datetime.now(UTC)
            ids["timestamp"] = round(now.timestamp() * 1000) if form == "milliseconds" else now.isoformat()
        if self.agent_id is not None:
            ids |= {"agent_id": self.agent_id, "agent_type": self.agent_type or ""}
        return ids

    def pending_context(self) -> PendingContext:
        """What hooks have left for the model and for the user since the last call, and forget it.

        What belongs to a prompt, a tool call or a stop comes with its result instead.
        """
        session_context = self.session_context
        for_model = (
            *self._for_model,
            *session_context.late,
            *session_context.engine.take_late_context(session_context.session_id),
        )
        for_user = (
            *session_context.for_user,
            *session_context.engine.take_late_messages(session_context.session_id),
        )
        for texts in (self._for_model, session_context.late, session_context.for_user):
            texts.clear()
        return PendingContext(for_model, for_user)

    # --- the turn

    @property
    def turn_ended(self) -> str | None:
        """Why a hook has ended the turn (``continue: false``) or does not allow the session; None: it may continue."""
        return self.session_context.refused or self._turn_ended

    def end_turn(self, reason: str) -> None:
        """End the turn, as a hook can: no tool runs and no Stop is fired until the next prompt."""
        if self._turn_ended is None:
            self._turn_ended = reason

    def why_turn_ends(self, outcome: Outcome) -> str | None:
        """Why an outcome ends the turn; None when it does not."""
        if outcome.effect is Effect.STOP:
            return outcome.reason or "a hook ended the turn"
        bound = bind_event(self.session_context.engine.profile, outcome.event, outcome.native_event)
        if bound.stop_mode != "stops the hooks":
            return None
        replies = (run.reply for run in outcome.runs if run.reply is not None and run.reply.stop)
        return next((reply.stop_reason or reply.reason or "a hook ended the turn" for reply in replies), None)

    # --- what an agent does

    async def tool(
        self, name: str, input: Mapping[str, Any], run: ToolFunction, *, tool_use_id: str | None = None
    ) -> ToolResult:
        """Use a tool as hooks decide: if they allow the call, ``run`` gets the input, possibly rewritten.

        What ``run`` raises is the tool's failure and part of the result. Calls may run at the same time.
        """
        return await self.tool_call(name, input, tool_use_id=tool_use_id).result(run)

    def tool_call(self, name: str, input: Mapping[str, Any], *, tool_use_id: str | None = None) -> ToolCall:
        """The same in two steps, for a host that cannot hand over its function: ``await call.before()``, and after the
        tool ``await call.ran(output)`` or ``await call.failed(error)``."""
        return ToolCall(self, name, input, tool_use_id or f"toolu_{uuid4().hex}")

    async def stop(self, last_message: str | None = None) -> StopResult:
        """Ask whether the agent may stop; a hook can keep it going, a limited number of times in a row."""
        if self.turn_ended is not None:
            return StopResult(keep_going=False, reason=self.turn_ended)
        return await self._fire_stop(last_message)

    async def _fire_stop(self, last_message: str | None) -> StopResult:
        outcome = await self.fire(
            structs.replace(
                self._stop_event(),
                stop_hook_active=self._was_kept_going,
                last_assistant_message=last_message,
            )
        )
        self._was_kept_going = outcome.effect is Effect.CONTINUE
        if not self._was_kept_going:
            self._for_model += outcome.to_model
            return StopResult(keep_going=False, outcome=outcome)
        return StopResult(keep_going=True, reason=outcome.reason, context=outcome.to_model, outcome=outcome)

    def _stop_event(self) -> StopPayload:
        return Stop()

    def subagent(self, agent_type: str, *, task: str | None = None, agent_id: str | None = None) -> Subagent:
        """A helper with a loop of its own; use it with ``async with``."""
        return Subagent(self.session_context, agent_type, task=task, agent_id=agent_id or uuid4().hex)


class Subagent(AgentLoop):
    """A subagent between SubagentStart and SubagentStop: its tool calls carry its id and type."""

    agent_id: str
    agent_type: str

    def __init__(self, session_context: SessionContext, agent_type: str, *, task: str | None, agent_id: str) -> None:
        super().__init__(session_context)
        self.agent_id, self.agent_type, self._task = agent_id, agent_type, task
        self.transcript_path = ""
        """Of the subagent alone, if it has one."""
        self._has_stopped = False

    async def __aenter__(self) -> Subagent:
        outcome = await self._fire_for_context(SubagentStart(task=self._task))
        if outcome.effect is Effect.BLOCK:
            self.end_turn(outcome.reason or f"a hook did not allow {self.agent_type}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._has_stopped:
            await finish_even_if_cancelled(self._fire_stop(None))

    async def _fire_stop(self, last_message: str | None) -> StopResult:
        result = await super()._fire_stop(last_message)
        self._has_stopped = not result.keep_going
        return result

    def _stop_event(self) -> StopPayload:
        return SubagentStop(agent_transcript_path=self.transcript_path)
