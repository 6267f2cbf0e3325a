"""Rows reach a real OTLP receiver as spans and metrics, each once, and wait while there is none."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from anyhook.model.outcome import Effect
from anyhook.model.problems import AnyhookError
from anyhook.record.recorded import Happened
from anyhook.record.store.database import COLLECTOR_COUNTS, COLLECTOR_SENT, JournalDatabase
from anyhook.record.store.otlp import send_to_collector
from tests.record.store.journals import hook, private, row

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Receiver:
    """What a collector has received."""

    def __init__(self) -> None:
        self.traces: list[Any] = []
        self.metrics: list[Any] = []
        self.refuses = self.refuses_metrics = False
        self.url = ""

    def spans(self) -> list[Any]:
        return [
            span
            for request in self.traces
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def points(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for request in self.metrics:
            for metric in request.resource_metrics[0].scope_metrics[0].metrics:
                data = metric.sum if metric.HasField("sum") else metric.histogram
                found.setdefault(metric.name, []).extend(data.data_points)
        return found


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            import gzip

            body = self.rfile.read(int(self.headers["Content-Length"]))
            body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            if receiver.refuses or (receiver.refuses_metrics and self.path == "/v1/metrics"):
                self.send_response(400)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            answer: Any
            if self.path == "/v1/traces":
                receiver.traces.append(ExportTraceServiceRequest.FromString(body))
                answer = ExportTraceServiceResponse()
            else:
                receiver.metrics.append(ExportMetricsServiceRequest.FromString(body))
                answer = ExportMetricsServiceResponse()
            data = answer.SerializeToString()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        receiver.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


def plain(attributes: Any) -> dict[str, Any]:
    return {each.key: each.value.string_value or each.value.int_value for each in attributes}


def test_the_shape_of_a_trace(tmp_path: Path) -> None:
    hooks = (
        hook("a.sh", "blocked", ms=2.0),
        hook("b.sh", "failed-so-allowed", reason="exit 3", ms=1.0),
        hook("c.sh", "skipped"),
    )
    made = row(outcome=Happened(Effect.BLOCK, "no"), hooks=hooks, ms=5.0, project="/p", via="daemon", bytes_in=7)
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([made])
        assert send_to_collector(database, receiver.url + "/") == 1
        machine = database.machine()
    event, first, second = receiver.spans()
    assert [span.name for span in (event, first, second)] == ["PreToolUse Bash", "hook a.sh", "hook b.sh"]
    assert len({span.trace_id for span in (event, first, second)}) == 1
    assert first.parent_span_id == second.parent_span_id == event.span_id
    assert event.parent_span_id == b""
    assert event.end_time_unix_nano - event.start_time_unix_nano == 5_000_000
    assert first.end_time_unix_nano - first.start_time_unix_nano == 2_000_000
    assert plain(event.attributes) == {
        "gen_ai.agent.name": "claude-code",
        "gen_ai.conversation.id": "s1",
        "gen_ai.tool.name": "Bash",
        "anyhook.event": "PreToolUse",
        "anyhook.event.native": "PreToolUse",
        "anyhook.effect": "block",
        "anyhook.project": "/p",
        "anyhook.via": "daemon",
        "anyhook.payload.size": 7,
    }
    assert plain(first.attributes) == {
        "anyhook.hook": "a.sh",
        "anyhook.hook.status": "blocked",
        "code.file.path": "/p/hooks/hooks.json",
        "code.line.number": 3,
    }
    assert (first.status.code, second.status.code, second.status.message) == (0, 2, "exit 3")
    resource = plain(receiver.traces[0].resource_spans[0].resource.attributes)
    assert (resource["service.name"], resource["service.instance.id"]) == ("anyhook", machine)


def test_metrics(tmp_path: Path) -> None:
    rows = [row(), row(), row(outcome=Happened(Effect.BLOCK), hooks=(hook(status="blocked", ms=250.0),))]
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add(rows)
        send_to_collector(database, receiver.url)
    points = receiver.points()
    assert {plain(point.attributes)["anyhook.effect"]: point.as_int for point in points["anyhook.events"]} == {
        "proceed": 2,
        "block": 1,
    }
    durations = {plain(point.attributes)["anyhook.hook.status"]: point for point in points["anyhook.hook.duration"]}
    assert (durations["allowed"].count, durations["blocked"].sum) == (2, 0.25)


def test_rows_wait_until_the_collector_takes_them_and_keep_their_ids(tmp_path: Path) -> None:
    rows = [row() for _ in range(450)]
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add(rows)
        receiver.refuses = True
        with pytest.raises(AnyhookError, match="does not take spans"):
            send_to_collector(database, receiver.url)
        assert COLLECTOR_SENT not in database.facts()
        receiver.refuses = False
        assert send_to_collector(database, receiver.url) == 450
        assert send_to_collector(database, receiver.url) == 0
        once = {span.span_id for span in receiver.spans()}
        assert len(once) == len(receiver.spans()) == 900
        forget(database)
        send_to_collector(database, receiver.url)
    assert {span.span_id for span in receiver.spans()} == once


def forget(database: JournalDatabase) -> None:
    """As if the process had died before it could note what it has sent."""
    database.set_facts({COLLECTOR_SENT: 0, COLLECTOR_COUNTS: ""})


def totals(receiver: Receiver) -> tuple[int, int]:
    """The last values of both metrics: they are cumulative."""
    events, hooks = receiver.points()["anyhook.events"][-1], receiver.points()["anyhook.hook.duration"][-1]
    return events.as_int, hooks.count


def test_metrics_that_are_refused_are_sent_again_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row() for _ in range(250)])
        send_to_collector(database, receiver.url)
        assert totals(receiver) == (250, 250)
        database.add([row() for _ in range(250)])
        receiver.refuses_metrics = True
        for _ in range(2):
            with pytest.raises(AnyhookError, match="does not take metrics"):
                send_to_collector(database, receiver.url)
        assert database.facts()[COLLECTOR_SENT] == 250
        receiver.refuses_metrics = False
        before = database.facts()
        assert send_to_collector(database, receiver.url) == 250
        assert totals(receiver) == (500, 500)
        database.set_facts({name: before[name] for name in (COLLECTOR_SENT, COLLECTOR_COUNTS)})  # it died too early
        database.add([row()])
        send_to_collector(database, receiver.url)
        assert totals(receiver) == (501, 501)
    assert len({span.span_id for span in receiver.spans()}) == 1002
    points = receiver.points()
    assert {point.start_time_unix_nano for point in points["anyhook.events"]} == {
        point.start_time_unix_nano for point in points["anyhook.hook.duration"]
    }
    assert len({point.start_time_unix_nano for point in points["anyhook.events"]}) == 1


def test_half_a_surrogate_pair_does_not_keep_other_rows_from_being_sent(tmp_path: Path) -> None:
    odd = row(
        tool="cut \ud83d", outcome=Happened(Effect.BLOCK, "\ud83d"), hooks=(hook("x\ud83d", "failed-so-allowed"),)
    )
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([odd, row()])
        assert send_to_collector(database, receiver.url) == 2
    assert [span.name for span in receiver.spans()][:2] == ["PreToolUse cut ?", "hook x?"]


def test_events_of_the_recorder_are_not_told(tmp_path: Path) -> None:
    """What it has seen was answered by a hook, which has a row of its own, or by none."""
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row(via="record"), row(via="daemon")])
        assert send_to_collector(database, receiver.url) == 2
    assert totals(receiver) == (1, 1)
    assert len(receiver.spans()) == 2
