"""Guards that come with anyhook: called in this process, in a thread, so that none outlasts its time limit."""

from __future__ import annotations

from functools import partial

from msgspec import structs

from anyhook.dialects.wire.answers import encode_reply
from anyhook.engine.environment import HookContext
from anyhook.engine.executors.callback import call_back
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.engine.interpret import refusal_on
from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import guard_function
from anyhook.model.hooks import Callback, Guard
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload


async def run_guard(job: Job, action: Guard, hook_context: HookContext, timeout: float | None) -> ActionResult:
    called = Callback(function=partial(_ask, action, hook_context, job.profile.name))
    raw, reply = await call_back(called, job.payload, timeout)
    if not isinstance(reply, Reply):
        return ActionResult(raw)
    if reply.decision is not None and reply.decision.is_refusal:
        reply = structs.replace(reply, decision=refusal_on(job.payload.event))
    # What a command with the same reply would print, so that a test case works for both.
    return ActionResult(structs.replace(raw, stdout=encode_reply(job.bound, reply).stdout), reply)


def _ask(action: Guard, hook_context: HookContext, dialect: str, event: Payload) -> Reply | None:
    call = GuardCall(
        event=event,
        settings=action.settings,
        project=hook_context.project,
        client=hook_context.client or dialect,
        environment=hook_context.inherited,
        dialect=dialect,
        memory=hook_context.memory,
        post=_post,
    )
    return guard_function(action.guard)(call)


def _post(title: str, text: str) -> None:
    from anyhook.engine.functions.post_notice import start_post  # few guards post

    start_post(title, text)
