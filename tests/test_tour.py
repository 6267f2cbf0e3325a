"""``make demo``: the tour goes from a new package to a blocked command, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT, SOURCE
from tests.documents import write_programs

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name != "posix", reason="the tour is a shell script")]


def test_the_tour(tmp_path: Path) -> None:
    """What every command prints is compared by the tests of the documents; here it is the way that counts."""
    write_programs(tmp_path / "bin")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "home").mkdir()
    environment = {
        "ANYHOOK_DAEMON": "0",  # so that a tour that is killed leaves none behind
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join([str(tmp_path / "bin"), os.defpath]),
        "PYTHONPATH": str(SOURCE),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    words = ["bash", str(ROOT / "examples" / "tour.sh")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert re.findall(r"^\$ anyhook (\w+)", done.stdout, re.MULTILINE) == [
        "init",
        "test",
        "matrix",
        "deploy",
        "fire",
        "log",
    ]
    steps = re.findall(r"^# (\d)/(\d)  ", done.stdout, re.MULTILINE)
    assert steps == [(str(number), str(len(steps))) for number in range(1, len(steps) + 1)]
    assert "8 passed" in done.stdout
    assert "The client blocks it: This command deletes everything in /*." in done.stdout
    assert re.search(r"codex +PreToolUse +Bash +block", done.stdout)
    ending = done.stdout.partition("No agent was needed")[2]
    for page in re.findall(r"[\w-]+\.md", ending):
        assert (ROOT / "docs" / "start" / page).is_file(), page
    assert list((tmp_path / "tmp").iterdir()) == list((tmp_path / "home").iterdir()) == []


def test_the_commands_of_the_ending_exist() -> None:
    ending = (ROOT / "examples/tour.sh").read_text(encoding="utf-8").partition("<<'END'")[2]
    commands = re.findall(r"^  anyhook (\w+) ", ending, re.MULTILINE)
    assert commands == ["init", "add"]
    for command in commands:
        subprocess.run([sys.executable, "-P", "-m", "anyhook", command, "--help"], check=True, capture_output=True)
