"""Makes the row of the journal for one event of a deployed entry.

``anyhook exec`` imports this after every answer: it needs nothing but what the answer has loaded already.
"""

from __future__ import annotations

from msgspec import UNSET

from anyhook.bridge.prepare_event import AskedPackage, Prepared
from anyhook.dialects import profile
from anyhook.dialects.wire.answers import ProcessAnswer
from anyhook.engine.plan import PlanStatus
from anyhook.model.lazyjson import load_json
from anyhook.model.outcome import Effect, Outcome
from anyhook.model.output import Decision, Reply
from anyhook.record.append import now
from anyhook.record.recorded import SKIPPED, Happened, HookRecord, RecordedEvent, hook_records, new_id
from anyhook.record.store.open_recordings import recording_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from anyhook.record.store.open_recordings import OpenRecording

MAX_RELEASE = 40
_STRICTEST_FIRST = (
    Effect.STOP, Effect.BLOCK, Effect.ASK, Effect.DEFER, Effect.CONTINUE, Effect.FEEDBACK, Effect.PROCEED,
)  # fmt: skip


class Observed:
    """What an event came to while it was answered."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.refusal = ""
        """Why hooks could not be asked; empty: they could."""

    def add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def journal_row(
    prepared: Prepared,
    seen: Observed,
    sent: ProcessAnswer,
    *,
    via: str,
    seconds: float,
    stdin: bytes,
    with_body: bool = False,
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
        project=_project(prepared),
        via=via,
        outcome=_happened(prepared, seen),
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
    return min(found, key=lambda one: _STRICTEST_FIRST.index(one.effect), default=Happened(Effect.PROCEED))


def _of_outcome(outcome: Outcome) -> Happened:
    decided_by = "" if outcome.decided_by is None else str(outcome.decided_by)
    return Happened(outcome.effect, outcome.reason, decided_by=decided_by)


def _of_reply(asked: AskedPackage) -> Happened | None:
    """What a package came to that replied without a hook; None: it asked hooks, or had nothing to say."""
    reply, why = asked.reply, asked.package.refusal or asked.package.distrust
    if reply is None or not _says_something(reply):
        return None
    effect = Effect.PROCEED
    if reply.decision is not None:
        effect = Effect.BLOCK if reply.decision.is_refusal else effect
        effect = Effect.ASK if reply.decision is Decision.ASK else effect
    return Happened(effect, reply.reason or reply.message or why, decided_by="anyhook" if why else "")


def _was_not_asked(asked: AskedPackage) -> bool:
    """Whether anyhook replied in place of hooks that it could not ask."""
    return asked.reply is not None and asked.hook_payload is None and _says_something(asked.reply)


def _says_something(reply: Reply) -> bool:
    return reply.decision is not None or bool(reply.message)


def _hooks(prepared: Prepared, seen: Observed) -> Iterator[HookRecord]:
    for outcome in seen.outcomes:
        yield from hook_records(outcome)
    for asked in prepared.packages:
        if asked.reply is not None:
            for hook in asked.hooks:
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
