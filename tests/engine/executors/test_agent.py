"""Agent hooks: a model that looks at the project with tools, in several turns, and never outside of it."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from anyhook.engine.engine import Engine
from anyhook.engine.models.agent_tools import MAX_ANSWER_LENGTH, MAX_FILES, ProjectTools
from anyhook.engine.models.models import ModelRequest
from anyhook.model.outcome import Effect, Outcome, Status
from anyhook.sources.settings import SAFE_COMMANDS
from tests.engine.models.model_hooks import ALLOW, BLOCK, CALL, agent, engine_with, hooks_of, only_run
from tests.engine.models.model_server import ModelServer, Step

VERDICT = "give_verdict"
REFUSES = Step(calls=((VERDICT, {"ok": False, "reason": "not on Fridays"}),))
TOOLS = ["read_file", "glob", "grep", "run_command"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project beside a secret, with links that lead to it."""
    (tmp_path / "secret.txt").write_text("the password is hunter2", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "key.txt").write_text("hunter2", encoding="utf-8")
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("import os\nprint(os.name)\n", encoding="utf-8")
    (folder / "README.md").write_text("# Hello\n", encoding="utf-8")
    (folder / "out").symlink_to(tmp_path / "elsewhere")
    (folder / "note.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "readme-link").symlink_to("README.md")
    return folder


def fire(project: Path, server: ModelServer, provider: str = "openai", **keys: Any) -> Outcome:
    environment = {"PATH": os.environ["PATH"], **server.environment(provider)}
    return engine_with(agent(**keys), project, environment=environment).fire_sync(CALL)


# ------------------------------------------------------------------------------------------------------- conversation


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_model_uses_tools_in_several_turns(
    provider: str, stream: bool, server: ModelServer, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = project.parent / "config"
    config.mkdir()
    (config / "anyhook.toml").write_text(f"[models]\nstream = {str(stream).lower()}\n", encoding="utf-8")
    monkeypatch.setattr("anyhook.sources.state.settings_folder", lambda: config)
    server.script = [
        Step(calls=(("glob", {"pattern": "**/*.py"}), ("read_file", {"path": "README.md"}))),
        Step(text="Let me see.", calls=(("grep", {"pattern": r"import \w+", "files": "**/*.py"}),)),
        REFUSES,
    ]
    outcome = fire(project, server, provider)
    assert (outcome.effect, outcome.reason) == (Effect.BLOCK, "not on Fridays")
    first, second, third = server.requests
    assert first.tool_names == [*TOOLS, VERDICT]
    assert second.tool_results == ["src/app.py", "# Hello\n"]
    assert third.tool_results[-1] == "src/app.py:1: import os"
    assert bool(first.body.get("stream")) is stream


def test_a_verdict_may_also_be_text(server: ModelServer, project: Path) -> None:
    server.script = [Step(text=BLOCK)]
    assert fire(project, server).effect is Effect.BLOCK


def test_a_verdict_of_another_form_is_none(server: ModelServer, project: Path) -> None:
    server.script = [Step(calls=((VERDICT, {"answer": "yes"}),))]
    run = only_run(fire(project, server))
    assert run.status is Status.FAILED_OPEN
    assert run.reason.startswith("no verdict")


def test_a_model_gets_fifty_turns(server: ModelServer, project: Path) -> None:
    server.script = [Step(calls=(("glob", {"pattern": "*"}),))]
    run = only_run(fire(project, server))
    assert (run.status, run.reason) == (Status.FAILED_OPEN, "no verdict after 50 turns")
    assert len(server.requests) == 50


def test_a_hook_may_have_fewer_turns(server: ModelServer, project: Path) -> None:
    server.script = [Step(calls=(("glob", {"pattern": "*"}),))]
    environment = server.environment()
    for keys, turns in (({}, 3), ({"max_iterations": 2}, 2), ({"max_iterations": 500}, 50)):
        server.requests.clear()
        entry = {"type": "agent", "system_prompt": "Is it safe?", **keys}
        engine_with(entry, project, client="openhands", environment=environment).fire_sync(CALL)
        assert len(server.requests) == turns


def test_a_model_that_uses_too_many_tokens_is_stopped(server: ModelServer, project: Path) -> None:
    server.script = [Step(calls=(("glob", {"pattern": "*"}),), tokens=40_000)]
    run = only_run(fire(project, server))
    assert run.status is Status.FAILED_OPEN
    assert run.reason.startswith("used 120000 tokens, more than its budget of 100000")
    assert len(server.requests) == 3


def test_the_whole_conversation_is_bounded_in_time(server: ModelServer, project: Path) -> None:
    server.script = [Step(calls=(("glob", {"pattern": "*"}),), delay=0.3)]
    assert only_run(fire(project, server, timeout=1)).status is Status.TIMED_OUT


def test_a_tool_that_does_not_exist_is_refused(server: ModelServer, project: Path) -> None:
    server.script = [Step(calls=(("delete_everything", {"path": "/"}),)), REFUSES]
    fire(project, server)
    assert server.requests[1].tool_results == ["Refused: there is no tool delete_everything."]


# ---------------------------------------------------------------------------------------------------------- confining


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_model_that_asks_for_a_file_elsewhere_is_refused(provider: str, server: ModelServer, project: Path) -> None:
    server.script = [Step(calls=(("read_file", {"path": "../../etc/passwd"}),)), REFUSES]
    assert fire(project, server, provider).effect is Effect.BLOCK
    assert server.requests[1].tool_results == ["Refused: ../../etc/passwd is outside the project."]


def use(project: Path, tool: str, *, commands: tuple[str, ...] = SAFE_COMMANDS, **arguments: Any) -> str:
    tools = ProjectTools(project.resolve(), commands, dict(os.environ)).offered((), "claude-code")
    [found] = [each for each in tools if each.name == tool]

    async def call() -> str:
        return await found.call(arguments)

    return asyncio.run(call())


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "../../etc/passwd", "/etc/passwd", "note.txt", "out/key.txt", "src/../../secret.txt", "out"],
)
def test_no_path_leads_out_of_the_project(path: str, project: Path) -> None:
    assert use(project, "read_file", path=path) == f"Refused: {path} is outside the project."


@pytest.mark.parametrize("path", ["README.md", "./src/../README.md", "readme-link"])
def test_a_file_of_the_project_is_read_by_any_path(path: str, project: Path) -> None:
    assert use(project, "read_file", path=path) == "# Hello\n"
    assert use(project, "read_file", path=str(project / path)) == "# Hello\n"


@pytest.mark.parametrize("path", ["src", "missing.py", "nul\0byte", "x" * 5000])
def test_what_is_no_file_is_an_answer_not_a_crash(path: str, project: Path) -> None:
    assert use(project, "read_file", path=path).startswith(("Refused:", "Failed:"))


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes in a folder")
def test_a_pipe_is_not_waited_for(project: Path) -> None:
    os.mkfifo(project / "pipe")
    assert use(project, "read_file", path="pipe") == "Refused: pipe is not a file."
    assert "pipe" not in use(project, "grep", pattern="x", files="*")


def test_searching_leaves_out_what_lies_elsewhere(project: Path) -> None:
    assert use(project, "glob", pattern="**").splitlines() == ["README.md", "readme-link", "src/app.py"]
    assert use(project, "grep", pattern="hunter2", files="**") == "[nothing matches]"
    assert use(project, "glob", pattern="../*") == "[no file matches]"


def test_a_pattern_cannot_take_forever(project: Path) -> None:
    (project / "a.txt").write_text("a" * 50_000 + "b", encoding="utf-8")
    assert use(project, "grep", pattern="(a+)+$", files="a.txt") == "[nothing matches]"
    assert use(project, "grep", pattern="(", files="**").startswith("Failed:")
    assert use(project, "grep", pattern=r"(a)\1", files="**").startswith("Failed:")


def test_answers_of_tools_are_cut(project: Path) -> None:
    (project / "large.txt").write_text("x" * 3 * MAX_ANSWER_LENGTH, encoding="utf-8")
    read = use(project, "read_file", path="large.txt")
    assert read.startswith("x" * MAX_ANSWER_LENGTH)
    assert read.endswith(f"\n[{2 * MAX_ANSWER_LENGTH} characters cut]")
    for number in range(MAX_FILES + 1):
        (project / f"{number}.tmp").touch()
    assert use(project, "glob", pattern="*.tmp").endswith("[there are more]")


def test_arguments_of_a_wrong_type_are_refused(project: Path) -> None:
    assert use(project, "read_file", path=["README.md"]) == "Refused: it takes path, each as text."


# ----------------------------------------------------------------------------------------------------------- programs


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_listed_program_runs_in_the_project(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    answer = use(project, "run_command", command="git status --short")
    assert answer.startswith("Exit status 0\n")
    assert "?? README.md" in answer


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_finds_no_repository_above_the_project(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project.parent)], check=True)
    assert "not a git repository" in use(project, "run_command", command="git status")


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf .",
        "git push",
        "git log --output=README.md",
        "git -c core.pager=evil log",
        "ls -R",
        "git",
        "git statusx",
        "sh -c 'git status'",
        "",
    ],
)
def test_other_programs_and_options_are_refused(command: str, project: Path) -> None:
    assert "is not on the list of allowed commands" in use(project, "run_command", command=command)


@pytest.mark.parametrize("command", ["ls ..", "ls /etc", "ls out", "git diff README.md ../secret.txt", "ls src/../.."])
def test_arguments_do_not_lead_out_of_the_project(command: str, project: Path) -> None:
    assert use(project, "run_command", command=command).endswith("is outside the project.")


@pytest.mark.parametrize("command", ["tool --file=/etc/passwd", "tool -f/etc/passwd", "tool --in=../secret.txt"])
def test_nor_do_the_values_of_options(command: str, project: Path) -> None:
    assert use(project, "run_command", commands=("tool *",), command=command).endswith("is outside the project.")


@pytest.mark.skipif(os.name == "nt", reason="echo is a program only elsewhere")
def test_there_is_no_shell(project: Path) -> None:
    answer = use(project, "run_command", commands=("echo",), command="echo $HOME; rm README.md | cat && `ls` > x")
    assert answer == "Exit status 0\n$HOME; rm README.md | cat && `ls` > x\n"
    assert (project / "README.md").exists()


def test_a_hook_brings_its_own_tools(project: Path) -> None:
    requests: list[ModelRequest] = []

    def model(request: ModelRequest) -> str:
        requests.append(request)
        return '{"decision": "allow"}'

    for tools in ([], ["grep"], ["terminal(npm test)"]):
        entry = {"type": "agent", "system_prompt": "?", "tools": tools}
        engine_with(entry, project, client="openhands", model=model).fire_sync(CALL)
    every, one, own = (request.tools for request in requests)
    assert [tool.name for tool in every] == TOOLS
    assert [tool.name for tool in one] == ["grep"]
    assert [tool.name for tool in own] == ["run_command"]
    assert "npm test" in own[0].description


# -------------------------------------------------------------------------------------------------------------- hosts


def test_a_host_answers_with_the_verdict_and_may_use_the_same_tools(project: Path) -> None:
    async def model(request: ModelRequest) -> dict[str, Any]:
        [read] = [tool for tool in request.tools if tool.name == "read_file"]
        text = await read.call({"path": "README.md"})
        return {"ok": False, "reason": f"{request.kind} saw {text.strip()}"}

    assert engine_with(agent(), project, model=model).fire_sync(CALL).reason == "agent saw # Hello"


def test_no_hook_fires_for_what_a_hooks_own_agent_does(project: Path) -> None:
    fired: list[str] = []

    async def model(request: ModelRequest) -> str:
        inner = await engine.fire(CALL)  # a host whose agents all go through the same engine
        fired.append(inner.effect)
        return ALLOW

    engine = Engine(hooks_of("claude-code", "PreToolUse", agent()), project=project, environment={}, model=model)
    engine.register("PreToolUse", lambda event: fired.append("callback"))
    asyncio.run(engine.fire(CALL))
    assert sorted(fired) == ["callback", "proceed"]
