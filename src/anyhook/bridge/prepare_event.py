"""Does everything for one event of a deployed entry that needs no hook to run, and answers where that is enough.

The hooks of a package are written once, in one dialect. Here a client's event is decoded, the packages to ask are
found and checked, and the event is translated into their dialects. Most events end here, because no hook matches: so
nothing in this module imports asyncio or subprocess, which take longer to import than all of this takes to run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct, structs

from anyhook.bridge.client_answer import FailMode, fail_mode, fail_reply, join_replies, write_answer
from anyhook.bridge.exec_options import Options
from anyhook.bridge.packages import HookPackage, find_packages
from anyhook.bridge.recognise_caller import recognise_caller
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import BoundEvent, bind_payload
from anyhook.dialects.events import find_event, unknown_event_text
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.subjects import matched_text
from anyhook.dialects.translation.translate import hook_payloads, translate_reply
from anyhook.dialects.wire.answers import ProcessAnswer, reply_of
from anyhook.dialects.wire.payloads import decode_payload, read_members
from anyhook.engine.match import may_match
from anyhook.engine.plan import PlannedHook, PlanStatus
from anyhook.model.cause import CauseKind
from anyhook.model.hooks import FateState, HookSet
from anyhook.model.output import Reply
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload
from anyhook.model.problems import AnyhookError, Problem, UsageError, describe_bug
from anyhook.sources import disk
from anyhook.sources.discover import Roots, roots_for
from anyhook.trust.records import read_record

MAX_ASKED = 100
"""How often a package is asked about one event. An entry that asked longer than the client waits would not count."""


class NotCachedError(Exception):
    """Raised by a :class:`FindPackages` that only looks into a cache."""


class FindPackages(Protocol):
    """Finds the packages to ask, as :func:`find_packages` does; may raise NotCachedError."""

    def __call__(
        self, roots: Roots, *, package: Path | None, dialect: str | None, started_in: Path
    ) -> tuple[HookPackage, ...]: ...


class Caller(Struct, frozen=True, kw_only=True):
    """The process that a client started for an event: this one in ``anyhook exec``, another one in the daemon.

    Hooks run as if that process had started them: in its folder and with its environment.
    """

    cwd: Path | None
    """None: not known (an HTTP request); then the folder of the session, which is in the payload."""
    home: Path
    environment: Mapping[str, str]
    is_process: bool = True
    """False: the client reads only the body of an HTTP response, neither exit status nor stderr."""


class Call(Struct, frozen=True, kw_only=True):
    """One event of a client: who asks, the decoded payload, and what happens if no hook can run."""

    client: str
    """The client that asks, such as "codex", also from an entry in another's file; it is answered in its format."""
    client_payload: Payload
    """The event as the client sent it, before it is translated into the hooks' dialect."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with the payload."""
    caller: Caller
    fail: FailMode = "guard"


class AskedPackage(Struct, frozen=True, kw_only=True):
    """A package of hooks, and what one event means for it.

    It is asked several times if the event is several of its dialect, or about several files.
    """

    package: HookPackage
    hook_payload: Payload | None = None
    """The event as the hooks of the package receive it; None: their dialect has no such event."""
    hooks: tuple[PlannedHook, ...] = ()
    """The hooks whose matcher matches."""
    reply: Reply | None = None
    """What the package replies without running a hook; None: hooks have to run."""


class Prepared(Struct, frozen=True, kw_only=True):
    """An event whose packages are found, checked for trust and matched; no hook has run yet."""

    call: Call
    packages: tuple[AskedPackage, ...] = ()
    refusal: str = ""
    """Why no package can be asked; empty: they can."""


def prepare(options: Options, caller: Caller, stdin: bytes, find: FindPackages = find_packages) -> Prepared:
    """Read an event and find the hooks for it.

    Raises nothing but the NotCachedError of ``find``, and UsageError if the entry names an event that no client has and
    the payload names none.
    """
    written_for = profile_of(options["--client"])
    members = read_members(stdin)
    client = recognise_caller(written_for, members or {}, caller.environment, is_process=caller.is_process)
    unknown = _unknown_event(options, written_for)
    client_payload, problems = decode_payload(client, members, "" if unknown else options.get("--event", ""))
    call = Call(
        client=client.name,
        client_payload=client_payload,
        problems=problems,
        caller=caller,
        fail=fail_mode(options.get("--fail")),
    )
    if unknown and not client_payload.native_event:
        raise UsageError(unknown)
    if unknown and client_payload.native_event != options["--event"]:  # else the client is newer than anyhook
        return Prepared(call=_as_guarded(call), refusal=unknown)
    try:
        if client is not written_for and _is_left_to_another(call, written_for):
            return Prepared(call=call)
        packages = _find(options, call, find)
        if refusal := _unreadable(call):
            return Prepared(call=call, refusal=refusal)
        asked = tuple(asked for package in packages for asked in _ask_about(call, client, package, written_for))
        return Prepared(call=call, packages=asked)
    except NotCachedError:
        raise
    except AnyhookError as error:
        return Prepared(call=call, refusal=str(error))
    except Exception as error:
        return Prepared(call=_as_guarded(call), refusal=describe_bug(error))


def answer_without_hooks(prepared: Prepared) -> ProcessAnswer | None:
    """The answer to an event for which no hook has to run; None: hooks have to run."""
    if prepared.refusal:
        return refuse(prepared.call, prepared.refusal)
    replies = [package.reply for package in prepared.packages if package.reply is not None]
    if not prepared.packages:  # another entry answers
        return answer_with(prepared.call, [Reply()])
    return answer_with(prepared.call, replies) if len(replies) == len(prepared.packages) else None


def answer_with(call: Call, replies: list[Reply]) -> ProcessAnswer:
    """The replies of all packages as one answer to the client."""
    return write_answer(_bound(call), join_replies(replies), is_process=call.caller.is_process)


def refuse(call: Call, why: str) -> ProcessAnswer:
    """The answer when no hook can run."""
    return answer_with(call, [_fail(call, why)])


# ------------------------------------------------------------------------------------------------- the packages to ask


def _unknown_event(options: Options, written_for: Profile) -> str:
    """That the entry names an event that no client has; empty: some client has it, or the entry names none."""
    name = options.get("--event", "")
    return "" if not name or find_event(name, written_for.name) else f"--event: {unknown_event_text(name)}"


def _as_guarded(call: Call) -> Call:
    """The call, which fails closed if hooks were trusted here: they may be guards, and were not asked."""
    if call.fail != "guard":
        return call
    try:
        roots = _roots(call)
        is_guarded = any(
            (record := read_record(structs.replace(roots, project=folder))) is not None and not record.is_revoked
            for folder in (roots.project, *roots.project.parents)
        )
    except Exception:  # whether hooks were trusted cannot be found out
        is_guarded = True
    return structs.replace(call, fail="closed") if is_guarded else call


def _folder(call: Call) -> Path:
    session = call.client_payload.cwd
    return call.caller.cwd or Path(session if isinstance(session, str) else "/")


def _roots(call: Call) -> Roots:
    caller = call.caller
    project = caller.environment.get(profile_of(call.client).execution.project_variable) or "."
    return roots_for(_folder(call) / project, caller.home, caller.environment)


def _is_left_to_another(call: Call, written_for: Profile) -> bool:
    """Whether the client that calls an entry of another one has an entry of its own, which answers this event."""
    from anyhook.bridge.entries.one_entry import is_left_to_another
    from anyhook.sources.inventory import hooks_for_project

    try:
        hooks = hooks_for_project(call.client, _roots(call))
    except Exception:  # a file of the project cannot keep this entry from answering
        return False
    return is_left_to_another(hooks, call.client_payload.event, written_for.name)


def _find(options: Options, call: Call, find: FindPackages) -> tuple[HookPackage, ...]:
    session, cwd = call.client_payload.cwd, _folder(call)
    package = cwd / options["--package"] if "--package" in options else None
    # Some clients start hooks in the folder of the session: relative paths in commands are found from there.
    started_in = Path(session) if isinstance(session, str) and disk.is_dir(Path(session)) else cwd
    return find(_roots(call), package=package, dialect=options.get("--from"), started_in=started_in)


def _unreadable(call: Call) -> str:
    """Why the payload is too incomplete to run hooks for it; empty: it is not."""
    payload = call.client_payload
    is_incomplete = type(payload) is Payload and (payload.event in PAYLOADS or not payload.event)
    return call.problems[0].text if is_incomplete and call.problems else ""


def _ask_about(call: Call, client: Profile, package: HookPackage, written_for: Profile) -> tuple[AskedPackage, ...]:
    """Match the hooks of a package, and reply for it where none of them has to run."""
    failed = (AskedPackage(package=package, reply=_fail(call, package.refusal)),) if package.refusal else ()
    if failed and not package.can_be_asked:
        return failed
    payloads = hook_payloads(call.client_payload, client, profile_of(package.hooks.dialect), written_for.events)
    if package.distrust:
        return (AskedPackage(package=package, reply=_distrusted(call, client, package, payloads, written_for)),)
    if not payloads:
        return (*failed, AskedPackage(package=package, reply=Reply()))
    asked = tuple(_matched(call, client, package, payload) for payload in payloads)
    if sum(one.reply is None for one in asked) > MAX_ASKED:
        why = f"hooks are asked about at most {MAX_ASKED} files of one call; call the tool for fewer files at a time"
        reply = _fail(call, why, fail="closed" if call.fail == "guard" else call.fail)
        return (AskedPackage(package=package, reply=reply),)
    return (*failed, *(one for one in asked if one.reply != Reply())) or asked[:1]


def _matched(call: Call, client: Profile, package: HookPackage, payload: Payload) -> AskedPackage:
    source = profile_of(package.hooks.dialect)
    hooks = package.indexed.rules.plan(payload, matched_text(payload, source)).hooks
    reply: Reply | None = None
    if not any(hook.verdict is PlanStatus.RUNS for hook in hooks):
        reply = _silence(call, client, package, payload)
    return AskedPackage(package=package, hook_payload=payload, hooks=hooks, reply=reply)


def _distrusted(
    call: Call, client: Profile, package: HookPackage, payloads: Sequence[Payload], written_for: Profile
) -> Reply:
    """What a package replies that may not run. One that has and had nothing to do with the event needs no trust."""
    source = profile_of(package.hooks.dialect)
    may_match_now = any(_may_care(package.hooks, source, one.event, matched_text(one, source)) for one in payloads)
    trusted = [
        hook
        for indexed in package.indexed_trusted
        for one in hook_payloads(call.client_payload, client, indexed.profile, written_for.events)
        for hook in indexed.rules.plan(one, matched_text(one, indexed.profile)).hooks
        if hook.cause is not CauseKind.CONDITION_FALSE
    ]
    if not may_match_now and not trusted:
        return Reply()
    was_guard = any(not hook.action.is_async for hook in trusted)
    return _fail(call, package.distrust, fail="closed" if was_guard and call.fail == "guard" else call.fail)


def _may_care(hooks: HookSet, source: Profile, event: str, subject: str) -> bool:
    """Whether a hook may match; no pattern of theirs is compiled for it."""
    return any(
        rule.event == event
        and any(action.fate.state is FateState.ACTIVE for action in rule.actions)
        and may_match(source, rule, subject)
        for rule in hooks.rules
    )


def _silence(call: Call, client: Profile, package: HookPackage, payload: Payload) -> Reply:
    """What it means that no hook runs: in some dialects the user is then asked for permission."""
    source = profile_of(package.hooks.dialect)
    outcome = package.indexed.silence(payload.event, bind_payload(source, payload).native_event)
    return translate_reply(reply_of(outcome), payload, call.client_payload, source, client).reply


def _fail(call: Call, why: str, fail: FailMode | None = None) -> Reply:
    return fail_reply(_bound(call), fail or call.fail, f"anyhook: {why}")


def _bound(call: Call) -> BoundEvent:
    """The event under the client's own rules."""
    return bind_payload(profile_of(call.client), call.client_payload)
