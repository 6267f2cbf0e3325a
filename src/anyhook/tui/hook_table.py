"""The table of hooks."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable


class HookTable(DataTable[Text]):
    """Home and End go to the first and the last hook, where Textual's table goes to the first and the last column."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "scroll_top", "First hook", show=False),
        Binding("end", "scroll_bottom", "Last hook", show=False),
        Binding("enter", "screen.details", "Details", show=False),
    ]
