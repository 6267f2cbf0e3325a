"""Runs the cases of a package against each mutant of its hooks, in a copy of the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from anyhook.model.problems import UsageError
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import Suite
from anyhook.testing.mutation.mutant import Mutant
from anyhook.testing.mutation.mutants import mutants_of
from anyhook.testing.runner import CaseStatus, Runner
from anyhook.testing.sandbox import copy_package


class MutationScore(Struct, frozen=True):
    """How many changes the cases notice, and those that they do not."""

    mutants: tuple[Mutant, ...]
    survivors: tuple[Mutant, ...]

    @property
    def number(self) -> int:
        return len(self.mutants)

    @property
    def percent(self) -> float:
        """100 without any mutant."""
        return 100.0 if not self.number else 100.0 * (self.number - len(self.survivors)) / self.number


def play_mutants(suite: Suite, jobs: int | None, on_end: Callable[[int], None]) -> MutationScore:
    """The score of the cases of a package; ``on_end`` is called after each mutant with the number of all.

    Raises UsageError when a case fails without any change.
    """
    with Runner(suite) as runner:
        results = runner.run_all(suite.everything, jobs=jobs)
        failed = next((result for result in results if result.state is not CaseStatus.PASSED), None)
        if failed is not None:
            text = f"the case {failed.case.name} does not pass, so it cannot notice a change"
            raise UsageError(f"{text}; see: anyhook test")
        mutants = mutants_of(runner.hook_sets(results), suite.root)
    survivors = []
    for mutant in mutants:
        if not _is_noticed(suite.root, mutant, jobs):
            survivors.append(mutant)
        on_end(len(mutants))
    return MutationScore(mutants, tuple(survivors))


def _is_noticed(root: Path, mutant: Mutant, jobs: int | None) -> bool:
    with TemporaryDirectory(prefix="anyhook-mutant-") as folder:
        copy = Path(folder).resolve() / root.name
        copy_package(root, copy)
        (copy / mutant.file.relative_to(root)).write_text(mutant.text, encoding="utf-8")
        changed = read_suite(copy)
        with Runner(changed) as runner:
            results = runner.run_all(changed.everything, jobs=jobs, stop_on_failure=True)
    return any(result.state is not CaseStatus.PASSED for result in results)
