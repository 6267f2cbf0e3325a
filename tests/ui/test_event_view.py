from __future__ import annotations

from anyhook.model.outcome import Effect
from anyhook.record.recorded import Happened
from anyhook.record.store.query import NumberedRow
from anyhook.ui.event_view import LISTED_HOOKS, PAYLOAD_BYTES, TEXT_CHARACTERS, event_detail, event_view
from tests.record.store.journals import hook, row


def test_a_list_has_short_texts_and_few_hooks() -> None:
    long = "x" * 5000
    hooks = (*(hook(long, reason=long) for _ in range(100)), hook("late", "skipped"))
    event = row(tool=long, outcome=Happened(Effect.BLOCK, long), hooks=hooks, payload={"secret": long})
    view = event_view(NumberedRow(3, event))
    assert [len(text) for text in (view.tool, view.reason, view.hooks[0].hook, view.hooks[0].reason)] == [
        TEXT_CHARACTERS
    ] * 4
    assert (len(view.hooks), view.more_hooks, view.skipped) == (LISTED_HOOKS, 100 - LISTED_HOOKS, 1)
    assert not hasattr(view, "payload")


def test_an_opened_event_is_complete() -> None:
    long = "x" * 5000
    event = row(
        outcome=Happened(Effect.BLOCK, long, decided_by="/p/hooks/hooks.json:3"),
        hooks=(hook(long, "blocked", reason=long), hook("late", "skipped", reason="does not match")),
        payload={"tool_input": {"command": long}},
    )
    detail = event_detail(NumberedRow(3, event))
    assert (detail.view.reason, detail.view.hooks[0].reason) == (long, long)
    assert [(each.hook, each.reason) for each in detail.skipped] == [("late", "does not match")]
    assert (detail.payload, detail.has_payload, detail.cut_bytes) == (event.payload, True, 0)
    assert detail.decided_by == "/p/hooks/hooks.json:3"


def test_a_large_payload_is_cut() -> None:
    detail = event_detail(NumberedRow(1, row(payload={"text": "é" * PAYLOAD_BYTES})))
    assert isinstance(detail.payload, str)
    assert len(detail.payload.encode()) <= PAYLOAD_BYTES
    assert detail.cut_bytes > 2 * PAYLOAD_BYTES


def test_a_payload_that_is_null_is_not_a_missing_one() -> None:
    assert event_detail(NumberedRow(1, row(payload=None))).has_payload
    assert not event_detail(NumberedRow(1, row())).has_payload
