"""``anyhook trust``: shows a project's hooks and what belongs to each, and lets a person approve them one by one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import click
from msgspec import Struct

from anyhook.cli.options import (
    Display,
    clients_option,
    count,
    existing_folder,
    json_option,
    path_argument,
)
from anyhook.cli.render import console, hanging, print_json, print_problems, printable
from anyhook.dialects import profile
from anyhook.model.hooks import Command
from anyhook.model.problems import Problem, UsageError
from anyhook.model.wording import brief_line
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.report.data import problems_data
from anyhook.report.entries import errors_among
from anyhook.sources import disk
from anyhook.sources.discover import roots_for
from anyhook.trust.content import HookContent, words_of
from anyhook.trust.decide import JudgedHook
from anyhook.trust.records import KnownHook
from anyhook.trust.seen_files import UsedFile
from anyhook.trust.shown import details_of, differences
from anyhook.trust.signers import add_signer, remove_signer, signers_file

_EPILOG = """\b
Examples:
  anyhook trust                    show what waits for your approval, and ask about each hook
  anyhook trust ~/src/shop --diff  what changed since you approved it
  anyhook trust --list             all hooks, and on whose word each of them runs
  anyhook trust --sign             sign the hooks for your team, with your SSH key
  anyhook trust --signer ana.pub   run what Ana signs, in every clone, without asking again
  anyhook trust --revoke           take all approvals back

A hook that a client runs through anyhook (anyhook deploy) runs if you have approved it as it is, or if a signer of
yours has signed it. Guards and rules that only block, ask or warn before a tool runs need neither. This command runs
nothing of the project. In CI, where no person can answer, use --signer FILE or --yes.

\b
Exit status:
  0 all hooks may run, 1 some wait for approval, or one is lost by a mistake in its file, 2 one cannot be approved
"""
_WAITS = 1
_STYLES = {"new": "yellow", "changed": "bold red", "revoked": "red"}


@click.command("trust", epilog=_EPILOG)
@path_argument
@click.option("--list", "mode", flag_value="list", help="Only show the hooks, and on whose word each of them runs.")
@click.option("--diff", "mode", flag_value="diff", help="Show what changed since it was approved.")
@click.option("--revoke", "mode", flag_value="revoke", help="Take all approvals back.")
@click.option("--sign", "mode", flag_value="sign", help="Sign all hooks for your team, with an SSH key.")
@click.option("--key", type=click.Path(path_type=Path), help="The key for --sign: private, or public with an agent.")
@click.option("--signer", metavar="KEY|FILE", help="Let what this SSH key signs run without asking, in every project.")
@click.option("--name", default="", help="The name of the --signer, by default the comment of the key.")
@click.option("--remove-signer", metavar="NAME|KEY", help="Ask again about what this signer has signed.")
@click.option("--yes", "-y", is_flag=True, help="Approve everything that waits, without asking.")
@clients_option("Also hooks that these clients run themselves (repeatable).")
@json_option
def command(
    path: Path,
    mode: str | None,
    key: Path | None,
    signer: str | None,
    name: str,
    remove_signer: str | None,
    yes: bool,
    clients: Sequence[str],
    as_json: bool,
) -> int:
    """Approve hooks of the project in PATH, or of the package above it.

    Asks about each hook that is new or that has changed, with the files that belong to it: those that its command line
    names, those of the package's hooks/ and scripts/ folders that no command line names, and those of uses in
    anyhook.toml. When one of them changes, that hook does not run until you have approved the change; the others do.
    Your own hooks, and those of your organisation, need no approval.
    """
    if name and signer is None:
        raise UsageError("--name is the name of a new signer; it goes with --signer")
    if key is not None and mode != "sign":
        raise UsageError("--key is what to sign with; it goes with --sign")
    roots = roots_for(existing_folder(path))
    if signer is not None or remove_signer is not None:
        return _change_signers(signer, name, remove_signer, roots.project, as_json)
    project = Project(roots)
    trust = TrustedProject(project, clients)
    if not trust.trusts:
        trust = TrustedProject(project.around(), clients)
    if mode == "revoke":
        return _revoke(trust, as_json)
    if mode == "sign":
        return _sign(trust, key, as_json)
    if mode == "diff":
        _print_json(trust, with_diff=True) if as_json else _print_differences(trust)
        return 0 if trust.is_trusted else _WAITS
    if not as_json:
        print_trust(trust)
    if mode != "list":
        if yes:
            trust.approve_all()
        elif can_ask() and not as_json:
            ask_about_each(trust)
        elif not trust.is_trusted:
            raise UsageError("there is no terminal to ask on; review the hooks with --list, then use --yes")
        _refuse_obstacles(trust)
    errors = _errors(trust)
    if as_json:
        _print_json(trust)
    else:
        print_problems(errors, Display(trust.roots.home))
        _print_state(trust)
    return 0 if trust.is_trusted and not errors else _WAITS


def can_ask() -> bool:
    """True if a person can answer questions."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask_about_each(trust: TrustedProject) -> None:
    """Ask about each hook that waits, with what has changed about it, and record what was approved."""
    # Guards that only restrict count in any case; a person who has seen their words lets the model see them.
    approved = {hook.content.digest for hook in trust.hooks if hook.standing == "only restricts"}
    is_all = False
    for question in _questions(trust):
        if question.obstacle:
            continue
        answer = "a" if is_all else _answer(question)
        if answer == "q":
            break
        is_all = answer == "a"
        if answer in ("y", "a"):
            approved |= question.digests
    if approved:
        trust.approve(approved)


def print_waiting(trust: TrustedProject) -> None:
    """Name the hooks that wait for approval, where nobody can be asked."""
    questions = _questions(trust)
    for question in questions:
        click.echo(hanging(f"{question.state}: {brief_line(question.label)}  {question.place}", 2, 0))
    are_withheld = not any(question.is_former for question in questions)
    text = "They do not run until you approve them" if are_withheld else "They wait for your approval"
    click.echo(f"{text}: anyhook trust {trust.roots.project}")


class _Question(Struct, frozen=True, kw_only=True):
    """A hook that waits, whichever clients read it, or one that is gone."""

    state: Literal["new", "changed", "revoked", "removed"]
    label: str
    place: str
    digests: frozenset[str]
    """What is approved with it: the hook as each client reads it, and what it was before."""
    about: tuple[str, ...] = ()
    """What belongs to it, what others of its settings do, and how it differs from before."""
    obstacle: str = ""
    """Why it cannot be approved; empty: it can."""
    is_former: bool = False
    """It is a hook as it was: it is gone, or what took its place needs no approval itself."""


def _questions(trust: TrustedProject) -> list[_Question]:
    grouped: dict[tuple[str, int, str], list[JudgedHook]] = {}
    for hook in trust.hooks:
        if not hook.may_run:
            grouped.setdefault(hook.content.written_at, []).append(hook)
    found = [_question(hooks, trust) for hooks in grouped.values()]
    asked = frozenset[str]().union(*(question.digests for question in found))
    gone: dict[tuple[str, str], list[KnownHook]] = {}
    for known in trust.missing:
        if known.digest not in asked:
            gone.setdefault((known.place, known.label), []).append(known)
    return found + [_about_former(hooks, trust) for hooks in gone.values()]


def _question(hooks: Sequence[JudgedHook], trust: TrustedProject) -> _Question:

    first = hooks[0]
    former = [hook.former for hook in hooks if hook.former and hook.standing == "changed"]
    lines = [f"{detail}" for detail in details_of(first.content.action)]
    if former:
        lines += _difference(former[0], first.content, trust)
    else:
        lines += [_describe(file) for file in first.content.files]
    return _Question(
        state="changed" if former else "revoked" if first.standing == "revoked" else "new",
        label=first.content.label,
        place=f"{first.content.place}:{first.content.action.origin.line}",
        digests=frozenset({*(hook.content.digest for hook in hooks), *(known.digest for known in former)}),
        about=tuple(lines),
        obstacle=first.content.obstacle,
    )


def _about_former(hooks: Sequence[KnownHook], trust: TrustedProject) -> _Question:
    first = hooks[0]
    is_replaced = any(
        hook.standing == "only restricts"
        and (hook.content.place, hook.content.rule.event) == (first.place, first.event)
        for hook in trust.hooks
    )
    return _Question(
        state="changed" if is_replaced else "removed",
        label=first.label,
        place=first.place,
        digests=frozenset(hook.digest for hook in hooks),
        about=tuple(_difference(first, None, trust)),
        is_former=True,
    )


def _answer(question: _Question) -> str:

    out = console()
    out.print(f"{question.state}: {hanging(question.label, 2)}", style=_STYLES.get(question.state, "red"))
    out.print(printable(f"  {question.place}"), style="dim")
    for line in question.about:
        out.print(printable(f"  {line}", keep="\t"), style=_diff_style(line))
    text = "Approve that it is gone?" if question.state == "removed" else "Approve it?"
    return str(click.prompt(f"{text} yes, no, all, quit", type=click.Choice(["y", "n", "a", "q"]), default="n"))


def _refuse_obstacles(trust: TrustedProject) -> None:
    obstacles = dict.fromkeys(hook.content.obstacle for hook in trust.hooks if hook.content.obstacle)
    if obstacles:
        raise UsageError(f"{trust.roots.project}: hooks that cannot be approved: {'; '.join(obstacles)}")


def _errors(trust: TrustedProject) -> list[Problem]:
    """The mistakes by which hooks of the project are lost, as anyhook deploy reports them."""
    clients = [trust.owner] if trust.owner else list(trust.trusts)
    found = [error for client in clients for error in errors_among(trust.package.of(client).problems)]
    return list({(error.origin.file, error.origin.line, error.text): error for error in found}.values())


def _revoke(trust: TrustedProject, as_json: bool) -> int:

    was_approved = trust.revoke()
    if as_json:
        print_json({"project": str(trust.roots.project.resolve()), "revoked": was_approved})
    else:
        text = "are no longer approved" if was_approved else "were not approved"
        click.echo(printable(f"The hooks of {trust.roots.project} {text}."))
    return 0


def _sign(trust: TrustedProject, key: Path | None, as_json: bool) -> int:

    _refuse_obstacles(trust)
    if not trust.hooks:
        raise UsageError(f"{trust.roots.project}: there are no hooks to sign")
    file, signed = trust.sign(key)
    if as_json:
        print_json({"file": str(file), "serial": signed.serial, "hooks": signed.hooks})
    else:
        number = count(len({hook.content.label for hook in trust.hooks}), "hook")
        click.echo(printable(f"{file}: {number} signed, serial {signed.serial}. Commit it with the hooks."))
        click.echo("Whoever lists your key runs them without another question: anyhook trust --signer KEY")
    return 0


def _change_signers(signer: str | None, name: str, removed: str | None, project: Path, as_json: bool) -> int:

    changed = add_signer(signer, name, project) if signer is not None else ()
    gone = remove_signer(removed, project) if removed is not None else ()
    if removed is not None and not gone:
        raise UsageError(f'there is no signer "{removed}" in {signers_file(project)}')
    if as_json:
        print_json({"added": [each.name for each in changed], "removed": [each.name for each in gone]})
        return 0
    for each in changed:
        click.echo(printable(f"What {each.name} signs runs without another question. ({signers_file(project)})"))
    for each in gone:
        click.echo(printable(f"What {each.name} has signed needs your approval again."))
    return 0


# ----------------------------------------------------------------------------------------------------------- for people


def print_trust(trust: TrustedProject) -> None:
    """Print every hook with its state, and every file that belongs to it."""
    out = console()
    files: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for client, one in trust.trusts.items():
        for hook in one.hooks:
            lines = files.setdefault(hook.content.place, {})
            lines.setdefault(tuple(_lines_about(hook, trust)), []).append(profile(client).title)
    for place, hooks in files.items():
        out.print(printable(place), style="bold")
        for (label, state, *about), titles in hooks.items():
            out.print(f"  {hanging(label, 4)}")
            style = _STYLES.get(state.partition(" ")[0].rstrip(":"), "green")
            out.print(f"    {hanging(state, 6)}", style=style)
            for line in about:
                out.print(f"    {hanging(line, 6)}", style="dim")
            readers = ", ".join(dict.fromkeys(titles))
            out.print(f"    {hanging(f'for {readers}', 6)}", style="dim")
    for question in _questions(trust):
        if question.is_former:
            out.print(f"{question.state}: {hanging(f'{question.label}  {question.place}', 2)}", style="red")


def _lines_about(hook: JudgedHook, trust: TrustedProject) -> Iterator[str]:
    """A hook, its state, and what a person should know before approving it."""
    content = hook.content
    yield content.label
    why = hook.why or content.obstacle
    yield hook.word or (f"{hook.standing}: {why}" if why else str(hook.standing))
    yield from details_of(content.action)
    if program := _missing_program(hook, trust):
        yield f"{program} is not on the PATH"
    yield from (_describe(file) for file in content.files)


def _missing_program(hook: JudgedHook, trust: TrustedProject) -> str:
    """The program that a command line starts with, if it cannot be found."""
    action = hook.content.action
    if not isinstance(action, Command) or action.is_too_long:
        return ""
    word = next(words_of(action.line()), "")
    is_plain = word.replace("-", "_").isidentifier()
    return word if is_plain and disk.find_program(word, trust.roots.environment.get("PATH")) is None else ""


def _print_state(trust: TrustedProject, *, is_diff: bool = False) -> None:

    out = console()
    hooks = {(hook.content.place, hook.content.label, hook.content.definition): hook for hook in trust.hooks}
    waiting = _questions(trust)
    if not hooks and not waiting:
        out.print(printable(f"No hook of {trust.roots.project} needs approval."), style="green")
    elif not waiting:
        out.print(
            f"{count(len(hooks), 'hook')}: all may run, each until something that belongs to it changes.", style="green"
        )
    else:
        out.print(printable(trust.reason), style="yellow")
        if not is_diff and any(question.state in ("changed", "removed") for question in waiting):
            out.print(printable(f"To see what changed: anyhook trust --diff {trust.roots.project}"))


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


def _print_differences(trust: TrustedProject) -> None:

    out = console()
    for line in _difference_lines(trust):
        out.print(printable(line, keep="\t"), style=_diff_style(line))
    _print_state(trust, is_diff=True)


def _difference_lines(trust: TrustedProject) -> Iterator[str]:
    shown: set[str] = set()
    for question in _questions(trust):
        if question.state in ("changed", "removed"):
            yield f"{question.state}: {question.label}  {question.place}"
            text = "\n".join(question.about)
            if text not in shown:  # several hooks of one file
                yield from question.about
            shown.add(text)


def _difference(known: KnownHook, now: HookContent | None, trust: TrustedProject) -> list[str]:

    return list(differences(trust.roots.project.resolve(), known, now, trust.texts))


def _diff_style(line: str) -> str:
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return styles.get(line[:1], "bold" if line.startswith("==") else "")


# --------------------------------------------------------------------------------------------------------- for programs


def _print_json(trust: TrustedProject, *, with_diff: bool = False) -> None:

    data: dict[str, Any] = {
        "project": str(trust.roots.project.resolve()),
        "is_trusted": trust.is_trusted,
        "reason": trust.reason,
        "hooks": [
            {
                "client": client,
                "file": hook.content.place,
                "line": hook.content.action.origin.line,
                "event": hook.content.rule.native_event,
                "matcher": hook.content.rule.matcher,
                "action": hook.content.action.summary(),
                "state": hook.standing,
                "word": hook.word,
                "why": hook.why or hook.content.obstacle,
                "digest": hook.content.digest,
                "details": list(details_of(hook.content.action)),
                "files": hook.content.files,
            }
            for client, one in trust.trusts.items()
            for hook in one.hooks
        ],
        "missing": [
            {"client": known.client, "file": known.place, "event": known.native_event, "action": known.label}
            for known in trust.missing
        ],
        "problems": problems_data(_errors(trust)),
    }
    if with_diff:
        data["diff"] = list(_difference_lines(trust))
    print_json(data)
