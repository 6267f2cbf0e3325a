"""Fires an event as a client would, and tells what happened line by line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from anyhook.bridge.match_package import WITHHELD
from anyhook.daemon_socket.simulation import SIMULATION
from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.events import native_name
from anyhook.dialects.translation.equivalents import whole_event
from anyhook.dialects.translation.own_tools import events_of_tool, own_call
from anyhook.dialects.translation.subjects import matched_text
from anyhook.dialects.translation.translate import hook_payloads
from anyhook.dialects.wire.payloads import decode_payload, read_members
from anyhook.engine.engine import Engine
from anyhook.engine.match import may_match
from anyhook.engine.plan import Plan
from anyhook.entries.command_entries import NOT_ANSWERED
from anyhook.model.document import QuirkKind
from anyhook.model.hooks import FateState
from anyhook.model.lazyjson import dump_json
from anyhook.model.outcome import Outcome, Run, Status, fate_of_tool
from anyhook.model.output import Decision
from anyhook.model.payload_base import Payload, Spelling
from anyhook.model.problems import UsageError
from anyhook.model.wording import brief_line
from anyhook.project.hook import ResolvedHook
from anyhook.project.project import Project
from anyhook.project.resolve import ProjectClient
from anyhook.sources.parsing.parse_json import parse_json

BACKGROUND_SECONDS = 2.0
"""How long to wait for background hooks before they are killed."""
STYLES = {
    "allowed": "green",
    "blocked": "bold red",
    "asked": "yellow",
    "not asked": "bold yellow",
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
    plan: Plan
    payload: Payload
    outcome: Outcome
    started: ProjectClient
    """The client that the event was fired as."""
    notes: tuple[str, ...] = ()
    """How the payload was changed into the client's words, and which hooks a client would not ask."""


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
    project: Project,
    *,
    raw: bool = False,
    permission_mode: str | None = None,
    name: str = "payload",
    variables: Mapping[str, str] | None = None,
) -> FiredEvent:
    """Run the hooks of an event. This RUNS the hooks of the project and of the home folder.

    ``raw``: the fields that the client sends with every event are not added where they are missing, and a tool of
    another client keeps its name. ``variables``: what hooks inherit beside this process's own variables.
    UsageError: the payload, which messages call ``name``, is not a JSON object.
    """
    if read_members(content) is None:
        raise UsageError(_why_unreadable(content, name))
    started = project.started(client)
    payload, found = decode_payload(profile(client), content, native_event)
    problems = tuple(structs.replace(each, origin=structs.replace(each.origin, file=name)) for each in found)
    notes: tuple[str, ...] = ()
    if not raw:
        own = own_call(payload, profile(client))
        if own.refusal:
            raise UsageError(own.refusal)
        problems = problems if type(own.payload) is type(payload) else ()
        payload, notes = _completed(own.payload, client, started.base), own.notes
    if permission_mode is not None:
        payload = structs.replace(payload, permission_mode=permission_mode)
    # Whoever fires the hooks of a package by themselves runs them; a client would not.
    environment = {**os.environ, SIMULATION: "fire", **(variables or {})}
    engine = Engine(started.loaded, project=started.base, home=project.roots.home, environment=environment, trust="all")
    plan = engine.plan(payload)
    outcome = engine.run_plan_sync(plan, payload, wait=BACKGROUND_SECONDS)
    notes += tuple(_notes_on_other_events(payload, started))
    notes += tuple(_notes_on_trust(outcome, payload, started))
    problems += engine.hooks.problems
    outcome = structs.replace(outcome, problems=(*problems, *outcome.problems))
    return FiredEvent(plan, payload, outcome, started, notes)


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
    """The payload with the fields that the client sends with every event; those that it has keep their names."""
    common = {"session_id": "anyhook-fire", "cwd": str(project)}
    if bind_event(profile(client), payload.event, payload.native_event).profile.wire.timestamps:
        common["timestamp"] = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    missing = {field: value for field, value in common.items() if getattr(payload, field) is None}
    names = {field: name for field, name in payload.spelling.names.items() if name}  # "": the event was not named
    spelling = Spelling("", names, payload.spelling.unquoted, payload.spelling.nulls)
    return structs.replace(payload, spelling=spelling, **missing)


def trace_lines(fired: FiredEvent, place: Callable[[str, int], str], *, verbose: bool) -> Iterator[TraceLine]:
    """What ran and what did not, each with the reason, and what the client would do next."""
    outcome = fired.outcome
    why = {hook.action.origin: hook.why for hook in fired.plan.hooks}
    entries = {hook.origin: hook for hook in fired.started.hooks if hook.behind}
    asked = {origin: hook.text() for origin, hook in entries.items()}
    subject = f" with {fired.plan.subject}" if fired.plan.subject else ""
    yield TraceLine(f"{fired.started.title}: {outcome.native_event}{subject}", "bold")
    if not outcome.runs and not outcome.skipped:
        yield TraceLine("no hook has this event", "dim", "  ")
    blank = " " * 20
    for run in outcome.runs:
        said = f"{brief_line(asked.get(run.origin, run.summary))}  ({run.duration_ms:.0f} ms)"
        entry = entries.get(run.origin)
        withheld = not_asked(run, entry, fired.payload) if entry else ()
        is_silent = entry and len(withheld) == len(tuple(concerned(entry, fired.payload)))
        asks = run.status is Status.ALLOWED and run.reply is not None and run.reply.decision is Decision.ASK
        status = "not asked" if withheld and is_silent else "asked" if asks else run.status
        yield TraceLine(said, "", f"  {status:<18}", STYLES.get(status, ""))
        for hook, reason in withheld:
            yield TraceLine(f"not asked: {reason}: {place(hook.file, hook.line)}", "yellow", blank)
        yield TraceLine(f"{place(run.origin.file, run.origin.line)}: {why.get(run.origin, '')}", "dim", blank)
        yield from (TraceLine(line, "", blank) for line in run.reason.splitlines())
        for name, text in (("stdout", run.stdout), ("stderr", run.stderr)) if verbose else ():
            yield from (TraceLine(line, "dim", f"{blank}{name}: ", "dim") for line in text.splitlines())
    for skip in outcome.skipped:
        yield TraceLine(brief_line(asked.get(skip.origin, skip.summary)), "dim", f"  {'skipped':<18}", "dim")
        yield TraceLine(f"{place(skip.origin.file, skip.origin.line)}: {skip.reason}", "dim", blank)
    for problem in outcome.problems:
        where = place(problem.origin.file, problem.origin.line)
        yield TraceLine(f"{where}: {problem.text}", "yellow", "  problem: ", "yellow")
    yield from _effect_lines(outcome)


def not_asked(run: Run, entry: ResolvedHook, payload: Payload) -> tuple[tuple[ResolvedHook, str], ...]:
    """The hooks behind an entry that are for the event and were not asked, as its own answer says, and why."""
    answer = f"{run.stdout}{run.stderr}{run.reason}"
    if NOT_ANSWERED in answer:
        return tuple((hook, "the client does not find anyhook") for hook in concerned(entry, payload))
    if WITHHELD not in answer:
        return ()
    return tuple((hook, hook.why) for hook in concerned(entry, payload) if hook.state is FateState.UNTRUSTED)


def is_answered(run: Run) -> bool:
    """Whether anyhook answered for an entry, not the entry itself."""
    return NOT_ANSWERED not in f"{run.stdout}{run.stderr}"


def concerned(entry: ResolvedHook, payload: Payload) -> Iterator[ResolvedHook]:
    """The hooks behind an entry whose matcher lets them hear of the event."""
    heard: dict[str, tuple[Payload, ...]] = {}
    for hook in entry.behind:
        source = profile(hook.client)
        if hook.client not in heard:
            heard[hook.client] = hook_payloads(payload, profile(entry.client), source)
        for each in heard[hook.client]:
            if each.event == hook.event and may_match(source, hook.rule, matched_text(each, source)):
                yield hook
                break


def _notes_on_other_events(payload: Payload, started: ProjectClient) -> Iterator[str]:
    """The other events that the client sends for the same call, where hooks are on them: Cursor has two."""
    client = profile(started.name)
    tool = getattr(payload, "tool_name", None)
    whole = whole_event(payload.event)
    same_call = (whole,) if whole != payload.event else events_of_tool(payload.event, tool, client) if tool else ()
    for event in same_call:
        if event != payload.event and any(hook.event == event and hook.is_active for hook in started.hooks):
            native = native_name(event, client.name)
            yield f"{client.title} sends {native} for this call, too, and there are hooks on it: fire it as well"


def _notes_on_trust(outcome: Outcome, payload: Payload, started: ProjectClient) -> Iterator[str]:
    runs = {run.origin: run for run in outcome.runs}
    for hook in started.hooks:
        if (run := runs.get(hook.origin)) is None:
            continue
        if hook.state is FateState.UNTRUSTED and not hook.is_entry:
            yield f"{hook.origin}: {hook.why}, so a client would not run this hook; see: anyhook trust"
        yield from (f"not asked: {asked.origin}: {reason}" for asked, reason in not_asked(run, hook, payload))


def _effect_lines(outcome: Outcome) -> Iterator[TraceLine]:
    reason = f": {outcome.reason}" if outcome.reason else ""
    effect = "; ".join(filter(None, (EFFECTS[outcome.effect], fate_of_tool(outcome.effect, outcome.tool_runs))))
    yield TraceLine(f"The client {effect}{reason}".rstrip(), "bold", keeps_breaks=True)
    for who, texts in (("model", outcome.to_model), ("user", outcome.to_user)):
        yield from (TraceLine(text, "", f"  to the {who}: ", "cyan", keeps_breaks=True) for text in texts)
    if outcome.updated_input is not None:
        yield TraceLine(_shown(outcome.updated_input), "", "  new input: ")
    if outcome.updated_output is not None:
        yield TraceLine(_shown(outcome.updated_output), "", "  new output: ")


def _shown(value: Any) -> str:
    """A text as it is, everything else as JSON."""
    return value if isinstance(value, str) else dump_json(value).decode()
