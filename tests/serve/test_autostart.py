"""A daemon for the next event: started by exec itself, once, and never if the settings forbid it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from anyhook.daemon_socket.ask import ask_daemon
from anyhook.serve.control import stop_daemon
from tests.serve.daemons import SOON, Stage, wait_until
from tests.warm.commands import WARM

TRY_TWICE = (
    sys.executable,
    "-c",
    "import os; from anyhook.serve.autostart import start_for_next_time as s; print(s(os.environ), s(os.environ))",
)


def test_exec_starts_a_daemon_that_answers_the_next_event(stage: Stage, client: tuple[str, ...]) -> None:
    first = stage.ask(client, stage.payload("forbidden"), ANYHOOK_DAEMON="1", SECRET="of this project")
    assert stage.fell_back()
    try:
        wait_until(lambda: ask_daemon(stage.place, "status") is not None)
        assert stage.ask(client, stage.payload("forbidden"), SECRET="of this project") == first
        assert not stage.fell_back()
        environment = Path(f"/proc/{stage.status()['pid']}/environ")
        if environment.exists():
            assert b"of this project" not in environment.read_bytes()
    finally:
        assert stage.run((*WARM, "daemon", "stop")).status == 0


def test_an_event_that_no_hook_matches_starts_one_too(stage: Stage) -> None:
    unmatched = stage.payload(tool_name="Read")
    assert stage.ask_without(unmatched, "--event", "PreToolUse", ANYHOOK_DAEMON="1").status == 90
    try:
        wait_until(lambda: ask_daemon(stage.place, "status") is not None)
    finally:
        assert stage.run((*WARM, "daemon", "stop")).status == 0


def test_it_is_tried_once_in_a_while(stage: Stage) -> None:
    try:
        assert stage.run(TRY_TWICE, ANYHOOK_DAEMON="1").stdout == b"True False\n"
        wait_until(lambda: ask_daemon(stage.place, "status") is not None)
        os.utime(stage.place.tried, (0, 0))
        assert stage.run(TRY_TWICE, ANYHOOK_DAEMON="1").stdout == b"False False\n", "there is one already"
    finally:
        assert stage.run((*WARM, "daemon", "stop")).status == 0


def test_the_variable_and_the_settings_switch_it_off(stage: Stage) -> None:
    assert stage.run(TRY_TWICE).stdout == b"False False\n"
    settings = stage.top / "h/.config/anyhook/anyhook.toml"
    settings.parent.mkdir(parents=True)
    variables = {"ANYHOOK_DAEMON": "1", "XDG_CONFIG_HOME": str(stage.top / "h/.config")}
    for setting in ("start = false", "http = true"):
        settings.write_text(f"[daemon]\n{setting}\n")
        stage.place.tried.unlink(missing_ok=True)
        assert stage.run(TRY_TWICE, b"", **variables).stdout == b"False False\n", setting


@pytest.mark.parametrize("state", ["file", "file/below"])
def test_a_place_that_cannot_be_made_costs_exec_nothing(state: str, stage: Stage) -> None:
    (stage.top / "file").write_text("")
    ran = stage.run(TRY_TWICE, ANYHOOK_DAEMON="1", ANYHOOK_STATE_DIR=str(stage.top / state))
    assert (ran.stdout, ran.stderr) == (b"False False\n", b"")


def test_stop_waits_for_a_daemon_that_is_just_starting(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or it would come up afterwards: exec does not wait for the daemon that it starts."""
    pause = time.sleep

    def go_on(seconds: float) -> None:
        stage.gate.touch()  # it waits, so the daemon may start
        pause(seconds)

    begun, slow = stage.top / "begun", stage.top / "slow"
    slow.mkdir()
    (slow / "sitecustomize.py").write_text(
        "import pathlib, sys, time\n"
        "if '--foreground' in sys.orig_argv:\n"
        f"    pathlib.Path({str(begun)!r}).touch()\n"
        f"    while not pathlib.Path({str(stage.gate)!r}).exists():\n"
        "        time.sleep(0.02)\n"
        "        pathlib.Path(__file__).exists() or sys.exit()\n"  # the test has failed
    )
    path = os.pathsep.join((str(slow), stage.environment["PYTHONPATH"]))
    stage.ask_without(stage.payload(), ANYHOOK_DAEMON="1", PYTHONPATH=path)
    wait_until(begun.exists)
    assert ask_daemon(stage.place, "status") is None
    with monkeypatch.context() as patched:
        patched.setattr(time, "sleep", go_on)
        assert stop_daemon(stage.place, wait=SOON)
    log = stage.place.log.read_text()
    assert log.count('"started"') == log.count('"stopped"') == 1
    assert stage.run((*WARM, "daemon", "stop")).stdout == b"No daemon is running.\n"


def test_a_daemon_that_never_gets_ready_is_killed(stage: Stage) -> None:
    slow = stage.top / "slow"
    slow.mkdir()
    (slow / "sitecustomize.py").write_text(
        "import sys, time\nwhile '--foreground' in sys.orig_argv:\n    time.sleep(0.02)\n"
    )
    path = os.pathsep.join((str(slow), stage.environment["PYTHONPATH"]))
    stage.ask_without(stage.payload(), ANYHOOK_DAEMON="1", PYTHONPATH=path)
    pid = int(stage.place.starting.read_text())
    assert stop_daemon(stage.place, wait=0.1)
    wait_until(lambda: not stop_daemon(stage.place, wait=0.1))
    status = Path(f"/proc/{pid}/stat")
    assert not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"
