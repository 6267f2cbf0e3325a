"""An event of the journal as the pages get it: short in a list, complete when it is opened. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct

from anyhook.model.lazyjson import dump_json
from anyhook.record.recorded import HookRecord
from anyhook.record.store.query import NumberedRow
from anyhook.ui.lifecycle import CLOSES_TURN, OPENS_TURN, level_of

TEXT_CHARACTERS = 300
"""Of a text in a list."""
LISTED_HOOKS = 20
"""Hooks of one event that a list has."""
BODY_BYTES = 1_000_000
"""A larger payload or answer is cut."""


class HookView(Struct, frozen=True, kw_only=True):
    hook: str
    file: str
    line: int
    status: str
    reason: str
    ms: float


class EventView(Struct, frozen=True, kw_only=True):
    """An event in a list."""

    number: int
    at: str
    client: str
    event: str
    level: str
    opens_turn: bool
    closes_turn: bool
    session: str
    project: str
    tool: str
    subject: str
    simulation: str
    effect: str
    reason: str
    ms: float
    hooks: tuple[HookView, ...]
    """Those that ran."""
    more_hooks: int
    skipped: int
    note: str


class BodyView(Struct, frozen=True):
    """A payload or an answer, as text if it is cut."""

    value: Any
    cut_bytes: int
    """How large the whole is that was cut; 0: it is complete."""


class EventDetail(Struct, frozen=True, kw_only=True):
    """Everything that the journal has of an event."""

    view: EventView
    canonical: str
    release: str
    via: str
    repository: str
    decided_by: str
    is_concluded: bool
    may_have_asked: bool
    redacted: int
    cut: int
    bytes_in: int
    bytes_out: int
    skipped: tuple[HookView, ...]
    payload: BodyView | None
    """None: the journal has none."""
    answer: BodyView | None
    """What the client read; None: the journal has none, or only the exit status said it."""
    recording: str


def event_view(row: NumberedRow, limit: int = TEXT_CHARACTERS, hooks: int = LISTED_HOOKS) -> EventView:
    event = row.event
    ran = [hook for hook in event.hooks if hook.has_run]
    return EventView(
        number=row.number,
        at=event.at,
        client=event.client,
        event=event.event,
        level=level_of(event.canonical),
        opens_turn=event.canonical in OPENS_TURN,
        closes_turn=event.canonical in CLOSES_TURN,
        session=event.session,
        project=event.project,
        tool=_cut(event.tool, limit),
        subject=event.subject,
        simulation=event.simulation,
        effect=event.effect,
        reason=_cut("" if event.outcome is None else event.outcome.reason, limit),
        ms=event.ms,
        hooks=tuple(_hook_view(hook, limit) for hook in ran[:hooks]),
        more_hooks=max(0, len(ran) - hooks),
        skipped=len(event.hooks) - len(ran),
        note=_cut(event.note, limit),
    )


def event_detail(row: NumberedRow) -> EventDetail:
    event, outcome, everything = row.event, row.event.outcome, 1 << 30
    return EventDetail(
        view=event_view(row, everything, everything),
        canonical=event.canonical,
        release=event.release,
        via=event.via,
        repository=event.repository,
        decided_by="" if outcome is None else outcome.decided_by,
        is_concluded=outcome is not None and outcome.is_concluded,
        may_have_asked=outcome is not None and outcome.may_have_asked,
        redacted=event.redacted,
        cut=event.cut,
        bytes_in=event.bytes_in,
        bytes_out=event.bytes_out,
        skipped=tuple(_hook_view(hook, everything) for hook in event.hooks if not hook.has_run),
        payload=_body(event.payload),
        answer=_body(event.answer),
        recording=event.recording,
    )


def _hook_view(hook: HookRecord, limit: int) -> HookView:
    return HookView(
        hook=_cut(hook.hook, limit),
        file=hook.file,
        line=hook.line,
        status=hook.status,
        reason=_cut(hook.reason, limit),
        ms=hook.ms,
    )


def _body(value: Any) -> BodyView | None:
    if value is UNSET:
        return None
    encoded = dump_json(value)
    if len(encoded) <= BODY_BYTES:
        return BodyView(value, 0)
    return BodyView(encoded[:BODY_BYTES].decode("utf-8", "ignore"), len(encoded))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
