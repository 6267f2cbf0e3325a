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

from anyhook.deploy.asked_hooks import Side
from anyhook.deploy.fail_mode import FailMode, send, unasked
from anyhook.deploy.stop_count import count_continuation, forget_continuations
from anyhook.dialects import profile as profile_of
from anyhook.dialects.profile import Profile
from anyhook.dialects.replying import Sent, reply_of
from anyhook.dialects.translating import translate_payload, translate_reply
from anyhook.engine.engine import Engine
from anyhook.engine.index import IndexedHooks
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem
from anyhook.sources.trust import guarding_variables

if TYPE_CHECKING:
    from anyhook.engine.function_host import FunctionHost

_STRICTNESS = (Decision.DENY, Decision.BLOCK, Decision.ASK, Decision.DEFER, Decision.ALLOW, None)


class Call(Struct, frozen=True, kw_only=True):
    """One run of the entry: who asks, and about what."""

    client: str
    asked: Payload
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


async def answer(call: Call, sides: Sequence[Side], goes_on: GoesOn = let_go) -> Sent:
    """Ask the hooks about a client's event. What background hooks do is not waited for: see :func:`run_background`."""
    if unreadable := _unreadable(call):
        return refuse(call, f"anyhook: {unreadable}")
    client = profile_of(call.client)
    reply = _joined([await _reply(call, side, client, call.asked, goes_on) for side in sides])
    return send(client, call.asked, reply, is_process=call.is_process)


async def run_background(call: Call, sides: Sequence[Side]) -> None:
    """Run the background hooks of an event to their end; nobody hears what they say."""
    if _unreadable(call):
        return
    for side in sides:
        given = translate_payload(call.asked, profile_of(call.client), profile_of(side.hooks.dialect)).payload
        if given is not None and not (side.refusal or side.distrust):
            await _engine(call, side, side.in_background).fire(given)


def has_background(side: Side) -> bool:
    """Whether some hook is to run in the background, under a dialect that has such hooks."""
    return not (side.refusal or side.distrust) and bool(side.in_background.hooks.rules)


def refuse(call: Call, text: str) -> Sent:
    """The answer when no hook can be asked."""
    client = profile_of(call.client)
    reply = unasked(client, call.asked.event, call.fail, text)
    return send(client, call.asked, reply, is_process=call.is_process)


def _unreadable(call: Call) -> str:
    """Why the payload tells too little to ask anybody about it; empty: it tells enough."""
    is_incomplete = type(call.asked) is Payload and (call.asked.event in PAYLOADS or not call.asked.event)
    return call.problems[0].text if is_incomplete and call.problems else ""


# -------------------------------------------------------------------------------------------------------- asking hooks


async def _reply(call: Call, side: Side, client: Profile, asked: Payload, goes_on: GoesOn) -> Reply:
    """What the hooks of one side say, in the client's terms."""
    if side.refusal:
        return unasked(client, asked.event, call.fail, f"anyhook: {side.refusal}")
    source = profile_of(side.hooks.dialect)
    given = translate_payload(asked, client, source).payload
    if given is None:
        return Reply()
    if side.distrust:
        is_idle = not Engine(side.indexed).match(given).hooks
        return Reply() if is_idle else unasked(client, asked.event, call.fail, f"anyhook: {side.distrust}")
    engine = _engine(call, side, side.in_foreground)
    outcome = await engine.fire(given)
    for task in engine.going_on:
        goes_on(task)
    outcome = _cap_continuation(call, side, source, given, outcome)
    reply = translate_reply(reply_of(outcome), given, asked, source, client).reply
    if reply.updated_input is not UNSET and "input" in send(client, asked, reply).lost:
        text = f"a hook gave the tool another input, but {client.title} does not let hooks do that"
        return _joined((reply, Reply(message=text)))
    return reply


def _engine(call: Call, side: Side, hooks: IndexedHooks) -> Engine:
    environment = {**call.environment, **guarding_variables()}
    return Engine(
        hooks,
        project=side.root,
        home=call.home,
        environment=environment,
        functions=call.functions,
    )


def _cap_continuation(call: Call, side: Side, source: Profile, given: Payload, outcome: Outcome) -> Outcome:
    """Let an agent stop that hooks have kept going too often in a row; every event is a process of its own here."""
    if given.event not in BY_NAME or BY_NAME[given.event].fold is not FoldRule.CONTINUATION:
        return outcome
    key = (call.client, str(side.root), str(given.session_id), given.event, str(given.agent_id))
    if outcome.effect is not Effect.CONTINUE:
        forget_continuations(key)
        return outcome
    times, cap = count_continuation(key), source.stopping.cap
    if cap is None or times <= cap or given.event in source.stopping.uncapped:
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
