"""Guards of ``anyhook.toml`` as entries ask them: in each client, for every tool of the kind, trusted or not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anyhook.dialects import NAMES, profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_name
from anyhook.dialects.wire.answers import encode_reply
from anyhook.engine.interpret import interpret
from anyhook.engine.raw import RawResult
from anyhook.entries.command_entries import EntryOptions, bridge
from anyhook.model.functions import ask
from anyhook.model.hooks import Command
from anyhook.model.output import Decision
from anyhook.project.package_hooks import PackageHooks
from tests.bridge.bridging import make_package, run_anyhook, shell_call

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


def test_a_guard_that_only_restricts_needs_no_trust(project: Path) -> None:
    assert "(shell guard: git)" in reason(project, shell_call(FORCED))
    assert reason(project, shell_call("git status")) == ""


@pytest.mark.parametrize("then", ["block", "ask", "warn"])
def test_a_rule_that_only_restricts_needs_no_trust_and_says_nothing_of_the_project(project: Path, then: str) -> None:
    rule = f'[[rule]]\nname = "LURE"\nthen = "{then}"\nmessage = "LURE"\n[rule.when]\ncommand = "make *"\n'
    (project / "anyhook.toml").write_text(rule)
    done = run_anyhook(project, "exec", "--client", "claude-code", stdin=shell_call("make all"))
    assert "A rule of this project applies: anyhook.toml:1." in done.stdout
    assert "LURE" not in done.stdout + done.stderr
    assert run_anyhook(project, "trust", "--yes").returncode == 0
    assert "LURE" in run_anyhook(project, "exec", "--client", "claude-code", stdin=shell_call("make all")).stdout


@pytest.mark.parametrize(
    "effect",
    [
        'then = "allow"',
        'then = "context"\nmessage = "LURE"',
        'then = "rewrite"\nreplace = "all"\nby = "LURE"',
        'then = "run"\nrun = "echo LURE; exit 2"',
        'then = "block"\nmessage = "LURE"\non = "UserPromptSubmit"',
        'then = "block"\nmessage = "LURE"\n[rule.when]\nexists = "/**/no-such-file"',
    ],
)
def test_everything_else_needs_trust(project: Path, effect: str) -> None:
    (project / "anyhook.toml").write_text(f"[[rule]]\n{effect}\n")
    event = shell_call("make all")
    if "UserPromptSubmit" in effect:
        event = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "go"}
    done = run_anyhook(project, "exec", "--client", "claude-code", stdin=event)
    answer = json.loads(done.stdout)
    assert list(answer) == ["systemMessage"]
    assert "not trusted yet" in answer["systemMessage"]
    assert "LURE" not in done.stdout + done.stderr


def test_settings_of_an_untrusted_guard_are_not_quoted(project: Path) -> None:
    (project / "anyhook.toml").write_text('[guards.network]\nhosts = ["LURE.example"]\nmessage = "LURE"\n')
    said = reason(project, shell_call("curl https://other.example/x"))
    assert "other.example is not an allowed host. The list is in anyhook.toml:1." in said
    assert "LURE" not in said


def test_a_guard_without_trust_does_not_bring_hooks_with_it(project: Path) -> None:
    make_package(project)
    assert "(shell guard: git)" in reason(project, shell_call(FORCED))
    assert "not trusted yet" in reason(project, shell_call("echo DANGER"))


@pytest.mark.parametrize("client", [name for name in NAMES if native_name("PreToolUse", name)])
def test_asking_is_never_less_than_saying_nothing(client: str) -> None:
    """A client that took ``ask`` for consent would let an untrusted project allow its own calls."""
    bound = bind_event(profile(client), "PreToolUse")
    said = encode_reply(bound, ask("why"))
    raw = RawResult(exit_code=said.exit_code, stdout=said.stdout, stderr=said.stderr)
    reply = interpret(bound, Command(command="anyhook"), raw).reply
    assert reply is None or reply.decision is not Decision.ALLOW


def test_a_guard_answers_for_any_tool_that_does_the_same(trusted: Path) -> None:
    assert "(shell guard: git)" in reason(trusted, shell_call(FORCED))
    assert reason(trusted, shell_call("git status")) == ""
    by_server = shell_call("", tool_name="mcp__box__run", tool_input={"cmd": FORCED})
    assert "(shell guard: git)" in reason(trusted, by_server)
    new_tool = shell_call("", tool_name="SuperShell", tool_input={"commandLine": FORCED})
    assert "(shell guard: git)" in reason(trusted, new_tool)


def test_a_changed_guard_blocks_what_it_is_about_and_nothing_else(trusted: Path) -> None:
    (trusted / "anyhook.toml").write_text(GUARDS + 'level = "off"\n')
    assert reason(trusted, shell_call("ls")) == ""
    assert "as it was until a person approves that: anyhook trust" in reason(trusted, shell_call(FORCED))
    assert reason(trusted, shell_call("", tool_name="Read", tool_input={"file_path": "a"})) == ""
    (trusted / "anyhook.toml").write_text("")
    assert reason(trusted, shell_call("ls")) == ""
    assert "as it was until a person approves that: anyhook trust" in reason(trusted, shell_call(FORCED))


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
        "windsurf": ["pre_run_command", "pre_write_code", "pre_mcp_tool_use"],
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
