"""How many changes of the library's guards their tests notice: ``python -m tools.mutate_guards [GUARD...]``.

Every guard, or those named. ``--sample 40 --seed 1`` takes that many changes of each. Results are kept in
``build/mutation.jsonl``: a second run tries only what has not been noticed yet.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tools.mutation import secret_rows
from tools.mutation.command_lines import read_lines
from tools.mutation.operators import mutants_of_source
from tools.mutation.play import Quick, Task, failure_without_change, module_name, play, preload

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
RESULTS = ROOT / "build" / "mutation.jsonl"
EQUIVALENT = ROOT / "tests" / "guards" / "equivalent_mutants.jsonl"
"""Changes that no test can notice: module, change, and why."""
COMMANDS = ROOT / "tests" / "guards" / "shell"
GUARDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "shell": (
        ("shell_commands.py", "hook_function.py", "hook_files.py", "families.py", "effects"),
        ("shell/test_guard.py", "shell/test_hook_files.py", "test_call.py", "effects"),
    ),
    "files": (("files.py",), ("test_files.py", "shell/test_approval.py")),
    "secrets": (("secrets.py",), ("test_secrets.py",)),
    "network": (("network.py",), ("test_network.py",)),
    "format": (("formatting.py",), ("test_formatting.py",)),
    "context": (("session_context.py", "repository.py"), ("test_session_context.py", "test_repository.py")),
    "budget": (("session/budget.py", "session/memory.py"), ("session/test_budget.py",)),
    "notify": (("session/notify.py",), ("session/test_notify.py",)),
    "tests": (("session/checks.py",), ("session/test_checks.py",)),
    "rules": (
        ("rules.py", "rule_conditions.py", "command_patterns.py", "places.py", "session/previous.py"),
        ("test_rules.py", "test_places.py", "session/test_previous.py"),
    ),
    "secret patterns": (("secret_patterns.py",), ("test_secret_patterns.py",)),
    "options": (
        ("options.py", "catalogue.py", "never_matching.py"),
        ("test_options.py", "test_every_guard.py", "../sources/parsing/test_parse_guards.py"),
    ),
    "every guard": (
        ("call.py", "asked.py", "patterns.py", "wording.py"),
        (
            "test_call.py",
            "effects/test_effects_of.py",
            "test_files.py",
            "test_network.py",
            "test_secrets.py",
            "test_patterns.py",
        ),
    ),
    "redaction": (
        ("../record/secret_names.py", "../record/secret_values.py", "../record/redact.py"),
        ("../record/test_secret_forms.py", "../record/test_redact.py"),
    ),
}
"""The modules of a guard below src/anyhook/guards, and its tests below tests/guards."""


class Score(NamedTuple):
    guard: str
    number: int
    survivors: tuple[tuple[Task, str], ...]

    @property
    def percent(self) -> float:
        return 100.0 * (self.number - len(self.survivors)) / self.number if self.number else 100.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutate_guards", description=__doc__)
    parser.add_argument("guards", nargs="*", metavar="GUARD", help=f"one of {', '.join(GUARDS)}; all by default")
    parser.add_argument("--sample", type=int, help="try this many changes of each guard")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--threshold", type=float, default=95.0, help="fail below this score, in percent")
    parser.add_argument("--only", default="", help="only changes whose module or text contains this")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where results are kept")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    given = parser.parse_args(arguments)
    if given.fresh:
        given.results.unlink(missing_ok=True)
    preload()
    guards = given.guards or list(GUARDS)
    scores = []
    for guard in guards:
        score = _score(guard, given.sample, given.seed, given.jobs, given.only, given.results, _cheap_cases(guard))
        scores.append(score)
        for task, _ in score.survivors:
            print(f"survived {task.module}:{task.mutant.line}: {task.mutant.name}")
        print(f"{guard}: {score.number - len(score.survivors)} of {score.number} ({score.percent:.1f} %)", flush=True)
    return int(any(score.percent < given.threshold for score in scores))


def _cheap_cases(guard: str) -> Quick:
    if guard == "shell":
        return read_lines().notices
    return secret_rows.notices if guard == "secret patterns" else lambda *_: ""


def tasks_of(guard: str, *, with_excused: bool = False) -> Iterator[tuple[Task, ast.Module]]:
    """Every change of the modules of a guard, but those that are listed as equivalent."""
    modules, tests = GUARDS[guard]
    paths = tuple(str((ROOT / "tests" / "guards" / name).resolve()) for name in tests)
    excused = {(row["module"], row["change"]) for row in read_rows(EQUIVALENT) if not with_excused}
    for name in modules:
        place = (SOURCE / "anyhook" / "guards" / name).resolve()
        for path in sorted(place.rglob("*.py")) if place.is_dir() else (place,):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            module = module_name(path, SOURCE)
            for mutant in mutants_of_source(tree):
                if (module, mutant.name) not in excused:
                    yield Task(module, mutant, () if ".effects.programs." in module else paths), tree


def _score(guard: str, sample: int | None, seed: int, jobs: int, only: str, results: Path, quick: Quick) -> Score:
    tasks = [each for each in tasks_of(guard) if only in f"{each[0].module} {each[0].mutant.name}"]
    if sample is not None and sample < len(tasks):
        tasks = random.Random(seed).sample(tasks, sample)
    noticed = {(row["module"], row["change"]) for row in read_rows(results) if row["noticed_by"]}
    waiting = [each for each in tasks if (each[0].module, each[0].mutant.name) not in noticed]
    tests = next((task.tests for task, _ in tasks if task.tests), ())
    if waiting and tests and (failed := failure_without_change(tests)):  # without a path, pytest would run every test
        raise SystemExit(f"{guard}: {failed} fails without any change")
    survivors = []
    results.parent.mkdir(exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        for number, (task, killer) in enumerate(play(waiting, jobs, quick), 1):
            if not killer:
                survivors.append((task, killer))
            row = {"module": task.module, "change": task.mutant.name, "noticed_by": killer}
            file.write(json.dumps(row) + "\n")
            file.flush()
            if sys.stderr.isatty() or number % 50 == 0:
                end = "" if sys.stderr.isatty() else "\n"
                print(f"\r{guard}: {number} of {len(waiting)}", end=end, file=sys.stderr, flush=True)
    return Score(guard, len(tasks), tuple(survivors))


def read_rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
