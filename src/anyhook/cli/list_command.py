"""``anyhook list``: shows every hook of every client, in the order in which the client runs them."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import click

from anyhook.cli.options import (
    Display,
    clients_option,
    complete_event,
    count,
    home_option,
    json_option,
    make_roots,
    path_argument,
)
from anyhook.cli.render import Column, console, hanging, is_narrow, print_json, table
from anyhook.cli.rows import counted, hook_cells, hook_json
from anyhook.dialects import NAMES, profile
from anyhook.dialects.events import find_event, unknown_event_text
from anyhook.model.origin import Scope
from anyhook.model.problems import UsageError
from anyhook.project.hook import Place, ResolvedHook, readings_of, written_in
from anyhook.project.project import Project
from anyhook.sources.discover import places

_EPILOG = """\b
Examples:
  anyhook list                              this project, its sub-projects and your home folder
  anyhook list ~/src/shop --client codex    what Codex would load there
  anyhook list --event PreToolUse           hooks before tools, by any client's name for the event
  anyhook list --json | jq '.hooks[].file'

A client is shown when a hook file of its own exists. Other clients that read the same files are named below the table;
show them with --client.
"""


@click.command("list", epilog=_EPILOG)
@path_argument
@clients_option("Only these clients (repeatable).")
@click.option("--event", "-e", shell_complete=complete_event, help="Only this event, by any client's name for it.")
@home_option
@json_option
def command(path: Path, clients: tuple[str, ...], event: str | None, home: Path | None, as_json: bool) -> None:
    """Show every hook of every client below PATH and in the home folder.

    Shows event, matcher, timeout, scope, file and line of each hook, and its state: active, disabled by a setting,
    shadowed by another hook, never matching, or dropped by the client, with the reason.
    """
    project = Project(make_roots(path, home), clients)
    wanted = _wanted(event)
    hooks = [hook for hook in project.hooks if wanted is None or hook.event == wanted.get(hook.client)]
    if as_json:
        _print_json(project, hooks)
    elif hooks:
        _print_tables(project, hooks)
    else:
        _print_nothing_found(project, event)


def _wanted(event: str | None) -> dict[str, str] | None:
    """What each client means by the name of an event; None: all events are wanted."""
    if event is None:
        return None

    known = {name: found.name for name in NAMES if (found := find_event(event, name))}
    if not known:
        raise UsageError(unknown_event_text(event))
    return known


def _print_json(project: Project, hooks: list[ResolvedHook]) -> None:

    print_json(
        {
            "path": str(project.folder),
            "folders": project.survey.folders,
            "stopped_early": project.survey.stopped_early,
            "hooks": [hook_json(hook) for hook in hooks],
        }
    )


def _print_tables(project: Project, shown: list[ResolvedHook]) -> None:

    out, show = console(), Display(project.roots.home)
    columns = (
        Column("", "dim"),
        Column("EVENT", "cyan"),
        Column("MATCHER", flexible=True),
        Column("HOOK", flexible=True),
        Column("LIMIT"),
        Column("STATE", "bold"),
        Column("WHERE", "dim"),
    )
    places: set[Place] = set()
    for (name, base), group in groupby(shown, key=lambda hook: (hook.client, hook.base)):
        hooks = list(group)
        where = "" if base == project.folder else f" in {show.path(base)}"
        written = written_in(readings_of(hooks))
        places |= {hook.hook.place for hook in written}
        out.print(f"{profile(name).title}{where}: {counted(written)}", style="bold")
        if is_narrow():
            _print_stacked(hooks, show)
        else:
            table(columns, [hook_cells(hook, show) for hook in hooks])
            for note in (*_why_not_active(hooks, show), *_run_only_in_use(hooks)):
                out.print(hanging(f"  {note}", 4), style="yellow")
        out.print()
    if not project.chosen:
        _print_also_read(project, show)
    for line in project.unread:
        out.print(show.text(line), style="yellow")
    for problem in {(p.origin.file, p.code): p for p in project.problems if p.code.startswith("F")}.values():
        line = f"{problem.origin.file}:{problem.origin.line}: {problem.text}"
        if not any(told.startswith(line) for told in project.unread):
            out.print(f"{show.place(problem.origin.file, problem.origin.line)}: {problem.text}", style="yellow")
    files = {file for file, _ in places}
    wrong = ". What is wrong with them: anyhook check" if project.problems else ""
    out.print(f"{count(len(places), 'hook')} in {count(len(files), 'file')}{wrong}")
    if project.survey.stopped_early:
        text = f"Stopped after {project.survey.folders} folders; name a smaller folder to see the rest."
        out.print(text, style="red")


def _why_not_active(hooks: list[ResolvedHook], show: Display) -> list[str]:
    """Why hooks do not run, each reason once for all hooks of a file."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for hook in hooks:
        if hook.why:
            lines.setdefault((hook.file, hook.state, hook.why), []).append(f":{hook.line}" if hook.line else "")
    return [
        f"{show.path(file)}{', '.join(dict.fromkeys(places))}: {state}: {show.text(why)}"
        for (file, state, why), places in lines.items()
    ]


def _run_only_in_use(hooks: list[ResolvedHook]) -> list[str]:
    """A note on hooks of skills and agents, of which only those in use run theirs."""
    number = len({hook.file for hook in hooks if hook.scope is Scope.COMPONENT and hook.is_active})
    one, several = "of a skill or agent: its hooks run", "of skills or agents: each runs its hooks"
    return [f"{count(number, 'file')} {one if number == 1 else several} only while it is in use"] if number else []


def _print_stacked(hooks: list[ResolvedHook], show: Display) -> None:
    """Print hooks for a narrow terminal: one line of facts, with the command and the file below it."""
    out = console()
    for each in hooks:
        order, event, matcher, hook, limit, state, where = hook_cells(each, show)
        out.print(f"{order:>3}  ", style="dim", end="")
        out.print(f"{event}  ", style="cyan", end="")
        facts = hanging(f"{matcher}  {limit}  {state}".strip(), 5, 7 + len(event))
        out.print(facts, style="" if each.is_active else "yellow")
        out.print(f"     {hanging(hook, 5)}")
        out.print(f"     {hanging(where, 5)}", style="dim")
        if each.why:
            out.print(f"     {hanging(show.text(each.why), 5)}", style="yellow")


def _print_also_read(project: Project, show: Display) -> None:
    """Name the clients that read another client's file."""
    readers: dict[str, list[str]] = {}
    for client in project.readers:
        for file in client.found:
            if file.source.shared and client.has_rules:
                readers.setdefault(show.path(file.path), []).append(client.title)
    for path, titles in readers.items():
        unique = list(dict.fromkeys(titles))
        console().print(f"{path} is also read by {', '.join(unique)}.", style="dim")


def _print_nothing_found(project: Project, event: str | None) -> None:

    out, show = console(), Display(project.roots.home)
    what = f"No hooks for {event}" if event else "No hooks"
    out.print(
        f"{what} found in {show.path(project.folder)} ({count(project.survey.folders, 'folder')} searched) "
        f"and {show.path(project.roots.home)}.",
        style="bold",
    )
    for problem in project.problems:
        out.print(f"  {show.place(problem.origin.file, problem.origin.line)}: {problem.text}", style="yellow")
    if not project.chosen:
        text = (
            f"Searched for the hook files of {count(len(NAMES), 'client')}; those of one: anyhook list --client CLIENT"
        )
        out.print(text)
        return
    out.print("Searched for:")
    for name in project.chosen:
        patterns = list(dict.fromkeys(places(name, project.roots)))
        if patterns:
            out.print(f"  {profile(name).title}: {', '.join(patterns)}")
