"""Counts of all rows that were sent to a collector, as cumulative OpenTelemetry metrics.

The counts are kept in the database beside the number of the last row that they include. Whatever is sent again, because
the collector was away or the process died, has the same counts or later ones: nothing is lost or counted twice.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from anyhook.record.recorded import RecordedEvent

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics.export import Metric, MetricsData
    from opentelemetry.sdk.resources import Resource

EVENTS_METRIC, DURATION_METRIC = "anyhook.events", "anyhook.hook.duration"
EVENT_LABELS = ("gen_ai.agent.name", "anyhook.event", "anyhook.effect")
HOOK_LABELS = ("gen_ai.agent.name", "anyhook.event", "anyhook.hook", "anyhook.hook.status")
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
"""Seconds: what OpenTelemetry advises for durations."""


class Durations(Struct, frozen=True):
    """How long a hook took."""

    seconds: float = 0.0
    least: float = float("inf")
    most: float = 0.0
    counts: tuple[int, ...] = (0,) * (len(BOUNDS) + 1)
    """Runs up to each bound, and beyond the last."""

    def with_run(self, seconds: float) -> Durations:
        at = bisect_left(BOUNDS, seconds)
        counts = (*self.counts[:at], self.counts[at] + 1, *self.counts[at + 1 :])
        return Durations(self.seconds + seconds, min(self.least, seconds), max(self.most, seconds), counts)


class MetricCounts(Struct, frozen=True):
    """What was counted since a time; keys are the values of the labels, as a JSON array."""

    since: int
    """In nanoseconds."""
    events: Mapping[str, int] = {}
    hooks: Mapping[str, Durations] = {}

    def with_events(self, rows: Iterable[RecordedEvent]) -> MetricCounts:
        """These counts and those of further events."""
        events, hooks = dict(self.events), dict(self.hooks)
        for row in rows:
            about = (row.client, row.canonical or row.event)
            key = _key(*about, row.effect)
            events[key] = events.get(key, 0) + 1
            for hook in row.hooks:
                if hook.has_run:
                    key = _key(*about, hook.hook, hook.status)
                    hooks[key] = hooks.get(key, Durations()).with_run(hook.ms / 1000)
        return MetricCounts(self.since, events, hooks)


def read_counts(content: str) -> MetricCounts:
    """The counts that were kept; those that cannot be read begin anew."""
    try:
        return msgspec.json.decode(content, type=MetricCounts)
    except ValueError:
        return MetricCounts(time.time_ns())


def write_counts(counts: MetricCounts) -> str:
    return msgspec.json.encode(counts).decode()


def cumulative_metrics(counts: MetricCounts, resource: Resource) -> MetricsData:
    """The counts as what a collector takes."""
    from opentelemetry.sdk.metrics.export import MetricsData, ResourceMetrics, ScopeMetrics
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    scope = ScopeMetrics(InstrumentationScope("anyhook"), list(_metrics(counts, time.time_ns())), "")
    return MetricsData([ResourceMetrics(resource, [scope], "")])


def _metrics(counts: MetricCounts, now: int) -> Iterable[Metric]:
    from opentelemetry.sdk.metrics.export import (
        AggregationTemporality,
        Histogram,
        HistogramDataPoint,
        Metric,
        NumberDataPoint,
        Sum,
    )

    numbers = [
        NumberDataPoint(_labels(EVENT_LABELS, key), counts.since, now, value) for key, value in counts.events.items()
    ]
    total = Sum(numbers, AggregationTemporality.CUMULATIVE, is_monotonic=True)
    yield Metric(EVENTS_METRIC, "Events that were answered", "{event}", total)
    points = [
        HistogramDataPoint(
            attributes=_labels(HOOK_LABELS, key),
            start_time_unix_nano=counts.since,
            time_unix_nano=now,
            count=sum(took.counts),
            sum=took.seconds,
            bucket_counts=took.counts,
            explicit_bounds=BOUNDS,
            min=took.least,
            max=took.most,
        )
        for key, took in counts.hooks.items()
    ]
    if points:
        histogram = Histogram(points, AggregationTemporality.CUMULATIVE)
        yield Metric(DURATION_METRIC, "How long hooks took", "s", histogram)


def _key(*values: str) -> str:
    return msgspec.json.encode(values).decode()


def _labels(names: tuple[str, ...], key: str) -> dict[str, str]:
    return dict(zip(names, msgspec.json.decode(key, type=list[str]), strict=True))
