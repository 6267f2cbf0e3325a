"""``anyhook check``: the linter for hook files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anyhook.cli.options import ClientName, Display, OneOf, count, home_option, make_roots
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from anyhook.lint.fix import FixReport
    from anyhook.lint.lint import Report

_EPILOG = """\b
Examples:
  anyhook check                                 every hook file of this project and its sub-projects
  anyhook check .claude/settings.json --fix     one file; repair what is safe to repair
  anyhook check --client codex hooks.json       as Codex would read it
  anyhook check --ignore C011,K --strict        ignore a code and a letter; notes count too
  anyhook check --format github                 annotations for a GitHub workflow

\b
Exit status:
  0 no problems, 1 errors or warnings (with --strict also notes), 2 wrong usage, no hook file or none readable

Every code has a page in docs/rules/ with an example and the remedy.
"""
_UNREADABLE = {"F005", "F006", "F008"}


def _split(values: tuple[str, ...]) -> list[str]:
    return [code for value in values for code in value.split(",") if code.strip()]


@click.command("check", epilog=_EPILOG)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--client", "-c", type=ClientName(), help="Check as this client reads the files.")
@click.option(
    "--format",
    "-f",
    "form",
    type=OneOf(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="The output format.",
)
@click.option("--fix", is_flag=True, help="Repair what is safe to repair; keep formatting and comments.")
@click.option("--select", multiple=True, metavar="CODE", help="Only these codes or letters: M or M001,T (repeatable).")
@click.option("--ignore", multiple=True, metavar="CODE", help="Ignore these codes or letters (repeatable).")
@click.option("--strict", is_flag=True, help="Count notes as problems.")
@home_option
def command(
    paths: tuple[Path, ...],
    client: str | None,
    form: str,
    fix: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    home: Path | None,
) -> int:
    """Find mistakes in hook files: in the current folder, or in the files and folders PATHS.

    No hook is run. A folder is searched for the hook files of every client. Each file is checked for the client it was
    written for; other clients that read it are named when they would treat it differently.
    """
    import os

    from anyhook.lint.fix import fix_paths
    from anyhook.lint.lint import check_paths
    from anyhook.model.codes import Severity
    from anyhook.sources.installed_release import used_releases

    targets = [_existing(path) for path in paths or (Path(),)]
    roots = make_roots(next((path for path in targets if path.is_dir()), Path()), home)
    show, installed = Display(roots.home), used_releases(os.environ)
    if fix:
        repairs = fix_paths(targets, roots, client, select=_split(select), ignore=_split(ignore), installed=installed)
        _print_repairs(repairs, show, to_stderr=form != "text")
        report = repairs.left
    else:
        report = check_paths(targets, roots, client, select=_split(select), ignore=_split(ignore), installed=installed)
    _print(report, form, show)
    if not report.files:
        _print_no_files(targets, show)
        return 2
    if report.problems and not report.hooks and all(problem.code in _UNREADABLE for problem in report.problems):
        return 2
    counted = set(Severity) if strict else {Severity.ERROR, Severity.WARNING}
    return 1 if any(problem.severity in counted for problem in report.problems) else 0


def _existing(path: Path) -> Path:
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"{path}: this file or folder does not exist")
    return path.absolute()


def _print_repairs(repairs: FixReport, show: Display, *, to_stderr: bool) -> None:
    for fixed in repairs.fixed:
        for problem in fixed.problems:
            place = show.place(fixed.file, problem.origin.line)
            click.echo(f"{place}: repaired {problem.code}: {problem.text}", err=to_stderr)
    for refused in repairs.refused:
        click.echo(f"{show.path(refused.file)}: not repaired: {refused.why}", err=True)


def _print(report: Report, form: str, show: Display) -> None:
    from anyhook.cli.render import print_json
    from anyhook.lint import report as reports

    match form:
        case "json":
            print_json(reports.as_data(report))
        case "sarif":
            print_json(reports.as_sarif(report, Path.cwd()))
        case "github":
            for line in reports.as_annotations(report, _annotated_folder()):
                click.echo(line)
        case _:
            _print_text(report, show)


def _annotated_folder() -> Path:
    """The folder that GitHub reads the paths of annotations from: the checkout, also in a step that runs below it."""
    workspace, here = os.environ.get("GITHUB_WORKSPACE"), Path.cwd()
    return Path(workspace) if workspace and here.is_relative_to(workspace) else here


def _print_no_files(targets: list[Path], show: Display) -> None:
    """Nothing was checked, which must not look as if nothing was wrong."""
    where = ", ".join(show.path(path) for path in targets)
    click.echo(f"No hook files found in {where}, so nothing was checked. To see the places: anyhook list", err=True)


def _print_text(report: Report, show: Display) -> None:
    from itertools import groupby

    from anyhook.cli.render import console, print_problem, printable

    out = console()
    for file, problems in groupby(report.problems, key=lambda problem: problem.origin.file):
        out.print(printable(show.path(file)), style="bold")
        for problem in problems:
            print_problem(problem, show)
        out.print()
    if report.files:
        out.print(_summary(report))


def _summary(report: Report) -> str:
    from anyhook.model.codes import Severity

    looked = f"{count(report.hooks, 'hook')} in {count(len(report.files), 'file')}"
    counts = [(report.count(severity), severity) for severity in Severity]
    found = ", ".join(count(number, severity) for number, severity in counts if number)
    fixable = sum(bool(problem.edits) for problem in report.problems)
    hint = f"; {fixable} can be repaired with --fix" if fixable else ""
    return f"{looked}: {found}{hint}." if found else f"{looked}: no problems."
