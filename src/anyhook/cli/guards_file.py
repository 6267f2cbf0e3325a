"""The file with a project's guards, for the commands that change and show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from anyhook.cli.options import make_roots
from anyhook.deploy.deployment import find_deployed
from anyhook.dialects.clients import OWN
from anyhook.guards.catalogue import GUARDS
from anyhook.model.wording import did_you_mean
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import FileChange, apply, read_content
from anyhook.sources.load import FILE_NAME
from anyhook.sources.state import checkout_of


class GuardName(click.ParamType[str]):
    """One of the guards that come with anyhook."""

    name = "guard"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:

        if value in GUARDS:
            return value
        raise click.BadParameter(f"there is no guard {value!r}; {did_you_mean(value, GUARDS)}", ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:

        return [CompletionItem(name) for name in GUARDS if name.startswith(incomplete)]


def guarded_roots() -> Roots:
    """The folders for the package that this folder belongs to, which may be above it, in the same checkout."""
    project = Project(make_roots(Path(), None))
    around = project.around()
    return (around if around.folder.is_relative_to(checkout_of(project.folder)) else project).roots


class GuardsFile:
    """``anyhook.toml`` of a project."""

    def __init__(self, project: Path) -> None:

        self.path = project / FILE_NAME
        self._project = project
        self._before: bytes | None = None

    def read(self) -> str:
        """The text; empty: the file does not exist. Raises AnyhookError when it cannot be read."""
        self._before = read_content(self.path)
        return (self._before or b"").decode()

    def write(self, text: str) -> None:
        """Replace the file if the text is another; one that would be empty is removed."""
        after = text.encode() if text.strip() or self.path.is_symlink() else None
        apply(FileChange(path=self.path, before=self._before, after=after, project=self._project))

    def next_steps(self, roots: Roots) -> tuple[str, ...]:
        """What the user must do before the change counts."""
        project = Project(roots)
        package, deployed = project.packages.at(self._project), find_deployed(project)
        if (owner := package.owner()) is None:
            return ("The project has no hooks any more: anyhook undeploy",) if deployed else ()
        unasked = [each for each in package.of(owner).problems if each.origin.file == str(self.path)]
        if owner != OWN and unasked:
            return (f"{unasked[0].origin.file}: {unasked[0].text}", f"  {unasked[0].fix}")
        steps: dict[str, str] = {}
        if not deployed:
            steps["anyhook deploy --client claude-code"] = "let a client run the guards; anyhook clients lists all"
        elif late := [item.client for item in deployed if not item.is_current]:
            steps[f"anyhook deploy --client {','.join(dict.fromkeys(late))}"] = "its events have changed"
        if not TrustedProject(project).is_trusted:
            steps["anyhook trust"] = "review the hooks, and allow them to run"
        width = max(map(len, steps), default=0) + 3
        return ("Next:", *(f"  {step:<{width}}{text}" for step, text in steps.items())) if steps else ()
