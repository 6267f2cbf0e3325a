"""A planned hook comes with what the linter and the doctor would say of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyhook.editor.draft import Draft
from anyhook.editor.hook_files import hook_file_choices
from anyhook.editor.new_hook import plan_new_hook
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import FileChange
from tests.editor.projects import CLAUDE_FILE, claude_project, make_project

posix_only = pytest.mark.skipif(os.name != "posix", reason="files have modes, and programs are found on PATH")


def planned(roots: Roots, matcher: str, command: str, client: str = "claude-code") -> FileChange:
    event = "pre-tool-use" if client == "universal" else "PreToolUse"
    file = str(hook_file_choices(client, roots)[0].target.path)
    draft = Draft(client=client, event=event, matcher=matcher, kind="command", text=command, file=file)
    return plan_new_hook(draft, roots)


def in_git(roots: Roots) -> Roots:
    (roots.project / ".git").mkdir()
    return roots


def test_a_tool_of_another_client_is_reported_with_the_own_name(tmp_path: Path) -> None:
    change = planned(claude_project(tmp_path), "run_shell_command", "true")
    (problem,) = change.problems
    assert (problem.code, problem.fix) == ("M006", "in Claude Code it is Bash or PowerShell")
    assert change.notes == ()  # once is enough


@pytest.mark.parametrize("client", ["claude-code", "universal"])
def test_a_misspelled_tool_is_noted_with_what_may_be_meant(client: str, tmp_path: Path) -> None:
    change = planned(claude_project(tmp_path), "Edit|Bahs", "true", client)
    assert "Bahs matches no tool of " in change.notes[0]
    assert change.notes[0].endswith("; did you mean Bash?")


@pytest.mark.parametrize("matcher", ["Bash", "Edit|Write", "mcp__github__.*", "*", "Notebook.*"])
def test_a_matcher_that_may_match_is_not_noted(matcher: str, tmp_path: Path) -> None:
    change = planned(make_project(tmp_path, {}), matcher, "true")
    assert (change.notes, change.problems) == ((), ())


def test_a_script_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    change = planned(in_git(claude_project(tmp_path)), "Bash", '"$CLAUDE_PROJECT_DIR/scripts/no.sh"')
    (problem,) = change.problems
    assert problem.code == "C002"
    assert "does not exist" in problem.text
    assert change.after is not None
    assert "no.sh" in change.after.decode().splitlines()[problem.origin.line - 1]


@posix_only
def test_a_script_that_is_not_executable_is_reported(tmp_path: Path) -> None:
    roots = in_git(claude_project(tmp_path))
    (roots.project / "scripts" / "guard.sh").chmod(0o644)
    change = planned(roots, "Edit", '"$CLAUDE_PROJECT_DIR/scripts/guard.sh"')
    assert [problem.code for problem in change.problems] == ["C003"]  # not that of the hook that is there already


@posix_only
def test_a_program_that_is_not_installed_is_noted(tmp_path: Path) -> None:
    change = planned(claude_project(tmp_path), "Bash", "no-such-program --now")
    assert change.notes == (
        "no-such-program is not on the PATH, and the hook needs it; install no-such-program, or write its full path",
    )


def test_a_new_file_is_checked_before_it_exists(tmp_path: Path) -> None:
    change = planned(in_git(make_project(tmp_path, {})), "Bash", '"$CLAUDE_PROJECT_DIR/scripts/no.sh"')
    assert not (tmp_path / "project" / CLAUDE_FILE).exists()
    assert [problem.code for problem in change.problems] == ["C002"]
