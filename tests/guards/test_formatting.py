"""The guard ``format``: which formatter, which files, and what the agent is told."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

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


C, WEB = ".c .h .cc .cpp .hpp .m", ".js .jsx .ts .tsx .mjs .cjs .json .css"
USED = [
    *(("ruff format --quiet", suffix, file, "") for suffix in (".py", ".pyi") for file in ("ruff.toml", ".ruff.toml")),
    *(("ruff format --quiet", suffix, "pyproject.toml", "[tool.ruff]") for suffix in (".py", ".pyi")),
    *(("black --quiet", suffix, "pyproject.toml", "[tool.black]") for suffix in (".py", ".pyi")),
    *(("rustfmt --edition 2021", ".rs", file, "") for file in ("Cargo.toml", "rustfmt.toml", ".rustfmt.toml")),
    *(("clang-format -i", suffix, ".clang-format", "") for suffix in C.split()),
    *(("biome format --write", suffix, file, "") for suffix in WEB.split() for file in ("biome.json", "biome.jsonc")),
    ("gofmt -w", ".go", "go.mod", ""),
]


@pytest.mark.parametrize(("command", "suffix", "file", "text"), USED)
def test_what_the_project_uses(command: str, suffix: str, file: str, text: str, project: Path) -> None:
    (project / "go.mod").unlink()
    (project / file).write_text(text)
    name = command.split()[0]
    program = project.parent / "bin" / name
    program.write_text(
        f'#!/bin/sh\necho "{name} $*" > "{project.parent}/started"\nfor last; do :; done\necho x > "$last"\n'
    )
    program.chmod(0o755)
    assert told(project, f"a{suffix}").startswith(f"a{suffix} was formatted with {name}:")
    assert (project.parent / "started").read_text() == f"{command} {project / f'a{suffix}'}\n"
    if text:
        (project / file).write_text("[project]")
        assert told(project, f"a{suffix}") == ""


def test_how_a_formatter_can_fail(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project.parent / "bin"
    install(folder, "#!/bin/sh\nexit 3\n")
    assert told(project, "a.go") == "gofmt could not format a.go: exit status 3."
    install(folder, "#!/bin/sh\necho on stdout\necho more\nexit 1\n")
    assert told(project, "a.go") == "gofmt could not format a.go: on stdout."
    install(folder, "#!/nonexistent/program\n")
    assert told(project, "a.go") == "gofmt could not format a.go: No such file or directory."
    install(folder, "#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setattr("anyhook.guards.formatting._SECONDS", 1)
    assert told(project, "a.go") == "gofmt could not format a.go: it took longer than 1 s."
    install(folder, "#!/bin/sh\nexit 0\n")
    assert told(project, "a.go") == ""


def test_a_link_a_missing_file_and_one_of_another_folder_are_left_alone(project: Path) -> None:
    install(project.parent / "bin")
    (project.parent / "other.go").write_text("other\n")
    (project / "link.go").symlink_to(project.parent / "other.go")
    (project / "~").mkdir()
    (project / "~/a.go").write_text("other\n")
    for name in ("link.go", "missing.go", "~/a.go", str(project.parent / "other.go")):
        event = PostToolUse(session_id="s", tool_name="Write", tool_input={"file_path": name, "content": "code"})
        path = f"{project.parent / 'bin'}:{os.environ['PATH']}"
        assert judge(GuardCall(event=event, project=project, environment={"PATH": path})) is None
    assert (project.parent / "other.go").read_text() == "other\n"
    assert (project / "~/a.go").read_text() == "other\n"


def test_a_formatter_that_is_not_installed_is_not_missed(project: Path) -> None:
    (project / "a.go").write_text("code\n")
    event = PostToolUse(session_id="s", tool_name="Write", tool_input={"file_path": "a.go", "content": "code"})
    path = str(project.parent / "bin")
    assert judge(GuardCall(event=event, project=project, environment={"PATH": path})) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_does_not_say_what_the_project_uses(project: Path) -> None:
    install(project.parent / "bin")
    pipe = project / "go.mod"
    pipe.unlink()
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_text, args=("module x\n",))  # waits for a reader
    writer.start()
    try:
        assert told(project, "a.go") == ""
    finally:
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)
