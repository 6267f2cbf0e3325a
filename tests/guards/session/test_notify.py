"""The guard ``notify``: when it tells what, by which program, and that it fails nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec import structs

from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import GUARDS
from anyhook.guards.options import usable_settings
from anyhook.guards.session.notify import judge, notice_of
from anyhook.model.payload import Notification, PermissionRequest, Stop
from anyhook.model.payload_base import Payload
from tests.checkout import SOURCE

WAITS = Notification(session_id="s", message="Claude needs\nyour permission")
ASKS = PermissionRequest(session_id="s", tool_name="Bash", tool_input={"command": "echo SECRET"})
ENDS = Stop(session_id="s")
SILENT = (Notification(session_id="s"), Notification(session_id="s", message=""))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "bin").mkdir()
    return tmp_path / "shop"


def call_of(project: Path, event: Payload, **settings: object) -> GuardCall:
    path = {"PATH": str(project.parent / "bin")}
    return GuardCall(event=event, settings=settings, project=project, client="codex", environment=path)


def test_there_may_be_nothing_to_tell() -> None:
    assert usable_settings(GUARDS["notify"].options, {"on": []}) == ({"on": []}, ())


def test_what_the_user_is_told(project: Path) -> None:
    told = [notice_of(call_of(project, event)).text for event in (WAITS, ASKS, ENDS, *SILENT)]
    assert told == [
        "Claude needs your permission",
        "The agent asks for permission to use Bash.",
        "The agent has ended its turn.",
        "The agent waits for you.",
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
        ({"webhook": True, "exceptions": [{"clients": ["codex"]}]}, []),
        (
            {"webhook": True, "exceptions": [{"clients": ["claude-code"]}], "on": "ends"},
            ["The agent has ended its turn."],
        ),
        ({}, []),
    ],
)
def test_when_a_webhook_is_asked_for(project: Path, settings: dict[str, object], posted: list[str]) -> None:
    found: list[str] = []
    for event in (WAITS, ENDS):
        call = call_of(project, event, **settings)
        judge(structs.replace(call, post=lambda _, text: found.append(text)))
    assert found == posted


PROGRAMS = {
    "notify-send": ["--app-name=anyhook", "--", "codex: shop", "The agent has ended its turn."],
    "osascript": [
        *("-e", "on run argv"),
        *("-e", "display notification (item 2 of argv) with title (item 1 of argv)"),
        *("-e", "end run"),
        "codex: shop",
        "The agent has ended its turn.",
    ],
    "powershell": ["-NoProfile", "-NonInteractive", "-Command"],
}


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
@pytest.mark.parametrize("program", PROGRAMS)
def test_which_program_is_started(program: str, project: Path) -> None:
    shown = project.parent / "shown"
    lines = [
        f'for each; do echo "$each"; done > "{shown}.new"',
        f'echo "$NOTICE_TITLE|$NOTICE_TEXT|$OWN" >> "{shown}.new"',
    ]
    file = project.parent / "bin" / program
    file.write_text("\n".join(["#!/bin/sh", *lines, f'/bin/mv "{shown}.new" "{shown}"', ""]))
    file.chmod(0o755)
    call = call_of(project, ENDS, bell=False)
    judge(structs.replace(call, environment={**call.environment, "OWN": "1"}))
    end = time.monotonic() + 60
    while not shown.exists() and time.monotonic() < end:
        time.sleep(0.02)
    *given, variables = shown.read_text().splitlines()
    assert given[: len(PROGRAMS[program])] == PROGRAMS[program]
    assert variables == "codex: shop|The agent has ended its turn.|1"


def test_a_notice_is_short_and_has_no_control_characters(project: Path) -> None:
    long = Notification(session_id="s", message="a\x1b]0;" + "b" * 400)
    text = notice_of(call_of(project, long)).text
    assert text.startswith("a ]0;bbb")
    assert len(text) == 300
    assert notice_of(call_of(project, PermissionRequest(session_id="s", tool_name="", tool_input={}))).text.endswith(
        "use a tool."
    )
    other = Notification(session_id="s", message=7)  # type: ignore[arg-type]
    assert notice_of(call_of(project, other)).text == "The agent waits for you."


@pytest.mark.skipif(os.name == "nt", reason="the program of this test is a shell script")
def test_what_is_switched_off_is_not_done(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr("anyhook.guards.session.notify._ring", lambda: done.append("bell"))
    monkeypatch.setattr("anyhook.guards.session.notify._show", lambda _, notice: done.append(notice.text))
    judge(call_of(project, ASKS))
    judge(call_of(project, ENDS, bell=False, desktop=False))
    judge(call_of(project, ENDS, on=["waits"]))
    assert done == ["bell", "The agent asks for permission to use Bash."]
    judge(call_of(project, ENDS, on=["ends"], desktop=False))
    assert done[2:] == ["bell"]


def plant(project: Path, name: str) -> Path:
    """A program that writes down what it is given; returns the file that it writes."""
    shown = project.parent / f"{name}-shown"
    program = project.parent / "bin" / name
    lines = [
        "#!/bin/sh",
        f"{{ printf '%s\\n' \"$@\"; printf '%s|%s' \"$NOTICE_TITLE\" \"$NOTICE_TEXT\"; }} > '{shown}.new'",
    ]
    program.write_text("\n".join([*lines, f"/bin/mv '{shown}.new' '{shown}'", ""]))
    program.chmod(0o755)
    return shown


def wait_for(file: Path) -> str:
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return file.read_text()


NASTY = Notification(session_id="s", message='"; do shell script "touch pwned"; \'); touch pwned; $(touch pwned)')


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
def test_osascript_gets_the_texts_as_arguments_of_a_script(project: Path) -> None:
    shown = plant(project, "osascript")
    judge(call_of(project, NASTY, bell=False))
    told = wait_for(shown).splitlines()
    assert told[:6] == [
        "-e",
        "on run argv",
        "-e",
        "display notification (item 2 of argv) with title (item 1 of argv)",
        "-e",
        "end run",
    ]
    assert told[6:8] == ["codex: shop", NASTY.message]


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
def test_powershell_gets_the_texts_as_variables(project: Path) -> None:
    shown = plant(project, "powershell")
    judge(call_of(project, NASTY, bell=False))
    told = wait_for(shown)
    script, _, texts = told.rpartition("\n")
    assert script.startswith(
        "-NoProfile\n-NonInteractive\n-Command\n$m = [Windows.UI.Notifications.ToastNotificationManager"
    )
    assert "touch" not in script
    assert texts == f"codex: shop|{NASTY.message}"


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
def test_only_the_first_program_that_there_is_shows_a_notice(project: Path) -> None:
    first, others = plant(project, "notify-send"), [plant(project, name) for name in ("osascript", "powershell")]
    judge(call_of(project, ENDS, bell=False))
    assert "The agent has ended its turn." in wait_for(first)
    assert not any(other.exists() for other in others)


@pytest.mark.skipif(os.name == "nt", reason="the programs of this test are shell scripts")
def test_no_program_of_the_project_shows_a_notice(project: Path) -> None:
    shown = plant(project, "notify-send")
    (project / "bin").mkdir()
    (project.parent / "bin" / "notify-send").rename(project / "bin" / "notify-send")
    call = call_of(project, ENDS, bell=False)
    judge(structs.replace(call, environment={"PATH": str(project / "bin")}))
    marker = plant(project, "osascript")
    judge(call)
    wait_for(marker)
    assert not shown.exists()


RING = """\
import fcntl, os, sys, termios
from pathlib import Path
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from anyhook.guards.call import GuardCall
from anyhook.guards.catalogue import GUARDS
from anyhook.guards.options import usable_settings
from anyhook.guards.session.notify import judge
from anyhook.model.payload import Stop
settings = {"desktop": False, "bell": sys.argv[1] == "on"}
judge(GuardCall(event=Stop(session_id="s"), settings=settings, project=Path("/"), client="codex"))
os.write(0, b"end")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such terminals")
@pytest.mark.parametrize(("bell", "rung"), [("on", b"\aend"), ("off", b"end")])
def test_the_bell_of_the_terminal_rings(bell: str, rung: bytes) -> None:
    master, slave = os.openpty()
    try:
        command = [sys.executable, "-P", "-c", RING, bell]
        variables = {**os.environ, "PYTHONPATH": str(SOURCE)}
        subprocess.run(command, stdin=slave, stdout=subprocess.DEVNULL, env=variables, check=True, timeout=120)
        assert os.read(master, 100) == rung
    finally:
        os.close(slave)
        os.close(master)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such terminals")
def test_without_a_terminal_no_bell_rings_and_nothing_fails(project: Path) -> None:
    code = RING.replace("fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n", "").replace('os.write(0, b"end")', "print('end')")
    variables = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code.replace("os.setsid()\n", ""), "on"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=variables,
        check=False,
        start_new_session=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"end\n", b"")
