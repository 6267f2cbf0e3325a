"""``anyhook deploy`` as a user runs it: what is done does not depend on how much of its output is read."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.bridge.bridging import make_package, run_anyhook, shell_call
from tests.checkout import SOURCE
from tests.warm.commands import COLD


@pytest.mark.parametrize("reader", ["head -1", "true", "head -c 1"])
def test_a_closed_pipe_loses_no_half_of_the_work(tmp_path: Path, reader: str) -> None:
    package = make_package(tmp_path / "project")
    (tmp_path / "home").mkdir()
    variables = {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(SOURCE), "ANYHOOK_DAEMON": "0"}
    state = {"ANYHOOK_STATE_DIR": str(tmp_path / "state"), "PATH": os.environ["PATH"]}
    line = f"{shlex.join(COLD)} deploy --client claude-code,codex,gemini-cli --yes | {reader}"
    done = subprocess.run(["sh", "-c", line], cwd=package, env=variables | state, capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if not line.startswith("warning: clients")] == []
    found = json.loads(run_anyhook(package, "doctor", "--json").stdout)
    assert sorted(row["client"] for row in found["deployed"]) == ["claude-code", "codex", "gemini-cli"]
    assert found["trust"] == ""


def test_a_file_that_cannot_be_read_is_reported_with_its_place(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    (package / "hooks/other.py").write_bytes(b"from anyhook import hook\nNAME = '\xe9'\n")
    (package / "hooks/unrelated.py").write_bytes(b"NAME = '\xe9'\n")
    done = run_anyhook(package, "deploy", "--client", "codex")
    assert re.search(r"error +F008 +byte 33 is not UTF-8\n +hooks/other\.py:2\n", done.stdout)
    assert "unrelated" not in done.stdout
    assert done.returncode == 1
    data = json.loads(run_anyhook(package, "deploy", "--client", "codex", "--json").stdout)
    assert [row["text"] for row in data["problems"]] == ["byte 33 is not UTF-8"]


@pytest.mark.parametrize("is_link", [False, True])
def test_a_refusal_is_told_in_lines_and_trust_is_not_asked_for(tmp_path: Path, is_link: bool) -> None:
    package = make_package(tmp_path / "project")
    file = package / ".claude/settings.json"
    file.parent.mkdir(exist_ok=True)
    if is_link:
        (tmp_path / "real.json").write_text("{}")
        file.symlink_to(tmp_path / "real.json")
    else:
        file.write_text('{"hooks": {,}')
    done = run_anyhook(package, "deploy", "--client", "claude-code")
    remedy = "replace the link" if is_link else "correct the syntax there"
    assert f"\n    {remedy}" in done.stdout
    assert "\\n" not in done.stdout
    assert "trust" not in done.stdout
    assert done.returncode == 2


def test_every_command_reports_a_python_file_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "project/hooks").mkdir(parents=True)
    (tmp_path / "project/hooks/guard.py").write_bytes(b"from anyhook import hook\n# caf\xe9\n")
    for words in (("list",), ("explain", "PreToolUse"), ("deploy", "--client", "codex")):
        done = run_anyhook(tmp_path / "project", *words)
        assert "byte 30 is not UTF-8" in done.stdout + done.stderr, words
        assert "hooks/guard.py:2" in done.stdout + done.stderr, words
    checked = run_anyhook(tmp_path / "project", "check").stdout
    assert (
        "error   F008  byte 30 is not UTF-8\n              hooks/guard.py:2\n              save the file as UTF-8"
        in checked
    )


def test_an_absolute_entry_runs_where_the_path_does_not_have_anyhook(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    without = {"PATH": os.defpath}
    done = run_anyhook(package, "deploy", "--client", "claude-code", "--yes", **without)
    assert "anyhook deploy --absolute" in done.stderr
    done = run_anyhook(package, "deploy", "--client", "claude-code", "--absolute", "--yes", **without)
    assert "--absolute" not in done.stderr
    settings = json.loads((package / ".claude/settings.json").read_text())
    entry = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    done = run_anyhook(package, run=("sh", "-c", entry), stdin=shell_call("echo DANGER"), **without)
    assert "guard: no DANGER here" in done.stdout
    assert run_anyhook(package, "undeploy", **without).returncode == 0
    assert not (package / ".claude/settings.json").exists()
