"""Takes the picture of ``anyhook ui`` for the documentation: an invented journal in a real browser.

Run it after a change of the page: ``python -m tools.ui.take_picture``. Needs Chromium.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from datetime import datetime
from pathlib import Path

from anyhook.sources.discover import roots_for
from anyhook.sources.state import make_private
from anyhook.ui.server import PageServer
from anyhook.ui.shown import Shown
from tools.ui.invented_journal import fill_journal, invented_rows

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "ui.png"
MAX_BYTES = 200_000
_SIZE = {"width": 1280, "height": 760}


def take_picture(server: PageServer, picture: Path) -> None:
    """Open the newest complete session, and save what the browser shows."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("no Chromium is installed; make chromium installs it, as root")
    arguments = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        page = browser.new_context(viewport=_SIZE, color_scheme="light").new_page()  # type: ignore[arg-type]
        page.goto(server.url)
        page.get_by_role("link", name="Sessions").click()
        page.wait_for_selector("main[data-shown=sessions]")
        page.wait_for_selector(".event[data-effect=block]")
        page.locator(".event[data-effect=block]").scroll_into_view_if_needed()
        page.mouse.move(0, 0)
        page.screenshot(path=picture)
        browser.close()


def main() -> int:
    with tempfile.TemporaryDirectory() as top:
        home, journal = Path(top, "home"), Path(top, "state", "journal")
        package = home / "shop"
        (package / ".git").mkdir(parents=True)
        make_private(journal)
        # Six sessions of 49 events, the last of which is complete.
        fill_journal(journal, invented_rows(6 * 49, package, datetime(2026, 11, 16, 17, 30).timestamp()))
        server = PageServer(Shown(roots_for(package, home), journal))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            PICTURE.parent.mkdir(exist_ok=True)
            take_picture(server, PICTURE)
        finally:
            server.end()
            thread.join()
    if PICTURE.stat().st_size > MAX_BYTES:
        raise SystemExit(f"{PICTURE} has more than {MAX_BYTES} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
