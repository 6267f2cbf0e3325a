"""Reads one event of a deployed entry: who asks, about what, and what is answered where no hook can be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, structs

from anyhook.bridge.exec_options import Options
from anyhook.bridge.join_replies import join_replies
from anyhook.bridge.recognise_caller import recognise_caller
from anyhook.dialects import profile as profile_of
from anyhook.dialects.bound_event import BoundEvent, bind_payload
from anyhook.dialects.events import find_event, unknown_event_text
from anyhook.dialects.profile import Profile
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.dialects.wire.payloads import decode_payload, read_members
from anyhook.entries.fail_mode import FailMode, fail_mode, fail_reply, write_answer
from anyhook.model.output import Reply
from anyhook.model.payload import PAYLOADS
from anyhook.model.payload_base import Payload
from anyhook.model.problems import Problem, UsageError
from anyhook.sources import disk
from anyhook.sources.discover import Roots, roots_for
from anyhook.trust.records import known_folders


class Caller(Struct, frozen=True, kw_only=True):
    """The process that a client started for an event: this one in ``anyhook exec``, another one in the daemon.

    Hooks run as if that process had started them: in its folder and with its environment.
    """

    cwd: Path | None
    """None: not known (an HTTP request); then the folder of the session, which is in the payload."""
    home: Path
    environment: Mapping[str, str]
    open_files: int | None = None
    """How many files its hooks may have open; None: as many as this process."""
    is_process: bool = True
    """False: the client reads only the body of an HTTP response, neither exit status nor stderr."""


class Call(Struct, frozen=True, kw_only=True):
    """One event of a client: who asks, the decoded payload, whose hooks, and what happens if none can run."""

    client: str
    """The client that asks, such as "codex", also from an entry in another's file; it is answered in its format."""
    written_for: str
    """The client that the entry was written for."""
    client_payload: Payload
    """The event as the client sent it, before it is translated into the hooks' dialect."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with the payload."""
    unknown_event: str = ""
    """That the entry names an event that no client has, and the payload another one; empty: it does not."""
    caller: Caller
    fail: FailMode = "guard"
    package: str | None = None
    """The folder of the hooks, where the entry names it; None: the nearest one with hooks."""
    source: str | None = None
    """The client that the hooks are written for, where the entry names it."""

    @property
    def profile(self) -> Profile:
        return profile_of(self.client)

    @property
    def folder(self) -> Path:
        """Where the client is."""
        session = self.client_payload.cwd
        return self.caller.cwd or Path(session if isinstance(session, str) else "/")

    @property
    def started_in(self) -> Path:
        """Where the client starts hooks: some do in the folder of the session, and relative paths lead from there."""
        session = self.client_payload.cwd
        return Path(session) if isinstance(session, str) and disk.is_dir(Path(session)) else self.folder

    @property
    def roots(self) -> Roots:
        caller = self.caller
        project = caller.environment.get(self.profile.execution.project_variable) or "."
        return roots_for(self.folder / project, caller.home, caller.environment)

    @property
    def why_unreadable(self) -> str:
        """Why the payload is too incomplete to run hooks for it; empty: it is not."""
        payload = self.client_payload
        is_incomplete = type(payload) is Payload and (payload.event in PAYLOADS or not payload.event)
        return self.problems[0].text if is_incomplete and self.problems else ""

    @property
    def bound(self) -> BoundEvent:
        """The event under the client's own rules."""
        return bind_payload(self.profile, self.client_payload)

    def as_guarded(self) -> Call:
        """The call, which fails closed if hooks were trusted here: they may be guards, and were not asked."""
        if self.fail != "guard":
            return self
        try:
            is_guarded = any(True for _ in known_folders(self.roots, None))
        except Exception:  # whether hooks were trusted cannot be found out
            is_guarded = True
        return structs.replace(self, fail="closed") if is_guarded else self

    def failed(self, why: str, fail: FailMode | None = None) -> Reply:
        """The fail mode's reply in place of hooks that cannot be asked."""
        return fail_reply(self.bound, fail or self.fail, f"anyhook: {why}")


def read_call(options: Options, caller: Caller, stdin: bytes) -> Call:
    """Who asks, and about what. UsageError: the entry names an event that no client has, and the payload names none."""
    written_for, named = profile_of(options["--client"]), options.get("--event", "")
    members = read_members(stdin)
    client = recognise_caller(written_for, members or {}, caller.environment, is_process=caller.is_process)
    is_known = not named or find_event(named, written_for.name) is not None
    payload, problems = decode_payload(client, members, named if is_known else "")
    unknown = "" if is_known else f"--event: {unknown_event_text(named)}"
    if unknown and not payload.native_event:
        raise UsageError(unknown)
    return Call(
        client=client.name,
        written_for=written_for.name,
        client_payload=payload,
        problems=problems,
        unknown_event=unknown if payload.native_event != named else "",  # else the client is newer than anyhook
        caller=caller,
        fail=fail_mode(options.get("--fail")),
        package=options.get("--package"),
        source=options.get("--from"),
    )


def answer_with(call: Call, replies: list[Reply]) -> ProcessAnswer:
    """The replies of all packages as one answer to the client."""
    return write_answer(call.bound, join_replies(replies), is_process=call.caller.is_process)


def refuse(call: Call, why: str) -> ProcessAnswer:
    """The answer when no hook can run."""
    return answer_with(call, [call.failed(why)])


def unasked_reply(call: Call, why: str) -> Reply:
    """The reply in place of hooks that may run, matched, and could not be asked: it refuses, unless all fails open."""
    return call.failed(why, fail="closed" if call.fail == "guard" else call.fail)
