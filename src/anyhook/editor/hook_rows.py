"""A hook as a row of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from anyhook.bridge.entries.hooks_behind import asked_text, hooks_behind
from anyhook.dialects import profile
from anyhook.engine.reach import mark_unreachable
from anyhook.model.hooks import Action, FateState, Rule
from anyhook.sources.inventory import ClientHooks


class HookRow(Struct, frozen=True, kw_only=True):
    client: str
    base: Path
    order: int | None
    """Its position among the hooks of its event that run; None when it does not run."""
    scope: str
    event: str
    native_event: str
    matcher: str | None
    kinds: tuple[str, ...]
    type: str
    action: str
    behind: tuple[str, ...]
    """The hooks that an entry of anyhook asks."""
    timeout_ms: int | None
    timeout_is_default: bool
    file: str
    line: int
    column: int
    pointer: str
    state: str
    why: str

    def matched(self) -> str:
        """What the hook is for, in one line; empty: everything."""
        kinds = f"kind {', '.join(self.kinds)}" if self.kinds else ""
        matcher = "" if self.matcher is None else self.matcher or '""'
        return f"{matcher}, {kinds}" if matcher and kinds else matcher or kinds

    def hook(self) -> str:
        """What runs, in one line."""
        if self.behind:
            return asked_text(self.behind)
        return self.action if self.type == "command" else f"{self.type}: {self.action}"

    def to_json(self) -> dict[str, Any]:
        return {name: str(value) if isinstance(value, Path) else value for name, value in self._items()}

    def _items(self) -> Iterator[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in self.__struct_fields__)


def hook_rows(clients: Iterable[ClientHooks]) -> Iterator[HookRow]:
    """All hooks of these clients, in the order in which each client runs them."""
    return (row for client in clients for row, _, _ in rows_of_client(client))


def rows_of_client(client: ClientHooks) -> Iterator[tuple[HookRow, Rule, Action]]:
    """The hooks of one client in the order in which it runs them, with the rule and the action of each."""
    counters: dict[str, int] = {}
    for rule in mark_unreachable(client.hooks, known_tools_only=True).rules:
        for action in rule.actions:
            yield _row(client, rule, action, counters), rule, action


def _row(client: ClientHooks, rule: Rule, action: Action, counters: dict[str, int]) -> HookRow:
    timeouts = profile(client.dialect).timeouts
    order = None
    if action.fate.state is FateState.ACTIVE:
        order = counters[rule.event] = counters.get(rule.event, 0) + 1
    return HookRow(
        client=client.dialect,
        base=client.base,
        order=order,
        scope=action.origin.scope,
        event=rule.event,
        native_event=rule.native_event,
        matcher=rule.matcher,
        kinds=rule.kinds,
        type=action.kind,
        action=action.summary(),
        behind=tuple(hook.summary() for _, hook in hooks_behind(action, client.dialect, rule.event, client.base)),
        timeout_ms=timeouts.effective_ms(action.timeout_ms, action.kind, rule.event),
        timeout_is_default=action.timeout_ms is None,
        file=action.origin.file,
        line=action.origin.line,
        column=action.origin.column,
        pointer=action.origin.pointer,
        state=action.fate.state,
        why=action.fate.why,
    )
