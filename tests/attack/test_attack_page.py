"""Other processes and pages of this machine against the server of ``anyhook ui``."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anyhook.record.store.database import JournalDatabase
from anyhook.ui import access
from anyhook.ui.api.live import MAX_STREAMS
from anyhook.ui.connections import ConnectionLimits
from tests.record.store.journals import row
from tests.ui.serving import Asked, serving


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    project = tmp_path_factory.mktemp("page") / "project"
    project.mkdir()
    with serving(project) as running:
        yield running


def connect(asked: Asked, sent: str = "", receive_bytes: int = 0) -> socket.socket:
    client = socket.socket()
    client.settimeout(60)
    if receive_bytes:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    client.connect(("127.0.0.1", asked.server.port))
    client.sendall(sent.encode())
    return client


def head(asked: Asked, path: str, *headers: str) -> str:
    return "\r\n".join([f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{asked.server.port}", *headers, "", ""])


def is_closed(client: socket.socket) -> bool:
    """Whether the server has closed the connection; waits for a byte of it otherwise."""
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def is_kept(client: socket.socket) -> bool:
    """Whether the server takes one byte more."""
    try:
        client.sendall(b"X")
        return client.recv(65536) != b""
    except TimeoutError:
        return True
    except ConnectionError:
        return False


# ------------------------------------------------------------------------------------------------------- streams


def test_streams_that_are_opened_at_the_same_time_are_limited(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project") as asked, ExitStack() as opened:
        request = head(asked, "/api/live", f"Cookie: {asked.log_in()}")
        clients = [opened.enter_context(connect(asked)) for _ in range(4 * MAX_STREAMS)]
        for client in clients:
            client.sendall(request.encode())
        statuses = [client.recv(12)[9:] for client in clients]
    assert statuses.count(b"200") == MAX_STREAMS
    assert statuses.count(b"503") == 3 * MAX_STREAMS


def test_a_follower_that_does_not_read_is_dropped(tmp_path: Path) -> None:
    """And the next one gets its place, and every row."""
    (tmp_path / "project").mkdir()
    limits = ConnectionLimits(stalled_seconds=0.2)
    with serving(tmp_path / "project", limits=limits) as asked, ExitStack() as opened:
        with JournalDatabase(asked.journal) as database:
            database.add([row(session="s" * 100_000) for _ in range(100)])  # more than the kernel buffers
        request = head(asked, "/api/live?after=0", f"Cookie: {asked.log_in()}")
        for _ in range(MAX_STREAMS):
            opened.enter_context(connect(asked, request, receive_bytes=4096)).recv(12)
        while True:
            with connect(asked, request) as client:
                status = client.recv(12)[9:]
                if status == b"200":
                    with client.makefile("rb") as stream:
                        ids = list(islice((line for line in stream if line.startswith(b"id: ")), 100))
                    break
            assert status == b"503"
    assert ids == [b"id: %d\n" % number for number in range(1, 101)]


# --------------------------------------------------------------------------------------- connections without the cookie


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "GET / HTTP/1.1\r\nHost: ",
        "GET /static/app.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n",
        "POST /api/about HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 999999\r\n\r\nx",
        "GET /api/about HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    ],
)
def test_connections_without_an_accepted_request(sent: str, tmp_path: Path) -> None:
    """They are few, and a page has its place beside any number of them."""
    (tmp_path / "project").mkdir()
    limits = ConnectionLimits(unknown=4, request_seconds=3600)
    with serving(tmp_path / "project", limits=limits) as running, ExitStack() as opened:
        page = opened.enter_context(connect(running, head(running, "/api/live", f"Cookie: {running.log_in()}")))
        assert page.recv(12)[9:] == b"200"
        text = sent.format(port=running.server.port)
        clients = [opened.enter_context(connect(running, text)) for _ in range(40)]
        for client in clients[:36]:
            while not is_closed(client):
                pass
        assert running.request("/api/about", Cookie=running.log_in())[0] == 200
        with page.makefile("rb") as stream:
            assert any(line.startswith(b"retry") for line in stream)


@pytest.mark.parametrize("after", ["", "cookie"])
def test_half_a_request_is_not_waited_for(after: str, tmp_path: Path) -> None:
    """Neither by byte for byte, nor after a whole one that was accepted."""
    (tmp_path / "project").mkdir()
    with serving(tmp_path / "project", limits=ConnectionLimits(request_seconds=0.3)) as asked:
        first = head(asked, "/api/about", f"Cookie: {asked.log_in()}") if after else ""
        with connect(asked, first + "GET /api/about HTTP/1.1\r\n") as client:
            client.settimeout(0.05)
            while is_kept(client):
                pass


def test_headers_do_not_say_who_has_connected(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy's headers would hide the user at the other end."""
    ports: list[int] = []

    def note_port(port: int, _server_port: int) -> bool:
        ports.append(port)
        return True

    monkeypatch.setattr(access, "may_be_own_user", note_port)
    headers = {"X_Forwarded_For": "203.0.113.9", "Forwarded": "for=203.0.113.9", "X_Forwarded_Proto": "https"}
    assert asked.request("/api/about", Cookie=asked.log_in(), **headers)[0] == 200
    assert ports[-1] > 0


# ------------------------------------------------------------------------------------------------- origins, addresses

FOREIGN = [
    "http://evil.example",
    "null",
    "",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}/",
    "http://[::1]:{port}",
]


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize("path", ["/", "/api/about", "/api/live", "/static/app.js"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(asked: Asked, origin: str, path: str, method: str) -> None:
    named = origin.format(port=asked.server.port)
    status, _, body = asked.request(path, method, Cookie=asked.log_in(), Origin=named)
    assert (status, json.loads(body)) == (403, {"error": "another page has asked"})


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_its_own_origin_is_accepted(asked: Asked, host: str) -> None:
    origin = f"http://{host}:{asked.server.port}"
    assert asked.request("/api/about", Cookie=asked.log_in(), Origin=origin)[0] == 200
    with connect(asked, head(asked, "/api/live", f"Cookie: {asked.log_in()}", f"Origin: {origin}")) as client:
        assert client.recv(12)[9:] == b"200"


def test_two_origins_are_refused(asked: Asked) -> None:
    own = f"Origin: http://127.0.0.1:{asked.server.port}"
    request = head(asked, "/api/about", f"Cookie: {asked.log_in()}", own, "Origin: http://evil.example")
    with connect(asked, request) as client:
        assert client.recv(12)[9:] == b"403"


ROUTES = ["/api/events/{}", "/api/rules/{}", "/api/clients/{}", "/static/{}", "/api/{}", "/{}"]
QUERIES = ["/api/sessions", "/api/events", "/api/about", "/api/clients"]
NAMES = ["before", "after", "until", "limit", "session", "client", "project", "event", "effect", "hook", "open",
         "everywhere", "token"]  # fmt: skip
TEXTS = st.one_of(
    st.integers(-(2**70), 10**60).map(str),
    st.integers(0, 6000).map("9".__mul__),
    st.text(st.characters(categories=["N"]), max_size=40),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    st.sampled_from(["\0", "..", "../..", "%", "1e9", "0x10", "+1", "1_0", "٣", " 1", "NaN", "\x00" * 30]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(route=st.sampled_from(ROUTES), text=TEXTS)
def test_any_text_in_an_address(asked: Asked, route: str, text: str) -> None:
    status, _, body = asked.request(route.format(quote(text, safe="")), Cookie=asked.log_in())
    assert status in (200, 400, 404), body


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(path=st.sampled_from(QUERIES), values=st.dictionaries(st.sampled_from(NAMES), TEXTS, max_size=5))
def test_any_text_in_a_query(asked: Asked, path: str, values: dict[str, str]) -> None:
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in values.items())
    status, _, body = asked.request(f"{path}?{query}", Cookie=asked.log_in())
    assert status in (200, 400, 404), body


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=TEXTS)
def test_any_last_event_id(asked: Asked, text: str) -> None:
    sent = "".join(sign for sign in text if sign.isascii() and sign.isprintable())[:4000]
    request = head(asked, "/api/live", f"Cookie: {asked.log_in()}", f"Last-Event-ID: {sent}")
    with connect(asked, request) as client:
        assert client.recv(12)[9:] in (b"200", b"503")


@pytest.mark.parametrize("digits", [19, 20, 26, 400, 5000])
def test_a_number_of_many_digits(asked: Asked, digits: int) -> None:
    for sign in "19":
        assert asked.request(f"/api/events/{sign * digits}", Cookie=asked.log_in())[0] in (400, 404)
