"""A hook in words: its details, its problems, and the counts of clients and events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from rich.table import Table
from rich.text import Text

from anyhook.dialects import profile
from anyhook.editor.overview import HookItem, Overview
from anyhook.model.problems import Problem
from anyhook.model.wording import format_limit
from anyhook.tui.plain_text import plain

Place = Callable[[str, int], str]
STATES = {
    "active": "green",
    "disabled": "yellow",
    "shadowed": "yellow",
    "never matches": "yellow",
    "dropped": "#ff8787",
}
SEVERITIES = {"error": "bold #ff8787", "warning": "yellow", "note": "dim"}
"""Colours that can also be read on the colour of the cursor."""


def limit_of(item: HookItem) -> str:
    return format_limit(item.row.timeout_ms, item.row.timeout_is_default)


def last_fired(item: HookItem, never: str) -> str:
    return f"{datetime.fromisoformat(item.last_at).astimezone():%m-%d %H:%M}" if item.last_at else never


def counted(name: str, hooks: int, problems: int = 0, *, width: int = 0) -> Text:
    """A client or an event with its number of hooks and of problems. A name that is too long is cut, no number is."""
    counts, mark = f" {hooks}", f" !{problems}" if problems else ""
    left = width - len(counts) - len(mark)
    shown = name if not width or len(name) <= left else f"{name[: left - 1]}…"
    return plain(shown).append(counts, "dim").append(mark, "yellow")


def title_text(overview: Overview) -> str:
    hooks, problems = _number(len(overview.hooks()), "hook"), _number(len(overview.problems()), "problem")
    return f"anyhook hooks · {hooks}, {problems} · {overview.shown(overview.roots.project)}"


def problems_title(own: int, others: int, *, has_hook: bool) -> str:
    """``has_hook``: the cursor is on a hook, which has ``own`` of the problems."""
    if not has_hook:
        return _number(others, "problem")
    if not own:
        return f"{_number(others, 'problem')}, none of this hook"
    return f"{_number(own, 'problem')} of this hook{f', {others} more' if others else ''}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def details_of(item: HookItem, place: Place) -> Text:
    """Origin, matcher, action, timeout, state, problems, last run."""
    row = item.row
    text = Text()
    matched = f" on {row.matched()}" if row.matched() else ""
    text.append(plain(f"{profile(row.client).title} · {row.native_event}{matched}", "bold"))
    text.append(f" · limit {limit_of(item)} · ").append(row.state, STATES[row.state])
    text.append(f" · last fired {last_fired(item, 'never')}")
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
