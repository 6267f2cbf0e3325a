"""Adds a hook: one question after the other, then a preview of the change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.table import Table
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static

from anyhook.dialects import profile
from anyhook.editor.draft import ANY, DEFAULT, GUARD, Choice, Draft, Question, answered, next_question, one_back
from anyhook.editor.new_hook import plan_new_hook
from anyhook.model.problems import AnyhookError
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import FileChange
from anyhook.tui.plain_text import hanging, plain


class AddScreen(ModalScreen[FileChange | None]):
    """Gives back the planned change; None: cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel"),
        Binding("ctrl+b", "back", "Back"),
    ]

    def __init__(self, roots: Roots, start: Draft) -> None:
        super().__init__()
        self._roots, self._draft = roots, start
        self.question: Question | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog full steps"):
            yield Static("Add a hook", classes="dialog-title")
            yield Static("", id="so-far", classes="dialog-note", markup=False)
            yield Static("", id="question", classes="dialog-question", markup=False)
            yield OptionList(id="choices")
            yield Input(id="text", select_on_focus=False)  # typing must not replace the first character
            yield Static("", id="filler")
            yield Static("", id="error", classes="dialog-warning", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Back (Ctrl-B)", id="back")
                yield Button("Cancel (Esc)", id="cancel")

    def on_mount(self) -> None:
        self._ask()

    def _ask(self, error: str = "") -> None:
        question = self.question = next_question(self._draft, self._roots)
        self.query_one("#error", Static).update(plain(error))
        self.query_one("#so-far", Static).update(plain(_so_far(self._draft)))
        if question is None:
            self._finish()
            return
        self.query_one("#question", Static).update(question.title)
        choices, text = self.query_one(OptionList), self.query_one(Input)
        choices.clear_options()
        choices.add_options(_labels(question.choices))
        choices.display = bool(question.choices)
        self.query_one("#filler").display = not question.choices
        text.value, text.display = "", bool(question.free)
        text.placeholder = question.free if question.choices else "Type it here, then press Enter."
        if question.choices:
            choices.highlighted = 0
            choices.focus()
        else:
            text.focus()

    def _finish(self) -> None:
        try:
            change = plan_new_hook(self._draft, self._roots)
        except AnyhookError as error:
            self._draft = one_back(self._draft)
            self._ask(str(error))
            return
        self.dismiss(change)

    def _answer(self, value: str) -> None:
        if self.question is None:
            return
        try:
            self._draft = answered(self._draft, self.question, value)
        except AnyhookError as error:
            self.query_one("#error", Static).update(plain(str(error)))
            return
        self._ask()

    @on(OptionList.OptionSelected)
    def choose(self, event: OptionList.OptionSelected) -> None:
        if self.question is not None:
            self._answer(self.question.choices[event.option_index].value)

    @on(Input.Submitted)
    def type(self, event: Input.Submitted) -> None:
        self._answer(event.value)

    def on_key(self, event: Key) -> None:
        """What is typed over the choices goes to the text, so that Enter takes it; without a text, to a choice."""
        text, choices = self.query_one(Input), self.query_one(OptionList)
        if not (event.is_printable and event.character and choices.has_focus):
            return
        event.stop()
        event.prevent_default()
        if text.display:
            self.set_focus(text)
            text.insert_text_at_cursor(event.character)
        elif self.question is not None:
            labels = [choice.label for choice in self.question.choices]
            choices.highlighted = _next_with(event.character, labels, choices.highlighted or 0)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "back":
            self.action_back()
        else:
            self.action_cancel()

    def action_back(self) -> None:
        self._draft = one_back(self._draft)
        self._ask()

    def action_cancel(self) -> None:
        self.dismiss(None)


def _labels(choices: Sequence[Choice]) -> Iterator[Table]:
    """The notes of all begin in the same column."""
    width = max((len(choice.label) for choice in choices), default=0)
    for choice in choices:
        lead = plain(choice.label)
        lead.pad_right(width - len(lead) + 2)
        yield hanging(lead, plain(choice.note, "dim"))


def _next_with(first: str, labels: Sequence[str], now: int) -> int:
    """The next label that begins with a letter; the present one if there is none."""
    later = [*range(now + 1, len(labels)), *range(now + 1)]
    return next((number for number in later if labels[number].lower().startswith(first.lower())), now)


def _so_far(draft: Draft) -> str:
    """The answers in one line."""
    parts = [profile(draft.client).title if draft.client else "", draft.event or ""]
    parts.append("" if draft.matcher in (None, ANY) else draft.matcher or "")
    parts.append(f"guard {draft.text}" if draft.kind == GUARD else draft.text or draft.kind or "")
    parts.append("" if draft.timeout in (None, DEFAULT) else f"{draft.timeout} s")
    return " › ".join(part for part in parts if part)
