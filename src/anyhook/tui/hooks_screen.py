"""The main screen: clients and their events on the left, their hooks on the right, one hook in detail below."""

from __future__ import annotations

import os
import subprocess
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

from anyhook.deploy.write_file import read_content
from anyhook.editor.change import PlannedChange
from anyhook.editor.draft import Draft
from anyhook.editor.external_editor import editor_command
from anyhook.editor.hook_changes import other_ways, plan_deletion, plan_disabling, plan_enabling
from anyhook.editor.overview import ClientItem, HookItem, Overview, added_hook, matches_search, take_overview
from anyhook.editor.trials import run_cases, sample_event
from anyhook.model.hooks import FateState
from anyhook.model.problems import AnyhookError, Problem
from anyhook.tui.add_screen import AddScreen
from anyhook.tui.fire_screen import FireScreen
from anyhook.tui.help_text import HELP
from anyhook.tui.hook_table import HookTable
from anyhook.tui.hook_text import NARROW, WIDE, client_label, columns_for, details_of, event_label, title_text
from anyhook.tui.plain_text import cut, plain
from anyhook.tui.preview_screen import ChoiceScreen, PreviewScreen
from anyhook.tui.problems_screen import ProblemsScreen
from anyhook.tui.text_screen import TextScreen

if TYPE_CHECKING:
    from anyhook.tui.app import HooksApp

Selected = tuple[ClientItem, str] | None
"""What the tree selects: a client, and one of its events (empty: all)."""
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
        self._items: tuple[HookItem, ...] = ()
        self._words = ""

    @property
    def hooks_app(self) -> HooksApp:
        return cast("HooksApp", self.app)

    def compose(self) -> ComposeResult:
        yield Static("anyhook hooks", id="title", markup=False)
        yield Input(placeholder="Search: client, event, matcher, command, file, problem code", id="search")
        with Horizontal(id="body"):
            yield Tree[Selected]("All clients", id="clients")
            yield HookTable(id="hooks", cursor_type="row")
        with VerticalScroll(id="details"):
            yield Static("", id="detail-text")
        yield Static("Reading the hook files…", id="status", markup=False)
        yield Static(NARROW_KEYS, id="narrow-keys")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#details").can_focus = False
        self.query_one("#clients", Tree).guide_depth = 2
        self.query_one(DataTable).focus()
        self.action_reload()

    # ------------------------------------------------------------------------------------------------- what is shown

    def action_reload(self, said: str = "") -> None:
        self._read(said)

    @work(thread=True, exclusive=True)
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
        self._fill_tree(overview)
        self._fill_table(added)
        self.query_one("#title", Static).update(cut(title_text(overview)))
        self.say(said or ("" if overview.clients else "No hooks here yet. Press a to add one."))

    def say(self, text: str) -> None:
        self.query_one("#status", Static).update(plain(text))

    def _fill_tree(self, overview: Overview) -> None:
        tree = cast("Tree[Selected]", self.query_one("#clients", Tree))
        tree.clear()
        tree.root.expand()
        tree.root.set_label(f"All clients ({len(overview.hooks())})")
        for client in overview.clients:
            node = tree.root.add(client.title, data=(client, ""))
            node.expand()
            for count in client.events():
                node.add_leaf(plain(count.event), data=(client, count.event))
        self._label_clients()

    def _label_clients(self) -> None:
        app = self.hooks_app
        is_wide = self._is_wide() or self.app.size.width < NARROW
        for node in cast("Tree[Selected]", self.query_one("#clients", Tree)).root.children:
            if node.data is not None:
                client = node.data[0]
                where = "" if client.base == app.overview.roots.project else f" {app.shown(client.base)}"
                node.set_label(plain(f"{client_label(client, is_wide=is_wide)}{where}"))
                for leaf, count in zip(node.children, client.events(), strict=True):
                    leaf.set_label(plain(event_label(count, is_wide=is_wide)))

    @on(Tree.NodeHighlighted)
    def _choose(self, event: Tree.NodeHighlighted[Selected]) -> None:
        if event.node.data != self._selected and self.query_one("#clients").has_focus:
            self._selected = event.node.data
            self._fill_table()

    @on(Tree.NodeSelected)
    def _enter(self, event: Tree.NodeSelected[Selected]) -> None:
        self._selected = event.node.data
        self._fill_table()

    def _fill_table(self, added: HookItem | None = None) -> None:
        table, app = cast("DataTable[Text]", self.query_one(DataTable)), self.hooks_app
        before, row = self.item(), table.cursor_row
        self._items = tuple(item for item in self._chosen(app.overview) if matches_search(item, self._words))
        has_event = self._selected is not None and bool(self._selected[1])
        columns = columns_for(self.app.size.width, is_wide=self._is_wide(), has_event=has_event)
        table.clear(columns=True)
        for column in columns:
            table.add_column(column.title, width=column.width)
        for item in self._items:
            table.add_row(*(column.cell(item, app.place) for column in columns))
        keys = [item.key for item in self._items]
        if added is not None and added.key in keys:
            table.move_cursor(row=keys.index(added.key))
        elif before is not None and keys:  # a hook that is gone leaves the cursor to the next one
            table.move_cursor(row=keys.index(before.key) if before.key in keys else min(row, len(keys) - 1))
        self._show_details()

    def _chosen(self, overview: Overview) -> tuple[HookItem, ...]:
        if self._selected is None:
            return overview.hooks()
        client, event = self._selected
        return tuple(item for item in client.hooks if not event or item.row.native_event == event)

    def _is_wide(self) -> bool:
        return self.app.size.width >= WIDE

    def item(self) -> HookItem | None:
        """The hook under the cursor."""
        row = self.query_one(DataTable).cursor_row
        return self._items[row] if 0 <= row < len(self._items) else None

    def _client_of(self, item: HookItem) -> ClientItem:
        clients = self.hooks_app.overview.clients
        return next(each for each in clients if (each.name, each.base) == (item.row.client, item.row.base))

    @on(DataTable.RowHighlighted)
    def _show_details(self) -> None:
        item = self.item()
        text = plain(self._why_empty(), "dim") if item is None else details_of(item, self.hooks_app.place)
        self.query_one("#detail-text", Static).update(text)

    def _why_empty(self) -> str:
        if self._words:
            return "No hook matches the search. Esc leaves the search."
        return "No hooks here yet. Press a to add one."

    def action_details(self) -> None:
        """All of what the pane below has, which may be more than it can show."""
        if item := self.item():
            first, *rest = details_of(item, self.hooks_app.place).plain.splitlines()
            self.app.push_screen(TextScreen(first, [(line, "") for line in rest]))

    def on_resize(self) -> None:
        self._label_clients()
        self._fill_table()

    # --------------------------------------------------------------------------------------------------------- search

    def action_search(self) -> None:
        search = self.query_one("#search", Input)
        search.add_class("shown")
        search.focus()
        self.say("Enter: to the hooks. Esc: leave the search. F1: help")

    @on(Input.Changed, "#search")
    def _search(self, event: Input.Changed) -> None:
        self._words = event.value
        self._fill_table()

    @on(Input.Submitted, "#search")
    def _found(self) -> None:
        self.query_one(DataTable).focus()

    def action_leave_search(self) -> None:
        search = self.query_one("#search", Input)
        search.value = ""
        search.remove_class("shown")
        self.say("")
        self.query_one(DataTable).focus()

    @on(DescendantFocus)
    @on(DescendantBlur)
    def _mark_typing(self) -> None:
        """The keys of the last line are typed into the search while it has the focus."""
        self.set_class(self.query_one("#search").has_focus, "searching")

    # -------------------------------------------------------------------------------------------------------- changes

    def _preview(self, change: PlannedChange | None) -> None:
        if change is None:
            return

        def write(answer: bool | None) -> None:
            if answer and self.hooks_app.write(change):
                self.action_reload(f"Done: {change.what}. Undo: u")

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
        self.say("")
        if item := self.item():
            try:
                self._preview(plan_deletion(item))
            except AnyhookError as error:
                self.hooks_app.show_error(error)

    def action_switch_hook(self) -> None:
        self.say("")
        item = self.item()
        if item is None:
            return
        client = self._client_of(item)
        try:
            if item.row.state == FateState.DISABLED:
                self._preview(plan_enabling(item, client))
            elif change := plan_disabling(item, client):
                self._preview(change)
            else:
                self._offer_other_ways(item, client)
        except AnyhookError as error:
            self.hooks_app.show_error(error)

    def _offer_other_ways(self, item: HookItem, client: ClientItem) -> None:
        ways = other_ways(item, client)
        title = f"{client.title} has no way to disable this hook alone."

        def choose(number: int | None) -> None:
            if number is not None:
                self._preview(ways[number].change)

        if ways:
            self.app.push_screen(ChoiceScreen(f"{title} It has:", [way.text for way in ways]), choose)
        else:
            self.app.push_screen(TextScreen(title, [("Change its file in the editor: e", "")]))

    def action_undo(self) -> None:
        if not self.hooks_app.undo_stack:
            self.say("Nothing to undo: nothing was written since the start.")
        elif change := self.hooks_app.undo():
            self.action_reload(f"Undone: {change.what}")

    def action_edit(self) -> None:
        if item := self.item():
            self._edit(item.row.file, item.row.line)

    def _edit(self, file: str, line: int) -> None:
        """Open the editor; what it changes can be undone like every other write."""
        path = Path(file)
        try:
            before = read_content(path)
            self._run_editor(editor_command(file, line, os.environ))
            after = read_content(path)
        except AnyhookError as error:
            self.hooks_app.show_error(error)
            return
        what = f"edit {self.hooks_app.shown(path)}"
        if after != before:
            self.hooks_app.undo_stack.append(PlannedChange(path=path, before=after, after=before, what=what))
        self.action_reload(f"Done: {what}. Undo: u" if after != before else "The editor changed nothing.")

    def _run_editor(self, command: list[str]) -> None:
        try:
            try:
                with self.app.suspend():
                    subprocess.run(command, check=False)
            except SuspendNotSupported:  # the screen is not a terminal
                subprocess.run(command, check=False)
        except OSError as error:
            text = f"{command[0]}: cannot be started: {error.strerror or error}"
            raise AnyhookError(f"{text}\nset VISUAL or EDITOR to your editor") from None

    # ------------------------------------------------------------------------------------------------- try and explain

    def action_fire(self) -> None:
        self.say("")
        if item := self.item():
            try:
                sample = sample_event(item)
            except AnyhookError as error:
                self.hooks_app.show_error(error)
                return
            self.app.push_screen(FireScreen(item, sample, self.hooks_app.roots, self.hooks_app.place))

    def action_cases(self) -> None:
        if item := self.item():
            self.say("Running the cases…")
            self._run_cases(item)

    @work(thread=True, exclusive=True)
    def _run_cases(self, item: HookItem) -> None:
        lines = list(run_cases(item).lines())
        self.app.call_from_thread(self._show_cases, item, lines)

    def _show_cases(self, item: HookItem, lines: list[tuple[str, str]]) -> None:
        self.say("")
        self.app.push_screen(TextScreen(f"Cases of {item.row.hook()}", lines))

    def action_problems(self) -> None:
        self.say("")
        item = self.item()
        own = item.problems if item else ()
        others = [each for each in self.hooks_app.overview.problems() if each not in own]
        if not own and not others:
            self.say("No problems.")
            return
        title = f"Problems: {len(own)} of this hook, {len(others)} others"

        def edit(problem: Problem | None) -> None:
            if problem is not None:
                self._edit(problem.origin.file, problem.origin.line)

        self.app.push_screen(ProblemsScreen(title, (*own, *others), self.hooks_app.place), edit)

    def action_help(self) -> None:
        self.say("")
        self.app.push_screen(TextScreen("anyhook hooks", HELP))

    def action_quit(self) -> None:
        self.app.exit()
