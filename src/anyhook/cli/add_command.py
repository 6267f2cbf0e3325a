"""``anyhook add``: puts ready-made guards into the project's ``anyhook.toml``, and shows which there are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from anyhook.cli.guards_file import GuardName, GuardsFile, guarded_roots
from anyhook.cli.options import Display, OneOf, json_option
from anyhook.cli.render import Column, hanging, print_json, printable, table
from anyhook.guards.catalogue import GUARDS, GuardInfo, detected_commands
from anyhook.guards.options import LEVELS, levels_of
from anyhook.model.problems import UsageError
from anyhook.model.wording import join_or
from anyhook.sources.editing.guard_tables import guards_in, with_guard

_EPILOG = """\b
Examples:
  anyhook add                          all guards, and which of them this project has
  anyhook add shell --show             what one does, its settings, and what it cannot see
  anyhook add shell                    refuse destructive commands
  anyhook add shell --level ask        let the user decide about them
  anyhook add shell --level off        keep its settings, but switch it off

A guard that the project already has keeps its settings; --level sets its level. Only the tables of these guards change:
comments and all other settings stay as they are.
"""


@click.command("add", epilog=_EPILOG)
@click.argument("names", metavar="[NAME]...", nargs=-1, type=GuardName())
@click.option("--level", type=OneOf((*LEVELS[::-1], "on")), help="What the guard does about a finding.")
@click.option("--show", is_flag=True, help="Only show the guards and their settings.")
@json_option
def command(names: tuple[str, ...], level: str | None, show: bool, as_json: bool) -> None:
    """Add guards to the project in this folder: hooks that come with anyhook, with nothing to write or to install.

    Without NAME, show the guards that there are, and which of them the project has.
    """
    if level is not None and (show or not names):
        raise UsageError("--level is for guards that are added; name them")
    roots = guarded_roots()
    file = GuardsFile(roots.project)
    text = file.read()
    if show or not names:
        _show([GUARDS[name] for name in names or GUARDS], guards_in(text, str(file.path)), roots.project, as_json)
        return
    for name in names:
        known = levels_of(GUARDS[name].options)
        if level is not None and level not in known:
            raise UsageError(f"the guard {name} has no level {level}; it has {join_or(known)}")
    done: dict[str, str] = {}
    for name in dict.fromkeys(names):
        had = guards_in(text, str(file.path)).get(name)
        changed = with_guard(text, name, level, str(file.path))
        if had is None:
            done[name] = f"added [guards.{name}]"
        elif changed == text:
            done[name] = f"[guards.{name}] is there already"
        else:
            done[name] = f"the level of {name} is now {level}"
        text = changed
    file.write(text)
    if as_json:
        print_json({"file": str(file.path), "done": done})
        return
    place = Display(roots.home).path(file.path)
    for line in (*(f"{place}: {said}" for said in done.values()), *file.next_steps(roots)):
        click.echo(printable(line))


def _show(guards: list[GuardInfo], used: Mapping[str, Any], project: Path, as_json: bool) -> None:

    if as_json:
        print_json([_plain(guard, used, project) for guard in guards])
    elif len(guards) == len(GUARDS):
        _print_all(guards, used)
    else:
        for guard in guards:
            _print_one(guard, used, project)


def _state(guard: GuardInfo, used: Mapping[str, Any]) -> str:
    """What the project has: the guard's level, or nothing."""
    if guard.name not in used:
        return "not added"
    table = used[guard.name]
    level = table.get("level") if isinstance(table, dict) else None
    usual = next((option.usual for option in guard.options if option.name == "level"), "on")
    return level if isinstance(level, str) else str(usual)


def _plain(guard: GuardInfo, used: Mapping[str, Any], project: Path) -> dict[str, Any]:

    return {
        "name": guard.name,
        "does": guard.does,
        "state": _state(guard, used),
        "events": [{"event": asked.event, "kinds": asked.kinds} for asked in guard.events],
        "settings": [{"name": option.name, "takes": option.takes, "help": option.help} for option in guard.options],
        "cannot_see": guard.cannot_see,
        "detected": detected_commands(guard.name, project),
    }


def _print_all(guards: list[GuardInfo], used: Mapping[str, Any]) -> None:

    rows = [[guard.name, _state(guard, used), guard.does] for guard in guards]
    table([Column("guard", "cyan"), Column("here"), Column("what it does", flexible=True)], rows)


def _print_one(guard: GuardInfo, used: Mapping[str, Any], project: Path) -> None:

    click.echo(hanging(f"{guard.name}: {guard.does}", 2, 0))
    for asked in guard.events:
        kinds = f" of tools of the kind {', '.join(asked.kinds)}" if asked.kinds else ""
        click.echo(f"  asked on {asked.event}{kinds}")
    click.echo(f"  {hanging(f'cannot see {guard.cannot_see}', 4, 2)}")
    for found in detected_commands(guard.name, project):
        click.echo(f"  {hanging(f'found: {found}', 4, 2)}")
    click.echo(f"  in this project: {_state(guard, used)}\n")
    rows = [
        [option.name, option.takes, "" if option.usual is None else str(option.usual), _help(option.help, option.names)]
        for option in guard.options
    ]
    table([Column("setting", "cyan"), Column("takes"), Column("default"), Column("meaning", flexible=True)], rows)


def _help(text: str, names: tuple[str, ...]) -> str:
    return f"{text}: {', '.join(names)}" if names else text
