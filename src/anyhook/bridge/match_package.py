"""Matches the hooks of a package with an event, and replies for it where none of its hooks has to run.

Most events end here, because no hook matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from anyhook.bridge.read_call import Call, unasked_reply
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import bind_payload
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.subjects import matched_text
from anyhook.dialects.translation.translate import hook_payloads, translate_reply
from anyhook.dialects.wire.answers import reply_of
from anyhook.engine.match import may_match
from anyhook.engine.plan import Plan
from anyhook.entries.fail_mode import FailMode
from anyhook.model.cause import CauseKind
from anyhook.model.hooks import Action
from anyhook.model.origin import Origin
from anyhook.model.output import Reply
from anyhook.model.payload_base import Payload
from anyhook.project.asked_packages import HookPackage
from anyhook.trust.seen_files import name_of

WITHHELD = "a hook did not run, because a person has to approve it"
MAX_ASKED = 100
"""How often a package is asked about one event. An entry that asked longer than the client waits would not count."""


class AskedPackage(Struct, frozen=True, kw_only=True):
    """A package of hooks, and what one event means for it.

    It is asked several times if the event is several of its dialect, or about several files.
    """

    package: HookPackage
    hook_payload: Payload | None = None
    """The event as the hooks of the package receive it; None: their dialect has no such event."""
    plan: Plan | None = None
    """The hooks whose matcher matches, and which of them run; None: they were not matched."""
    reply: Reply | None = None
    """What the package replies without running a hook; None: hooks have to run."""


def match_package(call: Call, package: HookPackage) -> tuple[AskedPackage, ...]:
    """What an event means for a package: the plans of its hooks, or its reply where none has to run."""
    withheld = _withheld(call, package)
    replies = [withheld] if withheld else [call.failed(package.refusal)] if package.refusal else []
    failed = tuple(AskedPackage(package=package, reply=reply) for reply in replies)
    if failed and not package.can_be_asked:
        return failed
    payloads = _payloads(call, profile_of(package.hooks.dialect))
    if not payloads:
        return (*failed, AskedPackage(package=package, reply=Reply()))
    asked = tuple(_matched(call, package, payload) for payload in payloads)
    if sum(one.reply is None for one in asked) > MAX_ASKED:
        why = f"hooks are asked about at most {MAX_ASKED} files of one call; call the tool for fewer files at a time"
        return (AskedPackage(package=package, reply=unasked_reply(call, why)),)
    return (*failed, *(one for one in asked if one.reply != Reply())) or asked[:1]


def _payloads(call: Call, source: Profile) -> Sequence[Payload]:
    """The event in the words of the hooks."""
    return hook_payloads(call.client_payload, call.profile, source, profile_of(call.written_for).events)


def _matched(call: Call, package: HookPackage, payload: Payload) -> AskedPackage:
    source = profile_of(package.hooks.dialect)
    plan = package.indexed.rules.plan(payload, matched_text(payload, source))
    reply = None if plan.runs else _silence(call, package, payload)
    return AskedPackage(package=package, hook_payload=payload, plan=plan, reply=reply)


def _silence(call: Call, package: HookPackage, payload: Payload) -> Reply:
    """What it means that no hook runs: in some dialects the user is then asked for permission."""
    source = profile_of(package.hooks.dialect)
    outcome = package.indexed.silence(payload.event, bind_payload(source, payload).native_event)
    return translate_reply(reply_of(outcome), payload, call.client_payload, source, call.profile).reply


def _withheld(call: Call, package: HookPackage) -> Reply | None:
    """The reply in place of hooks that may not run; None: none of them has to do with the event.

    One that was approved and has changed, or is gone, may have been a guard.
    """
    if not package.untrusted and not package.missing:
        return None
    source = profile_of(package.hooks.dialect)
    new = [
        action
        for payload in _payloads(call, source)
        for rule in package.untrusted
        if rule.event == payload.event and may_match(source, rule, matched_text(payload, source))
        for action in rule.actions
    ]
    gone = [
        hook.action
        for indexed in package.indexed_missing
        for payload in _payloads(call, indexed.profile)
        for hook in indexed.rules.plan(payload, matched_text(payload, indexed.profile)).hooks
        if hook.cause is not CauseKind.CONDITION_FALSE
    ]
    if not new and not gone:
        return None
    was_guard = any(not action.is_async for action in gone)
    fail: FailMode = "closed" if was_guard and call.fail == "guard" else call.fail
    return call.failed(package.refusal or _why_withheld(package.root, new, gone), fail)


def _why_withheld(root: Path, new: Sequence[Action], gone: Sequence[Action]) -> str:
    """Which hooks may not run, by file and line: what an untrusted project calls them reaches nobody."""
    places = {action.origin: f" ({action.fate.why})" if action.fate.why else "" for action in new}
    places |= {action.origin: " (changed since it was trusted, or gone)" for action in gone if not new}
    first, *others = (f"{_place(origin, root)}{why}" for origin, why in places.items())
    more = f" and {len(others)} more" if others else ""
    return f"{WITHHELD}: {first}{more}; see: anyhook trust {root}"


def _place(origin: Origin, root: Path) -> str:
    name = name_of(Path(origin.file), root)
    return f"{name}:{origin.line}" if origin.line else name
