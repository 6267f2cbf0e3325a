"""The hooks that an entry of a hook file asks, for people: its command line does not show them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from anyhook.bridge.entries.command_entries import entry_of
from anyhook.dialects.translation.equivalents import routes
from anyhook.model.hooks import Action, FateState, Rule
from anyhook.sources.load import Loader
from anyhook.sources.package_hooks import PackageHooks, find_hooks_above


def hooks_behind(action: Action, client: str, event: str, project: Path) -> tuple[tuple[Rule, Action], ...]:
    """The hooks that an entry asks on an event of a client, with their rules; none if it is no entry of anyhook."""
    entry = entry_of(action)
    if entry is None:
        return ()
    loader = Loader()
    folder = Path(entry.package) if entry.package else find_hooks_above(project, entry.source or None, loader)
    package = PackageHooks(folder, loader)
    dialect = entry.source or package.owner()
    return tuple(
        (rule, hook)
        for rule in (package.of(dialect).rules if dialect else ())
        if any(way.event == event for way in routes(rule.event, client))
        for hook in rule.actions
        if hook.fate.state is FateState.ACTIVE and entry_of(hook) is None
    )


def asked_text(behind: Iterable[str]) -> str:
    """An entry of anyhook by the hooks that it asks, in place of its command line."""
    return f"anyhook: {', '.join(behind)}"
