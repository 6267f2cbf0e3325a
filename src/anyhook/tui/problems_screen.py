"""Lists problems. Each leads to the page of its rule, and to its line in the editor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, OptionList, Static

from anyhook.model.problems import Problem
from anyhook.report.rule_pages import page_text
from anyhook.tui.hook_text import Place, problem_table
from anyhook.tui.text_screen import TextScreen


class ProblemsScreen(ModalScreen[Problem | None]):
    """Gives back the problem whose line is to be edited; None: none of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close"),
        Binding("e", "edit", "Edit"),
    ]

    def __init__(self, title: str, problems: Sequence[Problem], place: Place) -> None:
        super().__init__()
        self._title, self._problems, self._place = title, tuple(problems), place

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(self._title, classes="dialog-title", markup=False)
            yield OptionList(*(problem_table([problem], self._place) for problem in self._problems))
            with Horizontal(classes="buttons"):
                yield Button("Page (Enter)", id="page", variant="primary")
                yield Button("Edit (e)", id="edit")
                yield Button("Close (Esc)", id="close")

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        self.query_one(OptionList).highlighted = 0

    def _highlighted(self) -> Problem | None:
        number = self.query_one(OptionList).highlighted
        return None if number is None else self._problems[number]

    def on_option_list_option_selected(self) -> None:
        self._open_page()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        match event.button.id:
            case "page":
                self._open_page()
            case "edit":
                self.action_edit()
            case _:
                self.action_close()

    def _open_page(self) -> None:
        if problem := self._highlighted():
            self.app.push_screen(
                TextScreen(f"anyhook check --explain {problem.code}", markdown=page_text(problem.code))
            )

    def action_edit(self) -> None:
        self.dismiss(self._highlighted())

    def action_close(self) -> None:
        self.dismiss(None)
