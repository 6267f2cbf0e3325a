"""Sends rows to an OpenTelemetry collector: a span for each event with one for each hook that ran, and metrics.

Ids of spans follow from the id of the row, so that a row that is sent twice is still one span. The names of attributes
follow the GenAI and code conventions of OpenTelemetry where these have one; docs/journal.md has the table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from anyhook.model.lazyjson import as_plain
from anyhook.model.problems import AnyhookError
from anyhook.record.recorded import HookRecord, RecordedEvent, decode_row, without_bodies
from anyhook.record.store.collector import OtlpCollector
from anyhook.record.store.database import COLLECTOR_COUNTS, COLLECTOR_SENT, JournalDatabase
from anyhook.record.store.otlp_metrics import MetricCounts, cumulative_metrics, read_counts, write_counts
from anyhook.record.store.query import RowFilter, wanted_rows

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

BATCH_ROWS = 200
MAX_TEXT = 1000
"""Characters of a text: a collector that refuses a batch because of its size would never get the rows after it."""

EVENT_ATTRIBUTES = {
    "gen_ai.agent.name": "client",
    "gen_ai.agent.version": "release",
    "gen_ai.conversation.id": "session",
    "gen_ai.tool.name": "tool",
    "anyhook.event": "canonical",
    "anyhook.event.native": "event",
    "anyhook.subject": "subject",
    "anyhook.effect": "effect",
    "anyhook.project": "project",
    "anyhook.repository": "repository",
    "anyhook.via": "via",
    "anyhook.simulation": "simulation",
    "anyhook.payload.size": "bytes_in",
    "anyhook.answer.size": "bytes_out",
}
"""Attribute of the span of an event -> field of the row."""
HOOK_ATTRIBUTES = {
    "anyhook.hook": "hook",
    "anyhook.hook.status": "status",
    "code.file.path": "file",
    "code.line.number": "line",
}
"""Attribute of the span of a hook -> field of the hook."""


def send_to_collector(database: JournalDatabase, collector: OtlpCollector) -> int:
    """Send the rows that the collector does not have, and return how many. AnyhookError: it does not take them."""
    facts, total = database.facts(), 0
    sent, counts = int(facts.get(COLLECTOR_SENT, 0)), read_counts(str(facts.get(COLLECTOR_COUNTS, "")))
    while rows := list(database.rows_after(sent, BATCH_ROWS)):
        events = [_sendable(found.event) for found in wanted_rows(rows, RowFilter()) if _is_told(found.event)]
        if events:
            counts = counts.with_events([event for event in events if not event.simulation])
            _export(events, counts, collector, database.machine())
        sent, total = rows[-1].number, total + len(rows)
        database.set_facts({COLLECTOR_SENT: sent, COLLECTOR_COUNTS: write_counts(counts)})
    return total


def _is_told(event: RecordedEvent) -> bool:
    """The recorder's row of an event is none of its own: what it has seen, a hook's entry has answered or no one."""
    return event.was_answered and not event.note and _has_time(event)


def _has_time(event: RecordedEvent) -> bool:
    """One without is left to ``anyhook log --verify``, as a row that cannot be read: it must not hold up the others."""
    try:
        return bool(datetime.fromisoformat(event.at))
    except ValueError:
        return False


def _sendable(event: RecordedEvent) -> RecordedEvent:
    """The event without bodies, with short texts, and with "?" for half surrogate pairs: Protocol Buffers have none."""
    event = without_bodies(event)
    texts = {name: getattr(event, name)[:MAX_TEXT] for name in ("event", "session", "tool", "project")}
    event = structs.replace(event, **texts, hooks=tuple(map(_shortened, event.hooks)))
    try:
        msgspec.json.encode(event)
    except UnicodeEncodeError:
        import json

        return decode_row(json.dumps(as_plain(event), ensure_ascii=False).encode(errors="replace"))
    return event


def _shortened(hook: HookRecord) -> HookRecord:
    return structs.replace(hook, hook=hook.hook[:MAX_TEXT], reason=hook.reason[:MAX_TEXT])


def _export(events: Sequence[RecordedEvent], counts: MetricCounts, collector: OtlpCollector, machine: str) -> None:
    try:
        from opentelemetry.exporter.otlp.proto import http  # noqa: F401
        from opentelemetry.sdk.resources import Resource
    except ImportError:
        from anyhook.extras import install_command

        raise AnyhookError(f"[journal] otlp needs OpenTelemetry; install it: {install_command('otel')}") from None
    resource = Resource({"service.name": "anyhook", "service.instance.id": machine})
    collector.send_spans([span for event in events for span in _spans(event, resource)])
    collector.send_metrics(cumulative_metrics(counts, resource))


def _spans(event: RecordedEvent, resource: Resource) -> Iterable[ReadableSpan]:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    digest = hashlib.sha256(event.id.encode()).digest()
    trace = int.from_bytes(digest[:16], "big")
    end = int(datetime.fromisoformat(event.at).timestamp() * 1000) * 1_000_000
    start = end - int(event.ms * 1_000_000)
    common: dict[str, Any] = {"resource": resource, "instrumentation_scope": InstrumentationScope("anyhook")}

    def context(number: int) -> SpanContext:
        own = hashlib.sha256(digest + number.to_bytes(4, "big")).digest()[:8]
        return SpanContext(trace, int.from_bytes(own, "big"), is_remote=False, trace_flags=TraceFlags(1))

    root = context(0)
    yield ReadableSpan(
        name=f"{event.canonical or event.event} {event.tool}".strip(),
        context=root,
        attributes=_attributes(event, EVENT_ATTRIBUTES),
        kind=SpanKind.INTERNAL,
        start_time=start,
        end_time=end,
        **common,
    )
    for number, hook in enumerate((hook for hook in event.hooks if hook.has_run), 1):
        is_failure = hook.status.startswith(("failed", "timed"))
        yield ReadableSpan(
            name=f"hook {hook.hook}",
            context=context(number),
            parent=root,
            attributes=_attributes(hook, HOOK_ATTRIBUTES),
            status=Status(StatusCode.ERROR, hook.reason) if is_failure else Status(),
            kind=SpanKind.INTERNAL,
            start_time=start,
            end_time=start + int(hook.ms * 1_000_000),
            **common,
        )


def _attributes(of: RecordedEvent | HookRecord, table: dict[str, str]) -> dict[str, Any]:
    found = {name: getattr(of, field) for name, field in table.items()}
    return {name: value for name, value in found.items() if value not in ("", 0)}
