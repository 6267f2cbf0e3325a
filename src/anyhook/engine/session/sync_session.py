"""A session for code that is not async: the methods of :class:`~anyhook.engine.session.session.Session`, which wait.

Tools run in the thread of their caller, hooks in the event loop of a thread that the session has. So it may be used
from several threads, and where an event loop runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from anyhook.engine.session.host_calls import is_async
from anyhook.engine.session.loop_thread import LoopThread
from anyhook.engine.session.results import (
    CompactResult,
    PendingContext,
    PromptResult,
    StopResult,
    TaskResult,
    ToolResult,
)
from anyhook.engine.session.tool_call import ToolFunction, failure_text
from anyhook.model.outcome import Outcome
from anyhook.model.payload_base import Payload

if TYPE_CHECKING:
    from anyhook.engine.session.agent_loop import AgentLoop, Subagent
    from anyhook.engine.session.session import Session


class SyncAgentLoop:
    """One agent in its loop: what the main agent and its subagents have in common."""

    def __init__(self, agent: AgentLoop, loop: LoopThread) -> None:
        self._agent, self._loop = agent, loop

    @property
    def agent_id(self) -> str | None:
        return self._agent.agent_id

    @property
    def agent_type(self) -> str | None:
        return self._agent.agent_type

    @property
    def turn_ended(self) -> str | None:
        return self._agent.turn_ended

    def end_turn(self, reason: str) -> None:
        self._agent.end_turn(reason)

    def fire(self, event: Payload, *, also_named: str = "") -> Outcome:
        return self._loop.run(self._agent.fire(event, also_named=also_named))

    def pending_context(self) -> PendingContext:
        return self._agent.pending_context()

    def tool(
        self, name: str, input: Mapping[str, Any], run: ToolFunction, *, tool_use_id: str | None = None
    ) -> ToolResult:
        call = self._agent.tool_call(name, input, tool_use_id=tool_use_id)
        if is_async(run):
            return self._loop.run(call.result(run))
        if refused := self._loop.run(call.before()):
            return refused
        try:
            output = run(dict(call.input))
        except (Exception, SystemExit) as error:
            return self._loop.run(call.failed(failure_text(error)))
        except BaseException:  # Ctrl-C
            self._loop.run(call.failed("interrupted", is_interrupt=True))
            raise
        return self._loop.run(call.ran(output))

    def tool_call(self, name: str, input: Mapping[str, Any], *, tool_use_id: str | None = None) -> SyncToolCall:
        return SyncToolCall(self._agent, self._loop, name, input, tool_use_id)

    def stop(self, last_message: str | None = None) -> StopResult:
        return self._loop.run(self._agent.stop(last_message))

    def subagent(self, agent_type: str, *, task: str | None = None, agent_id: str | None = None) -> SyncSubagent:
        return SyncSubagent(self._agent.subagent(agent_type, task=task, agent_id=agent_id), self._loop)


class SyncToolCall:
    """A call in two steps, for a host that cannot hand over its function."""

    def __init__(
        self, agent: AgentLoop, loop: LoopThread, name: str, input: Mapping[str, Any], tool_use_id: str | None
    ) -> None:
        self._call, self._loop = agent.tool_call(name, input, tool_use_id=tool_use_id), loop

    @property
    def input(self) -> dict[str, Any]:
        return self._call.input

    def before(self) -> ToolResult | None:
        return self._loop.run(self._call.before())

    def ran(self, output: Any) -> ToolResult:
        return self._loop.run(self._call.ran(output))

    def failed(self, error: str, *, is_interrupt: bool = False) -> ToolResult:
        return self._loop.run(self._call.failed(error, is_interrupt=is_interrupt))


class SyncSession(SyncAgentLoop):
    """The main agent, from SessionStart to SessionEnd: ``with engine.session() as session``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, LoopThread())
        self._session = session

    @property
    def session(self) -> Session:
        """The same for code that is async."""
        return self._session

    @property
    def session_id(self) -> str:
        return self._session.session_id

    @property
    def refused(self) -> str | None:
        return self._session.refused

    def __enter__(self) -> SyncSession:
        try:
            self._loop.run(self._session.__aenter__())
        except BaseException:
            self._loop.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.end()
        finally:
            self._loop.close()

    def end(self, reason: str = "other") -> None:
        self._loop.run(self._session.end(reason))

    def clear(self) -> None:
        self._loop.run(self._session.clear())

    def prompt(self, text: str) -> PromptResult:
        return self._loop.run(self._session.prompt(text))

    def compact(
        self, trigger: str, run: Callable[[str], Any], *, custom_instructions: str | None = None
    ) -> CompactResult:
        return self._loop.run(self._session.compact(trigger, run, custom_instructions=custom_instructions))

    def notify(self, message: str, *, type: str, title: str | None = None) -> Outcome:
        return self._loop.run(self._session.notify(message, type=type, title=title))

    def task_completed(
        self,
        task_id: str,
        subject: str,
        *,
        description: str | None = None,
        teammate: str | None = None,
        team: str | None = None,
    ) -> TaskResult:
        return self._loop.run(
            self._session.task_completed(task_id, subject, description=description, teammate=teammate, team=team)
        )

    def teammate_idle(self, teammate: str, team: str) -> StopResult:
        return self._loop.run(self._session.teammate_idle(teammate, team))


class SyncSubagent(SyncAgentLoop):
    """A subagent between SubagentStart and SubagentStop."""

    def __init__(self, subagent: Subagent, loop: LoopThread) -> None:
        super().__init__(subagent, loop)
        self._subagent = subagent

    @property
    def transcript_path(self) -> str:
        return self._subagent.transcript_path

    @transcript_path.setter
    def transcript_path(self, path: str) -> None:
        self._subagent.transcript_path = path

    def __enter__(self) -> SyncSubagent:
        self._loop.run(self._subagent.__aenter__())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.run(self._subagent.__aexit__(kind, error, traceback))
