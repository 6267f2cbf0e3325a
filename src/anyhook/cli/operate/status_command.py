"""``anyhook status``: shows what is deployed, whether it is up to date, and whether it may run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.operate.deploy_command import unrecognised_text
from anyhook.cli.options import Display, json_option, make_roots, package_roots
from anyhook.model.problems import AnyhookError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyhook.deploy.deployment import Deployed
    from anyhook.record.recorded import RecordedEvent
    from anyhook.sources.discover import Roots

_EPILOG = """\b
Examples:
  anyhook status                   this project
  anyhook status ~/src/shop        another one
  anyhook status --json | jq '.deployed[] | select(.current | not)'

\b
Exit status:
  0 everything deployed is up to date and may run, 1 something is not, or a client's file cannot be read
"""


@click.command("status", epilog=_EPILOG)
@click.argument("path", type=click.Path(path_type=Path), default=".")
@json_option
def command(path: Path, as_json: bool) -> int:
    """Show where the hooks of the package in PATH are deployed, and whether they would run. No hook is run."""
    import shutil

    from anyhook.bridge.entries.daemon_client import client_by_name
    from anyhook.bridge.project_trust import trust_of_project
    from anyhook.cli.render import hanging, print_json
    from anyhook.deploy.deployment import find_deployed, unreadable_files
    from anyhook.model.origin import Scope

    roots = make_roots(path, None)
    deployed, unreadable = find_deployed(roots), unreadable_files(roots)
    if not unreadable and not any(item.scope is Scope.PROJECT for item in deployed):
        roots = package_roots(roots)
        deployed, unreadable = find_deployed(roots), unreadable_files(roots)
    trust = trust_of_project(roots)
    programs = {name: shutil.which(name) for name in ("anyhook", *client_by_name())}
    missing = [name for name, path in programs.items() if path is None]
    if as_json:
        fired = _last_fired(deployed, roots)
        rows = [_plain(item, fired.get(str(item.path))) for item in deployed]
        print_json({"deployed": rows, "unreadable": unreadable, "trust": trust.state, "programs": programs})
    else:
        if deployed:
            _print(deployed, roots)
        elif not unreadable:
            click.echo("Nothing is deployed here. See: anyhook deploy --help")
        for why in unreadable:
            place, _, remedy = why.partition("\n")
            click.echo(hanging(f"{place}, so what is deployed there is not known; {remedy}", 2, 0))
        if deployed and not trust.is_trusted:
            click.echo(hanging(f"{trust.reason[:1].upper()}{trust.reason[1:]}", 2, 0))
        for name in missing if deployed else ():
            text = f"{name} is not on the PATH; entries that do not find it answer by their fail mode."
            click.echo(hanging(text, 2, 0))
    is_fine = trust.is_trusted and not missing and all(item.is_current for item in deployed)
    return int(bool(unreadable) or (bool(deployed) and not is_fine))


def _last_fired(deployed: tuple[Deployed, ...], roots: Roots) -> Mapping[str, RecordedEvent]:
    """By file, the last event of the journal on which its entries ran a hook."""
    from anyhook.model.origin import Scope
    from anyhook.record.store.query import RowFilter, last_fired, open_journal, wanted_rows
    from anyhook.record.store.spool import journal_folder

    project = str(roots.project)
    wanted = {
        str(item.path): RowFilter(client=item.client, project=project if item.scope is Scope.PROJECT else "")
        for item in deployed
    }
    try:
        with open_journal(journal_folder()) as journal:
            return last_fired((row.event for row in wanted_rows(journal.newest_first(), RowFilter())), wanted)
    except AnyhookError:  # anyhook log says why
        return {}


def _plain(item: Deployed, fired: RecordedEvent | None) -> dict[str, Any]:
    return {
        "client": item.client,
        "scope": item.scope,
        "way": item.way,
        "file": str(item.path),
        "events": item.events,
        "serves": [item.client, *item.readers.served],
        "unrecognised": item.readers.unrecognised,
        "current": item.is_current,
        "last_fired": None if fired is None else fired.at,
        "last_effect": None if fired is None else fired.effect,
    }


def _print(deployed: tuple[Deployed, ...], roots: Roots) -> None:
    from anyhook.cli.render import Column, hanging, is_narrow, table

    show, fired = Display(roots.home), _last_fired(deployed, roots)
    heads = [Column("client", "cyan"), Column("way"), Column("state"), Column("last fired"), Column("file")]
    heads.append(Column("events", flexible=True))
    if any(item.readers.served for item in deployed):
        heads.append(Column("also serves", flexible=True))
    rows = [
        [
            item.client,
            item.way,
            "up to date" if item.is_current else "out of date",
            _when(fired.get(str(item.path))),
            show.path(item.path),
            ", ".join(item.events),
            *([", ".join(item.readers.served)] if len(heads) > 6 else []),
        ]
        for item in deployed
    ]
    if is_narrow():
        _print_stacked(rows)
    else:
        table(heads, rows)
    for item in deployed:
        for name in item.readers.unrecognised:
            click.echo(hanging(f"{show.path(item.path)}: {unrecognised_text(name, item.client)}", 2, 0))


def _print_stacked(rows: list[list[str]]) -> None:
    """Print what is deployed for a narrow terminal: one line of facts for each file, with its events below."""
    from anyhook.cli.render import console, hanging

    out = console()
    for client, way, state, fired, file, events, *served in rows:
        out.print(client, style="cyan", end="")
        out.print(f"  {hanging(f'{way}  {state}  last fired: {fired}', 2, len(client) + 2)}")
        out.print(f"  {hanging(file, 2)}", style="dim")
        out.print(f"  {hanging(events, 2)}")
        for names in filter(None, served):
            out.print(f"  {hanging(f'also serves {names}', 2)}")


def _when(fired: RecordedEvent | None) -> str:
    """When an entry last ran a hook, and the effect: ``11-16 18:01 block``."""
    if fired is None:
        return "never"
    from datetime import datetime

    return f"{datetime.fromisoformat(fired.at).astimezone():%m-%d %H:%M} {fired.effect}"
