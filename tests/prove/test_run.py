"""A run in a namespace, with a small client that is a Python script: files, hooks, prompts, reports."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from anyhook.prove.installation import Installed
from anyhook.prove.namespace import NamespaceUnavailableError
from anyhook.prove.run import ClientRunner, RunError
from anyhook.prove.situation import Situation, read_situation

pytestmark = pytest.mark.long

CLIENT = """#!{python}
import json, os, subprocess, sys, urllib.request

def ask(messages):
    body = json.dumps({{"messages": messages, "tools": [{{"name": "Bash"}}]}}).encode()
    request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body)
    return json.load(urllib.request.urlopen(request))["content"]

settings = json.load(open(".claude/settings.json"))
messages = [{{"role": "user", "content": sys.argv[2]}}]
while True:
    calls = [block for block in ask(messages) if block["type"] == "tool_use"]
    if not calls:
        break
    results = []
    for call in calls:
        payload = {{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": call["input"]}}
        hook = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        ran = subprocess.run(hook, shell=True, input=json.dumps(payload), capture_output=True, text=True)
        text = ran.stderr if ran.returncode == 2 else subprocess.getoutput(call["input"]["command"])
        results.append({{"type": "tool_result", "tool_use_id": call["id"], "content": text}})
    messages.append({{"role": "user", "content": results}})
subprocess.Popen(["sleep", "600"])
sys.stderr.write("bye " + os.environ["HOME"] + " " + os.environ.get("EXTRA", "") + " " + " ".join(sys.argv[3:]))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    program = tmp_path / "client"
    program.write_text(CLIENT.format(python=sys.executable))
    program.chmod(0o755)
    return Installed("claude-code", "0.0.1", program)


@pytest.fixture
def runner() -> Iterator[ClientRunner]:
    try:
        with ClientRunner(protect=True) as made:
            yield made
    except NamespaceUnavailableError as error:
        pytest.skip(str(error))


def situation(**more: object) -> Situation:
    hook = {"type": "command", "command": "@RECORD@ guard"}
    return read_situation(
        {
            "prompt": "run it in @PROJECT@",
            "files": {".claude/settings.json": {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}},
            "hooks": {"guard": [{"exit": 2, "stderr": "no shell today"}, {}]},
            "script": [{"shell": "touch first"}, {"shell": "touch second"}, {"text": "finished"}],
            **more,
        }
    )


def test_hooks_effects_and_messages_are_reported(runner: ClientRunner, installed: Installed) -> None:
    report = runner.play(installed, situation(env={"EXTRA": "more"}, args=["--last"]))
    assert (report.exit_status, report.turns_left) == (0, 0)
    first, second = report.tool_results
    assert (first.ran, first.model_saw) == (False, "no shell today")
    assert second.ran is True
    assert report.files_made == {"first": False, "second": True}
    assert [(call.name, call.event) for call in report.hooks_fired] == [("guard", "PreToolUse")] * 2
    assert report.hooks_fired[0].payload["tool_input"]["command"] == "touch first"
    assert report.saw("no shell today")
    assert "/project" in report.model_saw[0][0].text
    assert "more" in report.stderr
    assert "--last" in report.stderr


def test_a_run_knows_nothing_of_the_one_before(runner: ClientRunner, installed: Installed) -> None:
    homes = [runner.play(installed, situation()).stderr.split()[1] for _ in range(2)]
    assert homes[0] != homes[1]
    assert not any(Path(home).exists() for home in homes)


def test_the_copy_of_a_project_is_at_its_own_path(runner: ClientRunner, installed: Installed, tmp_path: Path) -> None:
    from msgspec import structs

    project = tmp_path / "project"
    (project / "node_modules").mkdir(parents=True)
    (project / "file.txt").write_text("as it was")
    (project / "gone.txt").write_text("x")
    script = [{"shell": "pwd; ls; echo changed > file.txt"}, {"text": "x"}]
    played = structs.replace(
        situation(script=script, hooks={}), project=project, keeps_path=True, without=("gone.txt",)
    )
    report = runner.play(installed, played)
    [result] = report.tool_results
    assert result.ran is True
    assert (result.model_saw or "").split() == [str(project), "file.txt", "node_modules"]
    assert (project / "file.txt").read_text() == "as it was"
    assert sorted(path.name for path in project.iterdir()) == ["file.txt", "gone.txt", "node_modules"]


def test_a_real_hook_is_run_and_recorded(runner: ClientRunner, installed: Installed) -> None:
    behaviour = {"run": ["sh", "-c", "grep -q first && echo refused >&2 && exit 2; echo fine"]}
    report = runner.play(installed, situation(hooks={"guard": behaviour}))
    first, second = report.hooks_fired
    assert (first.exit_status, first.stderr) == (2, "refused\n")
    assert (second.exit_status, second.stdout) == (0, "fine\n")
    assert [result.ran for result in report.tool_results] == [False, True]


def test_a_client_that_does_not_end_is_killed(runner: ClientRunner, installed: Installed) -> None:
    report = runner.play(installed, situation(hooks={"guard": {"sleep": 600}}, timeout=3))
    assert report.exit_status is None
    assert [call.seconds for call in report.hooks_fired] == [None]


def test_a_client_that_cannot_be_started_is_an_error(runner: ClientRunner, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="could not be run"):
        runner.play(Installed("claude-code", "1", tmp_path / "missing"), situation())


def test_several_prompts_need_a_client_that_takes_them(runner: ClientRunner, installed: Installed) -> None:
    codex = Installed("codex", "1", installed.program)
    with pytest.raises(RunError, match="codex takes one prompt in a start"):
        runner.play(codex, situation(prompts=["one", "two"]))


def test_the_next_run_works_after_an_error(runner: ClientRunner, installed: Installed, tmp_path: Path) -> None:
    with pytest.raises(RunError):
        runner.play(Installed("claude-code", "1", tmp_path / "missing"), situation())
    assert runner.play(installed, situation()).exit_status == 0


def test_a_path_that_is_not_utf_8_is_an_error(runner: ClientRunner, installed: Installed, tmp_path: Path) -> None:
    from msgspec import structs

    odd = tmp_path / "\udcff"
    with pytest.raises(RunError, match="not UTF-8"):
        runner.play(installed, structs.replace(situation(), project=odd))
