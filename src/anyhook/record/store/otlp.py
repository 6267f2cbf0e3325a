"""Sends rows to an OpenTelemetry collector: a span for each event with one for each hook that ran, and metrics.

Ids of spans follow from the id of the row, so that a row that is sent twice is still one span. The names of attributes
follow the GenAI and code conventions of OpenTelemetry where these have one; docs/journal.md has the table.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from anyhook.model.problems import AnyhookError
from anyhook.record.recorded import HookRecord, RecordedEvent
from anyhook.record.store.database import COLLECTOR_SENT, JournalDatabase
from anyhook.record.store.query import RowFilter, wanted_rows

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import ReadableSpan

BATCH_ROWS = 200
TIMEOUT_SECONDS = 5

EVENT_ATTRIBUTES = {
    "gen_ai.agent.name": "client",
    "gen_ai.agent.version": "release",
    "gen_ai.conversation.id": "session",
    "gen_ai.tool.name": "tool",
    "anyhook.event": "canonical",
    "anyhook.event.native": "event",
    "anyhook.effect": "effect",
    "anyhook.project": "project",
    "anyhook.via": "via",
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
EVENTS_METRIC, DURATION_METRIC = "anyhook.events", "anyhook.hook.duration"


def send_to_collector(database: JournalDatabase, url: str) -> int:
    """Send the rows that the collector does not have, and return how many. AnyhookError: it does not take them."""
    sent, total = int(database.facts().get(COLLECTOR_SENT, 0)), 0
    while rows := list(database.rows_after(sent, BATCH_ROWS)):
        events = [found.event for found in wanted_rows(rows, RowFilter()) if _is_told(found.event)]
        if events:
            _export(events, url.rstrip("/"), database.machine())
        sent, total = rows[-1].number, total + len(rows)
        database.set_fact(COLLECTOR_SENT, sent)
    return total


def _is_told(event: RecordedEvent) -> bool:
    """The recorder's row of an event is none of its own: what it has seen, a hook's entry has answered or no one."""
    return event.was_answered and not event.note


def _export(events: Sequence[RecordedEvent], url: str, machine: str) -> None:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace.export import SpanExportResult
    except ImportError:
        raise AnyhookError("[journal] otlp needs OpenTelemetry; install it: pip install 'anyhook[otel]'") from None
    resource = Resource({"service.name": "anyhook", "service.instance.id": machine})
    exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces", timeout=TIMEOUT_SECONDS)
    try:
        spans = [span for event in events for span in _spans(event, resource)]
        if exporter.export(spans) is not SpanExportResult.SUCCESS:
            raise AnyhookError(f"collector of [journal] otlp: {url} does not take spans; check the collector")
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]
    _export_metrics(events, url, resource)


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


def _export_metrics(events: Sequence[RecordedEvent], url: str, resource: Resource) -> None:
    """Send counts and durations of these events alone (delta): each process that sends knows only its own."""
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics import Counter, Histogram, MeterProvider
    from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader

    delta: dict[type, AggregationTemporality] = {
        Counter: AggregationTemporality.DELTA,
        Histogram: AggregationTemporality.DELTA,
    }
    exporter = OTLPMetricExporter(endpoint=f"{url}/v1/metrics", timeout=TIMEOUT_SECONDS, preferred_temporality=delta)
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=math.inf)
    provider = MeterProvider([reader], resource, shutdown_on_exit=False)
    meter = provider.get_meter("anyhook")
    fired = meter.create_counter(EVENTS_METRIC, "{event}", "Events that were answered")
    took = meter.create_histogram(DURATION_METRIC, "s", "How long hooks took")
    for event in events:
        about = {"gen_ai.agent.name": event.client, "anyhook.event": event.canonical or event.event}
        fired.add(1, {**about, "anyhook.effect": event.effect})
        for hook in event.hooks:
            if hook.has_run:
                took.record(hook.ms / 1000, {**about, "anyhook.hook": hook.hook, "anyhook.hook.status": hook.status})
    provider.force_flush()
    provider.shutdown()
