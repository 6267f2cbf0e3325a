"""``anyhook guards``: the guards that come with anyhook, their settings, and which the project has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.guards_file import GuardName, GuardsFile, guarded_roots
from anyhook.cli.options import json_option

if TYPE_CHECKING:
    from anyhook.guards.catalogue import GuardInfo

_EPILOG = """\b
Examples:
  anyhook guards                 all guards, and which of them this project has
  anyhook guards shell           what one does, its settings, and what it cannot see
  anyhook add shell              add one to the project
"""


@click.command("guards", epilog=_EPILOG)
@click.argument("name", type=GuardName(), required=False)
@click.option("--project", "path", type=click.Path(path_type=Path), default=".", help="The folder of the project.")
@json_option
def command(name: str | None, path: Path, as_json: bool) -> None:
    """Show the guards that come with anyhook, or the settings of one."""
    from anyhook.cli.render import print_json
    from anyhook.guards.catalogue import GUARDS
    from anyhook.sources.editing.guard_tables import guards_in

    project = guarded_roots(path).project
    file = GuardsFile(project)
    used = guards_in(file.read(), str(file.path))
    if as_json:
        shown = [GUARDS[name]] if name else GUARDS.values()
        print_json([_plain(guard, used, project) for guard in shown])
    elif name:
        _print_one(GUARDS[name], used, project)
    else:
        _print_all(used)


def _state(name: str, used: Mapping[str, Any]) -> str:
    """What the project has: the guard's level, or nothing."""
    from anyhook.guards.catalogue import GUARDS

    if name not in used:
        return "not added"
    table = used[name]
    level = table.get("level") if isinstance(table, dict) else None
    usual = next((option.usual for option in GUARDS[name].options if option.name == "level"), "on")
    return level if isinstance(level, str) else str(usual)


def _plain(guard: GuardInfo, used: Mapping[str, Any], project: Path) -> dict[str, Any]:
    from anyhook.guards.catalogue import detected_commands

    return {
        "name": guard.name,
        "does": guard.does,
        "state": _state(guard.name, used),
        "events": [{"event": asked.event, "kinds": asked.kinds} for asked in guard.events],
        "settings": [{"name": option.name, "takes": option.takes, "help": option.help} for option in guard.options],
        "cannot_see": guard.cannot_see,
        "detected": detected_commands(guard.name, project),
    }


def _print_all(used: Mapping[str, Any]) -> None:
    from anyhook.cli.render import Column, table
    from anyhook.guards.catalogue import GUARDS

    rows = [[guard.name, _state(guard.name, used), guard.does] for guard in GUARDS.values()]
    table([Column("guard", "cyan"), Column("here"), Column("what it does", flexible=True)], rows)


def _print_one(guard: GuardInfo, used: Mapping[str, Any], project: Path) -> None:
    from anyhook.cli.render import Column, hanging, table
    from anyhook.guards.catalogue import detected_commands

    click.echo(hanging(f"{guard.name}: {guard.does}", 2, 0))
    for asked in guard.events:
        kinds = f" of tools of the kind {', '.join(asked.kinds)}" if asked.kinds else ""
        click.echo(f"  asked on {asked.event}{kinds}")
    click.echo(f"  {hanging(f'cannot see {guard.cannot_see}', 4, 2)}")
    for found in detected_commands(guard.name, project):
        click.echo(f"  {hanging(f'found: {found}', 4, 2)}")
    click.echo(f"  in this project: {_state(guard.name, used)}\n")
    rows = [
        [option.name, option.takes, "" if option.usual is None else str(option.usual), _help(option.help, option.names)]
        for option in guard.options
    ]
    table([Column("setting", "cyan"), Column("takes"), Column("default"), Column("meaning", flexible=True)], rows)


def _help(text: str, names: tuple[str, ...]) -> str:
    return f"{text}: {', '.join(names)}" if names else text
