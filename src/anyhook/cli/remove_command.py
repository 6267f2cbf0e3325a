"""``anyhook remove``: takes guards out of the project's ``anyhook.toml``."""

from __future__ import annotations

import click

from anyhook.cli.guards_file import GuardName, GuardsFile, guarded_roots
from anyhook.cli.options import Display, json_option
from anyhook.cli.render import print_json, printable
from anyhook.model.problems import UsageError
from anyhook.sources.editing.guard_tables import guards_in, without_guard

_EPILOG = """\b
Examples:
  anyhook remove shell
  anyhook add shell --level off     switches it off, and keeps its settings
"""


@click.command("remove", epilog=_EPILOG)
@click.argument("names", metavar="NAME...", nargs=-1, required=True, type=GuardName())
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Remove guards and their settings from the project in this folder. All else in the file stays as it is."""
    roots = guarded_roots()
    file = GuardsFile(roots.project)
    text = file.read()
    shown = Display(roots.home).path(file.path)
    missing = [name for name in names if name not in guards_in(text, str(file.path))]
    if missing:
        raise UsageError(f"{shown} has no guard {missing[0]}; anyhook add shows which it has")
    done = {name: f"removed [guards.{name}]" for name in names}
    for name in done:
        text = without_guard(text, name, str(file.path))
    file.write(text)
    if as_json:
        print_json({"file": str(file.path), "done": done})
        return
    for line in (*(f"{shown}: {said}" for said in done.values()), *file.next_steps(roots)):
        click.echo(printable(line))
