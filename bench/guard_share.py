"""What share of dangerous and of harmless commands the shell guard refuses, by family and by form.

The commands are those of ``tests/guards/shell``; further files with one ``{"command": ...}`` a line may be named, and
are taken as harmless. ``--missed`` lists what was judged wrongly. Exits with 1 below 97 % of the dangerous or above
0.5 % of the harmless commands.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from anyhook.guards.effects import command_line
from anyhook.guards.effects.where import Where
from anyhook.guards.families import judge

COMMANDS = Path(__file__).parents[1] / "tests/guards/shell"
LEAST_REFUSED, MOST_REFUSED = 0.97, 0.005
APP = Where(folder="/home/me/app", project="/home/me/app", home="/home/me")
"""A project with uncommitted work, in which there is no git: names decide."""

Row = dict[str, str]


def is_refused(line: str) -> bool:
    return bool(judge(command_line(line), APP))


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def print_table(rows: Sequence[Row], refused: Sequence[Row], down: str, across: str) -> None:
    """Refused and all commands of every pair of values, with sums."""
    all_of, refused_of = _count(rows, down, across), _count(refused, down, across)
    columns = [*sorted({row[across] for row in rows}), "all"]
    print(f"{down:<18}" + "".join(f"{column:>14}" for column in columns))
    for line in [*sorted({row[down] for row in rows}), "all"]:
        cells = [f"{refused_of[line, column]}/{all_of[line, column]}" for column in columns]
        print(f"{line:<18}" + "".join(f"{cell:>14}" for cell in cells))


def _count(rows: Iterable[Row], down: str, across: str) -> Counter[tuple[str, str]]:
    return Counter((line, column) for row in rows for line in (row[down], "all") for column in (row[across], "all"))


def share(part: Sequence[Row], whole: Sequence[Row]) -> float:
    return len(part) / len(whole)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harmless", nargs="*", type=Path, help="further files of harmless commands")
    parser.add_argument("--missed", action="store_true", help="list what was judged wrongly")
    wanted = parser.parse_args()
    dangerous = read_rows(COMMANDS / "dangerous.jsonl")
    refused = [row for row in dangerous if is_refused(row["command"])]
    print_table(dangerous, refused, "family", "form")
    is_bad = share(refused, dangerous) < LEAST_REFUSED
    print(f"\ndangerous: {len(refused)} of {len(dangerous)} refused, {share(refused, dangerous):.1%}")
    wrong = [row["command"] for row in dangerous if row not in refused]
    for path in (COMMANDS / "benign.jsonl", *wanted.harmless):
        harmless = read_rows(path)
        falsely = [row for row in harmless if is_refused(row["command"])]
        is_bad = is_bad or share(falsely, harmless) > MOST_REFUSED
        kinds = "".join(f"; {kind} {n}" for kind, n in Counter(row.get("kind", "") for row in falsely).items() if kind)
        print(
            f"harmless, {path.name}: {len(falsely)} of {len(harmless)} refused, {share(falsely, harmless):.1%}{kinds}"
        )
        wrong += [row["command"] for row in falsely]
    if wanted.missed:
        print("\nJudged wrongly:", *wrong, sep="\n  ")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
