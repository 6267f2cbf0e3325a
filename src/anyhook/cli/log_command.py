"""``anyhook log``: shows what has happened on every event, follows it, checks it and exports it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from anyhook.cli.hook_stats import show_stats
from anyhook.cli.journal_options import (
    ShownProject,
    filter_options,
    make_filter,
    nothing_found_text,
    reachable_url,
    shown_project,
    source_url,
)
from anyhook.cli.options import Display, OneOf, WholeNumber, count, json_option
from anyhook.cli.render import hanging, has_colour, print_json, printable
from anyhook.daemon_socket.runtime_folder import find_runtime_folder
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import fate_of_tool
from anyhook.model.problems import UsageError
from anyhook.model.safe_json import escape_control_bytes
from anyhook.record.recorded import Happened, RecordedEvent, once_each
from anyhook.record.recordings import recorded_rows
from anyhook.record.store.chain import find_breaks
from anyhook.record.store.export import write_rows
from anyhook.record.store.follow import FOLLOW_SECONDS, Follower
from anyhook.record.store.query import RowFilter, RowSource, journal_notes, open_journal, open_rows, wanted_rows
from anyhook.record.store.redact_rows import RowRedactor
from anyhook.record.store.send import SENT_AGAIN
from anyhook.record.store.spool import journal_folder
from anyhook.record.store.writer import RECOVERED
from anyhook.serve.log import read_log
from anyhook.sources.editing.own_place import refuse_planted

_EPILOG = """\b
Examples:
  anyhook log                                   the last 50 events of this project
  anyhook log --all-projects                    of all projects
  anyhook log -f                                and every new one, until Ctrl-C
  anyhook log --since 1h --effect block         what was blocked in the last hour
  anyhook log --hook guard.sh --event PreToolUse
  anyhook log --json -n 0 | jq -r .tool         one JSON object for each event
  anyhook log --recording monday                what anyhook record has recorded
  anyhook log --stats                           how often each hook fired, how long it took, and which never fired
  anyhook log --stats --json | jq '.hooks[] | select(.p95_ms > 500) | .hook'
  anyhook log --verify                          whether rows of the journal were removed, changed or moved
  anyhook log --export csv --since 7d --output week.csv
  anyhook log --export --recording monday --output monday.jsonl    to keep it, or for another machine

\b
Exit status:
  0 success, 1 --verify found that the journal was changed

The bar of --stats shows p50 (█) and p95 (░), compared with the slowest hook. The rows of --export can be replayed if
they have payloads: see docs/recording.md. Parquet needs anyhook[parquet].
"""
_COLOURS = {"block": "red", "stop": "red", "ask": "yellow", "defer": "yellow", "feedback": "yellow", "continue": "cyan"}
BROKEN = 1
_UNITS = (("ms", 1), ("s ", 1_000), ("h ", 3_600_000))
DAEMON_LINES = 2000
"""Lines of the daemon's log in which a report about the journal is looked for."""


@click.command("log", epilog=_EPILOG)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--follow", "-f", is_flag=True, help="Show new events as they come.")
@click.option("--stats", is_flag=True, help="Show what each hook did in all: how often it fired, and how long it took.")
@click.option("--verify", is_flag=True, help="Check that no row was removed, changed or moved.")
@click.option(
    "--export",
    "form",
    type=OneOf(["jsonl", "csv", "parquet"]),
    is_flag=False,
    flag_value="jsonl",
    metavar="[jsonl|csv|parquet]",
    help="Write the rows themselves, as JSON Lines, CSV or Parquet.",
)
@click.option("--output", "-o", type=click.Path(path_type=Path), help="The file for --export.  [default: stdout]")
@click.option("--lines", "-n", type=WholeNumber(0), default=50, help="How many events; 0: all.  [default: 50]")
@filter_options
@json_option
def command(
    follow: bool,
    stats: bool,
    verify: bool,
    form: str | None,
    output: Path | None,
    lines: int,
    as_json: bool,
    **options: Any,
) -> int | None:
    """Show the events that passed through anyhook: the hooks that ran, the effect, who decided and why.

    Shows the events of this project, or of the hooks in PATH and below it. The journal is in your state folder and on
    by default; see docs/journal.md.
    """
    modes = {"--follow": follow, "--stats": stats, "--verify": verify, "--export": form is not None}
    if len(chosen := [name for name, is_given in modes.items() if is_given]) > 1:
        raise UsageError(f"{chosen[0]} and {chosen[1]} exclude each other")
    if output is not None and form is None:
        raise UsageError("--output is the file of --export")

    folder, wanted = journal_folder(), make_filter(options)
    wanted_url = "" if verify else source_url(options)
    if form is not None:
        with open_rows(folder, wanted_url) as rows:
            _export(rows, wanted, shown_project(options), form, output)
        return None
    url = reachable_url(wanted_url)
    # Of a server that cannot be reached, the daemon has reported the same.
    reports = _daemon_reports() if url == wanted_url else ()
    for note in dict.fromkeys((*journal_notes(folder, wanted_url), *reports)):
        click.echo(f"anyhook: {printable(note)}", err=True)
    if verify:
        with open_journal(folder) as journal:
            return _verify(journal.rows_after(0), journal.head(), as_json)
    project = shown_project(options)
    open_source = partial(open_rows, folder, url)
    if stats:
        with open_source() as rows:
            show_stats(rows, wanted, project, options["path"] or Path(), as_json)
    else:
        _show(open_source, wanted, project, lines, follow, as_json)
    return None


def _show(
    open_source: Callable[[], AbstractContextManager[RowSource]],
    wanted: RowFilter,
    project: ShownProject,
    lines: int,
    follow: bool,
    as_json: bool,
) -> None:
    """Print the newest events, and with ``follow`` those that come."""
    show = _print_json_line if as_json else _Printer().show
    with open_source() as rows:
        follower = Follower(rows) if follow else None
        found = (row.event for row in wanted_rows(rows.newest_first(wanted.since), wanted))
        newest = islice(filter(project.shows, found), lines or None)
        shown = sorted(newest, key=lambda event: event.at)  # what was spooled is stored later
    for event in once_each(shown):
        show(event)
    if not shown and not follow and not as_json:
        is_empty = not project.has_left_out and not options_are_given(wanted)
        click.echo("The journal is empty." if is_empty else nothing_found_text(wanted, project))
    if not as_json:
        project.say_what_is_left_out()
    if follower is not None:
        known = {event.id for event in shown}
        _follow(open_source, follower, known, project.narrowed(wanted), show)


def _daemon_reports() -> list[str]:
    """What the daemon has reported about the journal since it started, if it could not write it last."""
    reports: dict[str, None] = {}
    for line in read_log(find_runtime_folder(os.environ).log, DAEMON_LINES):
        with suppress(ValueError):
            entry = msgspec.json.decode(line, type=dict[str, Any])
            if entry.get("what") == "started" or entry.get("why") in (RECOVERED, SENT_AGAIN):
                reports.clear()
            elif entry.get("what") == "journal":
                reports[str(entry.get("why"))] = None
    return list(reports)


def options_are_given(wanted: RowFilter) -> bool:
    return any(getattr(wanted, name) for name in wanted.__struct_fields__)


def _export(source: RowSource, wanted: RowFilter, project: ShownProject, form: str, output: Path | None) -> None:
    """Write rows of the journal as JSON Lines, CSV or Parquet."""
    found = (row.event for row in wanted_rows(source.rows_after(0), wanted) if not row.event.note)
    rows = _exported(filter(project.shows, found), wanted.recording)
    if output is None:
        if form == "parquet" and sys.stdout.isatty():
            raise UsageError("Parquet is not text; name a file: --output FILE")
        write_rows(rows, form, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    else:
        refuse_planted(output)
        try:
            with output.open("wb") as file:
                number = write_rows(rows, form, file)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"{output}: cannot be written: {why}; name another file: --output FILE") from None
        click.echo(f"{count(number, 'row')} in {Display(Path.home()).path(output)}")
    project.say_what_is_left_out()


def _exported(rows: Iterable[RecordedEvent], recording: str) -> Iterable[RecordedEvent]:
    """The rows as they are; those of a recording once each, in the order of their time and without this machine's
    folders: it is read elsewhere.
    """
    if not recording:
        return rows

    return map(RowRedactor().without_folders, recorded_rows(list(rows)))


def _verify(rows: Iterable[Any], head: Any, as_json: bool) -> int:

    findings = list(find_breaks(rows, (head.number, head.hash)))
    if as_json:
        print_json({"rows": head.number, "findings": findings})
    for finding in () if as_json else findings:
        click.echo(finding.text)
    if not as_json:
        click.echo(f"{count(len(findings), 'break')} in the chain" if findings else f"intact up to row {head.number}")
    return BROKEN if findings else 0


def _follow(
    open_source: Callable[[], AbstractContextManager[RowSource]],
    follower: Follower,
    shown: set[str],
    wanted: RowFilter,
    show: Callable[[RecordedEvent], None],
) -> None:
    """Show what is added, without the rows that were added before the journal was shown and after it was opened."""
    while True:
        sys.stdout.flush()
        time.sleep(FOLLOW_SECONDS)
        with open_source() as rows:
            new = follower.new_rows(rows)
        for row in wanted_rows(new, wanted):
            if row.event.id not in shown:
                show(row.event)


def _print_json_line(event: RecordedEvent) -> None:

    sys.stdout.buffer.write(escape_control_bytes(dump_json(event)) + b"\n")
    sys.stdout.buffer.flush()


class _Printer:
    """Prints events for people: on a terminal in columns of its width, in a pipe without cutting anything."""

    def __init__(self) -> None:
        self._day = ""
        self._has_colour = has_colour(sys.stdout)
        self._places = Display(Path.home())
        wide = sys.stdout.isatty() and shutil.get_terminal_size().columns >= 100
        self._widths = (14, 24, 24) if wide else (14, 16, 10)

    def show(self, event: RecordedEvent) -> None:

        at = datetime.fromisoformat(event.at).astimezone()
        if (day := f"{at:%Y-%m-%d}") != self._day:
            self._day = day
            self._say(self._styled(day, bold=True))
        if event.note:
            self._say(f"{at:%H:%M:%S} {self._styled(printable(event.note), dim=True)}")
            return
        parts = " ".join(map(_cut, (event.client, event.event, event.tool), self._widths))
        if not event.was_answered:
            self._say(f"{at:%H:%M:%S} {parts} {self._styled('recorded', dim=True)}")
            self._show_subject(event)
            self._show_cut(event)
            return
        effect = self._styled(event.effect.ljust(8), fg=_COLOURS.get(event.effect))
        ran = sum(hook.has_run for hook in event.hooks)
        hooks = count(ran, "hook") if ran == len(event.hooks) else f"{ran} of {len(event.hooks)}"
        simulation = self._styled(f"  simulated by anyhook {event.simulation}", dim=True) if event.simulation else ""
        self._say(f"{at:%H:%M:%S} {parts} {effect} {_milliseconds(event.ms)} {hooks}{simulation}".rstrip())
        self._show_subject(event)
        self._show_reasons(event)
        self._show_cut(event)

    def _show_subject(self, event: RecordedEvent) -> None:
        if event.subject:
            self._say(f"         {hanging(event.subject, 9)}")

    def _show_cut(self, event: RecordedEvent) -> None:
        if event.cut:
            self._line("", f"{count(event.cut, 'character')} left out, because the row would be too large")

    def _show_reasons(self, event: RecordedEvent) -> None:
        outcome = event.outcome
        if outcome is not None and (why := _why(outcome)):
            self._line(outcome.decided_by, why)
        for hook in event.hooks:
            if hook.status.startswith(("failed", "timed")):
                self._line(f"{hook.status}: {hook.hook}", hook.reason or hook.word)

    def _line(self, who: str, why: str) -> None:
        file, _, line = who.rpartition(":")
        if line.isdigit():
            who = self._places.place(file, int(line))
        said = f"{who}: {why.removeprefix(f'{who}: ')}" if who else why  # anyhook's own reasons name anyhook
        self._say(f"         {self._styled(hanging(said, 9), dim=True)}")

    def _say(self, line: str) -> None:
        click.echo(line, color=self._has_colour)

    def _styled(self, text: str, **style: Any) -> str:
        return click.style(text, **style) if self._has_colour else text


def _why(outcome: Happened) -> str:
    """The reason, and what becomes of the tool where the turn ends before it."""
    return ": ".join(filter(None, (fate_of_tool(outcome.effect, outcome.tool_runs), outcome.reason)))


def _cut(text: str, width: int) -> str:
    text = printable(text)
    return text.ljust(width) if len(text) <= width or not sys.stdout.isatty() else text[: width - 1] + "…"


def _milliseconds(ms: float) -> str:
    return next(f"{ms / size:5.0f} {unit}" for unit, size in _UNITS if ms / size < 99_999 or unit == "h ")
