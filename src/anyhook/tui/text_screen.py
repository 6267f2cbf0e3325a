"""A window of text that is only read: help, errors, results, and pages of the linter's rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Markdown, Static

from anyhook.tui.plain_text import plain


class TextScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", "Close")]

    def __init__(self, title: str, lines: Iterable[Text] = (), *, markdown: str = "") -> None:
        super().__init__()
        self._title, self._lines, self._markdown = title, tuple(lines), markdown

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(plain(self._title), classes="dialog-title")
            with VerticalScroll():
                if self._markdown:
                    yield Markdown(self._markdown, open_links=False)
                else:
                    yield Static(Text("\n").join(self._lines))
            with Horizontal(classes="buttons"):
                yield Button("Close (Esc)", id="close")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_button_pressed(self) -> None:
        self.action_close()

    def action_close(self) -> None:
        self.dismiss()
