"""HTTP hooks against a real server on this machine: what is sent, what is refused, what an answer means to whom."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import msgspec
import pytest

from anyhook.daemon_socket.simulation import SIMULATION, SIMULATION_HEADER
from anyhook.dialects import dialect, profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.places import FileKind
from anyhook.engine.engine import Engine
from anyhook.engine.executors.http import HttpSettings, forbidden, run_http
from anyhook.engine.executors.job import ActionResult, Job
from anyhook.extras import install_command
from anyhook.model.hooks import Http
from anyhook.model.origin import Scope
from anyhook.model.outcome import Outcome, Status
from anyhook.model.payload import PreToolUse
from anyhook.model.payload_base import Payload
from anyhook.sources.merge import merge
from anyhook.sources.parsing.parse_json import parse_json

DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }
}
FLAT_DENY = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
LOCALHOST = "COPILOT_HOOK_ALLOW_LOCALHOST"
CALL = PreToolUse(tool_name="Bash", tool_input={"command": "ls"}, session_id="s", cwd="/")


class Reply(msgspec.Struct):
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}
    delay: float = 0.0
    megabytes: int = 0


class Request(msgspec.Struct):
    path: str
    headers: dict[str, str]
    body: bytes


class Server:
    """Answers every POST with ``reply`` and remembers what it got."""

    def __init__(self) -> None:
        self.reply = Reply()
        self.requests: list[Request] = []
        self.sent_bytes = 0
        self.closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.requests.append(Request(self.path, headers, body))
                outer.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Listener(ThreadingHTTPServer):
            def handle_error(self, request: Any, client_address: Any) -> None:
                pass  # the other side hung up, as some tests want it to

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.port = self.listener.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.thread = threading.Thread(target=self.listener.serve_forever, args=(0.02,), daemon=True)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.closing.wait(self.reply.delay)
        handler.send_response(self.reply.status)
        size = self.reply.megabytes << 20
        for name, value in {"Content-Length": str(size or len(self.reply.body)), **self.reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(self.reply.body)
        for _ in range(self.reply.megabytes * 16):
            handler.wfile.write(b" " * 65536)
            self.sent_bytes += 65536

    def close(self) -> None:
        self.closing.set()
        self.listener.shutdown()
        self.thread.join()
        self.listener.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    made.thread.start()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LOCALHOST, raising=False)


def json_reply(value: object, status: int = 200) -> Reply:
    return Reply(status, msgspec.json.encode(value), {"Content-Type": "application/json"})


def fire(client: str, url: str, tmp_path: Path, event: str = "PreToolUse", **keys: Any) -> Outcome:
    """One event in an engine whose only hook is an HTTP hook."""
    hook = {"type": "http", "url": url, **keys}
    config: dict[str, Any] = {"hooks": {event: [{"hooks": [hook]}]}}
    kind = FileKind.SETTINGS
    if client == "copilot-cli":
        config, kind = {"version": 1, "hooks": {event: [hook]}}, FileKind.HOOKS
    document = parse_json(msgspec.json.encode(config).decode(), "hooks.json")
    hooks = merge(client, [dialect(client).read(document, kind, Scope.PROJECT)])
    return Engine(hooks, profile(client), project=tmp_path, home=tmp_path).fire_sync(CALL)


def post(
    url: str,
    *,
    client: str = "claude-code",
    timeout: float | None = 120,
    environment: Mapping[str, str] | None = None,
    settings: HttpSettings | None = None,
    **keys: Any,
) -> ActionResult:
    action = Http(url=url, **keys)
    job = Job(bind_event(profile(client), "PreToolUse", "PreToolUse"), action, CALL)
    return asyncio.run(run_http(job, action, environment or {}, timeout, settings or HttpSettings()))


def resolving(names: Mapping[str, Sequence[str]], **more: Any) -> HttpSettings:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return names[host]

    return HttpSettings(resolve=resolve, **more)


# -------------------------------------------------------------------------------------------------------- what is sent


def test_the_event_is_posted_as_a_command_hook_would_get_it(server: Server) -> None:
    done = post(server.url)
    assert done.raw.exit_code == 0
    [request] = server.requests
    assert request.path == "/hook"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == f"127.0.0.1:{server.port}"
    assert not request.body.endswith(b"\n")  # recorded, though commands get one
    assert msgspec.json.decode(request.body)["tool_input"] == {"command": "ls"}


def test_header_variables_come_from_the_list_only(server: Server) -> None:
    post(
        server.url,
        headers={"Authorization": "Bearer $TOKEN", "X-Two": "${TOKEN}-${SECRET}", "X-Three": "$SECRET$5 $MISSING."},
        allowed_env=("TOKEN", "MISSING"),
        environment={"TOKEN": "t0", "SECRET": "s3cret"},
    )
    headers = server.requests[0].headers
    assert headers["authorization"] == "Bearer t0"
    assert headers["x-two"] == "t0-"
    assert headers["x-three"] == "$5 ."


def test_a_simulated_event_says_so(server: Server) -> None:
    post(server.url, environment={SIMULATION: "fire"})
    post(server.url, environment={})
    assert [request.headers.get(SIMULATION_HEADER) for request in server.requests] == ["fire", None]


def test_a_second_list_narrows_the_first(server: Server) -> None:
    environment = {"A": "a", "B": "b"}
    settings = HttpSettings(allowed_env=frozenset({"B"}))
    post(server.url, headers={"X": "$A$B"}, allowed_env=("A", "B"), environment=environment, settings=settings)
    assert server.requests[0].headers["x"] == "b"


def test_a_variable_cannot_add_a_header(server: Server) -> None:
    post(server.url, headers={"X": "$A"}, allowed_env=("A",), environment={"A": "1\r\nX-Admin: yes"})
    assert server.requests[0].headers["x"] == "1X-Admin: yes"
    assert "x-admin" not in server.requests[0].headers


def test_headers_of_the_connection_cannot_be_set(server: Server) -> None:
    headers = {"Host": "example.com", "Content-Length": "1", "Transfer-Encoding": "chunked", "content-type": "text/x"}
    post(server.url, headers=headers)
    [request] = server.requests
    assert request.headers["host"] == f"127.0.0.1:{server.port}"
    assert request.headers["content-type"] == "text/x"
    assert msgspec.json.decode(request.body)


def test_a_bad_header_is_the_hooks_failure(server: Server) -> None:
    done = post(server.url, headers={"bad name\n": "x"})
    assert done.raw.error.startswith(f"POST {server.url}: ")


def test_proxies_of_the_environment_are_not_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert post(server.url).raw.exit_code == 0
    assert len(server.requests) == 1


def test_redirects_are_not_followed(server: Server) -> None:
    server.reply = Reply(307, headers={"Location": server.url + "/elsewhere"})
    done = post(server.url)
    assert done.raw.error == f"POST {server.url}: answered with status 307 (redirects are not followed)"
    assert len(server.requests) == 1


def test_qwen_fills_in_variables_in_the_url(server: Server) -> None:
    post(server.url + "/$A/$B", client="qwen-code", allowed_env=("A",), environment={"A": "a", "B": "b"})
    post(server.url + "/$A", client="claude-code", allowed_env=("A",), environment={"A": "a"})
    assert [request.path for request in server.requests] == ["/hook/a/", "/hook/$A"]


# --------------------------------------------------------------------------------------------------- what is not called


@pytest.mark.parametrize(
    ("address", "default", "private_allowed"),
    [
        ("93.184.216.34", True, True),
        ("2606:2800:220:1::1", True, True),
        ("127.0.0.1", True, True),
        ("127.8.9.1", True, True),
        ("::1", True, True),
        ("::ffff:127.0.0.1", True, True),
        ("10.0.0.1", False, True),
        ("172.16.5.4", False, True),
        ("192.168.1.1", False, True),
        ("100.64.0.1", False, True),
        ("fd12::1", False, True),
        ("::ffff:10.0.0.1", False, True),
        ("64:ff9b::a00:1", False, True),
        ("2002:a00:1::", False, True),
        ("169.254.169.254", False, False),
        ("169.254.0.7", False, False),
        ("::ffff:169.254.169.254", False, False),
        ("64:ff9b::a9fe:a9fe", False, False),
        ("fe80::1", False, False),
        ("fd00:ec2::254", False, False),
        ("100.100.100.200", False, False),
        ("0.0.0.0", False, False),
        ("::", False, False),
        ("224.0.0.1", False, False),
        ("ff02::1", False, False),
    ],
)
def test_the_address_guard(address: str, default: bool, private_allowed: bool) -> None:
    assert (forbidden(ip_address(address), HttpSettings()) == "") is default
    assert (forbidden(ip_address(address), HttpSettings(allow_private=True)) == "") is private_allowed


def test_loopback_can_be_forbidden(server: Server) -> None:
    done = post(server.url, settings=HttpSettings(allow_loopback=False))
    assert done.raw.error == f"POST {server.url}: 127.0.0.1 is 127.0.0.1, which is this machine"
    assert server.requests == []


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "169.254.169.254", "[fe80::1]", "[::ffff:10.0.0.1]", "0.0.0.0", "2852039166"]
)
def test_private_addresses_are_refused_before_anything_is_sent(host: str) -> None:
    assert ", which is " in post(f"http://{host}/latest/meta-data").raw.error


def test_a_name_counts_as_what_it_resolves_to(server: Server) -> None:
    names = {"metadata.test": ["169.254.169.254"], "mixed.test": ["127.0.0.1", "10.0.0.1"], "none.test": []}
    settings = resolving(names)
    assert "169.254.169.254, which is link-local" in post("http://metadata.test/", settings=settings).raw.error
    assert "10.0.0.1, which is private" in post(f"http://mixed.test:{server.port}/", settings=settings).raw.error
    assert "has no address" in post("http://none.test/", settings=settings).raw.error
    assert server.requests == []


def test_the_connection_goes_to_the_address_that_was_checked(server: Server) -> None:
    done = post(f"http://hook.test:{server.port}/x", settings=resolving({"hook.test": ["127.0.0.1"]}))
    assert done.raw.exit_code == 0
    assert server.requests[0].headers["host"] == f"hook.test:{server.port}"


def test_every_address_is_tried(server: Server) -> None:
    settings = resolving({"hook.test": ["127.0.0.2", "::1", "127.0.0.1"]})  # nobody listens on the first two
    assert post(f"http://hook.test:{server.port}/", settings=settings).raw.exit_code == 0
    assert len(server.requests) == 1


def test_only_allowed_urls_are_called(server: Server) -> None:
    settings = HttpSettings(allowed_urls=("https://hooks.example.com/*", "http://127.0.0.1:*/hook"))
    assert post(server.url, settings=settings).raw.exit_code == 0
    assert post(server.url + "/more", settings=settings).raw.error.endswith(
        "the URL is not on the list of allowed ones"
    )


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://x", "/relative", "", "http://", "http://[x", "\0"]
)
def test_other_urls_are_failures(url: str) -> None:
    assert post(url).raw.error.startswith(f"POST {url}: ")


def test_a_name_that_does_not_exist_is_a_failure() -> None:
    assert post("http://does-not-exist.invalid/").raw.error


def test_settings_of_the_environment() -> None:
    assert HttpSettings.from_environment({}) == HttpSettings()
    environment = {
        "ANYHOOK_HTTP_ALLOW_PRIVATE": "1",
        "ANYHOOK_HTTP_ALLOW_LOOPBACK": "0",
        "ANYHOOK_HTTP_ALLOWED_URLS": "https://a/* https://b/*",
        "ANYHOOK_HTTP_ALLOWED_ENV": "A B",
        "ANYHOOK_HTTP_MAX_BYTES": "5",
    }
    assert HttpSettings.from_environment(environment) == HttpSettings(
        allow_private=True,
        allow_loopback=False,
        allowed_urls=("https://a/*", "https://b/*"),
        allowed_env=frozenset({"A", "B"}),
        max_bytes=5,
    )


def test_the_engine_obeys_the_environment(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_HTTP_ALLOW_LOOPBACK", "0")
    assert fire("claude-code", server.url, tmp_path).runs[0].status is Status.FAILED_OPEN
    assert server.requests == []


# ------------------------------------------------------------------------------------------------------------- limits


def test_a_slow_answer_is_not_waited_for(server: Server) -> None:
    server.reply = Reply(delay=600)
    assert post(server.url, timeout=0.3).raw.timed_out


def test_a_slow_name_server_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: released.wait(600) and [])
    try:
        assert post("http://slow.test/", timeout=0.2).raw.timed_out
    finally:
        released.set()


def test_a_huge_answer_is_cut_while_it_comes(server: Server) -> None:
    server.reply = Reply(megabytes=50)
    done = post(server.url)
    assert done.raw.error == f"POST {server.url}: answered with more than 1048576 bytes"
    assert server.sent_bytes < 40 << 20


def test_a_packed_answer_is_not_unpacked(server: Server) -> None:
    server.reply = Reply(body=b"\x1f\x8b" + b"x" * 20, headers={"Content-Encoding": "gzip"})
    assert post(server.url).raw.error.endswith("the answer is not a JSON object")
    assert server.requests[0].headers["accept-encoding"] == "identity"


def test_cancellation_ends_the_request(server: Server) -> None:
    server.reply = Reply(delay=600)

    async def cancelled() -> None:
        action = Http(url=server.url)
        job = Job(bind_event(profile("claude-code"), "PreToolUse"), action, CALL)
        task = asyncio.create_task(run_http(job, action, {}, None, HttpSettings()))
        while not server.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=120)
        assert done
        assert task.cancelled()

    asyncio.run(cancelled())


def test_without_httpx_the_failure_says_what_to_install(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    assert post(server.url).raw.error.endswith(f"HTTP hooks need httpx; install it: {install_command('http')}")


# --------------------------------------------------------------------------------------- what an answer means to whom


def test_a_refusal_blocks(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOCALHOST, "1")
    server.reply = json_reply(DENY)
    assert fire("claude-code", server.url, tmp_path).effect == "block"
    assert fire("qwen-code", server.url, tmp_path).effect == "block"
    assert fire("copilot-cli", server.url, tmp_path).effect == "block"
    server.reply = json_reply(FLAT_DENY)
    outcome = fire("copilot-cli", server.url, tmp_path, "preToolUse")
    assert (outcome.effect, outcome.reason) == ("block", "no")
    assert "toolName" in msgspec.json.decode(server.requests[-1].body)


REFUSED = "http://127.0.0.1:9/"
ALLOWED, BLOCKED, OPEN, CLOSED = Status.ALLOWED, Status.BLOCKED, Status.FAILED_OPEN, Status.FAILED_CLOSED
OUTCOMES: dict[str, tuple[Reply, Status, Status, Status]] = {
    # reply: what it comes to in Claude Code, in Copilot CLI's preToolUse, and in Qwen Code
    "200 empty": (Reply(), ALLOWED, ALLOWED, ALLOWED),
    "204": (Reply(204), ALLOWED, ALLOWED, ALLOWED),
    "201 refusal": (json_reply(DENY, 201), BLOCKED, ALLOWED, BLOCKED),  # preToolUse has flat fields alone
    "200 text": (Reply(body=b"hello"), OPEN, ALLOWED, ALLOWED),
    "200 list": (json_reply([1]), OPEN, ALLOWED, ALLOWED),
    "302": (Reply(302, headers={"Location": REFUSED}), OPEN, CLOSED, OPEN),
    "403 refusal": (json_reply(DENY, 403), OPEN, CLOSED, OPEN),
    "500": (Reply(500, b"oops"), OPEN, CLOSED, OPEN),
    "slow": (Reply(delay=20), Status.TIMED_OUT, Status.TIMED_OUT, Status.TIMED_OUT),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_recorded_answers_client_by_client(
    name: str, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOCALHOST, "1")
    server.reply, *expected = OUTCOMES[name]
    events = {"claude-code": "PreToolUse", "copilot-cli": "preToolUse", "qwen-code": "PreToolUse"}
    for (client, event), status in zip(events.items(), expected, strict=True):
        key = "timeoutSec" if client == "copilot-cli" else "timeout"
        outcome = fire(client, server.url, tmp_path, event, **({key: 0.4} if name == "slow" else {}))
        assert outcome.runs[0].status is status, client
        assert (outcome.effect == "block") is (status in (BLOCKED, CLOSED)), client


def test_recorded_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOCALHOST, "1")
    assert fire("claude-code", REFUSED, tmp_path).effect == "proceed"
    assert fire("qwen-code", REFUSED, tmp_path).effect == "proceed"
    assert fire("copilot-cli", REFUSED, tmp_path, "preToolUse").effect == "block"
    assert fire("claude-code", REFUSED, tmp_path, onFailure="block").effect == "block"


def test_claude_never_shows_text_to_the_model(server: Server, tmp_path: Path) -> None:
    server.reply = Reply(body=b"hello")
    outcome = fire("claude-code", server.url, tmp_path)
    assert (outcome.to_model, outcome.to_user) == ((), ())


def test_qwen_shows_text_to_the_user_and_wants_the_content_type_for_json(server: Server, tmp_path: Path) -> None:
    server.reply = Reply(body=b" hello\n")
    assert fire("qwen-code", server.url, tmp_path).to_user == ("hello",)
    server.reply = Reply(body=msgspec.json.encode(DENY))
    assert fire("qwen-code", server.url, tmp_path).effect == "proceed"
    server.reply = Reply(body=b"{", headers={"Content-Type": "application/json; charset=utf-8"})
    assert fire("qwen-code", server.url, tmp_path).to_user == ()


def test_copilot_leaves_out_this_machine_unless_asked(server: Server, tmp_path: Path) -> None:
    server.reply = json_reply(FLAT_DENY)
    outcome = fire("copilot-cli", server.url, tmp_path, "preToolUse")
    assert outcome.effect == "proceed"
    assert [problem.text for problem in outcome.problems] == [
        f"Copilot CLI calls this machine only if {LOCALHOST} is 1"
    ]
    assert server.requests == []


def test_copilot_calls_other_machines_only_by_https() -> None:
    done = post("http://hook.test/", client="copilot-cli", settings=resolving({"hook.test": ["93.184.216.34"]}))
    assert done.raw.exit_code == 0
    assert done.problems == ("Copilot CLI calls other machines only by https",)


def test_where_every_failing_command_blocks_a_failing_request_does(server: Server) -> None:
    server.reply = Reply(500)
    action = Http(url=server.url)
    job = Job(bind_event(profile("claude-code"), "WorktreeCreate"), action, Payload(event="WorktreeCreate"))
    done = asyncio.run(run_http(job, action, {}, 5, HttpSettings()))
    assert (done.raw.exit_code, done.raw.stderr) == (1, f"POST {server.url}: answered with status 500".encode())


# ---------------------------------------------------------------------------------------------------------------- TLS


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl")
    path = tmp_path / "cert.pem"
    request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=hook.test -addext subjectAltName=DNS:hook.test"
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(path)]
    subprocess.run([openssl, *request.split(), *files], check=True, capture_output=True)
    return path


def test_the_certificate_is_checked_for_the_name(
    certificate: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    server.listener.socket = context.wrap_socket(server.listener.socket, server_side=True)
    settings = resolving({"hook.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]})
    assert "certificate" in post(f"https://hook.test:{server.port}/", settings=settings).raw.error.lower()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert post(f"https://hook.test:{server.port}/", settings=settings).raw.exit_code == 0
    assert "certificate" in post(f"https://other.test:{server.port}/", settings=settings).raw.error.lower()
    assert len(server.requests) == 1
