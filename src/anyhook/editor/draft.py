"""A new hook, made step by step: client, event, matcher, action or guard, timeout, file. Each step is a question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, structs

from anyhook.dialects import profile, real_clients
from anyhook.dialects.bound_event import bind_event
from anyhook.dialects.clients import OWN
from anyhook.dialects.events import find_event, native_name, native_names
from anyhook.dialects.profile import Profile
from anyhook.dialects.translation.equivalents import routes
from anyhook.dialects.translation.tools import tool_names
from anyhook.editor.hook_files import HookFileChoice, hook_file_choices, is_named_by, new_file_patterns
from anyhook.guards.catalogue import GUARDS
from anyhook.model.events import Subject
from anyhook.model.problems import UsageError
from anyhook.model.wording import did_you_mean, format_limit, join_or
from anyhook.project.project import Project
from anyhook.sources.discover import Roots

ANY = "*"
"""The answer for no matcher."""
DEFAULT = ""
"""The answer for the client's own timeout."""
GUARD = "guard"
HERE = "has hooks here"
"""The note of a client with hook files in this project or the home folder."""
COMMON_EVENTS = {
    "PreToolUse": "before a tool runs",
    "PostToolUse": "after a tool has run",
    "UserPromptSubmit": "when you send a prompt",
    "SessionStart": "when a session starts",
    "Stop": "when the agent has finished its answer",
    "Notification": "when the client wants your attention",
}
TEXTS = {"command": "The command to run", "prompt": "What to ask the model", "http": "The URL to send the event to"}
"""The types of hooks that can be made here, with what each needs."""


class Draft(Struct, frozen=True, kw_only=True):
    """What is known of the new hook. None: not asked yet."""

    client: str | None = None
    event: str | None = None
    """The client's name for it."""
    matcher: str | None = None
    kind: str | None = None
    """A type of hook, or "guard"."""
    text: str | None = None
    """The command, prompt or URL; the name of the guard."""
    timeout: str | None = None
    """Seconds; empty: the client's default."""
    file: str | None = None


class Choice(Struct, frozen=True):
    value: str
    label: str
    note: str = ""


class Question(Struct, frozen=True, kw_only=True):
    """What to ask next."""

    field: str
    """The field of the draft that the answer fills."""
    title: str
    choices: tuple[Choice, ...] = ()
    free: str = ""
    """What may be typed instead of a choice; empty: only a choice is an answer."""
    option: str
    """The option of ``anyhook new hook`` that answers it."""
    new_files: tuple[Path, ...] = ()
    """Patterns of files that may be typed; only the name is needed."""


def next_question(draft: Draft, roots: Roots) -> Question | None:
    """The first question without an answer; None: everything is known."""
    return next((question for question in _questions(draft, roots) if getattr(draft, question.field) is None), None)


def _questions(draft: Draft, roots: Roots) -> Iterator[Question]:
    if draft.client is None:
        yield Question(field="client", title="Which client?", choices=_clients(roots), option="--client")
        return
    facts = profile(draft.client)
    if draft.event is None:
        yield Question(
            field="event", title=f"On which event of {facts.title}?", choices=_events(facts), option="--event"
        )
        return
    if draft.kind != GUARD and takes_matcher(facts, draft.event):
        yield _matcher_question(facts, draft.event)
    yield Question(field="kind", title="What should run?", choices=_kinds(facts, draft.event), option="--command")
    if draft.kind is None or draft.kind == GUARD:
        return
    yield Question(field="text", title=TEXTS[draft.kind], free=TEXTS[draft.kind], option=f"--{draft.kind}")
    if facts.timeouts.configurable:
        yield _timeout_question(facts, draft)
    yield _file_question(draft.client, roots)


def answered(draft: Draft, question: Question, value: str) -> Draft:
    """The draft with one more answer. UsageError: the question cannot be answered so."""
    value = value.strip()
    known = {choice.value for choice in question.choices}
    if value not in known and question.new_files and (named := _named_file(value, question.new_files)):
        value = str(named)
    elif value not in known and (question.new_files or not question.free):
        close = {choice.label.lower(): choice.value for choice in question.choices}
        if value.lower() not in close:
            raise UsageError(_not_possible(draft, question, value))
        value = close[value.lower()]
    if question.field == "text" and not value:
        raise UsageError(f"{question.title}: write something")
    if question.field == "timeout" and value:
        _seconds(value)
    if question.field == "kind" and value.startswith(f"{GUARD} "):
        return structs.replace(draft, kind=GUARD, text=value.removeprefix(f"{GUARD} "))
    return structs.replace(draft, **{question.field: value})


def _named_file(value: str, patterns: Iterable[Path]) -> Path | None:
    """The file that is called so: by its name with or without the ending, or by its path."""
    given = Path(value.removeprefix("~/"))
    for pattern in patterns:
        folder = given.parent.parts
        if folder == pattern.parent.parts[len(pattern.parent.parts) - len(folder) :]:
            named = pattern.parent / (given.name if given.suffix else f"{given.name}{pattern.suffix}")
            if given.name and is_named_by(named, pattern):
                return named
    return None


def _not_possible(draft: Draft, question: Question, value: str) -> str:
    known = join_or(sorted(choice.value for choice in question.choices))
    if question.field == "kind":
        return f"{profile(draft.client or '').title} has no {value} hooks on {draft.event}; possible are {known}"
    return f"{value!r} is not one of these: {known}"


def one_back(draft: Draft) -> Draft:
    """The draft without its last answer."""
    order = ("client", "event", "matcher", "kind", "text", "timeout", "file")
    given = [field for field in order if getattr(draft, field) is not None]
    if not given:
        return draft
    last = "kind" if draft.kind == GUARD else given[-1]
    gone = {last: None, "text": None} if last == "kind" else {last: None}
    return structs.replace(draft, **gone)


def _seconds(value: str) -> float:
    try:
        seconds = float(value.removesuffix("s"))
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 1e6:
        raise UsageError(f"{value!r} is not a number of seconds, such as 10")
    return seconds


def timeout_ms(draft: Draft) -> int | None:
    return round(_seconds(draft.timeout) * 1000) if draft.timeout else None


# -------------------------------------------------------------------------------------------------------------- answers


def _clients(roots: Roots) -> tuple[Choice, ...]:
    """The clients with hook files here first."""
    here = Project(roots).owners
    writable = [known.name for known in real_clients() if hook_file_choices(known.name, roots)]
    known = (OWN, *writable)
    names = [*(name for name in here if name in known), *(name for name in known if name not in here)]
    notes = {OWN: "hooks of the project for every client", **dict.fromkeys(here, HERE)}
    return tuple(Choice(name, profile(name).title, notes.get(name, "")) for name in names)


def _events(facts: Profile) -> tuple[Choice, ...]:
    """The events that most hooks are for first, the rest in the client's order."""
    names: dict[str, str] = {}
    for native, event in native_names(facts.name).items():
        names.setdefault(event.name, native)
    common = {route.event: note for event, note in COMMON_EVENTS.items() for route in routes(event, facts.name)}
    order = [*common, *(event for event in names if event not in common)]
    notes = {event: (common.get(event, ""), "can block" if facts.blocks(event) else "") for event in order}
    return tuple(Choice(names[event], names[event], "; ".join(filter(None, notes[event]))) for event in order)


def known_event(name: str, client: str) -> str:
    """The client's name for an event that may be given by any client's name. UsageError: it has none."""
    if name in native_names(client):
        return name
    event = find_event(name, client)
    native = native_name(event.name, client) if event else None
    if native is None:
        raise UsageError(f"{profile(client).title} has no event {name!r}; {did_you_mean(name, native_names(client))}")
    return native


def takes_matcher(facts: Profile, native: str) -> bool:
    """Whether a matcher has an effect on an event of a client."""
    bound = bind_event(facts, native_names(facts.name)[native].name, native).profile
    return (
        not bound.matching.ignored
        and bound.matching.subject(native_names(facts.name)[native].name) is not Subject.NOTHING
    )


def _matcher_question(facts: Profile, native: str) -> Question:
    event = native_names(facts.name)[native].name
    matching = bind_event(facts, event, native).profile.matching
    subject = matching.subject(event)
    called = subject.value.removesuffix(" name")
    if subject is Subject.TOOL and event not in matching.values:
        values = tuple(_tools(facts))
    else:
        values = tuple(Choice(value, value) for value in sorted(matching.values.get(event, ())))
    how = f"{matching.mode_for(event).otherwise.value}"
    return Question(
        field="matcher",
        title=f"For which {called}?",
        choices=(Choice(ANY, f"any {called}"), *values),
        free=f"or type a matcher ({how})",
        option="--matcher",
    )


def _tools(facts: Profile) -> Iterator[Choice]:
    """The tools of a client by what they do, then its other ones."""
    shown: set[str] = set()
    for kind, tool in facts.tools.kinds.items():
        for name in tool.names:
            if name not in shown:
                shown.add(name)
                yield Choice(name, name, kind)
    yield from (Choice(name, name) for name in sorted(tool_names(facts.name) - shown))


def _kinds(facts: Profile, native: str) -> tuple[Choice, ...]:
    event = native_names(facts.name)[native].name
    rules = bind_event(facts, event, native).profile
    allowed = rules.types_on.get(event)
    kinds = [kind for kind in TEXTS if kind in rules.layout.action_keys and (allowed is None or kind in allowed)]
    notes = {"command": "a program or script", "prompt": "text for a model", "http": "a request to a server"}
    guards = [guard for guard in GUARDS.values() if any(each.event == event for each in guard.events)]
    return (
        *(Choice(kind, kind, notes[kind]) for kind in kinds),
        *(Choice(f"{GUARD} {guard.name}", f"guard: {guard.name}", guard.does) for guard in guards),
    )


def _timeout_question(facts: Profile, draft: Draft) -> Question:
    event = native_names(facts.name)[draft.event or ""].name
    usual = format_limit(facts.timeouts.effective_ms(None, draft.kind or "command", event), False)
    return Question(
        field="timeout",
        title="After how many seconds is it stopped?",
        choices=(Choice(DEFAULT, f"the default of {facts.title}: {usual}"),),
        free="or type a number of seconds",
        option="--timeout",
    )


def _file_question(client: str, roots: Roots) -> Question:
    patterns = new_file_patterns(client, roots)
    folders = [_shown(pattern.parent, roots) for pattern in patterns]
    return Question(
        field="file",
        title="In which file?",
        choices=_files(client, roots),
        free=f"or type the name of a new file in {join_or(folders)}" if folders else "",
        option="--scope or --file",
        new_files=patterns,
    )


def _files(client: str, roots: Roots) -> tuple[Choice, ...]:
    def note(choice: HookFileChoice) -> str:
        return f"{choice.target.scope.value}{'' if choice.exists else ', new file'}"

    return tuple(
        Choice(str(each.target.path), _shown(each.target.path, roots), note(each))
        for each in hook_file_choices(client, roots)
    )


def _shown(path: Path, roots: Roots) -> str:
    if path.is_relative_to(roots.project):
        return path.relative_to(roots.project).as_posix()
    return f"~/{path.relative_to(roots.home).as_posix()}" if path.is_relative_to(roots.home) else str(path)


def event_of(draft: Draft) -> str:
    """The canonical name of the draft's event."""
    return native_names(draft.client or "")[draft.event or ""].name
