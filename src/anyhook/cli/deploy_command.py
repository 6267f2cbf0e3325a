"""``anyhook deploy``: writes a package's hooks into the files of other clients."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from anyhook.cli.options import (
    Display,
    clients_option,
    count,
    fail_option,
    json_option,
    make_roots,
    path_argument,
    scope_option,
    source_option,
)
from anyhook.cli.render import console, hanging, print_json, print_problems, printable
from anyhook.cli.trust_command import ask_about_each, can_ask, print_waiting
from anyhook.deploy.deployment import Deployment, Method, apply_deployment, hooks_to_deploy, plan_deployments, rules_for
from anyhook.deploy.leftovers import remove_leftovers
from anyhook.deploy.target_files import clients_in_use
from anyhook.dialects import dialect, profile
from anyhook.dialects.profile import Profile
from anyhook.entries.command_entries import EntryOptions
from anyhook.entries.daemon_client import client_by_name, client_by_path, is_found_by_name, program_by_path
from anyhook.entries.fail_mode import FailMode, fail_mode
from anyhook.model.codes import Severity
from anyhook.model.hooks import HookSet, Rule
from anyhook.model.origin import Scope
from anyhook.model.problems import Problem, UsageError
from anyhook.model.safe_json import escape_controls
from anyhook.model.wording import join_and
from anyhook.project.project import Project
from anyhook.project.trusted_project import TrustedProject
from anyhook.report.data import problems_data
from anyhook.report.entries import counts_in_words, errors_among
from anyhook.sources.discover import Roots
from anyhook.sources.editing.file_change import diff_lines

_EPILOG = """\b
Examples:
  anyhook deploy --client claude-code,codex,gemini-cli     three clients run hooks/hooks.json
  anyhook deploy --source claude-code --detected           Claude Code's hooks, to all other clients here
  anyhook deploy --client cursor --native --dry-run        what Cursor would run without anyhook
  anyhook deploy --client cursor --native --print          Cursor's file alone; what is lost goes to stderr
  anyhook deploy --client codex --check                    for CI: status 1 if the file is out of date
  anyhook undeploy                                         remove all of it

\b
Exit status:
  0 done, 1 a guard is lost in some client, or a hook by a mistake in its file (or, with --check, a file differs; with
  --print, no hook is left), 2 could not deploy

No hook is run. Files are edited, never overwritten: other entries stay as they are, byte for byte.
"""


@click.command("deploy", epilog=_EPILOG)
@path_argument
@clients_option("The clients (repeatable).")
@click.option("--detected", is_flag=True, help="All clients that have a hook file here.")
@source_option("Deploy this client's hooks.  [default: hooks/hooks.json]")
@scope_option("Write to the files of the project or of the user.")
@click.option("--bridge/--native", "is_bridge", default=True, help="Entries call anyhook, or run the hooks directly.")
@click.option("--absolute", is_flag=True, help="Entries name this installation by its path, for this machine only.")
@fail_option
@click.option("--strict", is_flag=True, help="Skip a client in which a guard would be lost.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
@click.option("--print", "prints", is_flag=True, help="Only print the hooks as one client's file has them.")
@click.option("--check", is_flag=True, help="Only report whether the files are up to date.")
@click.option("--yes", "-y", is_flag=True, help="Trust the hooks of this package without asking.")
@json_option
def command(
    path: Path,
    clients: tuple[str, ...],
    detected: bool,
    source: str | None,
    scope: str,
    is_bridge: bool,
    absolute: bool,
    fail: str,
    strict: bool,
    dry_run: bool,
    prints: bool,
    check: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Let other clients run the hooks of the package in PATH.

    A bridge (the default) is one entry per event in a client's file. It calls anyhook exec, which gives each hook the
    payload that it was written for and translates its reply. A native entry runs the hook's own command; only the
    configuration is translated, and what the client does not understand is reported as a loss.

    If a trusted hook changes, it does not run until you approve the change (anyhook trust); the others do. Meanwhile
    what it guards is blocked: otherwise an agent could switch off its guards by editing one. Choose --fail open to
    allow it with a message instead, or --fail closed to block also when anyhook is missing or cannot answer.
    """
    project = Project(make_roots(path, None)).around(source)
    roots, wanted = project.roots, Scope.USER if scope == "user" else Scope.PROJECT
    way: Method = "bridge" if is_bridge else "native"
    hooks = hooks_to_deploy(project, source)
    names = _clients(clients, detected, hooks, project, wanted)
    entry = _entry(hooks, source, roots, wanted, fail, by_path=absolute)
    if prints:
        if len(names) != 1 or check or dry_run:
            raise UsageError("--print is for one client; it excludes --check and --dry-run")
        rules, losses = rules_for(hooks, names[0], way, entry)
        found = (*errors_among(hooks.problems), *losses)
        return _print_file(hooks, names[0], rules, found, strict=strict, as_json=as_json)
    if not (check or dry_run):
        remove_leftovers(roots, wanted)
    plans = plan_deployments(project, hooks, names, wanted, way, entry)
    if check or dry_run:
        done = plans
    else:
        done = tuple(
            plan if plan.refusal or (strict and plan.loses_a_guard) else apply_deployment(plan) for plan in plans
        )
    if yes and is_bridge and not (check or dry_run):  # before the output, which a closed pipe ends
        _trust(roots)
    errors = errors_among(hooks.problems)
    if as_json:
        deployments = [_plain(plan, roots, wanted) for plan in done]
        print_json({"from": hooks.dialect, "problems": problems_data(errors), "deployments": deployments})
    else:
        own = {file.path for file in hooks.files}
        entries = {plan.reads_besides for plan in done if is_bridge and plan.reads_besides not in own}
        _print(done, roots, wanted, entries, changes=dry_run, will=check or dry_run, strict=strict)
        print_problems(errors, Display(roots.home))
        if is_bridge and any(_writes_guards(plan) for plan in done):
            click.echo(_FAIL_MODES[entry.fail])
    if is_bridge and entry.program == "anyhook" and not (check or dry_run):
        _warn_of_missing_program()
    is_deployed = any(not plan.refusal and not (strict and plan.loses_a_guard) for plan in done)
    if not (check or dry_run) and is_bridge and is_deployed:
        _offer_trust(roots, silent=as_json)
    if any(plan.refusal for plan in done):
        return 2
    return int(bool(errors) or any(plan.loses_a_guard or (check and plan.is_needed) for plan in done))


_FAIL_MODES: Mapping[FailMode, str] = {
    "guard": "If a trusted hook changes, what it guards is blocked until you trust it again; to allow it: --fail open",
    "open": "If a trusted hook changes, what it guards is allowed, with a message; to block it: --fail guard",
    "closed": "If a trusted hook changes or anyhook is missing, what hooks guard is blocked; to allow it: --fail open",
}
"""What becomes of the guards if they cannot be asked: the user's choice when deploying."""


def _warn_of_missing_program() -> None:
    """Tell, before it matters, that a client may not find the command that entries name."""
    if not is_found_by_name(os.environ.get("PATH", "")):
        text = (
            "warning: clients that are started without this virtual environment do not find anyhook, and run no hook; "
            "install it for all programs with pipx, or: anyhook deploy --absolute"
        )
        click.echo(text, err=True)


def _print_file(
    hooks: HookSet, client: str, rules: Sequence[Rule], losses: Sequence[Problem], *, strict: bool, as_json: bool
) -> int:
    """Print the hooks as a file of a client, and on stderr what is lost; give back the exit status."""
    loses_a_guard = any(loss.severity is Severity.ERROR for loss in losses)
    is_kept_back = not rules or (strict and loses_a_guard)
    content = dialect(client).write(rules)
    if as_json:
        shown = None if is_kept_back else content
        print_json({"from": hooks.dialect, "client": client, "content": shown, "losses": problems_data(losses)})
        return int(is_kept_back or loses_a_guard)
    if not is_kept_back:
        click.echo(escape_controls(json.dumps(content, indent=2, ensure_ascii=False)))
    found = counts_in_words(print_problems(losses, Display(Path.home()), stream=sys.stderr)) or "nothing is lost"
    number = count(sum(len(rule.actions) for rule in rules), "hook")
    outcome = f"not printed, because {'a guard would be lost' if rules else 'no hook would be left'}"
    text = f"{profile(hooks.dialect).title} to {profile(client).title}: {outcome if is_kept_back else number}; {found}."
    console(sys.stderr).print(printable(text))
    return int(is_kept_back or loses_a_guard)


def _writes_guards(plan: Deployment) -> bool:
    """Whether the deployment changes entries on events that hooks can block."""
    return plan.is_needed and any(profile(plan.client).blocks(rule.event) for rule in plan.rules)


def _clients(
    clients: tuple[str, ...], detected: bool, hooks: HookSet, project: Project, scope: Scope
) -> tuple[str, ...]:

    if clients and not detected:
        return clients
    if detected and not clients:
        found = tuple(name for name in clients_in_use(project, scope) if name != hooks.dialect)
        if not found:
            raise UsageError("no other client has a hook file here; name clients: --client claude-code,codex")
        return found
    raise UsageError("name the clients: --client claude-code,codex or --detected")


def _entry(hooks: HookSet, source: str | None, roots: Roots, scope: Scope, fail: str, *, by_path: bool) -> EntryOptions:

    # A project's files must work in every clone; those of a user only on this machine.
    is_own = scope is Scope.USER
    by_path = by_path or is_own
    return EntryOptions(
        client=client_by_path() if by_path else client_by_name(),
        program=program_by_path() if by_path else "anyhook",
        source=hooks.dialect if source else "",
        package=str(roots.project) if is_own else "",
        fail=fail_mode(fail),
    )


# ------------------------------------------------------------------------------------------------------------- output


def _plain(plan: Deployment, roots: Roots, scope: Scope) -> dict[str, Any]:

    return {
        "client": plan.client,
        "refusal": plan.refusal or None,
        "files": [
            {"path": str(file.path), "changed": file.is_needed, "removed": file.after is None}
            for file in (change.file for change in plan.changes)
        ],
        "events": [rule.native_event for rule in plan.rules],
        "serves": [plan.client, *plan.readers.served] if plan.rules else [],
        "unrecognised": plan.readers.unrecognised,
        "losses": problems_data(plan.losses),
        "needs": _needs(profile(plan.client), roots, scope),
    }


def _print(
    plans: tuple[Deployment, ...],
    roots: Roots,
    scope: Scope,
    entries: set[str],
    *,
    changes: bool,
    will: bool,
    strict: bool,
) -> None:

    out = console()
    show = Display(roots.home)
    for plan in plans:
        facts = profile(plan.client)
        out.print(printable(facts.title), style="bold")
        if plan.refusal:
            why, *remedy = plan.refusal.splitlines()
            out.print(f"  not deployed: {hanging(why, 4)}", style="red")
            for line in remedy:
                out.print(f"    {hanging(line, 4)}")
            continue
        is_kept_back = strict and plan.loses_a_guard
        told: set[Path] = set()  # when a file changes from one kind of entry to the other, there are two changes
        for change in plan.changes:
            file = change.file
            word = _word(is_needed=file.is_needed, will=will, is_kept_back=is_kept_back)
            if file.path not in told:
                out.print(printable(f"  {show.path(file.path)}: {word}"))
            told.add(file.path)
            for line in diff_lines(file, context=1) if changes else ():
                out.print(f"    {printable(line)}", style={"+": "green", "-": "red"}.get(line[:1], "dim"))
            for hidden in change.hides:
                out.print(f"  {hanging(f'{show.path(hidden)} is not read once this file exists', 4)}", style="red")
        events = ", ".join(dict.fromkeys(rule.native_event for rule in plan.rules))
        out.print(f"  {hanging(f'on {events}' if events else 'no hook is deployed', 4)}")
        print_problems(plan.losses, show, indent=2)
        _print_readers(out, plan)
        if plan.reads_besides:
            _print_other_file(out, facts.title, show.path(plan.reads_besides), is_entry=plan.reads_besides in entries)
        for need in _needs(facts, roots, scope) if plan.is_needed else ():
            out.print(f"  next      {hanging(need, 12)}")


def _print_readers(out: Console, plan: Deployment) -> None:
    """Say whom the entries in this file answer besides the client that they were written for."""
    if plan.readers.served:
        others = join_and([profile(name).title for name in plan.readers.served])
        out.print(f"  serves    {hanging(f'also {others}, in their own terms: they read this file', 12)}", style="dim")
    for name in plan.readers.unrecognised:
        text = unrecognised_text(name, plan.client)
        out.print(f"  warning   {hanging(text, 12)}", style="yellow")


def unrecognised_text(reader: str, written_for: str) -> str:
    """That an entry cannot know which client calls it."""
    one, other = profile(reader).title, profile(written_for).title
    return f"{one} also reads this file, and its calls look like those of {other}: it is answered in {other}'s terms"


def _print_other_file(out: Console, title: str, path: str, *, is_entry: bool) -> None:
    """Say which file answers a client that also reads the file of another."""
    if is_entry:
        text = f"{title} also reads {path}; the entries there leave {title} to its own file"
        out.print(f"  note      {hanging(text, 12)}", style="dim")
    else:
        text = f"{title} also reads {path}: these hooks would run twice"
        out.print(f"  warning   {hanging(text, 12)}", style="yellow")


def _word(*, is_needed: bool, will: bool, is_kept_back: bool) -> str:
    if is_kept_back:
        return "not written, because a guard would be lost"
    if will:
        return "differs" if is_needed else "up to date"
    return "written" if is_needed else "already up to date"


def _needs(facts: Profile, roots: Roots, scope: Scope) -> tuple[str, ...]:
    """What the user must do before the client runs the entries; those of all projects need no trust in one of them."""
    steps = (step for step in facts.setup if scope != "user" or "{project}" not in step)
    return tuple(step.replace("{project}", str(roots.project)) for step in steps)


def _trust(roots: Roots) -> None:

    trust = TrustedProject(Project(roots))
    if not trust.is_trusted:
        trust.approve_all()


def _offer_trust(roots: Roots, *, silent: bool) -> None:
    """Name the hooks that still need trust, and ask about each if there is a terminal."""
    trust = TrustedProject(Project(roots))
    if trust.is_trusted or silent:
        return
    if can_ask():
        ask_about_each(trust)
    else:
        print_waiting(trust)
