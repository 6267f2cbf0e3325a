"""A session: the lifecycle of the Agent SDK hooks spec (section 7) around a host's own agent."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from anyhook.dialects.events import native_name
from anyhook.engine.session.agent_loop import AgentLoop, SessionContext
from anyhook.engine.session.host_calls import call_host, finish_even_if_cancelled
from anyhook.engine.session.results import CompactResult, PromptResult, StopResult, TaskResult, joined
from anyhook.engine.session.sync_session import SyncSession
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.payload import (
    Notification,
    PostCompact,
    PreCompact,
    SessionEnd,
    SessionStart,
    Setup,
    TaskCompleted,
    TeammateIdle,
    UserPromptSubmit,
)
from anyhook.model.payload_base import Payload, Spelling


class Session(AgentLoop):
    """The main agent, from SessionStart to SessionEnd. Made by :meth:`anyhook.Engine.session`."""

    def __init__(
        self,
        session_context: SessionContext,
        *,
        source: str,
        setup: str | None,
        model: str | None,
        agent_type: str | None,
    ):
        super().__init__(session_context)
        self._source, self._setup = source, setup
        self._model, self._own_type = model, agent_type
        self._sync: SyncSession | None = None

    @property
    def session_id(self) -> str:
        return self.session_context.session_id

    # --- beginning and end

    async def __aenter__(self) -> Session:
        self.session_context.is_open = True
        try:
            if self._setup is not None:
                await self._fire_start(Setup(trigger=self._setup))
            if self.refused is None:
                await self._start(self._source)
        except BaseException:
            await finish_even_if_cancelled(self.end())
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await finish_even_if_cancelled(self.end())

    def __enter__(self) -> SyncSession:
        """The session for code that is not async: its methods are the same, and wait."""
        self._sync = SyncSession(self)
        return self._sync.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._sync is not None
        self._sync.__exit__(kind, error, traceback)

    async def end(self, reason: str = "other") -> None:
        """Fire SessionEnd and end background hooks. Leaving ``async with`` does it if it was not done before."""
        if self.session_context.is_open:
            try:
                await self.fire(SessionEnd(reason=reason))
            finally:
                self.session_context.is_open = False
                await self.session_context.engine.end_session(self.session_id)

    async def clear(self) -> None:
        """Start again with an empty conversation: SessionEnd and SessionStart, both for "clear"."""
        await self.fire(SessionEnd(reason="clear"))
        self._for_model.clear()
        self.session_context.refusal = None
        self._begin_turn()
        await self._start("clear")

    async def _start(self, source: str) -> None:
        sent = self.session_context.engine.profile.wire.start_sources.get(source, source)
        if sent:
            await self._fire_start(SessionStart(source=sent, agent_type=self._own_type, model=self._model))

    async def _fire_start(self, event: Payload) -> None:
        outcome = await self._fire_for_context(event)
        if outcome.effect is Effect.BLOCK:
            self.session_context.refusal = outcome

    @property
    def refused(self) -> str | None:
        """Why a Setup or SessionStart hook does not allow the session; None: it does.

        In a session that is not allowed, prompts are blocked and no tool runs.
        """
        return self.session_context.refused

    # --- in between

    async def prompt(self, text: str) -> PromptResult:
        """Submit what the user says. A new turn begins."""
        if self.session_context.refusal is not None and self.refused is not None:
            return PromptResult(allowed=False, prompt=text, reason=self.refused, outcome=self.session_context.refusal)
        self._begin_turn()
        outcome = await self.fire(UserPromptSubmit(prompt=text))
        allowed = outcome.effect not in (Effect.BLOCK, Effect.STOP)
        return PromptResult(
            allowed=allowed,
            prompt=text,
            reason="" if allowed else outcome.reason,
            context=outcome.to_model,
            outcome=outcome,
        )

    def _begin_turn(self) -> None:
        self._turn_ended = None
        self._was_kept_going = False
        self.session_context.engine.begin_turn(self.session_id)

    async def compact(
        self, trigger: str, run: Callable[[str], Any], *, custom_instructions: str | None = None
    ) -> CompactResult:
        """Make the conversation shorter, if hooks allow it; ``trigger`` is "manual" or "auto".

        ``run`` gets the instructions for the summary: the custom ones, and what hooks add to them.
        """
        # Also sent where there are none, as null (conformance/recordings/claude-code/payloads/PreCompact-auto.json).
        spelling = Spelling(nulls=frozenset({"custom_instructions"}))
        before = await self.fire(
            PreCompact(trigger=trigger, custom_instructions=custom_instructions, spelling=spelling)
        )
        if before.effect in (Effect.BLOCK, Effect.STOP):
            return CompactResult(compacted=False, reason=before.reason)
        summary = await call_host(run, joined(custom_instructions or "", *before.to_model))
        if native_name("PostCompact", self.session_context.engine.profile.name) is not None:
            text = summary if isinstance(summary, str) else None
            await self._fire_for_context(PostCompact(trigger=trigger, compact_summary=text))
        await self._start("compact")
        return CompactResult(compacted=True, summary=summary)

    async def notify(self, message: str, *, type: str, title: str | None = None) -> Outcome:
        """Tell hooks of a notification to the user; ``type`` as in "permission_prompt" or "idle_prompt"."""
        return await self._fire_for_context(Notification(message=message, notification_type=type, title=title))

    async def task_completed(
        self,
        task_id: str,
        subject: str,
        *,
        description: str | None = None,
        teammate: str | None = None,
        team: str | None = None,
    ) -> TaskResult:
        """A task is done, unless a hook objects."""
        outcome = await self.fire(
            TaskCompleted(
                task_id=task_id,
                task_subject=subject,
                task_description=description,
                teammate_name=teammate,
                team_name=team,
            )
        )
        accepted = outcome.effect is not Effect.BLOCK
        reason = "" if accepted else outcome.reason
        return TaskResult(accepted=accepted, reason=reason, context=outcome.to_model, outcome=outcome)

    async def teammate_idle(self, teammate: str, team: str) -> StopResult:
        """A teammate has nothing to do; a hook may have something for it."""
        outcome = await self.fire(TeammateIdle(teammate_name=teammate, team_name=team))
        return StopResult(
            keep_going=outcome.effect is Effect.CONTINUE,
            reason=outcome.reason,
            context=outcome.to_model,
            outcome=outcome,
        )
