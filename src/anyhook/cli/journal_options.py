"""Which rows of the journal ``anyhook log`` shows, and of which project."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from msgspec import structs

from anyhook.cli.options import OneOf, clients_option, complete_event, existing_folder, make_roots
from anyhook.cli.render import printable
from anyhook.model.outcome import Effect
from anyhook.model.problems import UsageError
from anyhook.record.append import iso_time
from anyhook.record.recorded import RecordedEvent
from anyhook.record.store.query import Checkout, RowFilter, checkout_of

_Command = TypeVar("_Command", bound=Callable[..., Any])
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_AGE = re.compile(r"(\d{1,6})([smhdw])")


class Since(click.ParamType[str]):
    """An age such as 90s, 30m, 1h, 2d or 1w, or a date, or a date and time."""

    name = "age"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if age := _AGE.fullmatch(value):
            return iso_time(time.time() - int(age[1]) * _SECONDS[age[2]])
        from datetime import datetime

        try:
            return iso_time(datetime.fromisoformat(value).timestamp())
        except (ValueError, OverflowError):
            text = f"{value!r} is neither an age, such as 30m, 1h or 2d, nor a date, such as 2026-11-16"
            raise click.BadParameter(text, ctx, param) from None


def filter_options(command: _Command) -> _Command:
    """Options for every part of a :class:`RowFilter`."""
    for option in (
        click.option("--local", is_flag=True, help="Read the journal of this machine, not the one in PostgreSQL."),
        click.option("--all-projects", is_flag=True, help="Show events of all projects, not of this one alone."),
        click.option("--since", type=Since(), help="Only events since this age or time: 30m, 1h, 2d."),
        click.option("--hook", default="", help="Only events of this hook: a part of its name, command or file."),
        clients_option("Only events of these clients (repeatable)."),
        click.option("--effect", type=OneOf([e.value for e in Effect]), help="Only events with this effect."),
        click.option(
            "--event",
            "-e",
            shell_complete=complete_event,
            default="",
            help="Only this event, as the client or as anyhook calls it.",
        ),
        click.option("--recording", default="", help="Only events of this recording of anyhook record."),
        click.option("--session", "-s", default="", help="Only this session: its id, or the beginning of it."),
    ):
        command = option(command)
    return command


class ShownProject:
    """The project whose events are shown, and whether events of others were left out. Empty: those of all projects."""

    def __init__(self, folder: str = "") -> None:
        self.checkout = checkout_of(Path(folder), os.environ) if folder else Checkout()
        self._wanted = RowFilter(below=folder, repositories=self.checkout.names)
        self.has_left_out = False

    def shows(self, event: RecordedEvent) -> bool:
        """Whether an event is one of the project, or a note about the journal."""
        if event.note or self._wanted.matches(event):
            return True
        self.has_left_out = True
        return False

    def narrowed(self, wanted: RowFilter) -> RowFilter:
        own = self._wanted
        return structs.replace(wanted, below=own.below, repositories=own.repositories) if own.below else wanted

    def say_what_is_left_out(self) -> None:
        if self.has_left_out:
            click.echo("Events of other projects are not shown; see them with --all-projects.", err=True)


def shown_project(options: dict[str, Any]) -> ShownProject:
    """The project here, unless the options say which events they want: all, or those of a folder, session or recording.

    UsageError: they contradict each other.
    """
    from anyhook.sources.project import project_of

    if options["all_projects"] and options["path"]:
        raise UsageError("--all-projects and PATH exclude each other")
    if any(options[name] for name in ("all_projects", "path", "session", "recording")):
        return ShownProject()
    return ShownProject(project_of(make_roots(Path(), None)))


def nothing_found_text(wanted: RowFilter, project: ShownProject) -> str:
    """That no event matches, with the names that are like the one of an event that no client has."""
    from anyhook.dialects import NAMES
    from anyhook.dialects.events import find_event, unknown_event_text

    text = f"No such events {'of this project ' if project.has_left_out else ''}are in the journal"
    if wanted.event and not any(find_event(wanted.event, name) for name in NAMES):
        return f"{text}: {unknown_event_text(wanted.event)}"
    return f"{text}."


def source_url(options: dict[str, Any]) -> str:
    """The PostgreSQL database to read; empty: the journal here."""
    from anyhook.sources.settings import read_settings

    return "" if options["local"] else read_settings(None, os.environ).journal.url


def reachable_url(url: str) -> str:
    """The database to read, or none if it cannot be asked now: then the events of this machine are shown, which the
    user is told.
    """
    if not url:
        return ""
    from anyhook.record.store.postgres import why_unreachable

    if why := why_unreachable(url):
        click.echo(f"anyhook: {printable(why)}; only the events of this machine are shown", err=True)
    return "" if why else url


def make_filter(options: dict[str, Any]) -> RowFilter:
    """The filter of the options of a command."""
    path = options["path"]
    return RowFilter(
        session=options["session"],
        recording=options["recording"],
        event=options["event"],
        effect=options["effect"] or "",
        clients=options["clients"],
        hook=options["hook"],
        since=options["since"] or "",
        below=str(existing_folder(path)) if path else "",
    )
