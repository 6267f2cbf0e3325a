"""Prints what a conversion loses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from anyhook.cli.options import Display
from anyhook.cli.render import hanging, printable
from anyhook.model.codes import Severity

if TYPE_CHECKING:
    from rich.console import Console

    from anyhook.model.losses import Loss

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


def _grouped(losses: tuple[Loss, ...], severity: Severity) -> dict[tuple[str, str, str], list[Loss]]:
    groups: dict[tuple[str, str, str], list[Loss]] = {}
    for loss in losses:
        if loss.severity is severity:
            groups.setdefault((loss.what, loss.why, loss.remedy), []).append(loss)
    return groups
