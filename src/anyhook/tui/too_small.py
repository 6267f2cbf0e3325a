"""Covers the other screens while the terminal is too small for them."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

LEAST = Size(40, 12)
"""The smallest terminal in which every screen can be used."""


def is_too_small(size: Size) -> bool:
    return size.width < LEAST.width or size.height < LEAST.height


class TooSmallScreen(Screen[None]):
    """Closes itself once the terminal is large enough; the screens below keep what was typed."""

    def compose(self) -> ComposeResult:
        yield Static("", id="too-small", markup=False)

    def on_resize(self, event: Resize) -> None:
        if is_too_small(event.size):
            needed = f"anyhook hooks needs {LEAST.width} × {LEAST.height} characters."
            has = f"This terminal has {event.size.width} × {event.size.height}."
            self.query_one(Static).update(f"{needed} {has} Enlarge it, or quit: Ctrl-C")
        elif self.is_current:
            self.dismiss()
