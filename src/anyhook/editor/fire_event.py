"""Fires an event as a client would, and tells what happened line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, structs

from anyhook.bridge.entries.hooks_behind import asked_text, hooks_behind
from anyhook.bridge.entries.one_entry import leave_to_one_entry
from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.wire.payloads import decode_payload, read_members
from anyhook.engine.engine import Engine
from anyhook.model.document import QuirkKind
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Outcome
from anyhook.model.payload_base import Payload, Spelling
from anyhook.model.problems import UsageError
from anyhook.sources.discover import Roots
from anyhook.sources.inventory import hooks_for_project
from anyhook.sources.parsing.parse_json import parse_json

BACKGROUND_SECONDS = 2.0
"""How long to wait for background hooks before they are killed."""
STYLES = {
    "allowed": "green",
    "blocked": "bold red",
    "failed-so-allowed": "yellow",
    "failed-so-blocked": "red",
    "timed-out": "yellow",
}
EFFECTS = {
    "proceed": "goes ahead",
    "block": "blocks it",
    "ask": "asks the user",
    "defer": "leaves the decision to the host",
    "feedback": "tells the model what is wrong",
    "continue": "keeps the agent going",
    "stop": "ends the turn",
}


class FiredEvent(Struct, frozen=True):
    engine: Engine
    payload: Payload
    outcome: Outcome
    project: Path


class TraceLine(Struct, frozen=True):
    """One line: what it begins with, and the text, which may be wrapped; both with a style of rich."""

    text: str
    style: str = ""
    lead: str = ""
    lead_style: str = ""
    keeps_breaks: bool = False
    """Line breaks in the text are shown as they are."""


def fire_event(
    client: str,
    native_event: str,
    content: bytes,
    roots: Roots,
    *,
    raw: bool = False,
    permission_mode: str | None = None,
    name: str = "payload",
) -> FiredEvent:
    """Run the hooks of an event. This RUNS the hooks of the project and of the home folder.

    ``raw``: the fields that the client sends with every event are not added where they are missing. UsageError: the
    payload, which messages call ``name``, is not a JSON object.
    """
    if read_members(content) is None:
        raise UsageError(_why_unreadable(content, name))
    payload, problems = decode_payload(profile(client), content, native_event)
    if not raw:
        payload = _completed(payload, client, roots.project)
    if permission_mode is not None:
        payload = structs.replace(payload, permission_mode=permission_mode)
    hooks = leave_to_one_entry(hooks_for_project(client, roots))
    engine = Engine(hooks, project=roots.project, home=roots.home)
    outcome = engine.fire_sync(payload, wait=BACKGROUND_SECONDS)
    problems += engine.hooks.problems
    outcome = structs.replace(outcome, problems=(*problems, *outcome.problems))
    return FiredEvent(engine, payload, outcome, roots.project)


def _why_unreadable(content: bytes, name: str) -> str:
    """Why a payload is not a JSON object, and where."""
    if not content.strip():
        return f"{name}: the payload is empty; give a JSON object, such as {{}}"
    document = parse_json(content.decode(errors="replace"), name)
    fatal = (QuirkKind.BROKEN, QuirkKind.COMMENT, QuirkKind.TRAILING_COMMA)
    for quirk in document.quirks:
        if quirk.kind in fatal:
            line, column = document.line_column(quirk.offset)
            what = quirk.text if quirk.kind is QuirkKind.BROKEN else f"JSON has no {quirk.kind}"
            return f"{name}:{line}:{column}: {what}; the payload must be a JSON object"
    return f"{name}: the payload is not a JSON object; give one, such as {{}}"


def _completed(payload: Payload, client: str, project: Path) -> Payload:
    """The payload with the fields that the client sends with every event, in the client's own spelling."""
    common = {"session_id": "anyhook-fire", "cwd": str(project)}
    if bind_event(profile(client), payload.event, payload.native_event).profile.wire.timestamps:
        common["timestamp"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    missing = {field: value for field, value in common.items() if getattr(payload, field) is UNSET}
    return structs.replace(payload, spelling=Spelling(), **missing)


def trace_lines(fired: FiredEvent, place: Callable[[str, int], str], *, verbose: bool) -> Iterator[TraceLine]:
    """What ran and what did not, each with the reason, and what the client would do next."""
    outcome = fired.outcome
    plan = fired.engine.plan(fired.payload)
    why = {hook.action.origin: hook.why for hook in plan.hooks}
    asked = {
        action.origin: asked_text(hook.summary() for _, hook in behind)
        for rule in fired.engine.hooks.rules
        for action in rule.actions
        if (behind := hooks_behind(action, outcome.client, rule.event, fired.project))
    }
    subject = f" with {plan.subject}" if plan.subject else ""
    yield TraceLine(f"{fired.engine.profile.title}: {outcome.native_event}{subject}", "bold")
    if not outcome.runs and not outcome.skipped:
        yield TraceLine("no hook has this event", "dim", "  ")
    blank = " " * 20
    for run in outcome.runs:
        said = f"{asked.get(run.origin, run.summary)}  ({run.duration_ms:.0f} ms)"
        yield TraceLine(said, "", f"  {run.status:<18}", STYLES.get(run.status, ""))
        yield TraceLine(f"{place(run.origin.file, run.origin.line)}: {why.get(run.origin, '')}", "dim", blank)
        yield from (TraceLine(line, "", blank) for line in run.reason.splitlines())
        for name, text in (("stdout", run.stdout), ("stderr", run.stderr)) if verbose else ():
            yield from (TraceLine(line, "dim", f"{blank}{name}: ", "dim") for line in text.splitlines())
    for skip in outcome.skipped:
        yield TraceLine(asked.get(skip.origin, skip.summary), "dim", f"  {'skipped':<18}", "dim")
        yield TraceLine(f"{place(skip.origin.file, skip.origin.line)}: {skip.reason}", "dim", blank)
    for problem in outcome.problems:
        where = place(problem.origin.file, problem.origin.line)
        yield TraceLine(f"{where}: {problem.text}", "yellow", "  problem: ", "yellow")
    yield from _effect_lines(outcome)


def _effect_lines(outcome: Outcome) -> Iterator[TraceLine]:
    reason = f": {outcome.reason}" if outcome.reason else ""
    yield TraceLine(f"The client {EFFECTS[outcome.effect]}{reason}".rstrip(), "bold", keeps_breaks=True)
    for who, texts in (("model", outcome.to_model), ("user", outcome.to_user)):
        yield from (TraceLine(text, "", f"  to the {who}: ", "cyan", keeps_breaks=True) for text in texts)
    if outcome.updated_input is not None:
        yield TraceLine(_shown(outcome.updated_input), "", "  new input: ")
    if outcome.updated_output is not None:
        yield TraceLine(_shown(outcome.updated_output), "", "  new output: ")


def _shown(value: Any) -> str:
    """A text as it is, everything else as JSON."""
    return value if isinstance(value, str) else dump_json(value).decode()
