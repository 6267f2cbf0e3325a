"""The page in a real browser, for the tests that look at it. Tests that import this are skipped without Chromium."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.ui.serving import Asked, chromium

if not chromium():
    pytest.skip("no Chromium is installed; make chromium installs it, as root", allow_module_level=True)
pytest.importorskip("playwright")
axe = pytest.importorskip("axe_core_python")

from playwright.sync_api import (  # noqa: E402
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 390, "height": 844}}
SECONDS = 120_000
"""Milliseconds to wait for anything: other processes may keep the machine busy."""


@pytest.fixture(scope="module", name="browser")
def started_browser() -> Iterator[Browser]:
    expect.set_options(timeout=SECONDS)
    with sync_playwright() as playwright:
        arguments = ["--disable-gpu", *(["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else [])]
        started = playwright.chromium.launch(executable_path=chromium(), args=arguments, timeout=SECONDS)
        yield started
        started.close()


class Opened:
    """A page in a browser, with everything that went wrong in it."""

    def __init__(self, context: BrowserContext, asked: Asked) -> None:
        context.set_default_timeout(SECONDS)
        self.asked = asked
        self.page: Page = context.new_page()
        self.wrong: list[str] = []
        self.hosts: set[str] = set()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add("/".join(request.url.split("/")[:3])))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(message.text)

    def go(self, name: str = "sessions") -> Page:
        """Show one of the pages."""
        self.page.goto(f"{self.asked.origin}/#/{name}")
        self.page.wait_for_selector(f"main[data-shown={re.split('[/?]', name)[0]}]")
        return self.page


def logged_in(browser: Browser, asked: Asked, **options: Any) -> BrowserContext:
    """A new browser that has the cookie."""
    context = browser.new_context(**options)
    name, _, value = asked.log_in().partition("=")
    context.add_cookies([{"name": name, "value": value, "url": asked.origin}])
    return context


@contextmanager
def looking(browser: Browser, asked: Asked, **options: Any) -> Iterator[Opened]:
    """A page in a new browser that has the cookie; at the end, nothing must have gone wrong in it."""
    context = logged_in(browser, asked, **{"viewport": SIZES["wide"], **options})
    opened = Opened(context, asked)
    yield opened
    context.close()
    assert opened.wrong == []
    assert opened.hosts == {asked.origin}


class Examination:
    """What axe-core and a look at the width find on pages."""

    def __init__(self) -> None:
        self._code = (Path(str(axe.__file__)).parent / "axe.min.js").read_text(encoding="utf-8")
        self.faults: list[str] = []

    def examine(self, page: Page, name: str) -> None:
        if not page.evaluate("'axe' in window"):
            page.evaluate(self._code)
        found = page.evaluate("axe.run({resultTypes: ['violations']})")
        bad = [each for each in found["violations"] if each["impact"] in ("serious", "critical")]
        self.faults += [f"{name}: {each['id']}: {each['nodes'][0]['html']}" for each in bad]
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if width[0] > width[1]:
            self.faults.append(f"{name}: {width[0]} pixels wide, the window {width[1]}")
