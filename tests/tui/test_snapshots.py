"""The screens as plain text, in the smallest terminal and in a large one.

``ANYHOOK_UPDATE_SCRIPTS=1`` writes them anew: look at the difference. ``tools/screenshots.py`` makes pictures.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.checkout import ROOT
from tests.editor.projects import CLAUDE, CLAUDE_FILE, GEMINI, GEMINI_FILE, make_project
from tests.tui.screens import Driver, drive

pytestmark = pytest.mark.long

FOLDER = ROOT / "tests" / "tui" / "snapshots"
KEYS = {
    "hooks": (),
    "add": ("tab", "down", "down", "a"),
    "preview": ("down", "x"),
    "other-ways": ("d",),
    "fire": ("f",),
    "problems": ("p",),
    "page": ("p", "enter"),
    "help": ("question_mark",),
    "search": ("slash", "b", "a", "s", "h"),
    "details": ("enter",),
    "clients": ("a",),
    "actions": ("tab", "down", "down", "a", "enter"),
}
SMALL, LARGE = (80, 24), (160, 50)
SCREENS = [(name, size) for name in KEYS for size in (SMALL, LARGE)]


@pytest.fixture
def top() -> Iterator[Path]:
    """A folder whose path is as long on every machine."""
    with TemporaryDirectory(prefix="anyhook-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="paths have other lengths")
@pytest.mark.parametrize(("name", "size"), SCREENS)
def test_the_screen_looks_as_it_did(name: str, size: tuple[int, int], top: Path) -> None:
    shown = []

    async def script(driver: Driver) -> None:
        await driver.press(*KEYS[name])
        shown.append(driver.text())

    drive(make_project(top, {CLAUDE_FILE: CLAUDE, GEMINI_FILE: GEMINI}), script, size)
    text = shown[0].replace(top.name, "anyhook-12345678") + "\n"
    file = FOLDER / f"{name}-{size[0]}x{size[1]}.txt"
    if os.environ.get("ANYHOOK_UPDATE_SCRIPTS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
    assert max(len(line) for line in text.splitlines()) <= size[0]
