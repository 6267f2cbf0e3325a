"""Everything that the screen shows: clients, their events with counts, and each hook with problems and last run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from anyhook.bridge.entries.hooks_behind import hooks_behind
from anyhook.bridge.entries.one_entry import with_one_entry
from anyhook.dialects import NAMES, profile
from anyhook.editor.hook_rows import HookRow, rows_of_client
from anyhook.lint.lint import check_paths
from anyhook.model.hooks import Action, Rule
from anyhook.model.problems import AnyhookError, Problem
from anyhook.record.store.query import HookActivity, RowFilter, activity_by_event, open_journal, wanted_rows
from anyhook.record.store.spool import journal_folder
from anyhook.sources.discover import Found, Roots
from anyhook.sources.installed_release import used_releases
from anyhook.sources.inventory import ClientHooks, take_inventory
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import find_hooks_above

Activities = Mapping[tuple[str, str, str, str], HookActivity]


class HookItem(Struct, frozen=True, kw_only=True):
    """One hook."""

    row: HookRow
    rule: Rule
    action: Action
    found: Found | None
    """Its file, as its client finds it; None: another file names it."""
    problems: tuple[Problem, ...] = ()
    last_at: str = ""
    """When it last fired, as ISO text; empty: the journal has no run of it."""
    last_status: str = ""

    @property
    def key(self) -> tuple[str, str, str, int, str]:
        """What tells it from all others, also after the files were read again."""
        row = self.row
        return row.client, row.file, row.pointer, row.line, row.action


class EventCount(Struct, frozen=True):
    event: str
    """The client's name for it."""
    hooks: int


class ClientItem(Struct, frozen=True, kw_only=True):
    """One client in one project folder."""

    name: str
    title: str
    base: Path
    hooks: tuple[HookItem, ...]
    problems: tuple[Problem, ...]
    """Of all its files, those of its hooks included."""
    loaded: ClientHooks

    def events(self) -> tuple[EventCount, ...]:
        """The events with hooks, in the order in which the files have them."""
        counts: dict[str, int] = {}
        for item in self.hooks:
            counts[item.row.native_event] = counts.get(item.row.native_event, 0) + 1
        return tuple(EventCount(event, number) for event, number in counts.items())


class Overview(Struct, frozen=True, kw_only=True):
    roots: Roots
    clients: tuple[ClientItem, ...] = ()

    def hooks(self) -> tuple[HookItem, ...]:
        return tuple(item for client in self.clients for item in client.hooks)

    def shown(self, path: Path | str) -> str:
        """A path as people write it."""
        path, project, home = Path(path), self.roots.project, self.roots.home
        if path != project and path.is_relative_to(project):
            return path.relative_to(project).as_posix()
        return f"~/{path.relative_to(home).as_posix()}" if home in path.parents else str(path)

    def problems(self) -> tuple[Problem, ...]:
        """Every problem once; several clients may read one file."""
        return tuple({(p.origin, p.code, p.text): p for client in self.clients for p in client.problems}.values())


def take_overview(roots: Roots, clients: Iterable[str] = ()) -> Overview:
    """What ``list``, ``check`` and ``stats`` say of these clients, by default of those with a file of their own."""
    chosen = tuple(clients)
    inventory = with_one_entry(take_inventory(roots, chosen or NAMES, find_hooks_above(roots.project, None, Loader())))
    shown = [client for client in inventory.clients if chosen or client.owns_a_file]
    problems, activities = _problems(roots, shown), _activities()
    return Overview(roots=roots, clients=tuple(_client_item(client, problems, activities) for client in shown))


def _problems(roots: Roots, clients: Iterable[ClientHooks]) -> Mapping[str, list[Problem]]:
    """What is wrong with the files, by file."""
    files = {Path(file.path) for client in clients for file in client.hooks.files}
    outside = sorted(path for path in files if not path.is_relative_to(roots.project) and path.exists())
    report = check_paths([roots.project, *outside], roots, installed=used_releases(os.environ))
    found: dict[str, list[Problem]] = {}
    for problem in report.problems:
        found.setdefault(problem.origin.file, []).append(problem)
    return found


def _activities() -> Activities:
    """What the journal knows of each hook on each event of each client."""
    try:
        with open_journal(journal_folder()) as journal:
            rows = [row.event for row in wanted_rows(journal.rows_after(0), RowFilter()) if not row.event.note]
    except AnyhookError:  # anyhook log says why
        return {}
    return activity_by_event(rows)


def _client_item(client: ClientHooks, problems: Mapping[str, list[Problem]], activities: Activities) -> ClientItem:
    sources = {str(found.path): found for found in client.found}
    own = [
        problem
        for file in dict.fromkeys(file.path for file in client.hooks.files)
        for problem in problems.get(file, ())
    ]
    items = []
    for row, rule, action in rows_of_client(client):
        activity = _last_run(client, rule, action, activities)
        items.append(
            HookItem(
                row=row,
                rule=rule,
                action=action,
                found=sources.get(row.file),
                problems=tuple(each for each in problems.get(row.file, ()) if _concerns(each, rule, action)),
                last_at=activity.last_at if activity else "",
                last_status=activity.last_status if activity else "",
            )
        )
    return ClientItem(
        name=client.dialect,
        title=profile(client.dialect).title,
        base=client.base,
        hooks=tuple(items),
        problems=tuple(own),
        loaded=client,
    )


def _last_run(client: ClientHooks, rule: Rule, action: Action, activities: Activities) -> HookActivity | None:
    """The last run of a hook; of an entry of anyhook, the last one of the hooks that it asks for this client."""
    behind = hooks_behind(action, client.dialect, rule.event, client.base)
    if behind:
        origins = [hook.origin for _, hook in behind]
        keys = [(client.dialect, rule.event, origin.file, origin.pointer) for origin in origins]
    else:  # a hook of a package fires in the clients that it is deployed to
        place = (action.origin.file, action.origin.pointer)
        keys = [key for key in activities if key[2:] == place]
    return max((activities[key] for key in keys if key in activities), key=lambda run: run.last_at, default=None)


def _concerns(problem: Problem, rule: Rule, action: Action) -> bool:
    """Whether a problem is about a hook: in its entry, or in what its group has besides hooks."""
    at, own, group = problem.origin.pointer, action.origin.pointer, rule.origin.pointer
    if not own:
        return problem.origin.line == action.origin.line
    if _is_at_or_below(at, own):
        return True
    others = (other.origin.pointer for other in rule.actions if other is not action)
    return _is_at_or_below(at, group) and not any(_is_at_or_below(at, other) for other in others)


def _is_at_or_below(pointer: str, parent: str) -> bool:
    return pointer == parent or pointer.startswith(f"{parent}/")


def added_hook(before: Overview, after: Overview) -> HookItem | None:
    """The first hook that was not there before. Lines change with every entry, so that they do not count."""

    def seen(item: HookItem) -> tuple[str, str, str, str, str]:
        row = item.row
        return row.client, row.file, row.native_event, row.matched(), row.action

    known = Counter(map(seen, before.hooks()))
    for item in after.hooks():
        if not known[seen(item)]:
            return item
        known[seen(item)] -= 1
    return None


def matches_search(item: HookItem, words: str) -> bool:
    """Whether every word is in what a person sees of a hook."""
    row = item.row
    codes = " ".join(problem.code for problem in item.problems)
    seen = f"{row.client} {profile(row.client).title} {row.native_event} {row.event} {row.matched()} {row.hook()} "
    seen += f"{row.scope} {row.file} {row.state} {codes}"
    return all(word in seen.lower() for word in words.lower().split())
