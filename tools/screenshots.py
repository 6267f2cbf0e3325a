"""Makes the pictures of `anyhook hooks` for the documentation: ``python -m tools.screenshots``.

They show the project in ``examples/shop``, with the rules of a machine on which nothing else is installed.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.pilot import Pilot

from anyhook.sources.discover import roots_for
from anyhook.tui.app import HooksApp

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "images"
SIZE = (100, 30)
KEYS = {"hooks": ("down",), "hooks-add": ("tab", "down", "down", "a")}
_ID = re.compile(r"terminal-\d+")
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Fonts from the web: the page must not load anything from another host."""


async def picture(name: str, project: Path, home: Path) -> str:
    app = HooksApp(roots_for(project, home))
    async with app.run_test(size=SIZE) as pilot:
        await settle(app, pilot)
        for key in KEYS[name]:
            await pilot.press(key)
            await settle(app, pilot)
        svg = app.export_screenshot(title="anyhook hooks")
    return _FONTS.sub("", _ID.sub(f"anyhook-{name}", svg))


async def settle(app: HooksApp, pilot: Pilot[None]) -> None:
    """Wait until the hooks are read and drawn."""
    for _ in range(3):
        await pilot.pause()
        await app.workers.wait_for_complete()


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="anyhook-") as folder:
        home = Path(folder)
        project = home / "src" / "shop"
        shutil.copytree(ROOT / "examples" / "shop", project)
        for name in KEYS:
            (PICTURES / f"{name}.svg").write_text(asyncio.run(picture(name, project, home)), encoding="utf-8")


if __name__ == "__main__":
    main()
