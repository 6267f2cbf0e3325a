"""Guards of ``anyhook.toml`` as deployed entries ask them: in every client, for every tool of the kind, if trusted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.bridge.entries.command_entries import EntryOptions, bridge
from anyhook.dialects import profile
from anyhook.sources.package_hooks import PackageHooks
from tests.bridge.bridging import run_anyhook, shell_call

FORCED = "git push --force origin main"
GUARDS = "[guards.shell]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "anyhook.toml").write_text(GUARDS)
    return folder


@pytest.fixture
def trusted(project: Path) -> Path:
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    return project


def reason(project: Path, event: dict[str, Any], client: str = "claude-code") -> str:
    done = run_anyhook(project, "exec", "--client", client, "--event", event["hook_event_name"], stdin=event)
    answer = json.loads(done.stdout or "{}")
    said = answer.get("hookSpecificOutput", {}).get("permissionDecisionReason") or answer.get("systemMessage", "")
    return said or done.stderr  # Codex reads a refusal there


def test_a_guard_needs_trust(project: Path) -> None:
    assert "not trusted yet" in reason(project, shell_call(FORCED))


def test_a_guard_answers_for_any_tool_that_does_the_same(trusted: Path) -> None:
    assert "(shell guard: git)" in reason(trusted, shell_call(FORCED))
    assert reason(trusted, shell_call("git status")) == ""
    by_server = shell_call("", tool_name="mcp__box__run", tool_input={"cmd": FORCED})
    assert "(shell guard: git)" in reason(trusted, by_server)
    new_tool = shell_call("", tool_name="SuperShell", tool_input={"commandLine": FORCED})
    assert "(shell guard: git)" in reason(trusted, new_tool)


def test_a_changed_guard_blocks_what_it_is_about_and_nothing_else(trusted: Path) -> None:
    (trusted / "anyhook.toml").write_text(GUARDS + 'level = "off"\n')
    assert "changed since you trusted them" in reason(trusted, shell_call("ls"))
    assert reason(trusted, shell_call("", tool_name="Read", tool_input={"file_path": "a"})) == ""
    (trusted / "anyhook.toml").write_text("")
    assert "changed since you trusted them" in reason(trusted, shell_call("ls"))


def test_exceptions_know_the_client_that_asks(project: Path) -> None:
    exception = '[[guards.shell.exceptions]]\nclients = ["codex"]\n'
    (project / "anyhook.toml").write_text(GUARDS + exception)
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    assert reason(project, shell_call(FORCED), "codex") == ""
    assert "(shell guard: git)" in reason(project, shell_call(FORCED))


def test_entries_are_written_for_the_events_that_the_guard_needs(project: Path) -> None:
    hooks = PackageHooks(project).of("universal")
    events = {
        client: [rule.native_event for rule in bridge(hooks, profile(client), EntryOptions()).rules]
        for client in ("claude-code", "gemini-cli", "windsurf")
    }
    assert events == {
        "claude-code": ["PreToolUse"],
        "gemini-cli": ["BeforeTool"],
        "windsurf": ["pre_run_command", "pre_mcp_tool_use"],
    }
    assert bridge(hooks, profile("windsurf"), EntryOptions()).losses == ()


def test_a_budget_holds_from_process_to_process(project: Path) -> None:
    (project / "anyhook.toml").write_text("[guards.budget]\ntool_calls = 2\n")
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    replies = [reason(project, shell_call("ls")) for _ in range(3)]
    assert replies[:2] == ["", ""]
    assert replies[2].startswith("This session has reached its limit of tool calls (2).")
    assert reason(project, shell_call("ls", session_id="next")) == ""
    reason(project, {"session_id": "s", "hook_event_name": "SessionEnd", "reason": "exit"})
    assert reason(project, shell_call("ls")) == ""


def test_a_budget_without_its_log_warns(project: Path) -> None:
    (project / "anyhook.toml").write_text("[guards.budget]\n")
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    assert reason(project, shell_call("ls")) == ""
    (log,) = (project.parent / "state" / "guards").iterdir()
    log.write_text("call 0\nsomething else\n")
    assert "The budget of this session is not watched: its log was changed" in reason(project, shell_call("ls"))
    log.unlink()
    log.mkdir()
    assert "The budget of this session is not watched" in reason(project, shell_call("ls"))


def test_a_budget_ends_what_other_hooks_continue(project: Path) -> None:
    rule = '[[rule]]\non = "Stop"\nthen = "block"\nmessage = "More."\n'
    (project / "anyhook.toml").write_text(f"[guards.budget]\nstop_rounds = 1\n{rule}")
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    event = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False}
    words = ("exec", "--client", "claude-code", "--event", "Stop")
    first = json.loads(run_anyhook(project, *words, stdin=event).stdout)
    assert (first["decision"], first["reason"]) == ("block", "More.")
    second = json.loads(run_anyhook(project, *words, stdin={**event, "stop_hook_active": True}).stdout)
    assert second["continue"] is False
    assert "limit of stop rounds (1)" in second["stopReason"]


def test_failing_checks_keep_the_agent_going(project: Path) -> None:
    (project / "anyhook.toml").write_text('[guards.tests]\ncommand = "echo 3 failed; exit 1"\nrounds = 1\n')
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    event = {"session_id": "s", "hook_event_name": "Stop"}
    words = ("exec", "--client", "claude-code", "--event", "Stop")
    first = json.loads(run_anyhook(project, *words, stdin=event).stdout)
    assert first["decision"] == "block"
    assert first["reason"].endswith("exit status 1\n3 failed")
    second = json.loads(run_anyhook(project, *words, stdin=event).stdout)
    assert "decision" not in second
    assert "still fail after 1 rounds" in second["systemMessage"]
