"""What a client's bridge entry runs: the client's event in, what hooks say to it out, as the client hears it.

The hooks of a package are written once, for one dialect. Here they run under that dialect's rules, whoever asks: the
event is translated for them, and their answer for the client.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import UNSET, Struct, structs

from anyhook.deploy.asked_hooks import Side
from anyhook.deploy.fail_mode import FailMode, fallback, send, unasked
from anyhook.deploy.stop_count import count_continuation, forget_continuations
from anyhook.dialects import profile as profile_of
from anyhook.dialects.codec import decode_payload
from anyhook.dialects.profile import Profile
from anyhook.dialects.replying import Sent, reply_of
from anyhook.dialects.translating import translate_payload, translate_reply
from anyhook.engine.engine import Engine
from anyhook.engine.function_host import FunctionHost
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action, HookSet
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision, Reply
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload
from anyhook.sources.trust import guarding_variables

_STRICTNESS = (Decision.DENY, Decision.BLOCK, Decision.ASK, Decision.DEFER, Decision.ALLOW, None)


class Call(Struct, frozen=True, kw_only=True):
    """One run of the entry: who asks, and about what."""

    client: str
    event: str = ""
    """As the client spells it; empty: the payload names it."""
    home: Path
    environment: Mapping[str, str]
    """Of the process that asks: hooks inherit it."""
    functions: FunctionHost | None = None
    """Who calls functions of Python files in this process; without it each runs in one of its own."""
    fail: FailMode = "open"


async def answer(call: Call, sides: Sequence[Side], data: bytes) -> Sent:
    """Ask the hooks about a client's event. What background hooks do is not waited for: see :func:`run_background`."""
    client = profile_of(call.client)
    asked, unreadable = _decode(client, data, call.event)
    if unreadable:
        return send(client, asked, unasked(client, asked.event, call.fail, f"anyhook: {unreadable}"))
    return send(client, asked, _joined([await _reply(call, side, client, asked) for side in sides]))


async def run_background(call: Call, sides: Sequence[Side], data: bytes) -> None:
    """Run the background hooks of an event to their end; nobody hears what they say."""
    client = profile_of(call.client)
    asked, unreadable = _decode(client, data, call.event)
    for side in sides:
        given = translate_payload(asked, client, profile_of(side.hooks.dialect)).payload
        if given is not None and not (unreadable or side.refusal or side.distrust):
            await _engine(call, side, is_async=True).fire(given)


def has_background(side: Side) -> bool:
    """Whether some hook is to run in the background, under a dialect that has such hooks."""
    honours = profile_of(side.hooks.dialect).execution.honours_async
    return honours and not (side.refusal or side.distrust) and bool(_only(side.hooks, is_async=True).rules)


def refuse(call: Call, data: bytes, text: str) -> Sent:
    """The answer when no hook can be asked."""
    return fallback(profile_of(call.client), call.event, call.fail, text, data)


def _decode(client: Profile, data: bytes, event: str) -> tuple[Payload, str]:
    """The payload, and why it tells too little to ask anybody about it."""
    asked, problems = decode_payload(client, data, event)
    is_incomplete = type(asked) is Payload and (asked.event in PAYLOADS or not asked.event)
    return asked, problems[0].text if is_incomplete and problems else ""


# -------------------------------------------------------------------------------------------------------- asking hooks


async def _reply(call: Call, side: Side, client: Profile, asked: Payload) -> Reply:
    """What the hooks of one side say, in the client's terms."""
    if side.refusal:
        return unasked(client, asked.event, call.fail, f"anyhook: {side.refusal}")
    source = profile_of(side.hooks.dialect)
    given = translate_payload(asked, client, source).payload
    if given is None:
        return Reply()
    if side.distrust:
        is_idle = not Engine(side.hooks).match(given).hooks
        return Reply() if is_idle else unasked(client, asked.event, call.fail, f"anyhook: {side.distrust}")
    outcome = await _engine(call, side, is_async=False).fire(given)
    outcome = _cap_continuation(call, side, source, given, outcome)
    reply = translate_reply(reply_of(outcome), given, asked, source, client).reply
    if reply.updated_input is not UNSET and "input" in send(client, asked, reply).lost:
        text = f"a hook gave the tool another input, but {client.title} does not let hooks do that"
        return _joined((reply, Reply(message=text)))
    return reply


def _engine(call: Call, side: Side, *, is_async: bool) -> Engine:
    environment = {**call.environment, **guarding_variables()}
    return Engine(
        _only(side.hooks, is_async=is_async),
        project=side.root,
        home=call.home,
        environment=environment,
        functions=call.functions,
    )


def _only(hooks: HookSet, *, is_async: bool) -> HookSet:
    """The hook set with its background hooks alone, or without them; they are then hooks like all others."""

    def is_wanted(action: Action) -> bool:
        return action.is_async is is_async or not profile_of(hooks.dialect).execution.honours_async

    rules = [
        structs.replace(rule, actions=tuple(_in_foreground(action) for action in rule.actions if is_wanted(action)))
        for rule in hooks.rules
    ]
    return structs.replace(hooks, rules=tuple(rule for rule in rules if rule.actions))


def _in_foreground(action: Action) -> Action:
    return structs.replace(action, is_async=False) if action.is_async else action


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
