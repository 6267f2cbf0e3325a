"""``anyhook doctor``: finds why hooks do not fire on this machine."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from anyhook.cli.options import (
    Display,
    clients_option,
    count,
    home_option,
    json_option,
    make_roots,
    path_argument,
)
from anyhook.cli.render import Column, console, hanging, is_narrow, print_json, print_problems, table
from anyhook.deploy.deployment import Deployed, find_deployed
from anyhook.doctor.clients import ExaminedClient
from anyhook.doctor.examine import Diagnosis, examine
from anyhook.doctor.repairs import repair
from anyhook.model.origin import Scope
from anyhook.model.wording import brief_line
from anyhook.project.hook import Reading
from anyhook.project.project import Project
from anyhook.record.store.query import HookActivity
from anyhook.report.data import as_data
from anyhook.report.entries import counts_in_words, entries_of
from anyhook.sources.discover import Roots

_EPILOG = """\b
Examples:
  anyhook doctor                   this project, and your own hooks
  anyhook doctor ~/src/shop        another project
  anyhook doctor -c codex          what concerns Codex alone
  anyhook doctor --fix             repair what is safe to repair
  anyhook doctor --json | jq '.problems[].code'

\b
Exit status:
  0 no errors and no warnings, 1 at least one
"""


@click.command("doctor", epilog=_EPILOG)
@path_argument
@clients_option("Only these clients (repeatable).")
@click.option("--fix", is_flag=True, help="Repair what is safe: hook files, modes of scripts, the daemon.")
@home_option
@json_option
def command(path: Path, clients: tuple[str, ...], fix: bool, home: Path | None, as_json: bool) -> int:
    """Find what keeps the hooks of the project in PATH from working on this machine.

    Shows the installed clients, the files their hooks come from, where hooks are deployed, and when each last fired.
    Looks at the programs that hooks start, trust and the daemon. No hook is run. Each problem has a remedy.
    """
    project = _project(make_roots(path, home))
    roots, show = project.roots, Display(project.roots.home)
    diagnosis = examine(project, os.environ).about(clients)
    if fix:
        for done in repair(roots, diagnosis, os.environ):
            click.echo(f"Repaired: {done}", err=as_json)
        diagnosis = examine(Project(roots), os.environ).about(clients)
    if as_json:
        print_json(_plain(diagnosis))
    else:
        _print(diagnosis, show, chosen=bool(clients))
    return int(not diagnosis.is_healthy)


def _project(roots: Roots) -> Project:
    """The project of a folder; if nothing is deployed there, that of the package above it."""
    project = Project(roots)
    is_deployed_here = any(item.scope is Scope.PROJECT for item in find_deployed(project))
    return project if is_deployed_here else project.around()


def _print(diagnosis: Diagnosis, show: Display, *, chosen: bool) -> None:

    out = console()
    for client in diagnosis.clients:
        _print_client(client, [item for item in diagnosis.deployed if item.client == client.name], show)
    if diagnosis.hooks:
        out.print()
        _print_hooks(diagnosis, show)
        out.print()
    if not diagnosis.clients:
        out.print(f"No {'such ' if chosen else ''}client is installed or has hooks here.")
    daemon = diagnosis.daemon
    state = f"running (anyhook {daemon.version}, pid {daemon.pid})" if daemon.is_running else "not running"
    out.print(f"Daemon: {state}")
    if diagnosis.trust:
        out.print(f"Trust: {diagnosis.trust}")
    out.print()
    found = counts_in_words(print_problems(diagnosis.problems, show)) or "no problems found"
    where = f" in {count(len(diagnosis.clients), 'client')}" if diagnosis.clients else ""
    out.print(f"{count(diagnosis.written, 'hook')}{where}: {found}.")


def _print_client(client: ExaminedClient, deployed: list[Deployed], show: Display) -> None:

    out = console()
    release = f" {client.installed}" if client.installed else ""
    basis = f"measured in {client.measured}" if client.basis == "recorded" else f"{client.basis}, not measured"
    installed = "" if client.installed else ", not on the PATH"
    out.print(f"{client.title}{release}", style="bold", end="")
    start = len(f"{client.title}{release}")
    out.print(hanging(f"  {basis}{installed}", 2, start), style="dim")
    if client.hooks:
        text = f"{count(client.hooks, 'hook')}, {client.active} active{_wait(client)}"
        out.print(f"  {hanging(text, 2)}")
    for file in dict.fromkeys((*client.files, *(str(item.path) for item in deployed))):
        out.print(f"  {hanging(show.path(file), 2)}", style="dim")
        for item in deployed:
            if str(item.path) == file:
                out.print(f"    {hanging(_deployed_text(item), 4)}")


def _deployed_text(item: Deployed) -> str:
    """What is deployed to a file, and whom it answers."""
    way = "entries of anyhook" if item.way == "bridge" else "converted hooks"
    state = "" if item.is_current else " (out of date)"
    also = f"; they also serve {', '.join(item.readers.served)}" if item.readers.served else ""
    return f"{way}{state} on {', '.join(item.events)}{also}"


def _print_hooks(diagnosis: Diagnosis, show: Display) -> None:
    """Configured, loaded and fired are three facts about each hook."""
    heads = (
        Column("CLIENT", "cyan"),
        Column("EVENT"),
        Column("HOOK", flexible=True),
        Column("CONFIGURED", "dim", flexible=True),
        Column("LOADED"),
        Column("LAST FIRED"),
        Column("EFFECT"),
    )
    rows = [
        [
            reading.client,
            reading.read.native_event,
            brief_line(reading.hook.name),
            show.place(reading.hook.file, reading.hook.line),
            "yes" if reading.loaded == "active" else reading.loaded,
            _last_fired(reading, run),
            run.last_effect if run else "",
        ]
        for reading in diagnosis.hooks
        for run in [diagnosis.activity.of(reading)]
    ]
    if is_narrow():
        _print_stacked(rows)
    else:
        table(heads, rows)
    if any(reading.is_run_by_client for reading in diagnosis.hooks):
        text = "-: the client runs the hook itself, and anyhook does not see it; anyhook prove does"
        click.echo(hanging(text, 3, 0))


def _print_stacked(rows: list[list[str]]) -> None:
    """Print hooks for a narrow terminal: below each client, every hook with one line of facts."""
    out = console()
    for client, hooks in groupby(rows, key=lambda row: row[0]):
        out.print(client, style="cyan")
        for _, event, hook, place, loaded, fired, effect in hooks:
            out.print(f"  {hanging(f'{event}  {hook}', 4, 2)}")
            facts = f"{place}  loaded: {loaded}  last fired: {fired} {effect}".rstrip()
            out.print(f"    {hanging(facts, 4)}", style="dim")


def _last_fired(reading: Reading, run: HookActivity | None) -> str:

    if run is not None:
        return f"{datetime.fromisoformat(run.last_at).astimezone():%Y-%m-%d %H:%M}"
    return "never" if reading.is_asked else "-" if reading.is_run_by_client else ""


def _wait(client: ExaminedClient) -> str:
    if client.limit_ms == 0:
        return ""
    limit = "without a limit" if client.limit_ms is None else f"up to {client.limit_ms / 1000:g} s"
    return f"; a tool call can wait {limit} for them"


def _plain(diagnosis: Diagnosis) -> dict[str, Any]:

    return {
        "clients": diagnosis.clients,
        "deployed": [_deployed_json(item) for item in diagnosis.deployed],
        "hooks": [_hook_json(reading, diagnosis.activity.of(reading)) for reading in diagnosis.hooks],
        **as_data(entries_of(diagnosis.problems)),
        "files": diagnosis.files,
        "written": diagnosis.written,
        "daemon": diagnosis.daemon,
        "trust": diagnosis.trust,
    }


def _deployed_json(item: Deployed) -> dict[str, Any]:
    return {
        "client": item.client,
        "scope": item.scope,
        "way": item.way,
        "file": str(item.path),
        "events": item.events,
        "serves": [item.client, *item.readers.served],
        "unrecognised": item.readers.unrecognised,
        "current": item.is_current,
    }


def _hook_json(reading: Reading, run: HookActivity | None) -> dict[str, Any]:
    hook = reading.hook
    return {
        "client": reading.client,
        "event": reading.read.native_event,
        "canonical": hook.event,
        "hook": hook.name,
        "file": hook.file,
        "line": hook.line,
        "pointer": hook.origin.pointer,
        "matcher": hook.matcher,
        "loaded": reading.loaded,
        "passes_anyhook": reading.is_asked,
        "last_fired": run.last_at if run else "",
        "last_effect": run.last_effect if run else "",
        "last_status": run.last_status if run else "",
        "p95_ms": run.p95_ms if run else 0.0,
    }
