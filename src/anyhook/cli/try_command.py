"""``anyhook try``: whether a call is blocked, by the hooks of every client here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from anyhook.cli.options import (
    ClientRelease,
    Display,
    OneOf,
    clients_option,
    home_option,
    json_option,
    make_roots,
)
from anyhook.cli.render import Column, console, hanging, print_json, table
from anyhook.dialects import profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.translation.attempts import Attempt
from anyhook.editor.try_attempt import Tried, try_attempt
from anyhook.model.problems import UsageError
from anyhook.model.wording import brief_line, join_and
from anyhook.project.project import Project

_EPILOG = """\b
Examples:
  anyhook try 'rm -rf ~'                      would a shell command be blocked, in each client here?
  anyhook try --write .env --client cursor    a file that is written
  anyhook try --fetch https://example.com     an address that is fetched
  anyhook try --mcp github/delete_repo --input '{"name": "shop"}'
  anyhook try 'rm -rf ~' --expect block       for CI: exit 1 if a client does not block it

\b
Outcomes:
  blocked      a hook, or the fail mode of an entry, refuses the call
  asked        a hook wants the user, or the host, to decide
  allowed      hooks were asked, and none refused; one that failed is named
  not covered  no hook was asked: none is for this call, or it is not trusted

\b
Exit status:
  0 tried, 1 --expect does not hold or there is no client to try, 2 wrong usage

The call itself is not carried out, but this RUNS the hooks of the project and of your home folder.
"""

_EXPECTED = {"block": "blocked", "ask": "asked", "allow": "allowed", "uncovered": "not covered"}
_MAX_NAME, _MAX_REASON = 80, 300


@click.command("try", epilog=_EPILOG)
@click.argument("command_line", metavar="[COMMAND]", required=False)
@click.option("--write", metavar="PATH", help="Try to write a file instead of a shell command.")
@click.option("--read", metavar="PATH", help="Try to read a file.")
@click.option("--fetch", metavar="URL", help="Try to fetch an address.")
@click.option("--mcp", metavar="SERVER/TOOL", help="Try to call the tool of an MCP server.")
@click.option("--input", "tool_input", metavar="JSON", help="The input of the MCP tool.")
@click.option("--prompt", metavar="TEXT", help="Try to submit a prompt.")
@clients_option("Only these clients (repeatable).", ClientRelease())
@click.option("--expect", type=OneOf(list(_EXPECTED)), help="Exit with 1 where a client does anything else.")
@home_option
@json_option
def command(
    command_line: str | None,
    write: str | None,
    read: str | None,
    fetch: str | None,
    mcp: str | None,
    tool_input: str | None,
    prompt: str | None,
    clients: tuple[str, ...],
    expect: str | None,
    home: Path | None,
    as_json: bool,
) -> int:
    """Show what becomes of a call in each client that has hooks here: a shell COMMAND, a file, an address, a prompt.

    The hooks of each client are asked as the client would ask them, with its own names for the event and the tool.
    Hooks that the client runs itself need no trust. Of those behind an entry of anyhook, only trusted ones are asked.
    """
    project = Project(make_roots(Path(), home))
    targets = {"shell": command_line, "write": write, "read": read, "web fetch": fetch, "mcp": mcp, "prompt": prompt}
    attempt = _attempt({kind: target for kind, target in targets.items() if target is not None}, tool_input, project)
    names = clients or _clients_with_hooks(project)
    tried = tuple(try_attempt(attempt, project, names))
    if as_json:
        _print_json(attempt, tried, expect, project.unread)
    else:
        _print_text(tried, expect, project)
    if expect is None:
        return 0
    return 0 if tried and all(each.verdict.value == _EXPECTED[expect] for each in tried) else 1


def _attempt(targets: Mapping[str, str], tool_input: str | None, project: Project) -> Attempt:
    """The one call that is wanted. Raises UsageError."""
    if len(targets) != 1:
        what = "a command, --write, --read, --fetch, --mcp or --prompt"
        raise UsageError(f"give one call to try: {what}" + ("; not several" if targets else ""))
    ((kind, target),) = targets.items()
    if not target.strip():
        raise UsageError("the call to try is empty")
    if tool_input is not None and kind != "mcp":
        raise UsageError("--input is the input of --mcp")
    if kind in ("write", "read"):
        return Attempt(kind, str(project.folder / target))
    if kind != "mcp":
        return Attempt(kind, target)
    server, slash, tool = target.partition("/")
    if not (server and slash and tool):
        raise UsageError(f"--mcp {target}: write SERVER/TOOL, such as github/create_issue")
    return Attempt(kind, target, _object(tool_input or "{}"))


def _object(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--input: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError("--input: the input of a tool is a JSON object, such as {}")
    return found


def _clients_with_hooks(project: Project) -> tuple[str, ...]:
    """The clients that have hooks here; a package has none before it is deployed."""
    known = (name for name in project.started_here if name != OWN and profile(name).runs_hooks)
    return tuple(name for name in known if project.started(name).has_rules)


def _print_json(attempt: Attempt, tried: Sequence[Tried], expect: str | None, unread: Sequence[str]) -> None:

    clients = [
        {
            "client": each.client,
            "event": each.event,
            "tool": each.tool,
            "outcome": each.verdict.value,
            "hook": each.decided_by.hook if each.decided_by else "",
            "file": each.decided_by.file if each.decided_by else "",
            "line": each.decided_by.line if each.decided_by else 0,
            "reason": each.why,
            "asked": each.asked,
            "not_asked": each.withheld,
            **({} if expect is None else {"as_expected": each.verdict.value == _EXPECTED[expect]}),
        }
        for each in tried
    ]
    call = {"kind": attempt.kind, "target": attempt.target, "input": attempt.input}
    print_json({**call, "clients": clients, "unread": unread})


def _print_text(tried: Sequence[Tried], expect: str | None, project: Project) -> None:
    """One row for each client; below, each reason once."""
    show, out = Display(project.roots.home), console()
    if not tried:
        out.print(hanging(_no_clients(project), 0))
        return
    rows = [(_title(each), each.verdict.value, each.event, each.tool, _hook(each, show)) for each in tried]
    table(("CLIENT", "OUTCOME", "EVENT", "TOOL", Column("HOOK", flexible=True)), rows)
    told = [each.why for each in tried]
    for line in project.unread:
        if line not in told:
            out.print(hanging(show.text(line), 2), style="yellow")
    reasons: dict[str, list[str]] = {}
    for each in tried:
        if each.why:
            reasons.setdefault(brief_line(show.text(each.why), _MAX_REASON), []).append(_title(each))
    for reason, titles in reasons.items():
        who = "" if len(titles) == len(tried) else f"{join_and(titles)}: "
        out.print(who, style="bold", end="")
        out.print(hanging(reason, 2, len(who)))
    if expect is not None and (wrong := [each for each in tried if each.verdict.value != _EXPECTED[expect]]):
        names = join_and(f"{_title(each)} ({each.verdict.value})" for each in wrong)
        out.print(hanging(f"--expect {expect} does not hold in {names}", 2), style="bold red")


def _title(tried: Tried) -> str:

    return profile(tried.client).title


def _hook(tried: Tried, show: Display) -> str:
    """The hook that decides; else the one that failed, or those that were asked."""
    hook = tried.decided_by or next(iter(tried.failed), None)
    if hook is None and len(tried.asked) == 1:
        hook = tried.asked[0]
    if hook is None:
        return f"{len(tried.asked)} hooks" if tried.asked else ""
    name = brief_line(hook.hook, _MAX_NAME)
    return f"{name} ({show.place(hook.file, hook.line)})" if hook.file else name


def _no_clients(project: Project) -> str:
    if project.package.owner() is not None:
        return "No client has these hooks yet. To let a client run them: anyhook deploy --client claude-code"
    return (
        "No client has hooks here. To begin with a guard: anyhook add shell, then anyhook deploy --client claude-code"
    )
