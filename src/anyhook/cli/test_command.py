"""``anyhook test``: runs the test cases of hooks, without an agent or a model."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Never

import click

from anyhook.cli.matrix_command import show_surprises
from anyhook.cli.options import (
    ClientRelease,
    DecimalNumber,
    Display,
    WholeNumber,
    client_option,
    complete_event,
    count,
    json_option,
    path_argument,
)
from anyhook.cli.progress import Progress
from anyhook.cli.render import console, hanging, print_json, printable
from anyhook.cli.show_mutants import show_mutants
from anyhook.cli.show_replay import show_replay
from anyhook.model.problems import UsageError
from anyhook.model.wording import join_or
from anyhook.sources.discover import PRUNED
from anyhook.sources.editing.own_place import refuse_planted
from anyhook.testing.cases.case_files import CONFIG, find_package, read_suite
from anyhook.testing.cases.case_reports import as_data, as_junit, counts, location_of
from anyhook.testing.cases.cases import Suite
from anyhook.testing.cases.selection import AnyCase, select
from anyhook.testing.coverage import Coverage, measure
from anyhook.testing.expectations import show_value
from anyhook.testing.runner import CaseResult, CaseStatus, Runner

_EPILOG = """\b
Examples:
  anyhook test                                    every case of the package in this folder
  anyhook test --case guard-blocks                one case, by its name or its file
  anyhook test --event pre-tool-use -x            cases of one event; stop at the first failure
  anyhook test -k 'block and not stop' -v         by words; show everything that the hooks printed
  anyhook test --coverage                         also list what no case exercises
  anyhook test --matrix                           as every client; fails on differences that no case states
  anyhook test --mutate                           change the hooks; which changes does no case notice?
  anyhook test --mutate-threshold 90              the same in CI: fails below 90 %
  anyhook test --junit report.xml                 with a report for CI
  anyhook test --recording                        today's hooks on the newest recording: what would change?
  anyhook test --recording monday --client codex  as if the agent had been Codex, with its hooks here

\b
Exit status:
  0 all passed, 1 a case failed (or an event of --recording would change), 2 a case could not run (or wrong usage)

Cases are in hooks/tests/cases/*.yaml or .anyhook/tests/cases/*.yaml; docs/testing.md describes them. RECORDING is the
name of a recording, the beginning of its name, a file of anyhook log --export, or the id of a session in the journal
whose rows have payloads.

This RUNS the hooks of the project. Use it only with hooks that you trust. They get an empty home folder and few
variables, and no model is called.
"""
_INDENT = 7
"""The column of the details of a case, below its name."""
_MAX_TAIL_LINES = 6
"""Lines of a hook's output that are shown when its case failed; -v shows all."""
_MAX_LINE_LENGTH = 300
"""Characters of such a line that are shown."""


@click.command("test", epilog=_EPILOG)
@path_argument
@click.option("--hooks", is_flag=True, help="Test hooks (the default).")
@click.option(
    "--case", "patterns", multiple=True, metavar="PATTERN", help="Only cases with this name or file; * is a wildcard."
)
@click.option(
    "--event", "-e", shell_complete=complete_event, help="Only cases of this event, by any client's name for it."
)
@click.option("-k", "expression", metavar="EXPR", help="Only cases with these words: 'write and not stop'.")
@client_option("The client for cases that name none.", ClientRelease())
@click.option("-x", "stop_on_failure", is_flag=True, help="Stop at the first case that fails.")
@click.option("--jobs", "-j", type=WholeNumber(min=1), metavar="N", help="Cases at once.  [default: processors]")
@click.option("--watch", is_flag=True, help="Run again when a file of the package changes.")
@click.option("--coverage", "with_coverage", is_flag=True, help="Also list what no case exercises.")
@click.option("--matrix", "with_matrix", is_flag=True, help="Also run them as every client: see anyhook matrix.")
@click.option("--mutate", is_flag=True, help="Change the hooks in many ways, and show which changes no case notices.")
@click.option(
    "--mutate-threshold",
    "threshold",
    type=DecimalNumber(0, 100),
    metavar="PERCENT",
    help="As --mutate; fails when fewer changes are noticed.",
)
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write a report for CI to this file.")
@click.option(
    "--recording",
    is_flag=False,
    flag_value="",
    metavar="[RECORDING]",
    help="Run no case, but today's hooks on the events of a recording.  [default: the newest]",
)
@click.option("--verbose", "-v", is_flag=True, help="Show every case, its time and what the hook printed.")
@json_option
def command(
    path: Path,
    hooks: bool,
    patterns: tuple[str, ...],
    event: str | None,
    expression: str | None,
    client: str | None,
    stop_on_failure: bool,
    jobs: int | None,
    watch: bool,
    with_coverage: bool,
    with_matrix: bool,
    mutate: bool,
    threshold: float | None,
    junit: Path | None,
    recording: str | None,
    verbose: bool,
    as_json: bool,
) -> int:
    """Run the test cases of the package in PATH. PATH may be one case file."""
    if recording is not None:
        return show_replay(path, recording or None, client, verbose=verbose, as_json=as_json)
    if watch and as_json:
        raise UsageError("--watch and --json exclude each other")
    if with_matrix and as_json:
        raise UsageError("--matrix has no JSON here; run: anyhook matrix --json")
    if (mutate or threshold is not None) and (watch or with_matrix):
        raise UsageError("--mutate excludes --watch and --matrix")
    if not path.exists():
        raise UsageError(f"{path}: this file or folder does not exist")
    if junit is not None and not junit.absolute().parent.is_dir():
        raise UsageError(f"--junit: the folder {junit.parent} does not exist")
    if junit is not None:
        refuse_planted(junit)
    path = Path(os.path.normpath(path.absolute()))  # from inside the package, PATH may be ..
    root = find_package(path)

    def run_once() -> int:
        suite = read_suite(root)
        if mutate or threshold is not None:
            if not suite.everything:
                raise UsageError(_nothing_to_run([], root))

            return show_mutants(suite, jobs, threshold, as_json=as_json)
        everything = [case for case in suite.everything if path.is_dir() or case.file == path]
        cases = select(everything, patterns=patterns, event=event, expression=expression)
        # A broken config hides the cases beside it, so that none of them can match.
        cases = cases or [case for case in suite.broken if case.name == CONFIG]
        if not cases:
            raise UsageError(_nothing_to_run(everything, root))
        report = _Report(suite, verbose=verbose, as_json=as_json, with_coverage=with_coverage, junit=junit)
        results = report.run(cases, client, jobs, stop_on_failure)
        states = {result.state for result in results}
        status = 2 if CaseStatus.BROKEN in states else 1 if CaseStatus.FAILED in states else 0
        return max(status, show_surprises(suite, cases, client, jobs)) if with_matrix else status

    if watch:
        _run_again_and_again(root, run_once)
    return run_once()


def _nothing_to_run(cases: list[AnyCase], root: Path) -> str:
    if not cases:
        return f"{root}: this package has no cases; to write one: anyhook new case"
    names = ", ".join(case.name for case in cases[:5])
    return f"no case matches; there are {count(len(cases), 'case')}: {names}{', ...' if len(cases) > 5 else ''}"


class _Report:
    """Runs cases and prints the results."""

    def __init__(self, suite: Suite, *, verbose: bool, as_json: bool, with_coverage: bool, junit: Path | None) -> None:
        self.suite, self.verbose, self.as_json = suite, verbose, as_json
        self.with_coverage, self.junit = with_coverage, junit
        self.show = Display(Path.home())

    def run(
        self, cases: list[AnyCase], client: str | None, jobs: int | None, stop_on_failure: bool
    ) -> tuple[CaseResult, ...]:

        began = time.perf_counter()
        progress = Progress(len(cases), "cases")
        with Runner(self.suite, client=client) as runner:
            results = runner.run_all(
                cases, jobs=jobs, on_end=lambda _: progress.advance(), stop_on_failure=stop_on_failure
            )
            progress.clear()
            coverage = measure(runner.hook_sets(results), results) if self.with_coverage else None
        seconds = time.perf_counter() - began
        if self.junit is not None:
            try:
                self.junit.write_bytes(as_junit(results, seconds))
            except OSError as error:
                raise UsageError(f"--junit: {self.junit} cannot be written: {error.strerror}") from None
        if self.as_json:
            print_json(as_data(results, seconds, coverage))
        else:
            self._print(results, len(cases), seconds, coverage)
        return results

    def _print(self, results: tuple[CaseResult, ...], number: int, seconds: float, coverage: Coverage | None) -> None:

        for result in results:
            if self.verbose or result.state is not CaseStatus.PASSED:
                self._print_result(result)
        if coverage is not None:
            self._print_coverage(coverage)
        self._print_summary(results, number, seconds)

    def _print_result(self, result: CaseResult) -> None:

        word, style = {
            CaseStatus.PASSED: ("pass", "green"),
            CaseStatus.FAILED: ("FAIL", "bold red"),
            CaseStatus.BROKEN: ("ERROR", "bold yellow"),
        }[result.state]
        out = console()
        file, line = location_of(result)
        took = f"{result.duration * 1000:.0f} ms" if self.verbose and result.client else ""
        out.print(f"{word:<{_INDENT}}", style=style, end="")
        out.print(printable(f"{result.case.name}  "), style="bold", end="")
        out.print(took)
        self._say(self.show.place(str(file), line), style="dim")
        self._print_failures(result)
        for problem in result.problems:
            self._say(problem.text)
            if problem.fix:
                self._say(problem.fix, style="dim")
        self._print_run(result)
        out.print()

    def _print_failures(self, result: CaseResult) -> None:

        for failure in result.failures:
            self._say(failure.text)
            for difference in failure.differences:
                self._say(difference.path or "the whole answer", indent=2)
                self._say(f"- {show_value(difference.expected)}", indent=4, style="green")
                self._say(f"+ {difference.shown}", indent=4, style="red")

    def _print_run(self, result: CaseResult) -> None:
        run = result.run
        if run is None or not (self.verbose or result.failures):
            return
        self._say(f"{self.show.place(run.origin.file, run.origin.line)}: {run.summary}", style="dim")
        for name, text in (("stdout", run.stdout), ("stderr", run.stderr)):
            lines = text.splitlines()
            shown = lines if self.verbose else lines[-_MAX_TAIL_LINES:]
            if len(shown) < len(lines):
                self._say(f"{name}, the last {len(shown)} of {len(lines)} lines (all: -v):", style="dim")
            elif shown:
                self._say(f"{name}:", style="dim")
            for line in shown:
                self._say(f"| {line if self.verbose else line[:_MAX_LINE_LENGTH]}")

    def _print_coverage(self, coverage: Coverage) -> None:

        out = console()
        seen, possible = coverage.endings
        out.print(f"Coverage: {seen} of {possible} outcomes of {count(len(coverage.hooks), 'hook')}", style="bold")
        for event in coverage.missed_events:
            out.print(printable(f"  no case for {event}"), style="yellow")
        for hook in coverage.hooks:
            if not hook.missing:
                continue
            place = self.show.place(hook.origin.file, hook.origin.line)
            what = f"no case for {join_or(hook.missing)}" if hook.seen else "never run"
            out.print(printable(f"  {place}  {hook.event}: "), end="")
            out.print(what, style="yellow")
            self._say(hook.summary, style="dim")
        out.print()

    def _print_summary(self, results: tuple[CaseResult, ...], number: int, seconds: float) -> None:

        found = counts(results)
        parts = [
            f"{found[state]} {state}"
            for state in (CaseStatus.FAILED, CaseStatus.BROKEN, CaseStatus.PASSED)
            if found[state]
        ]
        if len(results) < number:
            parts.append(f"{number - len(results)} not run")
        bad = found[CaseStatus.FAILED] or found[CaseStatus.BROKEN]
        console().print(f"{', '.join(parts)} in {seconds:.1f} s", style="bold red" if bad else "bold green")

    def _say(self, text: str, *, indent: int = 0, style: str = "") -> None:

        margin = _INDENT + indent
        console().print(f"{'':{margin}}{hanging(text, margin)}", style=style)


def _run_again_and_again(root: Path, run_once: Callable[[], int]) -> Never:
    """Run until the user interrupts it."""
    try:
        from watchfiles import DefaultFilter, watch
    except ImportError:
        from anyhook.extras import install_command

        raise UsageError(f"--watch needs watchfiles; install it: {install_command('watch')}") from None

    while True:
        try:
            run_once()
        except UsageError as error:  # a suite that is being edited may be empty for a moment
            click.echo(f"anyhook: {error}", err=True)
        sys.stdout.flush()
        click.echo(f"Watching {root} for changes; Ctrl-C to stop.", err=True)
        # Starts after the run, so that files which the hooks wrote do not start another one.
        with closing(watch(root, watch_filter=DefaultFilter(ignore_dirs=tuple(PRUNED)))) as changes:
            next(changes)
