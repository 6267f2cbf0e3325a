"""Decides what becomes of the hooks of one client, once its files are read and merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.dialects.clients import OWN
from anyhook.dialects.translation.equivalents import routes
from anyhook.engine.reach import mark_unreachable
from anyhook.entries.anyhook_entries import Asking, asking_of, is_own_call, without_own_calls
from anyhook.model.hooks import Action, FateState, HookFile, HookSet
from anyhook.model.problems import Problem
from anyhook.project.hook import ResolvedHook, WrittenHook, readings_of, written_in
from anyhook.project.inventory import ClientHooks
from anyhook.project.one_entry import leave_to_one_entry
from anyhook.project.packages import Packages
from anyhook.sources.discover import Found
from anyhook.trust.decide import Trust, hooks_in_force, with_states

_NEVER_ASKED = (FateState.DISABLED, FateState.SHADOWED, FateState.DROPPED)


def is_entry(action: Action) -> bool:
    """Whether an action only calls anyhook, to ask for hooks or to record."""
    return asking_of(action) is not None or is_own_call(action)


class ProjectClient(Struct, frozen=True, dict=True):
    """One client in one folder: its files, and its hooks in the order in which it runs them."""

    read: ClientHooks
    _resolver: Resolver
    is_asked: bool = False
    """Entries of anyhook ask for its hooks, so those that nobody has approved do not run."""

    @property
    def name(self) -> str:
        return self.read.dialect

    @property
    def title(self) -> str:
        return profile(self.name).title

    @property
    def base(self) -> Path:
        return self.read.base

    @property
    def found(self) -> tuple[Found, ...]:
        """The files, without those that only a manifest names."""
        return self.read.found

    @property
    def files(self) -> tuple[HookFile, ...]:
        """What is in the files, each by itself: before settings and other files decide about its hooks."""
        return self.read.hooks.files

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.hook_set.problems

    @property
    def owns_a_file(self) -> bool:
        """Whether a file here is this client's own, not another client's that it also reads."""
        return self.read.owns_a_file

    @property
    def has_rules(self) -> bool:
        return bool(self.read.hooks.rules)

    @cached_property
    def loaded(self) -> HookSet:
        """The hooks for an engine, which works out itself what their matchers reach: a name may be a server's tool."""
        hooks = leave_to_one_entry(self.read.hooks)
        return with_states(hooks, self._judged(hooks)) if self.is_asked else hooks

    @property
    def in_force(self) -> HookSet:
        """The hooks for a host that runs them itself: untrusted ones do not run, and say nothing in their own words."""
        # Entries of anyhook run no code of the project: they ask anyhook, which judges what they ask for.
        return hooks_in_force(self.read.hooks, self._judged(self.read.hooks))

    def _judged(self, hooks: HookSet) -> Trust:
        return self._resolver.packages.trust(self.base).judge(without_own_calls(hooks))

    @cached_property
    def hook_set(self) -> HookSet:
        """The hooks with what becomes of each; the first reason counts: reading, merging, one entry, trust, matcher."""
        return mark_unreachable(self.loaded, known_tools_only=True)

    @cached_property
    def hooks(self) -> tuple[ResolvedHook, ...]:
        return tuple(self._resolver.hooks_of(self))

    @cached_property
    def written(self) -> tuple[WrittenHook, ...]:
        """The hooks of files that it has, each once: for an entry of anyhook, those that it asks."""
        return written_in(readings_of(self.hooks))

    def leaves(self, event: str, written_for: str) -> bool:
        """Whether entries that were written for another client leave an event of this one to another entry."""
        entries = [
            action
            for rule in self.loaded.rules
            if rule.event == event
            for action in rule.actions
            if (asking := asking_of(action)) is not None and asking.client == written_for
        ]
        return bool(entries) and all(action.fate.state is FateState.SHADOWED for action in entries)

    @cached_property
    def askable(self) -> tuple[ResolvedHook, ...]:
        """The hooks of the package that its first entry asks; without one, of the package that the folder is in."""
        asking = next(filter(None, (asking_of(hook.action) for hook in self.hooks)), None)
        return self._resolver.askable(self, asking or Asking(self.name, "", ""))

    def hook(self, action: Action) -> ResolvedHook:
        """The hook of one of the actions in the hook set."""
        return self._by_action[id(action)]

    @cached_property
    def _by_action(self) -> Mapping[int, ResolvedHook]:
        return {id(hook.action): hook for hook in self.hooks}


class Resolver:
    """Resolves the clients of one project; the hooks that several entries ask are resolved once."""

    def __init__(self, packages: Packages) -> None:
        self.packages = packages
        self._asked: dict[tuple[Path, str], tuple[ResolvedHook, ...]] = {}

    def client(self, read: ClientHooks) -> ProjectClient:
        """A client; universal hooks are run by anyhook alone, which asks for trust."""
        return ProjectClient(read, self, is_asked=read.dialect == OWN)

    def hooks_of(self, client: ProjectClient) -> Iterator[ResolvedHook]:
        found = {str(file.path): file for file in client.found}
        running: dict[str, int] = {}
        for rule in client.hook_set.rules:
            for action in rule.actions:
                is_active = action.fate.state is FateState.ACTIVE
                if is_active:
                    running[rule.event] = running.get(rule.event, 0) + 1
                asking = asking_of(action)
                yield ResolvedHook(
                    client=client.name,
                    base=client.base,
                    rule=rule,
                    action=action,
                    found=found.get(action.origin.file),
                    order=running[rule.event] if is_active else None,
                    is_entry=is_entry(action),
                    behind=self._behind(asking, client, rule.event) if asking else (),
                )

    def _behind(self, asking: Asking, client: ProjectClient, event: str) -> tuple[ResolvedHook, ...]:
        """The hooks that an entry asks on an event of its client."""
        return tuple(
            hook
            for hook in self.askable(client, asking)
            if any(way.event == event for way in routes(hook.event, client.name))
        )

    def askable(self, client: ProjectClient, asking: Asking) -> tuple[ResolvedHook, ...]:
        """The hooks of the package of an entry: those that may run, and are no entries themselves."""
        source = asking.source
        folder = Path(asking.package) if asking.package else self.packages.above(client.base, source)
        key = (folder, source)
        if key not in self._asked:
            package = self.packages.at(folder)
            name = source or package.owner()
            self._asked[key] = ()  # entries in it ask no further
            if name:
                hooks = ProjectClient(ClientHooks(folder, package.of(name), ()), self, is_asked=True).hooks
                self._asked[key] = tuple(h for h in hooks if h.state not in _NEVER_ASKED and not h.is_entry)
        return self._asked[key]
