"""The guard ``notify``: when it tells what, by which program, and that it fails nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from msgspec import structs

from anyhook.guards.call import GuardCall
from anyhook.guards.session.notify import judge, notice_of
from anyhook.model.payload import Notification, PermissionRequest, Stop
from anyhook.model.payload_base import Payload

WAITS = Notification(session_id="s", message="Claude needs\nyour permission")
ASKS = PermissionRequest(session_id="s", tool_name="Bash", tool_input={"command": "echo SECRET"})
ENDS = Stop(session_id="s")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "bin").mkdir()
    return tmp_path / "shop"


def call_of(project: Path, event: Payload, **settings: object) -> GuardCall:
    path = {"PATH": str(project.parent / "bin")}
    return GuardCall(event=event, settings=settings, project=project, client="codex", environment=path)


def test_what_the_user_is_told(project: Path) -> None:
    told = [notice_of(call_of(project, event)).text for event in (WAITS, ASKS, ENDS, Notification(session_id="s"))]
    assert told == [
        "Claude needs your permission",
        "The agent asks for permission to use Bash.",
        "The agent has ended its turn.",
        "The agent waits for you.",
    ]
    assert notice_of(call_of(project, ENDS)).title == "codex: shop"


@pytest.mark.skipif(os.name == "nt", reason="the program of this test is a shell script")
def test_a_notice_is_shown_without_waiting(project: Path) -> None:
    shown, go_on = project.parent / "shown", project.parent / "go-on"
    program = project.parent / "bin" / "notify-send"
    lines = ["#!/bin/sh", f"while [ ! -e '{go_on}' ]; do /bin/sleep 0.05; done"]
    lines += [f"printf '%s|' \"$@\" > '{shown}.new'", f"/bin/mv '{shown}.new' '{shown}'", ""]
    program.write_text("\n".join(lines))
    program.chmod(0o755)
    assert judge(call_of(project, ENDS, bell=False)) is None
    go_on.touch()
    end = time.monotonic() + 60
    while not shown.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert shown.read_text() == "--app-name=anyhook|--|codex: shop|The agent has ended its turn.|"


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
def test_a_program_that_cannot_start_fails_nothing(project: Path) -> None:
    program = project.parent / "bin" / "notify-send"
    program.write_bytes(b"\x7fELF broken")
    program.chmod(0o755)
    assert judge(call_of(project, ENDS)) is None


@pytest.mark.parametrize(
    ("settings", "posted"),
    [
        ({"webhook": True}, ["Claude needs your permission", "The agent has ended its turn."]),
        ({"webhook": True, "on": "ends"}, ["The agent has ended its turn."]),
        ({"webhook": True, "on": ["waits"]}, ["Claude needs your permission"]),
        ({}, []),
    ],
)
def test_when_a_webhook_is_asked_for(project: Path, settings: dict[str, object], posted: list[str]) -> None:
    found: list[str] = []
    for event in (WAITS, ENDS):
        call = call_of(project, event, **settings)
        judge(structs.replace(call, post=lambda _, text: found.append(text)))
    assert found == posted
