"""Every Python snippet of the documents runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT

SNIPPET = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def snippets() -> list[tuple[str, str]]:
    pages = sorted((ROOT / "docs").glob("*.md"))
    return [(f"{page.name}-{n}", code) for page in pages for n, code in enumerate(SNIPPET.findall(page.read_text()), 1)]


@pytest.mark.parametrize(("name", "code"), snippets(), ids=[name for name, _ in snippets()])
def test_the_snippet_runs(name: str, code: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"{name}: {result.stderr}"
