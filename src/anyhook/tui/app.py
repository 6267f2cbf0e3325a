"""The application: holds what was read, writes planned changes, and remembers how to take them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.app import App
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.events import Resize
from textual.filter import LineFilter
from textual.worker import WorkerFailed

from anyhook.editor.overview import Overview
from anyhook.model.problems import AnyhookError
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import FileChange, apply
from anyhook.tui.hook_table import NARROW, WIDE
from anyhook.tui.hooks_screen import HooksScreen
from anyhook.tui.plain_text import plain
from anyhook.tui.style import STYLE
from anyhook.tui.text_screen import TextScreen
from anyhook.tui.too_small import TooSmallScreen, is_too_small


class NoColour(LineFilter):
    """Keeps what is bold, underlined and reversed."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text, style.without_color if style else style, control) for text, style, control in segments]


class HooksApp(App[None]):
    """Shows the hooks of a project and changes them."""

    TITLE = "anyhook hooks"
    CSS = STYLE
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NARROW, "-usual"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-high"), (30, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", "Quit", show=False, priority=True),  # Textual's own only asks to press another key
    ]

    def __init__(self, roots: Roots, clients: tuple[str, ...] = (), *, has_colour: bool = True) -> None:
        super().__init__()
        self.roots, self.chosen_clients = roots, clients
        self.overview = Overview(roots=roots)
        self.undo_stack: list[FileChange] = []
        self.has_colour = has_colour
        self.failure: BaseException | None = None
        """What ended the program: a bug. The caller reports it once the terminal is restored."""

    def on_mount(self) -> None:
        if not self.has_colour:
            self.add_class("plain")
        self.push_screen(HooksScreen())

    def on_resize(self, event: Resize) -> None:
        if is_too_small(event.size) and not isinstance(self.screen, TooSmallScreen):
            self.push_screen(TooSmallScreen())

    def _handle_exception(self, error: Exception) -> None:
        if self.failure is None:
            self.failure = error.error if isinstance(error, WorkerFailed) else error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Prints nothing: Textual's own prints a traceback with the values of all variables."""
        self._exit_renderables.clear()

    def get_line_filters(self) -> Sequence[LineFilter]:
        return super().get_line_filters() if self.has_colour else [NoColour()]

    def place(self, file: str, line: int) -> str:
        return self.overview.place(file, line)

    def write(self, change: FileChange) -> bool:
        """Write a change and remember how to undo it; an error is shown. False: nothing was written."""
        try:
            self.undo_stack.append(apply(change))
        except AnyhookError as error:
            self.show_error(error)
            return False
        return True

    def undo(self) -> FileChange | None:
        """Take the last write back. None: there is none, or the file has changed since."""
        if not self.undo_stack:
            return None
        change = self.undo_stack[-1]
        try:
            apply(change)
        except AnyhookError as error:
            self.show_error(error)
            return None
        return self.undo_stack.pop()

    def show_error(self, error: AnyhookError) -> None:
        first, *rest = str(error).splitlines()
        self.push_screen(TextScreen("Not done", [plain(first, "bold"), *map(plain, rest)]))
