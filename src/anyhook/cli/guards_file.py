"""The file with a project's guards, for the commands that change and show it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.options import make_roots, package_roots

if TYPE_CHECKING:
    from anyhook.sources.discover import Roots


class GuardName(click.ParamType[str]):
    """One of the guards that come with anyhook."""

    name = "guard"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from anyhook.guards.catalogue import GUARDS
        from anyhook.model.wording import did_you_mean

        if value in GUARDS:
            return value
        raise click.BadParameter(f"there is no guard {value!r}; {did_you_mean(value, GUARDS)}", ctx, param)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from anyhook.guards.catalogue import GUARDS

        return [CompletionItem(name) for name in GUARDS if name.startswith(incomplete)]


def guarded_roots(path: Path) -> Roots:
    """The folders for the package that a folder belongs to, which may be above it, in the same checkout."""
    from anyhook.sources.state import checkout_of

    roots = make_roots(path, None)
    above = package_roots(roots)
    return above if above.project.is_relative_to(checkout_of(roots.project)) else roots


class GuardsFile:
    """``anyhook.toml`` of a project."""

    def __init__(self, project: Path) -> None:
        from anyhook.sources.load import FILE_NAME

        self.path = project / FILE_NAME
        self._project = project
        self._before = ""

    def read(self) -> str:
        """The text; empty: the file does not exist. Raises AnyhookError when it cannot be read."""
        from anyhook.model.problems import AnyhookError, Problem
        from anyhook.sources.load import read_text

        text = read_text(self.path) if self.path.is_symlink() or self.path.exists() else ""
        if isinstance(text, Problem):
            raise AnyhookError(f"{self.path}: {text.text}\n{text.fix}")
        self._before = text
        return text

    def write(self, text: str) -> None:
        """Replace the file if the text is another; one that would be empty is removed."""
        from anyhook.deploy.write_file import refuse_read_only
        from anyhook.model.problems import AnyhookError
        from anyhook.sources.editing.replace_file import refuse_links, replace_file

        if text == self._before:
            return
        refuse_links(self._project, self.path)
        refuse_read_only(self.path, otherwise="")
        try:
            if text.strip():
                replace_file(self.path, text.encode())
            else:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            raise AnyhookError(f"{self.path}: cannot be written: {error.strerror or error}") from None

    def next_steps(self, roots: Roots) -> tuple[str, ...]:
        """What the user must do before the change counts."""
        from anyhook.bridge.project_trust import trust_of_project
        from anyhook.deploy.deployment import find_deployed
        from anyhook.dialects.clients import OWN
        from anyhook.sources.package_hooks import PackageHooks

        package = PackageHooks(self._project)
        if (owner := package.owner()) is None:
            return ("The project has no hooks any more: anyhook undeploy",) if find_deployed(roots) else ()
        unasked = [each for each in package.of(owner).problems if each.origin.file == str(self.path)]
        if owner != OWN and unasked:
            return (f"{unasked[0].origin.file}: {unasked[0].text}", f"  {unasked[0].fix}")
        deployed = find_deployed(roots)
        steps: dict[str, str] = {}
        if not deployed:
            steps["anyhook deploy --to claude-code"] = "let a client ask them; anyhook dialects lists all clients"
        elif late := [item.client for item in deployed if not item.is_current]:
            steps[f"anyhook deploy --to {','.join(dict.fromkeys(late))}"] = "its events have changed"
        if not trust_of_project(roots).is_trusted:
            steps["anyhook trust"] = "review the hooks, and allow them to run"
        width = max(map(len, steps), default=0) + 3
        return ("Next:", *(f"  {step:<{width}}{text}" for step, text in steps.items())) if steps else ()
