"""Draws without any colour, for NO_COLOR and for terminals that have none."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter


class NoColour(LineFilter):
    """Keeps what is bold, underlined and reversed."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text, style.without_color if style else style, control) for text, style, control in segments]
