"""Rows reach a real OTLP receiver as spans and metrics, each once, and wait while there is none."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
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
from anyhook.record.store import collector as collector_module
from anyhook.record.store import send as send_module
from anyhook.record.store import writer as writer_module
from anyhook.record.store.collector import OtlpCollector
from anyhook.record.store.database import COLLECTOR_COUNTS, COLLECTOR_SENT, JournalDatabase
from anyhook.record.store.otlp import EVENT_ATTRIBUTES, HOOK_ATTRIBUTES, MAX_TEXT, send_to_collector
from anyhook.record.store.otlp_metrics import EVENT_LABELS, HOOK_LABELS
from anyhook.record.store.query import journal_notes
from anyhook.record.store.send import SENT_AGAIN, send_rows
from anyhook.record.store.spool import add_to_spool
from anyhook.record.store.writer import JournalWriter, store_spool_here
from anyhook.sources.settings import JournalSettings
from tests.checkout import ROOT
from tests.record.store.journals import hook, private, row, stored
from tests.serve.daemons import wait_until

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

LONG = 60.0


class Receiver:
    """What a collector has received."""

    def __init__(self) -> None:
        self.traces: list[Any] = []
        self.metrics: list[Any] = []
        self.status = self.status_of_metrics = 200
        self.headers: list[str] = []
        self.may_answer = threading.Event()
        self.may_answer.set()
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
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            import gzip

            body = self.rfile.read(int(self.headers["Content-Length"]))
            body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            receiver.headers.append(self.headers.get("X-Key", ""))
            receiver.may_answer.wait(LONG)
            status = receiver.status_of_metrics if self.path == "/v1/metrics" else receiver.status
            if status != 200:
                self.send_response(status)
                self.send_header("Location", "https://127.0.0.1/elsewhere")
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
        receiver.url = f"http://127.0.0.1:{server.server_port}"
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
            receiver.url = f"https://localhost:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
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
        assert send_to_collector(database, OtlpCollector(receiver.url + "/")) == 1
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
        send_to_collector(database, OtlpCollector(receiver.url))
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
        receiver.status = 400
        with pytest.raises(AnyhookError, match="does not take spans"):
            send_to_collector(database, OtlpCollector(receiver.url))
        assert COLLECTOR_SENT not in database.facts()
        receiver.status = 200
        assert send_to_collector(database, OtlpCollector(receiver.url)) == 450
        assert send_to_collector(database, OtlpCollector(receiver.url)) == 0
        once = {span.span_id for span in receiver.spans()}
        assert len(once) == len(receiver.spans()) == 900
        forget(database)
        send_to_collector(database, OtlpCollector(receiver.url))
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
        send_to_collector(database, OtlpCollector(receiver.url))
        assert totals(receiver) == (250, 250)
        database.add([row() for _ in range(250)])
        receiver.status_of_metrics = 400
        for _ in range(2):
            with pytest.raises(AnyhookError, match="does not take metrics"):
                send_to_collector(database, OtlpCollector(receiver.url))
        assert database.facts()[COLLECTOR_SENT] == 250
        receiver.status_of_metrics = 200
        before = database.facts()
        assert send_to_collector(database, OtlpCollector(receiver.url)) == 250
        assert totals(receiver) == (500, 500)
        database.set_facts({name: before[name] for name in (COLLECTOR_SENT, COLLECTOR_COUNTS)})  # it died too early
        database.add([row()])
        send_to_collector(database, OtlpCollector(receiver.url))
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
        assert send_to_collector(database, OtlpCollector(receiver.url)) == 2
    assert [span.name for span in receiver.spans()][:2] == ["PreToolUse cut ?", "hook x?"]


def test_events_of_the_recorder_are_not_told(tmp_path: Path) -> None:
    """What it has seen was answered by a hook, which has a row of its own, or by none."""
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row(via="record"), row(via="daemon")])
        assert send_to_collector(database, OtlpCollector(receiver.url)) == 2
    assert totals(receiver) == (1, 1)
    assert len(receiver.spans()) == 2


@pytest.mark.parametrize("status", [302, 308, 401, 413, 429, 500, 503])
def test_rows_wait_whatever_the_refusal_is(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(collector_module, "TIMEOUT_SECONDS", 0.5)
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row()])
        receiver.status = status
        with pytest.raises(AnyhookError, match=f"does not take spans: HTTP {status}; check the collector"):
            send_to_collector(database, OtlpCollector(receiver.url))
        assert COLLECTOR_SENT not in database.facts()
        receiver.status = 200
        assert send_to_collector(database, OtlpCollector(receiver.url)) == 1
    assert len(receiver.spans()) == 2
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:4318", "this is no url of a collector; write http://HOST:4318"),
        ("http://ada:hunter2@[bad", "this is no url of a collector"),
        ("http://ada:hunter2@127.0.0.1:1/base/", "http://127.0.0.1:1/base does not answer; check that it runs"),
        ("http://ada:hunter2@[::1]:1", r"http://\[::1\]:1 does not answer"),
    ],
)
def test_a_collector_that_cannot_be_reached(
    url: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(collector_module, "TIMEOUT_SECONDS", 0.5)
    with JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([row()])
        with pytest.raises(AnyhookError, match=f"^collector of .journal. otlp: {message}") as raised:
            send_to_collector(database, OtlpCollector(url))
        assert COLLECTOR_SENT not in database.facts()
    assert "hunter2" not in str(raised.value)
    assert capfd.readouterr().err == ""


def test_headers_are_those_of_the_user(tmp_path: Path) -> None:
    folder = private(tmp_path / "journal")
    with receiving() as receiver:
        with JournalDatabase(folder) as database:
            database.add([row()])
        assert send_rows(folder, JournalSettings(otlp=receiver.url, otlp_headers={"X-Key": "k1"})) == ()
    assert receiver.headers == ["k1", "k1"]


def test_texts_are_limited_and_a_row_without_a_time_keeps_no_other_back(tmp_path: Path) -> None:
    long = "x" * 100_000
    odd = row(tool=long, hooks=(hook(long, "failed-so-allowed", reason=long),))
    with receiving() as receiver, JournalDatabase(private(tmp_path / "journal")) as database:
        database.add([odd, row(at="never"), row()])
        assert send_to_collector(database, OtlpCollector(receiver.url)) == 3
    assert len(receiver.spans()) == 4
    assert max(len(each.SerializeToString()) for each in receiver.spans()) < 5 * MAX_TEXT


def test_one_process_at_a_time_sends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    monkeypatch.setattr(send_module, "BUSY_SECONDS", 0.05)
    folder = private(tmp_path / "journal")
    with receiving() as receiver:
        with JournalDatabase(folder) as database:
            database.add([row()])
        with FileLock(folder / send_module.LOCK):
            assert send_rows(folder, JournalSettings(otlp=receiver.url)) == ()
            assert not receiver.traces
        send_rows(folder, JournalSettings(otlp=receiver.url))
        assert len(receiver.traces) == 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(writer_module, "SPOOL_SECONDS", 0.05)
    monkeypatch.setattr(writer_module, "BATCH_SECONDS", 0.01)
    monkeypatch.setattr(send_module, "RETRY_SECONDS", 0.1)
    return private(tmp_path / "state" / "journal")


def use_collector(tmp_path: Path, url: str) -> None:
    file = tmp_path / "config" / "anyhook" / "anyhook.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[journal]\notlp = "{url}"\n')


def test_a_slow_collector_keeps_no_row_out_of_the_journal(folder: Path, tmp_path: Path) -> None:
    """Rows that wait in memory are lost if the process is killed."""
    reports: list[str] = []
    with receiving() as receiver:
        use_collector(tmp_path, receiver.url)
        receiver.may_answer.clear()
        writer = JournalWriter(folder, reports.append)
        try:
            writer.put(row())
            wait_until(lambda: receiver.headers)  # it has asked, and gets no answer
            writer.put(row())
            wait_until(lambda: len(stored(folder)) == 2)
            receiver.may_answer.set()
            wait_until(lambda: len({span.span_id for span in receiver.spans()}) == 4)
        finally:
            receiver.may_answer.set()
            writer.close(LONG)
    assert not receiver.spans()[4:] or reports


def test_a_collector_that_refuses_rows_is_reported_once(folder: Path, tmp_path: Path) -> None:
    reports: list[str] = []
    with receiving() as receiver:
        use_collector(tmp_path, receiver.url)
        receiver.status = 401
        writer = JournalWriter(folder, reports.append)
        try:
            writer.put(row())
            wait_until(lambda: len(receiver.headers) > 2)
            receiver.status = 200
            wait_until(lambda: len(reports) == 2)
        finally:
            writer.close(LONG)
    assert [report.partition(": ")[0] for report in reports] == ["collector of [journal] otlp", SENT_AGAIN]


def test_a_journal_that_is_read_sends_rows_and_says_why_it_cannot(folder: Path, tmp_path: Path) -> None:
    with receiving() as receiver:
        use_collector(tmp_path, receiver.url)
        receiver.status = 400
        add_to_spool(folder, row())
        assert ["does not take spans" in note for note in journal_notes(folder)] == [True]
        receiver.status = 200
        assert journal_notes(folder) == []  # also though no row is in the spool any more
        assert len(receiver.spans()) == 2


def test_exec_sends_nothing(folder: Path, tmp_path: Path) -> None:
    """A client waits for it, and its environment is the project's."""
    with receiving() as receiver:
        use_collector(tmp_path, receiver.url)
        add_to_spool(folder, row())
        store_spool_here(folder)
        assert len(stored(folder)) == 1
        assert not receiver.headers


def test_the_document_has_every_attribute_and_no_other() -> None:
    text = (ROOT / "docs" / "journal.md").read_text(encoding="utf-8").partition("| attribute | of | value |")[2]
    rows = re.findall(r"^\| (`[^|]*) \| (event|hook) \|", text, re.MULTILINE)
    written = {
        of: {name for names, each in rows if each == of for name in re.findall("`([^`]*)`", names)} for _, of in rows
    }
    assert written == {"event": set(EVENT_ATTRIBUTES), "hook": set(HOOK_ATTRIBUTES)}
    assert {*EVENT_LABELS, *HOOK_LABELS} <= {*EVENT_ATTRIBUTES, *HOOK_ATTRIBUTES}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_a_collector_with_a_certificate_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run(["openssl", *make.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    monkeypatch.setattr(collector_module, "TIMEOUT_SECONDS", 0.5)
    for name in ("OTEL_EXPORTER_OTLP_CERTIFICATE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    folder = private(tmp_path / "journal")
    with JournalDatabase(folder) as database:
        database.add([row()])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with receiving(context) as receiver:
        settings = JournalSettings(otlp=receiver.url)
        assert ["does not answer" in failure for failure in send_rows(folder, settings)] == [True]
        monkeypatch.setattr(collector_module, "TIMEOUT_SECONDS", LONG)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert send_rows(folder, settings) == ()
        assert len(receiver.spans()) == 2
