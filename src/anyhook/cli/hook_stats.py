"""``anyhook log --stats``: how often each hook fired, blocked and failed, and how long it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from anyhook.cli.journal_options import ShownProject, nothing_found_text
from anyhook.cli.options import Display, count, make_roots
from anyhook.cli.render import Column, hanging, is_narrow, print_json, table
from anyhook.deploy.deployment import find_deployed
from anyhook.doctor.activity import SilentHook, activity_of, never_fired
from anyhook.project.project import Project
from anyhook.record.recorded import RecordedEvent, once_each
from anyhook.record.store.query import (
    HookActivity,
    RowFilter,
    RowSource,
    SessionTime,
    hook_activity,
    session_time,
    wanted_rows,
)

BAR_WIDTH = 12


def show_stats(source: RowSource, wanted: RowFilter, project: ShownProject, folder: Path, as_json: bool) -> None:
    """Print the figures of each hook in these rows, and the hooks of the package in a folder that never fired."""
    everything = [row.event for row in wanted_rows(source.rows_after(0), RowFilter()) if not row.event.note]
    matching = [row for row in everything if wanted.matches(row) and project.shows(row)]
    rows = once_each([row for row in matching if not row.simulation])
    hooks, times = hook_activity(map(project.checkout.renamed, rows)), session_time(rows)
    never = _never_fired(folder, everything)
    if as_json:
        share = {"session_ms": times.session_ms, "hooks_ms": times.hooks_ms, "share": times.share}
        print_json({"events": len(rows), "hooks": hooks, "sessions": share, "never_fired": never})
        return
    if matching and not rows:
        click.echo("Only events of try, fire and test are in the journal, which do not count.")
    elif not rows:
        click.echo(nothing_found_text(wanted, project))
    else:
        _print(hooks, len(rows), times)
    project.say_what_is_left_out()
    show = Display(Path.home())
    for hook in never:
        where = show.place(hook.file, hook.line)
        click.echo(hanging(f"never fired since {hook.since}: {where}: {hook.hook} on {hook.event}", 2, 0))


def _print(hooks: tuple[HookActivity, ...], events: int, times: SessionTime) -> None:

    slowest = max((hook.p95_ms for hook in hooks), default=0.0)
    bar = () if is_narrow() else ("",)
    has_shadows = any(hook.would_block for hook in hooks)
    would = ("would block",) if has_shadows else ()
    heads = ("hook", "fired", "blocked", *would, "failed", "timed out", "p50", "p95", *bar, "last event")
    names = Counter(hook.hook for hook in hooks)
    show = Display(Path.home())
    rows = [
        [
            f"{hook.hook} ({show.place(hook.file, hook.line)})" if names[hook.hook] > 1 else hook.hook,
            *map(str, (hook.fired, hook.blocked)),
            *((str(hook.would_block),) if has_shadows else ()),
            *map(str, (hook.failed, hook.timed_out)),
            _milliseconds(hook.p50_ms),
            _milliseconds(hook.p95_ms),
            *(() if is_narrow() else (_bar(hook, slowest),)),
            " ".join(filter(None, (hook.last_effect, hook.last_subject))),
        ]
        for hook in hooks
    ]
    if rows:
        table([Column(head, flexible=head in ("hook", "last event")) for head in heads], rows)
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
    here = Project(make_roots(project, None))
    owner = here.package.owner()
    hooks = here.package.of(owner) if owner else None
    return () if hooks is None else tuple(never_fired(find_deployed(here), hooks, activity_of(rows)))
