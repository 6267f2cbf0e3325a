"""Faults around a daemon: no client loses its answer."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from anyhook.daemon_socket.protocol import GO_ON, MAX_STDIN_BYTES, SIZE
from tests.checkout import SOURCE
from tests.serve.daemons import PYTHON_CLIENT, SOON, Stage, head_of, wait_until
from tests.warm.commands import WARM

OTHER_USER = 65534
Client = tuple[str, ...]


def connect(stage: Stage) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.setblocking(False)
    wait_until(lambda: connection.connect_ex(str(stage.place.socket)) != errno.EAGAIN)  # more wait than it takes
    connection.settimeout(SOON)
    return connection


def head_from(stage: Stage) -> bytes:
    return head_of(stage.project, stage.words(), stage.environment)


def test_a_daemon_killed_during_a_request_costs_no_answer(stage: Stage, client: Client) -> None:
    waits = 'until [ -e "$GATE" ]; do sleep 0.05; done'
    stage.write("guard.sh", f"#!/bin/sh\ncat > /dev/null\n{waits}\necho not that >&2\nexit 2\n")
    stage.trust()
    with stage.daemon() as daemon, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(stage.ask, client, stage.payload())
        wait_until(lambda: stage.status()["running"] == 1)
        os.kill(daemon.pid, signal.SIGKILL)
        daemon.wait()
        stage.gate.touch()
        assert asked.result() == stage.ask_without(stage.payload())
        assert stage.fell_back()
    with stage.daemon():  # what the dead one left behind does not matter
        stage.ask(client, stage.payload())
        assert not stage.fell_back()


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become another user")
def test_another_user_is_refused(stage: Stage) -> None:
    asks = f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({str(stage.place.socket)!r}); print(s.recv(1))"
    words = ("setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups", "/usr/bin/env", "python3")
    with stage.daemon():
        shut_out = subprocess.run([*words, "-c", asks], capture_output=True, text=True)
        assert "PermissionError" in shut_out.stderr
        # Even if the folder is opened to others, the daemon checks the user that connects.
        for folder in (stage.top, stage.top / "s", stage.place.path):
            folder.chmod(0o755)
        stage.place.socket.chmod(0o666)
        assert subprocess.run([*words, "-c", asks], capture_output=True, text=True).stdout == "b''\n"
        assert "another user" in stage.place.log.read_text()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="a process can be limited from outside on Linux only")
def test_a_full_disk_costs_only_the_log(stage: Stage, client: Client) -> None:
    with stage.daemon() as daemon:
        noted = stage.place.log.read_text()
        resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (0, 0))  # no file can grow any more
        asked = stage.ask(client, stage.payload("forbidden"))
        assert not stage.fell_back()
        assert asked == stage.ask_without(stage.payload("forbidden"))
        assert stage.place.log.read_text() == noted


@pytest.mark.long
def test_connections_that_are_opened_and_left_are_in_nobodys_way(stage: Stage, client: Client) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 10_000
    if hard < wanted + 500:
        wanted = 3_000 if hard > 3_500 else hard // 2
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(wanted + 500, hard)), hard))
    try:
        with stage.daemon(), ExitStack() as left:
            for _ in range(wanted):
                left.enter_context(connect(stage))
            wait_until(lambda: stage.status()["connections"] < 600)
            assert b"not that" in b"".join(stage.ask(client, stage.payload("forbidden"))[1:])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.long
def test_a_request_of_50_megabytes_is_answered(stage: Stage, client: Client) -> None:
    payload = stage.payload("forbidden" + "x" * 50_000_000)
    with stage.daemon():
        asked = stage.ask(client, payload)
        assert not stage.fell_back()
    assert b"not that" in asked.stdout + asked.stderr


@pytest.mark.long
def test_more_than_the_daemon_takes_is_left_to_exec(stage: Stage, client: Client) -> None:
    payload = stage.payload("forbidden" + "x" * MAX_STDIN_BYTES)
    with stage.daemon():
        asked = stage.ask(client, payload)
        assert stage.fell_back()
    assert b"not that" in asked.stdout + asked.stderr


@pytest.mark.parametrize(
    "part", ["half a head", "no stdin", "half of stdin", "nonsense", "a huge head", "a huge stdin"]
)
def test_half_a_request_and_nonsense_are_in_nobodys_way(stage: Stage, client: Client, part: str) -> None:
    head = head_from(stage)
    with stage.daemon(), connect(stage) as connection:
        match part:
            case "half a head":
                connection.sendall(head[: len(head) // 2])
            case "nonsense":
                connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            case "a huge head":
                connection.sendall(b"AHK1\xff\xff\xff\xff")
            case _:
                connection.sendall(head)
                assert connection.recv(1) == GO_ON
                if part == "half of stdin":
                    connection.sendall(SIZE.pack(1000) + b"x" * 500)
                elif part == "a huge stdin":
                    connection.sendall(b"\xff\xff\xff\xff")
        assert b"not that" in b"".join(stage.ask(client, stage.payload("forbidden"))[1:])
        assert not stage.fell_back()
        if part in ("nonsense", "a huge head", "a huge stdin"):
            assert connection.recv(1) == b""
        elif part == "half of stdin":
            connection.close()
            wait_until(lambda: stage.status()["running"] == 0)


@pytest.mark.long
def test_a_client_that_does_not_take_its_answer_is_given_up(stage: Stage) -> None:
    stage.write("guard.sh", "#!/bin/sh\ncat > /dev/null\nhead -c 9000000 /dev/zero | tr '\\0' x >&2\nexit 2\n")
    stage.trust()
    with stage.daemon(), connect(stage) as connection:
        connection.sendall(head_from(stage))
        assert connection.recv(1) == GO_ON
        payload = stage.payload()
        connection.sendall(SIZE.pack(len(payload)) + payload)
        wait_until(lambda: stage.status()["answered"] == 1)
        wait_until(lambda: stage.status()["running"] == 0)


def test_the_time_of_day_has_no_say(stage: Stage, client: Client) -> None:
    """A clock that jumps back makes nothing older or younger: only what the files say counts."""
    site = stage.top / "site"
    site.mkdir()
    code = "import time\n_real = time.time\ntime.time = lambda: _real() - 1e8 * (int(_real() * 10) % 2)\n"
    (site / "sitecustomize.py").write_text(code)
    path = f"{site}{os.pathsep}{SOURCE}"
    stage.environment["PYTHONPATH"] = path
    with stage.daemon("--idle", "0.1"):
        assert b"not that" in b"".join(stage.ask(client, stage.payload("forbidden"))[1:])
        stage.write("hooks.json", json.dumps({"version": 1, "hooks": {}}))
        for file in (stage.project / "hooks").iterdir():
            os.utime(file, (1, 1))
        assert b"not that" not in b"".join(stage.ask(client, stage.payload("forbidden"))[1:])
        assert not stage.fell_back()


def test_a_folder_in_the_place_of_the_socket_is_an_error_that_says_so(stage: Stage) -> None:
    for folder in (stage.place.socket.parent.parent, stage.place.socket.parent, stage.place.socket):
        folder.mkdir(mode=0o700, exist_ok=True)
    ran = stage.run((*WARM, "daemon", "start", "--foreground"))
    assert ran.status == 2
    assert b"daemon.sock" in ran.stderr


def test_a_name_that_is_too_long_for_a_socket_is_an_error_that_says_so(stage: Stage) -> None:
    ran = stage.run((*WARM, "daemon", "start"), ANYHOOK_STATE_DIR=str(stage.top / ("x" * 120)))
    assert ran.status == 2
    assert b"too long" in ran.stderr


@pytest.mark.long
def test_many_clients_at_once_each_get_their_own_answer_once(stage: Stage) -> None:
    """16 clients: with more, a daemon that gets little of a busy machine may take its own threads for a stuck hook.

    bench/load.py does the same with 64 clients and 10,000 events, and looks at the memory.
    """
    stage.write(
        "echo.py",
        "from anyhook import deny, hook\n\n"
        "@hook('PreToolUse', matcher='Bash')\n"
        "def echo(event):\n"
        "    return deny('<' + event.tool_input['command'] + '>')\n",
    )
    stage.write_hooks({})
    stage.trust()
    head = head_from(stage)

    def one(number: int) -> bytes:
        with connect(stage) as connection:
            connection.sendall(head)
            assert connection.recv(1) == GO_ON
            payload = stage.payload(f"event-{number}")
            connection.sendall(SIZE.pack(len(payload)) + payload)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    with stage.daemon(), ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(one, range(1_000)))
        assert stage.status()["answered"] == 1_000
    told = Counter(number for number in range(1_000) if f"<event-{number}>".encode() in answers[number])
    assert sum(told.values()) == 1_000


@pytest.mark.long
def test_a_function_that_holds_the_interpreter_costs_nobody_else_an_answer(stage: Stage) -> None:
    """No thread runs any more, so the daemon ends; clients that waited for it, or ask meanwhile, run exec."""
    stage.write(
        "stuck.py",
        "import re\nfrom anyhook import hook\n\n"
        "@hook('PreToolUse', matcher='Bash')\n"
        "def stuck(event):\n"
        "    if event.tool_input['command'] == 'stuck':\n"
        "        re.match('(a+)+$', 'a' * 100 + 'b')\n",
    )
    stage.trust()
    payload = stage.payload("stuck")
    with stage.daemon() as daemon, connect(stage) as stuck:
        stuck.sendall(head_from(stage))
        assert stuck.recv(1) == GO_ON
        stuck.sendall(SIZE.pack(len(payload)) + payload)
        assert b"not that" in stage.ask(PYTHON_CLIENT, stage.payload("forbidden")).stdout
        assert stage.fell_back()
        daemon.wait(SOON)
        assert stuck.recv(1) == b""
