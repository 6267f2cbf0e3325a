"""A sample event that the hook would run on, the trace of firing it, and the cases that are about one hook."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from msgspec import structs

from anyhook.editor.fire_event import fire_event, trace_lines
from anyhook.editor.overview import take_overview
from anyhook.editor.trials import run_cases, sample_event
from anyhook.project.project import Project
from tests.editor.projects import GEMINI, GEMINI_FILE, claude_project, item_of, make_project

posix_only = pytest.mark.skipif(os.name != "posix", reason="the hook is a shell script")
PACKAGE = """\
{
  "version": 1,
  "hooks": {
    "pre-tool-use": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}],
    "stop": [{"hooks": [{"type": "command", "command": "exit 0"}]}]
  }
}
"""
CASE = """\
name: refused
event: pre-tool-use
input:
  fixture: fixtures/refused.json
expected:
  effect: block
"""


def test_the_sample_is_about_a_tool_that_the_matcher_matches(tmp_path: Path) -> None:
    overview = take_overview(make_project(tmp_path, {GEMINI_FILE: GEMINI.replace("run_shell_command", "write_file")}))
    sample = json.loads(sample_event(item_of(overview, "exit 0")))
    assert (sample["hook_event_name"], sample["tool_name"]) == ("BeforeTool", "write_file")


@posix_only
def test_firing_the_sample_gives_the_trace(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    item = item_of(take_overview(roots), "guard.sh")
    fired = fire_event("claude-code", "PreToolUse", sample_event(item).encode(), Project(roots))
    trace = trace_lines(fired, lambda file, line: f"{Path(file).name}:{line}", verbose=True)
    lines = [line.lead + line.text for line in trace]
    assert lines[0] == "Claude Code: PreToolUse with Bash"
    assert any(line.startswith("  blocked           ./scripts/guard.sh") for line in lines)
    assert any(line.startswith("  allowed           true") for line in lines)
    assert "The client blocks it: not this" in lines


@posix_only
def test_the_hooks_of_a_fired_event_and_the_journal_know_that_it_is_a_simulation(tmp_path: Path) -> None:
    roots = claude_project(tmp_path)
    text = roots.project.joinpath("scripts", "guard.sh").read_text().partition("\n")[0]
    roots.project.joinpath("scripts", "guard.sh").write_text(f"{text}\necho $ANYHOOK_SIMULATION >&2\nexit 2\n")
    item = item_of(take_overview(roots), "guard.sh")
    fired = fire_event("claude-code", "PreToolUse", sample_event(item).encode(), Project(roots))
    assert fired.outcome.reason == "fire"


@posix_only
def test_only_the_cases_of_the_hook_run(tmp_path: Path) -> None:
    fixture = '{"hookEventName": "pre-tool-use", "toolName": "Bash", "toolInput": {"command": "ls"}}'
    files = {"hooks/hooks.json": PACKAGE, "hooks/tests/cases/01-refused.yaml": CASE}
    overview = take_overview(make_project(tmp_path, {**files, "hooks/tests/fixtures/refused.json": fixture}))
    run = run_cases(item_of(overview, "exit 2"))
    assert [(result.case.name, result.state.value) for result in run.results] == [("refused", "passed")]
    assert list(run.lines())[-1] == ("1 of 1 passed", "bold")
    other = run_cases(item_of(overview, "exit 0"))
    assert other.results == ()
    assert "No case of" in next(other.lines())[0]


@posix_only
def test_an_entry_is_tried_with_what_it_asks(tmp_path: Path) -> None:
    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "entry"}]}]}}
    fixture = '{"hookEventName": "pre-tool-use", "toolName": "Write", "toolInput": {"file_path": "a", "content": ""}}'
    files = {
        ".claude/settings.json": json.dumps(settings),
        "hooks/hooks.json": PACKAGE.replace("Bash", "Write|Edit"),
        "hooks/tests/cases/01-refused.yaml": CASE,
        "hooks/tests/fixtures/refused.json": fixture,
    }
    overview = take_overview(make_project(tmp_path, files))
    entry = structs.replace(item_of(overview, "entry"), behind=(item_of(overview, "exit 2"),))
    assert json.loads(sample_event(entry))["tool_name"] == "Write"
    assert [result.case.name for result in run_cases(entry).results] == ["refused"]


def test_a_project_without_cases_says_so(tmp_path: Path) -> None:
    run = run_cases(item_of(take_overview(claude_project(tmp_path)), "true"))
    assert list(run.lines()) == [("The project has no test cases. Write one: anyhook new case", "yellow")]
