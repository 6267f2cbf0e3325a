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
