"""``anyhook explain``: shows which hooks an event would run, and why not the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anyhook.cli.options import (
    ClientRelease,
    Display,
    clients_option,
    complete_event,
    count,
    home_option,
    json_option,
    make_roots,
    path_argument,
)
from anyhook.cli.render import console, hanging, print_json, print_problems, printable
from anyhook.cli.rows import asked_json
from anyhook.dialects import NAMES, profile
from anyhook.dialects.events import find_event, native_name, unknown_event_text
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.own_tools import events_of_tool, own_tool
from anyhook.engine.plan import Plan, PlannedHook, plan_event
from anyhook.model.events import Subject
from anyhook.model.problems import UsageError
from anyhook.model.wording import brief_line
from anyhook.project.hook import ResolvedHook
from anyhook.project.project import Project
from anyhook.project.resolve import ProjectClient
from anyhook.report.data import problems_data
from anyhook.report.entries import errors_among

_EPILOG = """\b
Examples:
  anyhook explain PreToolUse --tool Bash                the hooks before a shell command, for every client
  anyhook explain beforeShellExecution -c cursor        by the client's own name for the event
  anyhook explain SessionStart --subject resume         an event whose matcher sees no tool

A tool may be given by any client's name for it: Bash is Shell in Cursor and run_shell_command in Gemini CLI.
"""


@click.command("explain", epilog=_EPILOG)
@click.argument("event", shell_complete=complete_event)
@path_argument
@click.option("--tool", "-t", help="The tool, by any client's name for it.")
@click.option("--subject", "-s", help="What the matcher sees on events without a tool: a source, trigger, path, ...")
@clients_option("Only these clients (repeatable).", ClientRelease())
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
    project = Project(make_roots(path, home))
    if not any(find_event(event, name) for name in clients or NAMES):
        raise UsageError(unknown_event_text(event))
    if tool is not None and subject is not None:
        raise UsageError("--tool and --subject exclude each other")
    names = clients or project.started_here
    explained = [entry for name in names for entry in _explain(name, project, event, tool, subject)]
    if as_json:
        _print_json(event, explained)
    else:
        _print_text(event, explained, Display(project.roots.home))


def _explain(name: str, project: Project, event: str, tool: str | None, subject: str | None) -> list[dict[str, Any]]:
    """What one client would do, once for each of its events that the event is."""
    facts = profile(name)
    known = find_event(event, name)
    canonical = events_of_tool(known.name, tool, facts) if known else ()
    if not canonical:
        note = f"{facts.title} has no {event} event"
        entry = {"client": name, "title": facts.title, "event": None, "notes": [note], "errors": [], "plan": None}
        return [entry]
    return [_explained(facts, project.started(name), each, tool, subject) for each in canonical]


def _explained(
    client: Profile, started: ProjectClient, event: str, tool: str | None, subject: str | None
) -> dict[str, Any]:

    sees = client.matching.subject(event)
    notes: list[str] = []
    if tool is not None and sees is Subject.TOOL:
        own = own_tool(tool, client)
        subject = own.name
        notes = [own.note] if own.note else []
    elif tool is not None:
        no_tool = "this event has no tool, and nothing else to match"
        notes = [no_tool if sees is Subject.NOTHING else f"matchers see the {sees} here, not a tool"]
    return {
        "client": client.name,
        "title": client.title,
        "event": native_name(event, client.name),
        "started": started,
        "notes": notes,
        "errors": errors_among(started.problems),
        "plan": plan_event(started.hook_set, client, event, subject),
    }


def _print_json(event: str, explained: list[dict[str, Any]]) -> None:

    print_json({"event": event, "clients": [_entry_json(entry) for entry in explained]})


def _entry_json(entry: dict[str, Any]) -> dict[str, Any]:

    plan: Plan | None = entry["plan"]
    hooks = [
        {
            "verdict": hook.verdict,
            "why": hook.why,
            "matcher": hook.rule.matcher,
            "type": hook.action.kind,
            "action": hook.action.summary(),
            "behind": [asked_json(asked) for asked in _behind(hook, entry)],
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
        "errors": problems_data(entry["errors"]),
    }


def _behind(hook: PlannedHook, entry: dict[str, Any]) -> tuple[ResolvedHook, ...]:
    """The hooks that an entry of anyhook asks."""
    started: ProjectClient = entry["started"]
    return started.hook(hook.action).behind


def _print_text(event: str, explained: list[dict[str, Any]], show: Display) -> None:

    out = console()
    if not explained:
        out.print(
            f"No client has hooks here, so {event} runs none. "
            "To see the files that were searched: anyhook list --client CLIENT"
        )
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
        out.print(f"  {runs} of {count(len(plan.hooks), 'hook')} would run" + (f", {plan.order}" if runs > 1 else ""))
        for hook in plan.hooks:
            origin = hook.action.origin
            style = {"runs": "green", "depends": "yellow"}.get(hook.verdict, "dim")
            behind = _behind(hook, entry)
            text = "anyhook, which asks:" if behind else brief_line(hook.action.summary())
            if behind and hook.verdict == "skipped":
                text, behind = "anyhook", ()
            out.print(f"  {hook.verdict:<8}{hanging(text, 10)}", style=style)
            for asked in behind:
                matcher = f" on {asked.matcher}" if asked.matcher else ""
                text = f"{brief_line(asked.summary)}{matcher} ({show.place(asked.file, asked.line)})"
                waits = "" if asked.is_active else f": {asked.state}: {asked.why}"
                out.print(f"            {hanging(text + waits, 12)}", style="yellow" if waits else style)
            out.print(f"          {hanging(f'{show.place(origin.file, origin.line)}: {hook.why}', 10)}", style="dim")
        print_problems(entry["errors"], show, indent=2)
        out.print()
