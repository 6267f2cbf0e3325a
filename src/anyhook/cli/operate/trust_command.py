"""``anyhook trust``: shows a project's hooks and what they use, and allows them to run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.options import Display, count, existing_folder, json_option, package_roots
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyhook.model.problems import Problem
    from anyhook.sources.discover import Roots
    from anyhook.trust.decide import Trust
    from anyhook.trust.fingerprint import Fingerprint
    from anyhook.trust.seen_files import UsedFile

_EPILOG = """\b
Examples:
  anyhook trust                    show the hooks of this project, and ask
  anyhook trust ~/src/shop --diff  what changed since you trusted them
  anyhook trust --show             only show them, and whether they may run
  anyhook trust --revoke           trust them no longer

Hooks that a client runs through anyhook (anyhook deploy) run only if their project is trusted. This command runs and
imports nothing. In CI and in containers, where no user can answer, set ANYHOOK_TRUST=1.

\b
Exit status:
  0 they may run, 1 they may not, or a hook is lost by a mistake in its file, 2 they cannot be trusted
"""
_NOT_TRUSTED = 1
_STYLES = {"trusted": "green", "changed": "bold red", "revoked": "red", "unknown": "yellow"}
_WORDS = {
    "trusted": "are trusted",
    "changed": "changed since you trusted them",
    "revoked": "are not trusted: you revoked it",
    "unknown": "are not trusted yet",
}


@click.command("trust", epilog=_EPILOG)
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--show", "mode", flag_value="show", help="Only show them, and whether they are trusted.")
@click.option("--diff", "mode", flag_value="diff", help="Show what changed since they were trusted.")
@click.option("--revoke", "mode", flag_value="revoke", help="Trust them no longer.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@click.option("--accept-uncovered", is_flag=True, help="Accept guards that run what cannot be checked; with --yes.")
@json_option
def command(path: Path, mode: str | None, yes: bool, accept_uncovered: bool, as_json: bool) -> int:
    """Allow the hooks of the project in PATH, or of the package above it, to run.

    Shows every hook of the project, and every script, module and link that it uses; what is outside the project is
    marked. When one of them changes, the hooks do not run until you have reviewed the change. Your own hooks, and those
    of your organisation, need no trust.
    """
    from anyhook.bridge.project_trust import trust_of_project
    from anyhook.sources.discover import roots_for
    from anyhook.trust.records import revoke_trust

    roots = roots_for(existing_folder(path))
    trust = trust_of_project(roots)
    if not trust.fingerprint.groups and not trust.changes:
        roots = package_roots(roots)
        trust = trust_of_project(roots)
    if mode == "revoke":
        return _say_revoked(roots, revoke_trust(roots), as_json)
    if mode == "diff":
        _print_json(trust, roots, "differences") if as_json else _print_differences(trust, roots)
        return 0 if trust.is_trusted else _NOT_TRUSTED
    if mode == "show":
        _print_json(trust, roots) if as_json else _print_all(trust, roots)
        return 0 if trust.is_trusted and not _errors(trust, roots) else _NOT_TRUSTED
    return _ask(trust, roots, yes, accept_uncovered, as_json)


def _errors(trust: Trust, roots: Roots) -> list[Problem]:
    """The mistakes by which hooks of the project are lost, as anyhook deploy reports them."""
    from anyhook.cli.loss_report import errors_of
    from anyhook.sources.package_hooks import PackageHooks

    package = PackageHooks(roots.project)
    owner = package.owner()
    clients = [owner] if owner else dict.fromkeys(group.client for group in trust.fingerprint.groups)
    found = [error for client in clients for error in errors_of(package.of(client))]
    return list({(error.origin.file, error.origin.line, error.text): error for error in found}.values())


def _print_all(trust: Trust, roots: Roots) -> None:
    from anyhook.cli.loss_report import print_errors

    print_trust(trust)
    print_errors(_errors(trust, roots), Display(roots.home))


def _ask(trust: Trust, roots: Roots, yes: bool, accept_uncovered: bool, as_json: bool) -> int:
    from anyhook.bridge.project_trust import trust_of_project
    from anyhook.trust.records import trust_project

    if not as_json:
        _print_all(trust, roots)
    has_errors = int(bool(_errors(trust, roots)))
    if not trust.fingerprint.groups and not trust.changes:
        return has_errors
    if trust.fingerprint.doubts:
        raise UsageError(f"{roots.project}: these hooks cannot be trusted: {'; '.join(trust.fingerprint.doubts)}")
    if not trust.is_trusted and not yes:
        if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UsageError("there is no terminal to ask on; review the hooks with --show, then use --yes")
        if not click.confirm("Allow these hooks to run?") or not confirm_uncovered(trust.fingerprint):
            click.echo("They will not run.")
            return _NOT_TRUSTED
        accept_uncovered = True
    uncovered = trust.fingerprint.doubts_about_guards
    if uncovered and not trust.is_trusted and not accept_uncovered:
        text = f"a guard runs what cannot be checked: {'; '.join(uncovered)}"
        raise UsageError(f"{roots.project}: {text}\nif you accept that: anyhook trust --yes --accept-uncovered")
    # What was shown, even if files have changed meanwhile.
    trust_project(roots, trust.fingerprint, accepts_uncovered=accept_uncovered or trust.is_trusted)
    if as_json:
        _print_json(trust_of_project(roots), roots)
    else:
        click.echo("They may run until one of them changes.")
    return has_errors


def confirm_uncovered(fingerprint: Fingerprint) -> bool:
    """Whether the user accepts what guards run that cannot be checked; True when there is nothing of it."""
    from anyhook.cli.render import hanging

    uncovered = fingerprint.doubts_about_guards
    for text in uncovered:
        click.echo(f"A guard runs what cannot be checked: {hanging(text, 2)}")
    return not uncovered or click.confirm("A change of that is not noticed. Trust the guard all the same?")


def _say_revoked(roots: Roots, was_trusted: bool, as_json: bool) -> int:
    from anyhook.cli.render import print_json, printable

    if as_json:
        print_json({"project": str(roots.project.resolve()), "revoked": was_trusted})
    else:
        text = "are no longer trusted" if was_trusted else "were not trusted"
        click.echo(printable(f"The hooks of {roots.project} {text}."))
    return 0


# ----------------------------------------------------------------------------------------------------------- for people


def print_trust(trust: Trust) -> None:
    """Print every hook, every file that it uses, and whether they are trusted."""
    from anyhook.cli.render import console, hanging, printable

    out = console()
    fingerprint = trust.fingerprint
    for file, hooks in _hooks_by_file(fingerprint).items():
        out.print(printable(file), style="bold")
        for hook, clients in hooks.items():
            first, *details = hook
            out.print(f"  {hanging(first, 4)}")
            for detail in details:
                out.print(f"    {hanging(detail, 6)}", style="yellow")
            out.print(f"    {hanging(f'for {clients}', 6)}", style="dim")
    if fingerprint.files:
        out.print("What they use", style="bold")
        for used in fingerprint.files.values():
            out.print(f"  {hanging(_describe(used), 4)}", style="yellow" if _is_remarkable(used) else "")
    about_guards = fingerprint.doubts_about_guards
    for unknown in fingerprint.unresolved:
        of_guard = " (a guard runs it)" if unknown in about_guards else ""
        out.print(f"not covered{of_guard}: {hanging(unknown, 2)}", style="red" if of_guard else "yellow")
    for doubt in fingerprint.doubts:
        out.print(f"cannot be trusted: {hanging(doubt, 2)}", style="red")
    for change in trust.changes:
        out.print(f"changed: {hanging(f'{change.path} {change.text}', 2)}", style="red")
    _print_state(trust)
    if trust.changes:
        out.print(f"To see the changes: anyhook trust --diff {printable(str(trust.project))}")


def _print_state(trust: Trust) -> None:
    from anyhook.cli.render import console, printable

    fingerprint = trust.fingerprint
    number = sum(len(hooks) for hooks in _hooks_by_file(fingerprint).values())
    note = f" ({trust.note})" if trust.note else ""
    text = f"The hooks of {trust.project} {_WORDS[trust.state]}{note}."
    if not fingerprint.groups and not fingerprint.doubts and not trust.changes:
        text = f"No hook of {trust.project} needs trust."
    else:
        text = f"{text} {count(number, 'hook')}, {count(len(fingerprint.files), 'file')}."
    console().print(printable(text), style=_STYLES[trust.state])


def _hooks_by_file(fingerprint: Fingerprint) -> dict[str, dict[tuple[str, ...], str]]:
    """The lines about each hook of each file, with the clients that read it."""
    from anyhook.dialects import profile

    titles: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for group in fingerprint.groups:
        hooks = titles.setdefault(group.file, {})
        for definition in group.definitions:
            kinds = f"kind {', '.join(definition.kinds)}" if definition.kinds else ""
            matched = ", ".join(filter(None, (definition.matcher, kinds)))
            matcher = f" [{matched}]" if matched else ""
            lines = (f"{definition.event}{matcher}: {definition.summary}", *definition.details)
            readers = hooks.setdefault(lines, [])
            if (title := profile(group.client).title) not in readers:
                readers.append(title)
    return {file: {hook: ", ".join(names) for hook, names in hooks.items()} for file, hooks in titles.items()}


def _describe(used: UsedFile) -> str:
    outside = "  OUTSIDE the project" if used.is_outside else ""
    match used.kind:
        case "file":
            return f"{used.path}{outside}"
        case "link":
            return f"{used.path} -> {used.target}{outside}"
        case "missing":
            return f"{used.path}  does not exist{outside}"
        case _:
            return f"{used.path}  {used.kind}{outside}"


def _is_remarkable(used: UsedFile) -> bool:
    return used.is_outside or used.kind not in ("file", "missing")


def _print_differences(trust: Trust, roots: Roots) -> None:
    from anyhook.cli.render import console, printable

    out = console()
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in _difference_lines(trust, roots):
        out.print(printable(line, keep="\t"), style=styles.get(line[:1], "bold" if line.startswith("==") else ""))
    _print_state(trust)


def _difference_lines(trust: Trust, roots: Roots) -> Iterator[str]:
    from difflib import unified_diff

    from anyhook.trust.changes import with_texts

    for difference in with_texts(trust.changes, trust.fingerprint, roots):
        path = difference.change.path
        yield f"== {path} {difference.change.text}"
        if difference.before is None and difference.after is None:
            continue
        before, after = _lines(difference.before), _lines(difference.after)
        yield from unified_diff(before, after, f"{path} (trusted)", f"{path} (now)", lineterm="")


def _lines(text: str | None) -> list[str]:
    lines = (text or "").split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines, "\\ No newline at end of file"]


# --------------------------------------------------------------------------------------------------------- for programs


def _print_json(trust: Trust, roots: Roots, *more: str) -> None:
    from anyhook.cli.render import print_json
    from anyhook.cli.rows import problem_json

    fingerprint = trust.fingerprint
    data: dict[str, Any] = {
        "project": str(trust.project),
        "state": trust.state,
        "note": trust.note,
        "fingerprint": fingerprint.digest,
        "hooks": [
            {
                "client": group.client,
                "file": group.file,
                "event": hook.event,
                "matcher": hook.matcher,
                "action": hook.summary,
                "details": hook.details,
            }
            for group in fingerprint.groups
            for hook in group.definitions
        ],
        "files": list(fingerprint.files.values()),
        "changes": trust.changes,
        "doubts": fingerprint.doubts,
        "not_covered": fingerprint.unresolved,
        "not_covered_of_guards": fingerprint.doubts_about_guards,
        "problems": [problem_json(error) for error in _errors(trust, roots)],
    }
    if "differences" in more:
        data["diff"] = list(_difference_lines(trust, roots))
    print_json(data)
