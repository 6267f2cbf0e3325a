"""``anyhook test --from-recording``: writes test cases from a recording."""

from __future__ import annotations

from pathlib import Path

import click

from anyhook.cli.options import Display, count, existing_folder


def write_recorded_cases(project: Path, session: str | None) -> int:
    """Write cases from a recording of the project (by default the newest), and return the exit status 0."""
    from anyhook.record.recordings import open_recording
    from anyhook.testing.scaffold.from_recording import write_cases

    project = existing_folder(project)
    show = Display(Path.home())
    recording = open_recording(project, session)
    written = write_cases(recording, project)
    for case in written.cases:
        click.echo(f"wrote {show.path(case)}")
    made = count(len(written.cases), "case")
    click.echo(f"{made} from {count(len(recording.events), 'event')} of {recording.name}.")
    left = [
        (written.without_effect, "state what should happen: the recording does not show it"),
        (written.known, "the same as another event or an existing fixture"),
        (written.without_hook, "no hook of the project has this event"),
        (written.needs_verdict, "a hook asks a model: write this case by hand, with input.verdict"),
        (len(recording.problems), "unreadable lines of the recording"),
    ]
    for number, why in left:
        if number:
            click.echo(f"  {number:>4}  {why}")
    if written.cases:
        click.echo("Edit them, then run: anyhook test")
    return 0
