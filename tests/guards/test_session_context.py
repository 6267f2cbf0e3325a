"""The guard ``context``: what the agent is told when a session starts."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from anyhook.guards.call import GuardCall
from anyhook.guards.session_context import judge
from anyhook.model.payload import SessionStart

VARIABLES = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def told(project: Path, **settings: object) -> str:
    event = SessionStart(session_id="s", source="startup")
    reply = judge(GuardCall(event=event, settings=settings, project=project, environment=VARIABLES))
    return "" if reply is None else str(reply.context)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_branch_changes_and_note(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "topic", str(tmp_path)], check=True, env=VARIABLES)
    (tmp_path / "notes.md").write_text("Run make test.\n")
    assert told(tmp_path, note="notes.md") == "The branch is topic.\nNot committed: notes.md.\nRun make test."
    for number in range(25):
        (tmp_path / f"f{number:02}").write_text("")
    assert told(tmp_path).endswith("f19 and 6 more.")
    assert len(told(tmp_path, characters=50)) == 50


def test_without_a_repository_nothing_is_told(tmp_path: Path) -> None:
    assert told(tmp_path, note="missing.md") == ""


def test_a_note_outside_of_the_project_is_not_read(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (project / "link.md").symlink_to(tmp_path / "secret.md")
    assert "secret" not in told(project, note="../secret.md") + told(project, note="link.md")
