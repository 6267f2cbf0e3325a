"""What a client starts for every event, with and without a daemon, in C and in Python."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from anyhook.daemon_socket.protocol import PREFIX, DaemonAnswer, encode_answer, head_size, stdin_size
from anyhook.entries.daemon_client import FOLDER, client_by_path
from tests.serve.daemons import Ran, Stage

Client = tuple[str, ...]
ATTEMPTS = 5
"""Clients wait two seconds for a daemon that listens; on a busy machine it may not get to answer in that time."""


def test_the_daemon_answers_as_exec_does(stage: Stage, client: Client) -> None:
    with stage.daemon():
        for command in ("ls", "forbidden"):
            asked = stage.ask(client, stage.payload(command), SECRET="s3cret")
            assert not stage.fell_back()
            assert asked == stage.ask_without(stage.payload(command), SECRET="s3cret")
    assert asked.status != 90 or asked.stdout
    assert b"not that: s3cret" in asked.stdout + asked.stderr


def test_without_a_daemon_the_answer_is_the_same(stage: Stage, client: Client) -> None:
    asked = stage.ask(client, stage.payload("forbidden"))
    assert stage.fell_back()
    assert asked == stage.ask_without(stage.payload("forbidden"))


def test_a_stale_socket_is_nothing(stage: Stage, client: Client) -> None:
    stage.place.path.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(stage.place.socket))
    assert stage.ask(client, stage.payload()).status == 90
    assert stage.fell_back()


def test_a_plain_file_in_the_place_of_the_socket_is_nothing(stage: Stage, client: Client) -> None:
    stage.place.path.mkdir(parents=True, mode=0o700)
    stage.place.socket.write_text("hello")
    assert stage.ask(client, stage.payload()).status == 90
    assert stage.fell_back()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's file")
def test_a_socket_of_another_user_is_nothing(stage: Stage, client: Client) -> None:
    with stage.daemon():
        os.chown(stage.place.socket, 65534, 65534)
        assert stage.ask(client, stage.payload()).status == 90
        assert stage.fell_back()
        os.chown(stage.place.socket, os.getuid(), os.getgid())
        assert stage.status()["connections"] == 1  # only this question itself


def listen(stage: Stage) -> socket.socket:
    """A process that listens in place of the daemon."""
    stage.place.path.mkdir(parents=True, exist_ok=True, mode=0o700)
    stage.place.socket.unlink(missing_ok=True)
    impostor = socket.socket(socket.AF_UNIX)
    impostor.bind(str(stage.place.socket))
    impostor.listen()
    return impostor


def test_a_daemon_that_says_nothing_is_given_up(stage: Stage, client: Client) -> None:
    with listen(stage):
        assert stage.ask(client, stage.payload("forbidden")) == stage.ask_without(stage.payload("forbidden"))
        assert stage.fell_back()


def test_a_daemon_that_listens_is_waited_for(stage: Stage, client: Client) -> None:
    """On a busy machine it may take a while to its first byte, and the program would take longer still."""

    def talk() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError, struct.error):  # the client has given up
            connection.recv(head_size(connection.recv(PREFIX.size, socket.MSG_WAITALL)), socket.MSG_WAITALL)
            time.sleep(0.3)
            connection.sendall(b"Y")
            connection.recv(stdin_size(connection.recv(4, socket.MSG_WAITALL)), socket.MSG_WAITALL)
            connection.sendall(encode_answer(DaemonAnswer(status=93, stdout=b"late")))

    for _ in range(ATTEMPTS):
        with listen(stage) as listening:
            thread = threading.Thread(target=talk)
            thread.start()
            asked = stage.ask(client, stage.payload())
            thread.join()
        if not stage.fell_back():
            break
    assert (asked.status, asked.stdout) == (93, b"late")


def test_a_daemon_whose_queue_is_full_is_waited_for(stage: Stage, client: Client) -> None:
    def ask_while_it_is_full(daemon: subprocess.Popen[bytes]) -> Ran:
        waiting: list[socket.socket] = []
        daemon.send_signal(signal.SIGSTOP)
        try:
            while True:
                waiting.append(socket.socket(socket.AF_UNIX))
                waiting[-1].setblocking(False)
                if waiting[-1].connect_ex(str(stage.place.socket)):
                    break
            threading.Timer(0.3, daemon.send_signal, (signal.SIGCONT,)).start()
            return stage.ask(client, stage.payload("forbidden"))
        finally:
            daemon.send_signal(signal.SIGCONT)
            for connection in waiting:
                connection.close()

    with stage.daemon() as daemon:
        for _ in range(ATTEMPTS):
            asked = ask_while_it_is_full(daemon)
            assert b"not that" in asked.stdout + asked.stderr
            if not stage.fell_back():
                return
    raise AssertionError("it was not waited for")


@pytest.mark.parametrize(
    ("said", "size"),
    [
        (b"", 0),
        (b"N", 300_000),
        (b"Y", 1_000),
        (b"Y", 300_000),
        (b"YN", 0),
        (b"YA", 300_000),
        (b"YA\0\0\0\0\x05\0\0\0\x05half", 1_000),
    ],
)
def test_a_daemon_that_dies_at_any_point_changes_nothing(stage: Stage, client: Client, said: bytes, size: int) -> None:
    payload = stage.payload("forbidden" + "x" * size)

    def talk() -> None:
        connection, _ = listening.accept()
        with connection:
            head = connection.recv(PREFIX.size, socket.MSG_WAITALL)
            connection.recv(head_size(head), socket.MSG_WAITALL)
            connection.sendall(said[:1])
            if said[:1] == b"Y":
                connection.recv(4 + len(payload), socket.MSG_WAITALL)
                connection.sendall(said[1:])

    with listen(stage) as listening:
        thread = threading.Thread(target=talk)
        thread.start()
        asked = stage.ask(client, payload)
        thread.join()
    assert stage.fell_back()
    assert asked == stage.ask_without(payload)


def test_a_daemon_of_another_version_is_not_asked(stage: Stage, tmp_path: Path) -> None:
    source = FOLDER / "anyhook-client.c"
    other = tmp_path / "anyhook-client"
    built = subprocess.run(["cc", "-std=c99", '-DANYHOOK_VERSION="0.0.0"', "-o", other, source])
    if built.returncode:
        pytest.skip("there is no C compiler")
    with stage.daemon():
        assert stage.ask((str(other),), stage.payload()).status == 90
        assert stage.fell_back()
        assert stage.status()["declined"] == 1


@pytest.mark.parametrize(
    "variables", [{"HOME": "/nonexistent"}, {"TMPDIR": "/var/tmp"}, {"HTTPS_PROXY": "http://localhost:1"}]
)
def test_whoever_has_other_settings_of_ours_is_declined(
    stage: Stage, client: Client, variables: dict[str, str]
) -> None:
    with stage.daemon():
        stage.ask(client, stage.payload(), **variables)
        assert stage.fell_back()


def test_hooks_get_the_folder_and_the_variables_of_the_request(stage: Stage, client: Client) -> None:
    stage.write("guard.sh", '#!/bin/sh\ncat > /dev/null\necho "$WHO in $(pwd), umask $(umask)" >&2\nexit 2\n')
    stage.trust()
    with stage.daemon(WHO="the daemon"):
        asked = stage.ask(client, stage.payload(), WHO="the client")
        assert not stage.fell_back()
    assert b"the client in" in asked.stdout + asked.stderr
    assert asked == stage.ask_without(stage.payload(), WHO="the client")


def test_a_folder_named_relative_to_the_client_is_left_to_exec(stage: Stage, client: Client) -> None:
    payload = stage.payload(cwd=".")
    with stage.daemon():
        assert stage.ask(client, payload) == stage.ask_without(payload)
        assert stage.fell_back()


def test_wrong_use_is_said_by_exec(stage: Stage, client: Client) -> None:
    with stage.daemon():
        asked = stage.run((*client, str(stage.top / "anyhook"), "exec", "--nonsense", "1"))
    assert asked.status == 2
    assert b"--nonsense" in asked.stderr


def test_a_client_without_a_command_says_how_it_is_used(stage: Stage, client: Client) -> None:
    asked = stage.run((*client, "anyhook"))
    assert asked.status == 2
    assert b"Usage" in asked.stderr


def test_a_program_that_is_missing_is_named(stage: Stage, client: Client) -> None:
    asked = stage.run((*client, "/nonexistent/anyhook", *stage.words()), b"{}")
    assert asked.status == 127
    assert b"/nonexistent/anyhook" in asked.stderr


def test_closed_streams_do_no_harm(stage: Stage, client: Client) -> None:
    script = '"$@" <&- >&- 2>&-'
    words = ("sh", "-c", script, "sh", *client, str(stage.top / "anyhook"), *stage.words("--event", "PreToolUse"))
    with stage.daemon():
        asked = stage.run(words)
        assert not stage.fell_back()
    assert asked.status == 90


def test_the_client_of_this_installation_can_be_started() -> None:
    ran = subprocess.run(client_by_path(), capture_output=True, text=True)
    assert ran.returncode == 2
    assert "Usage" in ran.stderr


def test_the_payload_may_be_anything(stage: Stage, client: Client) -> None:
    with stage.daemon():
        for payload in (b"", b"\0\xff", b"[1]", json.dumps({"a": 1}).encode(), b"{" * 5000):
            assert stage.ask(client, payload) == stage.ask_without(payload)
            assert not stage.fell_back()


def test_without_a_native_client_the_command_is_the_python_one(stage: Stage) -> None:
    launcher = FOLDER / "launcher.py"
    assert os.access(launcher, os.X_OK), "pip keeps the mode"
    with stage.daemon():
        asked = stage.ask((sys.executable, str(launcher)), stage.payload("forbidden"))
        assert not stage.fell_back()
    assert asked == stage.ask_without(stage.payload("forbidden"))
