"""Does everything for one event of a deployed entry that needs no hook to run, and answers where that is enough.

The hooks of a package are written once, in one dialect. Here a client's event is decoded, the packages to ask are
found and checked, and the event is translated into their dialects. Most events end here, because no hook matches: so
nothing in this module imports asyncio or subprocess, which take longer to import than all of this takes to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from anyhook.bridge.client_answer import FailMode, fail_mode, fail_reply, join_replies, write_answer
from anyhook.bridge.exec_options import Options
from anyhook.bridge.packages import HookPackage, find_packages
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import BoundEvent, bind_payload
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.translate import translate_payload, translate_reply
from anyhook.dialects.wire.answers import ProcessAnswer, reply_of
from anyhook.dialects.wire.payloads import decode_payload
from anyhook.engine.fold import fold
from anyhook.engine.index import IndexedHooks
from anyhook.engine.plan import PlannedHook, PlanStatus
from anyhook.model.output import Reply
from anyhook.model.payload import PAYLOADS, subject_of
from anyhook.model.payload_base import Payload
from anyhook.model.problems import AnyhookError, Problem
from anyhook.sources import disk
from anyhook.sources.discover import Roots, roots_for


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
    """The client whose entry asks, such as "codex"; the answer is written in its format."""
    client_payload: Payload
    """The event as the client sent it, before it is translated into the hooks' dialect."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with the payload."""
    caller: Caller
    fail: FailMode = "guard"


class AskedPackage(Struct, frozen=True, kw_only=True):
    """A package of hooks, and what one event means for it."""

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
    """Read an event and find the hooks for it. Raises nothing but the NotCachedError of ``find``."""
    client = profile_of(options["--client"])
    client_payload, problems = decode_payload(client, stdin, options.get("--event", ""))
    call = Call(
        client=client.name,
        client_payload=client_payload,
        problems=problems,
        caller=caller,
        fail=fail_mode(options.get("--fail")),
    )
    try:
        packages = _find(options, call, find)
        if refusal := _unreadable(call):
            return Prepared(call=call, refusal=refusal)
        return Prepared(call=call, packages=tuple(_ask_about(call, client, package) for package in packages))
    except NotCachedError:
        raise
    except AnyhookError as error:
        return Prepared(call=call, refusal=str(error))
    except Exception as error:
        return Prepared(call=call, refusal=describe_bug(error))


def answer_without_hooks(prepared: Prepared) -> ProcessAnswer | None:
    """The answer to an event for which no hook has to run; None: hooks have to run."""
    if prepared.refusal:
        return refuse(prepared.call, prepared.refusal)
    replies = [package.reply for package in prepared.packages if package.reply is not None]
    return answer_with(prepared.call, replies) if len(replies) == len(prepared.packages) else None


def answer_with(call: Call, replies: list[Reply]) -> ProcessAnswer:
    """The replies of all packages as one answer to the client."""
    return write_answer(_bound(call), join_replies(replies), is_process=call.caller.is_process)


def refuse(call: Call, why: str) -> ProcessAnswer:
    """The answer when no hook can run."""
    return answer_with(call, [_fail(call, why)])


def describe_bug(error: Exception) -> str:
    return f"{type(error).__name__}: {error}. This is a bug in anyhook; its hooks were not asked"


# ------------------------------------------------------------------------------------------------- the packages to ask


def _find(options: Options, call: Call, find: FindPackages) -> tuple[HookPackage, ...]:
    caller, session = call.caller, call.client_payload.cwd
    cwd = caller.cwd or Path(session if isinstance(session, str) else "/")
    project = caller.environment.get(profile_of(call.client).execution.project_variable) or "."
    roots = roots_for(cwd / project, caller.home, caller.environment)
    package = cwd / options["--package"] if "--package" in options else None
    # Some clients start hooks in the folder of the session: relative paths in commands are found from there.
    started_in = Path(session) if isinstance(session, str) and disk.is_dir(Path(session)) else cwd
    return find(roots, package=package, dialect=options.get("--from"), started_in=started_in)


def _unreadable(call: Call) -> str:
    """Why the payload is too incomplete to run hooks for it; empty: it is not."""
    payload = call.client_payload
    is_incomplete = type(payload) is Payload and (payload.event in PAYLOADS or not payload.event)
    return call.problems[0].text if is_incomplete and call.problems else ""


def _ask_about(call: Call, client: Profile, package: HookPackage) -> AskedPackage:
    """Match the hooks of a package, and reply for it where none of them has to run."""
    if package.refusal:
        return AskedPackage(package=package, reply=_fail(call, package.refusal))
    payload, hooks = _match(call, client, package.indexed)
    reply: Reply | None = None
    if package.distrust:
        reply = _distrusted(call, client, package, hooks)
    elif payload is None:
        reply = Reply()
    elif not any(hook.verdict is PlanStatus.RUNS for hook in hooks):
        reply = _silence(call, client, profile_of(package.hooks.dialect), payload)
    return AskedPackage(package=package, hook_payload=payload, hooks=hooks, reply=reply)


def _match(call: Call, client: Profile, indexed: IndexedHooks) -> tuple[Payload | None, tuple[PlannedHook, ...]]:
    """The event as hooks of this dialect receive it (None: it has no such event), and the hooks that match."""
    source = indexed.profile
    payload = translate_payload(call.client_payload, client, source).payload
    if payload is None:
        return None, ()
    subject = subject_of(payload, source.matching.subject(payload.event)) or ""
    return payload, indexed.rules.plan(payload, subject).hooks


def _distrusted(call: Call, client: Profile, package: HookPackage, hooks: tuple[PlannedHook, ...]) -> Reply:
    """What a package replies that may not run. One that has and had nothing to do with the event needs no trust."""
    trusted = [hook for indexed in package.indexed_trusted for hook in _match(call, client, indexed)[1]]
    if not hooks and not trusted:
        return Reply()
    was_guard = any(not hook.action.is_async for hook in trusted)
    return _fail(call, package.distrust, fail="closed" if was_guard and call.fail == "guard" else call.fail)


def _silence(call: Call, client: Profile, source: Profile, payload: Payload) -> Reply:
    """What it means that no hook runs: in some dialects the user is then asked for permission."""
    outcome = fold(bind_payload(source, payload), Payload(event=payload.event), ())
    return translate_reply(reply_of(outcome), payload, call.client_payload, source, client).reply


def _fail(call: Call, why: str, fail: FailMode | None = None) -> Reply:
    return fail_reply(_bound(call), fail or call.fail, f"anyhook: {why}")


def _bound(call: Call) -> BoundEvent:
    """The event under the client's own rules."""
    return bind_payload(profile_of(call.client), call.client_payload)
