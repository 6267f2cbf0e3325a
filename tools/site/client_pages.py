"""Writes ``docs/clients/``: one page for each client, made from its profile, and the table of all of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from anyhook.deploy.convert.convert import convert_hooks
from anyhook.dialects import all_profiles, dialect, profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.measured import measurements
from anyhook.dialects.overrides import overridden
from anyhook.dialects.places import FileKind, Root, Source, Writing
from anyhook.dialects.profile import Dedupe, Profile
from anyhook.dialects.stages import Lost
from anyhook.dialects.summary import event_facts
from anyhook.model.hooks import Command, Rule
from anyhook.model.origin import Scope
from anyhook.model.wording import join_and
from tools.site.dialects_page import differences
from tools.site.markdown import table
from tools.site.writing_hooks_page import CLIENTS, REPLIES, json_status, other_status, said, status_two

_BASIS = {
    "recorded": "recordings of the real program ({})",
    "documented": "its documents and sources ({}), not from recordings",
    "specified": "a written specification ({})",
}
_KINDS = {
    FileKind.SETTINGS: "settings, under `hooks`",
    FileKind.HOOKS: "a hook file",
    FileKind.MANIFEST: "the manifest of a plugin",
    FileKind.COMPONENT: "the front matter of a skill, agent or command",
    FileKind.TOML: "TOML, under `[hooks]`",
    FileKind.EMBEDDED: "a form of its own",
}
_FOLDERS = {
    "session": "the folder of the session",
    "project": "the folder of the project",
    "file's folder": "the folder of the hook file",
}


def pages() -> dict[str, str]:
    """The name of each page below ``docs/clients``, and its text."""
    described = [known for known in all_profiles() if known.name != OWN]
    return {"README.md": _overview(described), **{f"{known.name}.md": client_page(known) for known in described}}


def _overview(described: Sequence[Profile]) -> str:
    rows = [
        (
            f"[{known.title}]({known.name}.md)",
            f"`{known.name}`" + "".join(f", `{name}`" for name in known.nicknames),
            known.release,
            known.basis,
            str(len(known.events)),
            str(sum(known.blocks(event) for event in known.events)),
        )
        for known in described
    ]
    return _text(
        "# Clients",
        "What each client does with hooks. *Recorded* facts were seen in the real program of that release; *documented*"
        " and *specified* ones come from documents. `anyhook clients NAME` prints every rule of one client, and"
        " [Dialects](../dialects.md) says how the facts are kept and checked.",
        table(("client", "name in commands", "release", "basis", "events", "events that can block"), rows),
    )


def client_page(known: Profile) -> str:
    parts = (_facts, _example, _files, _events, _running, _replies, _differences, _tools, _releases)
    return _text(f"# {known.title}", *(text for part in parts for text in part(known)))


def _facts(known: Profile) -> Iterator[str]:
    names = " or ".join(f"`{name}`" for name in (known.name, *known.nicknames))
    yield (
        f"In commands, write {names}. The facts on this page come from {_BASIS[known.basis].format(known.release)};"
        f" `anyhook clients {known.name}` prints all of them."
    )


def _example(known: Profile) -> Iterator[str]:
    if not (places := [source for source in known.sources if _is_written(source)]):
        return
    file = next((place for place in places if place.writing is Writing.PREFERRED), places[0])
    root = ".." if known.execution.cwd == "file's folder" else "${PACKAGE_ROOT}"
    guard = Command(command=f'sh "{root}/guard.sh"', timeout_ms=10_000)
    rule = Rule(event="PreToolUse", native_event="pre-tool-use", matcher="Bash", actions=(guard,))
    converted = convert_hooks((rule,), profile(OWN), known)
    yield "## A guard for the shell"
    written = json.dumps(dialect(known.name).write(converted.rules), indent=2)
    yield f"```json {file.own_file or file.pattern}\n{written}\n```"
    yield (
        f"`anyhook init --client {known.name}` writes such a file with scripts and test cases, and"
        f" `anyhook deploy --client {known.name}` lets {known.title} run the hooks of a package."
    )


def _is_written(source: Source) -> bool:
    return source.scope is Scope.PROJECT and source.writing is not Writing.NEVER and source.kind is not FileKind.TOML


def _files(known: Profile) -> Iterator[str]:
    yield "## Where its hooks come from"
    yield "In the order in which they are used. A shared file belongs to another client, and this one reads it, too."
    rows = [(f"`{_path(s)}`", s.scope, _KINDS[s.kind], "yes" if s.shared else "") for s in known.sources]
    yield table(("file", "scope", "hooks are in", "shared"), dict.fromkeys(rows))
    layout = known.layout
    lost = sorted(names[0] for event, names in known.events.items() if _costs_more(known, event))
    unless = f"; under {join_and([f'`{name}`' for name in lost])} the file" if lost else ""
    losses = (
        ("a file that cannot be parsed", str(layout.on_syntax_error)),
        ("a bad entry", f"{layout.on_bad_entry}{unless}"),
        ("an unknown event", str(layout.unknown_event)),
    )
    yield table(("mistake", "what is lost"), losses)


def _costs_more(known: Profile, event: str) -> bool:
    """Whether a bad entry under an event costs more than elsewhere."""
    lost = Lost(known, event, known.layout.on_bad_entry)
    return overridden(known.overrides.loss, lost, lambda it: it.scope) is not known.layout.on_bad_entry


def _path(source: Source) -> str:
    if source.root is Root.SYSTEM:
        return f"C:/{source.pattern}" if source.pattern.startswith("ProgramData") else f"/{source.pattern}"
    return {Root.HOME: "~/", Root.PLUGIN: "<plugin>/"}.get(source.root, "") + source.pattern


def _events(known: Profile) -> Iterator[str]:
    yield "## Events"
    rows = [
        (
            ", ".join(f"`{name}`" for name in line.names),
            line.canonical,
            line.subject,
            "yes" if line.blocks else "no",
            line.effect,
        )
        for line in event_facts(known)
    ]
    yield table(("event", "anyhook's name", "the matcher sees", "can block", "remark"), rows)
    if known.matching.ignored:
        yield "The client reads matchers and never applies them: hooks run on every tool."
    else:
        yield f"A matcher that is not a list of names is a {known.matching.mode.otherwise}."


def _running(known: Profile) -> Iterator[str]:
    yield "## How hooks run"
    execution, timeouts = known.execution, known.timeouts
    default = "none" if timeouts.default_ms is None else f"{timeouts.default_ms / 1000:g} s"
    limit = f"in {timeouts.unit}; the default is {default}" if timeouts.configurable else "cannot be set"
    dedupe = "runs twice" if execution.dedupe is Dedupe.NOTHING else f"runs once ({execution.dedupe})"
    rows = [
        ("several hooks of one event", execution.order),
        ("working directory", _FOLDERS[execution.cwd]),
        ("shell", f"`{' '.join(execution.shell)}`"),
        ("timeout", limit),
        ("the same hook twice", dedupe),
        ("background hooks (`async`)", "yes" if execution.honours_async else "no"),
        ("variables", ", ".join(f"`{name}`" for name in execution.exports) or "none of its own"),
    ]
    yield table(("what", f"in {known.title}"), rows)


def _replies(known: Profile) -> Iterator[str]:
    if known not in CLIENTS:
        return
    yield "## Exit status and replies"
    rows = [
        ("exit status 2", status_two(known)),
        ("a status other than 0 and 2", other_status(known)),
        ("stdout is read as JSON", json_status(known)),
    ]
    yield table(("what", "what it does"), rows)
    answers = [(what, said(known, event, reply)) for what, event, reply in REPLIES.values()]
    yield table(("to", "a hook replies"), answers)
    yield "[Writing hooks](../writing-hooks.md) compares these with other clients, and has the payloads."


def _differences(known: Profile) -> Iterator[str]:
    if found := differences(known):
        yield "## What else is special"
        yield "\n".join(f"- {what}" for _, what in found)


def _tools(known: Profile) -> Iterator[str]:
    if not known.tools.kinds:
        return
    yield "## Tools"
    yield "What matchers and payloads call the tools."
    rows = [
        (kind, ", ".join(f"`{name}`" for name in shape.names))
        for kind, shape in sorted(known.tools.kinds.items())
        if shape.names
    ]
    yield table(("kind", "names"), rows)


def _releases(known: Profile) -> Iterator[str]:
    measured = measurements(known.name)
    if measured:
        yield "## Measured releases"
        yield "In how many recorded situations anyhook does what this release did."
        rows = [(each.release, each.date or "-", str(each.vectors), str(each.agree)) for each in measured]
        yield table(("release", "date", "situations played", "anyhook agrees"), rows)
    if known.changes:
        yield "What changed between releases:"
        yield table(("since", "the client"), [(change.since, change.what) for change in known.changes])


def _text(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"
