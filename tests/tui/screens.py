"""Drives the program without a terminal, and reads the screen as plain text."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Awaitable, Callable
from typing import Any, cast

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import DataTable, OptionList, Static

from anyhook.sources.discover import Roots
from anyhook.tui.add_screen import AddScreen
from anyhook.tui.app import HooksApp
from anyhook.tui.hooks_screen import HooksScreen

_TEXT = re.compile(r'<text class="[^"]*" x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"[^>]*>([^<]*)</text>')
_CELL = 12.2
"""Width of a character in the pictures of Textual."""


class Driver:
    def __init__(self, app: HooksApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def settle(self) -> None:
        """Wait until nothing is being read or run."""
        for _ in range(3):
            await self.pilot.pause()
            await self.app.workers.wait_for_complete()
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def write(self, text: str) -> None:
        names = {" ": "space", "/": "slash", ".": "full_stop", "-": "minus", "|": "vertical_line", ":": "colon"}
        await self.pilot.press(*(names.get(char, char) for char in text))
        await self.settle()

    async def click(self, selector: str, offset: tuple[int, int] = (0, 0)) -> None:
        await self.pilot.click(selector, offset=offset)
        await self.settle()

    def expect(self, kind: type[Screen[Any]]) -> None:
        """The screen on top must be of this kind."""
        assert isinstance(self.app.screen, kind), self.text()

    def status(self) -> str:
        return str(self.app.screen_stack[1].query_one("#status", Static).render())

    def rows(self) -> list[str]:
        """The actions of the hooks in the table."""
        return [hook.text() for hook in cast("HooksScreen", self.app.screen_stack[1]).hooks]

    async def select(self, action: str) -> None:
        """Put the cursor on a hook."""
        self.app.screen_stack[1].query_one(DataTable).move_cursor(row=self.rows().index(action))
        await self.settle()

    def labels(self) -> list[str]:
        """The choices of the question that is asked."""
        self.expect(AddScreen)
        question = cast("AddScreen", self.app.screen).question
        assert question is not None
        return [choice.label for choice in question.choices]

    async def choose(self, label: str) -> None:
        """Take the choice with this label."""
        self.app.screen.query_one(OptionList).highlighted = self.labels().index(label)
        await self.press("enter")

    def text(self) -> str:
        """The whole screen."""
        lines: dict[float, str] = {}
        for x, y, _, text in _TEXT.findall(self.app.export_screenshot()):
            line = lines.get(float(y), "").ljust(round(float(x) / _CELL))
            lines[float(y)] = line + html.unescape(text).replace("\xa0", " ")
        return "\n".join(line.rstrip() for _, line in sorted(lines.items()))


def drive(
    roots: Roots,
    script: Callable[[Driver], Awaitable[None]],
    size: tuple[int, int] = (80, 24),
    *,
    has_colour: bool = True,
) -> HooksApp:
    """Start the program, wait until the hooks are shown, and follow the script."""
    app = HooksApp(roots, has_colour=has_colour)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)

    asyncio.run(run())
    return app
