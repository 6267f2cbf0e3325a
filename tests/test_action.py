"""The steps of action.yml, run as GitHub runs them, and the hooks that pre-commit offers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from anyhook.cli.main import COMMANDS
from tests.checkout import ROOT, SOURCE

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("bash") is None, reason="the steps are scripts of bash"),
]
PACKAGE = ROOT / "examples" / "hooks-package"


def read(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / name).read_text(encoding="utf-8"))


def step(name: str) -> Mapping[str, Any]:
    found = next(step for step in read("action.yml")["runs"]["steps"] if step.get("name") == name)
    assert found["shell"] == "bash"
    return dict(found)


class Runner:
    """A machine of GitHub: the folders and files that a step may use, and the programs on the PATH."""

    def __init__(self, top: Path) -> None:
        self.summary = top / "summary.md"
        programs = top / "bin"
        programs.mkdir()
        for name, words in (
            ("anyhook", f'PYTHONPATH={SOURCE} exec {sys.executable} -P -m anyhook "$@"'),
            ("gh", f'echo "$*" >> {top}/gh; case "$*" in *--jq*) cat {top}/comments ;; esac; exit $(cat {top}/status)'),
        ):
            (programs / name).write_text(f"#!/bin/sh\n{words}\n", encoding="utf-8")
            (programs / name).chmod(0o755)
        (top / "status").write_text("0", encoding="utf-8")
        (top / "comments").write_text("", encoding="utf-8")
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(top),
            "RUNNER_TEMP": str(top),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_PATH": str(top / "path"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_REPOSITORY": "o/r",
        }

    def run(self, name: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        # GitHub runs the text of a step with these options.
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]]
        environment = {**self.environment, **variables}
        return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_no_python_of_the_steps_imports_from_the_folder_of_the_pull_request() -> None:
    steps = "\n".join(step.get("run", "") for step in read("action.yml")["runs"]["steps"])
    assert re.findall(r"\bpython\"? (.*?) ", steps) == ["-I", "-I"]


def test_check_annotates_mistakes(runner: Runner) -> None:
    done = runner.run("Check", ROOT / "examples" / "shop", STRICT="false")
    assert done.returncode == 1
    assert "::error file=.codex/hooks.json,line=5" in done.stdout


def test_annotations_name_files_from_the_checkout(runner: Runner) -> None:
    done = runner.run("Check", ROOT / "examples" / "shop", STRICT="false", GITHUB_WORKSPACE=str(ROOT))
    assert "::error file=examples/shop/.codex/hooks.json,line=5" in done.stdout


def test_check_of_a_good_package(runner: Runner) -> None:
    assert runner.run("Check", PACKAGE, STRICT="false").returncode == 0


def test_tests_run(runner: Runner) -> None:
    done = runner.run("Test", PACKAGE)
    assert (done.returncode, "passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_the_matrix_is_in_the_summary_and_in_a_comment(runner: Runner, tmp_path: Path) -> None:
    done = runner.run("Matrix", PACKAGE)
    assert done.returncode == 0, done.stderr
    assert "| case |" in runner.summary.read_text(encoding="utf-8").lower()
    for found in ("", "7\n9\n"):
        (tmp_path / "comments").write_text(found, encoding="utf-8")
        runner.run("Comment", PACKAGE, NUMBER="5").check_returncode()
    calls = (tmp_path / "gh").read_text(encoding="utf-8").splitlines()
    body = f"-F body=@{tmp_path}/comment.md"
    assert calls[1::2] == [
        f"api --silent repos/o/r/issues/5/comments {body}",
        f"api --silent --method PATCH repos/o/r/issues/comments/9 {body}",
    ]
    assert (tmp_path / "comment.md").read_text(encoding="utf-8").startswith("<!-- anyhook matrix -->\n")


def test_a_token_that_may_not_comment_fails_nothing(runner: Runner, tmp_path: Path) -> None:
    """As that of a pull request from a fork."""
    (tmp_path / "matrix.md").write_text("| case |", encoding="utf-8")
    (tmp_path / "status").write_text("1", encoding="utf-8")
    done = runner.run("Comment", PACKAGE, NUMBER="5")
    assert done.returncode == 0
    assert done.stdout.startswith("::warning::The matrix is in the summary alone")


def test_no_comment_where_there_is_no_matrix(runner: Runner, tmp_path: Path) -> None:
    assert runner.run("Comment", PACKAGE, NUMBER="5").returncode == 0
    assert not (tmp_path / "gh").exists()


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_only_our_own_comment_is_replaced() -> None:
    mark = "<!-- anyhook matrix -->"
    comments = [
        {"id": 1, "user": {"type": "Bot"}, "body": f"{mark}\n| case |"},
        {"id": 2, "user": {"type": "User"}, "body": f"{mark} of a person"},
        {"id": 3, "user": {"type": "Bot"}, "body": "of another workflow"},
    ]
    wanted = re.search("ours='(.*)'", step("Comment")["run"])
    assert wanted
    done = subprocess.run(["jq", wanted[1]], input=json.dumps(comments), capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]


def test_no_value_of_a_workflow_becomes_text_of_a_script() -> None:
    """A title or a branch may contain commands of a shell; as variables they are data."""
    assert [step["name"] for step in read("action.yml")["runs"]["steps"] if "${{" in step.get("run", "")] == []


def test_every_input_is_used() -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    unused = [name for name in read("action.yml")["inputs"] if f"inputs.{name}" not in action]
    assert unused == []


FILES_OF_HOOKS = {
    "anyhook-check": [".claude/settings.json", "sub/.codex/hooks.json", ".claude-plugin/plugin.json", "anyhook.toml"],
    "anyhook-test": ["hooks/guard.sh", "sub/hooks/hooks.json", "hooks/tests/a.yaml", "anyhook.toml"],
}


@pytest.mark.parametrize("hook", read(".pre-commit-hooks.yaml"), ids=lambda hook: hook["id"])
def test_pre_commit_runs_the_hooks_for_the_files_that_they_read(hook: Mapping[str, Any]) -> None:
    assert [name for name in FILES_OF_HOOKS[hook["id"]] if not re.search(hook["files"], name)] == []
    assert not re.search(hook["files"], "src/main.py")


def test_the_hooks_of_pre_commit_are_commands() -> None:
    hooks = read(".pre-commit-hooks.yaml")
    assert [hook["id"] for hook in hooks] == ["anyhook-check", "anyhook-test"]
    assert all(hook["entry"].split()[0] == "anyhook" and hook["entry"].split()[1] in COMMANDS for hook in hooks)
