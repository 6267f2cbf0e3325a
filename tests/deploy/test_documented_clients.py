"""Clients that cannot be run here: what is written for them is what their documents ask for, and so is what they hear.

The payloads have the fields that ``conformance/fact-sheets`` lists for each client, section 4; the answers are those of
section 5.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from anyhook.dialects import dialect
from tests.bridge.bridging import make_package, run_anyhook, run_trusted

GREETING = '{"hookSpecificOutput": {"additionalContext": "Use tabs."}}'
HOOKS = {
    "session-start": [{"hooks": [{"type": "command", "command": f"echo '{GREETING}'"}]}],
    "pre-prompt": [
        {"hooks": [{"type": "command", "command": "if grep -q SECRET; then echo no secrets >&2; exit 2; fi"}]}
    ],
    "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "${PACKAGE_ROOT}/hooks/guard.sh"}]}],
    "stop": [{"hooks": [{"type": "command", "command": "echo not yet >&2; exit 2"}]}],
}
FILES = {
    "cursor": ".cursor/hooks.json",
    "copilot-vscode": ".github/hooks/anyhook-vscode.json",
    "windsurf": ".windsurf/hooks.json",
    "kiro": ".kiro/hooks/anyhook.json",
    "factory-droid": ".factory/hooks.json",
}
DANGER, REASON = "echo DANGER", "guard: no DANGER here"

CURSOR = {
    "conversation_id": "c",
    "generation_id": "g",
    "model": "m",
    "cursor_version": "3.1",
    "workspace_roots": ["/work"],
    "user_email": None,
    "transcript_path": None,
}
WINDSURF = {"trajectory_id": "t", "execution_id": "e", "timestamp": "2026-01-01T00:00:00Z"}
KIRO = {"session_id": "s", "cwd": "/work"}
DROID = {"session_id": "s", "transcript_path": "/t", "cwd": "/work", "permission_mode": "auto-low"}
VSCODE = {"timestamp": "2026-01-01T00:00:00Z", "session_id": "s", "transcript_path": "/t", "cwd": "/work"}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return make_package(tmp_path / "project", HOOKS)


@pytest.mark.parametrize("way", ["--bridge", "--native"])
@pytest.mark.parametrize("client", FILES)
def test_the_written_file_is_one_of_the_client(client: str, way: str, package: Path) -> None:
    done = run_anyhook(package, "deploy", "--client", client, way)
    assert done.returncode in (0, 1), done.stderr
    written = json.loads((package / FILES[client]).read_text())
    jsonschema.validate(written, dialect(client).schema())
    check = run_anyhook(package, "check", FILES[client], "--client", client, "--json")
    problems = json.loads(check.stdout)["problems"]
    assert not [problem for problem in problems if problem["severity"] == "error"], problems


def entries(package: Path, client: str) -> Any:
    assert run_anyhook(package, "deploy", "--client", client).returncode in (0, 1)
    return json.loads((package / FILES[client]).read_text())


def test_cursor_gets_flat_entries_under_version_1(package: Path) -> None:
    file = entries(package, "cursor")
    assert file["version"] == 1
    assert list(file["hooks"]) == ["sessionStart", "beforeSubmitPrompt", "preToolUse", "stop"]
    assert all({"command", "timeout"} <= entry.keys() for [entry] in file["hooks"].values())


def test_windsurf_gets_commands_and_nothing_else(package: Path) -> None:
    file = entries(package, "windsurf")
    assert all(entry.keys() <= {"command", "show_output"} for [entry] in file["hooks"].values())


def test_kiro_gets_named_hooks_with_triggers(package: Path) -> None:
    file = entries(package, "kiro")
    assert file["version"] == "v1"
    assert [hook["trigger"] for hook in file["hooks"]] == ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"]
    assert all(hook["name"] and hook["action"]["type"] == "command" for hook in file["hooks"])


def test_vs_code_gets_no_matcher_that_it_would_ignore(package: Path) -> None:
    file = entries(package, "copilot-vscode")
    assert all("matcher" not in entry for [entry] in file["hooks"].values())


class Case:
    """An event as a document describes it, and what the client must hear."""

    def __init__(
        self, client: str, event: str, payload: dict[str, Any], status: int, out: object, err: str = ""
    ) -> None:
        self.client, self.event, self.payload = client, event, payload
        self.expected = (status, out, err)

    def __str__(self) -> str:
        return f"{self.client} {self.event}"


def cursor(event: str, *, out: object, **more: Any) -> Case:
    return Case("cursor", event, {**CURSOR, "hook_event_name": event, **more}, 0, out)


def windsurf(event: str, status: int, err: str, **info: Any) -> Case:
    return Case("windsurf", event, {**WINDSURF, "agent_action_name": event, "tool_info": info}, status, None, err)


def kiro(event: str, status: int, out: object, err: str, **more: Any) -> Case:
    return Case("kiro", event, {**KIRO, "hook_event_name": event, **more}, status, out, err)


def droid(event: str, out: object, **more: Any) -> Case:
    return Case("factory-droid", event, {**DROID, "hook_event_name": event, **more}, 0, out)


def vscode(event: str, out: object, **more: Any) -> Case:
    return Case("copilot-vscode", event, {**VSCODE, "hook_event_name": event, **more}, 0, out)


def nested(event: str, **values: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **values}}


DENIED = {"permissionDecision": "deny", "permissionDecisionReason": REASON}
BLOCKED_PROMPT, KEPT_GOING = {"decision": "block", "reason": "no secrets"}, {"decision": "block", "reason": "not yet"}
CASES = [
    # The reason goes to both, because the model saw only user_message (cursor.md, OBS).
    cursor(
        "preToolUse",
        tool_name="Shell",
        tool_input={"command": DANGER},
        tool_use_id="t",
        cwd="/work",
        out={"permission": "deny", "user_message": REASON, "agent_message": REASON},
    ),
    cursor("preToolUse", tool_name="Shell", tool_input={"command": "ls"}, tool_use_id="t", cwd="/work", out=None),
    cursor(
        "beforeSubmitPrompt", prompt="SECRET", attachments=[], out={"continue": False, "user_message": "no secrets"}
    ),
    cursor("stop", status="completed", loop_count=0, out={"followup_message": "not yet"}),
    cursor("sessionStart", session_id="c", is_background_agent=False, out={"additional_context": "Use tabs."}),
    windsurf("pre_run_command", 2, REASON, command_line=DANGER, cwd="/work"),
    windsurf("pre_run_command", 0, "", command_line="ls", cwd="/work"),
    windsurf("pre_user_prompt", 2, "no secrets", user_prompt="SECRET"),
    kiro("PreToolUse", 2, None, REASON, tool_name="execute_bash", tool_input={"command": DANGER}),
    kiro("PreToolUse", 0, None, "", tool_name="execute_bash", tool_input={"command": "ls"}),
    kiro("UserPromptSubmit", 2, None, "no secrets", prompt="SECRET"),
    kiro("SessionStart", 0, "Use tabs.", ""),
    droid("PreToolUse", nested("PreToolUse", **DENIED), tool_name="Execute", tool_input={"command": DANGER}),
    droid("UserPromptSubmit", BLOCKED_PROMPT, prompt="SECRET", has_images=False),
    droid("Stop", KEPT_GOING, stop_hook_active=False, tool_execution_count=1, elapsed_time=1),
    droid("SessionStart", nested("SessionStart", additionalContext="Use tabs."), source="startup"),
    vscode(
        "PreToolUse",
        nested("PreToolUse", **DENIED),
        tool_name="run_in_terminal",
        tool_input={"command": DANGER},
        tool_use_id="t",
    ),
    vscode("UserPromptSubmit", BLOCKED_PROMPT, prompt="SECRET"),
    vscode("SessionStart", nested("SessionStart", additionalContext="Use tabs."), source="new"),
    # VS Code reads the decision of Stop below hookSpecificOutput only.
    vscode("Stop", nested("Stop", decision="block", reason="not yet"), stop_hook_active=False),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_documented_event_is_answered_as_the_document_says(case: Case, package: Path) -> None:
    words = ("exec", "--client", case.client, "--event", case.event)
    done = run_trusted(package, *words, stdin=case.payload)
    out = json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout or None
    assert (done.returncode, out, done.stderr) == case.expected
