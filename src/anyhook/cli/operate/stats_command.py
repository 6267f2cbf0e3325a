"""``anyhook stats``: shows for each hook how often it fired, blocked and failed, and how long it took."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.operate.journal_options import (
    all_projects_option,
    filter_options,
    make_filter,
    nothing_found_text,
    shown_project,
    source_url,
)
from anyhook.cli.options import Display, count, json_option, make_roots
from anyhook.cli.render import hanging, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyhook.doctor.activity import SilentHook
    from anyhook.record.recorded import RecordedEvent
    from anyhook.record.store.query import HookActivity, SessionTime

_EPILOG = """\b
Examples:
  anyhook stats                          the events of this project, and its hooks that never fired
  anyhook stats --all-projects
  anyhook stats --since 1d --client codex
  anyhook stats --json | jq '.hooks[] | select(.p95_ms > 500) | .hook'

The bar shows p50 (█) and p95 (░), compared with the slowest hook.
"""
BAR_WIDTH = 12


@click.command("stats", epilog=_EPILOG)
@all_projects_option
@filter_options
@json_option
def command(as_json: bool, **options: Any) -> None:
    """Show how often each hook fired, blocked, failed and timed out, how long it took, and which never fired."""
    from anyhook.cli.render import print_json
    from anyhook.record.recorded import once_each
    from anyhook.record.store.query import (
        RowFilter,
        hook_activity,
        journal_notes,
        open_rows,
        session_time,
        wanted_rows,
    )
    from anyhook.record.store.spool import journal_folder

    folder, wanted, project = journal_folder(), make_filter(options), shown_project(options)
    url = source_url(options)
    for note in journal_notes(folder, url):
        click.echo(f"anyhook: {printable(note)}", err=True)
    with open_rows(folder, url) as source:
        everything = [row.event for row in wanted_rows(source.rows_after(0), RowFilter()) if not row.event.note]
    rows = once_each(list(filter(project.shows, filter(wanted.matches, everything))))
    hooks, times = hook_activity(rows), session_time(rows)
    never = _never_fired(options["project"] or Path(), everything)
    if as_json:
        share = {"session_ms": times.session_ms, "hooks_ms": times.hooks_ms, "share": times.share}
        print_json({"events": len(rows), "hooks": hooks, "sessions": share, "never_fired": never})
        return
    if not rows:
        click.echo(nothing_found_text(wanted, project))
    else:
        _print(hooks, len(rows), times)
    project.say_what_is_left_out()
    show = Display(Path.home())
    for hook in never:
        where = show.place(hook.file, hook.line)
        click.echo(hanging(f"never fired since {hook.since}: {where}: {hook.hook} on {hook.event}", 2, 0))


def _print(hooks: tuple[HookActivity, ...], events: int, times: SessionTime) -> None:
    from anyhook.cli.render import Column, is_narrow, table

    slowest = max((hook.p95_ms for hook in hooks), default=0.0)
    heads = ("hook", "fired", "blocked", "failed", "timed out", "p50", "p95", *(() if is_narrow() else ("",)))
    rows = [
        [
            hook.hook,
            *map(str, (hook.fired, hook.blocked, hook.failed, hook.timed_out)),
            _milliseconds(hook.p50_ms),
            _milliseconds(hook.p95_ms),
            *(() if is_narrow() else (_bar(hook, slowest),)),
        ]
        for hook in hooks
    ]
    if rows:
        table([Column(head, flexible=head == "hook") for head in heads], rows)
    share = f"; hooks took {times.share:.1%} of the time of their sessions" if hooks and times.session_ms else ""
    click.echo(f"{count(events, 'event')}, {count(len(hooks), 'hook')}{share}")


def _bar(hook: HookActivity, slowest: float) -> str:
    scale = BAR_WIDTH / slowest if slowest else 0.0
    half, most = max(1, round(hook.p50_ms * scale)), max(1, round(hook.p95_ms * scale))
    return "█" * half + "░" * (most - half)


def _milliseconds(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 10 else f"{ms:.0f} ms" if ms < 10_000 else f"{ms / 1000:.0f} s"


def _never_fired(project: Path, rows: Sequence[RecordedEvent]) -> tuple[SilentHook, ...]:
    """The hooks of the package here that are deployed and have no run in the journal."""
    from anyhook.deploy.deployment import find_deployed
    from anyhook.doctor.activity import activity_of, never_fired
    from anyhook.record.replay import package_of_today

    roots = make_roots(project, None)
    return never_fired(find_deployed(roots), package_of_today(roots), activity_of(rows)).hooks
