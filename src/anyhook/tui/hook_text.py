"""A hook in words: its details, its problems, and the counts of clients and events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from rich.table import Table
from rich.text import Text

from anyhook.dialects import profile
from anyhook.editor.overview import Overview
from anyhook.model.problems import Problem
from anyhook.model.wording import format_limit
from anyhook.project.hook import ResolvedHook
from anyhook.record.store.query import HookActivity
from anyhook.tui.plain_text import plain

Place = Callable[[str, int], str]
STATES = {
    "active": "green",
    "untrusted": "bold yellow",
    "disabled": "yellow",
    "shadowed": "yellow",
    "never matches": "yellow",
    "dropped": "#ff8787",
}
SEVERITIES = {"error": "bold #ff8787", "warning": "yellow", "note": "dim"}
"""Colours that can also be read on the colour of the cursor."""


def limit_of(hook: ResolvedHook) -> str:
    return format_limit(hook.timeout_ms, hook.has_usual_timeout)


def last_fired(run: HookActivity | None) -> str:
    return f"{datetime.fromisoformat(run.last_at).astimezone():%m-%d %H:%M}" if run else "never"


def counted(name: str, hooks: int, problems: int = 0, *, width: int = 0) -> Text:
    """A client or an event with its number of hooks and of problems. A name that is too long is cut, no number is."""
    counts, mark = f" {hooks}", f" !{problems}" if problems else ""
    left = width - len(counts) - len(mark)
    shown = name if not width or len(name) <= left else f"{name[: left - 1]}…"
    return plain(shown).append(counts, "dim").append(mark, "yellow")


def title_text(overview: Overview) -> str:
    hooks, problems = _number(overview.written, "hook"), _number(len(overview.problems), "problem")
    waiting = f"{overview.untrusted} untrusted: anyhook trust" if overview.untrusted else "all trusted"
    trust = f" · {waiting}" if overview.asks_trust else ""
    return f"anyhook hooks · {hooks}, {problems}{trust} · {overview.shown(overview.roots.project)}"


def problems_title(own: int, others: int, *, has_hook: bool) -> str:
    """``has_hook``: the cursor is on a hook, which has ``own`` of the problems."""
    if not has_hook:
        return _number(others, "problem")
    if not own:
        return f"{_number(others, 'problem')}, none of this hook"
    return f"{_number(own, 'problem')} of this hook{f', {others} more' if others else ''}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def details_of(hook: ResolvedHook, overview: Overview) -> Text:
    """Origin, matcher, action, timeout, state, problems, last run."""
    text, run = Text(), overview.activity.last_run(hook)
    matched = f" on {hook.matched()}" if hook.matched() else ""
    text.append(plain(f"{profile(hook.client).title} · {hook.native_event}{matched}", "bold"))
    text.append(f" · limit {limit_of(hook)} · ").append(hook.state, STATES[hook.state])
    text.append(f" · last fired {last_fired(run)}")
    text.append(f" ({run.last_status})" if run else "")
    text.append(plain(f"\n{hook.text()}"))
    text.append(plain(f"\n{hook.scope} {overview.place(hook.file, hook.line)}", "dim"))
    if others := [other for other in overview.readers_of(hook) if other.client != hook.client]:
        read = (f"{profile(other.client).title} ({other.state})" for other in others)
        text.append(plain(f"\nalso read by {', '.join(read)}"))
    if hook.why:
        text.append(plain(f"\n{hook.state}: {hook.why}", "yellow"))
    for problem in overview.problems_of(hook):
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
