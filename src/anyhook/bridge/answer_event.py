"""Answers an event by running its hooks. ``anyhook exec`` and the daemon both call this, so they answer alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from anyhook.bridge.journal_event import Observed
from anyhook.bridge.match_package import AskedPackage
from anyhook.bridge.prepare_event import Prepared, answer_without_hooks
from anyhook.bridge.read_call import Call, answer_with, unasked_reply
from anyhook.bridge.stored_state import StoredCount, StoredMemory
from anyhook.bridge.trial import tell_trial
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.translation.translate import translate_reply
from anyhook.dialects.wire.answers import ProcessAnswer, reply_of
from anyhook.engine.background import may_continue
from anyhook.engine.engine import Engine
from anyhook.engine.plan import PlannedHook
from anyhook.model.hooks import Python
from anyhook.model.outcome import Outcome
from anyhook.model.output import Reply
from anyhook.model.problems import AnyhookError, describe_bug
from anyhook.trust.decide import guarding_variables

if TYPE_CHECKING:
    from anyhook.engine.functions.function_host import FunctionHost

KeepTask = Callable[[asyncio.Task[Any]], None]
"""Called with the task of every hook that still runs when the event is answered. Who is called keeps the process alive
until the task has ended, or cancels it."""

_ASKED_AT_ONCE = 8


async def answer(
    prepared: Prepared, functions: FunctionHost | None, keep: KeepTask, seen: Observed | None = None
) -> ProcessAnswer:
    """Run the hooks of an event and answer it; ``seen`` gets every outcome. Raises nothing but CancelledError.

    ``functions`` calls hooks that are Python functions in this process; None: each runs in a process of its own. When
    this is cancelled, the hooks that the answer waits for are ended; those in the background are given to ``keep``.
    """
    call, seen = prepared.call, seen or Observed()
    answered = answer_without_hooks(prepared)
    if answered is None:
        try:
            answered = answer_with(call, await _replies(prepared, functions, keep, seen))
        except Exception as error:
            seen.refusal = str(error) if isinstance(error, AnyhookError) else describe_bug(error)
            answered = answer_with(call, [unasked_reply(call, seen.refusal)])
    tell_trial(prepared, seen, answered)
    return answered


async def _replies(prepared: Prepared, functions: FunctionHost | None, keep: KeepTask, seen: Observed) -> list[Reply]:
    """What all packages reply, one after the other.

    Only about the files of one call a package is asked at once: it must be answered while its client waits.
    """
    limit = asyncio.Semaphore(_ASKED_AT_ONCE)

    async def reply_of_one(asked: AskedPackage) -> Reply:
        if asked.reply is not None:
            return asked.reply
        async with limit:
            try:
                return await _run_hooks(prepared.call, asked, functions, keep, seen)
            except Exception as error:  # the other packages are asked all the same
                seen.refusal = str(error) if isinstance(error, AnyhookError) else describe_bug(error)
                return unasked_reply(prepared.call, seen.refusal)

    together: dict[tuple[int, str], list[AskedPackage]] = {}
    for asked in prepared.packages:
        event = asked.hook_payload.event if asked.hook_payload else ""
        together.setdefault((id(asked.package), event), []).append(asked)
    replies: list[Reply] = []
    for group in together.values():
        if len(group) == 1:  # nearly always; a task of its own would cost every client several turns of the loop
            replies.append(await reply_of_one(group[0]))
            continue
        for found in await asyncio.gather(*map(reply_of_one, group), return_exceptions=True):
            if isinstance(found, BaseException):
                raise found
            replies.append(found)
    return replies


async def _run_hooks(
    call: Call, asked: AskedPackage, functions: FunctionHost | None, keep: KeepTask, seen: Observed
) -> Reply:
    """What the hooks of one package reply, translated into the client's dialect."""
    assert asked.hook_payload is not None
    assert asked.plan is not None
    package = asked.package
    engine = Engine(
        package.indexed,
        project=package.root,
        home=call.caller.home,
        environment={**call.caller.environment, **guarding_variables()},
        functions=functions,
        continuations=StoredCount(call.client, package.root),
        client=call.client,
        memory=StoredMemory(call.client, package.root),
        unasked="allow" if call.fail == "open" else "block",
        open_files=call.caller.open_files,
    )
    try:
        outcome = await engine.run_plan(asked.plan, asked.hook_payload)
    finally:
        for task in engine.background_tasks:
            keep(task)
    seen.add(outcome)
    return reply_for_client(call, asked, outcome)


def reply_for_client(call: Call, asked: AskedPackage, outcome: Outcome) -> Reply:
    """What the hooks of one package decided, in the terms of the client that asked."""
    assert asked.hook_payload is not None
    source, client = profile_of(asked.package.hooks.dialect), profile_of(call.client)
    return translate_reply(reply_of(outcome), asked.hook_payload, call.client_payload, source, client).reply


def may_outlive_answer(prepared: Prepared) -> bool:
    """Whether a hook of the event may still run when it is answered."""
    return any(
        may_continue(
            bind_rule(profile_of(asked.package.hooks.dialect), hook.rule).profile.execution,
            hook.action,
            hook.rule.event,
        )
        for asked, hook in _hooks_to_run(prepared)
    )


def calls_functions(prepared: Prepared) -> bool:
    """Whether a hook of the event is a Python function."""
    return any(isinstance(hook.action, Python) for _, hook in _hooks_to_run(prepared))


def _hooks_to_run(prepared: Prepared) -> Iterator[tuple[AskedPackage, PlannedHook]]:
    for asked in prepared.packages:
        if asked.reply is None:
            yield from ((asked, hook) for hook in (asked.plan.runs if asked.plan else ()))
