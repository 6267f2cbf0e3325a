"""The table of hooks: its keys, which columns it has, and how wide each is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct, structs
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from anyhook.dialects import profile
from anyhook.editor.overview import Overview
from anyhook.project.hook import ResolvedHook
from anyhook.tui.hook_text import STATES, last_fired, limit_of
from anyhook.tui.plain_text import cut

NARROW, WIDE = 80, 150
"""Columns below which the tree is shown only while it has the focus; columns from which the table has everything."""
TREE, TREE_WIDE = 26, 32
"""Columns that the tree and its border take, as the style says, with the scroll bar of the table."""
_BESIDE_LABEL = 8
"""Columns of these that a label of the tree cannot use: both scroll bars, the border and the guides."""
_STATE = len("!99 never matches")
_GAP = 2
"""Columns between two columns of the table."""
_VARIABLE = re.compile(r"""^(["']?)\$\{?\w+\}?\1/""")
"""The folder that a client names by a variable, at the beginning of a command."""


class HookTable(DataTable[Text]):
    """Home and End go to the first and the last hook, where Textual's table goes to the first and the last column."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "scroll_top", "First hook", show=False),
        Binding("end", "scroll_bottom", "Last hook", show=False),
        Binding("enter", "screen.details", "Details", show=False),
    ]


class HookColumn(Struct, frozen=True, kw_only=True):
    title: str
    cell: Callable[[ResolvedHook, Overview, int], Text]
    """The text of a hook for so many characters; 0: all of it."""
    least: int
    """Characters without which it says nothing."""
    most: int
    width: int = 0


def columns_for(
    hooks: Sequence[ResolvedHook], overview: Overview, width: int, *, has_client: bool, has_event: bool
) -> tuple[HookColumn, ...]:
    """The columns for a screen of this width.

    ``has_client``, ``has_event``: all hooks are of one client, or of one event, which the tree shows.
    """
    is_wide = width >= WIDE
    columns = list(_wide_columns() if is_wide else _usual_columns())
    clients = {(each.client, each.base) for hook in hooks for each in overview.readers_of(hook)}
    if has_client or len(clients) < 2:
        columns = [column for column in columns if column.title != "CLIENT"]
    if has_event:
        columns = [column for column in columns if column.title != "EVENT"]
    left = width - (TREE_WIDE if is_wide else TREE if width >= NARROW else 2)
    least = 24 if is_wide else 10
    columns = [_uncut(column, hooks, overview) if column.title == "STATE" else column for column in columns]
    while sum(column.least + _GAP for column in columns) + least + _GAP > left and _spare(columns):
        columns.remove(_spare(columns)[0])
    return tuple(_fitted(columns, hooks, overview, left, least))


def _wide_columns() -> tuple[HookColumn, ...]:
    client, event, matcher, state = _usual_columns()
    return (
        structs.replace(client, most=18),
        structs.replace(event, most=20),
        structs.replace(matcher, most=20),
        HookColumn(title="LIMIT", cell=lambda hook, *_: Text(limit_of(hook)), least=6, most=9),
        state,
        HookColumn(title="LAST FIRED", cell=_last_fired, least=10, most=11),
        HookColumn(title="WHERE", cell=_where, least=26, most=32),
    )


def _usual_columns() -> tuple[HookColumn, ...]:
    return (
        HookColumn(title="CLIENT", cell=_clients, least=8, most=14),
        HookColumn(title="EVENT", cell=lambda hook, *_: cut(hook.native_event, "cyan"), least=12, most=13),
        HookColumn(title="MATCHER", cell=lambda hook, *_: cut(hook.matched()), least=9, most=15),
        HookColumn(title="STATE", cell=_state, least=9, most=_STATE),
    )


def _uncut(column: HookColumn, hooks: Sequence[ResolvedHook], overview: Overview) -> HookColumn:
    longest = max((column.cell(each, overview, 0).cell_len for each in hooks), default=column.least)
    return structs.replace(column, least=max(column.least, longest))


def _clients(hook: ResolvedHook, overview: Overview, width: int) -> Text:
    """The client, and how many others read the same file."""
    others = len(overview.readers_of(hook)) - 1
    mark = f" +{others}" if others else ""
    title = profile(hook.client).title
    if 0 < width < len(title) + len(mark):
        title = f"{title[: width - len(mark) - 1]}…"
    return cut(title).append(mark, "cyan")


def _spare(columns: Sequence[HookColumn]) -> list[HookColumn]:
    """What the table can do without, the first first: the details below the table say it, too."""
    return [column for title in ("MATCHER", "CLIENT") for column in columns if column.title == title]


def _fitted(
    columns: Sequence[HookColumn], hooks: Sequence[ResolvedHook], overview: Overview, left: int, least: int
) -> list[HookColumn]:
    """Each as wide as its longest cell, but no wider than leaves enough for the hooks, which get the rest."""
    widths = {}
    for column in columns:
        longest = max((column.cell(each, overview, 0).cell_len for each in hooks), default=0)
        widths[column.title] = min(max(longest, len(column.title)), column.most)
    rest = left - _GAP - sum(width + _GAP for width in widths.values())
    for column in sorted(columns, key=lambda each: each.most, reverse=True):
        given = max(0, min(least - rest, widths[column.title] - column.least))
        widths[column.title] -= given
        rest += given
    hook = HookColumn(title="HOOK", cell=_hook, least=least, most=rest, width=max(rest, 8))
    fitted = [structs.replace(column, width=widths[column.title]) for column in columns]
    before = next(at for at, column in enumerate(fitted) if column.title in ("LIMIT", "STATE"))
    return [*fitted[:before], hook, *fitted[before:]]


def _hook(hook: ResolvedHook, _: Overview, width: int) -> Text:
    """What runs. Where it is too long, the program's name is kept, not the folder that it is in."""
    text = hook.text()
    if len(text) > width:
        text = _VARIABLE.sub("", text)
    program, space, rest = text.partition(" ")
    program = program.strip("\"'")
    if len(text) > width and "/" in program and hook.action.kind == "command":
        text = f"…/{program.rpartition('/')[2]}{space}{rest}"
    return cut(text)


def _where(hook: ResolvedHook, overview: Overview, width: int) -> Text:
    """The file and the line; the end of a path that is too long says more than its beginning."""
    shown = overview.place(hook.file, hook.line)
    return cut(f"…{shown[1 - width :]}" if 0 < width < len(shown) else shown, "dim")


def _last_fired(hook: ResolvedHook, overview: Overview, _: int) -> Text:
    return Text(last_fired(overview.activity.last_run(hook)))


def _state(hook: ResolvedHook, overview: Overview, _: int) -> Text:
    problems = len(overview.problems_of(hook))
    text = Text(f"!{problems} " if problems else "", "bold yellow")
    return text.append(hook.state, STATES[hook.state])


def label_width(width: int) -> int:
    """How many characters a label of the tree has on a screen of this width."""
    return (TREE_WIDE if width >= WIDE or width < NARROW else TREE) - _BESIDE_LABEL
