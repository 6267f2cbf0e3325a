"""``anyhook undeploy``: takes everything that was deployed out of the clients' files."""

from __future__ import annotations

from pathlib import Path

import click

from anyhook.cli.options import ClientNames, Display, json_option, make_roots
from anyhook.model.problems import AnyhookError

_EPILOG = """\b
Examples:
  anyhook undeploy                  every client, in this project
  anyhook undeploy --to codex       only Codex
  anyhook undeploy --scope user     what was deployed for all projects
"""


@click.command("undeploy", epilog=_EPILOG)
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--to", "clients", type=ClientNames(), help="Only these clients, separated by commas.")
@click.option("--scope", type=click.Choice(["project", "user"]), default="project", help="Whose files to clean.")
@click.option("--dry-run", is_flag=True, help="Only show which files would be changed.")
@json_option
def command(path: Path, clients: tuple[str, ...] | None, scope: str, dry_run: bool, as_json: bool) -> None:
    """Take the entries that anyhook deploy wrote out of the files of all clients.

    A file that nobody else has changed since is given back byte for byte; one that was not there before is removed.
    """
    from anyhook.cli.render import print_json, printable
    from anyhook.deploy.deployment import plan_undeployment
    from anyhook.deploy.install import apply
    from anyhook.dialects import NAMES
    from anyhook.model.origin import Scope

    roots = make_roots(path, None)
    plan = plan_undeployment(clients or NAMES, roots, (Scope.USER if scope == "user" else Scope.PROJECT,))
    changes = plan.changes if dry_run else tuple(apply(change) for change in plan.changes)
    if as_json:
        files = [{"path": str(change.path), "removed": change.after is None} for change in changes]
        print_json({"files": files, "refusals": plan.refusals})
    else:
        show = Display(roots.home)
        for change in changes:
            word = "removed" if change.after is None else "entries taken out"
            click.echo(printable(f"{show.path(change.path)}: {'would be ' if dry_run else ''}{word}"))
        if not changes:
            click.echo("Nothing is deployed here.")
    if plan.refusals:
        raise AnyhookError("\n".join(plan.refusals))
