"""``anyhook prove``: plays cases to real clients, and shows which hooks are loaded, fire and have an effect."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from anyhook.cli.options import (
    ClientVersion,
    Display,
    clients_option,
    existing_folder,
    home_option,
    json_option,
    path_argument,
)
from anyhook.cli.progress import Progress
from anyhook.cli.render import Column, console, hanging, print_json, table
from anyhook.dialects import profile
from anyhook.model.outcome import Effect
from anyhook.model.problems import AnyhookError, UsageError
from anyhook.model.wording import join_or
from anyhook.prove.installation import Installed, InstallProgress, Release
from anyhook.prove.proof.played_cases import NotPlayed, PlayedCase
from anyhook.prove.proof.prove_client import ClientProof, Proof
from anyhook.sources.editing.own_place import refuse_planted
from anyhook.testing.cases.case_files import read_suite
from anyhook.testing.cases.cases import Case
from anyhook.testing.cases.selection import select

_EPILOG = """\b
Examples:
  anyhook prove                              every client that has hooks here and is installed
  anyhook prove --client codex,claude-code   these clients
  anyhook prove --install                    install the clients that are missing, into a cache
  anyhook prove -c claude-code@2.1.197 --install    another release
  anyhook prove --case guard-blocks          one case of the project, by its name or its file
  anyhook prove --user-trust                 with the trust that you have given the client
  anyhook prove --junit report.xml           with a report for CI

\b
Exit status:
  0 every hook did what its cases expect, 1 one did not (a guard that should block did not),
  2 nothing could be played (or wrong usage)

The client runs with a scripted model in place of the real one, without a network, with an empty home folder and
invented keys, in a copy of the project; it can change nothing outside a temporary folder. Cases are those of anyhook
test. For hooks on whose event there is none, a dangerous command, a written file, a command, a prompt, the start of a
session and the end of a turn are played.

This RUNS the hooks of the project, also those that you have not trusted, unless anyhook was deployed in their place.
They are confined: no network, no local sockets, no change to a file, no dot files of your home folder.
"""


@click.command("prove", epilog=_EPILOG)
@path_argument
@clients_option("Only these clients, or CLIENT@VERSION (repeatable).", ClientVersion())
@click.option(
    "--case", "patterns", multiple=True, metavar="FILE", help="Only this case, by its file or name (repeatable)."
)
@click.option("--install", "may_install", is_flag=True, help="Install clients that are missing, from npm or PyPI.")
@click.option(
    "--user-trust", is_flag=True, help="Do not tell clients to trust the project: use the trust you gave them."
)
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write a report for CI to this file.")
@home_option
@json_option
def command(
    path: Path,
    clients: tuple[str, ...],
    patterns: tuple[str, ...],
    may_install: bool,
    user_trust: bool,
    junit: Path | None,
    home: Path | None,
    as_json: bool,
) -> int:
    """Play cases to real clients, and show which hooks of the project in PATH are loaded, fire and have an effect."""
    from anyhook.prove.proof.played_cases import BUILT_IN
    from anyhook.prove.proof.proof_report import as_data, as_junit, has_failed
    from anyhook.prove.proof.prove_client import Proof

    if junit is not None and not junit.absolute().parent.is_dir():
        raise UsageError(f"--junit: the folder {junit.parent} does not exist")
    if junit is not None:
        refuse_planted(junit)
    project = existing_folder(path).resolve()
    cases, not_played = _cases(project, patterns)
    proof = Proof(
        project=project,
        home=home or Path.home(),
        cases=cases,
        not_played=not_played,
        built_in=() if patterns else BUILT_IN,
        user_trust=user_trust,
    )
    with _cleaning_up_on_signals():
        proofs = [_prove(release, proof, may_install) for release in _releases(clients, project)]
    if junit is not None:
        junit.write_bytes(as_junit(proofs))
    if as_json:
        print_json(as_data(proofs))
    else:
        for proved in proofs:
            _show(proved, proof)
    if any(map(has_failed, proofs)):
        return 1
    return 0 if any(proved.cases for proved in proofs) else 2


def _cases(project: Path, patterns: tuple[str, ...]) -> tuple[tuple[PlayedCase, ...], tuple[NotPlayed, ...]]:
    from anyhook.prove.proof.played_cases import stage_cases

    suite = read_suite(project)
    chosen = select(suite.cases, patterns=[Path(pattern).name if "/" in pattern else pattern for pattern in patterns])
    if patterns and not chosen:
        raise UsageError(f"no case is called {join_or(map(repr, patterns))} in {project}")
    return stage_cases([case for case in chosen if isinstance(case, Case)], project)


def _releases(labels: tuple[str, ...], project: Path) -> list[Release]:
    """The releases to prove: the named ones, else those of every client that has hooks in the project, or lost them."""
    from anyhook.prove.clients import DRIVEN
    from anyhook.prove.installation import read_release
    from anyhook.prove.proof.prove_client import lost_files, started_in

    if labels:
        return [read_release(label) for label in labels]
    started = [started_in(project, name) for name in DRIVEN]
    own = [client.name for client in started if client.has_rules or lost_files(client.hook_set)]
    if not own:
        raise UsageError(
            f"{project}: no client that anyhook can drive has hooks here ({join_or(DRIVEN)}); "
            "a package of anyhook must be deployed first: anyhook deploy"
        )
    return [read_release(name) for name in own]


def _prove(release: Release, proof: Proof, may_install: bool) -> ClientProof:
    from anyhook.prove.namespace import NamespaceUnavailableError
    from anyhook.prove.proof.prove_client import cases_for, prove_client, started_in, without_client
    from anyhook.prove.run import ClientRunner, RunError

    installed = _installed(release, may_install)
    if isinstance(installed, str):
        return without_client(release.client, proof, installed)
    cases = cases_for(started_in(proof.project, release.client), proof)
    progress = Progress(len(cases), f"cases in {installed}")
    try:
        with ClientRunner(protect=True, shown=(proof.project,)) as runner:
            return prove_client(runner, installed, proof, progress.advance)
    except (NamespaceUnavailableError, RunError) as error:
        return without_client(release.client, proof, f"{error}")
    finally:
        progress.clear()


@contextmanager
def _cleaning_up_on_signals() -> Iterator[None]:
    """End as after an interrupt when another process ends this one, so that no client and no file is left behind."""

    def end(number: int, _: object) -> None:
        sys.exit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [(number, signal.signal(number, end)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _installed(release: Release, may_install: bool) -> Installed | str:
    """The client, or why there is none: on PATH, in the cache, or installed now."""
    from anyhook.prove.clients import driver
    from anyhook.prove.installation import find_installed, find_on_path, install

    package = driver(release.client).package
    is_any = release.version == package.version
    if is_any and not may_install and (found := find_on_path(release.client)):
        return found
    if found := find_installed(release):
        return found
    if not may_install:
        return f"{package.command} is not on PATH; install it, or let anyhook install it with --install"
    try:
        return install(release, _show_installation)
    except AnyhookError as error:
        return f"it cannot be installed: {error}"


def _show_installation(progress: InstallProgress) -> None:
    if sys.stderr.isatty():
        line = f"{progress.release}: {progress.stage}, {progress.megabytes:.0f} MB"
        sys.stderr.write(f"\r{line:60}\r" if progress.stage != "checking" else f"\r{'':60}\r")
        sys.stderr.flush()


def _show(proved: ClientProof, proof: Proof) -> None:

    out, show = console(), Display(proof.home)
    known = profile(proved.client)
    out.print(f"{known.title} {proved.version}".rstrip(), style="bold")
    if proved.obstacle:
        out.print(hanging(f"  not played: {proved.obstacle}", 4), style="yellow")
        out.print(
            "  What follows is what anyhook knows of this client; try the hooks with: anyhook test, anyhook matrix"
        )
    if not proved.hooks:
        out.print("  no hooks are loaded", style="yellow")
    columns = (
        Column("EVENT", "cyan"),
        Column("MATCHER", flexible=True),
        Column("HOOK", flexible=True),
        Column("CONFIGURED", "dim"),
        Column("LOADED"),
        Column("FIRED"),
        Column("EFFECT", "bold"),
    )
    rows = [
        (
            hook.event,
            hook.matcher or "",
            hook.hook,
            show.place(hook.file, hook.line),
            _word(hook.loaded),
            f"{hook.calls} times" if hook.calls > 1 else _word(hook.fired),
            "unseen" if hook.unseen else _word(hook.effect),
        )
        for hook in proved.hooks
    ]
    if rows:
        table(columns, rows)
    for outcome in proved.played:
        told = next(iter(outcome.told.splitlines()), "")
        line = f"  {outcome.verb}: {outcome.played}{f'  -> {told}' if told else ''}"
        out.print(hanging(line, 4), style="green" if outcome.effect is not Effect.PROCEED and told else None)
    for hook in proved.hooks:
        if hook.reason:
            out.print(hanging(f"  {show.place(hook.file, hook.line)}: {hook.reason}", 4), style="yellow")
    for problem in proved.problems:
        place = show.place(problem.origin.file, problem.origin.line)
        out.print(hanging(f"  {place}: {known.title} does not load it: {problem.text}", 4), style="yellow")
    for outcome in proved.played:
        if outcome.cause:
            out.print(hanging(f"  {outcome.case}: not as the case expects: {outcome.cause}", 4), style="red")
    named = " ".join(outcome.cause for outcome in proved.played)
    for entry in proved.missing:
        if entry.why not in named:
            out.print(hanging(f"  {entry.why}", 4), style="red")
    for case in proved.not_played:
        out.print(hanging(f"  {case.name} was not played: {case.why}", 4), style="dim")
    if not proof.user_trust and known.setup and proved.version:
        for step in known.setup:
            out.print(hanging(f"  setup: {step.format(project=proof.project)}", 4), style="dim")
    out.print()


def _word(column: bool | None) -> str:
    return {True: "yes", False: "no", None: "-"}[column]
