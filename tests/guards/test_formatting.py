"""The guard ``format``: which formatter, which files, and what the agent is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anyhook.guards.call import GuardCall
from anyhook.guards.formatting import judge
from anyhook.model.payload import PostToolUse

UPPER = '#!/bin/sh\nfor last; do :; done\ntr a-z A-Z < "$last" > "$last.new" && mv "$last.new" "$last"\n'
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the formatter of these tests is a shell script")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "project" / "go.mod").write_text("module x\n")
    return tmp_path / "project"


def install(folder: Path, text: str = UPPER) -> None:
    (folder / "gofmt").write_text(text)
    (folder / "gofmt").chmod(0o755)


def told(project: Path, name: str, **settings: object) -> str:
    (project / name).write_text("code\n")
    event = PostToolUse(session_id="s", tool_name="Write", tool_input={"file_path": name, "content": "code"})
    path = f"{project.parent / 'bin'}:{project}:{os.environ['PATH']}"
    reply = judge(GuardCall(event=event, settings=settings, project=project, environment={"PATH": path}))
    return "" if reply is None else str(reply.context)


def test_an_edited_file_is_formatted(project: Path) -> None:
    install(project.parent / "bin")
    assert told(project, "a.go") == "a.go was formatted with gofmt: read it again before you change it."
    assert (project / "a.go").read_text() == "CODE\n"


def test_other_files_and_other_projects_are_left_alone(project: Path) -> None:
    install(project.parent / "bin")
    assert told(project, "a.txt") == ""
    assert told(project, "a.go", skip=["*.go"]) == ""
    assert told(project, "../b.go") == ""
    (project / "go.mod").unlink()
    assert told(project, "a.go") == ""
    assert (project / "a.go").read_text() == "code\n"


def test_a_program_of_the_project_is_not_started(project: Path) -> None:
    install(project)
    (project.parent / "bin").rmdir()
    told(project, "a.go")
    assert (project / "a.go").read_text() == "code\n"


def test_a_formatter_that_fails_is_reported(project: Path) -> None:
    install(project.parent / "bin", "#!/bin/sh\necho 'a.go:1: no package' >&2\nexit 2\n")
    assert told(project, "a.go") == "gofmt could not format a.go: a.go:1: no package."
