"""Every Python snippet of the documents runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.documents import Block, blocks, pages


def snippets() -> list[tuple[str, str]]:
    """Those that ``test_docs_commands.py`` does not run: a block with a path is a file for the commands of its page."""
    found = [(page, blocks(page.read_text(encoding="utf-8"), page.name)) for page in pages()]
    return [
        (f"{page.name}-{n}", "\n".join(block.lines))
        for page, all_blocks in found
        for n, block in enumerate((block for block in all_blocks if is_snippet(block)), 1)
    ]


def is_snippet(block: Block) -> bool:
    return block.language == "python" and block.path is None and block.not_run is None


def test_a_complete_agent_is_short() -> None:
    code = dict(snippets())["embedding.md-1"]
    assert "ask=ask" in code
    assert len(code.splitlines()) <= 60


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
