"""Hooks that continue after their event is answered: how many at once, for how long, and what they say at the end.

Such a hook is declared ``async``, prints ``{"async": true}`` as its first line, or is a generator that yields it. It
runs in the process that answers the event. That must live until :attr:`Background.tasks` is empty, or end the hooks
with :meth:`Background.end`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from msgspec import structs

from anyhook.dialects.profile import Execution, Timeouts, Unit
from anyhook.dialects.stages import Weighed
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.failure_log import log_failure
from anyhook.engine.fold import weighed
from anyhook.model.hooks import Action, Callback, Command
from anyhook.model.outcome import Run
from anyhook.model.payload_base import Text

MAX_CONCURRENT = 32
"""Background hooks that run at the same time, where the client has no limit of its own."""

Announced = asyncio.Future[float | None]
"""Set when a hook announces that it continues in the background, to the time limit that it asks for."""


def may_continue(execution: Execution, action: Action, event: str) -> bool:
    """Whether an action may still run after the answer: it is declared async, or may announce it."""
    if not execution.honours_async or event in execution.sync_on:
        return False
    return action.is_async or isinstance(action, Command) or _is_generator(action)


def _is_generator(action: Action) -> bool:
    if not isinstance(action, Callback):
        return False
    from anyhook.engine.executors.generator import is_generator  # only hosts have callbacks

    return is_generator(action.function)


class Background:
    """The background hooks of one engine."""

    def __init__(
        self,
        carry_out: Callable[[Job, float | None, Announced], Awaitable[ActionResult]],
        interpret: Callable[[Job, ActionResult], Run],
    ) -> None:
        self._carry_out, self._interpret = carry_out, interpret
        self.tasks: dict[asyncio.Task[ActionResult], Text] = {}
        """Running hooks, each with its session."""
        self._working = 0
        """Declared async hooks that have started and not ended."""
        self._late: dict[Text, list[str]] = {}
        self._late_messages: dict[Text, list[str]] = {}

    async def start(self, job: Job, timeout: float | None) -> ActionResult | None:
        """Run a job; None: it continues in the background."""
        announced: Announced = asyncio.get_running_loop().create_future()

        def stop_waiting(_: object) -> None:
            if not announced.done():
                announced.set_result(None)

        task = asyncio.create_task(self._run(job, timeout, announced))
        task.add_done_callback(stop_waiting)
        try:
            if not job.action.is_async:
                await announced
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task])  # its process must have ended before the caller continues
            raise
        if task.done():
            return task.result()
        self.tasks[task] = job.payload.session_id
        task.add_done_callback(lambda done: self._take(job, done))
        if announced.done() and (limit := _limit(job.profile.timeouts, announced.result())) is not None:
            timer = asyncio.get_running_loop().call_later(limit, task.cancel)
            task.add_done_callback(lambda _: timer.cancel())
        return None

    async def _run(self, job: Job, timeout: float | None, announced: Announced) -> ActionResult:
        """Run a job; a declared async one waits while the client's maximum of them runs."""
        if not job.action.is_async:
            return await self._carry_out(job, timeout, announced)
        most = job.profile.execution.max_async or MAX_CONCURRENT
        while self._working >= most:
            await asyncio.sleep(0.01)
        self._working += 1
        try:
            return await self._carry_out(job, timeout, announced)
        finally:
            self._working -= 1

    def _take(self, job: Job, task: asyncio.Task[ActionResult]) -> None:
        """A hook has ended: keep its context for the next event and ignore its decisions."""
        self.tasks.pop(task, None)
        if task.cancelled() or task.exception() is not None:
            return
        run = self._interpret(job, _without_announcement(task.result()))
        log_failure(job.payload.event, run)
        if run.reply is None:
            return
        session = job.payload.session_id
        reply = weighed(Weighed(job.bound, job.payload, run.reply, context_cap=0))
        if reply.context:
            self._late.setdefault(session, []).append(reply.context)
        if reply.message:
            self._late_messages.setdefault(session, []).append(reply.message)

    def take_late_context(self, session_id: Text) -> tuple[str, ...]:
        """Return and forget what hooks of a session have said to the model since the last call."""
        return tuple(self._late.pop(session_id, ())) if self._late else ()

    def take_late_messages(self, session_id: Text) -> tuple[str, ...]:
        """Return and forget what hooks of a session have said to the user since the last call."""
        return tuple(self._late_messages.pop(session_id, ())) if self._late_messages else ()

    async def end_session(self, session_id: Text) -> None:
        """End the hooks of one session."""
        await _end([task for task, owner in self.tasks.items() if owner == session_id])
        self._late.pop(session_id, None)
        self._late_messages.pop(session_id, None)

    async def end(self, wait: float) -> None:
        """End all hooks, after giving them this many seconds."""
        if self.tasks and wait > 0:
            await asyncio.wait(self.tasks, timeout=wait)
        await _end(list(self.tasks))


async def _end(tasks: Sequence[asyncio.Task[ActionResult]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _limit(timeouts: Timeouts, asked: float | None) -> float | None:
    """Seconds that a hook may continue: what its announcement asks for, else the client's default."""
    if asked is not None:
        return asked if timeouts.async_unit is Unit.SECONDS else asked / 1000
    return None if timeouts.async_default_ms is None else timeouts.async_default_ms / 1000


def _without_announcement(done: ActionResult) -> ActionResult:
    """The result without the first line, if that line announced that the hook continues."""
    first, _, rest = done.raw.stdout.partition(b"\n")
    if b'"async"' not in first:
        return done
    return structs.replace(done, raw=structs.replace(done.raw, stdout=rest))
