"""A hook as a row of a table, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from anyhook.bridge.entries.hooks_behind import asked_text, hooks_behind
from anyhook.bridge.entries.one_entry import leave_to_one_entry
from anyhook.cli.options import Display
from anyhook.dialects import profile
from anyhook.engine.reach import mark_unreachable
from anyhook.model.hooks import Action, FateState, Rule
from anyhook.model.problems import Problem
from anyhook.sources.inventory import ClientHooks, Inventory


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

    def cells(self, show: Display) -> tuple[str, ...]:
        return (
            "" if self.order is None else str(self.order),
            self.native_event,
            self._matched(),
            self._hook(),
            format_limit(self.timeout_ms, self.timeout_is_default),
            self.state,
            f"{self.scope} {show.place(self.file, self.line)}",
        )

    def _matched(self) -> str:
        kinds = f"kind {', '.join(self.kinds)}" if self.kinds else ""
        matcher = "" if self.matcher is None else self.matcher or '""'
        return f"{matcher}, {kinds}" if matcher and kinds else matcher or kinds

    def _hook(self) -> str:
        if self.behind:
            return asked_text(self.behind)
        return self.action if self.type == "command" else f"{self.type}: {self.action}"

    def to_json(self) -> dict[str, Any]:
        return {name: str(value) if isinstance(value, Path) else value for name, value in self._items()}

    def _items(self) -> Iterator[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in self.__struct_fields__)


def with_one_entry(inventory: Inventory) -> Inventory:
    """The hooks of each client with the one entry of anyhook that answers it."""
    clients = (structs.replace(client, hooks=leave_to_one_entry(client.hooks)) for client in inventory.clients)
    return structs.replace(inventory, clients=tuple(clients))


def hook_rows(clients: Iterable[ClientHooks]) -> Iterator[HookRow]:
    """All hooks of these clients, in the order in which each client runs them."""
    for client in clients:
        counters: dict[str, int] = {}
        for rule in mark_unreachable(client.hooks, known_tools_only=True).rules:
            for action in rule.actions:
                yield _row(client, rule, action, counters)


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


def format_limit(milliseconds: int | None, is_default: bool) -> str:
    """A timeout as text; a default one in brackets."""
    if milliseconds is None:
        text = "none"
    elif milliseconds % 1000:
        text = f"{milliseconds}ms"
    else:
        text = f"{milliseconds // 1000}s"
    return f"({text})" if is_default else text


def problem_json(problem: Problem) -> dict[str, Any]:
    origin = problem.origin
    return {
        "code": problem.code,
        "severity": problem.severity,
        "client": origin.dialect,
        "file": origin.file,
        "line": origin.line,
        "column": origin.column,
        "pointer": origin.pointer,
        "text": problem.text,
        "fix": problem.fix,
    }
