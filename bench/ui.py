"""How soon the page shows a journal of 10,000 events, in a real Chromium.

Prints for each round the milliseconds from the navigation to the sessions and the timeline, by the browser's own clock,
and the best of them. Exits with 1 if even the best round took more than a second. ``--events`` and ``--rounds`` set how
much is measured. For comparison: the same journal, printed by ``anyhook log``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from anyhook.sources.discover import roots_for
from anyhook.sources.state import make_private
from anyhook.ui.server import PageServer
from anyhook.ui.shown import Shown
from tools.ui.invented_journal import fill_journal, invented_rows

LIMIT_MS = 1000.0


def chromium() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise SystemExit("no Chromium is installed; make chromium installs it, as root")
    return found


def measure(server: PageServer, rounds: int) -> list[float]:
    """Milliseconds until the first events are there, round by round; each is a new page with an empty cache."""
    arguments = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    times: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        for number in range(rounds):
            page = context.new_page()
            page.goto(server.url if number == 0 else server.url.partition("?")[0])
            page.wait_for_selector("main[data-shown=sessions]")
            times.append(float(page.evaluate("Number(document.querySelector('main').dataset.shownAt)")))
            page.close()
        browser.close()
    return times


def time_of_log(top: Path, events: int) -> float:
    environment = {**os.environ, "ANYHOOK_STATE_DIR": str(top / "state")}
    start = time.perf_counter()
    words = [sys.executable, "-P", "-m", "anyhook", "log", "--local", "-n", str(events)]
    subprocess.run(words, env=environment, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        project, journal = top / "project", top / "state" / "journal"
        project.mkdir()
        make_private(journal)
        fill_journal(journal, invented_rows(options.events, project, time.time()))
        server = PageServer(Shown(roots_for(project, None), journal))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            times = measure(server, options.rounds)
        finally:
            server.end()
            thread.join()
        printed = time_of_log(top, options.events)
    best = min(times)
    print(f"{options.events:,} events, milliseconds until they are shown: {', '.join(f'{ms:.0f}' for ms in times)}")
    print(f"best: {best:.0f} ms, {best / printed:.2f} of the time of anyhook log ({printed:.0f} ms)")
    return int(best > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
