"""The guard ``context``: what the agent is told when a session starts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Thread

import pytest

from anyhook.guards.call import GuardCall
from anyhook.guards.session_context import judge
from anyhook.model.payload import SessionStart

VARIABLES = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def told(project: Path, variables: Mapping[str, str] = VARIABLES, **settings: object) -> str:
    event = SessionStart(session_id="s", source="startup")
    reply = judge(GuardCall(event=event, settings=settings, project=project, environment=variables))
    return "" if reply is None else str(reply.context)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_branch_changes_and_note(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "topic", str(tmp_path)], check=True, env=VARIABLES)
    (tmp_path / "notes.md").write_text("Run make test.\n")
    assert told(tmp_path, note="notes.md") == "The branch is topic.\nNot committed: notes.md.\nRun make test."
    whole = told(tmp_path, note="notes.md")
    assert told(tmp_path, note="notes.md", characters=len(whole)) == whole
    for number in range(25):
        (tmp_path / f"f{number:02}").write_text("")
        if number == 18:
            assert told(tmp_path).endswith("f18, notes.md.")
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


def test_a_note_in_a_folder_called_like_the_home_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "~").mkdir()
    (tmp_path / "~/note.md").write_text("secret")
    assert told(tmp_path, note="~/note.md") == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_note_that_is_a_pipe_is_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "note.md"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=("secret",))  # waits for a reader
    writer.start()
    try:
        assert told(tmp_path, note="note.md") == ""
    finally:
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_how_git_is_asked(tmp_path: Path) -> None:
    """With the variables of the hook, for new files in any case, and without writing the index."""
    project = tmp_path / "project"
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    project.mkdir()
    (project / "a.txt").write_text("a")
    steps: tuple[tuple[str, ...], ...] = (
        ("init", "-q", "-b", "topic"),
        ("config", "status.showUntrackedFiles", "no"),
        ("add", "."),
        (*who, "commit", "-q", "-m", "a"),
    )
    for words in steps:
        subprocess.run(["git", *words], cwd=project, check=True, env=VARIABLES)
    os.utime(project / "a.txt", (1, 1))
    index = (project / ".git/index").read_bytes()
    (project / "new.txt").touch()
    (project / "hidden.txt").touch()
    (tmp_path / "excludes").write_text("hidden.txt\n")
    settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.excludesFile"}
    variables = {**VARIABLES, **settings, "GIT_CONFIG_VALUE_0": str(tmp_path / "excludes")}
    assert told(project, variables) == "The branch is topic.\nNot committed: new.txt."
    assert (project / ".git/index").read_bytes() == index
    assert told(tmp_path / "gone") == ""
