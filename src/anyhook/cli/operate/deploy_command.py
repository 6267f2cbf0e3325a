"""``anyhook deploy``: writes a package's hooks into the files of other clients."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.options import (
    ClientName,
    Display,
    OneOf,
    clients_option,
    fail_option,
    json_option,
    make_roots,
    package_roots,
)
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from anyhook.bridge.client_answer import FailMode
    from anyhook.bridge.entries.command_entries import EntryOptions
    from anyhook.deploy.deployment import Deployment
    from anyhook.dialects.profile import Profile
    from anyhook.model.hooks import HookSet
    from anyhook.model.origin import Scope
    from anyhook.sources.discover import Roots

_EPILOG = """\b
Examples:
  anyhook deploy --to claude-code,codex,gemini-cli     three clients run hooks/hooks.json
  anyhook deploy --from claude-code --detected         Claude Code's hooks, to all other clients here
  anyhook deploy --to cursor --native --dry-run        what Cursor would run without anyhook
  anyhook deploy --to codex --check                    for CI: status 1 if the file is out of date
  anyhook undeploy                                     remove all of it

\b
Exit status:
  0 done, 1 a guard is lost in some client, or a hook by a mistake in its file (or, with --check, a file differs),
  2 could not deploy

No hook is run. Files are edited, never overwritten: other entries stay as they are, byte for byte.
"""


@click.command("deploy", epilog=_EPILOG)
@click.argument("path", type=click.Path(path_type=Path), default=".")
@clients_option("--to", "clients", text="The clients (repeatable).")
@click.option("--detected", is_flag=True, help="All clients that have a hook file here.")
@click.option("--from", "source", type=ClientName(), help="Deploy this client's hooks.  [default: hooks/hooks.json]")
@click.option(
    "--scope",
    type=OneOf(["project", "user"]),
    default="project",
    help="Write to the files of the project or of the user.",
)
@click.option("--bridge/--native", "is_bridge", default=True, help="Entries call anyhook, or run the hooks directly.")
@fail_option
@click.option("--strict", is_flag=True, help="Skip a client in which a guard would be lost.")
@click.option("--dry-run", is_flag=True, help="Only show what would be written.")
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
    fail: str,
    strict: bool,
    dry_run: bool,
    check: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Let other clients run the hooks of the package in PATH.

    A bridge (the default) is one entry per event in a client's file. It calls anyhook exec, which gives each hook the
    payload that it was written for and translates its reply. A native entry runs the hook's own command; only the
    configuration is translated, and what the client does not understand is reported as a loss.

    If a trusted hook changes, no hook of the package runs until you approve the change (anyhook trust). Meanwhile the
    events that it guards are blocked: otherwise an agent could switch off its guards by editing one. Choose --fail open
    to allow them with a message instead, or --fail closed to block also when anyhook is missing or cannot answer.
    """
    from anyhook.cli.loss_report import errors_of, print_errors
    from anyhook.deploy.deployment import apply_deployment, hooks_to_deploy, plan_deployments
    from anyhook.deploy.leftovers import remove_leftovers
    from anyhook.model.origin import Scope

    roots = package_roots(make_roots(path, None), source)
    wanted = Scope.USER if scope == "user" else Scope.PROJECT
    hooks = hooks_to_deploy(roots.project, source)
    names = _clients(clients, detected, hooks, roots, wanted)
    entry = _entry(hooks, source, roots, wanted, fail)
    if not (check or dry_run):
        remove_leftovers(roots, wanted)
    plans = plan_deployments(hooks, names, roots, wanted, "bridge" if is_bridge else "native", entry)
    if check or dry_run:
        done = plans
    else:
        done = tuple(
            plan if plan.refusal or (strict and plan.loses_a_guard) else apply_deployment(plan) for plan in plans
        )
    if yes and is_bridge and not (check or dry_run):  # before the output, which a closed pipe ends
        _trust(roots)
    errors = errors_of(hooks)
    if as_json:
        from anyhook.cli.render import print_json
        from anyhook.cli.rows import problem_json

        problems = [problem_json(found) for found in errors]
        deployments = [_plain(plan, roots) for plan in done]
        print_json({"from": hooks.dialect, "problems": problems, "deployments": deployments})
    else:
        own = {file.path for file in hooks.files}
        entries = {plan.reads_besides for plan in done if is_bridge and plan.reads_besides not in own}
        _print(done, roots, entries, changes=dry_run, will=check or dry_run, strict=strict)
        print_errors(errors, Display(roots.home))
        if is_bridge and any(_writes_guards(plan) for plan in done):
            click.echo(_FAIL_MODES[entry.fail])
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


def _writes_guards(plan: Deployment) -> bool:
    """Whether the deployment changes entries on events that hooks can block."""
    from anyhook.dialects import profile

    return plan.is_needed and any(profile(plan.client).blocks(rule.event) for rule in plan.rules)


def _clients(clients: tuple[str, ...], detected: bool, hooks: HookSet, roots: Roots, scope: Scope) -> tuple[str, ...]:
    from anyhook.deploy.clients import clients_in_use

    if clients and not detected:
        return clients
    if detected and not clients:
        found = tuple(name for name in clients_in_use(roots, scope) if name != hooks.dialect)
        if not found:
            raise UsageError("no other client has a hook file here; name clients: --to claude-code,codex")
        return found
    raise UsageError("name the clients: --to claude-code,codex or --detected")


def _entry(hooks: HookSet, source: str | None, roots: Roots, scope: Scope, fail: str) -> EntryOptions:
    import shutil

    from anyhook.bridge.client_answer import fail_mode
    from anyhook.bridge.entries.command_entries import EntryOptions
    from anyhook.bridge.entries.daemon_client import client_by_name, client_by_path
    from anyhook.model.origin import Scope

    # A project's files must work in every clone; those of a user only on this machine.
    is_own = scope is Scope.USER
    return EntryOptions(
        client=client_by_path() if is_own else client_by_name(),
        program=(shutil.which("anyhook") or "anyhook") if is_own else "anyhook",
        source=hooks.dialect if source else "",
        package=str(roots.project) if is_own else "",
        fail=fail_mode(fail),
    )


# ------------------------------------------------------------------------------------------------------------- output


def _plain(plan: Deployment, roots: Roots) -> dict[str, Any]:
    from anyhook.dialects import profile

    return {
        "client": plan.client,
        "refusal": plan.refusal or None,
        "files": [
            {"path": str(change.path), "changed": change.is_needed, "removed": change.after is None}
            for change in plan.changes
        ],
        "events": [rule.native_event for rule in plan.rules],
        "serves": [plan.client, *plan.readers.served] if plan.rules else [],
        "unrecognised": plan.readers.unrecognised,
        "losses": plan.losses,
        "needs": _needs(profile(plan.client), roots),
    }


def _print(
    plans: tuple[Deployment, ...], roots: Roots, entries: set[str], *, changes: bool, will: bool, strict: bool
) -> None:
    from anyhook.cli.loss_report import print_losses
    from anyhook.cli.render import console, hanging, printable
    from anyhook.dialects import profile

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
            word = _word(is_needed=change.is_needed, will=will, is_kept_back=is_kept_back)
            if change.path not in told:
                out.print(printable(f"  {show.path(change.path)}: {word}"))
            told.add(change.path)
            if changes and change.is_needed:
                _print_difference(out, change.before or b"", change.after or b"")
            for hidden in change.hides:
                out.print(f"  {hanging(f'{show.path(hidden)} is not read once this file exists', 4)}", style="red")
        events = ", ".join(dict.fromkeys(rule.native_event for rule in plan.rules))
        out.print(f"  {hanging(f'on {events}' if events else 'no hook is deployed', 4)}")
        print_losses(out, plan.losses, show, indent=2)
        _print_readers(out, plan)
        if plan.reads_besides:
            _print_other_file(out, facts.title, show.path(plan.reads_besides), is_entry=plan.reads_besides in entries)
        for need in _needs(facts, roots) if plan.is_needed else ():
            out.print(f"  next      {hanging(need, 12)}")


def _print_readers(out: Console, plan: Deployment) -> None:
    """Say whom the entries in this file answer besides the client that they were written for."""
    from anyhook.cli.render import hanging
    from anyhook.dialects import profile
    from anyhook.model.wording import join_and

    if plan.readers.served:
        others = join_and([profile(name).title for name in plan.readers.served])
        out.print(f"  serves    {hanging(f'also {others}, in their own terms: they read this file', 12)}", style="dim")
    for name in plan.readers.unrecognised:
        text = unrecognised_text(name, plan.client)
        out.print(f"  warning   {hanging(text, 12)}", style="yellow")


def unrecognised_text(reader: str, written_for: str) -> str:
    """That an entry cannot know which client calls it."""
    from anyhook.dialects import profile

    one, other = profile(reader).title, profile(written_for).title
    return f"{one} also reads this file, and its calls look like those of {other}: it is answered in {other}'s terms"


def _print_other_file(out: Console, title: str, path: str, *, is_entry: bool) -> None:
    """Say which file answers a client that also reads the file of another."""
    from anyhook.cli.render import hanging

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


def _print_difference(out: Console, before: bytes, after: bytes) -> None:
    from difflib import unified_diff

    from anyhook.cli.render import printable

    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, after))
    for line in list(unified_diff(old, new, lineterm="", n=1))[2:]:
        style = {"+": "green", "-": "red"}.get(line[:1], "dim")
        out.print(f"    {printable(line)}", style=style)


def _needs(facts: Profile, roots: Roots) -> tuple[str, ...]:
    """What the user must do before the client runs the entries."""
    return tuple(step.replace("{project}", str(roots.project)) for step in facts.setup)


def _trust(roots: Roots) -> None:
    from anyhook.bridge.project_trust import trust_of_project
    from anyhook.trust.records import trust_project

    trust = trust_of_project(roots)
    if not trust.is_trusted and not trust.fingerprint.doubts_about_guards:  # those are accepted one by one
        trust_project(roots, trust.fingerprint)


def _offer_trust(roots: Roots, *, silent: bool) -> None:
    """Show the hooks and ask the user to trust them; without that, the entries run none."""
    from anyhook.bridge.project_trust import trust_of_project
    from anyhook.cli.operate.trust_command import confirm_uncovered, print_trust
    from anyhook.trust.records import trust_project

    trust = trust_of_project(roots)
    if trust.is_trusted:
        return
    can_ask = sys.stdin.isatty() and sys.stdout.isatty() and not silent
    if can_ask:
        print_trust(trust)
        is_wanted = click.confirm("The entries run these hooks only if you trust them. Trust them?")
        if is_wanted and confirm_uncovered(trust.fingerprint):
            trust_project(roots, trust.fingerprint, accepts_uncovered=True)
    elif not silent:
        uncovered = trust.fingerprint.doubts_about_guards
        why = "; a guard runs what cannot be checked" if uncovered else ""
        click.echo(f"The entries run no hook until you trust them: anyhook trust{why}")
