"""``anyhook add``: puts ready-made guards into the project's ``anyhook.toml``."""

from __future__ import annotations

from pathlib import Path

import click

from anyhook.cli.guards_file import GuardName, GuardsFile, guarded_roots
from anyhook.cli.options import Display, OneOf
from anyhook.guards.options import LEVELS, levels_of
from anyhook.model.problems import UsageError
from anyhook.model.wording import join_or

_EPILOG = """\b
Examples:
  anyhook add shell                    refuse destructive commands
  anyhook add shell --level ask        let the user decide about them
  anyhook add shell --level off        keep its settings, but switch it off

A guard that the project already has keeps its settings; --level sets its level. Only the tables of these guards change:
comments and all other settings stay as they are. `anyhook guards` lists the guards and their settings.
"""


@click.command("add", epilog=_EPILOG)
@click.argument("names", metavar="NAME...", nargs=-1, required=True, type=GuardName())
@click.option("--level", type=OneOf((*LEVELS[::-1], "on")), help="What the guard does about a finding.")
@click.option("--project", "path", type=click.Path(path_type=Path), default=".", help="The folder of the project.")
def command(names: tuple[str, ...], level: str | None, path: Path) -> None:
    """Add guards to the project: hooks that come with anyhook, with nothing to write and nothing to install."""
    from anyhook.cli.render import printable
    from anyhook.guards.catalogue import GUARDS
    from anyhook.sources.editing.guard_tables import guards_in, with_guard

    roots = guarded_roots(path)
    file = GuardsFile(roots.project)
    text = file.read()
    for name in names:
        known = levels_of(GUARDS[name].options)
        if level is not None and level not in known:
            raise UsageError(f"the guard {name} has no level {level}; it has {join_or(known)}")
    done: list[str] = []
    for name in dict.fromkeys(names):
        had = guards_in(text, str(file.path)).get(name)
        changed = with_guard(text, name, level, str(file.path))
        if had is None:
            said = f"added [guards.{name}]"
        elif changed == text:
            said = f"[guards.{name}] is there already"
        else:
            said = f"the level of {name} is now {level}"
        done.append(f"{Display(roots.home).path(file.path)}: {said}")
        text = changed
    file.write(text)
    for line in (*done, *file.next_steps(roots)):
        click.echo(printable(line))
