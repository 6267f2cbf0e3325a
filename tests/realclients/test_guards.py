"""Every ready-made guard in real clients, offline, with a scripted model: all of them in one start of each client."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from anyhook.dialects import all_profiles
from anyhook.guards.catalogue import GUARDS
from tests.realclients.playing import Report, Step, anyhook, approved, play, put_anyhook_on_path

RECORDED = [known.name for known in all_profiles() if known.basis == "recorded"]
SETTINGS = """\
[guards.shell]
[guards.files]
paths = ["frozen.txt"]
[guards.secrets]
[guards.network]
hosts = ["github.com"]
[guards.format]
[guards.context]
note = "note.md"
[guards.budget]
tool_calls = 7
[guards.notify]
bell = false
on = "ends"
[guards.tests]
command = "test -e done.txt"
"""
BYE: Step = {"text": "bye"}
REFUSED: dict[str, Step] = {
    "(shell guard: git)": {"shell": "git push --force origin main; touch pushed.txt"},
    "(files guard)": {"write": {"path": "frozen.txt", "content": "{}\n"}},
    "(secrets guard)": {"shell": "head -n 3 .env; touch read.txt"},
    "(network guard)": {"shell": "curl https://evil.test; touch fetched.txt"},
}
SCRIPT: list[Step] = [
    *REFUSED.values(),
    {"write": {"path": "a.go", "content": "code\n"}},
    {"shell": "cat a.go"},
    BYE,  # the tests guard keeps the agent going
    {"shell": "touch done.txt"},
    {"shell": "touch over.txt"},  # one more than the budget
    BYE,
]

pytestmark = [pytest.mark.usefixtures("clients"), pytest.mark.parametrize("client", RECORDED)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with every guard, and a formatter and a notifier where the guards find them."""
    project = tmp_path / "project"
    project.mkdir()
    files = {"anyhook.toml": SETTINGS, "note.md": "The password of the day is heron.\n", "go.mod": "module x\n"}
    for name, text in files.items():
        (project / name).write_text(text)
    put_anyhook_on_path(tmp_path)
    programs = {"gofmt": 'echo CODE > "$2"', "notify-send": f"echo \"$4\" >> '{tmp_path / 'notices'}'"}
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def saw(report: Report, text: str) -> bool:
    return any(text in message["text"] for request in report["model_saw"] for message in request)


def test_every_guard_has_its_effect(client: str, folder: Path) -> None:
    assert all(f"[guards.{name}]" in SETTINGS for name in GUARDS)
    deployed = anyhook(folder, "deploy", "--client", client)
    assert deployed.returncode in (0, 1), deployed.stderr  # 1: the client has no event for some notices
    report = play(client, folder, SCRIPT, env=approved(folder), timeout=180)
    results = report["tool_results"]
    for said, result in zip(REFUSED, results, strict=False):
        assert not result["ran"], said
        assert said in result["model_saw"]
    _, shown, done, over = results[len(REFUSED) :]
    assert "CODE" in shown["model_saw"]  # format
    assert saw(report, "The password of the day is heron.")  # context
    assert saw(report, "The checks of this project fail")  # tests
    assert done["ran"]
    assert not over["ran"]
    assert "(budget guard: tool_calls)" in over["model_saw"]
    assert report["turns_left"] == 0
    end = time.monotonic() + 60
    while not (folder / "notices").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert "The agent has ended its turn." in (folder / "notices").read_text()
