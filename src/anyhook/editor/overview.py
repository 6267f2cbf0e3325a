"""Everything that the screen shows: clients, their hooks, what is wrong with each, and its last run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from anyhook.dialects import profile
from anyhook.doctor.activity import Activity, read_activity
from anyhook.lint.lint import check_project
from anyhook.model.hooks import FateState
from anyhook.model.problems import Problem
from anyhook.project.hook import Key, Place, ResolvedHook, readings_of
from anyhook.project.project import Project
from anyhook.project.resolve import ProjectClient
from anyhook.record.store.spool import journal_folder
from anyhook.sources.discover import Roots
from anyhook.sources.installed_release import used_releases


class Overview(Struct, frozen=True, kw_only=True, dict=True):
    """What ``list``, ``check`` and ``doctor`` say of the hooks of a project."""

    roots: Roots
    clients: tuple[ProjectClient, ...] = ()
    written: int = 0
    """How many hooks there are, each counted once, however many clients have it."""
    untrusted: int = 0
    """How many of them nobody has approved."""
    asks_trust: bool = False
    """Whether anyhook runs any of them, which asks for trust; clients run the others themselves."""
    problems: tuple[Problem, ...] = ()
    activity: Activity = Activity()

    def hooks(self) -> tuple[ResolvedHook, ...]:
        return tuple(hook for client in self.clients for hook in client.hooks)

    def written_once(self) -> tuple[ResolvedHook, ...]:
        """Each hook as the first of its readers has it: a file that several clients read is there once."""
        return tuple(readers[0] for readers in self._readers.values())

    def readers_of(self, hook: ResolvedHook) -> tuple[ResolvedHook, ...]:
        """The same hook, or entry, in every client that reads its file."""
        return self._readers[hook.event, hook.place]

    @cached_property
    def _readers(self) -> Mapping[tuple[str, Place], tuple[ResolvedHook, ...]]:
        found: dict[tuple[str, Place], dict[str, ResolvedHook]] = {}
        for hook in self.hooks():
            found.setdefault((hook.event, hook.place), {}).setdefault(hook.client, hook)
        return {key: tuple(readers.values()) for key, readers in found.items()}

    def problems_of(self, hook: ResolvedHook) -> tuple[Problem, ...]:
        return self._problems[hook.key]

    @cached_property
    def _problems(self) -> Mapping[Key, tuple[Problem, ...]]:
        by_file: dict[str, list[Problem]] = {}
        for found in self.problems:
            by_file.setdefault(found.origin.file, []).append(found)
        return {hook.key: tuple(filter(hook.has, by_file.get(hook.file, ()))) for hook in self.hooks()}

    def problems_in(self, client: ProjectClient) -> tuple[Problem, ...]:
        """Those of all its files, whichever reader has them."""
        files = {file.path for file in client.files}
        return tuple(found for found in self.problems if found.origin.file in files)

    def matches(self, hook: ResolvedHook, words: str) -> bool:
        """Whether every word is in what a person sees of a hook."""
        codes = " ".join(problem.code for problem in self.problems_of(hook))
        seen = f"{hook.client} {profile(hook.client).title} {hook.native_event} {hook.event} {hook.matched()} "
        seen += f"{hook.text()} {hook.scope} {hook.file} {hook.state} {codes}"
        return all(word in seen.lower() for word in words.lower().split())

    def shown(self, path: Path | str) -> str:
        """A path as people write it."""
        path, project, home = Path(path), self.roots.project, self.roots.home
        if path != project and path.is_relative_to(project):
            return path.relative_to(project).as_posix()
        return f"~/{path.relative_to(home).as_posix()}" if home in path.parents else str(path)

    def place(self, file: Path | str, line: int) -> str:
        return f"{self.shown(file)}:{line}" if line else self.shown(file)


def take_overview(roots: Roots, clients: Iterable[str] = ()) -> Overview:
    """The overview of these clients, by default of those with a file of their own."""
    project = Project(roots, clients)
    untrusted = [hook for hook in project.written if any(each.state is FateState.UNTRUSTED for each in hook.readings)]
    return Overview(
        roots=roots,
        clients=project.clients,
        written=len(project.written),
        untrusted=len(untrusted),
        asks_trust=any(each.is_asked or not each.is_deployed for hook in project.written for each in hook.readings),
        problems=check_project(project, used_releases(os.environ)).problems,
        activity=read_activity(journal_folder(), roots.project),
    )


def hooks_by_event(client: ProjectClient) -> Mapping[str, int]:
    """How many hooks each event has, by the client's name for it, in the order in which the files have them."""
    hooks: dict[str, set[Place]] = {}
    for reading in readings_of(client.hooks):
        hooks.setdefault(reading.read.native_event, set()).add(reading.hook.place)
    return {event: len(places) for event, places in hooks.items()}


def added_hook(before: Overview, after: Overview) -> ResolvedHook | None:
    """The first hook that was not there before. Lines change with every entry, so that they do not count."""

    def seen(hook: ResolvedHook) -> tuple[str, str, str, str, str]:
        return hook.client, hook.file, hook.native_event, hook.matched(), hook.summary

    known = Counter(map(seen, before.hooks()))
    for hook in after.hooks():
        if not known[seen(hook)]:
            return hook
        known[seen(hook)] -= 1
    return None
