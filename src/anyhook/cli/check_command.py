"""``anyhook check``: the linter for hook files."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from anyhook.cli.options import Display, OneOf, clients_option, count, home_option, json_option, make_roots
from anyhook.cli.render import console, print_json, print_problems, printable
from anyhook.lint.fix import FixReport, fix_paths
from anyhook.lint.lint import Report, check_paths
from anyhook.model.codes import CODES, Severity
from anyhook.model.problems import UsageError
from anyhook.report.data import as_data
from anyhook.report.entries import counts_in_words, entries_of
from anyhook.report.github import as_annotations
from anyhook.report.junit import as_junit
from anyhook.report.rule_pages import find_code, page_text
from anyhook.report.sarif import as_sarif
from anyhook.sources.installed_release import used_releases

_EPILOG = """\b
Examples:
  anyhook check                                 every hook file of this project and its sub-projects
  anyhook check .claude/settings.json --fix     one file; repair what is safe to repair
  anyhook check --client codex hooks.json       as Codex would read it
  anyhook check --ignore C011,K --strict        ignore a code and a letter; notes count too
  anyhook check --all                           also minor notes: what other clients do with a file
  anyhook check --format github                 annotations for a GitHub workflow
  anyhook check --explain M006                  what a code means, an example, and the remedy
  anyhook check --explain                       every code, one line each

\b
Exit status:
  0 no problems, 1 errors or warnings (with --strict also notes), 2 wrong usage, no hook file or none readable

"""
_UNREADABLE = {"F005", "F006", "F008"}


def _complete_code(_context: click.Context, _parameter: click.Parameter, start: str) -> list[CompletionItem]:

    begins = start.upper()
    codes = [CompletionItem(code, help=known.summary) for code, known in CODES.items() if code.startswith(begins)]
    names = [known for known in CODES.values() if start and known.name.startswith(start.lower())]
    return [*codes, *(CompletionItem(known.name, help=known.summary) for known in names)]


def _split(values: tuple[str, ...]) -> list[str]:
    return [code for value in values for code in value.split(",") if code.strip()]


@click.command("check", epilog=_EPILOG)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@clients_option("Check as this client reads the files; of several, what is theirs (repeatable).")
@click.option(
    "--format",
    "-f",
    "form",
    type=OneOf(["text", "sarif", "github", "junit"]),
    default="text",
    show_default=True,
    help="The output format, for programs that read reports.",
)
@click.option("--fix", is_flag=True, help="Repair what is safe to repair; keep formatting and comments.")
@click.option("--select", multiple=True, metavar="CODE", help="Only these codes or letters: M or M001,T (repeatable).")
@click.option("--ignore", multiple=True, metavar="CODE", help="Ignore these codes or letters (repeatable).")
@click.option("--all", "everything", is_flag=True, help="Also show minor notes, such as what other readers do.")
@click.option("--strict", is_flag=True, help="Count notes as problems.")
@click.option(
    "--explain",
    "explained",
    is_flag=False,
    flag_value="",
    metavar="[CODE]",
    shell_complete=_complete_code,
    help="Explain a code of check, doctor or deploy, or list all of them.",
)
@home_option
@json_option
def command(
    paths: tuple[Path, ...],
    clients: tuple[str, ...],
    form: str,
    fix: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    everything: bool,
    strict: bool,
    explained: str | None,
    home: Path | None,
    as_json: bool,
) -> int:
    """Find mistakes in hook files: in the current folder, or in the files and folders PATHS.

    No hook is run. A folder is searched for the hook files of every client. Each file is checked for the client it was
    written for; other clients that read it are named when they would treat it differently.
    """
    if explained is not None:
        return _explain(explained)
    if as_json and form != "text":
        raise UsageError("--json and --format exclude each other")
    targets = [_existing(path) for path in paths or (Path(),)]
    roots = make_roots(next((path for path in targets if path.is_dir()), Path()), home)
    show, installed = Display(roots.home), used_releases(os.environ)
    chosen = {"select": _split(select), "ignore": _split(ignore)}
    if fix:
        repairs = fix_paths(targets, roots, clients, **chosen, everything=everything, installed=installed)
        _print_repairs(repairs, show, to_stderr=as_json or form != "text")
        report = repairs.left
    else:
        report = check_paths(targets, roots, clients, **chosen, everything=everything, installed=installed)
    counted = set(Severity) if strict else {Severity.ERROR, Severity.WARNING}
    _print(report, "json" if as_json else form, show, counted)
    if not report.files:
        _print_no_files(targets, show)
        return 2
    if report.problems and not report.hooks and all(problem.code in _UNREADABLE for problem in report.problems):
        return 2
    return 1 if any(problem.severity in counted for problem in report.problems) else 0


def _explain(code: str) -> int:
    """Print the page of a code, or a line for each."""
    if code:
        click.echo(page_text(find_code(code)), nl=False)
    else:
        for known in CODES.values():
            click.echo(f"{known.code}  {known.severity.value:<7}  {known.summary}")
    return 0


def _existing(path: Path) -> Path:
    if not path.exists() and not path.is_symlink():
        raise UsageError(f"{path}: this file or folder does not exist")
    return path.absolute()


def _print_repairs(repairs: FixReport, show: Display, *, to_stderr: bool) -> None:

    for fixed in repairs.fixed:
        for problem in fixed.problems:
            place = show.place(fixed.file, problem.origin.line)
            click.echo(printable(f"{place}: repaired {problem.code}: {problem.text}"), err=to_stderr)
    for refused in repairs.refused:
        click.echo(printable(f"{show.path(refused.file)}: not repaired: {refused.why}"), err=True)


def _print(report: Report, form: str, show: Display, counted: Collection[Severity]) -> None:

    entries = entries_of(report.problems)
    match form:
        case "json":
            counts = {"left_out": report.left_out, "files": report.files, "hooks": report.hooks}
            print_json({**as_data(entries), **counts})
        case "sarif":
            print_json(as_sarif(entries, Path.cwd()))
        case "github":
            for line in as_annotations(entries, _annotated_folder()):
                click.echo(printable(line))
        case "junit":
            click.echo(as_junit(entries, report.files, counted, Path.cwd()), nl=False)
        case _:
            _print_text(report, show)


def _annotated_folder() -> Path:
    """The folder that GitHub reads the paths of annotations from: the checkout, also in a step that runs below it."""
    workspace, here = os.environ.get("GITHUB_WORKSPACE"), Path.cwd()
    return Path(workspace) if workspace and here.is_relative_to(workspace) else here


def _print_no_files(targets: list[Path], show: Display) -> None:
    """Nothing was checked, which must not look as if nothing was wrong."""
    where = ", ".join(show.path(path) for path in targets)
    click.echo(
        f"No hook files found in {where}, so nothing was checked. To see the places: anyhook list --client CLIENT",
        err=True,
    )


def _print_text(report: Report, show: Display) -> None:

    entries = print_problems(report.problems, show)
    if entries:
        click.echo()
    if report.files:
        looked = f"{count(report.hooks, 'hook')} in {count(len(report.files), 'file')}"
        fixable = sum(entry.is_repairable for entry in entries)
        hint = f"; {fixable} can be repaired with --fix" if fixable else ""
        minor = f"; {count(report.left_out, 'minor note')} with --all" if report.left_out else ""
        console().print(f"{looked}: {counts_in_words(entries) or 'no problems'}{hint}{minor}.")
