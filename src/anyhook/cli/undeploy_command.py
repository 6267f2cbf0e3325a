"""``anyhook undeploy``: removes everything that was deployed from the clients' files."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec import structs

from anyhook.cli.options import (
    Display,
    clients_option,
    json_option,
    make_roots,
    path_argument,
    scope_option,
)
from anyhook.cli.render import print_json, printable
from anyhook.deploy.deployment import plan_undeployment
from anyhook.deploy.install import apply
from anyhook.deploy.leftovers import remove_leftovers
from anyhook.dialects import NAMES
from anyhook.model.origin import Scope
from anyhook.model.problems import AnyhookError
from anyhook.project.project import Project

_EPILOG = """\b
Examples:
  anyhook undeploy                  every client, in this project
  anyhook undeploy --client codex   only Codex
  anyhook undeploy --scope user     what was deployed for all your projects
"""


@click.command("undeploy", epilog=_EPILOG)
@path_argument
@clients_option("Only these clients (repeatable).")
@scope_option("Clean the files of the project or of the user.")
@click.option("--dry-run", is_flag=True, help="Only show which files would be changed.")
@json_option
def command(path: Path, clients: tuple[str, ...], scope: str, dry_run: bool, as_json: bool) -> None:
    """Remove the entries that anyhook deploy wrote from the files of all clients.

    A file that has not changed since is restored byte for byte; a file that deploy created is removed.
    """
    project = Project(make_roots(path, None))
    around = project.around()
    roots, scopes = project.roots, (Scope.USER if scope == "user" else Scope.PROJECT,)
    for place in () if dry_run else dict.fromkeys((project.folder, around.folder)):
        remove_leftovers(structs.replace(roots, project=place), scopes[0])
    plan = plan_undeployment(project, clients or NAMES, scopes)
    if not plan.changes and not plan.refusals:
        plan = plan_undeployment(around, clients or NAMES, scopes)
    changes = plan.changes if dry_run else tuple(apply(change) for change in plan.changes)
    if as_json:
        files = [{"path": str(change.file.path), "removed": change.file.after is None} for change in changes]
        print_json({"files": files, "refusals": plan.refusals})
    else:
        show = Display(roots.home)
        for change in changes:
            word = "removed" if change.file.after is None else "entries removed"
            click.echo(printable(f"{show.path(change.file.path)}: {'would be ' if dry_run else ''}{word}"))
        if not changes and not plan.refusals:
            click.echo("Nothing is deployed here.")
    if plan.refusals:
        raise AnyhookError("\n".join(plan.refusals))
