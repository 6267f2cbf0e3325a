"""The engine: an event in, an outcome out. Plan, execute, interpret, fold; nothing raises across this boundary."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from anyhook.dialects import profile as profile_of
from anyhook.dialects.profile import Order, Profile
from anyhook.engine.executors import Done, Job, execute
from anyhook.engine.environment import Surroundings
from anyhook.engine.fold import Ended, fold
from anyhook.engine.interpret import interpret
from anyhook.engine.plan import Plan, Planned, Verdict, plan_event
from anyhook.engine.reach import settle
from anyhook.dialects.answering import reply_to
from anyhook.model.hooks import HookSet
from anyhook.model.origin import Origin
from anyhook.model.outcome import Outcome, Run, Skip, Status
from anyhook.model.payload import subject_of
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem, problem
from msgspec import UNSET

CHARACTERS_PER_TOKEN = 4
AT_ONCE = 64
"""How many hooks of one event run at the same time at most."""


class Engine:
    """The hooks of one project under the rules of one client."""

    def __init__(
        self,
        hooks: HookSet,
        profile: Profile | None = None,
        *,
        project: Path | str = ".",
        home: Path | str | None = None,
    ) -> None:
        self.profile = profile or profile_of(hooks.dialect)
        self.hooks = settle(hooks)
        self.surroundings = Surroundings(
            project=Path(project).absolute(),
            home=Path(home).absolute() if home is not None else Path.home(),
            inherited=dict(os.environ),
            scratch=Path(tempfile.gettempdir()),
        )
        self._background: set[asyncio.Task[Done]] = set()
        self._late: list[str] = []

    def plan(self, payload: Payload) -> Plan:
        """What would run, and why the others would not. Nothing is started."""
        subject = subject_of(payload, self.profile.matching.subject(payload.event))
        return plan_event(self.hooks, self.profile, payload.event, subject or "", payload)

    async def fire(self, payload: Payload) -> Outcome:
        """Run the hooks of an event and fold what they answer."""
        plan = self.plan(payload)
        runs = [hook for hook in plan.hooks if hook.verdict is Verdict.RUNS]
        if plan.order is Order.SEQUENTIAL:
            ended, problems = await self._in_sequence(runs, payload)
        else:
            ended, problems = await self._together(runs, payload)
        skipped = [_skip(hook) for hook in plan.hooks if hook.verdict is not Verdict.RUNS]
        native = payload.native_event or payload.event
        outcome = fold(self.profile.face(native), payload.event, native, payload, ended, skipped, problems)
        if self._late:
            late, self._late = self._late, []
            outcome = structs.replace(outcome, to_model=(*late, *outcome.to_model))
        return outcome

    def fire_sync(self, payload: Payload, wait: float = 0) -> Outcome:
        """The same for callers without an event loop. Background hooks get ``wait`` seconds, then they are ended."""

        async def run() -> Outcome:
            outcome = await self.fire(payload)
            await self.close(wait)
            return outcome

        return asyncio.run(run())

    async def close(self, wait: float = 0) -> None:
        """End the background hooks, after giving them this many seconds."""
        if self._background and wait > 0:
            await asyncio.wait(self._background, timeout=wait)
        for task in self._background:
            task.cancel()
        if self._background:
            await asyncio.wait(self._background)

    async def _together(self, hooks: Sequence[Planned], payload: Payload) -> tuple[list[Ended], list[Problem]]:
        gate = asyncio.Semaphore(AT_ONCE)
        finished: list[int] = []
        problems: list[Problem] = []

        async def one(place: int, hook: Planned) -> Ended:
            async with gate:
                ended = await self._run(place, hook, payload, problems)
            finished.append(place)
            return structs.replace(ended, finished=len(finished) - 1)

        return list(await asyncio.gather(*(one(place, hook) for place, hook in enumerate(hooks)))), problems

    async def _in_sequence(self, hooks: Sequence[Planned], payload: Payload) -> tuple[list[Ended], list[Problem]]:
        ended: list[Ended] = []
        problems: list[Problem] = []
        for place, hook in enumerate(hooks):
            last = structs.replace(await self._run(place, hook, payload, problems), finished=place)
            ended.append(last)
            if self._ends_the_sequence(last, payload.event):
                break
            rewritten = last.reply.updated_input
            if self.profile.execution.chains_input and rewritten is not UNSET and hasattr(payload, "tool_input"):
                payload = structs.replace(payload, tool_input=rewritten)
        return ended, problems

    def _ends_the_sequence(self, ended: Ended, event: str) -> bool:
        reply = ended.reply
        if not self.profile.execution.stops_on & {event, "*"}:
            return False
        match self.profile.execution.stops_after:
            case "block":
                return reply.decision is not None and reply.decision.is_refusal
            case "decision":
                return reply.decision is not None and (reply.decision.is_refusal or reply.decision == "ask")
            case "continue false":
                return reply.stop is True
            case _:
                return False

    async def _run(self, place: int, hook: Planned, payload: Payload, problems: list[Problem]) -> Ended:
        face = self.profile.face(hook.rule.native_event)
        limit = face.timeouts.effective_ms(hook.action.timeout_ms, hook.action.kind, payload.event)
        job = Job(face, hook.rule, hook.action, payload)
        timeout = None if limit is None else limit / 1000
        if not face.execution.honours_async or payload.event in face.execution.sync_on:
            done = await execute(job, self.surroundings, timeout)
        else:
            started = await self._start(job, timeout)
            if started is None:
                return Ended(self._background_run(job), place, -1)
            done = started
        problems += [problem("K008", hook.action.origin, text) for text in done.problems]
        cap = getattr(hook.action, "context_limit", None)
        return Ended(self._interpret(job, done), place, -1, None if cap is None else cap * CHARACTERS_PER_TOKEN)

    async def _start(self, job: Job, timeout: float | None) -> Done | None:
        """Carry out a job, or leave it in the background: None."""
        went_async: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(execute(job, self.surroundings, timeout, went_async))
        try:
            if not job.action.is_async:
                await asyncio.wait({task, went_async}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
        except asyncio.CancelledError:
            task.cancel()
            raise
        self._background.add(task)
        task.add_done_callback(lambda done: self._take_late(job, done))
        return None

    def _take_late(self, job: Job, task: asyncio.Task[Done]) -> None:
        """A background hook has ended: its context waits for the next event, its decisions count for nothing."""
        self._background.discard(task)
        if task.cancelled() or task.exception() is not None:
            return
        run = self._interpret(job, task.result())
        if run.reply is not None and run.reply.context:
            self._late.append(run.reply.context)

    def _background_run(self, job: Job) -> Run:
        action = job.action
        return Run(origin=action.origin, name=action.name, summary=action.summary(), reason="runs in the background")

    def _interpret(self, job: Job, done: Done) -> Run:
        run = interpret(job.profile, job.payload.event, job.rule.native_event, job.action, done.raw)
        if done.value is None or run.status is not Status.ALLOWED:
            return run
        reply = reply_to(job.profile, job.payload.event, job.rule.native_event, done.value)
        refuses = reply.decision is not None and reply.decision.is_refusal
        return structs.replace(
            run, reply=reply, reason=reply.reason or "", status=Status.BLOCKED if refuses else Status.ALLOWED
        )


def _skip(hook: Planned) -> Skip:
    action = hook.action
    return Skip(origin=action.origin or Origin(), name=action.name, summary=action.summary(), reason=hook.why)
