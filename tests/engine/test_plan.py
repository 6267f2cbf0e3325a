"""What a plan says of each hook, and in which order hooks run."""

from __future__ import annotations

from typing import Any

import msgspec

from anyhook.dialects import dialect, profile
from anyhook.dialects.places import FileKind
from anyhook.dialects.profile import Order
from anyhook.engine.plan import Plan, PlanStatus, plan_event
from anyhook.model.hooks import HookSet
from anyhook.model.origin import Scope
from anyhook.sources.merge import merge
from anyhook.sources.parsing.parse_json import parse_json


def hooks_of(client: str, config: dict[str, Any], kind: FileKind = FileKind.SETTINGS) -> HookSet:
    text = msgspec.json.encode(config).decode()
    return merge(client, [dialect(client).read(parse_json(text, "hooks.json"), kind, Scope.PROJECT)])


def plan_of(client: str, config: dict[str, Any], event: str, subject: str | None = None) -> Plan:
    return plan_event(hooks_of(client, config), profile(client), event, subject)


def command(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": text, **more}


def group(*commands: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"hooks": list(commands), **more}


def test_hooks_that_fit_run_and_the_others_say_why_not() -> None:
    config = {"hooks": {"PreToolUse": [group(command("a"), matcher="Bash"), group(command("b"), matcher="Write")]}}
    plan = plan_of("claude-code", config, "PreToolUse", "Bash")
    assert [hook.action.summary() for hook in plan.runs] == ["a"]
    assert [hook.why for hook in plan.skips] == ["matcher 'Write' is an exact name here and the tool name is 'Bash'"]


def test_without_a_subject_the_matcher_decides_later() -> None:
    config = {"hooks": {"PreToolUse": [group(command("a"), matcher="Bash"), group(command("b"))]}}
    plan = plan_of("claude-code", config, "PreToolUse")
    assert [hook.verdict for hook in plan.hooks] == [PlanStatus.DEPENDS, PlanStatus.RUNS]


def test_identical_hooks_run_once_where_the_client_says_so() -> None:
    config = {"hooks": {"PreToolUse": [group(command("a"), matcher="Bash"), group(command("a"), matcher="Bash|Edit")]}}
    assert len(plan_of("claude-code", config, "PreToolUse", "Bash").runs) == 1
    assert len(plan_of("claude-code", config, "PreToolUse", "Edit").runs) == 1
    assert len(plan_of("codex", config, "PreToolUse", "Bash").runs) == 2


def test_one_group_can_make_gemini_run_its_hooks_in_sequence() -> None:
    tool = "run_shell_command"
    parallel = {"hooks": {"BeforeTool": [group(command("a")), group(command("b"))]}}
    assert plan_of("gemini-cli", parallel, "PreToolUse", tool).order is Order.PARALLEL
    asked = {"hooks": {"BeforeTool": [group(command("a")), group(command("b"), sequential=True)]}}
    assert plan_of("gemini-cli", asked, "PreToolUse", tool).order is Order.SEQUENTIAL


def test_a_condition_is_decided_at_run_time_and_never_on_events_without_a_tool() -> None:
    guarded = {"hooks": {"PreToolUse": [group(command("a", **{"if": "Bash(git *)"}))]}}
    assert plan_of("claude-code", guarded, "PreToolUse", "Bash").hooks[0].verdict is PlanStatus.DEPENDS
    pointless = {"hooks": {"Stop": [group(command("a", **{"if": "Bash(git *)"}))]}}
    assert plan_of("claude-code", pointless, "Stop").hooks[0].verdict is PlanStatus.SKIPPED


def test_a_type_that_the_client_does_not_run_on_the_event_is_skipped() -> None:
    config = {"hooks": {"SessionStart": [group({"type": "http", "url": "http://127.0.0.1/"})]}}
    plan = plan_of("claude-code", config, "SessionStart", "startup")
    assert plan.skips[0].why == "Claude Code does not run http hooks on SessionStart"


def test_an_ignored_matcher_runs_the_hook_and_says_so() -> None:
    config = {"hooks": {"PreToolUse": [command("a", matcher="Write")]}}
    plan = plan_of("copilot-vscode", config, "PreToolUse", "run_in_terminal")
    assert plan.runs[0].why == "matcher 'Write' is ignored by VS Code on this event"
