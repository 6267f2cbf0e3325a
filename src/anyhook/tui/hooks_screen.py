"""The main screen: clients and their events on the left, their hooks on the right, one hook in detail below."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from msgspec import structs
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.events import DescendantBlur, DescendantFocus
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Input, Static, Tree
from textual.worker import get_current_worker

from anyhook.editor.draft import Draft
from anyhook.editor.external_editor import editor_command, run_editor
from anyhook.editor.hook_changes import other_ways, plan_deletion, plan_disabling, plan_enabling
from anyhook.editor.overview import Overview, added_hook, take_overview
from anyhook.editor.trials import run_cases, sample_event
from anyhook.model.hooks import FateState
from anyhook.model.problems import AnyhookError, Problem
from anyhook.project.hook import ResolvedHook
from anyhook.project.resolve import ProjectClient
from anyhook.sources.editing.file_change import FileChange, read_content
from anyhook.tui.add_screen import AddScreen
from anyhook.tui.client_tree import ClientTree, Selected
from anyhook.tui.fire_screen import FireScreen
from anyhook.tui.help_text import HELP
from anyhook.tui.hook_table import HookTable, columns_for, label_width
from anyhook.tui.hook_text import details_of, problems_title, title_text
from anyhook.tui.plain_text import cut, plain
from anyhook.tui.preview_screen import Answer, ChoiceScreen, PreviewScreen
from anyhook.tui.problems_screen import ProblemsScreen
from anyhook.tui.text_screen import TextScreen

if TYPE_CHECKING:
    from anyhook.tui.app import HooksApp

NARROW_KEYS = (
    "[@click=screen.help]? Help[/]  [@click=app.focus_next]Tab Clients/Hooks[/]  [@click=screen.quit]q Quit[/]"
)
"""The keys of the last line where it has no place for all of them."""


class HooksScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "Add"),
        Binding("e", "edit", "Edit"),
        Binding("d", "switch_hook", "On/Off"),
        Binding("x,delete", "delete", "Del"),
        Binding("f", "fire", "Fire"),
        Binding("t", "cases", "Test"),
        Binding("p", "problems", "Problems"),
        Binding("slash", "search", "Find", key_display="/"),
        Binding("u", "undo", "Undo"),
        Binding("question_mark,f1", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
        Binding("r", "reload", "Reload", show=False),
        Binding("escape", "leave_search", "Leave the search", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._selected: Selected = None
        self.hooks: tuple[ResolvedHook, ...] = ()
        self._words = ""

    @property
    def hooks_app(self) -> HooksApp:
        return cast("HooksApp", self.app)

    def compose(self) -> ComposeResult:
        yield Static("anyhook hooks", id="title", markup=False)
        with Horizontal(id="search-bar"):
            yield Static("Search:", id="search-label")
            yield Input(placeholder="client, event, matcher, command, file, problem code", id="search")
        with Horizontal(id="body"):
            yield ClientTree("All clients", id="clients")
            yield HookTable(id="hooks", cursor_type="row")
        with VerticalScroll(id="details"):
            yield Static("", id="detail-text")
        yield Static("Reading the hook files…", id="status", markup=False)
        yield Static(NARROW_KEYS, id="narrow-keys")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#details").can_focus = False
        self.query_one(DataTable).focus()
        self._read("")

    # ------------------------------------------------------------------------------------------------- what is shown

    def action_reload(self) -> None:
        self._read("The files were read again.")

    @work(thread=True, exclusive=True, group="read")
    def _read(self, said: str) -> None:
        app = self.hooks_app
        try:
            overview = take_overview(app.roots, app.chosen_clients)
        except AnyhookError as error:
            app.call_from_thread(app.show_error, error)
            return
        app.call_from_thread(self._show, overview, said)

    def _show(self, overview: Overview, said: str) -> None:
        added = added_hook(self.hooks_app.overview, overview) if self.hooks_app.overview.clients else None
        self.hooks_app.overview = overview
        if self._selected is not None:  # the same client and event of what was read now
            client, event = self._selected
            same = (each for each in overview.clients if (each.name, each.base) == (client.name, client.base))
            found = next(same, None)
            self._selected = None if found is None else (found, event)
        self.query_one(ClientTree).fill(overview, label_width(self.app.size.width))
        self._fill_table(added)
        self.query_one("#title", Static).update(cut(title_text(overview)))
        self.say(said)

    def say(self, text: str) -> None:
        self.query_one("#status", Static).update(plain(text))

    @on(Tree.NodeHighlighted)
    def _choose(self, event: Tree.NodeHighlighted[Selected]) -> None:
        if event.node.data != self._selected and self.query_one("#clients").has_focus:
            self._selected = event.node.data
            self._fill_table()

    @on(Tree.NodeSelected)
    def _enter(self, event: Tree.NodeSelected[Selected]) -> None:
        self._selected = event.node.data
        self._fill_table()

    def _fill_table(self, added: ResolvedHook | None = None) -> None:
        table, app = cast("DataTable[Text]", self.query_one(DataTable)), self.hooks_app
        before, row = self.hook(), table.cursor_row
        self.hooks = tuple(hook for hook in self._chosen(app.overview) if app.overview.matches(hook, self._words))
        client, event = self._selected or (None, "")
        width = self.app.size.width
        columns = columns_for(self.hooks, app.overview, width, has_client=bool(client), has_event=bool(event))
        table.clear(columns=True)
        for column in columns:
            table.add_column(column.title, width=column.width)
        for hook in self.hooks:
            table.add_row(*(column.cell(hook, app.overview, column.width) for column in columns))
        keys = [hook.key for hook in self.hooks]
        if added is not None and added.key in keys:
            table.move_cursor(row=keys.index(added.key))
        elif before is not None and keys:  # a hook that is gone leaves the cursor to the next one
            table.move_cursor(row=keys.index(before.key) if before.key in keys else min(row, len(keys) - 1))
        self._show_details()

    def _chosen(self, overview: Overview) -> tuple[ResolvedHook, ...]:
        if self._selected is None:
            return overview.written_once()
        client, event = self._selected
        return tuple(hook for hook in client.hooks if not event or hook.native_event == event)

    def hook(self) -> ResolvedHook | None:
        """The hook under the cursor."""
        row = self.query_one(DataTable).cursor_row
        return self.hooks[row] if 0 <= row < len(self.hooks) else None

    def _hook_or_why(self) -> ResolvedHook | None:
        """The hook under the cursor. Where there is none, the last line says so, so that no key does nothing."""
        hook = self.hook()
        self.say("" if hook else self._why_empty())
        return hook

    def _client_of(self, hook: ResolvedHook) -> ProjectClient:
        clients = self.hooks_app.overview.clients
        return next(each for each in clients if (each.name, each.base) == (hook.client, hook.base))

    @on(DataTable.RowHighlighted)
    def _show_details(self) -> None:
        hook = self.hook()
        text = plain(self._why_empty(), "dim") if hook is None else details_of(hook, self.hooks_app.overview)
        self.query_one("#detail-text", Static).update(text)

    def _why_empty(self) -> str:
        if self._words:
            return "No hook matches the search. Esc leaves the search."
        if self.hooks_app.overview.problems:
            return "No hook can be read. Press p for the problems, a to add a hook."
        return "No hooks here yet. Press a to add one, ? for help."

    def action_details(self) -> None:
        """All of what the pane below has, which may be more than it can show."""
        if hook := self._hook_or_why():
            first, *rest = details_of(hook, self.hooks_app.overview).split("\n")
            self.app.push_screen(TextScreen(first.plain, rest))

    def on_resize(self) -> None:
        self.query_one(ClientTree).label(self.hooks_app.overview, label_width(self.app.size.width))
        self._fill_table()

    # --------------------------------------------------------------------------------------------------------- search

    def action_search(self) -> None:
        self.query_one("#search-bar").add_class("shown")
        self.query_one("#search", Input).focus()
        self._say_found()

    @on(Input.Changed, "#search")
    def _search(self, event: Input.Changed) -> None:
        self._words = event.value
        self._fill_table()
        self._say_found()

    def _say_found(self) -> None:
        keys = "Enter: to the hooks. Esc: leave the search. F1: help"
        self.say(f"{len(self.hooks)} of {len(self._chosen(self.hooks_app.overview))} hooks. {keys}")

    @on(Input.Submitted, "#search")
    def _found(self) -> None:
        self.query_one(DataTable).focus()
        self.say("Esc leaves the search." if self._words else "")

    def action_leave_search(self) -> None:
        with self.prevent(Input.Changed):
            self.query_one("#search", Input).value = ""
        self._words = ""
        self._fill_table()
        self.query_one("#search-bar").remove_class("shown")
        self.say("")
        self.query_one(DataTable).focus()

    @on(DescendantFocus)
    @on(DescendantBlur)
    def _mark_typing(self) -> None:
        """The keys of the last line are typed into the search while it has the focus."""
        self.set_class(self.query_one("#search").has_focus, "searching")

    # -------------------------------------------------------------------------------------------------------- changes

    def _preview(self, change: FileChange | None) -> None:
        if change is None:
            return

        def write(answer: Answer | None) -> None:
            done = f"Done: {change.what}. Undo: u"
            if answer is Answer.WRITE and self.hooks_app.write(change):
                self._read(done)
            elif answer is Answer.EDIT and self.hooks_app.write(change):
                self._edit(str(change.path), change.line, unchanged=done)

        self.app.push_screen(PreviewScreen(change, self.hooks_app.place), write)

    def action_add(self) -> None:
        self.say("")
        start, roots = Draft(), self.hooks_app.roots
        if self._selected is not None:
            client, event = self._selected
            start = Draft(client=client.name, event=event or None)
            roots = structs.replace(roots, project=client.base)  # it may be a project below
        self.app.push_screen(AddScreen(roots, start), self._preview)

    def action_delete(self) -> None:
        if hook := self._hook_or_why():
            try:
                self._preview(plan_deletion(hook))
            except AnyhookError as error:
                self.hooks_app.show_error(error)

    def action_switch_hook(self) -> None:
        hook = self._hook_or_why()
        if hook is None:
            return
        client = self._client_of(hook)
        try:
            if hook.state == FateState.DISABLED:
                self._preview(plan_enabling(hook, client))
            elif change := plan_disabling(hook, client):
                self._preview(change)
            else:
                self._offer_other_ways(hook, client)
        except AnyhookError as error:
            self.hooks_app.show_error(error)

    def _offer_other_ways(self, hook: ResolvedHook, client: ProjectClient) -> None:
        ways = other_ways(hook, client)
        title = f"{client.title} has no way to disable this hook alone."

        def choose(number: int | None) -> None:
            if number is not None:
                self._preview(ways[number].change)

        if ways:
            self.app.push_screen(ChoiceScreen(f"{title} It has:", [way.text for way in ways]), choose)
        else:
            self.app.push_screen(TextScreen(title, [plain("Change its file in the editor: e")]))

    def action_undo(self) -> None:
        if not self.hooks_app.undo_stack:
            self.say("Nothing to undo: nothing was written since the start.")
        elif change := self.hooks_app.undo():
            self._read(f"Undone: {change.what}")

    def action_edit(self) -> None:
        if hook := self._hook_or_why():
            self._edit(hook.file, hook.line)

    def _edit(self, file: str, line: int, *, unchanged: str = "The editor changed nothing.") -> None:
        """Open the editor; what it changes can be undone like every other write. ``unchanged``: said if it is none."""
        path = Path(file)
        try:
            before = read_content(path)
            self._run_editor(editor_command(file, line, os.environ))
            after = read_content(path)
        except AnyhookError as error:
            self.hooks_app.show_error(error)
            self._read("")
            return
        what = f"edit {self.hooks_app.place(file, 0)}"
        if after != before:
            self.hooks_app.undo_stack.append(FileChange(path=path, before=after, after=before, what=what))
        self._read(f"Done: {what}. Undo: u" if after != before else unchanged)

    def _run_editor(self, command: list[str]) -> None:
        try:
            with self.app.suspend():
                run_editor(command)
        except SuspendNotSupported:  # the screen is not a terminal
            run_editor(command)

    # ------------------------------------------------------------------------------------------------- try and explain

    def action_fire(self) -> None:
        if hook := self._hook_or_why():
            try:
                sample = sample_event(hook)
            except AnyhookError as error:
                self.hooks_app.show_error(error)
                return
            app = self.hooks_app
            self.app.push_screen(FireScreen(hook, sample, app.roots, app.place, app.overview.shown(hook.base)))

    def action_cases(self) -> None:
        if hook := self._hook_or_why():
            self.say("Running the cases…")
            self._run_cases(hook)

    @work(thread=True, exclusive=True, group="cases")
    def _run_cases(self, hook: ResolvedHook) -> None:
        lines = [plain(text, style) for text, style in run_cases(hook).lines()]
        if not get_current_worker().is_cancelled:  # t was pressed again
            self.app.call_from_thread(self._show_cases, hook, lines)

    def _show_cases(self, hook: ResolvedHook, lines: list[Text]) -> None:
        self.say("")
        self.app.push_screen(TextScreen(f"Cases of {hook.text()}", lines))

    def action_problems(self) -> None:
        self.say("")
        hook = self.hook()
        own = self.hooks_app.overview.problems_of(hook) if hook else ()
        others = [each for each in self.hooks_app.overview.problems if each not in own]
        if not own and not others:
            self.say("No problems.")
            return
        title = problems_title(len(own), len(others), has_hook=hook is not None)

        def edit(problem: Problem | None) -> None:
            if problem is not None:
                self._edit(problem.origin.file, problem.origin.line)

        self.app.push_screen(ProblemsScreen(title, (*own, *others), self.hooks_app.place), edit)

    def action_help(self) -> None:
        self.say("")
        self.app.push_screen(TextScreen("anyhook hooks", HELP))

    def action_quit(self) -> None:
        self.app.exit()
