"""``anyhook fire``: runs the hooks of an event, as a client would."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from anyhook.cli.options import ClientRelease, Display, home_option, json_option, make_roots, roots_for_client
from anyhook.model.problems import UsageError

if TYPE_CHECKING:
    from anyhook.engine.engine import Engine
    from anyhook.model.outcome import Outcome
    from anyhook.model.payload_base import Payload

_EPILOG = """\b
Examples:
  echo '{"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}' | anyhook fire --as claude-code --event PreToolUse
  anyhook fire --as gemini --event BeforeTool --input event.json
  anyhook fire --as codex --event PreToolUse --json < event.json | jq .effect

This RUNS the hooks of the project and of your home folder. Use it only with hooks that you trust.
"""
BACKGROUND_SECONDS = 2.0
"""How long to wait for background hooks before they are killed."""
_STYLES = {
    "allowed": "green",
    "blocked": "bold red",
    "failed-so-allowed": "yellow",
    "failed-so-blocked": "red",
    "timed-out": "yellow",
}


@click.command("fire", epilog=_EPILOG)
@click.option("--as", "client", type=ClientRelease(), required=True, help="The client whose rules apply.")
@click.option("--event", "-e", required=True, help="The event, by any client's name for it.")
@click.option("--project", type=click.Path(path_type=Path), default=".", help="The project folder.  [default: here]")
@click.option("--input", "source", type=click.File("rb"), default="-", help="The payload as JSON.  [default: stdin]")
@click.option("--permission-mode", help="The permission mode of the client.")
@click.option("--raw", is_flag=True, help="Give the payload to the hooks as it is; add no fields.")
@click.option("--verbose", "-v", is_flag=True, help="Show what each hook printed.")
@home_option
@json_option
def command(
    client: str,
    event: str,
    project: Path,
    source: BinaryIO,
    permission_mode: str | None,
    raw: bool,
    verbose: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Run the hooks of an event as a client would, and show what the client would do next.

    The payload is the JSON that the client sends to hooks, with its own names. The fields that the client sends with
    every event (its name, session, folder, time) are added if they are missing. The exit status is 0 whatever the hooks
    decide.
    """
    from msgspec import structs

    from anyhook.bridge.entries.one_entry import leave_to_one_entry
    from anyhook.dialects import profile
    from anyhook.dialects.wire.payloads import decode_payload
    from anyhook.engine.engine import Engine
    from anyhook.sources.inventory import hooks_for_project

    roots = roots_for_client(client, make_roots(project, home))
    native = _native_event(event, client)
    if source.isatty():
        click.echo(f"Type the payload of {native} as a JSON object, then Ctrl-D on a line of its own.", err=True)
    payload, problems = decode_payload(profile(client), source.read(), native)
    if not raw:
        payload = _completed(payload, client, roots.project)
    if permission_mode is not None:
        payload = structs.replace(payload, permission_mode=permission_mode)
    hooks = leave_to_one_entry(hooks_for_project(client, roots))
    engine = Engine(hooks, project=roots.project, home=roots.home)
    outcome = engine.fire_sync(payload, wait=BACKGROUND_SECONDS)
    problems += engine.hooks.problems
    outcome = structs.replace(outcome, problems=(*problems, *outcome.problems))
    if as_json:
        from anyhook.cli.render import print_json

        print_json(outcome.to_json())
    else:
        _print_trace(engine, payload, outcome, Display(roots.home), roots.project, verbose=verbose)


def _native_event(event: str, client: str) -> str:
    """The client's name for an event, which may be given by another client's name. Raises UsageError."""
    from anyhook.dialects import profile
    from anyhook.dialects.events import find_event, native_name, native_names, unknown_event_text

    if event in native_names(client):
        return event
    known = find_event(event, client)
    if known is None:
        raise UsageError(unknown_event_text(event))
    native = native_name(known.name, client)
    if native is None:
        raise UsageError(f"{profile(client).title} has no {event} event; it has {', '.join(native_names(client))}")
    return native


def _completed(payload: Payload, client: str, project: Path) -> Payload:
    """The payload with the fields that the client sends with every event, in the client's own spelling."""
    from datetime import UTC, datetime

    from msgspec import UNSET, structs

    from anyhook.dialects import profile
    from anyhook.model.payload_base import Spelling

    common = {"session_id": "anyhook-fire", "cwd": str(project)}
    if profile(client).variant(payload.native_event).wire.timestamps:
        common["timestamp"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    missing = {field: value for field, value in common.items() if getattr(payload, field) is UNSET}
    return structs.replace(payload, spelling=Spelling(), **missing)


def _print_trace(
    engine: Engine, payload: Payload, outcome: Outcome, show: Display, project: Path, *, verbose: bool
) -> None:
    from anyhook.bridge.entries.hooks_behind import asked_text, hooks_behind
    from anyhook.cli.render import console, hanging, printable

    out = console()
    plan = engine.plan(payload)
    why = {hook.action.origin: hook.why for hook in plan.hooks}
    asked = {
        action.origin: asked_text(hook.summary() for _, hook in behind)
        for rule in engine.hooks.rules
        for action in rule.actions
        if (behind := hooks_behind(action, outcome.client, rule.event, project))
    }
    subject = f" with {plan.subject}" if plan.subject else ""
    out.print(printable(f"{engine.profile.title}: {outcome.native_event}{subject}"), style="bold")
    if not outcome.runs and not outcome.skipped:
        out.print("  no hook has this event", style="dim")
    for run in outcome.runs:
        place = f"{show.place(run.origin.file, run.origin.line)}: {why.get(run.origin, '')}"
        out.print(f"  {run.status:<18}", style=_STYLES.get(run.status, ""), end="")
        out.print(printable(f"{asked.get(run.origin, run.summary)}  ({run.duration_ms:.0f} ms)"))
        out.print(f"  {'':<18}{hanging(place, 20)}", style="dim")
        for line in run.reason.splitlines():
            out.print(f"  {'':<18}{hanging(line, 20)}")
        for name, text in (("stdout", run.stdout), ("stderr", run.stderr)) if verbose else ():
            for line in text.splitlines():
                out.print(f"  {'':<18}{name}: {hanging(line, 28)}", style="dim")
    for skip in outcome.skipped:
        place = show.place(skip.origin.file, skip.origin.line)
        out.print(printable(f"  {'skipped':<18}{asked.get(skip.origin, skip.summary)}"), style="dim")
        out.print(f"  {'':<18}{hanging(f'{place}: {skip.reason}', 20)}", style="dim")
    for problem in outcome.problems:
        place = show.place(problem.origin.file, problem.origin.line)
        out.print(f"  problem: {hanging(f'{place}: {problem.text}', 11)}", style="yellow")
    _print_effect(outcome)


def _print_effect(outcome: Outcome) -> None:
    from anyhook.cli.render import console, printable

    out = console()
    words = {
        "proceed": "goes ahead",
        "block": "blocks it",
        "ask": "asks the user",
        "defer": "leaves the decision to the host",
        "feedback": "tells the model what is wrong",
        "continue": "keeps the agent going",
        "stop": "ends the turn",
    }
    reason = f": {outcome.reason}" if outcome.reason else ""
    out.print(printable(f"The client {words[outcome.effect]}{reason}".rstrip(), keep="\n"), style="bold")
    for who, texts in (("model", outcome.to_model), ("user", outcome.to_user)):
        for text in texts:
            out.print(f"  to the {who}: ", style="cyan", end="")
            out.print(printable(text, keep="\n"))
    if outcome.updated_input is not None:
        out.print(printable(f"  new input: {outcome.updated_input}"))
    if outcome.updated_output is not None:
        out.print(printable(f"  new output: {outcome.updated_output}"))
