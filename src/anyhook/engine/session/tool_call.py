"""One tool call in an agent's loop: whether it may run, with which input, its result, and what the model reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from anyhook.engine.session.host_calls import call_host, finish_even_if_cancelled, is_cancelled
from anyhook.engine.session.per_tool_events import events_after, events_before
from anyhook.engine.session.results import ToolQuestion, ToolResult, as_json_value
from anyhook.model.lazyjson import LazyJson, as_plain
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PermissionRequest, PostToolUse, PostToolUseFailure, PreToolUse
from anyhook.model.payload_base import Payload

if TYPE_CHECKING:
    from anyhook.engine.session.agent_loop import AgentLoop

ToolFunction = Callable[[dict[str, Any]], Any]
"""What a tool does with its input; sync or async. What it raises is the tool's failure."""


class ToolCall:
    """A call on its way: PreToolUse, permission, the tool itself, PostToolUse or PostToolUseFailure."""

    def __init__(self, agent: AgentLoop, name: str, tool_input: Mapping[str, Any], tool_use_id: str) -> None:
        self.agent, self.name, self.tool_use_id = agent, str(as_plain(name)), tool_use_id
        self.input: dict[str, Any] = {}
        """What the tool gets, after hooks have rewritten it."""
        self.fault = ""
        """Why the input is not one that hooks could be asked about."""
        try:
            self.input = _as_dictionary(tool_input)
        except Exception as error:  # a model may raise anything
            self.fault = str(error) or type(error).__name__
        self.dialect = agent.session_context.engine.profile.name
        self.tool = agent.session_context.tools.find(self.name, self.input)
        """What the tool is in the client's words; None: hooks see it as it is."""
        self.is_allowed = False
        """A hook has allowed the call."""
        self.must_ask = False
        """A hook wants the user to be asked."""
        self.why_ask = ""
        self.model_texts: list[str] = []
        self.outcomes: list[Outcome] = []

    async def result(self, run: ToolFunction) -> ToolResult:
        """Run all steps of the call; ``run`` is the tool."""
        return await self.before() or await self._run_tool(run)

    async def before(self) -> ToolResult | None:
        """The result of a call that may not run; None: it may, with ``input``. Then :meth:`ran` or :meth:`failed`."""
        if self.agent.turn_ended is not None:
            return self._denied(f"{self.name} was not run, because the turn has ended: {self.agent.turn_ended}")
        if self.fault:
            return self._denied(f"{self.name} was not run, because its input cannot be read: {self.fault}")
        return await self._fire_before() or await self._check_permission()

    # --- before

    async def _fire_before(self) -> ToolResult | None:
        name, tool_input = self._for_hooks()
        before = PreToolUse(tool_name=name, tool_input=tool_input, tool_use_id=self.tool_use_id)
        if refusal := await self._refusal(before):
            return refusal
        for event in events_before(*self._for_hooks(), self.dialect):
            if refusal := await self._refusal(event):
                return refusal
        return None

    async def _refusal(self, event: Payload) -> ToolResult | None:
        """The result of a call that the hooks of this event do not allow; None: they do."""
        outcome = await self._fire(event)
        ending = self.agent.why_turn_ends(outcome)
        match outcome.effect:
            case Effect.BLOCK:
                return self._denied_by(outcome)
            case Effect.STOP if not outcome.tool_runs:
                return self._denied_by(outcome)
            case Effect.DEFER:
                self.agent.end_turn(outcome.reason or f"{self.name} is left for later")
                return self._ended("deferred", reason=outcome.reason)
            case Effect.ASK if ending is not None:  # the turn is over: nothing is left to ask about
                return self._denied(ending)
        self.is_allowed |= outcome.decision is Decision.ALLOW
        if Effect.ASK is outcome.effect or outcome.decision is Decision.ASK:
            self.must_ask = True
            self.why_ask = self.why_ask or outcome.reason
        return None

    # --- permission

    async def _check_permission(self) -> ToolResult | None:
        """The result of a call that needs permission and does not get it; None: it may run."""
        session_context = self.agent.session_context
        if not self.must_ask and (self.is_allowed or not session_context.needs_permission(self._question())):
            return None
        name, tool_input = self._for_hooks()
        outcome = await self._fire(
            PermissionRequest(tool_name=name, tool_input=tool_input, tool_use_id=self.tool_use_id)
        )
        if outcome.effect in (Effect.BLOCK, Effect.STOP):
            return self._denied_by(outcome)
        if outcome.decision is Decision.ALLOW:
            return None
        async with session_context.one_question_at_a_time:
            return await self._ask_host()

    async def _ask_host(self) -> ToolResult | None:
        session_context = self.agent.session_context
        if self.agent.turn_ended is not None:  # by the answer to another question
            return self._denied(f"{self.name} was not run, because the turn has ended: {self.agent.turn_ended}")
        if session_context.ask is None:
            why = f": {self.why_ask}" if self.why_ask else ""
            return self._denied(f"{self.name} was not run: it needs permission, and the host cannot ask for it{why}")
        answer = await call_host(session_context.ask, self._question())
        reply = answer if isinstance(answer, Reply) else Reply(decision=Decision.ALLOW if answer else Decision.DENY)
        reason = reply.stop_reason or reply.reason or f"The user did not allow {self.name}."
        if reply.stop:
            self.agent.end_turn(reason)
        elif reply.decision is Decision.ALLOW or (reply.decision is None and reply.updated_input is not None):
            self._rewrite(reply.updated_input)
            return None
        return self._denied(reason)

    def _question(self) -> ToolQuestion:
        return ToolQuestion(
            name=self.name,
            input=self.input,
            reason=self.why_ask,
            tool_use_id=self.tool_use_id,
            agent_id=self.agent.agent_id,
        )

    # --- the tool, and after

    async def _run_tool(self, run: ToolFunction) -> ToolResult:
        try:
            output = await call_host(run, dict(self.input))
        except asyncio.CancelledError:
            interrupted = self.failed("interrupted", is_interrupt=True)
            if not is_cancelled():  # something that the tool waited for was cancelled, not this call
                return await interrupted
            await finish_even_if_cancelled(interrupted)
            raise
        except (Exception, SystemExit) as error:
            return await self.failed(failure_text(error))
        return await self.ran(output)

    async def ran(self, output: Any) -> ToolResult:
        """Fire what comes after a tool that has run; the result has its output, possibly replaced."""
        name, tool_input = self._for_hooks()
        after = [await self._fire(event) for event in events_after(name, tool_input, output, self.dialect)]
        outcome = await self._fire(
            PostToolUse(
                tool_name=name,
                tool_input=tool_input,
                tool_use_id=self.tool_use_id,
                tool_response=LazyJson.of(as_json_value(output)),
            )
        )
        if outcome.updated_output is not None:
            output = outcome.updated_output
        objections = filter(None, map(_feedback, (*after, outcome)))
        return self._ended("ran", output=output, feedback="\n".join(objections))

    async def failed(self, error: str, *, is_interrupt: bool = False) -> ToolResult:
        """Fire what comes after a tool that has failed."""
        name, tool_input = self._for_hooks()
        outcome = await self._fire(
            PostToolUseFailure(
                tool_name=name,
                tool_input=tool_input,
                tool_use_id=self.tool_use_id,
                error=error,
                is_interrupt=is_interrupt,
            )
        )
        return self._ended("failed", error=error, feedback=_feedback(outcome))

    # --- in every step

    async def _fire(self, event: Payload) -> Outcome:
        """Fire an event of this call; keep its outcome, what it tells the model, and the input it asks for."""
        outcome = await self.agent.fire(event, also_named=self.name if self.tool else "")
        self.outcomes.append(outcome)
        why = outcome.reason if outcome.effect is Effect.ASK else ""  # a question is not for the model
        self.model_texts += [text for text in outcome.to_model if text != why]
        if isinstance(outcome.updated_input, Mapping) and self.tool is not None:
            self.input = self.tool.in_host(self.dialect, outcome.updated_input)
        else:
            self._rewrite(outcome.updated_input)
        return outcome

    def _for_hooks(self) -> tuple[str, dict[str, Any]]:
        """The tool's name and input as hooks see them."""
        if self.tool is None:
            return self.name, self.input
        return self.tool.names_in(self.dialect)[0], self.tool.in_client(self.dialect, self.input)

    def _rewrite(self, updated_input: Any) -> None:
        if isinstance(updated_input, Mapping):
            self.input = dict(updated_input)

    def _denied_by(self, outcome: Outcome) -> ToolResult:
        """Denied by hooks. The model is told so even when the reason is for the user only."""
        if not outcome.reason or outcome.reason not in outcome.to_model:
            self.model_texts.append(f"A hook did not allow {self.name}.")
        return self._ended("denied", reason=outcome.reason)

    def _denied(self, reason: str) -> ToolResult:
        self.model_texts.append(reason)
        return self._ended("denied", reason=reason)

    def _ended(self, status: Literal["ran", "failed", "denied", "deferred"], **details: Any) -> ToolResult:
        return ToolResult(
            status=status,
            name=self.name,
            input=self.input,
            context=tuple(self.model_texts),
            outcomes=tuple(self.outcomes),
            tool_use_id=self.tool_use_id,
            **details,
        )


def failure_text(error: BaseException) -> str:
    """What a tool's exception is to hooks and to the model."""
    return f"{type(error).__name__}: {error}"


def _as_dictionary(tool_input: object) -> dict[str, Any]:
    """The input as a dictionary with the host's own values; a model or a dataclass becomes one of plain data.

    Raises whatever a model raises, and TypeError for what is no dictionary.
    """
    plain = tool_input if isinstance(tool_input, Mapping) else as_plain(tool_input)
    if not isinstance(plain, Mapping):
        raise TypeError(f"it is {type(tool_input).__name__}, not a dictionary")
    return dict(plain)


def _feedback(outcome: Outcome) -> str:
    return outcome.reason if outcome.effect in (Effect.FEEDBACK, Effect.BLOCK) else ""
