"""Shows which changes of the hooks no case notices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from anyhook.cli.author.progress import Progress
from anyhook.cli.options import Display

if TYPE_CHECKING:
    from anyhook.testing.cases.cases import Suite


def show_mutants(suite: Suite, jobs: int | None, threshold: float | None) -> int:
    """Print the score of the cases; exit status 1: it is below the threshold."""
    from anyhook.cli.render import console, printable
    from anyhook.testing.mutation.play_mutants import play_mutants

    progress = Progress(0, "mutants")

    def advance(total: int) -> None:
        progress.total = total
        progress.advance()

    score = play_mutants(suite, jobs, advance)
    progress.clear()
    out, show = console(), Display(Path.home())
    for mutant in score.survivors:
        out.print("survived ", style="bold yellow", end="")
        out.print(printable(f"{show.place(str(mutant.file), mutant.line)}: {mutant.what}"))
        out.print(printable(f"         missing: {mutant.missing}"), style="dim")
    is_below = threshold is not None and score.percent < threshold
    noticed = f"{score.number - len(score.survivors)} of {score.number} mutants are noticed ({score.percent:.0f} %)"
    out.print(
        f"{noticed}{f', below {threshold:g} %' if is_below else ''}", style="bold red" if is_below else "bold green"
    )
    return int(is_below)
