"""Makes the row of the journal for one event of a deployed entry.

``anyhook exec`` imports this after every answer: it needs nothing but what the answer has loaded already.
"""

from __future__ import annotations

from msgspec import UNSET, structs

from anyhook.bridge.match_package import AskedPackage
from anyhook.bridge.prepare_event import Prepared
from anyhook.daemon_socket.simulation import SIMULATION
from anyhook.dialects import profile
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.engine.plan import PlanStatus
from anyhook.model.cause import CauseKind
from anyhook.model.events import BY_NAME
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import Effect, Outcome, strictness
from anyhook.model.output import Decision, Reply
from anyhook.record.append import now
from anyhook.record.recorded import SKIPPED, Happened, HookRecord, RecordedEvent, hook_records, new_id
from anyhook.record.store.open_recordings import recording_of
from anyhook.record.subject import raw_subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from anyhook.record.store.open_recordings import OpenRecording

MAX_RELEASE = 40


class Observed:
    """What an event came to while it was answered."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.refusal = ""
        """Why hooks could not be asked; empty: they could."""

    def add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)

    def why_unable(self) -> str:
        """Why this process could not ask a hook that another may be able to ask; empty: it could ask all."""
        runs = (run for outcome in self.outcomes for run in outcome.runs)
        return next((run.reason for run in runs if run.cause.kind is CauseKind.UNABLE), "")


def journal_row(
    prepared: Prepared,
    seen: Observed,
    sent: ProcessAnswer,
    *,
    via: str,
    seconds: float,
    stdin: bytes,
    with_body: bool = False,
    with_subject: bool = True,
    recording: OpenRecording | None = None,
) -> RecordedEvent:
    """The row of an event that was answered. Its texts may contain secrets."""
    has_body = with_body or recording is not None
    payload = prepared.call.client_payload
    return RecordedEvent(
        id=new_id(),
        at=now(),
        client=prepared.call.client,
        event=payload.native_event or payload.event,
        canonical=payload.event,
        release=_told_release(prepared),
        session=_text(payload.session_id),
        tool=_text(getattr(payload, "tool_name", "")),
        subject=raw_subject(payload, prepared.call.client) if with_subject else "",
        project=_project(prepared),
        via=via,
        simulation=prepared.call.caller.environment.get(SIMULATION, "")[:MAX_RELEASE],
        outcome=_as_told(_happened(prepared, seen), sent, payload.event),
        unasked=bool(prepared.refusal or seen.refusal) or any(map(_was_not_asked, prepared.packages)),
        hooks=tuple(_hooks(prepared, seen)),
        ms=round(seconds * 1000, 3),
        bytes_in=len(stdin),
        bytes_out=len(sent.stdout) + len(sent.stderr),
        payload=_body(stdin) if has_body else UNSET,
        answer=_body(sent.stdout) if has_body and sent.stdout else UNSET,
        recording="" if recording is None else recording.name,
    )


def recording_on(prepared: Prepared, recordings: Sequence[OpenRecording]) -> OpenRecording | None:
    """The one of the recordings that are on that an event belongs to; None: none."""
    if not recordings:
        return None
    call = prepared.call
    folders = (_project(prepared), _text(call.client_payload.cwd), str(call.caller.cwd or ""))
    return recording_of(recordings, call.client, folders)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _told_release(prepared: Prepared) -> str:
    """The release of the client, where it tells hooks; else the one that is installed is looked up later."""
    variable = profile(prepared.call.client).recognition.release_variable
    return prepared.call.caller.environment.get(variable, "")[:MAX_RELEASE] if variable else ""


def _body(stdin: bytes) -> Any:
    try:
        return load_json(stdin)
    except (ValueError, RecursionError):
        return stdin.decode("utf-8", "replace")


def _project(prepared: Prepared) -> str:
    """The folder of the hooks that answered, else of the session."""
    caller = prepared.call.caller
    roots = [str(asked.package.root) for asked in prepared.packages]
    # An organisation's hooks come first, and belong to no project.
    return roots[-1] if roots else _text(prepared.call.client_payload.cwd) or str(caller.cwd or "")


def _happened(prepared: Prepared, seen: Observed) -> Happened:
    """The strictest of what all packages came to, as the client takes it."""
    refusal = prepared.refusal or seen.refusal
    if refusal:
        is_closed = prepared.call.fail == "closed"
        return Happened(Effect.BLOCK if is_closed else Effect.PROCEED, refusal, decided_by="anyhook")
    found = [*map(_of_outcome, seen.outcomes), *filter(None, map(_of_reply, prepared.packages))]
    return max(found, key=lambda one: strictness(one.effect), default=Happened(Effect.PROCEED))


def _as_told(happened: Happened, sent: ProcessAnswer, event: str) -> Happened:
    """What the client was told in place of an effect that it has no word for: the next stricter one."""
    effect = happened.effect
    if effect is Effect.DEFER and Decision.DEFER in sent.lost:
        effect = Effect.ASK
    if effect is Effect.ASK and Decision.ASK in sent.lost:
        effect = Effect.BLOCK
    if effect is happened.effect:
        return happened
    is_refused = effect is Effect.BLOCK and event in BY_NAME and BY_NAME[event].precedes_tool
    return structs.replace(happened, effect=effect, tool_runs=False if is_refused else happened.tool_runs)


def _of_outcome(outcome: Outcome) -> Happened:
    decided_by = "" if outcome.decided_by is None else str(outcome.decided_by)
    return Happened(outcome.effect, outcome.reason, decided_by=decided_by, tool_runs=outcome.tool_runs)


def _of_reply(asked: AskedPackage) -> Happened | None:
    """What a package came to that replied without a hook; None: it asked hooks, or had nothing to say."""
    reply = asked.reply
    if reply is None or not _says_something(reply):
        return None
    effect = Effect.PROCEED
    if reply.decision is not None:
        effect = Effect.BLOCK if reply.decision.is_refusal else effect
        effect = Effect.ASK if reply.decision is Decision.ASK else effect
    by = "anyhook" if _was_not_asked(asked) else ""
    return Happened(effect, reply.reason or reply.message or "", decided_by=by)


def _was_not_asked(asked: AskedPackage) -> bool:
    """Whether anyhook replied in place of hooks that it could not ask."""
    return asked.reply is not None and asked.hook_payload is None and _says_something(asked.reply)


def _says_something(reply: Reply) -> bool:
    return reply.decision is not None or bool(reply.message)


def _hooks(prepared: Prepared, seen: Observed) -> Iterator[HookRecord]:
    words = {
        (origin.file, origin.pointer, origin.line): word
        for asked in prepared.packages
        for origin, word in asked.package.words.items()
    }
    for outcome in seen.outcomes:
        for found in hook_records(outcome):
            word = words.get((found.file, found.pointer, found.line), "") if found.has_run else ""
            yield structs.replace(found, word=word) if word else found
    for asked in prepared.packages:
        if asked.reply is not None:
            for hook in asked.plan.hooks if asked.plan else ():
                if hook.verdict is not PlanStatus.RUNS:
                    origin, label = hook.action.origin, hook.action.name or hook.action.summary()
                    yield HookRecord(
                        hook=label,
                        file=origin.file,
                        line=origin.line,
                        pointer=origin.pointer,
                        status=SKIPPED,
                        reason=hook.why,
                    )
