"""Guards that come with anyhook: called in this process, in a thread, so that none outlasts its time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs

from anyhook.dialects.stages import refusal_on
from anyhook.dialects.wire.answers import encode_reply
from anyhook.engine.environment import HookContext
from anyhook.engine.executors.callback import call_back, result_of
from anyhook.engine.executors.command import run_command
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.executors.threads import call_in_thread
from anyhook.engine.raw import RawResult
from anyhook.guards.call import GuardCall, Shadowed
from anyhook.guards.catalogue import guard_function
from anyhook.model.hooks import Callback, Guard, RuleCommand, only_shadows
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload


async def run_rule_command(
    job: Job,
    action: RuleCommand,
    hook_context: HookContext,
    timeout: float | None,
    went_async: asyncio.Future[float | None] | None,
) -> ActionResult:
    """Run the command of a rule if its conditions hold, or cannot be told: then the command decides."""
    from anyhook.guards.rules import rule_applies  # not for guards

    def is_wanted(event: Payload) -> bool:
        found = rule_applies(_call(action.settings, hook_context, job.profile.name, event))
        return found.applies or bool(found.doubt)

    raw, wanted = await call_back(Callback(function=is_wanted), job.payload, timeout)
    if wanted is not True:
        return _in_shadow(raw, None) if only_shadows(action.settings) else ActionResult(_not_judged(raw))
    if action.settings.get("level") == "shadow":
        return ActionResult(structs.replace(raw, exit_code=0), would="run")
    left = None if timeout is None else max(timeout - raw.duration_ms / 1000, 0.001)
    return await run_command(job, action, hook_context, left, went_async)


async def run_guard(job: Job, action: Guard, hook_context: HookContext, timeout: float | None) -> ActionResult:
    ask = partial(_ask, action, hook_context, job.profile.name)
    raw, reply = await result_of(call_in_thread(ask, job.payload), asyncio.timeout(timeout))
    if isinstance(reply, Shadowed) or (only_shadows(action.settings) and not isinstance(reply, Reply)):
        return _in_shadow(raw, reply)
    if not isinstance(reply, Reply):
        return ActionResult(_not_judged(raw))
    if reply.decision is not None and reply.decision.is_refusal:
        reply = structs.replace(reply, decision=refusal_on(job.payload.event))
    # What a command with the same reply would print, so that a test case works for both.
    return ActionResult(structs.replace(raw, stdout=encode_reply(job.bound, reply).stdout), reply)


def _in_shadow(raw: RawResult, reply: Shadowed | None) -> ActionResult:
    """Nothing is said, also if the guard itself has failed: what it would have done is only recorded."""
    failed = raw.error or ("timed out" if raw.timed_out else "")
    silent = structs.replace(raw, error="", exit_code=0, timed_out=False, not_asked=False, unable=False)
    if reply is None:
        return ActionResult(silent, reason=failed)
    return ActionResult(silent, would=reply.would, reason=reply.reason or "")


def _not_judged(raw: RawResult) -> RawResult:
    """How it ended; an exception in our own code is no judgement: the guard or the rule was not asked."""
    return structs.replace(raw, not_asked=bool(raw.error) and not raw.unable)


def _ask(action: Guard, hook_context: HookContext, dialect: str, event: Payload) -> Reply | None:
    return guard_function(action.guard)(_call(action.settings, hook_context, dialect, event))


def _call(settings: Mapping[str, Any], hook_context: HookContext, dialect: str, event: Payload) -> GuardCall:
    return GuardCall(
        event=event,
        settings=settings,
        project=hook_context.project,
        client=hook_context.client or dialect,
        environment=hook_context.inherited,
        dialect=dialect,
        memory=hook_context.memory,
        post=partial(_post, hook_context.project),
    )


def _post(project: Path, title: str, text: str) -> None:
    from anyhook.engine.functions.post_notice import start_post  # few guards post

    start_post(title, text, project)
