"""``anyhook record -- COMMAND`` with real processes: whatever ends the command, the hook file is as it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anyhook.record.recordings import open_recording
from tests.checkout import SOURCE

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

STOP = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
BEFORE = b'{\n    "hooks":   ' + json.dumps(STOP).encode() + b',  "model": "x"\n}'
AGENT = """
import json, subprocess, sys, time
print("ready", flush=True)
for group in json.load(open(".claude/settings.json"))["hooks"]["PreToolUse"]:
    for hook in group["hooks"]:
        subprocess.run(hook["command"], shell=True, input=b'{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
print("recorded", flush=True)
"""
WAITS = AGENT + "sys.stdin.read()\n"


def project(tmp_path: Path) -> Path:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_bytes(BEFORE)
    return tmp_path


def start(folder: Path, code: str, *, client: str = "claude-code") -> subprocess.Popen[bytes]:
    """A recorded command, ready to be disturbed."""
    line = [
        sys.executable,
        "-m",
        "anyhook",
        "record",
        "--client",
        client,
        "--name",
        "one",
        "--",
        sys.executable,
        "-c",
        code,
    ]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "XDG_STATE_HOME": str(folder / "state")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(line, cwd=folder, env=environment, start_new_session=True, **pipes)  # type: ignore[call-overload,no-any-return]


def wait_for(process: subprocess.Popen[bytes], text: bytes) -> None:
    assert process.stdout is not None
    while (line := process.stdout.readline().strip()) != text:
        assert line or process.poll() is None, process.stderr and process.stderr.read()


def assert_as_before(folder: Path) -> None:
    assert (folder / ".claude/settings.json").read_bytes() == BEFORE
    assert [path.name for path in (folder / ".claude").iterdir()] == ["settings.json"]


def test_the_status_of_the_command_is_passed_on_and_its_output_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path)
    stdout, stderr = start(folder, AGENT + "sys.exit(7)").communicate()
    assert stdout == b"ready\nrecorded\n"
    assert b"1 event in recording one" in stderr
    assert_as_before(folder)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    (event,) = open_recording(folder, "one").events
    assert (event.client, event.event) == ("claude-code", "PreToolUse")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)], ids=lambda n: str(n)
)
def test_a_signal_ends_the_command_and_the_entries_are_taken_out(tmp_path: Path, number: int, status: int) -> None:
    folder = project(tmp_path)
    process = start(folder, WAITS)
    wait_for(process, b"recorded")
    process.send_signal(number)
    process.wait()  # with stdin open: at its end the command would exit by itself
    process.communicate()
    assert process.returncode == status
    assert_as_before(folder)


def test_ctrl_c_reaches_the_command_and_the_entries_are_taken_out(tmp_path: Path) -> None:
    folder = project(tmp_path)
    process = start(folder, "import signal; signal.signal(signal.SIGINT, lambda *_: sys.exit(5));" + WAITS.lstrip())
    wait_for(process, b"recorded")
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    process.wait()
    process.communicate()
    assert process.returncode == 5
    assert_as_before(folder)


def test_a_command_that_is_killed_is_reported_as_a_shell_does(tmp_path: Path) -> None:
    folder = project(tmp_path)
    process = start(folder, "import os; os.kill(os.getpid(), 9)")
    process.communicate()
    assert process.returncode == 137
    assert_as_before(folder)


def test_what_a_killed_recorder_leaves_behind_is_taken_out_by_off(tmp_path: Path) -> None:
    folder = project(tmp_path)
    process = start(folder, WAITS)
    wait_for(process, b"recorded")
    process.kill()
    process.wait()
    assert (folder / ".claude/settings.json").read_bytes() != BEFORE
    os.killpg(process.pid, signal.SIGKILL)  # the command itself
    second = start(folder, AGENT)
    assert b"is already being recorded; to stop: anyhook record off" in second.communicate()[1]
    assert second.returncode == 2
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "XDG_STATE_HOME": str(folder / "state")}
    off = [sys.executable, "-m", "anyhook", "record", "off"]
    subprocess.run(off, cwd=folder, env=environment, check=True, capture_output=True)
    assert_as_before(folder)
    process.communicate()


def test_what_others_change_while_it_records_stays(tmp_path: Path) -> None:
    folder = project(tmp_path)
    change = """
path = ".claude/settings.json"
settings = json.load(open(path))
settings["model"] = "y"
json.dump(settings, open(path, "w"), indent=2)
"""
    process = start(folder, AGENT + change)
    process.communicate()
    assert process.returncode == 0
    assert json.loads((folder / ".claude/settings.json").read_text()) == {"hooks": STOP, "model": "y"}


def test_a_file_that_was_not_there_is_gone_again(tmp_path: Path) -> None:
    process = start(tmp_path, "pass", client="codex")
    process.communicate()
    assert process.returncode == 0
    assert not (tmp_path / ".codex").exists()
