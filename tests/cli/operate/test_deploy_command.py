"""``anyhook deploy`` as a user runs it: what is done does not depend on how much of its output is read."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.bridge.bridging import RUN, make_package, run_anyhook
from tests.checkout import SOURCE


@pytest.mark.parametrize("reader", ["head -1", "true", "head -c 1"])
def test_a_closed_pipe_loses_no_half_of_the_work(tmp_path: Path, reader: str) -> None:
    package = make_package(tmp_path / "project")
    (tmp_path / "home").mkdir()
    variables = {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(SOURCE), "ANYHOOK_DAEMON": "0"}
    state = {"ANYHOOK_STATE_DIR": str(tmp_path / "state"), "PATH": os.environ["PATH"]}
    line = f"{shlex.join(RUN)} deploy --to claude-code,codex,gemini-cli --yes | {reader}"
    done = subprocess.run(["sh", "-c", line], cwd=package, env=variables | state, capture_output=True, text=True)
    assert done.stderr == ""
    found = json.loads(run_anyhook(package, "status", "--json").stdout)
    assert sorted(row["client"] for row in found["deployed"]) == ["claude-code", "codex", "gemini-cli"]
    assert found["trust"] == "trusted"


def test_a_file_that_cannot_be_read_is_reported_with_its_place(tmp_path: Path) -> None:
    package = make_package(tmp_path / "project")
    (package / "hooks/other.py").write_bytes(b"from anyhook import hook\nNAME = '\xe9'\n")
    (package / "hooks/unrelated.py").write_bytes(b"NAME = '\xe9'\n")
    done = run_anyhook(package, "deploy", "--to", "codex")
    assert "error       hooks/other.py:2: byte 33 is not UTF-8; see: anyhook check" in done.stdout
    assert "unrelated" not in done.stdout
    assert done.returncode == 1
    data = json.loads(run_anyhook(package, "deploy", "--to", "codex", "--json").stdout)
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
    done = run_anyhook(package, "deploy", "--to", "claude-code")
    remedy = "replace the link" if is_link else "correct the syntax there"
    assert f"\n    {remedy}" in done.stdout
    assert "\\n" not in done.stdout
    assert "trust" not in done.stdout
    assert done.returncode == 2


def test_every_command_reports_a_python_file_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "project/hooks").mkdir(parents=True)
    (tmp_path / "project/hooks/guard.py").write_bytes(b"from anyhook import hook\n# caf\xe9\n")
    said = "hooks/guard.py:2: byte 30 is not UTF-8"
    for words in (("list",), ("explain", "PreToolUse"), ("deploy", "--to", "codex")):
        done = run_anyhook(tmp_path / "project", *words)
        assert said in done.stdout + done.stderr, words
    checked = run_anyhook(tmp_path / "project", "check").stdout
    assert "2:6  error   F008  byte 30 is not UTF-8\n                         save the file as UTF-8" in checked
