"""``anyhook doctor``: finds why hooks do not fire on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anyhook.cli.options import Display, count, home_option, json_option, make_roots

if TYPE_CHECKING:
    from anyhook.doctor.findings import Diagnosis, ExaminedClient, ExaminedHook, HealthFinding

_EPILOG = """\b
Examples:
  anyhook doctor                   this project, and your own hooks
  anyhook doctor ~/src/shop        another project
  anyhook doctor --fix             repair what is safe to repair
  anyhook doctor --json | jq '.findings[].check'

\b
Exit status:
  0 no errors and no warnings, 1 at least one
"""
_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


@click.command("doctor", epilog=_EPILOG)
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--fix", is_flag=True, help="Repair what is safe: hook files, modes of scripts, the daemon.")
@home_option
@json_option
def command(path: Path, fix: bool, home: Path | None, as_json: bool) -> int:
    """Find what keeps the hooks of the project in PATH from working on this machine.

    Looks at the installed clients, the files their hooks come from, the programs that hooks start, what is deployed,
    trust and the daemon. No hook is run. Each finding has a remedy.
    """
    from anyhook.cli.render import print_json
    from anyhook.doctor.examine import examine

    roots = make_roots(path, home)
    show = Display(roots.home)
    diagnosis = examine(roots, os.environ)
    if fix:
        from anyhook.doctor.repairs import repair

        for done in repair(roots, diagnosis, os.environ):
            click.echo(f"Repaired: {done}", err=as_json)
        diagnosis = examine(roots, os.environ)
    if as_json:
        print_json(diagnosis)
    else:
        _print(diagnosis, show)
    return int(not diagnosis.is_healthy)


def _print(diagnosis: Diagnosis, show: Display) -> None:
    from anyhook.cli.render import console

    out = console()
    for client in diagnosis.clients:
        _print_client(client, show)
    if diagnosis.hooks:
        out.print()
        _print_hooks(diagnosis.hooks, show)
        out.print()
    if not diagnosis.clients:
        out.print("No client is installed or has hooks here.")
    daemon = diagnosis.daemon
    state = f"running (anyhook {daemon.version}, pid {daemon.pid})" if daemon.is_running else "not running"
    out.print(f"Daemon: {state}")
    if diagnosis.trust is not None:
        out.print(f"Trust: {diagnosis.trust}")
    out.print()
    for finding in diagnosis.findings:
        _print_finding(finding, show)
    out.print(_summary(diagnosis))


def _print_client(client: ExaminedClient, show: Display) -> None:
    from anyhook.cli.render import console, hanging

    out = console()
    release = f" {client.installed}" if client.installed else ""
    basis = f"measured in {client.measured}" if client.basis == "recorded" else f"known from documents ({client.basis})"
    installed = "" if client.installed else ", not on the PATH"
    out.print(f"{client.title}{release}", style="bold", end="")
    start = len(f"{client.title}{release}")
    out.print(hanging(f"  {basis}{installed}", 2, start), style="dim")
    if client.hooks:
        text = f"{count(client.hooks, 'hook')}, {client.active} active{_wait(client)}"
        out.print(f"  {hanging(text, 2)}")
    for file in client.files:
        out.print(f"  {hanging(show.path(file), 2)}", style="dim")


def _print_hooks(hooks: Sequence[ExaminedHook], show: Display) -> None:
    """Configured, loaded and fired are three facts about each hook."""
    from anyhook.cli.render import Column, hanging, is_narrow, table

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
            hook.client,
            hook.event,
            hook.hook,
            show.place(hook.file, hook.line),
            "yes" if hook.loaded == "active" else hook.loaded,
            (_minute(hook.last_fired) or "never") if hook.passes_anyhook else "-",
            hook.last_effect if hook.passes_anyhook else "",
        ]
        for hook in hooks
    ]
    if is_narrow():
        _print_stacked(rows)
    else:
        table(heads, rows)
    if not all(hook.passes_anyhook for hook in hooks):
        text = "-: the client runs the hook itself, and anyhook does not see it; anyhook prove does"
        click.echo(hanging(text, 3, 0))


def _print_stacked(rows: list[list[str]]) -> None:
    """Print hooks for a narrow terminal: below each client, every hook with one line of facts."""
    from itertools import groupby

    from anyhook.cli.render import console, hanging

    out = console()
    for client, hooks in groupby(rows, key=lambda row: row[0]):
        out.print(client, style="cyan")
        for _, event, hook, place, loaded, fired, effect in hooks:
            out.print(f"  {hanging(f'{event}  {hook}', 4, 2)}")
            facts = f"{place}  loaded: {loaded}  last fired: {fired} {effect}".rstrip()
            out.print(f"    {hanging(facts, 4)}", style="dim")


def _minute(at: str) -> str:
    from datetime import datetime

    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}" if at else ""


def _wait(client: ExaminedClient) -> str:
    if client.limit_ms == 0:
        return ""
    limit = "without a limit" if client.limit_ms is None else f"up to {client.limit_ms / 1000:g} s"
    return f"; a tool call can wait {limit} for them"


def _print_finding(finding: HealthFinding, show: Display) -> None:
    from anyhook.cli.render import console, hanging, printable

    out = console()
    out.print(f"{finding.severity:<8}", style=_STYLES[finding.severity], end="")
    out.print(finding.check, style="cyan", end="")
    out.print(f"  {printable(show.place(finding.file, finding.line))}" if finding.file else "", style="bold")
    out.print(f"        {hanging(show.text(finding.text), 8)}")
    out.print(f"        {hanging(show.text(finding.remedy), 8)}", style="dim")


def _summary(diagnosis: Diagnosis) -> str:
    from anyhook.model.codes import Severity

    hooks = sum(client.hooks for client in diagnosis.clients)
    seen = f"{count(hooks, 'hook')} in {count(len(diagnosis.clients), 'client')}"
    counts = [(sum(f.severity is severity for f in diagnosis.findings), severity) for severity in Severity]
    found = ", ".join(count(number, severity) for number, severity in counts if number)
    return f"{seen}: {found}." if found else f"{seen}: no problems found."
