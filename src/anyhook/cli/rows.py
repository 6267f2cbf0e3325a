"""Hooks as rows of a table and in numbers; hooks as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anyhook.cli.options import Display, count
from anyhook.model.wording import brief_line, format_limit
from anyhook.project.hook import ResolvedHook, WrittenHook


def counted(hooks: Sequence[WrittenHook]) -> str:
    """How many hooks there are, and how many of them some client runs."""
    return f"{count(len(hooks), 'hook')}, {sum(hook.is_active for hook in hooks)} active"


def hook_cells(hook: ResolvedHook, show: Display) -> tuple[str, ...]:
    return (
        "" if hook.order is None else str(hook.order),
        hook.native_event,
        hook.matched(),
        brief_line(hook.text()),
        format_limit(hook.timeout_ms, hook.has_usual_timeout),
        hook.state,
        f"{hook.scope} {show.place(hook.file, hook.line)}",
    )


def hook_json(hook: ResolvedHook) -> dict[str, Any]:
    return {
        "client": hook.client,
        "base": str(hook.base),
        "order": hook.order,
        "scope": hook.scope,
        "event": hook.event,
        "native_event": hook.native_event,
        "matcher": hook.matcher,
        "kinds": hook.kinds,
        "type": hook.action.kind,
        "action": hook.summary,
        "is_entry": hook.is_entry,
        "behind": [asked_json(asked) for asked in hook.behind],
        "timeout_ms": hook.timeout_ms,
        "timeout_is_default": hook.has_usual_timeout,
        "file": hook.file,
        "line": hook.line,
        "column": hook.origin.column,
        "pointer": hook.origin.pointer,
        "state": hook.state,
        "why": hook.why,
    }


def asked_json(hook: ResolvedHook) -> dict[str, Any]:
    """A hook that an entry of anyhook asks."""
    origin = hook.origin
    where = {"file": origin.file, "line": origin.line, "pointer": origin.pointer}
    return {"matcher": hook.matcher, "action": hook.summary, "state": hook.state, "why": hook.why, **where}
