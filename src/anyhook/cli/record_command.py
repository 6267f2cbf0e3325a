"""``anyhook record``: records the events of a working agent, without secrets."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from anyhook.cli.options import Display, clients_option, count, json_option, make_roots, path_argument
from anyhook.cli.render import Column, print_json, table
from anyhook.deploy.install import EntryChange, Owner, apply, plan_install, plan_removal
from anyhook.deploy.target_files import clients_in_use, writable_clients
from anyhook.dialects import profile
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.model.wording import join_or
from anyhook.project.project import Project
from anyhook.record.entries import is_recorder, recording_rules, unrecorded_events
from anyhook.record.recordings import Recording, begin_recording, end_recordings, list_recordings, open_recording
from anyhook.record.store.open_recordings import marker_of, open_recordings
from anyhook.record.store.spool import VARIABLE, is_switched_off, journal_folder
from anyhook.sources.discover import Roots
from anyhook.sources.settings import read_settings

_EPILOG = """\b
Examples:
  anyhook record --client claude-code -- claude -p "fix the tests"     record one run of an agent
  anyhook record on                                                    record until switched off
  anyhook record off
  anyhook record list
Then:
  anyhook new case --recording      write test cases from what happened
  anyhook test --recording          compare with what today's hooks would do

Entries that record every event are added to the client's hook file in the project, and removed afterwards. They print
nothing and never stop an agent. Secrets are redacted before anything is written. A recording is a part of the journal
and stays as long as its rows do (anyhook log --recording NAME).
"""
_COMMAND_LINE = "anyhook.record.command_line"

_client_option = clients_option("The clients to record (repeatable).")
_name_option = click.option("--name", help="The name of the recording.  [default: date and time]")


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "".join(f"  anyhook record {line}\n" for line in lines)


class _WithCommandLine(click.Group):
    """A group that also takes a command line after ``--``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[_COMMAND_LINE] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not ctx.resilient_parsing:
            text = f"{args[0]!r} is none of {join_or(self.commands)}; a command to record comes after --"
            raise click.UsageError(f"{text}: anyhook record --client C -- {shlex.join(args)}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    "record",
    cls=_WithCommandLine,
    invoke_without_command=True,
    epilog=_EPILOG,
    subcommand_metavar="-- COMMAND... | on | off | list",
)
@_client_option
@_name_option
@click.pass_context
def command(context: click.Context, clients: tuple[str, ...], name: str | None) -> int | None:
    """Record the events that a client sends to hooks while an agent works in this folder, to test with them.

    With -- COMMAND, anyhook records while the command runs, and exits with its status.
    """
    line: tuple[str, ...] | None = context.meta.get(_COMMAND_LINE)
    if context.invoked_subcommand is not None:
        if line is not None or clients or name is not None:
            raise UsageError(f"write options after {context.invoked_subcommand}; it takes no --")
        return None
    if not line:
        raise UsageError("name a command after --, or on, off or list.\nTry 'anyhook record --help'.")
    if len(clients) != 1:
        raise UsageError("name one client to record while the command runs: --client C")
    return _record_run(make_roots(Path(), None), clients[0], name, line)


@command.command("on", epilog=_examples("on", "on --client codex --name monday"))
@path_argument
@_client_option
@_name_option
def switch_on(path: Path, clients: tuple[str, ...], name: str | None) -> None:
    """Record in the project in PATH until anyhook record off.

    By default, records every client that has a hook file of its own in the project.
    """
    roots = make_roots(path, None)
    chosen = clients or _clients_here(roots)
    _refuse_if_off()
    for client in chosen:
        _refuse_if_on(client, roots)
    recording = begin_recording(roots.project, chosen, name)
    done: list[str] = []
    try:
        for client in chosen:
            change = _install(client, roots, recording.name)
            done.append(client)
            _say_installed(client, change, roots)
    except AnyhookError:
        for client in done:
            _remove(client, roots)
        end_recordings(roots.project, chosen)
        raise
    click.echo(f"Recording {recording.name} until: anyhook record off")


@command.command("off", epilog=_examples("off", "off --client codex"))
@path_argument
@_client_option
def switch_off(path: Path, clients: tuple[str, ...]) -> None:
    """Remove the entries that record from the hook files of the project in PATH."""
    roots = make_roots(path, None)
    show = Display(roots.home)
    failures: list[AnyhookError] = []
    removed: list[str] = []
    chosen = clients or _recordable()
    for client in chosen:
        try:
            changes = _remove(client, roots)
        except AnyhookError as error:  # one unreadable file must not keep recording on in the others
            failures.append(error)
            continue
        for change in changes:
            removed.append(client)
            word = "removed" if change.file.after is None else "entries removed"
            click.echo(f"{show.path(change.file.path)}: {word}")
    names = end_recordings(roots.project, chosen)
    for name in names:
        _say_recorded(name)
    if failures:
        raise failures[0]
    if not names and not removed:
        click.echo("Recording was not on.")


@command.command("list", epilog=_examples("list", "list --json"))
@path_argument
@json_option
def list_sessions(path: Path, as_json: bool) -> None:
    """List the recordings of the project in PATH, the newest first."""
    roots = make_roots(path, None)
    opened = [one.name for one in open_recordings(journal_folder()) if one.project == str(roots.project)]
    known = list_recordings(roots.project)
    empty = [Recording(name) for name in opened if name not in {recording.name for recording in known}]
    rows: list[dict[str, Any]] = [
        {
            "name": recording.name,
            "from": recording.events[0].at if recording.events else None,
            "events": len(recording.events),
            "clients": recording.clients,
            "redacted": recording.redacted,
            "on": recording.name in opened,
        }
        for recording in (*empty, *known)
    ]
    if as_json:
        print_json({"project": str(roots.project), "recordings": rows})
        return
    if not rows:
        click.echo("There are no recordings here. Start one: anyhook record on")
        return
    heads = ("recording", "from", "events", "redacted", "clients", "state")
    table([Column(head, flexible=head == "clients") for head in heads], [_row(row) for row in rows])


def _row(row: dict[str, Any]) -> list[str]:
    when = (row["from"] or "").replace("T", " ")[:16]
    state = "on" if row["on"] else ""
    return [row["name"], when, str(row["events"]), str(row["redacted"]), ", ".join(row["clients"]), state]


# ------------------------------------------------------------------------------------------------------------ one run


def _record_run(roots: Roots, client: str, name: str | None, line: Sequence[str]) -> int:
    """Run a command while its client records. The entries are removed afterwards in any case."""
    program = shutil.which(line[0])
    if program is None:
        raise UsageError(f"{line[0]}: this command does not exist")
    _refuse_if_off()
    _refuse_if_on(client, roots)
    recording = begin_recording(roots.project, [client], name)
    with _signals_passed_on() as pass_on_to:
        try:
            change = _install(client, roots, recording.name)
            _say_installed(client, change, roots, err=True)  # stdout belongs to the command
            child = subprocess.Popen([program, *line[1:]])
            pass_on_to(child)
            status = _wait_for(child)
        finally:
            try:
                _remove(client, roots)
            finally:
                end_recordings(roots.project, [client])
    _say_recorded(recording.name, err=True)
    return status if status >= 0 else 128 - status


def _wait_for(child: subprocess.Popen[bytes]) -> int:
    """Wait in short pieces: a signal that arrives just before an endless wait begins would be handled only after it."""
    while True:
        try:
            return child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            continue


@contextmanager
def _signals_passed_on() -> Iterator[Callable[[subprocess.Popen[bytes]], None]]:
    """Pass signals that would end this process to the command, so that the entries are removed in any case.

    Ctrl-C is not passed on: the terminal sends it to both.
    """
    children: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _: object) -> None:
        early.append(number)
        for child in children:
            if number != signal.SIGINT:
                child.send_signal(number)

    def pass_on_to(child: subprocess.Popen[bytes]) -> None:
        children.append(child)
        for number in early:
            child.send_signal(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = [(number, signal.signal(number, pass_on)) for number in numbers]
    try:
        yield pass_on_to
    finally:
        for number, handler in before:
            signal.signal(number, handler)


# ------------------------------------------------------------------------------------------------------------ entries


def _owner() -> Owner:

    return Owner("record", is_recorder)


def _install(client: str, roots: Roots, name: str) -> EntryChange:

    rules = recording_rules(profile(client), marker_of(journal_folder(), name))
    return apply(plan_install(client, rules, roots, Scope.PROJECT, _owner()))


def _remove(client: str, roots: Roots) -> list[EntryChange]:

    return [apply(change) for change in _planned_removal(client, roots)]


def _planned_removal(client: str, roots: Roots) -> tuple[EntryChange, ...]:

    return plan_removal(client, roots, Scope.PROJECT, _owner())


def _refuse_if_off() -> None:
    """UsageError if the journal is switched off: a recording is a part of it."""
    if is_switched_off(os.environ):
        raise UsageError(f"the journal, which keeps recordings, is switched off; unset {VARIABLE}")
    if not read_settings(None, os.environ).journal.enabled:
        raise UsageError(
            "the journal, which keeps recordings, is switched off; "
            "set enabled = true under [journal] in your anyhook.toml"
        )


def _refuse_if_on(client: str, roots: Roots) -> None:

    is_on = any(
        client in one.clients and one.project == str(roots.project) for one in open_recordings(journal_folder())
    )
    if is_on or any(change.file.is_needed for change in _planned_removal(client, roots)):
        raise UsageError(f"{client} is already being recorded; to stop: anyhook record off")


def _recordable() -> tuple[str, ...]:

    return writable_clients(Scope.PROJECT)


def _clients_here(roots: Roots) -> tuple[str, ...]:

    names = clients_in_use(Project(roots), Scope.PROJECT)
    if not names:
        raise UsageError("no client has a hook file here; name the one to record: --client C")
    return names


# ----------------------------------------------------------------------------------------------------------- messages


def _say_installed(client: str, change: EntryChange, roots: Roots, *, err: bool = False) -> None:

    facts = profile(client)
    place = Display(roots.home).path(change.file.path)
    click.echo(f"{facts.title}: {count(len(change.added), 'event')} recorded by entries in {place}", err=err)
    for event, why in unrecorded_events(facts).items():
        click.echo(f"  not recorded: {event}: {why}", err=err)
    for hidden in change.hides:
        click.echo(f"  is ignored meanwhile: {Display(roots.home).path(hidden)}", err=err)
    for step in facts.setup:
        click.echo(f"  next: {step.replace('{project}', str(roots.project))}", err=err)


def _say_recorded(name: str, *, err: bool = False) -> None:

    try:
        recording = open_recording(Path(), name)
    except UsageError:
        click.echo("Nothing was recorded.", err=err)
        click.echo("  Check that this is the client that ran, and that it trusts the hooks of this project.", err=err)
        return
    redacted = f", {count(recording.redacted, 'value')} redacted" if recording.redacted else ""
    click.echo(f"{count(len(recording.events), 'event')} in recording {name}{redacted}", err=err)
    click.echo(f"  write test cases from them: anyhook new case --recording {name}", err=err)
    click.echo(f"  compare with today's hooks: anyhook test --recording {name}", err=err)
    click.echo(f"  keep or share it: anyhook log --export --recording {name} --output {name}.jsonl", err=err)
