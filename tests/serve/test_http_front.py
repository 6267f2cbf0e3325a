"""The HTTP front of the daemon: which requests are refused, and that the others are answered as by ``anyhook exec``."""

from __future__ import annotations

import json
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from anyhook.daemon_socket.ask import ask_daemon
from tests.serve.daemons import SOON, Stage, make_stage, wait_until
from tests.warm.commands import WARM

PATH = "/hooks/claude-code/PreToolUse"
SAYS = """\
#!/bin/sh
case "$(cat)" in
*forbidden*) echo "not that" >&2; exit 2 ;;
*reworded*) echo '{"systemMessage": "hello", "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision":
"allow", "permissionDecisionReason": "fine", "additionalContext": "remember the milk"}}' ;;
esac
"""


class Heard(NamedTuple):
    status: int
    body: bytes
    headers: Mapping[str, str]


class Front:
    """The HTTP front of a stage's daemon, and its user's way to query it."""

    def __init__(self, stage: Stage, port: int) -> None:
        self.stage, self.port = stage, port

    @property
    def token(self) -> str:
        return (self.stage.top / "s/http-token").read_text()

    def connect(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=SOON)

    def post(self, path: str = PATH, body: bytes | None = None, **headers: str | None) -> Heard:
        with closing(self.connect()) as connection:
            return self.post_on(connection, path, body, **headers)

    def post_on(self, connection: HTTPConnection, path: str, body: bytes | None, **headers: str | None) -> Heard:
        usual = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        sent = {name: value for name, value in usual.items() if value is not None}
        connection.request("POST", path, self.stage.payload("forbidden") if body is None else body, sent)
        return hear(connection)


def hear(connection: HTTPConnection) -> Heard:
    answer = connection.getresponse()
    return Heard(answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


Daemon = subprocess.Popen[bytes]


@contextmanager
def on_a_free_port(start: Callable[[int], AbstractContextManager[Daemon]]) -> Iterator[tuple[int, Daemon]]:
    """A daemon on a free port; on another one, if a process has taken it meanwhile."""
    with ExitStack() as running:
        for is_last in (False, False, False, True):
            port = free_port()
            try:
                daemon = running.enter_context(start(port))
                break
            except AssertionError as error:
                if is_last or "cannot listen" not in str(error):
                    raise
        yield port, daemon


@contextmanager
def listening(stage: Stage, **variables: str) -> Iterator[Front]:
    with on_a_free_port(lambda port: stage.daemon("--http", "--http-port", str(port), **variables)) as (port, _):
        yield Front(stage, port)


@pytest.fixture(scope="module")
def front() -> Iterator[Front]:
    """One for all tests that change nothing about its stage."""
    with make_stage() as stage:
        stage.trust()
        with listening(stage) as front:
            yield front


def said_by_exec(stage: Stage, client: str, event: str, payload: bytes, *more: str) -> bytes:
    ran = stage.run((*WARM, "exec", "--client", client, "--event", event, *more), payload, ANYHOOK_DAEMON="0")
    assert ran.status == 0, ran.stderr
    return ran.stdout


# ----------------------------------------------------------------------------------------------------------- answering


CALLS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "claude-code": ("PreToolUse", {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash"}),
    "qwen-code": ("PreToolUse", {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "run_shell_command"}),
    "copilot-cli": ("preToolUse", {"sessionId": "s", "timestamp": 1, "toolName": "bash"}),
}


HOOK_FILES = {
    "claude-code": ".claude/settings.json",
    "qwen-code": ".qwen/settings.json",
    "copilot-cli": ".github/hooks/anyhook.json",
}


def call_of(client: str, command: str, stage: Stage) -> bytes:
    """What a client sends about a command."""
    _, fields = CALLS[client]
    given = {"command": command}
    key = {"toolArgs": json.dumps(given)} if "toolName" in fields else {"tool_input": given}
    return json.dumps({**fields, "cwd": str(stage.project), **key}).encode()


@pytest.mark.parametrize("client", CALLS)
def test_the_answer_is_what_exec_prints(client: str, stage: Stage) -> None:
    stage.write("guard.sh", SAYS)
    stage.trust()
    event = CALLS[client][0]
    with listening(stage) as front:
        for command in ("forbidden", "reworded", "ls"):
            payload = call_of(client, command, stage)
            heard = front.post(f"/hooks/{client}/{event}", payload)
            printed = said_by_exec(stage, client, event, payload)
            assert (heard.status, heard.body) == (200, printed or b"{}")
            assert heard.headers["content-type"] == "application/json"
            assert (b"not that" in heard.body, b"fine" in heard.body) == (command == "forbidden", command == "reworded")


def test_a_connection_is_kept_for_the_next_event(front: Front) -> None:
    with closing(front.connect()) as connection:
        assert b"not that" in front.post_on(connection, PATH, None).body
        first = connection.sock
        assert front.post_on(connection, PATH, front.stage.payload()).body == b"{}"
        assert connection.sock is first
    assert front.stage.status()["answered"] == 2


def test_two_events_sent_at_once_are_answered_in_order(front: Front) -> None:
    def written(command: str) -> bytes:
        payload = front.stage.payload(command)
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {front.token}\r\n"
        return f"{head}Content-Length: {len(payload)}\r\n\r\n".encode() + payload

    with socket.create_connection(("127.0.0.1", front.port), timeout=SOON) as connection:
        connection.sendall(written("forbidden") + written("ls"))
        received = b""
        while received.count(b"HTTP/1.1 200") < 2 or not received.endswith(b"{}"):
            received += connection.recv(65536)
    assert received.index(b"not that") < received.rindex(b"HTTP/1.1")


def test_an_event_sent_in_chunks_is_read(front: Front) -> None:
    with closing(front.connect()) as connection:
        payload = front.stage.payload("forbidden")
        headers = {"Authorization": f"Bearer {front.token}", "Transfer-Encoding": "chunked"}
        connection.request("POST", PATH, iter([payload[:10], payload[10:]]), headers, encode_chunked=True)
        assert b"not that" in hear(connection).body


def test_a_parameter_is_an_option_of_exec(front: Front) -> None:
    payload = front.stage.payload("forbidden", cwd="/")
    assert b"there are no hooks" in front.post(PATH, payload).body
    assert b"not that" in front.post(f"{PATH}?package={front.stage.project}", payload).body


def test_hooks_that_are_not_trusted_do_not_run(stage: Stage) -> None:
    stage.write("guard.sh", "#!/bin/sh\ntouch ran\n")
    with listening(stage) as front:
        assert b"changed since it was trusted" in front.post().body
        closed = json.loads(front.post(f"{PATH}?fail=closed").body)
    assert closed["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert not (stage.project / "ran").exists()


def test_a_refusal_that_a_client_has_no_json_for_is_a_failure(stage: Stage) -> None:
    (stage.project / ".claude").mkdir()
    hooks = {"TeammateIdle": [{"hooks": [{"type": "command", "command": "echo not yet >&2; exit 2"}]}]}
    (stage.project / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    stage.trust()
    event = {"session_id": "s", "cwd": str(stage.project), "hook_event_name": "TeammateIdle", "teammate_name": "a"}
    payload = json.dumps({**event, "task_id": "1", "task_subject": "x"}).encode()
    with listening(stage) as front:
        heard = front.post("/hooks/claude-code/TeammateIdle?from=claude-code", payload)
    assert (heard.status, heard.body) == (500, b"anyhook: not yet\n")


def test_a_session_of_another_client_leaves_nothing_in_the_environment(stage: Stage) -> None:
    other = stage.top / "other"
    other.mkdir()
    with listening(stage, CLAUDE_PROJECT_DIR=str(other)) as front:
        assert b"not that" in front.post().body


def test_an_entry_that_asks_the_daemon_is_not_asked_by_it(stage: Stage) -> None:
    with listening(stage) as front:
        words = ("daemon", "http-entry", "--client", "claude-code", "--event", "PreToolUse", "--source", "claude-code")
        entry = stage.run((*WARM, *words, "--http-port", str(front.port)))
        (stage.project / ".claude").mkdir()
        (stage.project / ".claude/settings.json").write_bytes(entry.stdout)
        stage.trust()
        heard = front.post(f"{PATH}?from=claude-code")
        assert front.stage.status()["answered"] == 1
    assert heard.status == 200


def test_hooks_of_a_client_that_goes_away_are_ended(stage: Stage) -> None:
    pid = stage.top / "pid"
    stage.write("guard.sh", f"#!/bin/sh\necho $$ > {pid}\nsleep 60\n")
    stage.trust()
    with listening(stage) as front:
        with closing(front.connect()) as connection:
            connection.request("POST", PATH, stage.payload(), {"Authorization": f"Bearer {front.token}"})
            wait_until(lambda: pid.exists() and pid.read_text().strip())
        wait_until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists())


def test_a_stop_finishes_what_runs(stage: Stage) -> None:
    begun = stage.top / "begun"
    stops = f"touch {begun}; while [ -e {stage.place.socket} ]; do sleep 0.05; done"
    stage.write("guard.sh", f"#!/bin/sh\ncat > /dev/null\n{stops}\necho finished >&2\nexit 2\n")
    stage.trust()
    with listening(stage) as front, closing(front.connect()) as waiting, closing(front.connect()) as connection:
        waiting.connect()
        connection.request("POST", PATH, stage.payload(), {"Authorization": f"Bearer {front.token}"})
        wait_until(begun.exists)
        assert stage.run((*WARM, "daemon", "stop")).stdout == b"The daemon has stopped.\n"
        heard = hear(connection)
    assert b"finished" in heard.body
    assert heard.headers["connection"] == "close"


# ------------------------------------------------------------------------------------------------------------ refusing


@pytest.mark.parametrize("authorization", [None, "Bearer", "Bearer ", "Bearer wrong", "Basic eDp5", "Bearer \u00e9"])
def test_without_the_token_nobody_is_answered(authorization: str | None, front: Front) -> None:
    answered = front.stage.status()["answered"]
    heard = front.post(Authorization=authorization)
    assert (heard.status, heard.headers["www-authenticate"]) == (401, "Bearer")
    assert front.stage.status()["answered"] == answered


def test_another_users_token_is_a_wrong_one(front: Front) -> None:
    with make_stage() as other, listening(other) as others:
        assert others.token != front.token
        assert front.post(Authorization=f"Bearer {others.token}").status == 401


def test_the_token_is_for_its_user_alone_and_lasts(stage: Stage) -> None:
    with listening(stage) as front:
        first = front.token
        facts = (stage.top / "s/http-token").stat()
        assert stat.S_IMODE(facts.st_mode) == 0o600
        front.post(Authorization="Bearer wrong")
        front.post()
    with listening(stage) as front:
        assert front.token == first
    assert first not in stage.place.log.read_text()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:24665"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "localhost:evil.com"}, 403),
        ({"Host": ""}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Host": "LOCALHOST:1"}, 200),
        ({"Host": "[::1]:24665"}, 200),
    ],
)
def test_pages_in_a_browser_are_refused(headers: dict[str, Any], status: int, front: Front) -> None:
    assert front.post(**headers).status == status


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/", 404, "/hooks/CLIENT/EVENT"),
        ("/hooks/claude-code", 404, "/hooks/CLIENT/EVENT"),
        ("/hooks/claude-code/PreToolUse/more", 404, "/hooks/CLIENT/EVENT"),
        ("/hooks/nobody/PreToolUse", 404, "there is no client 'nobody'"),
        ("/hooks/codex/PreToolUse", 404, "Codex has no HTTP hooks"),
        ("/hooks/universal/pre-tool-use", 404, "has no HTTP hooks"),
        ("/hooks/claude-code/PreToolUsed", 404, "Claude Code has no event PreToolUsed"),
        ("/hooks/claude-code/SessionStart", 404, "calls no HTTP hooks on SessionStart"),
        (f"{PATH}?fail=maybe", 400, "--fail is open, guard or closed"),
        (f"{PATH}?from=nobody", 400, "--from is one of"),
        (f"{PATH}?background=1", 400, "there is no parameter background"),
        (f"{PATH}?answered=90", 400, "there is no parameter answered"),
    ],
)
def test_a_wrong_url_is_refused_with_the_reason(path: str, status: int, text: str, front: Front) -> None:
    heard = front.post(path)
    assert heard.status == status
    assert text in heard.body.decode()


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
def test_only_post_asks(method: str, front: Front) -> None:
    with closing(front.connect()) as connection:
        connection.request(method, PATH, headers={"Authorization": f"Bearer {front.token}"})
        heard = hear(connection)
    assert (heard.status, heard.headers["allow"]) == (405, "POST")


def test_a_payload_that_is_too_large_is_refused_by_the_fail_mode(front: Front) -> None:
    def announced(path: str) -> Heard:
        with closing(front.connect()) as connection:
            connection.putrequest("POST", path)
            connection.putheader("Authorization", f"Bearer {front.token}")
            connection.putheader("Content-Length", str(64 * 1024 * 1024 + 1))
            connection.endheaders(b"{")
            return hear(connection)

    assert announced(PATH).status == 413
    closed = announced(f"{PATH}?fail=closed")
    assert json.loads(closed.body)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_what_is_not_http_is_refused(front: Front) -> None:
    for sent in (b"hello\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 70_000):
        with socket.create_connection(("127.0.0.1", front.port), timeout=SOON) as connection:
            connection.sendall(sent)
            assert connection.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 431")
    assert b"not that" in front.post().body


@pytest.mark.long
@pytest.mark.parametrize("part", ["POST {path} HTTP/1.1\r\nHost: localhost\r\n", "{head}{{"])
def test_half_a_request_is_given_up(part: str, front: Front) -> None:
    head = (
        f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {front.token}\r\nContent-Length: 9\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", front.port), timeout=SOON) as connection:
        connection.sendall(part.format(path=PATH, head=head).encode())
        assert b"not that" in front.post().body  # other clients do not wait for it
        assert connection.recv(1) == b""


@pytest.mark.parametrize("sent", [b"", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"])
def test_connections_without_a_right_to_ask_are_bounded(sent: bytes, front: Front) -> None:
    opened = [socket.create_connection(("127.0.0.1", front.port), timeout=SOON) for _ in range(200)]
    try:
        for connection in opened:
            connection.sendall(sent)
        assert b"not that" in front.post().body  # accepted after all of them
        assert front.stage.status()["connections"] < 140
    finally:
        for connection in opened:
            connection.close()


# -------------------------------------------------------------------------------------------------------- the commands


def listens_by_tcp(pid: int) -> bool:
    """Whether a process has a listening TCP socket, by the system's tables."""
    tables = "".join(Path(f"/proc/{pid}/net/{name}").read_text() for name in ("tcp", "tcp6"))
    rows = [line.split() for line in tables.splitlines()]
    listening = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    return any(str(link.readlink()) in listening for link in Path(f"/proc/{pid}/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/net/tcp").exists(), reason="the system has no such tables")
def test_it_is_off_unless_it_is_wanted(stage: Stage) -> None:
    with stage.daemon() as daemon:
        assert stage.status()["http"] is None
        assert not listens_by_tcp(daemon.pid)
    assert not (stage.top / "s/http-token").exists()
    with listening(stage), stage.place.pid.open() as pid:
        assert listens_by_tcp(int(pid.read()))


def test_the_users_settings_switch_it_on(stage: Stage) -> None:
    folder = stage.top / "h/.config/anyhook"
    folder.mkdir(parents=True)

    def start(port: int) -> AbstractContextManager[Daemon]:
        (folder / "anyhook.toml").write_text(f"[daemon]\nhttp = true\nhttp_port = {port}\nidle_minutes = 0.005\n")
        return stage.daemon()

    with on_a_free_port(start) as (port, daemon):
        assert stage.status()["http"] == f"http://127.0.0.1:{port}/hooks/"
        shown = stage.run((*WARM, "daemon", "status")).stdout.decode()
        assert f"It listens for HTTP hooks at http://127.0.0.1:{port}/hooks/" in shown
        with pytest.raises(subprocess.TimeoutExpired):
            daemon.wait(timeout=1)  # no HTTP hook could start the next one
    with stage.daemon("--no-http"):
        assert stage.status()["http"] is None


def test_mistakes_in_the_settings_are_shown(stage: Stage) -> None:
    folder = stage.top / "h/.config/anyhook"
    folder.mkdir(parents=True)
    (folder / "anyhook.toml").write_text("[daemon]\nhttp = 1\n")
    try:
        ran = stage.run((*WARM, "daemon", "start"))
        assert ran.status == 0
        assert ran.stderr.decode() == f'{folder}/anyhook.toml:2: "http" must be true or false; correct the value\n'
    finally:
        stage.run((*WARM, "daemon", "stop"))


def test_a_port_that_is_taken_is_an_error(stage: Stage) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ran = stage.run((*WARM, "daemon", "start", "--foreground", "--http", "--http-port", port))
    assert ran.status == 2
    assert f"cannot listen on 127.0.0.1:{port}: " in ran.stderr.decode()
    assert ask_daemon(stage.place, "status") is None


@pytest.mark.parametrize("client", CALLS)
def test_the_entry_that_is_printed_works(client: str, stage: Stage) -> None:
    """The hook is called by our own engine, which knows the client's rules for such hooks."""
    file = stage.top / "q" / HOOK_FILES[client]
    file.parent.mkdir(parents=True)
    with listening(stage) as front:
        words = ("http-entry", "--client", client, "--event", CALLS[client][0], "--http-port", str(front.port))
        printed = stage.run((*WARM, "daemon", *words, "--package", str(stage.project)))
        assert b"No daemon listens" not in printed.stderr
        file.write_bytes(printed.stdout)
        heard = stage.run(
            (*WARM, "fire", "--client", client, "--event", CALLS[client][0], str(stage.top / "q")),
            call_of(client, "forbidden", stage),
            ANYHOOK_HTTP_TOKEN=front.token,
            COPILOT_HOOK_ALLOW_LOCALHOST="1",
        )
    assert b"not that" in heard.stdout, heard


@pytest.mark.parametrize(
    ("client", "event", "text"),
    [
        ("codex", "PreToolUse", "Codex has no HTTP hooks"),
        ("claude", "SessionStart", "calls no HTTP hooks on SessionStart"),
        ("claude", "TeammateIdle", "lets no HTTP hook refuse on TeammateIdle"),
    ],
)
def test_an_entry_that_could_not_work_is_not_printed(client: str, event: str, text: str, stage: Stage) -> None:
    ran = stage.run((*WARM, "daemon", "http-entry", "--client", client, "--event", event))
    assert (ran.status, ran.stdout) == (2, b"")
    assert text in ran.stderr.decode()
