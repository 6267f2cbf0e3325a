"""Writes ``docs/clients/``: one page for each client, made from its profile, and the table of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anyhook.dialects import all_profiles
from anyhook.dialects.clients import OWN
from anyhook.dialects.measured import measurements
from anyhook.dialects.profile import Profile
from anyhook.dialects.summary import event_facts
from tools.site.markdown import table

_BASIS = {
    "recorded": "recordings of the real program",
    "documented": "its documents and sources; it was not recorded",
    "specified": "a written specification",
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
        "What each client does with hooks, as anyhook knows it. `anyhook dialects NAME` prints every rule.",
        table(("client", "names", "release", "basis", "events", "events that can block"), rows),
    )


def client_page(known: Profile) -> str:
    return _text(f"# {known.title}", *_facts(known), *_files(known), *_events(known), *_running(known), *_tools(known))


def _facts(known: Profile) -> Iterator[str]:
    names = ", ".join(f"`{name}`" for name in (known.name, *known.nicknames))
    yield f"Names: {names}. The facts are from {_BASIS[known.basis]} ({known.release})."
    if measured := measurements(known.name):
        yield "## Measured releases"
        rows = [(each.release, each.date or "-", str(each.vectors), str(each.agree)) for each in measured]
        yield table(("release", "date", "situations played", "anyhook agrees"), rows)
    if known.changes:
        yield table(("since", "what changed"), [(change.since, change.what) for change in known.changes])


def _files(known: Profile) -> Iterator[str]:
    yield "## Where its hooks come from"
    yield "In the order in which they are used; a shared file belongs to another client, and this one reads it too."
    rows = [(s.scope, s.root, f"`{s.pattern}`", s.kind, "yes" if s.shared else "") for s in known.sources]
    yield table(("scope", "below", "file", "kind", "shared"), rows)
    layout = known.layout
    losses = (
        ("a file that cannot be parsed", layout.on_syntax_error),
        ("a bad entry", layout.on_bad_entry),
        ("an unknown event", layout.unknown_event),
    )
    yield table(("mistake", "what is lost"), [(what, str(lost)) for what, lost in losses])


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
    yield table(("event", "universal name", "the matcher sees", "can block", "remark"), rows)
    if known.matching.ignored:
        yield "Matchers are read and never applied: hooks run on every tool."
    else:
        yield f"A matcher that is not a list of names is a {known.matching.mode.otherwise}."


def _running(known: Profile) -> Iterator[str]:
    yield "## How hooks run"
    execution, timeouts = known.execution, known.timeouts
    default = "none" if timeouts.default_ms is None else f"{timeouts.default_ms / 1000:g} s"
    variables = ", ".join(f"`{name}`" for name in execution.exports) or "none of its own"
    rows = [
        ("several hooks of one event", execution.order),
        ("folder", execution.cwd),
        ("shell", f"`{' '.join(execution.shell)}`"),
        ("timeout", f"in {timeouts.unit}; without one {default}"),
        ("the same hook twice", f"left out: {execution.dedupe}"),
        ("background hooks (`async`)", "yes" if execution.honours_async else "no"),
        ("variables", variables),
    ]
    yield table(("", ""), rows)


def _tools(known: Profile) -> Iterator[str]:
    if not known.tools.kinds:
        return
    yield "## Tools"
    yield "What matchers and payloads call the tools, by what they do."
    rows = [
        (kind, ", ".join(f"`{name}`" for name in shape.names))
        for kind, shape in sorted(known.tools.kinds.items())
        if shape.names
    ]
    yield table(("kind", "names"), rows)


def _text(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"
