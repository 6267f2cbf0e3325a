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


def examples() -> list[tuple[str, str]]:
    """Every command of the README's console blocks, with the output under it."""
    found = []
    for block in BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
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


def test_there_are_examples() -> None:
    assert examples()
