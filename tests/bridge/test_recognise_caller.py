"""An entry in a file that several clients read answers the one that calls it."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.answer_event import answer
from anyhook.bridge.prepare_event import prepare
from anyhook.bridge.read_call import Caller
from anyhook.bridge.recognise_caller import has_http_hooks, recognise_caller
from anyhook.dialects import all_profiles, profile
from anyhook.dialects.places import Writing
from anyhook.dialects.wire.payloads import Members, read_members
from tests.approving import approve
from tests.bridge.bridging import make_package, shell_call
from tests.checkout import CONFORMANCE

CURSOR = {
    "conversation_id": "c",
    "generation_id": "g",
    "cursor_version": "3.9.16",
    "workspace_roots": ["/work"],
    "hook_event_name": "preToolUse",
    "tool_name": "Shell",
    "tool_input": {"command": "echo DANGER"},
    "tool_use_id": "t",
}
VSCODE = {
    "timestamp": "2026-01-01T00:00:00Z",
    "hook_event_name": "PreToolUse",
    "session_id": "s",
    "tool_name": "run_in_terminal",
    "tool_input": {"command": "echo DANGER"},
    "tool_use_id": "t",
}


def recorded(client: str, name: str) -> dict[str, Any]:
    path = CONFORMANCE / "recordings" / client / "payloads" / f"{name}.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def members_of(payload: dict[str, Any]) -> Members:
    members = read_members(json.dumps(payload).encode())
    assert members is not None
    return members


COPILOT = recorded("copilot-cli", "PreToolUse-Bash.pascal") | {"tool_input": {"command": "echo DANGER"}}


@pytest.mark.parametrize(
    ("entry", "payload", "environment", "caller"),
    [
        ("claude-code", shell_call("ls"), {}, "claude-code"),
        ("claude-code", shell_call("ls", tool_input={"cursor_version": "1", "timestamp": "x"}), {}, "claude-code"),
        ("claude-code", shell_call("ls"), {"COPILOT_CLI": "1"}, "claude-code"),
        ("claude-code", CURSOR, {}, "cursor"),
        ("claude-code", VSCODE, {}, "copilot-vscode"),
        ("claude-code", COPILOT, {"COPILOT_CLI": "1"}, "copilot-cli"),
        ("copilot-cli", VSCODE, {}, "copilot-vscode"),
        ("copilot-cli", COPILOT, {"COPILOT_CLI": "1"}, "copilot-cli"),
        ("copilot-cli", recorded("copilot-cli", "preToolUse-bash"), {}, "copilot-cli"),
        ("copilot-vscode", COPILOT, {"COPILOT_CLI": "1"}, "copilot-cli"),
        ("copilot-vscode", VSCODE, {}, "copilot-vscode"),
        ("codex", VSCODE, {}, "codex"),
        # A variable of a shell in which VS Code was started: the name of the tool is not Copilot CLI's.
        ("claude-code", VSCODE, {"COPILOT_CLI": "1"}, "copilot-vscode"),
        ("copilot-vscode", VSCODE, {"COPILOT_CLI": "1"}, "copilot-vscode"),
        ("claude-code", VSCODE | {"tool_name": "mcp_x_y"}, {"COPILOT_CLI": "1"}, "copilot-cli"),
        ("claude-code", VSCODE | {"tool_name": 3}, {}, "copilot-vscode"),
    ],
)
def test_the_payload_shows_who_calls(
    entry: str, payload: dict[str, Any], environment: dict[str, str], caller: str
) -> None:
    assert recognise_caller(profile(entry), members_of(payload), environment).name == caller


def test_what_is_no_object_changes_nothing(tmp_path: Path) -> None:
    caller = Caller(cwd=tmp_path, home=tmp_path / "home", environment={})
    prepared = prepare({"--client": "claude-code", "--event": "PreToolUse"}, caller, b"[1")
    assert prepared.call.client == "claude-code"
    assert prepared.call.problems[0].code == "F001"


@pytest.mark.parametrize(
    ("entry", "payload", "caller"),
    [
        ("claude-code", shell_call("ls"), "claude-code"),
        ("claude-code", COPILOT, "copilot-cli"),
        ("copilot-cli", COPILOT, "copilot-cli"),
    ],
)
def test_a_request_to_an_http_entry_shows_who_sends_it(entry: str, payload: dict[str, Any], caller: str) -> None:
    assert recognise_caller(profile(entry), members_of(payload), {}, is_process=False).name == caller


def test_a_guard_behind_an_http_entry_in_claude_s_file_answers_copilot_in_its_terms(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    options = {"--client": "claude-code", "--event": "PreToolUse"}
    create = recorded("copilot-cli", "PreToolUse-create.pascal")
    hook = {"type": "command", "command": "cat > ${PACKAGE_ROOT}/heard.json; echo no >&2; exit 2"}
    make_package(package, {"pre-tool-use": [{"matcher": "Write", "hooks": [hook]}]})
    variables = {"PATH": os.environ["PATH"]}
    caller = Caller(cwd=approve(package), home=tmp_path / "home", environment=variables, is_process=False)
    given = asyncio.run(answer(prepare(options, caller, json.dumps(create).encode()), None, lambda task: None))
    assert json.loads(given.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert json.loads((package / "heard.json").read_text())["toolInput"]["file_path"] == create["tool_input"]["path"]


def test_no_two_clients_that_may_request_the_same_http_entry_are_taken_for_each_other() -> None:
    for owner in all_profiles():
        callers = [profile(name) for name in owner.recognition.also_called_by]
        keys = [client.recognition.caller_keys for client in (owner, *callers) if has_http_hooks(client)]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("payload", "environment", "refused"),
    [
        (CURSOR, {}, {"permission": "deny"}),
        (VSCODE, {}, None),
        (COPILOT, {"COPILOT_CLI": "1"}, None),
    ],
)
def test_a_guard_in_claude_s_file_blocks_whoever_calls_it(
    payload: dict[str, Any], environment: dict[str, str], refused: dict[str, str] | None, tmp_path: Path
) -> None:
    package = make_package(tmp_path / "project")
    variables = {"PATH": os.environ["PATH"], **environment}
    caller = Caller(cwd=approve(package), home=tmp_path / "home", environment=variables)
    options = {"--client": "claude-code", "--event": "PreToolUse"}
    given = asyncio.run(answer(prepare(options, caller, json.dumps(payload).encode()), None, lambda task: None))
    assert b"no DANGER here" in given.stdout + given.stderr
    assert given.exit_code == 2 or b"deny" in given.stdout
    assert refused is None or refused.items() <= json.loads(given.stdout).items()


def test_every_client_that_reads_another_s_file_is_recognised_there() -> None:
    """Else a guard in that file would be asked in terms that it does not understand."""
    for owner in all_profiles():
        own = {(s.root, s.pattern) for s in owner.sources if s.writing is not Writing.NEVER}
        for reader in all_profiles():
            is_reading = any((source.root, source.pattern) in own for source in reader.sources)
            if reader.name == owner.name or reader.basis == "specified" or not is_reading:
                continue
            assert reader.name in owner.recognition.also_called_by
            assert reader.recognition.caller_keys
