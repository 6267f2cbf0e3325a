"""Files that several clients read, and commands that one client finds twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from anyhook.model.codes import Severity
from anyhook.model.problems import Problem
from tests.lint.projects import PLACES, check, flat, found, groups, guard, hook

CLAUDE = PLACES["claude-code"]
COPILOT_USED = {".github/copilot-instructions.md": "x"}


def differences(folder: Path, files: dict[str, Any], title: str) -> list[Problem]:
    return [p for p in check(folder, files).problems if p.code == "X001" and p.text.startswith(title)]


@pytest.mark.parametrize(
    ("content", "title", "expected"),
    [
        (groups("PreToolUse", hook("x"), matcher="Bash"), "VS Code", "ignores matchers, so hooks run on every tool"),
        (groups("PreToolUse", hook("x"), matcher=""), "Copilot CLI", "skips hooks with the matcher '' on PreToolUse"),
        (groups("SessionStart", hook("x"), matcher="startup"), "Copilot CLI", "ignores matchers on SessionStart"),
        (groups("TaskCompleted", hook("x")), "Copilot CLI", "never runs TaskCompleted"),
        (groups("Stop", hook("exit 2")), "Copilot CLI", "does not block on exit 2 on Stop"),
        (groups("PreToolUse", hook("x", **{"if": "Bash(git *)"})), "VS Code", 'runs hooks with "if" on every call'),
        (groups("PreToolUse", hook("x", args=["y"])), "Copilot CLI", 'starts commands without their "args"'),
        (
            groups("PreToolUse", hook("""echo '{"decision": "block", "reason": "no"}'""")),
            "Copilot CLI",
            "discards the refusal that a hook prints on PreToolUse",
        ),
        (groups("Stop", {"type": "prompt", "prompt": "?"}), "VS Code", "does not load the hook in line"),
    ],
)
def test_what_others_do_differently(content: Any, title: str, expected: str, tmp_path: Path) -> None:
    (problem,) = differences(tmp_path, {CLAUDE: content}, title)
    assert expected in problem.text
    assert problem.severity is Severity.NOTE
    assert problem.origin.dialect == "claude-code"


def test_a_thousand_hooks_are_compared(tmp_path: Path) -> None:
    content = {"hooks": {"PreToolUse": [{"hooks": [*[hook("x")] * 999, hook("x", args=["y"])]}]}}
    assert len(differences(tmp_path, {CLAUDE: content}, "Copilot CLI")) == 1


def test_nothing_is_different(tmp_path: Path) -> None:
    problems = check(tmp_path, {CLAUDE: groups("PreToolUse", hook("x"))}).problems
    assert [p for p in problems if p.code == "X001"] == []


def test_it_is_a_note_that_is_shown_on_request(tmp_path: Path) -> None:
    files = {CLAUDE: groups("PreToolUse", hook("x"), matcher="Bash"), **COPILOT_USED}
    (problem,) = differences(tmp_path, files, "Copilot CLI")
    assert problem.is_minor
    assert "denies the tool when a PreToolUse hook fails with any status" in problem.text
    assert "X001" not in {found.code for found in check(tmp_path, files, everything=False).problems}


def test_one_message_for_each_reader(tmp_path: Path) -> None:
    many = {"hooks": {"PreToolUse": [{"matcher": m, "hooks": [hook("x")]} for m in ("Bash", "Edit", "Read", "")]}}
    problems = [p for p in check(tmp_path, {CLAUDE: many}).problems if p.code == "X001"]
    assert len(problems) == len({p.text.split(" reads")[0] for p in problems})


def test_a_key_of_another_reader_is_not_called_unread(tmp_path: Path) -> None:
    entry = {"type": "command", "bash": "x", "powershell": "y", "osx": "z", "nonsense": 1}
    problems = check(tmp_path, {PLACES["copilot-cli"]: flat("preToolUse", entry)}).problems
    assert [p.origin.pointer for p in problems if p.code == "K002"] == ["/hooks/preToolUse/0/nonsense"]


def test_a_named_client_is_the_only_reader(tmp_path: Path) -> None:
    problems = check(tmp_path, {CLAUDE: groups("PreToolUse", hook("x"), matcher="Bash")}, "copilot-vscode").problems
    assert [p.code for p in problems] == ["M004"]
    assert problems[0].origin.dialect == "copilot-vscode"


@pytest.mark.parametrize(
    ("content", "dialect"),
    [
        (flat("preToolUse", {"type": "command", "bash": "x"}), "copilot-cli"),
        (flat("PreToolUse", hook("x"), version=None), "copilot-vscode"),
        (flat("PreToolUse", hook("x")), "copilot-cli"),
        (flat("PreToolUse", {"type": "command", "bash": "x"}, version=None), "copilot-cli"),
        (flat("PreToolUse", hook("x", windows="y", osx="z", linux="z")), "copilot-vscode"),
    ],
)
def test_whose_file_in_github_hooks_is(content: dict[str, Any], dialect: str, tmp_path: Path) -> None:
    content["hooks"]["Nonsense"] = []
    problems = check(tmp_path, {PLACES["copilot-cli"]: content}).problems
    assert {p.origin.dialect for p in problems if p.code == "E001"} == {dialect}


def test_a_command_that_runs_twice(tmp_path: Path) -> None:
    files = {CLAUDE: groups("Stop", hook("make lint")), PLACES["copilot-cli"]: flat("Stop", hook("make lint"))}
    problems = [p for p in check(tmp_path, files).problems if p.code == "X002"]
    assert [p.origin.dialect for p in problems] == ["copilot-cli", "copilot-vscode"]
    assert problems[0].text.startswith("Copilot CLI runs this command twice on Stop: it is also in ")


def test_a_client_that_leaves_the_second_out(tmp_path: Path) -> None:
    files = {
        CLAUDE: groups("Stop", hook("make lint")),
        ".claude/settings.local.json": groups("Stop", hook("make lint")),
    }
    assert "claude-code" not in {p.origin.dialect for p in check(tmp_path, files).problems if p.code == "X002"}


def test_the_two_hook_files_of_one_plugin_run_a_hook_once(tmp_path: Path) -> None:
    inline = {"name": "p", **groups("Stop", hook("make lint"))}
    files = {".claude-plugin/plugin.json": inline, "hooks/hooks.json": groups("Stop", hook("make lint"))}
    assert found(tmp_path / "a", files, "X002") == []
    assert found(tmp_path / "b", {CLAUDE: groups("Stop", hook("make lint")), **files}, "X002")


def test_a_guard_in_two_places_of_its_own(tmp_path: Path) -> None:
    files = {**guard("claude-code", "x"), **guard("cursor", "x")}
    assert [p for p in check(tmp_path, files).problems if p.code == "X002" and p.origin.dialect == "claude-code"] == []


def test_two_skills_with_the_same_hook_need_not_meet(tmp_path: Path) -> None:
    text = "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: make lint}\n---\n"
    skills = {".claude/skills/a/SKILL.md": text, ".claude/skills/b/SKILL.md": text}
    assert not found(tmp_path / "a", skills, "X002")
    settings = {PLACES["claude-code"]: groups("Stop", hook("make lint"))}
    assert found(tmp_path / "b", {**skills, **settings}, "X002")
    assert not found(tmp_path / "c", {".claude/agents/a.md": text, **settings}, "X002")


def test_running_twice_in_a_client_that_may_not_be_used_is_a_note(tmp_path: Path) -> None:
    both = {CLAUDE: groups("Stop", hook("make")), ".claude/settings.local.json": groups("Stop", hook("make"))}
    assert {p.severity for p in found(tmp_path / "a", both, "X002")} == {Severity.NOTE}
    own = {CLAUDE: groups("Stop", hook("make")), PLACES["copilot-cli"]: flat("Stop", hook("make"))}
    assert Severity.WARNING in {p.severity for p in found(tmp_path / "b", own, "X002")}
