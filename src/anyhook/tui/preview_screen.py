"""Shows a planned change before it is written, and what can be chosen in place of one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import ClassVar

from rich.console import Group
from rich.table import Table
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, OptionList, Static

from anyhook.sources.editing.file_change import FileChange, diff_lines
from anyhook.tui.hook_table import NARROW
from anyhook.tui.hook_text import Place, problem_table
from anyhook.tui.plain_text import hanging, plain


def diff_text(change: FileChange) -> Group:
    return Group(*(_diff_line(line) for line in diff_lines(change)))


def _diff_line(line: str) -> Table:
    style = {"+": "green", "-": "#ff8787", "@": "cyan"}.get(line[:1], "")
    return hanging(plain(line[:1], style), plain(line[1:], style))


class Answer(Enum):
    WRITE = "write"
    EDIT = "edit"
    """Write, and open the editor at the new hook."""
    CANCEL = "cancel"


class PreviewScreen(ModalScreen[Answer]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,w", "answer('write')", "Write"),
        Binding("e", "answer('edit')", "Write and edit"),
        Binding("escape,n,q", f"answer('{Answer.CANCEL.value}')", "Cancel"),
        *(Binding(key, f"scroll('{key}')", show=False) for key in ("up", "down", "pageup", "pagedown", "home", "end")),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]

    def __init__(self, change: FileChange, place: Place) -> None:
        super().__init__()
        self._change, self._place = change, place

    def compose(self) -> ComposeResult:
        what, path = self._change.what, self._place(str(self._change.path), 0)
        kind = " (new file)" if self._change.before is None else " (is removed)" if self._change.after is None else ""
        with Vertical(classes="dialog"):
            yield Static(
                plain(f"{what[:1].upper()}{what[1:]}: {path}{kind}"),
                classes="dialog-title",
            )
            with VerticalScroll(can_focus=False):
                for note in self._change.notes:
                    yield Static(hanging(plain("Note: "), plain(note)), classes="dialog-warning")
                if self._change.problems:
                    yield Static(problem_table(self._change.problems, self._place), id="problems")
                yield Static(diff_text(self._change), id="diff")
            with Horizontal(classes="buttons"):
                yield Button("Write (y)", id="write", variant="primary")
                if self._change.line:
                    yield Button("Write & edit (e)" if self.app.size.width >= NARROW else "& edit (e)", id="edit")
                yield Button("Cancel (Esc)", id="cancel")

    def on_mount(self) -> None:
        self.query_one("#write", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.action_answer(event.button.id or "")

    def action_scroll(self, key: str) -> None:
        """The text scrolls while a button has the focus."""
        text = self.query_one(VerticalScroll)
        scroll = {
            "up": text.scroll_up,
            "down": text.scroll_down,
            "pageup": text.scroll_page_up,
            "pagedown": text.scroll_page_down,
            "home": text.scroll_home,
            "end": text.scroll_end,
        }[key]
        scroll(animate=False)

    def action_answer(self, answer: str) -> None:
        if answer != Answer.EDIT.value or self._change.line:
            self.dismiss(Answer(answer))


class ChoiceScreen(ModalScreen[int | None]):
    """The number of the chosen text; None: none of them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "cancel", "Cancel")]

    def __init__(self, title: str, texts: Sequence[str]) -> None:
        super().__init__()
        self._title, self._texts = title, tuple(texts)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(self._title, classes="dialog-title", markup=False)
            yield OptionList(*(plain(text) for text in self._texts))
            with Horizontal(classes="buttons"):
                yield Button("Cancel (Esc)", id="cancel")

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)

    def on_button_pressed(self) -> None:
        self.action_cancel()

    def action_cancel(self) -> None:
        self.dismiss(None)
