"""Bounds the rows of the journal: what is cut is said in the row. Pure; ``anyhook exec`` imports it."""

from __future__ import annotations

from msgspec import UNSET, structs

from anyhook.record.cut import MAX_NAME, MAX_REASON, cut_text, cut_value
from anyhook.record.recorded import SKIPPED, HookRecord, RecordedEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_HOOKS = 1_000
"""Hooks of an event that a row names."""
MAX_HOOK_TEXTS = 200_000
"""Characters for the texts of all hooks of an event."""
LEAST_REASON = 200
"""Characters of a reason that are kept even where there is no room for more."""
_NAMES = (
    "client", "event", "canonical", "release", "session", "tool", "project", "repository", "within", "recording",
    "via", "simulation", "note",
)  # fmt: skip


class _Texts:
    """Cuts texts and counts what was left out."""

    def __init__(self) -> None:
        self.left_out = 0
        self._room = MAX_HOOK_TEXTS

    def cut(self, text: str, limit: int = MAX_NAME) -> str:
        if len(text) <= limit:
            return text
        text, left_out = cut_text(text, limit)
        self.left_out += left_out
        return text

    def body(self, value: Any) -> Any:
        """One that is nested too deep to be read is left out, as it is when it is redacted."""
        try:
            value, left_out = cut_value(value)
        except RecursionError:
            return UNSET
        self.left_out += left_out
        return value

    def hook(self, hook: HookRecord) -> HookRecord:
        reason = self.cut(hook.reason, max(min(MAX_REASON, self._room), LEAST_REASON))
        self._room -= len(reason)
        texts = {name: self.cut(getattr(hook, name)) for name in ("hook", "file", "pointer", "status")}
        return structs.replace(hook, reason=reason, **texts)


def limited_row(row: RecordedEvent) -> RecordedEvent:
    """The row, cut where it is too large. A row that was cut once stays as it is."""
    texts = _Texts()
    changes: dict[str, Any] = {name: texts.cut(getattr(row, name)) for name in _NAMES}
    for name in ("payload", "answer"):
        if (body := getattr(row, name)) is not UNSET:
            changes[name] = texts.body(body)
    if row.outcome is not None:
        reason, decided_by = texts.cut(row.outcome.reason, MAX_REASON), texts.cut(row.outcome.decided_by)
        changes["outcome"] = structs.replace(row.outcome, reason=reason, decided_by=decided_by)
    if row.hooks:
        changes["hooks"] = tuple(map(texts.hook, _first_hooks(row.hooks)))
    return structs.replace(row, **changes, cut=row.cut + texts.left_out)


def _first_hooks(hooks: tuple[HookRecord, ...]) -> tuple[HookRecord, ...]:
    """The hooks that ran, then the others, as far as a row may name them."""
    if len(hooks) <= MAX_HOOKS:
        return hooks
    in_order = sorted(hooks, key=lambda hook: not hook.has_run)
    kept = in_order[: MAX_HOOKS - 1]
    return (*kept, HookRecord(hook=f"… [{len(hooks) - len(kept):,} hooks left out]", status=SKIPPED))
