"""Every event that ``anyhook exec`` answers is in the journal, and nothing about the journal changes an answer."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from anyhook.record.recorded import RecordedEvent
from anyhook.record.recordings import end_recordings
from anyhook.record.store.query import RowFilter, open_journal, wanted_rows
from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.record.recordings import begin
from tests.serve.daemons import wait_until

CLIENT = ("exec", "--client", "claude-code")
SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
WORDY = f"#!/bin/sh\necho 'no: {SECRET}' >&2\nexit 2\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = make_package(tmp_path / "project")
    assert run_anyhook(made, "trust", "--yes", ".").returncode == 0
    return made


def rows(package: Path, monkeypatch: pytest.MonkeyPatch) -> list[RecordedEvent]:
    state = package.parent / "state"
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(state))
    with open_journal(state / "journal") as journal:
        return [found.event for found in wanted_rows(journal.rows_after(0), RowFilter())]


def fire(package: Path, command: str = "ls", **variables: str) -> tuple[int, str, str]:
    ran = run_anyhook(package, *CLIENT, stdin=shell_call(command), **variables)
    return ran.returncode, ran.stdout, ran.stderr


def test_what_a_row_says(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fire(package)
    fire(package, "echo DANGER")
    run_anyhook(package, *CLIENT, stdin={**shell_call("ls"), "tool_name": "Read"})
    allowed, blocked, silent = rows(package, monkeypatch)
    assert [row.effect for row in (allowed, blocked, silent)] == ["proceed", "block", "proceed"]
    assert (blocked.client, blocked.event, blocked.session, blocked.tool) == ("claude-code", "PreToolUse", "s", "Bash")
    assert (blocked.project, blocked.via) == (str(package), "exec")
    assert blocked.outcome is not None
    assert blocked.outcome.reason == "guard: no DANGER here"
    assert blocked.outcome.decided_by == f"{package}/hooks/hooks.json:1"
    assert not blocked.unasked
    assert [row.subject for row in (allowed, blocked)] == ["ls", "echo DANGER"]
    assert [row.simulation for row in (allowed, blocked)] == ["", ""]
    (hook,) = blocked.hooks
    assert (hook.status, hook.hook, hook.line) == ("blocked", "${PACKAGE_ROOT}/hooks/guard.sh", 1)
    assert 0 < hook.ms <= blocked.ms
    assert blocked.bytes_in > 0 < blocked.bytes_out
    assert silent.hooks == ()


def test_the_effect_is_what_the_client_was_told(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that has no word for a question is told to refuse."""
    (package / "anyhook.toml").write_text('[guards.shell]\nfamilies = { publishing = "ask" }\n')
    for client, event, tool in (("claude-code", "PreToolUse", "Bash"), ("cursor", "preToolUse", "Shell")):
        call = {**shell_call("npm publish"), "hook_event_name": event, "tool_name": tool}
        run_anyhook(package, "exec", "--client", client, "--event", event, stdin=call)
    asked, refused = rows(package, monkeypatch)
    assert [(row.client, row.effect) for row in (asked, refused)] == [("claude-code", "ask"), ("cursor", "block")]
    assert [row.outcome and row.outcome.tool_runs for row in (asked, refused)] == [None, False]


def test_the_release_that_a_client_tells(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = {"sessionId": "s", "cwd": str(package), "toolName": "bash", "toolArgs": '{"command": "ls"}', "timestamp": 1}
    words = ("exec", "--client", "copilot-cli", "--event", "preToolUse")
    run_anyhook(package, *words, stdin=call, COPILOT_CLI_BINARY_VERSION="1.0.102")
    fire(package, COPILOT_CLI_BINARY_VERSION="1.0.102")
    told, other = rows(package, monkeypatch)
    assert (told.client, told.release) == ("copilot-cli", "1.0.102")
    assert (other.client, other.release) == ("claude-code", "")


def test_hooks_that_may_not_run(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package / "hooks" / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
    fire(package)
    (row,) = rows(package, monkeypatch)
    assert row.effect == "block"
    assert row.outcome is not None
    assert row.outcome.decided_by == "anyhook"
    assert row.unasked
    assert "changed" in row.outcome.reason


def test_no_secret_is_written(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project", guard=WORDY)
    assert run_anyhook(package, "trust", "--yes", ".").returncode == 0
    assert SECRET in fire(package, "echo DANGER")[1]
    written = [file.read_bytes() for file in (tmp_path / "state" / "journal").iterdir()]
    assert any(b"no: <redacted>" in content for content in written)
    assert not any(SECRET.encode() in content for content in written)


@pytest.mark.parametrize("how", ["variable", "settings"])
def test_switched_off(package: Path, how: str) -> None:
    variables: dict[str, str] = {}
    if how == "variable":
        variables["ANYHOOK_JOURNAL"] = "0"
    else:
        settings = package.parent / "home" / ".config" / "anyhook"
        settings.mkdir(parents=True)
        (settings / "anyhook.toml").write_text("[journal]\nenabled = false\n")
    fire(package, **variables)
    assert not (package.parent / "state" / "journal").exists()


def test_a_project_cannot_switch_it_off(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package / "anyhook.toml").write_text("[journal]\nenabled = false\n")
    fire(package)
    assert len(rows(package, monkeypatch)) == 1


def test_a_simulation_says_so_and_subjects_can_be_left_out(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fire(package, f"deploy --token {SECRET}", ANYHOOK_SIMULATION="fire")
    settings = package.parent / "home" / ".config" / "anyhook"
    settings.mkdir(parents=True)
    (settings / "anyhook.toml").write_text("[journal]\nsubjects = false\n")
    fire(package, "ls")
    simulated, other = rows(package, monkeypatch)
    assert (simulated.subject, simulated.simulation) == ("deploy --token <redacted>", "fire")
    assert (other.subject, other.simulation) == ("", "")


def test_payloads_when_asked(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = package.parent / "home" / ".config" / "anyhook"
    settings.mkdir(parents=True)
    (settings / "anyhook.toml").write_text("[journal]\nbodies = true\n")
    fire(package, f"deploy --token {SECRET}")
    (row,) = rows(package, monkeypatch)
    assert row.payload["tool_input"] == {"command": "deploy --token <redacted>"}


def test_payload_and_answer_of_an_event_that_is_recorded(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(package.parent / "state"))
    (package / "anyhook.toml").write_text('[redact]\npatterns = ["ACME-[0-9]{4}"]\n')
    begin(package, "monday", "claude-code")
    fire(package, "echo DANGER ACME-1234 zebra-crossing", DEPLOY_TOKEN="zebra-crossing")
    fire(package, "echo DANGER", ANYHOOK_JOURNAL="0")
    end_recordings(package, ["claude-code"])
    fire(package, "ls")
    recorded, after = rows(package, monkeypatch)
    assert recorded.payload["tool_input"] == {"command": "echo DANGER <redacted> <redacted>"}
    assert recorded.answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert (recorded.recording, recorded.effect, recorded.redacted) == ("monday", "block", 2)
    assert (after.recording, after.payload, after.answer) == ("", UNSET, UNSET)


def test_other_folders_and_clients_are_not_recorded(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANYHOOK_STATE_DIR", str(package.parent / "state"))
    begin(package, "codex-only", "codex")
    begin(package.parent / "proj", "elsewhere", "claude-code")
    fire(package)
    (row,) = rows(package, monkeypatch)
    assert (row.recording, row.payload) == ("", UNSET)


def break_it(folder: Path, how: str) -> None:
    if how == "a file":
        folder.write_text("in the way")
    elif how == "a broken database":
        folder.mkdir(mode=0o700)
        (folder / "journal.db").write_text("no database")
    elif how == "a spool that is a folder":
        folder.mkdir(mode=0o700)
        (folder / "spool.jsonl").mkdir()
    else:
        folder.mkdir(mode=0o755)


@pytest.mark.parametrize("how", ["a file", "a broken database", "a spool that is a folder", "open to others"])
def test_no_journal_changes_the_answer(package: Path, how: str) -> None:
    expected = fire(package, "echo DANGER", ANYHOOK_JOURNAL="0")
    shutil.rmtree(package.parent / "state" / "journal", ignore_errors=True)
    break_it(package.parent / "state" / "journal", how)
    assert fire(package, "echo DANGER") == expected


def test_exec_stores_a_full_spool_itself(package: Path) -> None:
    fire(package)
    folder = package.parent / "state" / "journal"
    spool = folder / "spool.jsonl"
    line = spool.read_bytes()
    with spool.open("ab") as file:
        file.write(b"\n" * (256 * 1024) + line)
    fire(package)
    assert not spool.exists()
    assert (folder / "journal.db").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there, nothing outlives the process")
def test_an_event_with_a_background_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    action = {"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh", "async": True}
    hooks: dict[str, Any] = {"pre-tool-use": [{"matcher": "Bash", "hooks": [action]}]}
    package = make_package(tmp_path / "project", hooks)
    assert run_anyhook(package, "trust", "--yes", ".").returncode == 0
    fire(package)
    folder = tmp_path / "state" / "journal"
    wait_until(lambda: (folder / "spool.jsonl").exists())
    assert [row.effect for row in rows(package, monkeypatch)] == ["proceed"]
