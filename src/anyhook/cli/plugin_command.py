"""``anyhook plugin``: makes a plugin or an extension of a package, for the client's own installation."""

from __future__ import annotations

from pathlib import Path

import click

from anyhook.cli.options import (
    Display,
    client_option,
    count,
    fail_option,
    json_option,
    make_roots,
    path_argument,
    source_option,
)
from anyhook.cli.render import console, hanging, print_json, print_problems, printable
from anyhook.deploy.deployment import hooks_to_deploy
from anyhook.deploy.plugin import Plugin, PluginFacts, make_plugin, name_for, plugin_form, write_plugin
from anyhook.dialects import profile
from anyhook.entries.command_entries import EntryOptions
from anyhook.entries.daemon_client import client_by_name
from anyhook.entries.fail_mode import fail_mode
from anyhook.model.problems import Problem
from anyhook.project.project import Project
from anyhook.report.data import problems_data
from anyhook.report.entries import errors_among
from anyhook.sources.editing.own_place import refuse_planted

_EPILOG = """\b
Examples:
  anyhook plugin --client claude-code -o ../shop-guards        a plugin of Claude Code, with a marketplace of its own
  anyhook plugin --client gemini-cli -o ../shop-guards-gemini  an extension of Gemini CLI
  anyhook plugin -c gemini-cli --source claude-code -o E       an extension with the hooks of .claude/settings.json

\b
Exit status:
  0 written, 1 a guard is lost (with --strict, nothing is written then), or a hook by a mistake in its file,
  2 could not write

No hook is run. Its users need anyhook, and trust the hooks in it with anyhook trust.
"""


@click.command("plugin", epilog=_EPILOG)
@path_argument
@client_option("The client that installs it.", required=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True, help="The folder to make.")
@source_option("Take this client's hooks.  [default: hooks/hooks.json]")
@click.option(
    "--include",
    "includes",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A file or folder of the package that hooks read; hooks/, scripts/ and the code they use are always included.",
)
@click.option("--name", help="The name that users install it by.  [default: that of the package's folder]")
@click.option("--version", default="1.0.0", show_default=True, help="Its version: clients update when it changes.")
@click.option("--description", help="One line for users who choose plugins.")
@click.option("--author", help="Who publishes it.  [default: its name]")
@fail_option
@click.option("--strict", is_flag=True, help="Write nothing when a guard would be lost.")
@click.option("--force", is_flag=True, help="Replace a plugin that this command has made.")
@json_option
def command(
    path: Path,
    client: str,
    output: Path,
    source: str | None,
    includes: tuple[Path, ...],
    name: str | None,
    version: str,
    description: str | None,
    author: str | None,
    fail: str,
    strict: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Turn the package in PATH into a plugin that the client can install.

    Its entries call anyhook exec, as those of anyhook deploy do; a copy of the package comes with it. Hooks
    that do more than restrict run only after the user has trusted that copy: installing a plugin is not enough.
    """
    plugin_form(client)  # before anything is read
    project = Project(make_roots(path, None)).around(source)
    hooks = hooks_to_deploy(project, source)
    name = name or name_for(project.folder)
    facts = PluginFacts(
        name=name,
        version=version,
        description=description or f"The hooks of {name}, run by anyhook",
        author=author or name,
    )
    entry = EntryOptions(client=client_by_name(), source=hooks.dialect if source else "", fail=fail_mode(fail))
    plugin = make_plugin(project, hooks, client, facts, entry, includes)
    errors = errors_among(hooks.problems)
    is_refused = strict and plugin.loses_a_guard
    folder = output.resolve()
    if not is_refused:
        refuse_planted(output)
        write_plugin(plugin, folder, replaces=force)
    if as_json:
        _print_json(plugin, errors, folder, is_refused=is_refused)
    else:
        _print(plugin, folder, project.roots.home, is_refused=is_refused)
        print_problems(errors, Display(project.roots.home))
    return int(bool(errors) or plugin.loses_a_guard)


def _print_json(plugin: Plugin, errors: list[Problem], folder: Path, *, is_refused: bool) -> None:

    print_json(
        {
            "client": plugin.client,
            "name": plugin.facts.name,
            "written": None if is_refused else str(folder),
            "files": sorted(plugin.files),
            "events": [rule.native_event for rule in plugin.rules],
            "problems": problems_data(errors),
            "losses": problems_data(plugin.losses),
            "left_out": plugin.left_out,
            "missing": plugin.missing,
            "validation": plugin.validation(folder),
            "steps": plugin.steps(folder),
        }
    )


def _print(plugin: Plugin, folder: Path, home: Path, *, is_refused: bool) -> None:

    out, show = console(), Display(home)
    out.print(printable(f"{profile(plugin.client).title} {plugin.form.noun} {plugin.facts.name}"), style="bold")
    written = "not written, because a guard would be lost" if is_refused else count(len(plugin.files), "file")
    out.print(f"  {hanging(f'{show.path(folder)}: {written}', 4)}")
    events = ", ".join(dict.fromkeys(rule.native_event for rule in plugin.rules))
    out.print(f"  {hanging(f'on {events}', 4)}")
    print_problems(plugin.losses, show, indent=2)
    for path in plugin.left_out:
        text = f"{path} is not in the package: the hooks need it where the {plugin.form.noun} is used"
        out.print(f"  warning   {hanging(text, 12)}", style="yellow")
    for path in plugin.missing:
        out.print(f"  warning   {hanging(f'{path} does not exist', 12)}", style="yellow")
    if not is_refused:
        out.print(f"  check     {hanging(plugin.validation(folder), 12)}")
        for step in plugin.steps(folder):
            out.print(f"  next      {hanging(step, 12)}")
