"""Hooks that go on after their event: how many at once, for how long, and what they say when they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from msgspec import structs

from anyhook.dialects.profile import Timeouts, Unit
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.model.outcome import Run
from anyhook.model.payload_base import Text

MAX_CONCURRENT = 32
"""How many background hooks run at the same time at most, where the client has no limit of its own."""

Released = asyncio.Future[float | None]
"""Set when a hook announces that it goes on in the background, to the time that it asks for."""


class Background:
    """The background hooks of one engine."""

    def __init__(
        self,
        carry_out: Callable[[Job, float | None, Released], Awaitable[ActionResult]],
        interpret: Callable[[Job, ActionResult], Run],
    ) -> None:
        self._carry_out, self._interpret = carry_out, interpret
        self.tasks: dict[asyncio.Task[ActionResult], Text] = {}
        """With the session that each belongs to."""
        self._working = 0
        """Those that have started and not ended."""
        self._late: dict[Text, list[str]] = {}

    async def start(self, job: Job, timeout: float | None) -> ActionResult | None:
        """Carry out a job, or leave it in the background: None."""
        released: Released = asyncio.get_running_loop().create_future()

        def release(_: object) -> None:
            if not released.done():
                released.set_result(None)

        task = asyncio.create_task(self._carried_out(job, timeout, released))
        task.add_done_callback(release)
        try:
            if not job.action.is_async:
                await released
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task])  # its process must be gone before the caller goes on
            raise
        if task.done():
            return task.result()
        self.tasks[task] = job.payload.session_id
        task.add_done_callback(lambda done: self._take(job, done))
        if released.done() and (limit := _limit(job.profile.timeouts, released.result())) is not None:
            timer = asyncio.get_running_loop().call_later(limit, task.cancel)
            task.add_done_callback(lambda _: timer.cancel())
        return None

    async def _carried_out(self, job: Job, timeout: float | None, released: Released) -> ActionResult:
        """Carry out a job; background jobs wait for each other when there are too many of them."""
        if not job.action.is_async:
            return await self._carry_out(job, timeout, released)
        most = job.profile.execution.max_async or MAX_CONCURRENT
        while self._working >= most:
            await asyncio.sleep(0.01)
        self._working += 1
        try:
            return await self._carry_out(job, timeout, released)
        finally:
            self._working -= 1

    def _take(self, job: Job, task: asyncio.Task[ActionResult]) -> None:
        """A hook has ended: its context waits for the next event, its decisions count for nothing."""
        self.tasks.pop(task, None)
        if task.cancelled() or task.exception() is not None:
            return
        run = self._interpret(job, _without_announcement(task.result()))
        if run.reply is not None and run.reply.context:
            self._late.setdefault(job.payload.session_id, []).append(run.reply.context)

    def take_late_context(self, session_id: Text) -> tuple[str, ...]:
        """What hooks of a session have said to the model since the last call, and forget it."""
        return tuple(self._late.pop(session_id, ())) if self._late else ()

    async def end_session(self, session_id: Text) -> None:
        """End the hooks of one session."""
        await _end([task for task, owner in self.tasks.items() if owner == session_id])
        self._late.pop(session_id, None)

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
    """Seconds that a hook has in the background, by its own answer or the client's default."""
    if asked is not None:
        return asked if timeouts.async_unit is Unit.SECONDS else asked / 1000
    return None if timeouts.async_default_ms is None else timeouts.async_default_ms / 1000


def _without_announcement(done: ActionResult) -> ActionResult:
    """What a background hook printed after the line that sent it there."""
    first, _, rest = done.raw.stdout.partition(b"\n")
    if b'"async"' not in first:
        return done
    return structs.replace(done, raw=structs.replace(done.raw, stdout=rest))
