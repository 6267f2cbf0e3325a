"""``anyhook explain``: shows which hooks an event would run, and why not the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anyhook.cli.options import (
    ClientRelease,
    Display,
    clients_option,
    complete_event,
    home_option,
    json_option,
    make_roots,
    roots_for_client,
)
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from anyhook.engine.plan import Plan, PlannedHook
    from anyhook.sources.discover import Roots

_EPILOG = """\b
Examples:
  anyhook explain PreToolUse --tool Bash                the hooks before a shell command, for every client
  anyhook explain beforeShellExecution -c cursor        by the client's own name for the event
  anyhook explain SessionStart --subject resume         an event whose matcher sees no tool

A tool may be given by any client's name for it: Bash is Shell in Cursor and run_shell_command in Gemini CLI.
"""


@click.command("explain", epilog=_EPILOG)
@click.argument("event", shell_complete=complete_event)
@click.argument("path", type=click.Path(path_type=Path), default=".")
@click.option("--tool", "-t", help="The tool, by any client's name for it.")
@click.option("--subject", "-s", help="What the matcher sees on events without a tool: a source, trigger, path, ...")
@clients_option("--client", "-c", "clients", text="Only these clients (repeatable).", one=ClientRelease())
@home_option
@json_option
def command(
    event: str,
    path: Path,
    tool: str | None,
    subject: str | None,
    clients: tuple[str, ...],
    home: Path | None,
    as_json: bool,
) -> None:
    """Show which hooks EVENT would run for the project in PATH, and why not the others.

    No hook is run. Without --tool or --subject, a hook with a matcher is shown as "depends".
    """
    from anyhook.dialects import NAMES
    from anyhook.dialects.events import find_event, unknown_event_text

    roots = make_roots(path, home)
    if not any(find_event(event, name) for name in clients or NAMES):
        raise UsageError(unknown_event_text(event))
    if tool is not None and subject is not None:
        raise UsageError("--tool and --subject exclude each other")
    names = clients or _clients_here(roots)
    explained = [
        entry for name in names for entry in _explain(name, roots_for_client(name, roots), event, tool, subject)
    ]
    if as_json:
        _print_json(event, explained)
    else:
        _print_text(event, explained, Display(roots.home))


def _clients_here(roots: Roots) -> tuple[str, ...]:
    """The clients with a hook file of their own in the project or the home folder, and who reads the package."""
    from anyhook.dialects import NAMES
    from anyhook.sources.inventory import owners_in
    from anyhook.sources.load import Loader
    from anyhook.sources.package_hooks import PackageHooks, find_hooks_above

    loader = Loader()
    package = PackageHooks(find_hooks_above(roots.project, None, loader), loader)
    here = {*owners_in(roots, loader), package.owner()}
    return tuple(name for name in NAMES if name in here)


def _explain(name: str, roots: Roots, event: str, tool: str | None, subject: str | None) -> list[dict[str, Any]]:
    """What one client would do, once for each of its names for the tool."""
    from anyhook.bridge.entries.one_entry import leave_to_one_entry
    from anyhook.dialects import profile
    from anyhook.dialects.events import find_event, native_name
    from anyhook.engine.plan import plan_event
    from anyhook.engine.reach import mark_unreachable
    from anyhook.model.codes import Severity
    from anyhook.model.events import Subject
    from anyhook.sources.inventory import hooks_for_project

    facts = profile(name)
    known = find_event(event, name)
    native = native_name(known.name, name) if known else None
    entry: dict[str, Any] = {
        "client": name,
        "title": facts.title,
        "event": native,
        "notes": [],
        "errors": [],
        "plan": None,
    }
    if known is None or native is None:
        entry["notes"].append(f"{facts.title} has no {event} event")
        return [entry]
    hooks = leave_to_one_entry(hooks_for_project(name, roots_for_client(name, roots)))
    hooks = mark_unreachable(hooks, known_tools_only=True)
    sees = facts.matching.subject(known.name)
    values: tuple[str | None, ...] = (subject,)
    if tool is not None and sees is Subject.TOOL:
        values, note = _tool_names(name, tool)
        entry["notes"] += note
    elif tool is not None:
        entry["notes"].append(f"matchers see the {sees} here, not a tool")
    entry["project"] = roots.project
    entry["errors"] = [found for found in hooks.problems if found.severity is Severity.ERROR]
    return [entry | {"plan": plan_event(hooks, facts, known.name, value)} for value in values]


def _tool_names(client: str, tool: str) -> tuple[tuple[str | None, ...], list[str]]:
    """The client's names for a tool, which may be given by another client's name; and notes about that."""
    from anyhook.dialects import profile
    from anyhook.dialects.translation.tools import is_mcp_name, owners_of, tool_names, translate_name
    from anyhook.model.wording import close_matches, join_or

    title = profile(client).title
    if tool in tool_names(client) or is_mcp_name(tool, client):
        return (tool,), []
    translations = [translate_name(tool, owner, client) for owner in owners_of(tool)]
    for translation in translations:
        if translation.names:
            called = join_or(translation.names)
            losses = f" ({'; '.join(translation.losses)})" if translation.losses else ""
            return translation.names[:1], [f"{tool} is called {called} in {title}{losses}"]
    if translations:
        return (tool,), [f"{title} has no tool like {tool}"]
    close = close_matches(tool, sorted(tool_names(client)))
    hint = f"; did you mean {close[0]}?" if close else ""
    return (tool,), [f"{title} is not known to have a tool called {tool}{hint}"] if tool_names(client) else []


def _print_json(event: str, explained: list[dict[str, Any]]) -> None:
    from anyhook.cli.render import print_json

    print_json({"event": event, "clients": [_entry_json(entry) for entry in explained]})


def _entry_json(entry: dict[str, Any]) -> dict[str, Any]:
    from anyhook.cli.rows import problem_json

    plan: Plan | None = entry["plan"]
    hooks = [
        {
            "verdict": hook.verdict,
            "why": hook.why,
            "matcher": hook.rule.matcher,
            "type": hook.action.kind,
            "action": hook.action.summary(),
            "behind": _behind_json(hook, entry),
            "scope": hook.action.origin.scope,
            "file": hook.action.origin.file,
            "line": hook.action.origin.line,
        }
        for hook in (plan.hooks if plan else ())
    ]
    order = plan.order if plan else None
    subject = plan.subject if plan else None
    return {
        "client": entry["client"],
        "event": entry["event"],
        "subject": subject,
        "order": order,
        "notes": entry["notes"],
        "hooks": hooks,
        "errors": [problem_json(found) for found in entry["errors"]],
    }


def _behind_json(hook: PlannedHook, entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The hooks that an entry of anyhook asks."""
    from anyhook.bridge.entries.hooks_behind import hooks_behind

    behind = hooks_behind(hook.action, entry["client"], hook.rule.event, entry["project"])
    return [
        {"matcher": rule.matcher, "action": asked.summary(), "file": asked.origin.file, "line": asked.origin.line}
        for rule, asked in behind
    ]


def _print_text(event: str, explained: list[dict[str, Any]], show: Display) -> None:
    from anyhook.bridge.entries.hooks_behind import hooks_behind
    from anyhook.cli.render import console, hanging, printable

    out = console()
    if not explained:
        out.print(f"No client has hooks here, so {event} runs none. To see the files that were searched: anyhook list")
        return
    for entry in explained:
        plan: Plan | None = entry["plan"]
        head = f"{entry['title']}: {entry['event'] or event}"
        if plan is not None and plan.subject is not None:
            head += f" with {plan.subject}"
        out.print(printable(head), style="bold")
        for note in entry["notes"]:
            out.print(f"  note: {hanging(note, 8)}", style="dim")
        if plan is None:
            out.print()
            continue
        runs = len(plan.runs)
        out.print(f"  {runs} of {len(plan.hooks)} hooks would run" + (f", {plan.order}" if runs > 1 else ""))
        for hook in plan.hooks:
            origin = hook.action.origin
            style = {"runs": "green", "depends": "yellow"}.get(hook.verdict, "dim")
            behind = hooks_behind(hook.action, entry["client"], hook.rule.event, entry["project"])
            text = "anyhook, which asks:" if behind else hook.action.summary()
            if behind and hook.verdict == "skipped":
                text, behind = "anyhook", ()
            out.print(f"  {hook.verdict:<8}{hanging(text, 10)}", style=style)
            for rule, asked in behind:
                matcher = f" on {rule.matcher}" if rule.matcher else ""
                place = show.place(asked.origin.file, asked.origin.line)
                out.print(f"            {hanging(f'{asked.summary()}{matcher} ({place})', 12)}", style=style)
            out.print(f"          {hanging(f'{show.place(origin.file, origin.line)}: {hook.why}', 10)}", style="dim")
        for found in entry["errors"]:
            place = show.place(found.origin.file, found.origin.line)
            out.print(f"  error   {hanging(f'{place}: {found.text}', 10)}", style="yellow")
        out.print()
