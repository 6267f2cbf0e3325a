"""``anyhook`` alone: what hooks there are here, what is wrong, and what to do next."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from anyhook.cli.options import Display, count, make_roots
from anyhook.cli.render import SEVERITIES, console, hanging
from anyhook.doctor.examine import examine
from anyhook.doctor.machine import settings_problems
from anyhook.lint.lint import check_project
from anyhook.model.codes import GROUPS, Severity
from anyhook.project.project import Project
from anyhook.report.entries import Entry, entries_of
from anyhook.report.text import as_text

_MAX_PROBLEMS = 5


def print_overview() -> int:
    """Print what a new user wants to know first. No hook is run."""
    roots = make_roots(Path(), None)
    show, out = Display(roots.home), console()
    project = Project(roots)
    if not project.readers:
        out.print(f"No hooks found in {roots.project} and {show.path(roots.home)}.", style="bold")
        found = (*check_project(project).problems, *settings_problems(roots))
        _print_problems(entries_of(found), show)
        _print_next([("anyhook init", "write a first guard with test cases"), ("anyhook --help", "all commands")])
        return 0
    diagnosis = examine(project, os.environ)
    for line in _what_is_here(project, show):
        out.print(line)
    entries = entries_of(diagnosis.problems)
    _print_problems(entries, show)
    _print_next(list(_next_steps(entries)))
    return 0


def _print_problems(entries: Sequence[Entry], show: Display) -> None:
    """The worst, each with its first place; the doctor has the rest."""
    out = console()
    for entry in as_text(entries[:_MAX_PROBLEMS], show.place, show.text):
        where = f"{entry.places[0]}: " if entry.places else ""
        out.print(f"{entry.severity}: ", style=SEVERITIES[entry.severity], end="")
        out.print(hanging(f"{where}{entry.sentence}", 2, len(f"{entry.severity}: ")))
    left = len(entries) - _MAX_PROBLEMS
    if left > 0:
        out.print(f"and {left} more", style="dim")


def _what_is_here(project: Project, show: Display) -> Iterator[str]:
    for client in project.clients:
        files = dict.fromkeys(show.path(file.path) for file in client.files if file.rules or file.problems)
        yield f"{client.title}: {count(len(client.written), 'hook')} in {', '.join(files)}"
    if len(project.clients) > 1:
        yield f"{count(len(project.written), 'hook')} in all"


def _next_steps(entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:

    codes = {entry.code for entry in entries}
    if in_files := sum(GROUPS[entry.code[0]].command == "check" for entry in entries):
        yield "anyhook check", f"{count(in_files, 'problem')} in hook files"
    if number := len(entries):
        yield "anyhook doctor", f"{count(number, 'problem')}, {'each ' if number > 1 else ''}with its remedy"
    if "H005" in codes:
        yield (
            "anyhook deploy --client claude-code",
            "let a client run the hooks of this package; anyhook clients lists all",
        )
    if "H003" in codes:
        yield "anyhook trust", "review the hooks and allow them to run"
    if all(entry.severity is Severity.NOTE for entry in entries):
        yield "anyhook try 'rm -rf ~'", "is it blocked in each client here? This runs the hooks"
        yield "anyhook explain PreToolUse --tool Bash", "which hooks would run for a shell command"
        yield "anyhook prove", "see them fire in the real clients"
    yield "anyhook --help", "all commands"


def _print_next(steps: list[tuple[str, str]]) -> None:
    width = max(len(command) for command, _ in steps)
    click.echo("\nNext:")
    for command, what in steps:
        click.echo(f"  {command:<{width}}  {what}")
