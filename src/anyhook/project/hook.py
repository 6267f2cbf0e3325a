"""A hook as one client has it, and a hook as it is written, whoever reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.bound_event import bind_rule
from anyhook.dialects.clients import OWN
from anyhook.model.hooks import Action, Fate, FateState, Rule
from anyhook.model.origin import Origin, Scope
from anyhook.model.problems import Problem
from anyhook.record.entries import recorder_like
from anyhook.sources.discover import Found

Place = tuple[str, str]
"""Where a hook is written, which is the same for all its readers: the file, and the pointer into it or the line."""


Key = tuple[str, str, str, int, str]
"""What tells one client's hook from all others, also after the files were read again."""


class ResolvedHook(Struct, frozen=True, kw_only=True):
    """One hook of one client, with what becomes of it there."""

    client: str
    base: Path
    """The project, plugin or home folder that it is loaded for."""
    rule: Rule
    action: Action
    """Its fate is the state of the hook, with the reason."""
    found: Found | None
    """Its file, as the client finds it; None: another file names it."""
    order: int | None
    """Its position among the hooks of its event that run; None when it does not run."""
    is_entry: bool = False
    """Only calls anyhook: it is how a client asks for hooks, and none itself."""
    behind: tuple[ResolvedHook, ...] = ()
    """The hooks that an entry asks, as the client has them that they are written for."""

    @property
    def event(self) -> str:
        """The canonical name."""
        return self.rule.event

    @property
    def native_event(self) -> str:
        return self.rule.native_event

    @property
    def matcher(self) -> str | None:
        return self.rule.matcher

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.rule.kinds

    @property
    def summary(self) -> str:
        return self.action.summary()

    @property
    def name(self) -> str:
        """As its author calls it; otherwise what runs."""
        return self.action.name or self.summary

    @property
    def origin(self) -> Origin:
        return self.action.origin

    @property
    def scope(self) -> Scope:
        return self.origin.scope

    @property
    def file(self) -> str:
        return self.origin.file

    @property
    def line(self) -> int:
        return self.origin.line

    @property
    def state(self) -> FateState:
        return self._fate.state

    @property
    def why(self) -> str:
        return self._fate.why

    @property
    def _fate(self) -> Fate:
        """An entry whose hooks nobody has approved does as little as they do."""
        fates = {hook.action.fate for hook in self.behind}
        own = self.action.fate
        waits = own.state is FateState.ACTIVE and all(fate.state is FateState.UNTRUSTED for fate in fates)
        return fates.pop() if fates and waits else own

    @property
    def is_active(self) -> bool:
        return self.state is FateState.ACTIVE

    @property
    def is_left(self) -> bool:
        """Whether it is an entry that leaves its events to another entry."""
        return self.is_entry and self.state is FateState.SHADOWED

    @property
    def timeout_ms(self) -> int | None:
        """How long the client lets it run; None: without a limit."""
        timeouts = bind_rule(profile(self.client), self.rule).profile.timeouts
        return timeouts.effective_ms(self.action.timeout_ms, self.action.kind, self.event)

    @property
    def has_usual_timeout(self) -> bool:
        return self.action.timeout_ms is None

    @property
    def place(self) -> Place:
        return place_of(self.action)

    @property
    def key(self) -> Key:
        return self.client, self.file, self.origin.pointer, self.line, self.summary

    def has(self, problem: Problem) -> bool:
        """Whether a problem is in the hook's entry, or in what its group has besides hooks."""
        at, own, group = problem.origin.pointer, self.origin.pointer, self.rule.origin.pointer
        if problem.origin.file != self.file:
            return False
        if not own:
            return 0 < problem.origin.line == self.line
        if _is_at_or_below(at, own):
            return True
        others = (other.origin.pointer for other in self.rule.actions if other is not self.action)
        return _is_at_or_below(at, group) and not any(_is_at_or_below(at, other) for other in others)

    def matched(self) -> str:
        """What the hook is for, in one line; empty: everything."""
        kinds = f"kind {', '.join(self.kinds)}" if self.kinds else ""
        matcher = "" if self.matcher is None else self.matcher or '""'
        return f"{matcher}, {kinds}" if matcher and kinds else matcher or kinds

    def text(self) -> str:
        """What runs, in one line."""
        if self.is_entry and recorder_like(self.action) is not None:
            return "anyhook: records the event"
        if self.is_entry:
            return f"anyhook: {', '.join(hook.summary for hook in self.behind) or 'no hooks'}"
        return self.summary if self.action.kind == "command" else f"{self.action.kind}: {self.summary}"


def place_of(action: Action) -> Place:
    origin = action.origin
    return origin.file, origin.pointer or str(origin.line)


def _is_at_or_below(pointer: str, parent: str) -> bool:
    return pointer == parent or pointer.startswith(f"{parent}/")


class Reading(Struct, frozen=True):
    """A written hook as one client has it: from the hook's own file, or through an entry that asks it."""

    hook: ResolvedHook
    """The hook as it is written."""
    read: ResolvedHook
    """What the client reads: the hook itself, or the entry."""

    @property
    def client(self) -> str:
        return self.read.client

    @property
    def is_asked(self) -> bool:
        """Whether an entry of anyhook asks for it; otherwise the client runs the hook itself."""
        return self.read.is_entry

    @property
    def is_deployed(self) -> bool:
        """Whether a client has it: what only the package has, nothing runs."""
        return self.client != OWN

    @property
    def is_run_by_client(self) -> bool:
        """Whether the client runs it without anyhook, which does not see it then."""
        return self.is_deployed and not self.is_asked

    @property
    def state(self) -> FateState:
        return self.hook.state if self.read.is_active else self.read.state

    @property
    def loaded(self) -> str:
        """Its state in the client, or that no client has it."""
        return self.state if self.is_deployed else "not deployed"


class WrittenHook(Struct, frozen=True):
    """A hook of a file, once, with every client that has it."""

    hook: ResolvedHook
    """As the first of its readers has it, or the client that it is written for."""
    readings: tuple[Reading, ...]

    @property
    def is_active(self) -> bool:
        """Whether some client runs it."""
        return any(reading.state is FateState.ACTIVE for reading in self.readings)


def readings_of(hooks: Iterable[ResolvedHook]) -> Iterator[Reading]:
    """The written hooks that a client has. An entry that leaves its events to another entry asks for none."""
    for hook in hooks:
        if not hook.is_entry:
            yield Reading(hook, hook)
        elif not hook.is_left:
            yield from (Reading(asked, hook) for asked in hook.behind)


def written_in(readings: Iterable[Reading]) -> tuple[WrittenHook, ...]:
    """Each hook once, with all that have it."""
    groups: dict[Place, list[Reading]] = {}
    for reading in readings:
        groups.setdefault(reading.hook.place, []).append(reading)
    return tuple(WrittenHook(group[0].hook, tuple(group)) for group in groups.values())
