"""What a client's bridge entry runs: the client's event in, what a package's hooks say to it out, as the client hears it.

The hooks of a package are written once, for one dialect. Here they run under that dialect's rules, whoever asks: the
event is translated for them, and their answer for the client.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct, structs

from anyhook.deploy.stop_count import count_continuation, forget_continuations
from anyhook.dialects import profile as profile_of
from anyhook.dialects.codec import decode_payload
from anyhook.dialects.profile import Profile
from anyhook.dialects.replying import Sent, encode_reply, reply_of
from anyhook.dialects.translating import translate_payload, translate_reply
from anyhook.engine.engine import Engine
from anyhook.model.events import BY_NAME, FoldRule
from anyhook.model.hooks import Action, HookSet
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision, Reply
from anyhook.model.payload_base import Payload

FailMode = Literal["open", "closed"]


class Call(Struct, frozen=True, kw_only=True):
    """One run of the entry: who asks, about what, and whose hooks answer."""

    client: str
    event: str = ""
    """As the client spells it; empty: the payload names it."""
    package: Path
    """The folder that the hooks belong to."""
    home: Path
    fail: FailMode = "open"
    """What becomes of the thing that the event is about when the hooks cannot be asked."""


def answer(call: Call, hooks: HookSet, data: bytes) -> Sent:
    """Ask the hooks about a client's event. What background hooks do is not waited for: see :func:`run_background`."""
    client = profile_of(call.client)
    asked, _ = decode_payload(client, data, call.event)
    source = profile_of(hooks.dialect)
    given = translate_payload(asked, client, source).payload
    if given is None:
        return Sent()
    outcome = _engine(call, _only(hooks, is_async=False)).fire_sync(given)
    outcome = _cap_continuation(call, source, given, outcome)
    reply = translate_reply(reply_of(outcome), given, asked, source, client).reply
    return encode_reply(client, asked.event, asked.native_event, reply)


def run_background(call: Call, hooks: HookSet, data: bytes) -> None:
    """Run the background hooks of an event to their end; nobody hears what they say."""
    client = profile_of(call.client)
    asked, _ = decode_payload(client, data, call.event)
    given = translate_payload(asked, client, profile_of(hooks.dialect)).payload
    if given is not None:
        _engine(call, _only(hooks, is_async=True)).fire_sync(given)


def has_background(hooks: HookSet) -> bool:
    """Whether some hook is to run in the background, under a dialect that has such hooks."""
    return profile_of(hooks.dialect).execution.honours_async and bool(_only(hooks, is_async=True).rules)


def refuse(call: Call, data: bytes, text: str) -> Sent:
    """The answer when the hooks cannot be asked: the thing goes ahead and the user is told, or it does not."""
    client = profile_of(call.client)
    asked, _ = decode_payload(client, data, call.event)
    return _unasked(client, asked, call.fail, text)


def fallback(client: Profile, native_event: str, fail: FailMode, text: str) -> Sent:
    """The same for whoever has no payload yet."""
    asked, _ = decode_payload(client, b"{}", native_event)
    return _unasked(client, asked, fail, text)


def _unasked(client: Profile, asked: Payload, fail: FailMode, text: str) -> Sent:
    known = BY_NAME.get(asked.event)
    # Not on Stop: an agent that is kept going because of a missing program would never end.
    can_close = known is not None and known.fold in (FoldRule.DECISION, FoldRule.GATE) and client.blocks(asked.event)
    if fail == "closed" and can_close:
        return encode_reply(client, asked.event, asked.native_event, Reply(decision=Decision.DENY, reason=text))
    sent = encode_reply(client, asked.event, asked.native_event, Reply(message=text))
    return structs.replace(sent, stderr=sent.stderr or text.encode()) if "message" in sent.lost else sent


def _engine(call: Call, hooks: HookSet) -> Engine:
    return Engine(hooks, project=call.package, home=call.home)


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


def _cap_continuation(call: Call, source: Profile, given: Payload, outcome: Outcome) -> Outcome:
    """Let an agent stop that hooks have kept going too often in a row; every event is a process of its own here."""
    if given.event not in BY_NAME or BY_NAME[given.event].fold is not FoldRule.CONTINUATION:
        return outcome
    key = (call.client, str(call.package), str(given.session_id), given.event, str(given.agent_id))
    if outcome.effect is not Effect.CONTINUE:
        forget_continuations(key)
        return outcome
    times, cap = count_continuation(key), source.stopping.cap
    if cap is None or times <= cap or given.event in source.stopping.uncapped:
        return outcome
    forget_continuations(key)
    return Outcome(client=outcome.client, event=outcome.event, native_event=outcome.native_event)
