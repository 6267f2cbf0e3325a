"""What becomes of a call that an agent attempts: the hooks of each client are asked, and the client decides."""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, structs

from anyhook.bridge.trial import Trial, open_trial
from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.attempts import Attempt, events_for, permission_event, why_no_event
from anyhook.dialects.translation.subjects import matched_text
from anyhook.dialects.wire.payloads import payload_bytes
from anyhook.editor.fire_event import FiredEvent, concerned, fire_event, is_answered, not_asked
from anyhook.engine.plan import plan_event
from anyhook.model.cause import CauseKind
from anyhook.model.hooks import Action, FateState, Guard
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Effect, Run, Status, strictness
from anyhook.model.output import Decision
from anyhook.model.payload_base import Payload
from anyhook.project.project import Project
from anyhook.record.recorded import HookRecord, RecordedEvent, hook_records

BY_ANYHOOK = "anyhook"
"""Who decides where an entry could not ask the hooks behind it."""

NO_HOOK = "no hook is for this call"
_CANNOT_RUN = (
    CauseKind.NOT_LOADED,
    CauseKind.TYPE_NOT_RUN,
    CauseKind.NOTHING_TO_MATCH,
    CauseKind.MATCHER_INVALID,
)
"""Why a hook runs on no call at all."""


class Verdict(enum.StrEnum):
    """What becomes of an attempt in one client, the least strict first."""

    UNCOVERED = "not covered"  # no hook was asked
    ALLOWED = "allowed"
    ASKED = "asked"
    BLOCKED = "blocked"


class Withheld(Struct, frozen=True):
    """A hook that is for the event, and was not asked."""

    hook: str
    file: str
    line: int
    why: str


class Tried(Struct, frozen=True, kw_only=True):
    """What became of an attempt in one client."""

    client: str
    event: str = ""
    """The event that decides, as the client calls it; empty: the client sends none."""
    tool: str = ""
    """The tool, as the client calls it; empty: the event names none."""
    verdict: Verdict = Verdict.UNCOVERED
    decided_by: HookRecord | None = None
    """The hook that refused, or wants the user to be asked; None: none did."""
    why: str = ""
    asked: tuple[HookRecord, ...] = ()
    """The hooks that were asked, those behind entries of anyhook included."""
    withheld: tuple[Withheld, ...] = ()

    @property
    def failed(self) -> tuple[HookRecord, ...]:
        """The hooks that did not do their work."""
        return tuple(hook for hook in self.asked if Status(hook.status).is_failure)


def try_attempt(attempt: Attempt, project: Project, clients: Iterable[str]) -> Iterator[Tried]:
    """Ask the hooks of these clients. This RUNS the hooks of the project and of the home folder, as the clients do."""
    home = {"HOME": str(project.roots.home)}
    with open_trial({**os.environ, **home}) as trial:
        for name in clients:
            tried = _Client(attempt, project, profile(name), trial).tried()
            asks = any(hook.is_entry for hook in project.started(name).hooks)
            is_told = tried.why == NO_HOOK and asks and project.unread
            yield structs.replace(tried, why=project.unread[0]) if is_told else tried


class _Client:
    """One client on the way to its decision."""

    def __init__(self, attempt: Attempt, project: Project, client: Profile, trial: Trial) -> None:
        self._attempt, self._project, self._client, self._trial = attempt, project, client, trial

    def tried(self) -> Tried:
        """The strictest of what the events before the attempt come to; after a refusal the client sends no other."""
        found: list[Tried] = []
        is_allowed = False
        for payload in events_for(self._attempt, self._client):
            result = self._fire(payload)
            found.append(result.tried)
            is_allowed |= result.decision is Decision.ALLOW
            if result.tried.verdict is Verdict.BLOCKED:
                return _joined(result.tried, found)
        if not found:
            return Tried(client=self._client.name, why=why_no_event(self._attempt, self._client))
        strictest = max(found, key=_weight)
        permission = permission_event(self._attempt, self._client)
        if permission is not None and strictest.verdict is Verdict.ASKED:
            result = self._fire(permission)  # its hooks may answer in place of the user
            found.append(result.tried)
            if result.tried.verdict is Verdict.BLOCKED or result.decision is Decision.ALLOW:
                strictest = result.tried
        elif permission is not None and not is_allowed and self._has_hooks_for(permission):
            note = f"hooks of {permission.native_event} are asked as well if {self._client.title} asks its user"
            strictest = structs.replace(strictest, why="; ".join(filter(None, (strictest.why, note))))
        return _joined(strictest, found)

    def _has_hooks_for(self, payload: Payload) -> bool:
        started = self._project.started(self._client.name)
        hooks = {hook.origin for hook in started.hooks if hook.behind or not hook.is_entry}
        plan = plan_event(started.loaded, self._client, payload.event, matched_text(payload, self._client), payload)
        return any(hook.action.origin in hooks for hook in plan.runs)

    def _fire(self, payload: Payload) -> _Result:
        content = payload_bytes(bind_event(self._client, payload.event, payload.native_event), payload)
        native, variables = payload.native_event, self._trial.variables
        fired = fire_event(self._client.name, native, content, self._project, variables=variables)
        return _Result(self._client.name, fired, self._trial.take())


def _weight(tried: Tried) -> tuple[int, bool, bool]:
    """The strictest verdict decides; among equals, the event about which there is something to say."""
    return list(Verdict).index(tried.verdict), bool(tried.failed), tried.why not in ("", NO_HOOK)


def _joined(decides: Tried, found: Sequence[Tried]) -> Tried:
    """The result that decides, with the hooks of all events."""
    asked = tuple(hook for each in found for hook in each.asked)
    withheld = tuple(hook for each in found for hook in each.withheld)
    why = decides.why
    if withheld and decides.verdict in (Verdict.UNCOVERED, Verdict.ALLOWED):
        more = f" and {len(withheld) - 1} more" if len(withheld) > 1 else ""
        told = f"not asked: {withheld[0].hook}{more}: {withheld[0].why}"
        why = told if why in ("", NO_HOOK) else f"{why}; {told}"
    return structs.replace(decides, why=why, asked=asked, withheld=withheld)


class _Result:
    """What one event came to."""

    def __init__(self, client: str, fired: FiredEvent, told: tuple[RecordedEvent, ...]) -> None:
        self.client, self.fired, self._told = client, fired, told
        self._entries = {hook.origin: hook for hook in fired.started.hooks if hook.is_entry}

    @property
    def decision(self) -> Decision | None:
        return self.fired.outcome.decision

    @cached_property
    def tried(self) -> Tried:
        outcome = self.fired.outcome
        return Tried(
            client=self.client,
            event=outcome.native_event,
            tool=str(getattr(self.fired.payload, "tool_name", "")),
            verdict=self._verdict,
            decided_by=self._decided_by,
            why=self._why,
            asked=self._asked,
            withheld=self._withheld,
        )

    @cached_property
    def _verdict(self) -> Verdict:
        outcome = self.fired.outcome
        match outcome.effect:
            case Effect.BLOCK:
                return Verdict.BLOCKED
            case Effect.STOP if not outcome.tool_runs:
                return Verdict.BLOCKED
            case Effect.ASK | Effect.DEFER if self._asked:
                return Verdict.ASKED
            case _:
                return Verdict.ALLOWED if self._asked else Verdict.UNCOVERED

    @property
    def _runs(self) -> Iterator[tuple[Run, HookRecord]]:
        """What the client itself ran, hooks and entries."""
        outcome = self.fired.outcome
        return zip(outcome.runs, hook_records(outcome), strict=False)

    @cached_property
    def _asked(self) -> tuple[HookRecord, ...]:
        own = [record for run, record in self._runs if run.origin not in self._entries]
        told = (self._named(hook) for row in self._told for hook in row.hooks if hook.has_run)
        return (*own, *told, *self._untold)

    def _named(self, hook: HookRecord) -> HookRecord:
        """A guard by its name alone, without its settings."""
        action = self._behind.get((hook.file, hook.pointer))
        return structs.replace(hook, hook=f"{action.guard} guard") if type(action) is Guard else hook

    @cached_property
    def _behind(self) -> Mapping[tuple[str, str], Action]:
        """The hooks that the entries ask."""
        hooks = (hook for entry in self._entries.values() for hook in entry.behind)
        return {(hook.file, hook.origin.pointer): hook.action for hook in hooks}

    @property
    def _untold(self) -> Iterator[HookRecord]:
        """Entries of which it is not known what the hooks behind them did: those that are asked by HTTP."""
        if self._told:
            return
        for run, record in self._runs:
            entry = self._entries.get(run.origin)
            if entry is not None and is_answered(run) and any(concerned(entry, self.fired.payload)):
                yield structs.replace(record, hook=entry.text())

    @cached_property
    def _decided_by(self) -> HookRecord | None:
        if self._verdict not in (Verdict.BLOCKED, Verdict.ASKED):
            return None
        origin = self.fired.outcome.decided_by
        record = next((record for run, record in self._runs if run.origin == origin), None)
        if record is None or origin not in self._entries:
            return record
        came_to = [row.outcome for row in self._told if row.outcome is not None]
        told = max(came_to, key=lambda happened: strictness(happened.effect), default=None)
        if told is None:
            return structs.replace(record, hook=self._entries[origin].text())
        by_anyhook = structs.replace(record, hook=BY_ANYHOOK)
        there = [hook for hook in self._asked if _place(hook) == told.decided_by]  # several may share a line
        return max(there, key=lambda hook: hook.reason == told.reason, default=by_anyhook)

    @cached_property
    def _withheld(self) -> tuple[Withheld, ...]:
        outcome, payload = self.fired.outcome, self.fired.payload
        runs = ((run, self._entries.get(run.origin)) for run in outcome.runs)
        found = [pair for run, entry in runs if entry for pair in not_asked(run, entry, payload)]
        skipped = filter(None, (self._entries.get(skip.origin) for skip in outcome.skipped))
        lost = (entry for entry in skipped if entry.state is FateState.DROPPED)
        found += [(hook, entry.why) for entry in lost for hook in concerned(entry, payload)]
        return tuple(Withheld(hook.name, hook.file, hook.line, why) for hook, why in found)

    @property
    def _why(self) -> str:
        outcome = self.fired.outcome
        failed = next((hook for hook in self._asked if Status(hook.status).is_failure), None)
        if self._verdict in (Verdict.BLOCKED, Verdict.ASKED):
            return outcome.reason
        if outcome.effect is Effect.STOP:
            return f"the tool runs, then the turn ends: {outcome.reason}"
        if failed is not None:
            return f"{failed.hook} failed, so it decides nothing: {failed.reason}"
        if outcome.updated_input is not None:
            return f"a hook changes the input: {dump_json(outcome.updated_input).decode()}"
        if shadow := next((hook for hook in self._asked if hook.would), None):
            told = f"would {shadow.would}: {shadow.reason}" if shadow.reason else f"would {shadow.would}"
            return f"{shadow.hook}: shadow: does not block; {told}"
        if self._verdict is Verdict.UNCOVERED:
            skipped = (skip for skip in outcome.skipped if skip.origin not in self._entries)
            cannot = next((skip for skip in skipped if skip.cause.kind in _CANNOT_RUN), None)
            return f"{cannot.name or cannot.summary} cannot run: {cannot.reason}" if cannot else NO_HOOK
        texts = () if self._withheld else (*outcome.to_user, *outcome.to_model)
        return next(iter(texts), "")


def _place(hook: HookRecord) -> str:
    return f"{hook.file}:{hook.line}" if hook.line else hook.file
