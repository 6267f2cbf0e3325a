"""A daemon for the next event: started by exec itself, once, and never if the settings forbid it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from anyhook.daemon_socket.ask import ask_daemon
from tests.serve.daemons import RUN, Stage, wait_until

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
        assert stage.run((*RUN, "daemon", "stop")).status == 0


def test_an_event_that_no_hook_matches_starts_one_too(stage: Stage) -> None:
    unmatched = stage.payload(tool_name="Read")
    assert stage.ask_without(unmatched, "--event", "PreToolUse", ANYHOOK_DAEMON="1").status == 90
    try:
        wait_until(lambda: ask_daemon(stage.place, "status") is not None)
    finally:
        assert stage.run((*RUN, "daemon", "stop")).status == 0


def test_it_is_tried_once_in_a_while(stage: Stage) -> None:
    try:
        assert stage.run(TRY_TWICE, ANYHOOK_DAEMON="1").stdout == b"True False\n"
        wait_until(lambda: ask_daemon(stage.place, "status") is not None)
        os.utime(stage.place.tried, (0, 0))
        assert stage.run(TRY_TWICE, ANYHOOK_DAEMON="1").stdout == b"False False\n", "there is one already"
    finally:
        assert stage.run((*RUN, "daemon", "stop")).status == 0


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
