"""What the README shows is what the commands print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT

BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


QUICK_START = "## Quick start\n"


def examples(*, quick_start: bool = False) -> list[tuple[str, str]]:
    """Every command of the README's console blocks, with the output under it, or those of the quick start."""
    found = []
    before, heading, after = (ROOT / "README.md").read_text(encoding="utf-8").partition(QUICK_START)
    section, _, rest = after.partition("\n## ")
    assert heading
    for block in BLOCK.findall(section if quick_start else before + rest):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.strip("\n")))
    return found


@pytest.mark.parametrize(("command", "expected"), examples(), ids=lambda value: value.split("\n")[0][:60])
def test_the_readme_shows_real_output(command: str, expected: str, tmp_path: Path) -> None:
    program, *arguments = shlex.split(command)
    assert program == "anyhook"
    result = subprocess.run(
        [sys.executable, "-m", "anyhook", *arguments],
        cwd=ROOT / "examples" / "shop",
        env={**os.environ, "HOME": str(tmp_path), "NO_COLOR": "1", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.rstrip() == expected


@pytest.mark.skipif(os.name != "posix", reason="the quick start is for a POSIX shell")
def test_the_quick_start_leads_to_a_blocked_command(tmp_path: Path) -> None:
    """Each command in the same new folder; [..] and a line of dots are any text."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "project").mkdir()
    program = tmp_path / "bin" / "anyhook"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m anyhook "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "NO_COLOR": "1",
        "PYTHONPATH": str(ROOT / "src"),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
    }
    steps = examples(quick_start=True)
    names = [command.partition("anyhook ")[2].split()[0] for command, _ in steps]
    assert names == ["init", "test", "deploy", "trust", "exec"]
    for command, expected in [*steps, ("anyhook daemon stop", "[..]")]:
        result = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path / "project",
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [re.escape(line).replace(r"\[\.\.\]", ".*") + "\n" for line in expected.splitlines()]
        pattern = "".join("(?:.*\n)*" if line == re.escape("...") + "\n" else line for line in lines)
        assert re.fullmatch(pattern, result.stdout.rstrip() + "\n"), (command, result.stdout, result.stderr)


def test_there_are_examples() -> None:
    assert examples()
