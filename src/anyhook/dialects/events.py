"""What clients call events, from their profiles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from anyhook.dialects import all_profiles, profile
from anyhook.model.events import BY_NAME, EVENTS, Event
from anyhook.model.wording import close_matches, join_or


@cache
def native_names(dialect: str) -> Mapping[str, Event]:
    """Every event name that a dialect accepts, with the event it means, in the order of the canonical table."""
    events = profile(dialect).events
    return {name: event for event in EVENTS for name in events.get(event.name, ())}


def native_name(event: str, dialect: str) -> str | None:
    """How a dialect writes a canonical event; None when it does not have it."""
    names = profile(dialect).events.get(event)
    return names[0] if names else None


@cache
def _spellings() -> Mapping[str, Event]:
    """All names of all clients without case and separators; the canonical reading of a clash wins."""
    table: dict[str, Event] = {}
    for event in EVENTS:
        for known in all_profiles():
            for name in known.events.get(event.name, ()):
                table.setdefault(fold_spelling(name), event)
    for known in all_profiles():
        for former, canonical in known.former_events.items():
            table.setdefault(fold_spelling(former), BY_NAME[canonical])
    table |= {fold_spelling(event.name): event for event in EVENTS}
    return table


def fold_spelling(name: str) -> str:
    """A name without case and separators: ``pre-tool-use``, ``preToolUse`` and ``pre_tool_use`` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def is_well_formed(name: str) -> bool:
    """Whether a name looks like an event at all, so that an unknown one can be passed through."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(?:[_:.-][A-Za-z0-9]+)*", name) is not None


def find_event(name: str, dialect: str = "") -> Event | None:
    """The event of this name: as the dialect spells or lists it, else as any client does, which loads all clients."""
    if dialect:
        if event := native_names(dialect).get(name):
            return event
        if canonical := profile(dialect).listed_events.get(name):
            return BY_NAME[canonical]
    return BY_NAME.get(name) or _spellings().get(fold_spelling(name))


def owners(name: str) -> tuple[str, ...]:
    """The clients that send an event of exactly this name."""
    return tuple(
        sorted(known.name for known in all_profiles() if known.runs_hooks and name in native_names(known.name))
    )


def likely_names(name: str, dialect: str) -> list[str]:
    """The events of a dialect that a name it does not have may stand for, the likeliest first, as it writes them."""
    if event := find_event(name, dialect):
        own = native_name(event.name, dialect)
        return [own] if own else []
    if close := close_matches(name, native_names(dialect), similarity=0.75):
        return close
    known = {event: native for event in BY_NAME if (native := native_name(event, dialect))}
    return [known[event] for event in close_matches(name, known, similarity=0.75)]


def some_events(dialect: str) -> str:
    """Which events a client has, for people: a few of them."""
    names = list(dict.fromkeys(name for event in BY_NAME if (name := native_name(event, dialect))))
    more = f" and {len(names) - 5} more events" if len(names) > 5 else ""
    return f"{profile(dialect).title} has {', '.join(names[:5])}{more}"


def unknown_event_text(name: str) -> str:
    """A message that no client has an event of this name, with the names that are spelled most like it."""
    names = {alias for known in all_profiles() for alias in native_names(known.name)}
    close = close_matches(name, sorted(names | BY_NAME.keys()), limit=3)
    hint = f"Did you mean {join_or(close)}?" if close else "See: anyhook clients NAME."
    return f"no client has an event called {name!r}. {hint}"
