"""Fires a sample event at the hooks of a client, and shows the trace."""

from __future__ import annotations

from typing import ClassVar

from msgspec import structs
from rich.console import Group
from rich.table import Table
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static, TextArea

from anyhook.dialects import profile
from anyhook.editor.fire_event import TraceLine, fire_event, trace_lines
from anyhook.model.problems import AnyhookError
from anyhook.project.hook import ResolvedHook
from anyhook.project.project import Project
from anyhook.sources.discover import Roots
from anyhook.tui.hook_text import Place
from anyhook.tui.plain_text import hanging, plain

NOTE = "This runs every hook of the event. Change the event first, if you like."


class FireScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close"),
        Binding("ctrl+r,f5", "fire", "Fire", priority=True),
    ]

    def __init__(self, hook: ResolvedHook, sample: str, roots: Roots, place: Place, project: str) -> None:
        """``project``: its folder, as people write it."""
        super().__init__()
        self._hook, self._sample, self._place, self._project = hook, sample, place, project
        self._roots = structs.replace(roots, project=hook.base)

    def compose(self) -> ComposeResult:
        hook = self._hook
        with Vertical(classes="dialog full"):
            title = f"Fire {hook.native_event} as {profile(hook.client).title} in {self._project}"
            yield Static(plain(title), classes="dialog-title")
            yield Static(NOTE, id="fire-note", classes="dialog-warning")
            yield TextArea(self._sample, id="payload")
            with VerticalScroll(id="trace"):
                yield Static(plain("The trace is shown here.", "dim"), id="lines")
            with Horizontal(classes="buttons"):
                yield Button("Fire (Ctrl-R)", id="fire", variant="primary")
                yield Button("Close (Esc)", id="close")

    def on_mount(self) -> None:
        self.query_one("#fire", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "fire":
            self.action_fire()
        else:
            self.action_close()

    def action_close(self) -> None:
        self.dismiss()

    def action_fire(self) -> None:
        self.query_one("#lines", Static).update("Running…")
        self._fire(self.query_one(TextArea).text)

    @work(thread=True, exclusive=True)
    def _fire(self, text: str) -> None:
        hook = self._hook
        try:
            fired = fire_event(hook.client, hook.native_event, text.encode(errors="replace"), Project(self._roots))
            notes = (TraceLine(note, "dim", "note: ", "dim") for note in fired.notes)
            lines = [_line(line) for line in (*notes, *trace_lines(fired, self._place, verbose=True))]
        except AnyhookError as error:
            lines = [hanging(plain(""), plain(str(error), "yellow"))]
        self.app.call_from_thread(self._show, Group(*lines))

    def _show(self, text: Group) -> None:
        if self.is_attached:
            self.add_class("fired")
            self.query_one("#lines", Static).update(text)
            self.query_one("#trace", VerticalScroll).focus()


def _line(line: TraceLine) -> Table:
    return hanging(plain(line.lead, line.lead_style), plain(line.text, line.style))
