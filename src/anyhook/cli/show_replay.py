"""``anyhook test --recording``: runs today's hooks on recorded events, and shows what would change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anyhook.cli.options import Display, count, existing_folder, make_roots
from anyhook.cli.render import console, hanging, print_json, printable
from anyhook.dialects import profile
from anyhook.model.problems import UsageError
from anyhook.project.project import Project
from anyhook.record.recordings import Recording, open_recording, recorded_folder
from anyhook.testing.replay import Replayed, hooks_of_today, package_of_today, replay

CHANGED = 1


def show_replay(path: Path, recording: str | None, client: str | None, *, verbose: bool, as_json: bool) -> int:
    """Run today's hooks on the events of a recording, print what would change, and return the exit status.

    Today's hooks are those of the client that was recorded (or of ``client``) and those of the package.
    """
    project = Project(make_roots(recorded_folder(existing_folder(path)), None))
    found = open_recording(project.folder, recording)
    if client is not None:
        _refuse_without_hooks(client, project)
    replayed = list(replay(found.events, project, client))
    if as_json:
        print_json(_as_json(found, replayed))
    else:
        _print_text(found, replayed, Display(project.roots.home), verbose)
    return CHANGED if any(event.is_changed for event in replayed) else 0


def _refuse_without_hooks(client: str, project: Project) -> None:

    if not hooks_of_today(project.started(client)).rules and package_of_today(project) is None:
        raise UsageError(
            f"{profile(client).title} has no hooks here.\n"
            f"Write some with anyhook deploy --native, or compare clients with anyhook matrix."
        )


def _as_json(recording: Recording, replayed: Sequence[Replayed]) -> dict[str, Any]:
    return {
        "session": recording.name,
        "changed": sum(event.is_changed for event in replayed),
        "unknown": sum(event.then is None for event in replayed),
        "unreadable": len(recording.problems),
        "events": [_event_json(event) for event in replayed],
    }


def _event_json(event: Replayed) -> dict[str, Any]:
    now = event.now
    return {
        "at": event.recorded.at,
        "client": event.recorded.client,
        "event": event.recorded.event,
        "about": event.about,
        "then": event.then,
        "now": now and {"client": now.client, "effect": now.effect, "reason": now.reason, "decided_by": now.decided_by},
        "changed": event.is_changed,
        "losses": event.losses,
    }


def _print_text(recording: Recording, replayed: Sequence[Replayed], show: Display, show_all: bool) -> None:

    out = console()
    for event in replayed:
        if show_all or event.is_changed or _is_surprising(event):
            _print_event(event, show)
    for problem in recording.problems:
        place = show.place(problem.origin.file, problem.origin.line)
        out.print(f"  problem: {hanging(f'{place}: {problem.text}', 11)}", style="yellow")
    changed = sum(event.is_changed for event in replayed)
    unknown = sum(event.then is None for event in replayed)
    same = len(replayed) - changed - unknown
    parts = [
        f"{changed} would change",
        f"{same} would not",
        f"{unknown} not known",
    ]
    shown = [part for part, number in zip(parts, (1, same, unknown), strict=True) if number]
    out.print(f"{recording.name}: {count(len(replayed), 'event')}: {', '.join(shown)}.", style="bold")


def _is_surprising(event: Replayed) -> bool:
    """Whether hooks would interfere now with an event of which the recording does not show the result."""
    return event.then is None and event.now is not None and event.now.effect != "proceed"


def _print_event(event: Replayed, show: Display) -> None:

    out = console()
    about = f" with {event.about}" if event.about else ""
    out.print(printable(f"{event.recorded.event}{about}"), style="bold" if event.is_changed else "", end="")
    out.print(printable(f"  {event.recorded.client}, {event.recorded.at[:19].replace('T', ' ')}"), style="dim")
    if summary := _input_summary(event.recorded.payload):
        out.print(f"  {hanging(summary, 2)}", style="dim")
    then = "not known" if event.then is None else _with_reason(event.then.effect, event.then.reason)
    out.print(f"  then  {hanging(then, 8)}")
    if event.now is None:
        out.print("  now   the client has no such event", style="yellow")
    else:
        style = "bold red" if event.is_changed else ""
        out.print(f"  now   {hanging(_with_reason(event.now.effect, event.now.reason), 8)}", style=style)
        if event.now.decided_by is not None:
            out.print(f"        {show.place(event.now.decided_by.file, event.now.decided_by.line)}", style="dim")
    for loss in event.losses:
        out.print(f"  lost  {hanging(loss, 8)}", style="yellow")


def _with_reason(effect: str, reason: str) -> str:
    return f"{effect}: {reason}" if reason else effect


def _input_summary(payload: object) -> str:
    """The first text in a tool's input: its command or its file."""
    if not isinstance(payload, dict):
        return ""
    given = next((payload[key] for key in ("tool_input", "toolArgs", "tool_info") if key in payload), None)
    texts = [value for value in given.values() if isinstance(value, str)] if isinstance(given, dict) else []
    return texts[0].partition("\n")[0][:100] if texts else ""
