"""Prints what a conversion loses, and which hooks were lost before it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from anyhook.cli.options import Display
from anyhook.cli.render import console, hanging, printable
from anyhook.model.codes import Severity

if TYPE_CHECKING:
    from rich.console import Console

    from anyhook.model.hooks import HookSet
    from anyhook.model.losses import Loss
    from anyhook.model.problems import Problem

_WIDTH = 10
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def print_losses(out: Console, losses: Iterable[Loss], show: Display, *, indent: int = 0) -> None:
    """Print the worst first. A loss that several hooks share is printed once, with all its hooks."""
    losses = tuple(losses)
    margin, column = " " * indent, indent + _WIDTH
    for severity in Severity:
        for (what, why, remedy), same in _grouped(losses, severity).items():
            out.print(f"{margin}{severity:<{_WIDTH}}", style=_STYLES[severity], end="")
            out.print(hanging(f"{what}: {why}", column))
            for loss in same:
                place = f"{show.place(loss.origin.file, loss.origin.line)}: {loss.event} {loss.hook}"
                out.print(f"{'':{column}}{printable(place)}", style="dim")
            if remedy:
                out.print(f"{'':{column}}{hanging(remedy, column)}", style="green")


def errors_of(hooks: HookSet) -> list[Problem]:
    """The mistakes by which hooks of a package are lost in every client."""
    return [found for found in hooks.problems if found.severity is Severity.ERROR]


def print_errors(errors: Iterable[Problem], show: Display) -> None:
    """Say which hooks of the package no client can run, because of mistakes in its files."""
    for found in errors:
        remedy = "see: anyhook check" if found.origin.line else found.fix
        text = f"{show.place(found.origin.file, found.origin.line)}: {found.text}; {remedy}"
        console().print(f"error       {hanging(text, 12)}", style="red")


def _grouped(losses: tuple[Loss, ...], severity: Severity) -> dict[tuple[str, str, str], list[Loss]]:
    groups: dict[tuple[str, str, str], list[Loss]] = {}
    for loss in losses:
        if loss.severity is severity:
            groups.setdefault((loss.what, loss.why, loss.remedy), []).append(loss)
    return groups
