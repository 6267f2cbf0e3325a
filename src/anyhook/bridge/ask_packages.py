"""What a client's bridge entry runs: the client's event in, what hooks say to it out, as the client hears it.

The hooks of a package are written once, for one dialect. Here they run under that dialect's rules, whoever asks: the
event is translated for them, and their answer for the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, structs

from anyhook.bridge.continuation_count import count_continuation, forget_continuations
from anyhook.bridge.fail_mode import FailMode, send, unasked
from anyhook.bridge.packages import HookPackage
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import BoundEvent, bind_payload
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.translate import translate_payload, translate_reply
from anyhook.dialects.wire.answers import ProcessAnswer, reply_of
from anyhook.engine.engine import Engine
from anyhook.engine.index import IndexedHooks
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem
from anyhook.trust.decide import guarding_variables

if TYPE_CHECKING:
    from anyhook.engine.functions.function_host import FunctionHost

_STRICTNESS = (Decision.DENY, Decision.BLOCK, Decision.ASK, Decision.DEFER, Decision.ALLOW, None)


class Call(Struct, frozen=True, kw_only=True):
    """One run of the entry: who asks, and about what."""

    client: str
    client_payload: Payload
    problems: tuple[Problem, ...] = ()
    """What is wrong with the payload."""
    home: Path
    environment: Mapping[str, str]
    """Of the process that asks: hooks inherit it."""
    functions: FunctionHost | None = None
    """Who calls functions of Python files in this process; without it each runs in one of its own."""
    fail: FailMode = "open"
    is_process: bool = True
    """False: the client has no process to hear, only the body of an HTTP answer."""


GoesOn = Callable[[asyncio.Task[Any]], None]
"""Told of every hook that has said, once it ran, that nobody needs to wait for it."""


def let_go(_: asyncio.Task[Any]) -> None:
    """For those whom it does not concern what goes on."""


async def answer(call: Call, packages: Sequence[HookPackage], goes_on: GoesOn = let_go) -> ProcessAnswer:
    """Ask the hooks about a client's event. What background hooks do is not waited for: see :func:`run_background`."""
    if unreadable := _unreadable(call):
        return refuse(call, f"anyhook: {unreadable}")
    bound = bind_payload(profile_of(call.client), call.client_payload)
    reply = _joined([await _reply(call, package, bound, goes_on) for package in packages])
    return send(bound, reply, is_process=call.is_process)


async def run_background(call: Call, packages: Sequence[HookPackage]) -> None:
    """Run the background hooks of an event to their end; nobody hears what they say."""
    if _unreadable(call):
        return
    for package in packages:
        hook_payload = translate_payload(
            call.client_payload, profile_of(call.client), profile_of(package.hooks.dialect)
        ).payload
        if hook_payload is not None and not (package.refusal or package.distrust):
            await _engine(call, package, package.in_background).fire(hook_payload)


def has_background(package: HookPackage) -> bool:
    """Whether some hook is to run in the background, under a dialect that has such hooks."""
    return not (package.refusal or package.distrust) and bool(package.in_background.hooks.rules)


def refuse(call: Call, text: str) -> ProcessAnswer:
    """The answer when no hook can be asked."""
    bound = bind_payload(profile_of(call.client), call.client_payload)
    return send(bound, unasked(bound, call.fail, text), is_process=call.is_process)


def _unreadable(call: Call) -> str:
    """Why the payload tells too little to ask anybody about it; empty: it tells enough."""
    is_incomplete = type(call.client_payload) is Payload and (
        call.client_payload.event in PAYLOADS or not call.client_payload.event
    )
    return call.problems[0].text if is_incomplete and call.problems else ""


# -------------------------------------------------------------------------------------------------------- asking hooks


async def _reply(call: Call, package: HookPackage, bound: BoundEvent, goes_on: GoesOn) -> Reply:
    """What the hooks of one package say, in the client's terms."""
    if package.refusal:
        return unasked(bound, call.fail, f"anyhook: {package.refusal}")
    client, source = bound.client, profile_of(package.hooks.dialect)
    hook_payload = translate_payload(call.client_payload, client, source).payload
    if hook_payload is None:
        return Reply()
    if package.distrust:
        is_idle = not Engine(package.indexed).match(hook_payload).hooks
        return Reply() if is_idle else unasked(bound, call.fail, f"anyhook: {package.distrust}")
    engine = _engine(call, package, package.in_foreground)
    outcome = await engine.fire(hook_payload)
    for task in engine.going_on:
        goes_on(task)
    outcome = _cap_continuation(call, package, source, hook_payload, outcome)
    return translate_reply(reply_of(outcome), hook_payload, call.client_payload, source, client).reply


def _engine(call: Call, package: HookPackage, hooks: IndexedHooks) -> Engine:
    environment = {**call.environment, **guarding_variables()}
    return Engine(
        hooks,
        project=package.root,
        home=call.home,
        environment=environment,
        functions=call.functions,
    )


def _cap_continuation(
    call: Call, package: HookPackage, source: Profile, hook_payload: Payload, outcome: Outcome
) -> Outcome:
    """Let an agent stop that hooks have kept going too often in a row; every event is a process of its own here."""
    if hook_payload.event not in BY_NAME or BY_NAME[hook_payload.event].fold is not FoldRule.CONTINUATION:
        return outcome
    key = (call.client, str(package.root), str(hook_payload.session_id), hook_payload.event, str(hook_payload.agent_id))
    if outcome.effect is not Effect.CONTINUE:
        forget_continuations(key)
        return outcome
    times, cap = count_continuation(key), source.stopping.cap
    if cap is None or times <= cap or hook_payload.event in source.stopping.uncapped:
        return outcome
    forget_continuations(key)
    text = f"hooks kept the agent going {cap} times in a row; now it may stop"
    return Outcome(client=outcome.client, event=outcome.event, native_event=outcome.native_event, to_user=(text,))


# ----------------------------------------------------------------------------------------------------------- answering


def _joined(replies: Iterable[Reply]) -> Reply:
    """One reply of several: the strictest decision with its reason, and everything else that is said."""
    first, *others = sorted(replies, key=lambda reply: -1 if reply.stop else _STRICTNESS.index(reply.decision))
    for other in others:
        first = structs.replace(
            first,
            stop_reason=first.stop_reason or other.stop_reason,
            updated_input=other.updated_input if first.updated_input is UNSET else first.updated_input,
            updated_output=other.updated_output if first.updated_output is UNSET else first.updated_output,
            context="\n\n".join(filter(None, (first.context, other.context))) or None,
            message="\n\n".join(filter(None, (first.message, other.message))) or None,
        )
    return first
