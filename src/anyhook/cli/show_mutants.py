"""Shows which changes of the hooks no case notices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anyhook.cli.options import Display
from anyhook.cli.progress import Progress
from anyhook.cli.render import console, hanging, print_json
from anyhook.testing.cases.cases import Suite
from anyhook.testing.mutation.mutant import Mutant
from anyhook.testing.mutation.play_mutants import MutationScore, play_mutants


def show_mutants(suite: Suite, jobs: int | None, threshold: float | None, *, as_json: bool = False) -> int:
    """Print the score of the cases; exit status 1: it is below the threshold."""
    progress = Progress(0, "mutants")

    def advance(total: int) -> None:
        progress.total = total
        progress.advance()

    score = play_mutants(suite, jobs, advance)
    progress.clear()
    is_below = threshold is not None and score.percent < threshold
    if as_json:
        print_json(_as_data(score, threshold))
    else:
        _print(score, threshold if is_below else None)
    return int(is_below)


def _as_data(score: MutationScore, threshold: float | None) -> dict[str, Any]:
    def place(mutant: Mutant) -> dict[str, Any]:
        return {"file": str(mutant.file), "line": mutant.line, "what": mutant.what}

    return {
        "score": round(score.percent, 1),
        "threshold": threshold,
        "mutants": [{**place(mutant), "noticed": mutant not in score.survivors} for mutant in score.mutants],
        "survivors": [{**place(mutant), "missing": mutant.missing} for mutant in score.survivors],
    }


def _print(score: MutationScore, missed: float | None) -> None:
    """``missed``: the threshold that is not reached; None: none."""
    out, show = console(), Display(Path.home())
    for mutant in score.survivors:
        out.print("survived ", style="bold yellow", end="")
        out.print(hanging(f"{show.place(str(mutant.file), mutant.line)}: {mutant.what}", 9))
        out.print(f"         {hanging(f'missing: {mutant.missing}', 9)}", style="dim")
    noticed = f"{score.number - len(score.survivors)} of {score.number} mutants are noticed ({score.percent:.0f} %)"
    below = "" if missed is None else f", below {missed:g} %"
    out.print(f"{noticed}{below}", style="bold red" if below else "bold green")
