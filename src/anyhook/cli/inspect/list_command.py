"""``anyhook list``: shows every hook of every client, in the order in which the client runs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anyhook.cli.options import Display, clients_option, complete_event, count, home_option, json_option, make_roots
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from anyhook.editor.hook_rows import HookRow
    from anyhook.sources.discover import Roots
    from anyhook.sources.inventory import Inventory

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
@click.argument("path", type=click.Path(path_type=Path), default=".")
@clients_option("--client", "-c", "clients", text="Only these clients (repeatable).")
@click.option("--event", "-e", shell_complete=complete_event, help="Only this event, by any client's name for it.")
@home_option
@json_option
def command(path: Path, clients: tuple[str, ...], event: str | None, home: Path | None, as_json: bool) -> None:
    """Show every hook of every client below PATH and in the home folder.

    Shows event, matcher, timeout, scope, file and line of each hook, and its state: active, disabled by a setting,
    shadowed by another hook, never matching, or dropped by the client, with the reason.
    """
    from anyhook.bridge.entries.one_entry import with_one_entry
    from anyhook.dialects import NAMES
    from anyhook.editor.hook_rows import hook_rows
    from anyhook.sources.inventory import take_inventory
    from anyhook.sources.load import Loader
    from anyhook.sources.package_hooks import find_hooks_above

    roots = make_roots(path, home)
    canonical = _canonical(event)
    found = take_inventory(roots, clients or NAMES, find_hooks_above(roots.project, None, Loader()))
    inventory = with_one_entry(found)
    shown = tuple(client for client in inventory.clients if clients or client.owns_a_file)
    rows = [row for row in hook_rows(shown) if canonical is None or row.event == canonical]
    if as_json:
        _print_json(roots, inventory, rows)
    elif rows:
        _print_tables(roots, inventory, rows, bool(clients))
    else:
        _print_nothing_found(roots, inventory, clients, event)


def _canonical(event: str | None) -> str | None:
    if event is None:
        return None
    from anyhook.dialects.events import find_event, unknown_event_text

    known = find_event(event)
    if known is None:
        raise UsageError(unknown_event_text(event))
    return known.name


def _print_json(roots: Roots, inventory: Inventory, rows: list[HookRow]) -> None:
    from anyhook.cli.render import print_json
    from anyhook.cli.rows import problem_json

    print_json(
        {
            "path": str(roots.project),
            "folders": inventory.folders,
            "stopped_early": inventory.stopped_early,
            "hooks": [row.to_json() for row in rows],
            "problems": [problem_json(p) for client in inventory.clients for p in client.hooks.problems],
        }
    )


def _print_tables(roots: Roots, inventory: Inventory, rows: list[HookRow], is_chosen: bool) -> None:
    from itertools import groupby

    from anyhook.cli.render import Column, console, hanging, is_narrow, table
    from anyhook.cli.rows import row_cells
    from anyhook.dialects import profile

    out, show = console(), Display(roots.home)
    columns = (
        Column("", "dim"),
        Column("EVENT", "cyan"),
        Column("MATCHER", flexible=True),
        Column("HOOK", flexible=True),
        Column("LIMIT"),
        Column("STATE", "bold"),
        Column("WHERE", "dim"),
    )
    for (name, base), group in groupby(rows, key=lambda row: (row.client, row.base)):
        hooks = list(group)
        where = "" if base == roots.project else f" in {show.path(base)}"
        active = sum(row.state == "active" for row in hooks)
        out.print(f"{profile(name).title}{where}: {count(len(hooks), 'hook')}, {active} active", style="bold")
        if is_narrow():
            _print_stacked(hooks, show)
        else:
            table(columns, [row_cells(row, show) for row in hooks])
            for note in _why_not_active(hooks, show):
                out.print(hanging(f"  {note}", 4), style="yellow")
        out.print()
    if not is_chosen:
        _print_also_read(inventory, show)
    known = [p for client in inventory.clients if is_chosen or client.owns_a_file for p in client.hooks.problems]
    known += inventory.wrong_kinds
    for problem in {(p.origin.file, p.code): p for p in known if p.code.startswith("F")}.values():
        out.print(f"{show.place(problem.origin.file, problem.origin.line)}: {problem.text}", style="yellow")
    if problems := len(known):
        out.print(f"{count(problems, 'problem')} in these files: anyhook check", style="yellow")
    if inventory.stopped_early:
        out.print(f"Stopped after {inventory.folders} folders; name a smaller folder to see the rest.", style="red")


def _why_not_active(hooks: list[HookRow], show: Display) -> list[str]:
    """Why hooks do not run, each reason once for all hooks of a file."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for row in hooks:
        if row.why:
            lines.setdefault((row.file, row.state, row.why), []).append(f":{row.line}" if row.line else "")
    return [
        f"{show.path(file)}{', '.join(dict.fromkeys(places))}: {state}: {show.text(why)}"
        for (file, state, why), places in lines.items()
    ]


def _print_stacked(hooks: list[HookRow], show: Display) -> None:
    """Print hooks for a narrow terminal: one line of facts, with the command and the file below it."""
    from anyhook.cli.render import console, hanging
    from anyhook.cli.rows import row_cells

    out = console()
    for row in hooks:
        order, event, matcher, hook, limit, state, where = row_cells(row, show)
        out.print(f"{order:>3}  ", style="dim", end="")
        out.print(f"{event}  ", style="cyan", end="")
        facts = hanging(f"{matcher}  {limit}  {state}".strip(), 5, 7 + len(event))
        out.print(facts, style="" if row.state == "active" else "yellow")
        out.print(f"     {hanging(hook, 5)}")
        out.print(f"     {hanging(where, 5)}", style="dim")
        if row.why:
            out.print(f"     {hanging(show.text(row.why), 5)}", style="yellow")


def _print_also_read(inventory: Inventory, show: Display) -> None:
    """Name the clients that read another client's file."""
    from anyhook.cli.render import console
    from anyhook.dialects import profile

    readers: dict[str, list[str]] = {}
    for client in inventory.clients:
        for file in client.found:
            if file.source.shared and client.hooks.rules:
                readers.setdefault(show.path(file.path), []).append(profile(client.dialect).title)
    for path, titles in readers.items():
        unique = list(dict.fromkeys(titles))
        console().print(f"{path} is also read by {', '.join(unique)}.", style="dim")


def _print_nothing_found(roots: Roots, inventory: Inventory, clients: tuple[str, ...], event: str | None) -> None:
    from anyhook.cli.render import console
    from anyhook.dialects import NAMES, profile
    from anyhook.sources.discover import places

    out, show = console(), Display(roots.home)
    what = f"No hooks for {event}" if event else "No hooks"
    out.print(
        f"{what} found in {show.path(roots.project)} ({count(inventory.folders, 'folder')} searched) "
        f"and {show.path(roots.home)}.",
        style="bold",
    )
    for problem in (*(p for client in inventory.clients for p in client.hooks.problems), *inventory.wrong_kinds):
        out.print(f"  {show.place(problem.origin.file, problem.origin.line)}: {problem.text}", style="yellow")
    out.print("Searched for:")
    for name in clients or NAMES:
        patterns = list(dict.fromkeys(places(name, roots)))
        if patterns:
            out.print(f"  {profile(name).title}: {', '.join(patterns)}")
