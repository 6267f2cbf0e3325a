"""A hook in words: the cells of its row, and its details."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from msgspec import Struct, structs
from rich.table import Table
from rich.text import Text

from anyhook.dialects import profile
from anyhook.editor.overview import ClientItem, EventCount, HookItem, Overview
from anyhook.model.problems import Problem
from anyhook.model.wording import format_limit
from anyhook.tui.plain_text import cut, plain

Place = Callable[[str, int], str]
_STATES = {
    "active": "green",
    "disabled": "yellow",
    "shadowed": "yellow",
    "never matches": "yellow",
    "dropped": "#ff8787",
}
NARROW, WIDE = 80, 150
"""Columns below which the tree is shown only while it has the focus; columns from which the table has everything."""
TREE, TREE_WIDE = 26, 32
"""Columns that the tree and its border take, as the style says, with the scroll bar of the table."""
MATCHER_FROM = 56
"""Columns below which the details show the matcher, and the table does not."""
_BESIDE_LABEL = 8
"""Columns of these that the label of a client cannot use: both scroll bars, the border and the guides."""
SEVERITIES = {"error": "bold #ff8787", "warning": "yellow", "note": "dim"}
"""Colours that can also be read on the colour of the cursor."""


class HookColumn(Struct, frozen=True):
    title: str
    width: int
    cell: Callable[[HookItem, Place], Text]


def columns_for(width: int, *, is_wide: bool, has_event: bool) -> tuple[HookColumn, ...]:
    """The columns for a screen of this width. ``has_event``: all hooks are of one event, which the tree shows."""
    event = HookColumn("EVENT", 13, lambda item, _: cut(item.row.native_event, "cyan"))
    matcher = HookColumn("MATCHER", 10, lambda item, _: cut(item.row.matched()))
    state = HookColumn("STATE", len("!1 disabled"), lambda item, _: _state(item))
    hook = HookColumn("HOOK", 0, lambda item, _: cut(item.row.hook()))
    columns: tuple[HookColumn, ...] = (event, matcher, hook, state)
    if is_wide:
        columns = (
            event,
            structs.replace(matcher, width=14),
            hook,
            HookColumn("LIMIT", 6, lambda item, _: Text(_limit(item))),
            state,
            HookColumn("LAST FIRED", 11, lambda item, _: Text(_last(item, "never"))),
            HookColumn("WHERE", 34, _where),
        )
    elif width < MATCHER_FROM:
        columns = (event, hook, state)
    columns = columns[1:] if has_event else columns
    tree = TREE_WIDE if is_wide else TREE if width >= NARROW else 2
    left = width - tree - sum(column.width + 2 for column in columns)
    return tuple(structs.replace(column, width=max(left, 8)) if column is hook else column for column in columns)


def _where(item: HookItem, place: Place) -> Text:
    return cut(f"{item.row.scope} {place(item.row.file, item.row.line)}", "dim")


def _state(item: HookItem) -> Text:
    text = Text(f"!{len(item.problems)} " if item.problems else "", "bold yellow")
    state = {"never matches": "never"}.get(item.row.state, item.row.state)
    return text.append(state, _STATES[item.row.state])


def _limit(item: HookItem) -> str:
    return format_limit(item.row.timeout_ms, item.row.timeout_is_default)


def _last(item: HookItem, never: str) -> str:
    return f"{datetime.fromisoformat(item.last_at).astimezone():%m-%d %H:%M}" if item.last_at else never


def client_label(client: ClientItem, *, is_wide: bool) -> str:
    """A client in the tree. Where the tree is narrow, the number of problems is shown, not that of hooks."""
    mark = f" !{len(client.problems)}" if client.problems else ""
    tail, width = f" ({len(client.hooks)}){mark}", (TREE_WIDE if is_wide else TREE) - _BESIDE_LABEL
    if len(client.title + tail) > width:
        tail = mark or tail
    return f"{_cut_to(client.title, width - len(tail))}{tail}"


def event_label(count: EventCount, *, is_wide: bool) -> str:
    """An event of a client in the tree, whose name is cut, never its number of hooks."""
    tail, width = f" ({count.hooks})", (TREE_WIDE if is_wide else TREE) - _BESIDE_LABEL
    return f"{_cut_to(count.event, width - len(tail))}{tail}"


def _cut_to(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def title_text(overview: Overview) -> str:
    hooks, problems = len(overview.hooks()), len(overview.problems())
    counts = f"{hooks} hook{'' if hooks == 1 else 's'}, {problems} problem{'' if problems == 1 else 's'}"
    project, home = overview.roots.project, overview.roots.home
    where = f"~/{project.relative_to(home).as_posix()}" if project.is_relative_to(home) else str(project)
    return f"anyhook hooks · {counts} · {where}"


def details_of(item: HookItem, place: Place) -> Text:
    """Origin, matcher, action, timeout, state, problems, last run."""
    row = item.row
    text = Text()
    matched = f" on {row.matched()}" if row.matched() else ""
    text.append(plain(f"{profile(row.client).title} · {row.native_event}{matched}", "bold"))
    text.append(f" · limit {_limit(item)} · ").append(row.state, _STATES[row.state])
    text.append(f" · last fired {_last(item, 'never')}")
    text.append(f" ({item.last_status})" if item.last_status else "")
    text.append(plain(f"\n{row.hook()}"))
    text.append(plain(f"\n{row.scope} {place(row.file, row.line)}", "dim"))
    if row.why:
        text.append(plain(f"\n{row.state}: {row.why}", "yellow"))
    for problem in item.problems:
        text.append(f"\n{problem.severity.value} ", SEVERITIES[problem.severity])
        text.append(plain(f"{problem.code} {problem.text}"))
    return text


def problem_table(problems: Iterable[Problem], place: Place) -> Table:
    """Severity, code and text of each, with its place and the remedy below; long texts stay in their column."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for width in (len("warning"), len("C005"), None):
        table.add_column(width=width, overflow="fold")
    for problem in problems:
        where = place(problem.origin.file, problem.origin.line)
        below = plain(f"\n{where}{f': {problem.fix}' if problem.fix else ''}", "dim")
        severity = Text(problem.severity.value, SEVERITIES[problem.severity])
        table.add_row(severity, Text(problem.code, "cyan"), Text.assemble(plain(problem.text), below))
    return table
