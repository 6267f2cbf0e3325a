"""``anyhook remove``: takes guards out of the project's ``anyhook.toml``."""

from __future__ import annotations

from pathlib import Path

import click

from anyhook.cli.guards_file import GuardName, GuardsFile, guarded_roots
from anyhook.cli.options import Display
from anyhook.model.problems import UsageError

_EPILOG = """\b
Examples:
  anyhook remove shell
  anyhook add shell --level off     switches it off, and keeps its settings
"""


@click.command("remove", epilog=_EPILOG)
@click.argument("names", metavar="NAME...", nargs=-1, required=True, type=GuardName())
@click.option("--project", "path", type=click.Path(path_type=Path), default=".", help="The folder of the project.")
def command(names: tuple[str, ...], path: Path) -> None:
    """Remove guards from the project, with their settings. Everything else in the file stays as it is."""
    from anyhook.cli.render import printable
    from anyhook.sources.editing.guard_tables import guards_in, without_guard

    roots = guarded_roots(path)
    file = GuardsFile(roots.project)
    text = file.read()
    shown = Display(roots.home).path(file.path)
    missing = [name for name in names if name not in guards_in(text, str(file.path))]
    if missing:
        raise UsageError(f"{shown} has no guard {missing[0]}; anyhook guards shows which it has")
    for name in dict.fromkeys(names):
        text = without_guard(text, name, str(file.path))
    file.write(text)
    for line in (*(f"{shown}: removed [guards.{name}]" for name in dict.fromkeys(names)), *file.next_steps(roots)):
        click.echo(printable(line))
