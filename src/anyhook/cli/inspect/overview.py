"""``anyhook`` alone: what hooks there are here, what is wrong, and what to do next."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anyhook.cli.options import Display, count, make_roots

if TYPE_CHECKING:
    from anyhook.doctor.findings import Diagnosis, HealthFinding
    from anyhook.sources.inventory import Inventory

_MAX_FINDINGS = 5


def print_overview() -> int:
    """Print what a new user wants to know first. No hook is run."""
    from anyhook.cli.render import console
    from anyhook.doctor.examine import examine, hooks_here
    from anyhook.doctor.hook_files import findings_in_files
    from anyhook.doctor.machine import settings_findings

    roots = make_roots(Path(), None)
    show, out = Display(roots.home), console()
    inventory = hooks_here(roots)
    if not any(client.hooks.rules or client.hooks.problems for client in inventory.clients):
        out.print(f"No hooks found in {roots.project} and {show.path(roots.home)}.", style="bold")
        _print_findings((*findings_in_files(roots, inventory.clients, {}), *settings_findings(roots)), show)
        _print_next([("anyhook init", "write a first guard with test cases"), ("anyhook --help", "all commands")])
        return 0
    diagnosis = examine(roots, os.environ, inventory)
    for line in _what_is_here(inventory, show):
        out.print(line)
    _print_findings(diagnosis.findings, show)
    _print_next(list(_next_steps(diagnosis)))
    return 0


def _print_findings(findings: Sequence[HealthFinding], show: Display) -> None:
    from anyhook.cli.render import console, hanging

    out = console()
    for finding in findings[:_MAX_FINDINGS]:
        where = f"{show.place(finding.file, finding.line)}: " if finding.file else ""
        style = {"error": "bold red", "warning": "yellow", "note": "dim"}[finding.severity]
        out.print(f"{finding.severity}: ", style=style, end="")
        out.print(hanging(f"{where}{show.text(finding.text)}", 2, len(f"{finding.severity}: ")))
    left = len(findings) - _MAX_FINDINGS
    if left > 0:
        out.print(f"and {left} more", style="dim")


def _what_is_here(inventory: Inventory, show: Display) -> Iterator[str]:
    from anyhook.dialects import profile

    for client in inventory.clients:
        if client.owns_a_file:
            files = dict.fromkeys(show.path(file.path) for file in client.hooks.files if file.rules or file.problems)
            number = sum(len(rule.actions) for rule in client.hooks.rules)
            yield f"{profile(client.dialect).title}: {count(number, 'hook')} in {', '.join(files)}"


def _next_steps(diagnosis: Diagnosis) -> Iterator[tuple[str, str]]:
    checks = {finding.check for finding in diagnosis.findings}
    if diagnosis.findings:
        number = len(diagnosis.findings)
        yield "anyhook doctor", f"{count(number, 'finding')}, {'each ' if number > 1 else ''}with its remedy"
    if "not-deployed" in checks:
        yield "anyhook deploy", "let clients run the hooks of this package"
    if "not-trusted" in checks:
        yield "anyhook trust", "review the hooks and allow them to run"
    if not diagnosis.findings:
        yield "anyhook explain PreToolUse --tool Bash", "which hooks would run for a shell command"
        yield "anyhook prove", "see them fire in the real clients"
    yield "anyhook --help", "all commands"


def _print_next(steps: list[tuple[str, str]]) -> None:
    width = max(len(command) for command, _ in steps)
    click.echo("\nNext:")
    for command, what in steps:
        click.echo(f"  {command:<{width}}  {what}")
